package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// Report is what Verify found.
type Report struct {
	Segments    int       `json:"segments"`
	Records     uint64    `json:"records"`     // of every kind
	Snapshots   uint64    `json:"snapshots"`   // of them
	Checkpoints uint64    `json:"checkpoints"` // of them
	First       uint64    `json:"first"`       // oldest sequence; above 1 if older segments have been moved elsewhere
	Last        uint64    `json:"last"`        // newest sequence, 0 if there are no records
	Head        Hash      `json:"head"`        // hash of the newest record
	Time        time.Time `json:"time,omitzero"`
	Signed      uint64    `json:"signed"`         // newest sequence that a checkpoint signs
	Held        int       `json:"held,omitempty"` // checkpoints that were kept elsewhere and found
	Key         string    `json:"key"`            // public key by which the checkpoints were checked
}

// Verify reads all of the journal in dir and checks every checksum, sequence, hash and signature. The report covers what
// was sound up to the first error, a *Fault if the journal is damaged, torn tails included.
//
// A chain cannot tell by itself that its end has been cut off, or that all of it was made anew with another key. So give it
// the checkpoints kept elsewhere, as Journal.Checkpoint returned them: one that the journal's key has not signed, or that is
// not in the journal, is an error. Read tells what to expect beside a running daemon.
func Verify(dir string, kept ...[]byte) (Report, error) {
	names, err := segmentNames(dir)
	if err != nil {
		return Report{}, err
	}
	key, text, err := loadVerifier(dir)
	if err != nil {
		return Report{}, err
	}
	rep := Report{Segments: len(names), Key: text}
	looked, err := openHeld(kept, key)
	if err != nil {
		return rep, err
	}
	for r, err := range Read(dir, 0) {
		if err != nil {
			return rep, err
		}
		if err := rep.count(r, key); err != nil {
			return rep, err
		}
		if looked.find(r) {
			rep.Held++
		}
	}
	return rep, looked.missing(&rep)
}

// count takes the next record into the report.
func (rep *Report) count(r Record, key note.Verifier) error {
	switch r.Kind {
	case Snapshot:
		rep.Snapshots++
	case Checkpoint:
		if err := checkCheckpoint(r, key); err != nil {
			return &Fault{File: r.File, Offset: r.Offset, Seq: r.Seq, Reason: "checkpoint: " + err.Error()}
		}
		rep.Checkpoints++
		rep.Signed = r.Seq - 1
	}
	if rep.Records == 0 {
		rep.First = r.Seq
	}
	rep.Records++
	rep.Last, rep.Head, rep.Time = r.Seq, r.Hash, r.Time
	return nil
}

// line is a record as Export writes it.
type line struct {
	Seq     uint64          `json:"seq"`
	Time    time.Time       `json:"time"`
	Kind    Kind            `json:"kind"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Base64  []byte          `json:"base64,omitempty"`
	Hash    Hash            `json:"hash"`
}

// Export writes the records of the journal in dir to w, one JSON object a line: seq, time, kind, hash, and the payload
// as "payload" if it is JSON, else as "base64"; an empty payload is left out. At damage it stops, after writing all
// before it, with the error of Read.
func Export(dir string, w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for r, err := range Read(dir, 0) {
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		l := line{Seq: r.Seq, Time: r.Time, Kind: r.Kind, Hash: r.Hash}
		if json.Valid(r.Payload) && utf8.Valid(r.Payload) {
			l.Payload = r.Payload
		} else {
			l.Base64 = r.Payload
		}
		if err := enc.Encode(l); err != nil {
			return fmt.Errorf("journal: export record %d: %w", r.Seq, err)
		}
	}
	return out.Flush()
}

// Cut is what Repair cut off.
type Cut struct {
	Fault Fault  `json:"fault"`
	Saved string `json:"saved"` // the file beside the segment that now holds the fault's Size bytes from its Offset on
}

// Repair makes the journal in dir one that Open takes: it cuts the newest segment back to its last whole record, and
// saves what it cuts in a .torn file beside it. If not even the snapshot at the start of the segment is whole, all of
// the segment is cut and the one before is the newest. What is cut off is lost to the table, so first look for a copy
// of the file. Older segments are not touched: for damage there, which does not keep the table from running, a copy is
// the only cure. A journal in order is left alone.
func Repair(dir string) ([]Cut, error) {
	d, err := lock(dir)
	if err != nil {
		return nil, err
	}
	cuts, err := repair(d)
	return cuts, errors.Join(err, d.Close())
}

func repair(d *os.File) (cuts []Cut, err error) {
	for {
		names, err := segmentNames(d.Name())
		if err != nil || len(names) == 0 {
			return cuts, err
		}
		fault, err := newestFault(d.Name(), names[len(names)-1])
		if err != nil || fault == nil {
			return cuts, err
		}
		c, err := cut(d, *fault)
		if err != nil {
			return cuts, fmt.Errorf("journal: repair: %w", err)
		}
		cuts = append(cuts, c)
	}
}

// newestFault returns what keeps Open from taking the newest segment, or nil.
func newestFault(dir, name string) (*Fault, error) {
	s, err := loadSegment(dir, name, true)
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault, nil
	}
	if err != nil {
		return nil, err
	}
	fault := s.check()
	if fault != nil && s.snapshotNext() { // without it the segment is of no use
		fault.Offset, fault.Size = 0, int64(len(s.data))
	}
	return fault, nil
}

// cut moves a file's bytes from the fault on to a file of their own. What is cut is on the disk there before it is gone
// here.
func cut(d *os.File, fault Fault) (Cut, error) {
	c := Cut{Fault: fault, Saved: fmt.Sprintf("%s.%d.torn", fault.File, fault.Offset)}
	path := filepath.Join(d.Name(), fault.File)
	if _, err := os.Lstat(filepath.Join(d.Name(), c.Saved)); err == nil {
		return Cut{}, fmt.Errorf("%s exists from an earlier repair, move it away", c.Saved)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Cut{}, err
	}
	if err := place(d, c.Saved, data[fault.Offset:], 0o600); err != nil {
		return Cut{}, err
	}
	if fault.Offset == 0 {
		return c, errors.Join(os.Remove(path), d.Sync())
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return Cut{}, err
	}
	return c, errors.Join(f.Truncate(fault.Offset), f.Sync(), f.Close())
}
