package iso15693

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const tag UID = 0xE004015012345678

// Frames worked out by an independent implementation; the first is found in public code too.
func TestVectors(t *testing.T) {
	for _, c := range []struct {
		name  string
		frame []byte
		want  string
	}{
		{"inventory, one slot", Single(0), "26 01 00 f6 0a"},
		{"inventory, 16 slots", Inventory(0, Mask{}), "06 01 00 cd 09"},
		{"inventory, one slot, gaming", Single(Gaming), "36 01 70 00 ae 51"},
		{"stay quiet", StayQuiet(tag), "22 02 78 56 34 12 50 01 04 e0 ae f9"},
		{"read block 0", ReadSingle(tag, 0), "22 20 78 56 34 12 50 01 04 e0 00 0e 48"},
	} {
		want, err := hex.DecodeString(strings.ReplaceAll(c.want, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		got := AppendCRC(c.frame)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: % x, want %s", c.name, got, c.want)
		}
		if rest, err := CheckCRC(got); err != nil || !bytes.Equal(rest, want[:len(want)-2]) {
			t.Errorf("%s: checked as % x, %v", c.name, rest, err)
		}
	}
	answer := []byte{0x00, 0x00, 0x78, 0x56, 0x34, 0x12, 0x50, 0x01, 0x04, 0xE0, 0xAF, 0x96}
	rest, err := CheckCRC(answer)
	if err != nil {
		t.Fatal(err)
	}
	if u, err := ParseInventory(rest); u != tag || err != nil || u.String() != "E004015012345678" {
		t.Errorf("answer read as %v, %v", u, err)
	}
	answer[4] ^= 1
	if _, err := CheckCRC(answer); err == nil {
		t.Error("a damaged answer passes")
	}
	if _, err := CheckCRC([]byte{1}); err == nil {
		t.Error("a byte passes")
	}
}

// Public fault 27: a second tag in the field obeys a command that was meant for another. All but an inventory name their tag.
func TestCommandsNameTheirTag(t *testing.T) {
	for name, frame := range map[string][]byte{"stay quiet": StayQuiet(0xE004015012345678), "read": ReadSingle(0xE004015012345678, 3)} {
		const addressed = 0x20
		if frame[0]&addressed == 0 || !bytes.Equal(frame[2:10], []byte{0x78, 0x56, 0x34, 0x12, 0x50, 0x01, 0x04, 0xE0}) {
			t.Errorf("%s: % x names no tag", name, frame)
		}
	}
}

func TestMaskOfAnInventory(t *testing.T) {
	for _, c := range []struct {
		m    Mask
		want []byte
	}{
		{Mask{4, 0x8}, []byte{0x06, 1, 4, 0x08}},
		{Mask{8, 0x78}, []byte{0x06, 1, 8, 0x78}},
		{Mask{12, 0x678}, []byte{0x06, 1, 12, 0x78, 0x06}},
		{Mask{60, 0x004015012345678}, []byte{0x06, 1, 60, 0x78, 0x56, 0x34, 0x12, 0x50, 0x01, 0x04, 0x00}},
	} {
		if got := Inventory(0, c.m); !bytes.Equal(got, c.want) {
			t.Errorf("%+v: % x, want % x", c.m, got, c.want)
		}
	}
}

// air answers inventories for the tags in it, and counts the rounds.
type air struct {
	tags   []UID
	rounds int
}

func (a *air) round(_ context.Context, m Mask) (slots [Slots]Slot, err error) {
	a.rounds++
	for _, u := range a.tags {
		if !m.has(u) {
			continue
		}
		s := &slots[uint64(u)>>m.Bits&15]
		if s.Answer != nil || s.Collision {
			*s = Slot{Collision: true}
			continue
		}
		s.Answer = answer(u)
	}
	return slots, nil
}

func answer(u UID) []byte {
	return []byte{0, 0, byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24), byte(u >> 32), byte(u >> 40), byte(u >> 48), byte(u >> 56)}
}

