package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/mod/sumdb/note"
)

// sample writes a journal of two segments, 1 to 4 and 5 to 8, and returns its directory.
func sample(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(memDir(t), "t7")
	j, _ := mustOpen(t, dir)
	mustAppend(t, j, "a", "b")
	if _, err := j.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, "d")
	mustRotate(t, j, "state")
	mustAppend(t, j, "f")
	if _, err := j.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, "h")
	mustClose(t, j)
	return dir
}

func wantFault(t *testing.T, dir, file string, seq uint64, reason string) {
	t.Helper()
	_, err := Verify(dir)
	fault, ok := errors.AsType[*Fault](err)
	if !ok || fault.File != file || fault.Seq != seq || !strings.Contains(fault.Reason, reason) {
		t.Errorf("verified: %v; want record %d of %s: %s", err, seq, file, reason)
	}
}

func TestVerify(t *testing.T) {
	dir := sample(t)
	rep := mustVerify(t, dir)
	j, _ := mustOpen(t, dir)
	_, head := j.Head()
	want := Report{
		Segments: 2, Records: 8, Snapshots: 1, Checkpoints: 2, First: 1, Last: 8, Head: head, Signed: 6,
		Key: strings.TrimSpace(string(readFile(t, filepath.Join(dir, publicFile)))), Time: rep.Time,
	}
	if rep != want || rep.Time.IsZero() {
		t.Errorf("verified %+v, want %+v", rep, want)
	}
	if _, err := Verify(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("verified an empty directory: %v", err)
	}
}

// A checkpoint can be checked by anyone who has the public key, with the tools for signed notes.
func TestCheckpoint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	if _, err := j.Checkpoint(); err != nil { // of an empty journal
		t.Fatal(err)
	}
	mustAppend(t, j, "a")
	seq, head := j.Head()
	signed, err := j.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(strings.TrimSpace(string(readFile(t, filepath.Join(dir, publicFile)))))
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open(signed, note.VerifierList(key))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(n.Text, "tavolo/riga/t7\n2\n") || seq != 2 || strings.Contains(n.Text, base64.StdEncoding.EncodeToString(head[:])) {
		t.Errorf("signed %q", n.Text)
	}
	if rep := mustVerify(t, dir); rep.Signed != 2 || rep.Checkpoints != 2 || rep.Last != 3 {
		t.Errorf("verified %+v", rep)
	}
}

