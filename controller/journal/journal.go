// Package journal keeps what happened at a table, in order, so that a power cut loses nothing that was acknowledged and
// nobody can change the past unseen. It knows nothing of poker: a record is bytes and a number saying what they are.
//
// A journal is a directory of segments, files to which records are only ever appended. When Append returns nil its
// records are on the disk. Every record carries a checksum and a hash over all before it, and now and then a Checkpoint
// signs that hash, so whoever kept a checkpoint can tell that the records up to it are still the same.
//
// The main path:
//
//	j, found, err := journal.Open(dir, journal.Options{Table: "riga/t7"})
//	for r, err := range j.Records(found.Start) { ... } // the snapshot, then what came after it
//	err = j.Append(entries...)                         // may show and publish once this returns nil
//	if j.Full() { err = j.Rotate(snapshot) }           // between two hands, say
//
// Beside the segments, named by their first sequence, the directory holds the key that signs, checkpoint.key, and its
// public half, checkpoint.pub, for those who verify.
//
// Read, Verify, Export and Repair work on a directory, without a running table. The format is in format.go, what a
// power cut can leave behind and how it is told from damage in segment.damage, and the reasons in DECISIONS.md.
package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sys/unix"
)

// ErrLocked is the error of opening a journal that is open already, in this process or in another.
var ErrLocked = errors.New("in use, stop the other tavolo first")

// DefaultSegmentSize is the size in bytes at which a segment is full unless Options say otherwise.
const DefaultSegmentSize = 8 << 20

// Options say which journal to open.
type Options struct {
	// Table names the table and the origin of its checkpoints: 1 to 200 printable ASCII characters, no space, no "+".
	// A journal belongs to one table for good.
	Table string
	// SegmentSize is how many bytes a segment holds before it is Full; 0 means DefaultSegmentSize.
	SegmentSize int64
}

func (o Options) validate() error {
	if o.Table == "" || len(o.Table) > 200 {
		return fmt.Errorf("journal: table id %q must have 1 to 200 characters", o.Table)
	}
	for _, c := range []byte(o.Table) {
		if c <= ' ' || c > '~' || c == '+' {
			return fmt.Errorf(`journal: table id %q must be printable ASCII without space and "+"`, o.Table)
		}
	}
	if o.SegmentSize < 0 {
		return fmt.Errorf("journal: segment size %d is negative", o.SegmentSize)
	}
	return nil
}

// Recovery is what Open found.
type Recovery struct {
	Start uint64 // where to replay from: the newest snapshot, or 1 before there is any
	Last  uint64 // sequence of the last record, 0 if there is none
	Torn  *Fault // the tail a power cut had torn, which Open has cut away; nil if there was none
}

// Entry is a record to be appended.
type Entry struct {
	Kind    Kind   // 1 to 253
	Payload []byte // at most MaxPayload bytes
}

// Journal is an open journal. All methods may be called from any goroutine; appends wait for each other.
type Journal struct {
	options Options
	signer  note.Signer
	dir     *os.File // holds the lock, and is synced whenever a file gets a name

	mu   sync.Mutex
	file *os.File // the newest segment
	size int64
	last uint64
	head Hash
	err  error // the first failure, after which nothing is appended
}

// Open opens the journal in dir for appending and locks it. A directory that does not exist is made, its parent must
// exist; in an empty one a journal is begun and its signing key made.
//
// Open reads the newest segment. A torn tail, which is all that a power cut leaves, is cut back to the last whole
// record and reported in Recovery. Other damage is an error that wraps a *Fault, and Open changes nothing. Older
// segments are not read: see Verify.
func Open(dir string, o Options) (*Journal, Recovery, error) {
	if err := o.validate(); err != nil {
		return nil, Recovery{}, err
	}
	if o.SegmentSize == 0 {
		o.SegmentSize = DefaultSegmentSize
	}
	if err := makeDir(dir); err != nil {
		return nil, Recovery{}, err
	}
	d, err := lock(dir)
	if err != nil {
		return nil, Recovery{}, err
	}
	j := &Journal{options: o, dir: d}
	found, err := j.recover()
	if err != nil {
		return nil, Recovery{}, errors.Join(err, j.Close())
	}
	return j, found, nil
}

// recover readies a journal just locked for appending.
func (j *Journal) recover() (Recovery, error) {
	var err error
	if j.signer, err = loadSigner(j.dir, origin(j.options.Table)); err != nil {
		return Recovery{}, err
	}
	names, err := segmentNames(j.dir.Name())
	if err != nil {
		return Recovery{}, err
	}
	if len(names) == 0 {
		j.head = genesis(j.options.Table)
		if err := j.begin(nil); err != nil {
			return Recovery{}, fmt.Errorf("journal: %w", err)
		}
		return Recovery{Start: 1}, nil
	}
	s, fault, err := j.openNewest(names[len(names)-1])
	if err != nil {
		return Recovery{}, err
	}
	j.size, j.last, j.head = int64(s.end), s.next-1, s.head
	return Recovery{Start: s.first, Last: j.last, Torn: fault}, nil
}