// Public fault 23: an inventory that misses tags whose UIDs have their low nibbles in common. However many these are, and
// however many tags share them, each is found.
func TestEqualNibbles(t *testing.T) {
	for _, c := range []struct {
		name   string
		tags   []UID
		rounds int
	}{
		{"none", nil, 1},
		{"one", []UID{tag}, 1},
		{"apart in the first nibble", []UID{0xE004015000000001, 0xE004015000000002}, 1},
		{"one nibble in common", []UID{0xE004015000000011, 0xE004015000000021}, 2},
		{"three in common", []UID{0xE004015000001234, 0xE004015000005234, 0xE004015000009234}, 4},
		{"two pairs", []UID{0xE004015000000011, 0xE004015000000021, 0xE004015000000012, 0xE004015000000022}, 3},
		{"a pair within a group", []UID{0xE004015000000111, 0xE004015000000211, 0xE004015000000021}, 3},
		{"all but the last", []UID{0xE004015012345678, 0xE084015012345678}, 14},
	} {
		a := &air{tags: c.tags}
		got, partial, err := Walk(t.Context(), a.round)
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.tags))
		if err != nil || partial || !slices.Equal(got, want) || a.rounds != c.rounds {
			t.Errorf("%s: %v, partial %v, %v in %d rounds; want %v in %d", c.name, got, partial, err, a.rounds, want, c.rounds)
		}
	}
}

func TestWalkFindsWhateverIsThere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		uid := rapid.Custom(func(rt *rapid.T) UID {
			low := rapid.SampledFrom([]uint64{0, 0x11, 0x8888, 0x12345678}).Draw(rt, "low")
			return UID(0xE0<<56 | low | rapid.Uint64Range(0, 0xFF).Draw(rt, "high")<<32)
		})
		a := &air{tags: rapid.SliceOfNDistinct(uid, 0, 60, rapid.ID[UID]).Draw(rt, "tags")}
		got, partial, err := Walk(t.Context(), a.round)
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(a.tags)); err != nil || partial || !slices.Equal(got, want) {
			rt.Fatalf("found %v, partial %v, %v", got, partial, err)
		}
	})
}

// What was heard and could not be told apart makes the list partial: never a short one that passes for whole.
func TestNoiseMakesAListPartial(t *testing.T) {
	a := &air{tags: []UID{tag}}
	for _, noisy := range []int{3, 8} { // an empty slot, and the tag's own
		got, partial, err := Walk(t.Context(), func(ctx context.Context, m Mask) ([Slots]Slot, error) {
			slots, err := a.round(ctx, m)
			if m.Bits == 0 {
				slots[noisy] = Slot{Collision: true}
			}
			return slots, err
		})
		if err != nil || !partial || !slices.Equal(got, a.tags) {
			t.Errorf("noise in slot %d: %v, partial %v, %v", noisy, got, partial, err)
		}
	}
	a = &air{}
	rounds := 0
	_, partial, err := Walk(t.Context(), func(context.Context, Mask) (slots [Slots]Slot, err error) {
		rounds++
		slots[5].Collision = true
		return slots, nil
	})
	if err != nil || !partial || rounds != 16 {
		t.Errorf("endless noise: partial %v, %v after %d rounds", partial, err, rounds)
	}
}

// Public fault 24: a driver that loops for ever. A receiver that hears collisions everywhere, as one whose line is stuck,
// ends the walk.
func TestCollisionsEverywhereEnd(t *testing.T) {
	_, _, err := Walk(t.Context(), func(context.Context, Mask) (slots [Slots]Slot, err error) {
		for i := range slots {
			slots[i].Collision = true
		}
		return slots, nil
	})
	if !errors.Is(err, ErrAnswer) {
		t.Errorf("error %v, want ErrAnswer", err)
	}
}

// Public fault 20: a UID that is shifted by a neighbour's field without a wrong checksum answers where it does not belong.
func TestAShiftedUIDIsNotBelieved(t *testing.T) {
	for name, ghost := range map[string][]byte{
		"in another's slot":    answer(0xE004150123456780),
		"without E0":           answer(0x7804015012345678),
		"with the error flag":  append([]byte{1}, answer(tag)[1:]...),
		"cut":                  answer(tag)[:9],
		"with more than it is": append(answer(tag), 0),
	} {
		uids, _, err := Walk(t.Context(), func(context.Context, Mask) (slots [Slots]Slot, err error) {
			slots[8].Answer = ghost
			return slots, nil
		})
		if !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: %v is believed, error %v", name, uids, err)
		}
	}
}

func FuzzParseInventory(f *testing.F) {
	f.Add(answer(tag))
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := ParseInventory(b)
		if err == nil && !bytes.Equal(answer(u)[2:], b[2:]) {
			t.Errorf("% x read as %v", b, u)
		}
	})
}
