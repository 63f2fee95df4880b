// Package framingtest holds what the frames of every driver must pass: they are on the wire what others say they are, and are
// found again in whatever a line carries.
package framingtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tavolo/drivers/framing"
)

// Bytes are those of hexadecimal digits, which blanks may part.
func Bytes(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Form is how messages are framed, and found again.
type Form[M any] struct {
	Append func(dst []byte, m M) []byte
	Decode framing.Decode[M]
}

// TestVectors sees to it that messages are framed as they should be, and read from that. Vectors are messages by what they
// are on the wire, in hexadecimal digits, by an independent implementation.
func (f Form[M]) TestVectors(t *testing.T, vectors map[string]M) {
	t.Helper()
	for digits, want := range vectors {
		wire := Bytes(t, digits)
		if got := f.Append(nil, want); !bytes.Equal(got, wire) {
			t.Errorf("%+v: framed as % x, want %s", want, got, digits)
		}
		s := framing.NewScanner(f.Decode)
		s.Push(wire)
		if got, ok := s.Next(); !ok || !reflect.DeepEqual(got, want) || s.Unfinished() || len(s.Faults()) > 0 {
			t.Errorf("%s: read as %+v, %v, faults %v; want %+v", digits, got, ok, s.Faults(), want)
		}
	}
}

// TestStream sees to it that the same is found in a stream whether it comes in pieces of a size or at once, and that next is,
// and nothing else, once the line has been idle: whatever came before.
func (f Form[M]) TestStream(t *testing.T, stream []byte, size int, next M) {
	t.Helper()
	whole, parts := framing.NewScanner(f.Decode), framing.NewScanner(f.Decode)
	whole.Push(stream)
	want := All(whole)
	var got []M
	for b := range slices.Chunk(stream, min(max(size, 1), 64)) {
		parts.Push(b)
		got = append(got, All(parts)...)
	}
	if !reflect.DeepEqual(got, want) || !maps.Equal(whole.Faults(), parts.Faults()) {
		t.Errorf("in parts %s, %v; at once %s, %v", text(got), parts.Faults(), text(want), whole.Faults())
	}
	if n := whole.Faults()[string(framing.Garbage)]; n > uint64(len(stream)) {
		t.Errorf("%d bytes of garbage in %d", n, len(stream))
	}
	whole.Expire()
	All(whole)
	whole.Push(f.Append(nil, next))
	if after := All(whole); !reflect.DeepEqual(after, []M{next}) {
		t.Errorf("after the noise heard %s", text(after))
	}
}

// All takes all messages.
func All[M any](s *framing.Scanner[M]) (out []M) {
	for m, ok := s.Next(); ok; m, ok = s.Next() {
		out = append(out, m)
	}
	return out
}

func text[M any](messages []M) string { return fmt.Sprintf("%+v", messages) }
