package iso14443_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tavolo/drivers/iso14443"
	"tavolo/drivers/rfid"
	"tavolo/drivers/sim"
)

// Frames worked out by an independent implementation; two are found in public traces too.
func TestVectors(t *testing.T) {
	for _, c := range []struct {
		name  string
		frame []byte
		want  string
	}{
		{"halt", iso14443.Halt(), "50 00 57 cd"},
		{"select", iso14443.Select(0, [4]byte{0x88, 0x04, 0x0E, 0x3B}), "93 70 88 04 0e 3b b9 5e 11"},
		{"read", iso14443.Read(4), "30 04 26 ee"},
	} {
		want, err := hex.DecodeString(strings.ReplaceAll(c.want, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.frame, want) {
			t.Errorf("%s: % x, want %s", c.name, c.frame, c.want)
		}
		if rest, err := iso14443.CheckCRC(want); err != nil || !bytes.Equal(rest, want[:len(want)-2]) {
			t.Errorf("%s: checked as % x, %v", c.name, rest, err)
		}
		want[0] ^= 1
		if _, err := iso14443.CheckCRC(want); !errors.Is(err, iso14443.ErrAnswer) {
			t.Errorf("%s: passes damaged, error %v", c.name, err)
		}
	}
}

func list(t interface{ Fatal(...any) }, c iso14443.Chip) ([]string, bool) {
	uids, partial, err := iso14443.List(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, u := range uids {
		text, err := rfid.FormatUID(u)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out, partial
}

func TestEveryTagIsFound(t *testing.T) {
	for _, tags := range [][]string{
		nil,
		{"A1B2C3D4"},
		{"040E3BD2286B85"},
		{"04112233445566778899"},
		{"00000000", "00000001"},
		{"00000000", "00000080"}, // which differ in the last bit
		{"A1B2C3D4", "A1B2C3D5", "A1B2C354", "A1B20000"},
		{"040E3BD2286B85", "040E3BD2286B84", "040E3BD2286B05", "A1B2C3D4", "04112233445566778899"},
	} {
		field := &sim.TypeA{}
		field.Put(tags...)
		if got, partial := list(t, field); partial || !slices.Equal(got, slices.Sorted(slices.Values(tags))) {
			t.Errorf("found %v, partial %v; want %v", got, partial, tags)
		}
	}
}

func TestWhateverIsThereIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		uid := rapid.Custom(func(rt *rapid.T) string {
			size := rapid.SampledFrom([]int{4, 7, 10}).Draw(rt, "size")
			b := rapid.SliceOfN(rapid.SampledFrom([]byte{0x00, 0x01, 0x80, 0xFF, 0x55}), size, size).Draw(rt, "bytes")
			b[0], b[len(b)/2+1] = 0x04, b[len(b)/2+1]&^0x88 // no level but the last may look like one before it
			return fmt.Sprintf("%X", b)
		})
		tags := rapid.SliceOfNDistinct(uid, 0, 12, rapid.ID[string]).Draw(rt, "tags")
		field := &sim.TypeA{}
		field.Put(tags...)
		if got, partial := list(rt, field); partial || !slices.Equal(got, slices.Sorted(slices.Values(tags))) {
			rt.Fatalf("found %v, partial %v", got, partial)
		}
	})
}

// Public fault 19: a card left on the reader is never read again, because it is halted. With the field put off before,
// each list has every tag; without, tags that are woken together and not chosen go back to be halted.
func TestTagsThatStayAreFoundAgain(t *testing.T) {
	tags := []string{"04A1B2C3", "05A1B2C3", "06A1B2C3"}
	field := &sim.TypeA{}
	for range 3 {
		field.Off()
		field.Put(tags...)
		if got, _ := list(t, field); !slices.Equal(got, tags) {
			t.Errorf("found %v, want %v", got, tags)
		}
	}
	if got, _ := list(t, field); slices.Equal(got, tags) {
		t.Error("the field need not be put off: the reason to do it is gone")
	}
}

// spoilt answers the nth frame as told, and the others as the field does.
type spoilt struct {
	field  *sim.TypeA
	n      int
	answer iso14443.Answer
	err    error
}

func (s *spoilt) Exchange(ctx context.Context, f iso14443.Frame) (iso14443.Answer, error) {
	a, err := s.field.Exchange(ctx, f)
	if s.n--; s.n == 0 {
		return s.answer, s.err
	}
	return a, err
}

// Once a tag has answered, a list without it is never given for whole, wherever it stops.
func TestATagThatStopsHalfwayIsAnError(t *testing.T) {
	line := errors.New("line broken")
	for n := 2; n <= 6; n++ { // two levels, and the halt
		for name, c := range map[string]struct {
			answer iso14443.Answer
			err    error
			want   error
		}{
			"silence":       {err: iso14443.ErrNone, want: iso14443.ErrAnswer},
			"noise":         {answer: iso14443.Answer{Data: []byte{1, 2, 3, 4, 5}}, want: iso14443.ErrAnswer},
			"a cut answer":  {answer: iso14443.Answer{Data: []byte{1}}, want: iso14443.ErrAnswer},
			"no answer":     {answer: iso14443.Answer{}, want: iso14443.ErrAnswer},
			"a late clash":  {answer: iso14443.Answer{Data: []byte{1}, Collision: 33}, want: iso14443.ErrAnswer},
			"a broken line": {err: line, want: line},
		} {
			field := &sim.TypeA{}
			field.Put("040E3BD2286B85")
			_, _, err := iso14443.List(t.Context(), &spoilt{field, n, c.answer, c.err})
			silentHalt := n == 6 && name == "silence" // is as it should be
			if !errors.Is(err, c.want) && !silentHalt {
				t.Errorf("frame %d, %s: error %v, want %v", n, name, err, c.want)
			}
		}
	}
}

func FuzzList(f *testing.F) {
	f.Add([]byte{2, 0x44, 0, 5, 1, 2, 3, 4, 4, 3, 8, 0xB6, 0xDD}, 0)
	f.Fuzz(func(t *testing.T, script []byte, collision int) {
		_, _, err := iso14443.List(t.Context(), &talker{script, max(collision, 0)})
		if err != nil && !errors.Is(err, iso14443.ErrAnswer) {
			t.Errorf("error %v", err)
		}
	})
}

// talker says what a script says: lengths and bytes; nothing when it is at its end.
type talker struct {
	script    []byte
	collision int
}

func (s *talker) Exchange(context.Context, iso14443.Frame) (iso14443.Answer, error) {
	if len(s.script) == 0 || int(s.script[0]) > len(s.script)-1 {
		return iso14443.Answer{}, iso14443.ErrNone
	}
	n := int(s.script[0])
	data := s.script[1 : 1+n]
	s.script = s.script[1+n:]
	return iso14443.Answer{Data: data, Collision: s.collision}, nil
}
