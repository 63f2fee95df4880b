package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// The layout on disk, every number big-endian. DECISIONS.md says why it is so.
//
//	segment   header, then records without gaps to the end of the file
//
//	header    magic "tavoloj\n"        8
//	          format version           2
//	          length of the table id   1
//	          table id                 as long as that says
//	          first sequence           8
//	          hash before it          32
//	          CRC-32C of all above     4
//
//	record    length of the payload    4
//	          sequence                 8
//	          place in its Append      4   records before it in the same Append
//	          kind                     1
//	          time, Unix nanoseconds   8
//	          payload                  as long as that says
//	          hash                    32   SHA-256 of the hash before and all above
//	          CRC-32C of all above     4
//
// The checksum tells whether a record arrived whole, the hash whether it belongs where it stands. So a power cut can
// only ever break the former.
const (
	magic   = "tavoloj\n"
	version = 1

	recordHead = 4 + 8 + 4 + 1 + 8
	recordTail = sha256.Size + crc32.Size
	recordSize = recordHead + recordTail // of an empty payload
)

// MaxPayload is the most bytes one record may carry. It only keeps a damaged length from being believed.
const MaxPayload = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Hash is a link of the chain: SHA-256 over the hash before and the record. Its text form is hexadecimal.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the hash in hexadecimal. It never fails.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// Kind says what a record's payload is. The kinds 1 to 253 mean what the owner of the journal wants them to mean.
type Kind uint8

// The kinds the journal writes by itself.
const (
	Snapshot   Kind = 254 // the owner's state at the start of a segment, see Journal.Rotate
	Checkpoint Kind = 255 // a signed note about all records before it, see Journal.Checkpoint
)

// Record is one entry as it lies in the journal.
type Record struct {
	Seq     uint64    // 1 for the first, then one more each
	Time    time.Time // when it was appended, UTC, by the machine's clock
	Kind    Kind
	Payload []byte // shared with the other records of its segment: not to be changed
	Hash    Hash   // the chain's head after this record

	File   string // name of the segment it lies in
	Offset int64  // byte at which it begins there

	place uint32 // records before it in the same Append
	prev  Hash   // the chain's head before this record
}

// first returns the sequence of the first record of the Append that r came with.
func (r *Record) first() uint64 { return r.Seq - uint64(r.place) }

// genesis is the head of the chain of an empty journal. It binds the chain to its table.
func genesis(table string) Hash {
	return sha256.Sum256(fmt.Appendf(nil, "tavolo journal %d\n%s", version, table))
}

// link returns the chain's head after a record whose head and payload are body.
func link(prev Hash, body []byte) (h Hash) {
	sum := sha256.New()
	sum.Write(prev[:])
	sum.Write(body)
	sum.Sum(h[:0])
	return h
}

// appendRecord appends r to b, linked to r.prev, and returns the chain's new head.
func appendRecord(b []byte, r Record) ([]byte, Hash) {
	start := len(b)
	b = binary.BigEndian.AppendUint32(b, uint32(len(r.Payload)))
	b = binary.BigEndian.AppendUint64(b, r.Seq)
	b = binary.BigEndian.AppendUint32(b, r.place)
	b = append(b, byte(r.Kind))
	b = binary.BigEndian.AppendUint64(b, uint64(r.Time.UnixNano()))
	b = append(b, r.Payload...)
	hash := link(r.prev, b[start:])
	b = append(b, hash[:]...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli)), hash
}

// parseRecord reads the record b begins with and returns it with its size in bytes, or a size of 0 if b does not begin
// with a whole record. That the record belongs where it stands is for the caller to check.
func parseRecord(b []byte) (r Record, size int) {
	if len(b) < recordSize {
		return Record{}, 0
	}
	n := binary.BigEndian.Uint32(b)
	if n > MaxPayload || int(n) > len(b)-recordSize {
		return Record{}, 0
	}
	end := recordHead + int(n)
	size = end + recordTail
	if crc32.Checksum(b[:size-crc32.Size], castagnoli) != binary.BigEndian.Uint32(b[size-crc32.Size:]) {
		return Record{}, 0
	}
	r = Record{
		Seq:     binary.BigEndian.Uint64(b[4:]),
		Time:    time.Unix(0, int64(binary.BigEndian.Uint64(b[17:]))).UTC(),
		Kind:    Kind(b[16]),
		Payload: b[recordHead:end:end],
		Hash:    Hash(b[end:]),
		place:   binary.BigEndian.Uint32(b[12:]),
	}
	if r.Kind == 0 || uint64(r.place) >= r.Seq {
		return Record{}, 0
	}
	return r, size
}

// header begins every segment.
type header struct {
	table string
	first uint64 // sequence of the segment's first record
	prev  Hash   // the chain's head before it
}

func appendHeader(b []byte, h header) []byte {
	start := len(b)
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint16(b, version)
	b = append(b, byte(len(h.table)))
	b = append(b, h.table...)
	b = binary.BigEndian.AppendUint64(b, h.first)
	b = append(b, h.prev[:]...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// errVersion is the error of a segment of another format, which is not damage and must never be repaired away.
var errVersion = errors.New("not the format this tavolo reads")

// parseHeader reads the header b begins with and returns it with its size in bytes.
func parseHeader(b []byte) (h header, size int, err error) {
	const fixed = len(magic) + 2 + 1
	if len(b) < fixed || !bytes.HasPrefix(b, []byte(magic)) {
		return header{}, 0, errors.New("not the header of a journal segment")
	}
	if v := binary.BigEndian.Uint16(b[len(magic):]); v != version {
		return header{}, 0, fmt.Errorf("%w: version %d instead of %d", errVersion, v, version)
	}
	end := fixed + int(b[fixed-1])
	size = end + 8 + sha256.Size + crc32.Size
	if len(b) < size ||
		crc32.Checksum(b[:size-crc32.Size], castagnoli) != binary.BigEndian.Uint32(b[size-crc32.Size:size]) {
		return header{}, 0, errors.New("segment header damaged")
	}
	h = header{table: string(b[fixed:end]), first: binary.BigEndian.Uint64(b[end:]), prev: Hash(b[end+8:])}
	if h.first == 1 && h.prev != genesis(h.table) {
		return header{}, 0, errors.New("hash before record 1 is not that of an empty journal")
	}
	return h, size, nil
}
