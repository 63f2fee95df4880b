package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

const table = "riga/t7"

// mustOpen opens the journal in dir and closes it at the end of the test.
func mustOpen(t testing.TB, dir string) (*Journal, Recovery) {
	t.Helper()
	j, found, err := Open(dir, Options{Table: table})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustClose(t, j) })
	return j, found
}

func mustClose(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

func mustAppend(t testing.TB, j *Journal, payloads ...string) {
	t.Helper()
	if err := j.Append(entries(payloads...)...); err != nil {
		t.Fatal(err)
	}
}

func mustRotate(t testing.TB, j *Journal, snapshot string) {
	t.Helper()
	if err := j.Rotate([]byte(snapshot)); err != nil {
		t.Fatal(err)
	}
}

func mustVerify(t testing.TB, dir string) Report {
	t.Helper()
	rep, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func entries(payloads ...string) []Entry {
	var batch []Entry
	for _, p := range payloads {
		batch = append(batch, Entry{Kind: 1, Payload: []byte(p)})
	}
	return batch
}

// payloads returns the payloads of the records from a sequence on, and the error that ended them.
// payloads are what the records of a journal have, those of checkpoints as they were given to the world.
func payloads(seq func(func(Record, error) bool)) (all []string, err error) {
	for r, e := range seq {
		payload := r.Payload
		if note := noteOf(r); note != nil {
			payload = note
		}
		if err = e; err == nil {
			all = append(all, string(payload))
		}
	}
	return all, err
}

func wantRecords(t testing.TB, j *Journal, from uint64, want ...string) {
	t.Helper()
	got, err := payloads(j.Records(from))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("records from %d are %q, want %q", from, got, want)
	}
}

func newest(t testing.TB, dir string) string {
	t.Helper()
	names, err := segmentNames(dir)
	if err != nil || len(names) == 0 {
		t.Fatalf("segments %v, error %v", names, err)
	}
	return filepath.Join(dir, names[len(names)-1])
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, found := mustOpen(t, dir)
	if found != (Recovery{Start: 1}) {
		t.Errorf("a new journal opens with %+v", found)
	}
	wantRecords(t, j, 0)
	mustAppend(t, j, "a", "b")
	mustAppend(t, j)
	mustAppend(t, j, "")
	wantRecords(t, j, 0, "a", "b", "")
	wantRecords(t, j, 2, "b", "")
	wantRecords(t, j, 4)
	seq, head := j.Head()
	mustClose(t, j)

	j, found = mustOpen(t, dir)
	if found != (Recovery{Start: 1, Last: 3}) {
		t.Errorf("reopened with %+v", found)
	}
	if s, h := j.Head(); s != seq || h != head {
		t.Errorf("head is %d %s, before closing it was %d %s", s, h, seq, head)
	}
	mustAppend(t, j, "c")
	wantRecords(t, j, found.Start, "a", "b", "", "c")
	if rep := mustVerify(t, dir); rep.Records != 4 || rep.Last != 4 || rep.Segments != 1 {
		t.Errorf("verified %+v", rep)
	}
}

func TestModes(t *testing.T) {
	defer unix.Umask(unix.Umask(0o022))
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	mustRotate(t, j, "s")
	mustAppend(t, j, "a")
	mustRotate(t, j, "s")
	want := map[string]fs.FileMode{
		".": 0o700, "checkpoint.key": 0o600, "checkpoint.pub": 0o644,
		"00000000000000000001.seg": 0o600, "00000000000000000003.seg": 0o600,
	}
	got := map[string]fs.FileMode{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		got[path] = info.Mode().Perm()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("files are %v, want %v", got, want)
	}
}

// A start replays the newest snapshot and what came after it; everything older can still be read.
func TestRotate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	mustAppend(t, j, "a", "b")
	mustRotate(t, j, "ab")
	mustAppend(t, j, "c")
	mustRotate(t, j, "abc")
	mustRotate(t, j, "abc again")
	mustAppend(t, j, "d", "e")
	mustClose(t, j)

	// A power cut in the middle of Rotate leaves this behind.
	writeFile(t, filepath.Join(dir, "new"), []byte("half a segment"))

	j, found := mustOpen(t, dir)
	if found != (Recovery{Start: 6, Last: 8}) {
		t.Errorf("reopened with %+v", found)
	}
	wantRecords(t, j, found.Start, "abc again", "d", "e")
	wantRecords(t, j, 2, "b", "ab", "c", "abc", "abc again", "d", "e")
	wantRecords(t, j, 0, "a", "b", "ab", "c", "abc", "abc again", "d", "e")
	mustRotate(t, j, "abcde")
	rep := mustVerify(t, dir)
	if rep.Segments != 5 || rep.Records != 9 || rep.Snapshots != 4 || rep.First != 1 || rep.Last != 9 {
		t.Errorf("verified %+v", rep)
	}

	// Old segments may be moved elsewhere.
	if err := os.Remove(filepath.Join(dir, segmentName(1))); err != nil {
		t.Fatal(err)
	}
	if rep := mustVerify(t, dir); rep.First != 3 {
		t.Errorf("without the first segment verified %+v", rep)
	}
	if _, err := payloads(j.Records(2)); err == nil || !strings.Contains(err.Error(), "the oldest there is 3") {
		t.Errorf("reading a record moved elsewhere: %v", err)
	}
}

