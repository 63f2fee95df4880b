package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Fault is a place where a journal does not read as it was written.
type Fault struct {
	File   string `json:"file"`   // name of the segment
	Offset int64  `json:"offset"` // byte at which the first unreadable record begins
	Seq    uint64 `json:"seq"`    // sequence that record has or should have
	Size   int64  `json:"size"`   // bytes from Offset to the end of the file, 0 if only a signature is wrong
	// Torn is true if a power cut in the last Append explains the fault: nothing acknowledged is missing, and Open
	// cuts the bytes away. Otherwise records that had been acknowledged are damaged.
	Torn   bool   `json:"torn"`
	Reason string `json:"reason"`
}

// Error says what is wrong where.
func (f *Fault) Error() string {
	return fmt.Sprintf("journal: %s, byte %d, record %d: %s", f.File, f.Offset, f.Seq, f.Reason)
}

// Read yields the records of the journal in dir from a sequence on, or from the oldest that is there if from is 0. All
// that is read is checked: checksums, sequences, and the chain of hashes. The first error, a *Fault if the journal is
// damaged, is yielded last.
//
// Read takes no lock. Beside a daemon that is appending, a record half written may show as a torn one.
func Read(dir string, from uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		names, err := segmentNames(dir)
		if err != nil {
			yield(Record{}, err)
			return
		}
		if len(names) == 0 {
			yield(Record{}, fmt.Errorf("journal: no segments in %s: %w", dir, fs.ErrNotExist))
			return
		}
		if oldest := firstSeq(names[0]); from != 0 && from < oldest {
			yield(Record{}, fmt.Errorf("journal: record %d is not in %s, the oldest there is %d", from, dir, oldest))
			return
		}
		for len(names) > 1 && firstSeq(names[1]) <= from {
			names = names[1:]
		}
		var before *segment
		for i, name := range names {
			s, err := loadSegment(dir, name, i == len(names)-1)
			if err == nil && before != nil {
				err = s.follows(before)
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			for r, err := range s.records() {
				if (err != nil || r.Seq >= from) && !yield(r, err) || err != nil {
					return
				}
			}
			before = s
		}
	}
}

// segmentNames lists the segments in dir, oldest first.
func segmentNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted, and names sort by sequence
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	var names []string
	for _, e := range entries {
		if seq := firstSeq(e.Name()); seq != 0 && e.Name() == segmentName(seq) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// segmentName returns the name of the segment whose first record is seq.
func segmentName(seq uint64) string { return fmt.Sprintf("%020d.seg", seq) }

// firstSeq is the inverse of segmentName, and 0 for the name of anything else.
func firstSeq(name string) uint64 {
	seq, _ := strconv.ParseUint(strings.TrimSuffix(name, ".seg"), 10, 64)
	return seq
}

// segment is one file of a journal, read into memory.
type segment struct {
	header
	name   string
	newest bool // no segment follows
	data   []byte
	start  int // where the records begin in data

	// The end of what records has yielded so far.
	end  int
	next uint64
	head Hash
}

// loadSegment reads a segment and checks its header, but not its records.
func loadSegment(dir, name string, newest bool) (*segment, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return parseSegment(data, name, newest)
}

func parseSegment(data []byte, name string, newest bool) (*segment, error) {
	s := &segment{name: name, newest: newest, data: data, next: firstSeq(name)}
	var err error
	s.header, s.start, err = parseHeader(data)
	if errors.Is(err, errVersion) {
		return nil, fmt.Errorf("journal: %s: %w", name, err)
	}
	if err == nil && s.first != s.next {
		err = fmt.Errorf("the header says that record %d is the first", s.first)
	}
	if err != nil {
		return nil, s.fault(err.Error())
	}
	s.end, s.head = s.start, s.prev
	return s, nil
}

// fault returns a fault at the end of what is known to be sound.
func (s *segment) fault(reason string) *Fault {
	return &Fault{File: s.name, Offset: int64(s.end), Seq: s.next, Size: int64(len(s.data) - s.end), Reason: reason}
}

// follows checks that s goes on where before, of which all records have been read, ends.
func (s *segment) follows(before *segment) error {
	reason := ""
	switch {
	case s.table != before.table:
		reason = fmt.Sprintf("belongs to table %s, the segment before to %s", s.table, before.table)
	case s.first != before.next:
		reason = fmt.Sprintf("records %d to %d are missing before it", before.next, s.first-1)
		if s.first < before.next {
			reason = fmt.Sprintf("records from %d on are in the segment before, too", s.first)
		}
	case s.prev != before.head:
		reason = "hash does not go on from the segment before"
	default:
		return nil
	}
	return &Fault{File: s.name, Seq: s.first, Size: int64(len(s.data)), Reason: reason}
}

// records yields the segment's records, checked. A *Fault comes last, if there is one.
func (s *segment) records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s.end, s.next, s.head = s.start, s.first, s.prev
		for s.end < len(s.data) || s.snapshotNext() {
			r, size := parseRecord(s.data[s.end:])
			var fault *Fault
			switch {
			case size == 0:
				fault = s.damage()
			case r.Seq != s.next:
				fault = s.fault(fmt.Sprintf("carries sequence %d", r.Seq))
			case r.Hash != link(s.head, s.data[s.end:s.end+size-recordTail]):
				fault = s.fault("hash does not go on from the record before")
			case s.snapshotNext() && r.Kind != Snapshot:
				fault = s.fault(fmt.Sprintf("kind %d instead of a snapshot", r.Kind))
			}
			if fault != nil {
				yield(Record{}, fault)
				return
			}
			r.File, r.Offset, r.prev = s.name, int64(s.end), s.head
			s.end, s.next, s.head = s.end+size, s.next+1, r.Hash
			if !yield(r, nil) {
				return
			}
		}
	}
}