// openNewest opens the newest segment for appending, and cuts and returns its torn tail.
func (j *Journal) openNewest(name string) (s *segment, torn *Fault, err error) {
	path := filepath.Join(j.dir.Name(), name)
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0); err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	// What a killed process wrote may so far be in memory only, and after a failed sync memory may hold what the disk
	// does not. So bring all there is to the disk, forget it, and believe what then comes back from the disk.
	if err := j.file.Sync(); err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	if err := unix.Fadvise(int(j.file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return nil, nil, fmt.Errorf("journal: drop cached %s: %w", path, err)
	}
	if s, err = loadSegment(j.dir.Name(), name, true); err != nil {
		return nil, nil, unreadable(err)
	}
	if s.table != j.options.Table {
		return nil, nil, fmt.Errorf("journal: %s is of table %s, not of %s", path, s.table, j.options.Table)
	}
	if torn = s.check(); torn != nil {
		if !torn.Torn {
			return nil, nil, unreadable(torn)
		}
		err = j.file.Truncate(torn.Offset)
	}
	// The segment may have got its name, or the file its length, just before the power went.
	if err = errors.Join(err, j.file.Sync(), j.dir.Sync()); err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	return s, torn, nil
}

// unreadable adds to a fault of the newest segment what to do about it.
func unreadable(err error) error {
	if _, ok := errors.AsType[*Fault](err); !ok {
		return err
	}
	return fmt.Errorf("%w; put the file back from a copy, or repair the journal, which cuts it there", err)
}

// Append writes a batch with one write and one sync. When it returns nil the whole batch is on the disk and will be
// there after a power cut. After any error from the disk it is not known how much of the batch is: the journal then
// refuses every further append with that first error, until it is closed and opened anew. An entry that cannot be
// written, by its kind or size, is refused without harm.
func (j *Journal) Append(batch ...Entry) error {
	for _, e := range batch {
		if e.Kind == 0 || e.Kind >= Snapshot {
			return fmt.Errorf("journal: kind %d cannot be appended", e.Kind)
		}
		if err := checkSize(e.Payload); err != nil {
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.append(batch...)
}

func (j *Journal) append(batch ...Entry) error {
	if j.err != nil {
		return j.err
	}
	if len(batch) == 0 {
		return nil
	}
	b, head := encode(nil, j.last+1, j.head, batch)
	if _, err := j.file.Write(b); err != nil {
		return j.fail(err)
	}
	// A failed sync is never tried again: the second one may succeed without having written a thing.
	if err := unix.Fdatasync(int(j.file.Fd())); err != nil {
		return j.fail(fmt.Errorf("sync %s: %w", j.file.Name(), err))
	}
	j.size, j.last, j.head = j.size+int64(len(b)), j.last+uint64(len(batch)), head
	return nil
}

// encode appends the records of one Append to b and returns the chain's new head.
func encode(b []byte, seq uint64, head Hash, batch []Entry) ([]byte, Hash) {
	now := time.Now()
	for i, e := range batch {
		r := Record{Seq: seq + uint64(i), Time: now, Kind: e.Kind, Payload: e.Payload, place: uint32(i), prev: head}
		b, head = appendRecord(b, r)
	}
	return b, head
}

func checkSize(payload []byte) error {
	if len(payload) > MaxPayload {
		return fmt.Errorf("journal: payload of %d bytes, at most %d can be written", len(payload), MaxPayload)
	}
	return nil
}

// fail makes err the answer to every further append.
func (j *Journal) fail(err error) error {
	j.err = fmt.Errorf("journal: %w; nothing more is written until it is opened anew", err)
	return j.err
}

// Full reports whether the newest segment has reached its size, so that it is time to Rotate. A full segment still
// takes records.
func (j *Journal) Full() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size >= j.options.SegmentSize
}

// Rotate begins a new segment with a snapshot of the owner's state, from which the next start replays. The segment gets
// its name only once the snapshot is on the disk, so there is never one without. Errors are as for Append.
func (j *Journal) Rotate(snapshot []byte) error {
	if err := checkSize(snapshot); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	full := j.file
	if err := j.begin([]Entry{{Snapshot, snapshot}}); err != nil {
		return j.fail(err)
	}
	if err := full.Close(); err != nil {
		return j.fail(err)
	}
	return nil
}

// begin puts a new segment with the given records into place and opens it for appending.
func (j *Journal) begin(batch []Entry) error {
	b := appendHeader(nil, header{table: j.options.Table, first: j.last + 1, prev: j.head})
	b, head := encode(b, j.last+1, j.head, batch)
	name := segmentName(j.last + 1)
	if err := place(j.dir, name, b, 0o600); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(j.dir.Name(), name), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	j.file, j.size, j.last, j.head = file, int64(len(b)), j.last+uint64(len(batch)), head
	return nil
}

// Head returns the sequence and the hash of the last record. Before there is any, the sequence is 0.
func (j *Journal) Head() (uint64, Hash) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last, j.head
}

// Segments returns the sequences of the records that the segments begin with, oldest first. There is always one.
func (j *Journal) Segments() ([]uint64, error) {
	names, err := segmentNames(j.dir.Name())
	firsts := make([]uint64, len(names))
	for i, name := range names {
		firsts[i] = firstSeq(name)
	}
	return firsts, err
}

// Records yields the records from a sequence on that were on the disk when the loop began, as Read does.
func (j *Journal) Records(from uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		last, _ := j.Head()
		if last == 0 || from > last {
			return
		}
		for r, err := range Read(j.dir.Name(), from) {
			if !yield(r, err) || err != nil || r.Seq == last {
				return
			}
		}
	}
}

// Free returns how many bytes the journal's disk has left for it.
func (j *Journal) Free() (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(j.dir.Name(), &st); err != nil {
		return 0, fmt.Errorf("journal: free space of %s: %w", j.dir.Name(), err)
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// Close gives up the lock. Whatever was appended is on the disk already; every further append is refused. Closing twice
// is fine.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if errors.Is(j.err, fs.ErrClosed) {
		return nil
	}
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	err = errors.Join(err, j.dir.Close())
	j.err = fmt.Errorf("journal: %w", fs.ErrClosed)
	return err
}