// An empty journal may begin with a snapshot, for a table whose state comes from elsewhere.
func TestRotateEmpty(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	mustRotate(t, j, "s")
	mustAppend(t, j, "a")
	mustClose(t, j)
	j, found := mustOpen(t, dir)
	if found != (Recovery{Start: 1, Last: 2}) {
		t.Errorf("reopened with %+v", found)
	}
	wantRecords(t, j, 1, "s", "a")
	mustVerify(t, dir)
}

func TestFull(t *testing.T) {
	j, _, err := Open(filepath.Join(t.TempDir(), "t7"), Options{Table: table, SegmentSize: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, j)
	n := 0
	for ; !j.Full(); n++ {
		mustAppend(t, j, strings.Repeat("x", 100))
	}
	if n != 6 { // 62 for the header and 165 each
		t.Errorf("full after %d records", n)
	}
	mustRotate(t, j, "s")
	if j.Full() {
		t.Error("a new segment is full")
	}
}

func TestLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	if _, _, err := Open(dir, Options{Table: table}); !errors.Is(err, ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	if _, err := Repair(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("repaired while open: %v", err)
	}
	mustAppend(t, j, "a")
	mustClose(t, j)
	mustClose(t, j)
	if err := j.Append(entries("b")...); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	mustOpen(t, dir)
}

func TestRefused(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "t7")
	for _, o := range []Options{
		{},
		{Table: "t 7"},
		{Table: "t+7"},
		{Table: "t\n7"},
		{Table: "ť7"},
		{Table: strings.Repeat("t", 201)},
		{Table: table, SegmentSize: -1},
	} {
		if _, _, err := Open(dir, o); err == nil {
			t.Errorf("opened with %+v", o)
		}
	}
	if _, _, err := Open(filepath.Join(parent, "a", "b"), Options{Table: table}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened below a directory that is not there: %v", err)
	}

	j, _ := mustOpen(t, dir)
	large := make([]byte, MaxPayload+1)
	for _, e := range []Entry{{}, {Kind: Snapshot}, {Kind: Checkpoint}, {Kind: 1, Payload: large}} {
		if err := j.Append(Entry{Kind: 1}, e); err == nil {
			t.Errorf("kind %d with %d bytes appended", e.Kind, len(e.Payload))
		}
	}
	if err := j.Rotate(large); err == nil {
		t.Error("too large a snapshot written")
	}
	mustAppend(t, j, "still good", string(large[1:]))
	mustClose(t, j)

	if _, _, err := Open(dir, Options{Table: "riga/t8"}); err == nil {
		t.Error("opened as another table")
	}
	if err := os.Remove(filepath.Join(dir, keyFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, publicFile)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, Options{Table: "riga/t8"}); err == nil || !strings.Contains(err.Error(), table) {
		t.Errorf("opened as another table, with a new key: %v", err)
	}
}

// After a failed write or sync nothing more is appended, even if the disk has recovered.
func TestFailedState(t *testing.T) {
	devFull, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here:", err)
	}
	reader, pipe, err := os.Pipe() // takes a write, but cannot be synced
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for name, disk := range map[string]struct {
		file *os.File
		want error
	}{"write": {devFull, unix.ENOSPC}, "sync": {pipe, unix.EINVAL}} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t7")
			j, _ := mustOpen(t, dir)
			mustAppend(t, j, "a")
			seq, head := j.Head()

			good := j.file
			j.file = disk.file
			first := j.Append(entries("b", "c")...)
			if !errors.Is(first, disk.want) {
				t.Fatalf("append on a bad disk: %v", first)
			}
			j.file = good
			disk.file.Close()

			for name, again := range map[string]error{
				"append": j.Append(entries("d")...), "empty append": j.Append(), "rotate": j.Rotate(nil),
			} {
				if again != first {
					t.Errorf("%s after the failure: %v", name, again)
				}
			}
			if note, err := j.Checkpoint(); note != nil || err != first {
				t.Errorf("checkpoint after the failure: %q, %v", note, err)
			}
			if s, h := j.Head(); s != seq || h != head {
				t.Errorf("head moved to %d", s)
			}
			wantRecords(t, j, 0, "a")
			mustClose(t, j)
			j, _ = mustOpen(t, dir)
			mustAppend(t, j, "d")
			wantRecords(t, j, 0, "a", "d")
		})
	}
}

