package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// memDir returns a new directory in memory, where the machine has such, for tests that open a journal thousands of
// times and to which a sync is a mere delay.
func memDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "journal")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// written is the newest segment of a journal and where its records lie.
type written struct {
	path  string
	data  []byte
	start int   // where the records begin
	ends  []int // where each ends
	first uint64
}

func newestWritten(t testing.TB, dir string) written {
	t.Helper()
	path := newest(t, dir)
	s, err := loadSegment(dir, filepath.Base(path), true)
	if err != nil {
		t.Fatal(err)
	}
	w := written{path: path, data: s.data, start: s.start, first: s.first}
	for _, err := range s.records() {
		if err != nil {
			t.Fatal(err)
		}
		w.ends = append(w.ends, s.end)
	}
	return w
}

// whole returns how many records stand unchanged at the start of data, and where the last of them ends.
func (w written) whole(data []byte) (n, end int) {
	end = w.start
	for n < len(w.ends) && w.ends[n] <= len(data) && bytes.Equal(data[end:w.ends[n]], w.data[end:w.ends[n]]) {
		end = w.ends[n]
		n++
	}
	return n, end
}

// A file cut short anywhere, whether or not zeros stand where data should have come, opens with exactly the whole
// records, says what it cut, and takes new ones.
func TestCrashAtEveryByte(t *testing.T) {
	dir := filepath.Join(memDir(t), "t7")
	j, _ := mustOpen(t, dir)
	mustAppend(t, j, "a", "", "ccc")
	mustAppend(t, j, strings.Repeat("d", 40))
	if _, err := j.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, "e", "f")
	mustClose(t, j)
	w := newestWritten(t, dir)

	for length := w.start; length <= len(w.data); length++ {
		for _, zeros := range []int{0, 1, 600} {
			data := append(slices.Clone(w.data[:length]), make([]byte, zeros)...)
			n, end := w.whole(data)
			writeFile(t, w.path, data)
			j, found, err := Open(dir, Options{Table: table})
			if err != nil {
				t.Fatalf("%d bytes and %d zeros: %v", length, zeros, err)
			}
			torn := 0
			if found.Torn != nil {
				torn = int(found.Torn.Size)
				if f := found.Torn; !f.Torn || f.File != filepath.Base(w.path) || f.Offset != int64(end) || f.Seq != uint64(n+1) {
					t.Errorf("%d bytes and %d zeros: reported %+v", length, zeros, f)
				}
			}
			if found.Start != 1 || found.Last != uint64(n) || torn != len(data)-end {
				t.Errorf("%d bytes and %d zeros: found %+v instead of %d records", length, zeros, found, n)
			}
			if !bytes.Equal(readFile(t, w.path), w.data[:end]) {
				t.Errorf("%d bytes and %d zeros: not cut to %d bytes", length, zeros, end)
			}
			mustAppend(t, j, "next")
			mustClose(t, j)
			if rep := mustVerify(t, dir); rep.Last != uint64(n+1) {
				t.Errorf("%d bytes and %d zeros: verified %+v", length, zeros, rep)
			}
		}
	}
}