// snapshotNext reports whether the next record is the snapshot with which a segment begins, the first excepted.
func (s *segment) snapshotNext() bool { return s.next == s.first && s.first > 1 }

// damage judges bytes that are no whole record. Append is not called again before its sync has succeeded, so whatever
// stands before the last Append had been acknowledged, and a power cut can only have torn the last one: cut it short
// or lost some of its blocks, in any order. A torn tail is what such a cut explains.
func (s *segment) damage() *Fault {
	if !s.newest {
		return s.fault("damaged, and another segment follows")
	}
	if s.snapshotNext() {
		return s.fault("the segment's snapshot is damaged; a segment is named only after its snapshot is on the disk")
	}
	var after *Record // the first whole record after the damage
	for r := range s.survivors() {
		if r.first() > s.next {
			return s.fault(fmt.Sprintf("damaged, and record %d, appended after it, follows", r.Seq))
		}
		if after == nil {
			after = &r
		}
	}
	if after != nil && !s.blockLost(after) {
		return s.fault(fmt.Sprintf("damaged, and record %d follows though no block of the disk is missing", after.Seq))
	}
	f := s.fault("incomplete, and nothing follows that had been acknowledged")
	f.Torn = true
	return f
}

// survivors yields the whole records found at any byte after the damage at s.end.
func (s *segment) survivors() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for at := s.end + 1; at+recordSize <= len(s.data); at++ {
			// No more records than bytes can lie between. Few bytes pass for such a sequence, so the search is fast.
			if binary.BigEndian.Uint64(s.data[at+4:])-s.next > uint64(at-s.end) {
				continue
			}
			r, size := parseRecord(s.data[at:])
			if size == 0 {
				continue
			}
			r.Offset = int64(at)
			if !yield(r) {
				return
			}
			at += size - 1
		}
	}
}

// block is the least that a disk writes at once, in bytes.
const block = 512

// blockLost reports whether a block that the last Append should have written before the record after, which came with
// it, reads as zeros from where the file ended before.
func (s *segment) blockLost(after *Record) bool {
	begin := s.end
	if after.first() != s.next { // records of that Append stand before: a block is lost whole, with what they end with, if zeros
		begin = begin / block * block
	}
	for begin < int(after.Offset) {
		end := min(begin/block*block+block, len(s.data))
		if allZero(s.data[begin:end]) {
			return true
		}
		begin = end
	}
	return false
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// check reads the segment to its end and returns its fault, nil if it has none.
func (s *segment) check() *Fault {
	for _, err := range s.records() {
		if fault, ok := errors.AsType[*Fault](err); ok {
			return fault
		}
	}
	return nil
}
