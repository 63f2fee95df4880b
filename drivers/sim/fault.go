package sim

import (
	"bytes"
	"sync"
)

// A Fault is what the wire does to one frame on its way to the host: it returns the bytes that arrive, and must not
// keep or change its argument.
type Fault func(frame []byte) []byte

// faulty is a wire to the host on which things go wrong when they are told to. Its methods may be called from any
// goroutine.
type faulty struct {
	mu    sync.Mutex
	fault Fault
	left  int // frames fault still applies to; negative: until replaced
}

// carry gives what arrives of a frame.
func (w *faulty) carry(frame []byte) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil {
		return frame
	}
	out := w.fault(frame)
	if w.left--; w.left == 0 {
		w.fault = nil
	}
	return out
}

// Inject subjects the next so many frames to f, replacing any fault before it; with frames 0, all of them until the
// next Inject. A nil f heals the wire.
func (w *faulty) Inject(frames int, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault, w.left = f, frames
}

// Disturb injects one of the ways in which a wire goes wrong, numbered from 0, into frames to come; it tells whether there
// is such a way. A number goes through all of them in a test.
func (w *faulty) Disturb(n int) bool {
	ways := []struct {
		frames int
		fault  Fault
	}{
		{20, Garbage([]byte("\x00\xf5{noise\xff\xf5\x03\x00\x00\xff\x05"))},
		{1, Cut(4)},
		{1, Mute()},
		{1, Corrupt(0)},
		{1, Corrupt(1)},
		{1, Corrupt(6)},
		{1, Corrupt(1 << 20)},
		{2, Glue(2)},
		{1, Twice()},
	}
	if n >= len(ways) {
		return false
	}
	w.Inject(ways[n].frames, ways[n].fault)
	return true
}

// Twice repeats the frame.
func Twice() Fault { return func(frame []byte) []byte { return append(bytes.Clone(frame), frame...) } }

// Mute loses the frame: the device seems to hang.
func Mute() Fault { return func([]byte) []byte { return nil } }

// Cut lets only the first n bytes through.
func Cut(n int) Fault { return func(frame []byte) []byte { return frame[:min(n, len(frame))] } }

// Corrupt inverts every bit of byte i, or of the last byte where the frame is shorter.
func Corrupt(i int) Fault {
	return func(frame []byte) []byte {
		out := bytes.Clone(frame)
		if len(out) > 0 {
			out[min(i, len(out)-1)] ^= 0xff
		}
		return out
	}
}

// Garbage puts noise in front of the frame.
func Garbage(noise []byte) Fault {
	return func(frame []byte) []byte { return append(bytes.Clone(noise), frame...) }
}

// Glue holds frames back until there are n, which then arrive as one.
func Glue(n int) Fault {
	var held []byte
	count := 0
	return func(frame []byte) []byte {
		held = append(held, frame...)
		if count++; count < n {
			return nil
		}
		out := held
		held, count = nil, 0
		return out
	}
}