// A segment gets its name when its header and snapshot are on the disk. So no power cut shortens those, and if they are
// damaged Open does not guess.
func TestSnapshotIsNeverTorn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	j, _ := mustOpen(t, dir)
	mustAppend(t, j, "a")
	mustRotate(t, j, "state")
	mustClose(t, j)
	w := newestWritten(t, dir)
	for length := range len(w.data) {
		writeFile(t, w.path, w.data[:length])
		_, _, err := Open(dir, Options{Table: table})
		fault, ok := errors.AsType[*Fault](err)
		if !ok || fault.Torn || fault.File != filepath.Base(w.path) || fault.Seq != 2 {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}

// One byte changed anywhere is found, and only in the very last record can it pass for a torn write.
func TestFlipEveryByte(t *testing.T) {
	dir := filepath.Join(memDir(t), "t7")
	j, _ := mustOpen(t, dir)
	mustAppend(t, j, "a", "b")
	if _, err := j.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	mustRotate(t, j, "ab")
	mustAppend(t, j, "c")
	mustAppend(t, j, "d", "e", "f")
	mustClose(t, j)
	w := newestWritten(t, dir)
	last := w.ends[len(w.ends)-2]

	names, err := segmentNames(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		sound := readFile(t, path)
		for i := range sound {
			for _, flip := range []byte{0x01, 0x80, 0xff} {
				data := slices.Clone(sound)
				data[i] ^= flip
				writeFile(t, path, data)
				_, err := Verify(dir)
				fault, ok := errors.AsType[*Fault](err)
				torn := path == w.path && i >= last
				if ok && (fault.File != name || fault.Offset > int64(i) || fault.Torn != torn) || !ok && !errors.Is(err, errVersion) {
					t.Errorf("byte %d of %s: verified: %v", i, name, err)
				}

				j, found, err := Open(dir, Options{Table: table})
				switch {
				case path != w.path: // not read
					if err != nil || found.Torn != nil {
						t.Errorf("byte %d of %s: opened %+v, %v", i, name, found, err)
					}
				case torn:
					if err != nil || found.Torn == nil || found.Torn.Offset != int64(last) || found.Last != 7 {
						t.Errorf("byte %d of %s: opened %+v, %v", i, name, found, err)
					}
				default:
					if err == nil {
						t.Errorf("byte %d of %s: opened %+v", i, name, found)
					}
					if !bytes.Equal(readFile(t, path), data) {
						t.Errorf("byte %d of %s: changed by an Open that failed", i, name)
					}
				}
				if err == nil {
					mustClose(t, j)
				}
			}
		}
		writeFile(t, path, sound)
	}
	mustVerify(t, dir)
}

// encodeAppend returns what one Append writes after the records in data, of which the last is seq.
func encodeAppend(data []byte, seq uint64, head Hash, payloads ...string) ([]byte, uint64, Hash) {
	data, head = encode(data, seq+1, head, entries(payloads...))
	return data, seq + uint64(len(payloads)), head
}

// A disk may write the blocks of one Append in any order, so a power cut may lose any of them. Whichever are lost, the
// tail is torn and what came before is there, wherever in a block the file had ended. But blocks lost from an Append
// that another one followed had been acknowledged, so that is damage.
func TestLostBlocks(t *testing.T) {
	long := strings.Repeat("0123456789", 60)
	for _, batch := range [][]string{{long, long}, slices.Repeat([]string{"a", ""}, 8), {long, "", "", "0123456789"}} {
		for shift := range block {
			data := appendHeader(nil, header{table: table, first: 1, prev: genesis(table)})
			data, seq, head := encodeAppend(data, 0, genesis(table), strings.Repeat("x", shift))
			before, acked := len(data), seq
			data, seq, head = encodeAppend(data, seq, head, batch...)
			later, _, _ := encodeAppend(slices.Clone(data), seq, head, "later")

			var blocks [][2]int
			for at := before; at < len(data); {
				end := min(at/block*block+block, len(data))
				blocks = append(blocks, [2]int{at, end})
				at = end
			}
			for lost := range 1 << len(blocks) {
				zeroed := slices.Clone(data)
				zeroedLater := slices.Clone(later)
				for i, b := range blocks {
					if lost>>i&1 == 1 {
						clear(zeroed[b[0]:b[1]])
						clear(zeroedLater[b[0]:b[1]])
					}
				}
				damaged := !bytes.Equal(zeroed, data)
				s, fault := check(t, zeroed)
				if damaged != (fault != nil && fault.Torn) || s.next <= acked {
					t.Fatalf("shift %d, blocks lost %b: fault %v", shift, lost, fault)
				}
				if _, fault = check(t, zeroedLater); damaged != (fault != nil && !fault.Torn) {
					t.Fatalf("shift %d, blocks lost %b, another Append follows: fault %v", shift, lost, fault)
				}
			}
		}
	}
}

// A record whose checksum ends with a zero stands whole though the block with that zero is lost.
func TestLostBlockBehindAZero(t *testing.T) {
	data := appendHeader(nil, header{table: table, first: 1, prev: genesis(table)})
	size := len(data)
	first := strings.Repeat("x", block+1-(size+recordSize)%block) // ends with the first byte of a block
	for n := 0; ; n++ {
		zeroed, _, _ := encodeAppend(data[:size:size], 0, genesis(table), first[:len(first)-8]+fmt.Sprintf("%08d", n), strings.Repeat("y", 2*block), "")
		end := size + recordSize + len(first)
		if zeroed[end-1] != 0 {
			continue
		}
		clear(zeroed[end-1 : end-1+block])
		if s, fault := check(t, zeroed); fault == nil || !fault.Torn || s.end != end {
			t.Errorf("whole to byte %d, fault %v; want a tail torn from byte %d on", s.end, fault, end)
		}
		return
	}
}

func check(t testing.TB, data []byte) (*segment, *Fault) {
	t.Helper()
	s, err := parseSegment(data, segmentName(1), true)
	if err != nil {
		t.Fatal(err)
	}
	return s, s.check()
}

// Bytes missing or inserted are damage like any other as long as a record follows.
func TestShiftedIsDamage(t *testing.T) {
	data := appendHeader(nil, header{table: table, first: 1, prev: genesis(table)})
	start := len(data)
	data, seq, head := encodeAppend(data, 0, genesis(table), "", "")
	data, _, _ = encodeAppend(data, seq, head, "")
	last := start + 2*recordSize
	tail := slices.Delete(slices.Clone(data), last, last+1) // a byte missing in the last record is a torn tail
	for at := start; at <= last; at++ {
		if _, fault := check(t, slices.Insert(slices.Clone(data), at, 'x')); fault == nil || fault.Torn {
			t.Errorf("byte inserted at %d: %v", at, fault)
		}
		shorter := slices.Delete(slices.Clone(data), at, at+1)
		if bytes.Equal(shorter, tail) { // also where the record before ends with the same byte, as chance may have it
			continue
		}
		if _, fault := check(t, shorter); fault == nil || fault.Torn {
			t.Errorf("byte %d missing: %v", at, fault)
		}
	}
}

// The zeros that a record begins with are not taken for a lost block when they stand at the end of one.
func TestZerosAtTheEndOfABlock(t *testing.T) {
	for shift := range block {
		data := appendHeader(nil, header{table: table, first: 1, prev: genesis(table)})
		data, seq, head := encodeAppend(data, 0, genesis(table), strings.Repeat("x", shift))
		second := len(data) + recordSize
		data, _, _ = encodeAppend(data, seq, head, "", "b", "c")
		data[second+recordHead] ^= 1
		if _, fault := check(t, data); fault == nil || fault.Torn || fault.Offset != int64(second) {
			t.Errorf("shift %d: %v", shift, fault)
		}
	}
}

const childDir = "JOURNAL_TEST_DIR"

// TestAppendForever is the child of TestKill: it appends until it is killed, and says so after each Append.
func TestAppendForever(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("runs as the child of TestKill")
	}
	j, found := mustOpen(t, dir)
	for n := found.Last; ; {
		if n%50 == 7 {
			mustRotate(t, j, strconv.FormatUint(n+1, 10))
			n++
		} else {
			mustAppend(t, j, strconv.FormatUint(n+1, 10), strconv.FormatUint(n+2, 10))
			n += 2
		}
		if _, err := fmt.Println("acknowledged", n); err != nil {
			return // the parent is gone
		}
	}
}