// A disk that is really full: what was acknowledged before is still there, and the journal opens.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("a small tmpfs cannot be mounted here:", err)
	}
	defer func() {
		if err := unix.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	}()
	dir := filepath.Join(disk, "t7")
	j, _ := mustOpen(t, dir)
	defer func() { mustClose(t, j) }()
	ballast := filepath.Join(disk, "ballast")
	writeFile(t, ballast, make([]byte, 64<<10))
	before, err := j.Free()
	if err != nil {
		t.Fatal(err)
	}

	batch := entries(strings.Repeat("x", 700), strings.Repeat("y", 700))
	var want []string
	var first error
	for first == nil {
		if first = j.Append(batch...); first == nil {
			want = append(want, string(batch[0].Payload), string(batch[1].Payload))
		}
	}
	if !errors.Is(first, unix.ENOSPC) {
		t.Fatal(first)
	}
	if err := j.Append(batch...); err != first {
		t.Errorf("second append on a full disk: %v", err)
	}
	after, err := j.Free()
	if err != nil || after >= before || after > 4096 {
		t.Errorf("free: %d before, %d when full, error %v", before, after, err)
	}
	wantRecords(t, j, 0, want...)
	mustClose(t, j)

	// The write that failed may have left whole records and a torn one, no more.
	j, found := mustOpen(t, dir)
	got, err := payloads(j.Records(0))
	if err != nil || len(got) > len(want)+1 || !slices.Equal(got[:len(want)], want) {
		t.Fatalf("%d records acknowledged, %d reopened, error %v", len(want), len(got), err)
	}
	if found.Torn == nil || found.Torn.Seq != uint64(len(got)+1) {
		t.Errorf("found %+v", found)
	}
	if err := j.Rotate(make([]byte, 32<<10)); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("rotate on a full disk: %v", err)
	}
	mustClose(t, j)

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	j, _ = mustOpen(t, dir)
	mustAppend(t, j, "room again")
	mustRotate(t, j, "s")
	wantRecords(t, j, 0, append(got, "room again", "s")...)
	mustVerify(t, dir)
}

// Other goroutines read while the table appends, and never see what is not yet acknowledged.
func TestReadWhileAppending(t *testing.T) {
	j, _ := mustOpen(t, filepath.Join(t.TempDir(), "t7"))
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				before, _ := j.Head()
				n := uint64(0)
				for r, err := range j.Records(0) {
					if n++; err != nil || r.Seq != n {
						t.Errorf("record %d: sequence %d, %v", n, r.Seq, err)
						return
					}
				}
				if after, _ := j.Head(); n < before || n > after {
					t.Errorf("read %d records, head went from %d to %d", n, before, after)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 100 {
		mustAppend(t, j, "a", "b")
		if i%30 == 0 {
			mustRotate(t, j, "s")
		}
	}
	close(done)
	readers.Wait()
}

func TestRecordFields(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	if err := j.Append(Entry{1, []byte("a")}, Entry{253, []byte("b")}); err != nil {
		t.Fatal(err)
	}
	data := readFile(t, newest(t, dir))
	prev := genesis(table)
	for r, err := range Read(dir, 0) {
		if err != nil {
			t.Fatal(err)
		}
		written := Record{Seq: r.Seq, Time: r.Time, Kind: r.Kind, Payload: r.Payload, place: r.place, prev: prev}
		b, hash := appendRecord(nil, written)
		if hash != r.Hash || !bytes.HasPrefix(data[r.Offset:], b) || r.File != segmentName(1) || r.place != uint32(r.Seq-1) {
			t.Errorf("record %+v", r)
		}
		prev = r.Hash
	}
	if _, head := j.Head(); head != prev {
		t.Error("head is not the last record's hash")
	}
}