// A checkpoint that was kept is found in the journal it was made by, and in no other: not in one whose end was cut off, nor in one
// made anew with the same key or with another.
func TestKeptCheckpoints(t *testing.T) {
	dir := filepath.Join(memDir(t), "t7")
	j, _ := mustOpen(t, dir)
	check := func() []byte {
		t.Helper()
		mustAppend(t, j, "a")
		signed, err := j.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	first, size := check(), len(readFile(t, newest(t, dir)))
	second := check()
	mustClose(t, j)
	if rep, err := Verify(dir, second, first, second); err != nil || rep.Held != 2 {
		t.Errorf("found %d: %v", rep.Held, err)
	}
	for _, c := range []struct {
		about, want string
		kept        [][]byte
		change      func()
	}{
		{"not one", "not one of this journal's key", [][]byte{[]byte("not one")}, nil},
		{"tampered", "not one of this journal's key", [][]byte{bytes.Replace(first, []byte("\n1\n"), []byte("\n2\n"), 1)}, nil},
		{"the end cut off", "the checkpoint of record 3 that was kept is not in the journal, which ends with record 2", [][]byte{first, second}, func() {
			writeFile(t, newest(t, dir), readFile(t, newest(t, dir))[:size])
		}},
		{"all of it made anew", "the checkpoint of record 1 that was kept is not in the journal", [][]byte{first}, func() {
			if err := os.Remove(newest(t, dir)); err != nil {
				t.Fatal(err)
			}
			j, _ = mustOpen(t, dir)
			check()
			mustClose(t, j)
		}},
		{"and that one kept too", "two checkpoints sign the records up to number 1, and differ", nil, func() {}},
		{"with another key", "not one of this journal's key", [][]byte{first}, func() {
			for _, name := range []string{newest(t, dir), filepath.Join(dir, keyFile), filepath.Join(dir, publicFile)} {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			j, _ = mustOpen(t, dir)
			check()
			mustClose(t, j)
		}},
	} {
		if c.change != nil {
			c.change()
		}
		if c.kept == nil {
			var other []byte
			for r, err := range Read(dir, 0) {
				if err == nil && noteOf(r) != nil {
					other = noteOf(r)
				}
			}
			c.kept = [][]byte{first, other}
		}
		if _, err := Verify(dir, c.kept...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.about, err, c.want)
		}
	}
}

// rewrite replaces record number i, from 0, of the newest segment by one with another payload, and the n records after
// it by ones that go on from there.
func rewrite(t *testing.T, dir string, i, n int, payload string) {
	t.Helper()
	path := newest(t, dir)
	s, err := loadSegment(dir, filepath.Base(path), true)
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Clone(s.data[:s.start])
	at, head := 0, s.head
	for r, err := range s.records() {
		if err != nil {
			t.Fatal(err)
		}
		if at == i {
			r.Payload = []byte(payload)
		}
		if at >= i && at <= i+n {
			r.prev = head
			data, head = appendRecord(data, r)
		} else {
			data, head = append(data, s.data[r.Offset:s.end]...), r.Hash
		}
		at++
	}
	writeFile(t, path, data)
}

// Someone changes the past and knows the format: the chain shows where, and if all of the rest is made anew, the next
// signature does.
func TestTampering(t *testing.T) {
	first, second := segmentName(1), segmentName(5)
	t.Run("a record", func(t *testing.T) {
		dir := sample(t)
		rewrite(t, dir, 1, 0, "g")
		wantFault(t, dir, second, 7, "hash does not go on from the record before")
		if _, _, err := Open(dir, Options{Table: table}); err == nil {
			t.Error("opened")
		}
	})
	t.Run("the chain from a record on", func(t *testing.T) {
		dir := sample(t)
		rewrite(t, dir, 1, 2, "g")
		wantFault(t, dir, second, 7, "checkpoint: signed for other records")
	})
	t.Run("a signature", func(t *testing.T) {
		dir := sample(t)
		rewrite(t, dir, 2, 1, "g")
		wantFault(t, dir, second, 7, "checkpoint: ")
	})
	t.Run("a record removed", func(t *testing.T) {
		dir := sample(t)
		path := filepath.Join(dir, second)
		s, err := loadSegment(dir, second, true)
		if err != nil {
			t.Fatal(err)
		}
		var ends []int
		for range s.records() {
			ends = append(ends, s.end)
		}
		writeFile(t, path, slices.Delete(s.data, ends[0], ends[1]))
		wantFault(t, dir, second, 6, "carries sequence 7")
	})
	t.Run("the end of a segment removed", func(t *testing.T) {
		dir := sample(t)
		path := filepath.Join(dir, first)
		writeFile(t, path, readFile(t, path)[:len(readFile(t, path))-recordSize-1])
		wantFault(t, dir, second, 5, "records 4 to 4 are missing before it")
	})
	t.Run("a segment removed", func(t *testing.T) {
		dir := sample(t)
		j, _ := mustOpen(t, dir)
		mustRotate(t, j, "state")
		mustClose(t, j)
		if err := os.Remove(filepath.Join(dir, second)); err != nil {
			t.Fatal(err)
		}
		wantFault(t, dir, segmentName(9), 9, "records 5 to 8 are missing before it")
	})
	t.Run("a segment of another journal", func(t *testing.T) {
		dir, other := sample(t), sample(t)
		writeFile(t, filepath.Join(dir, second), readFile(t, filepath.Join(other, second)))
		wantFault(t, dir, second, 5, "hash does not go on from the segment before")
	})
	t.Run("a segment of another table", func(t *testing.T) {
		dir := sample(t)
		data := readFile(t, filepath.Join(dir, second))
		h, size, err := parseHeader(data)
		if err != nil {
			t.Fatal(err)
		}
		h.table = "riga/t8"
		writeFile(t, filepath.Join(dir, second), append(appendHeader(nil, h), data[size:]...))
		wantFault(t, dir, second, 5, "belongs to table riga/t8")
		if _, _, err := Open(dir, Options{Table: table}); err == nil {
			t.Error("opened")
		}
	})
	t.Run("a segment renamed", func(t *testing.T) {
		dir := sample(t)
		if err := os.Rename(filepath.Join(dir, second), filepath.Join(dir, segmentName(6))); err != nil {
			t.Fatal(err)
		}
		wantFault(t, dir, segmentName(6), 6, "the header says that record 5 is the first")
	})
	t.Run("a segment twice", func(t *testing.T) {
		dir := sample(t)
		s, err := loadSegment(dir, second, true)
		if err != nil {
			t.Fatal(err)
		}
		s.first = 4
		b, _ := appendRecord(appendHeader(nil, s.header), Record{Seq: 4, Kind: Snapshot, prev: s.prev})
		writeFile(t, filepath.Join(dir, segmentName(4)), b)
		wantFault(t, dir, segmentName(4), 4, "records from 4 on are in the segment before, too")
	})
	t.Run("no snapshot", func(t *testing.T) {
		dir := sample(t)
		s, err := loadSegment(dir, second, true)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := appendRecord(s.data[:s.start], Record{Seq: 5, Kind: 1, prev: s.prev})
		writeFile(t, filepath.Join(dir, second), b)
		wantFault(t, dir, second, 5, "kind 1 instead of a snapshot")
	})
	t.Run("another key", func(t *testing.T) {
		dir, other := sample(t), sample(t)
		writeFile(t, filepath.Join(dir, publicFile), readFile(t, filepath.Join(other, publicFile)))
		wantFault(t, dir, first, 3, "checkpoint: ")
		if _, _, err := Open(dir, Options{Table: table}); err == nil || !strings.Contains(err.Error(), publicFile) {
			t.Errorf("opened with two halves of different keys: %v", err)
		}
	})
}

func TestKeyFiles(t *testing.T) {
	dir := sample(t)
	public := filepath.Join(dir, publicFile)
	before := readFile(t, public)
	if err := os.Remove(public); err != nil {
		t.Fatal(err)
	}
	j, _ := mustOpen(t, dir)
	mustClose(t, j)
	if !bytes.Equal(readFile(t, public), before) {
		t.Error("the public key was not written again")
	}
	private := filepath.Join(dir, keyFile)
	writeFile(t, private, []byte("no key"))
	if _, _, err := Open(dir, Options{Table: table}); err == nil || !strings.Contains(err.Error(), private) {
		t.Errorf("opened with a damaged key: %v", err)
	}
	if err := os.Remove(private); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, Options{Table: table}); err == nil || !strings.Contains(err.Error(), "put it back") {
		t.Errorf("opened without the key: %v", err)
	}
}

func TestExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock starts at midnight, 2000
		dir := filepath.Join(t.TempDir(), "t7")
		j, _ := mustOpen(t, dir)
		mustAppend(t, j, `{"act":"raise <3>", "to":9007199254740993}`, "not JSON", "")
		mustRotate(t, j, "\"\xff\"")
		var b strings.Builder
		if err := Export(dir, &b); err != nil {
			t.Fatal(err)
		}
		var lines []string
		var hash string
		for l := range strings.Lines(b.String()) {
			l, hash, _ = strings.Cut(l, `,"hash":"`)
			lines = append(lines, l)
		}
		if _, head := j.Head(); hash != head.String()+"\"}\n" {
			t.Errorf("last hash is %s, the head %s", hash, head)
		}
		want := []string{
			`{"seq":1,"time":"2000-01-01T00:00:00Z","kind":1,"payload":{"act":"raise <3>","to":9007199254740993}`,
			`{"seq":2,"time":"2000-01-01T00:00:00Z","kind":1,"base64":"bm90IEpTT04="`,
			`{"seq":3,"time":"2000-01-01T00:00:00Z","kind":1`,
			`{"seq":4,"time":"2000-01-01T00:00:00Z","kind":254,"base64":"Iv8i"`,
		}
		if !slices.Equal(lines, want) {
			t.Errorf("exported\n%s", strings.Join(lines, "\n"))
		}
	})
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestExportStopsAtDamage(t *testing.T) {
	dir := sample(t)
	path := newest(t, dir)
	data := readFile(t, path)
	writeFile(t, path, data[:len(data)-1])
	var b bytes.Buffer
	err := Export(dir, &b)
	if fault, ok := errors.AsType[*Fault](err); !ok || fault.Seq != 8 || !fault.Torn {
		t.Errorf("exported a torn journal: %v", err)
	}
	n := 0
	for dec := json.NewDecoder(&b); dec.More(); n++ {
		var l line
		if err := dec.Decode(&struct{ Seq *uint64 }{&l.Seq}); err != nil || l.Seq != uint64(n+1) {
			t.Errorf("line %d: sequence %d, %v", n+1, l.Seq, err)
		}
	}
	if n != 7 {
		t.Errorf("%d records exported before the torn one", n)
	}
	if err := Export(dir, brokenWriter{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("exported to a broken writer: %v", err)
	}
}

func TestRepair(t *testing.T) {
	second := segmentName(5)
	for name, c := range map[string]struct {
		damage func([]byte) []byte // done to the newest segment, with records 5 to 8
		last   uint64              // record after the repair
		reason string
	}{
		"nothing":  {func(b []byte) []byte { return b }, 8, ""},
		"torn":     {func(b []byte) []byte { return b[:len(b)-3] }, 7, "incomplete"},
		"middle":   {func(b []byte) []byte { b[len(b)-2*recordSize] ^= 1; return b }, 6, "damaged, and record 8"},
		"snapshot": {func(b []byte) []byte { b[100] ^= 1; return b }, 4, "snapshot is damaged"},
		"header":   {func(b []byte) []byte { b[20] ^= 1; return b }, 4, "segment header damaged"},
		"empty":    {func([]byte) []byte { return nil }, 4, "not the header of a journal segment"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := sample(t)
			path := filepath.Join(dir, second)
			damaged := c.damage(readFile(t, path))
			writeFile(t, path, damaged)
			cuts, err := Repair(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(cuts) != min(len(c.reason), 1) {
				t.Fatalf("cut %+v", cuts)
			}
			for _, cut := range cuts {
				saved := readFile(t, filepath.Join(dir, cut.Saved))
				if f := cut.Fault; f.File != second || f.Seq != c.last+1 || int64(len(saved)) != f.Size ||
					!bytes.Equal(saved, damaged[f.Offset:]) || !strings.Contains(f.Reason, c.reason) {
					t.Errorf("cut %+v, saved %d bytes", cut, len(saved))
				}
			}
			if rep := mustVerify(t, dir); rep.Last != c.last {
				t.Errorf("verified %+v", rep)
			}
			j, found := mustOpen(t, dir)
			if found.Last != c.last || found.Torn != nil {
				t.Errorf("opened %+v", found)
			}
			mustAppend(t, j, "on it goes")
			mustRotate(t, j, "state")
			mustVerify(t, dir)
		})
	}
}

func TestRepairRefuses(t *testing.T) {
	t.Run("a newer format", func(t *testing.T) {
		dir := sample(t)
		path := newest(t, dir)
		data := readFile(t, path)
		data[len(magic)+1]++
		writeFile(t, path, data)
		if cuts, err := Repair(dir); !errors.Is(err, errVersion) || cuts != nil {
			t.Errorf("cut %+v, %v", cuts, err)
		}
		if !bytes.Equal(readFile(t, path), data) {
			t.Error("the segment was changed")
		}
	})
	t.Run("to overwrite what it saved before", func(t *testing.T) {
		dir := sample(t)
		path := newest(t, dir)
		data := readFile(t, path)
		writeFile(t, path, data[:len(data)-1])
		if _, err := Repair(dir); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, data[:len(data)-2])
		if cuts, err := Repair(dir); err == nil || cuts != nil {
			t.Errorf("cut %+v", cuts)
		}
		if got := readFile(t, path); len(got) != len(data)-2 {
			t.Error("the segment was changed")
		}
	})
}

// With nothing but a damaged header left the repaired journal begins anew.
func TestRepairAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	mustAppend(t, j, "a")
	mustClose(t, j)
	path := newest(t, dir)
	writeFile(t, path, readFile(t, path)[:10])
	if cuts, err := Repair(dir); err != nil || len(cuts) != 1 || cuts[0].Saved != segmentName(1)+".0.torn" {
		t.Fatalf("cut %+v, %v", cuts, err)
	}
	_, found := mustOpen(t, dir)
	if found != (Recovery{Start: 1}) {
		t.Errorf("opened %+v", found)
	}
}