// A process killed at any moment has every record it was told is written, and nobody opens its journal beside it.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t7")
	for round := range 10 {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAppendForever$")
		child.Env = append(os.Environ(), childDir+"="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		var acked uint64
		wait := 1 + rand.IntN(60)
		for lines := bufio.NewScanner(out); lines.Scan(); wait-- {
			if text, ok := strings.CutPrefix(lines.Text(), "acknowledged "); ok {
				if acked, err = strconv.ParseUint(text, 10, 64); err != nil {
					t.Fatal(err)
				}
			}
			if wait == 0 {
				if _, _, err := Open(dir, Options{Table: table}); !errors.Is(err, ErrLocked) {
					t.Errorf("opened beside the child: %v", err)
				}
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := child.Wait(); err == nil || acked == 0 {
			t.Fatalf("round %d: the child ended by itself after record %d: %v", round, acked, err)
		}

		j, found := mustOpen(t, dir)
		if found.Last < acked {
			t.Errorf("round %d: record %d was acknowledged, the last is %d", round, acked, found.Last)
		}
		n := uint64(0)
		for r, err := range j.Records(0) {
			if n++; err != nil || string(r.Payload) != strconv.FormatUint(n, 10) {
				t.Fatalf("round %d: record %d is %q, error %v", round, n, r.Payload, err)
			}
		}
		mustClose(t, j)
		if rep := mustVerify(t, dir); rep.Last != n || n != found.Last {
			t.Errorf("round %d: read %d records, verified %+v", round, n, rep)
		}
	}
}

// Whatever a table does and whenever the power goes: the journal is what a list of the acknowledged records is.
func TestModel(t *testing.T) {
	parent := memDir(t)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		open := func() (*Journal, Recovery) {
			j, found, err := Open(dir, Options{Table: table})
			if err != nil {
				t.Fatal(err)
			}
			return j, found
		}
		text := rapid.StringN(0, 600, 700)
		batch := rapid.SliceOfN(text, 1, 5)
		j, _ := open()
		defer func() { j.Close() }()
		var model []string
		start := 1
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				b := batch.Draw(t, "batch")
				if err := j.Append(entries(b...)...); err != nil {
					t.Fatal(err)
				}
				model = append(model, b...)
			},
			"rotate": func(t *rapid.T) {
				s := text.Draw(t, "snapshot")
				if err := j.Rotate([]byte(s)); err != nil {
					t.Fatal(err)
				}
				model = append(model, s)
				start = len(model)
			},
			"checkpoint": func(t *rapid.T) {
				signed, err := j.Checkpoint()
				if err != nil {
					t.Fatal(err)
				}
				model = append(model, string(signed))
			},
			"power cut": func(t *rapid.T) {
				path := j.file.Name()
				seq, head := j.Head()
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
				acked, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				b := batch.Draw(t, "unacknowledged")
				data, _, _ := encodeAppend(slices.Clone(acked), seq, head, b...)
				for at := len(acked); at < len(data); at = at/block*block + block {
					if rapid.Bool().Draw(t, "lost") {
						clear(data[at:min(at/block*block+block, len(data))])
					}
				}
				data = data[:rapid.IntRange(len(acked), len(data)).Draw(t, "length")]
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				var found Recovery
				j, found = open()
				kept := int(found.Last) - len(model)
				if kept < 0 || kept > len(b) || found.Start != uint64(start) {
					t.Fatalf("%d records and %d more: found %+v", len(model), len(b), found)
				}
				model = append(model, b[:kept]...)
			},
			"": func(t *rapid.T) {
				got, err := payloads(j.Records(0))
				if err != nil || !slices.Equal(got, model) {
					t.Fatalf("read %q, error %v, want %q", got, err, model)
				}
			},
		})
		if rep, err := Verify(dir); err != nil || rep.Last != uint64(len(model)) {
			t.Fatalf("verified %+v, error %v", rep, err)
		}
	})
}

