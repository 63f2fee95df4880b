package pn532

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"periph.io/x/conn/v3/i2c"
)

// Address is that of the chip on its bus, the only one it has.
const Address = 0x24

const (
	// pause between two looks whether the chip has something to say.
	pause = 2 * time.Millisecond
	// longest is how many bytes of an answer are read: two tags with long answers to select. What is behind a frame, the
	// chip fills up.
	longest = 96
	// ackSize is the size of an acknowledgement, which is read by itself.
	ackSize = 6
)

// twoWire is a chip on I²C as a stream of frames. A read takes one frame, from its beginning; a byte before it says
// whether it is complete.
type twoWire struct {
	bus      i2c.Bus
	deadline atomic.Int64 // of reads, in ns since 1970; set by any goroutine
	reply    bool         // what is read next is an answer, not an acknowledgement
}

func (t *twoWire) String() string { return fmt.Sprintf("%v at %02x", t.bus, Address) }

// wake is nothing: being spoken to wakes the chip.
func (t *twoWire) wake() []byte { return nil }

func (t *twoWire) SetReadDeadline(at time.Time) error {
	t.deadline.Store(at.UnixNano())
	return nil
}

func (t *twoWire) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if err := t.bus.Tx(Address, b, nil); err != nil {
		return 0, fmt.Errorf("write: %w", err)
	}
	t.reply = false
	return len(b), nil
}

func (t *twoWire) Read(b []byte) (int, error) {
	ready := []byte{0}
	for {
		if err := t.bus.Tx(Address, nil, ready); err != nil {
			return 0, fmt.Errorf("read: %w", err)
		}
		if ready[0]&1 != 0 {
			break
		}
		if time.Now().UnixNano() >= t.deadline.Load() {
			return 0, os.ErrDeadlineExceeded
		}
		time.Sleep(pause)
	}
	size := ackSize
	if t.reply {
		size = longest
	}
	frame := make([]byte, 1+size)
	if err := t.bus.Tx(Address, nil, frame); err != nil {
		return 0, fmt.Errorf("read: %w", err)
	}
	t.reply = true
	return copy(b, trim(frame[1:])), nil
}

// trim cuts off what the chip fills up with behind a frame.
func trim(b []byte) []byte {
	for start := range b {
		if _, size, _ := Decode(b[start:]); size > 0 {
			return b[:start+size]
		}
	}
	return b
}

// Close leaves the bus to the others.
func (t *twoWire) Close() error { return nil }
