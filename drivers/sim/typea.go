package sim

import (
	"bytes"
	"context"
	"slices"

	"tavolo/drivers/iso14443"
)

// TypeA is a field with ISO 14443 type A tags in it, each in the state that the standard gives it: asleep, awake, chosen or
// halted. It is an [iso14443.Chip] that hears perfectly. It is used by one goroutine.
type TypeA struct{ tags []*typeATag }

type typeATag struct {
	uid   []byte
	level int // chosen up to
	awake bool
	done  bool // chosen on all levels
	// halted is whether it was, and goes back to that rather than to sleep.
	halted bool
}

// Put makes these the tags in the field: those that are not there yet come without a state, others are gone.
func (f *TypeA) Put(uids ...string) {
	var now []*typeATag
	for _, uid := range uids {
		id := raw(uid)
		i := slices.IndexFunc(f.tags, func(t *typeATag) bool { return bytes.Equal(t.uid, id) })
		if i >= 0 {
			now = append(now, f.tags[i])
		} else {
			now = append(now, &typeATag{uid: id})
		}
	}
	f.tags = now
}

// Off takes the field away: every tag forgets its state.
func (f *TypeA) Off() { f.tags = nil }

// part is the four bytes of the UID that the tag tells on its present level, and whether that is the last.
func (t *typeATag) part() (part [4]byte, last bool) {
	rest := t.uid[3*t.level:]
	if len(rest) == 4 {
		return [4]byte(rest), true
	}
	return [4]byte{iso14443.CascadeTag, rest[0], rest[1], rest[2]}, false
}

func (t *typeATag) rest() { t.awake, t.done, t.level = false, false, 0 }

// Exchange is what the tags say to a frame.
func (f *TypeA) Exchange(_ context.Context, frame iso14443.Frame) (iso14443.Answer, error) {
	var said [][]byte
	for _, t := range f.tags {
		if s := t.hear(frame); s != nil {
			said = append(said, s)
		}
	}
	if len(said) == 0 {
		return iso14443.Answer{}, iso14443.ErrNone
	}
	return merge(said, frame.Align), nil
}

// merge lays answers on top of each other. Behind the first bit that differs there are zeros.
func merge(said [][]byte, from int) iso14443.Answer {
	out := bytes.Clone(said[0])
	for i := from; i < 8*len(out); i++ {
		for _, s := range said[1:] {
			if (s[i/8]^out[i/8])>>(i%8)&1 == 0 {
				continue
			}
			out[i/8] &= 1<<(i%8) - 1
			clear(out[i/8+1:])
			return iso14443.Answer{Data: out, Collision: i + 1}
		}
	}
	return iso14443.Answer{Data: out}
}

// hear gives what a tag says to a frame, nil for nothing. Whatever does not concern it sends it back to where it was.
func (t *typeATag) hear(f iso14443.Frame) []byte {
	d := f.Data
	switch {
	case len(d) == 1 && f.Bits == iso14443.ShortBits:
		woken := !t.awake && (d[0] == iso14443.CmdWakeUp || d[0] == iso14443.CmdRequest && !t.halted)
		t.rest()
		if t.awake = woken; woken {
			return []byte{0x44, 0x00}
		}
		return nil
	case t.done && bytes.Equal(d, iso14443.Halt()):
		t.rest()
		t.halted = true
		return nil
	case !t.awake || t.done || len(d) < 2 || d[0] != byte(iso14443.CmdSelect+2*t.level):
		t.rest()
		return nil
	}
	part, last := t.part()
	if bytes.Equal(d, iso14443.Select(t.level, part)) {
		ack := byte(0x04)
		if t.level++; last {
			t.done, ack = true, 0x08
		}
		return iso14443.AppendCRC([]byte{ack})
	}
	bits := 8*int(d[1]>>4-2) + int(d[1]&7)
	if d[1]>>4 < 2 || bits > 32 || len(d) != 2+(bits+7)/8 || f.Bits != bits%8 {
		t.rest()
		return nil
	}
	if !hasPrefix(part, d[2:], bits) { // it is another's, and the tag waits
		return nil
	}
	all := append(part[:], part[0]^part[1]^part[2]^part[3])
	out := bytes.Clone(all[bits/8:])
	out[0] = out[0] >> f.Align << f.Align
	return out
}

func hasPrefix(part [4]byte, known []byte, bits int) bool {
	for i := range bits {
		if (part[i/8]^known[i/8])>>(i%8)&1 != 0 {
			return false
		}
	}
	return true
}