func FuzzParseRecord(f *testing.F) {
	b, _ := appendRecord(nil, Record{Seq: 3, Kind: 1, Payload: []byte(`{"seat":4}`), place: 1})
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Add(make([]byte, 200))
	f.Add(bytes.Repeat([]byte{0xff}, 200))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, size := parseRecord(b)
		if size == 0 {
			return
		}
		again, _ := appendRecord(nil, r)
		if n := size - recordTail; len(again) != size || !bytes.Equal(again[:n], b[:n]) {
			t.Errorf("%x reads as %+v, which is written %x", b, r, again)
		}
	})
}

// FuzzDamage changes a sound segment: each three bytes of edits overwrite, delete or insert a byte, or cut the file. No
// such thing panics or makes the segment yield any but the records written, in order.
func FuzzDamage(f *testing.F) {
	data := appendHeader(nil, header{table: table, first: 1, prev: genesis(table)})
	data, seq, head := encodeAppend(data, 0, genesis(table), "a", "", strings.Repeat("b", 300))
	data, seq, head = encodeAppend(data, seq, head, "c")
	data, _, _ = encodeAppend(data, seq, head, strings.Repeat("d", 500), "e", "f")
	w := written{data: data}
	s, _ := check(f, data)
	w.start = s.start
	for range s.records() {
		w.ends = append(w.ends, s.end)
	}
	f.Add([]byte{})
	f.Add([]byte{1, 20, 0xff})
	f.Add([]byte{3, 40, 0, 4, 10, 7})
	f.Add([]byte{2, 10, 0, 2, 10, 0, 8, 200, 0})
	f.Fuzz(func(t *testing.T, edits []byte) {
		data := slices.Clone(w.data)
		for edits = edits[:min(len(edits), 60)]; len(edits) >= 3 && len(data) > 0; edits = edits[3:] {
			at := (int(edits[0])>>2<<8 | int(edits[1])) % len(data)
			switch edits[0] & 3 {
			case 0:
				data[at] = edits[2]
			case 1:
				data = slices.Delete(data, at, at+1)
			case 2:
				data = slices.Insert(data, at, edits[2])
			case 3:
				data = data[:at]
			}
		}
		n, end := w.whole(data)
		s, err := parseSegment(data, segmentName(1), true)
		if err != nil {
			return
		}
		fault := s.check()
		if s.end != end || s.next != uint64(n+1) || (fault != nil) != (len(data) > end) {
			t.Errorf("%d whole records to byte %d of %d; read to %d, fault %v", n, end, len(data), s.end, fault)
		}
	})
}

// TestSegmentNames checks that only segments are taken for segments.
func TestSegmentNames(t *testing.T) {
	dir := t.TempDir()
	files := map[string]bool{
		"00000000000000000001.seg": true, "00000000000000000123.seg": true, "18446744073709551615.seg": true,
		"00000000000000000000.seg": false, "1.seg": false, "00000000000000000002.seg.70.torn": false, "new": false,
		"checkpoint.key": false, "00000000000000000009": false, "99999999999999999999.seg": false,
	}
	for name := range files {
		writeFile(t, filepath.Join(dir, name), nil)
	}
	maps.DeleteFunc(files, func(_ string, segment bool) bool { return !segment })
	names, err := segmentNames(dir)
	if want := slices.Sorted(maps.Keys(files)); err != nil || !slices.Equal(names, want) {
		t.Errorf("segments %v, error %v, want %v", names, err, want)
	}
}
