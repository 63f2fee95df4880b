package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// hwsim is the device of the kernel module of that name, whose source is in cmd/board/kernel.
const hwsim = "/dev/hwsim"

// Buses are the buses of the virtual board: real ones to every program, with simulated chips. Wire the chips up before
// Run.
type Buses struct {
	I2C [2]*I2C    // /dev/i2c-0 and 1
	SPI [4]SPIChip // /dev/spidev0.0 to 0.3; nil where there is no chip
	dev *os.File
}

// SPIChip is a chip on an SPI bus, as its pins see it.
type SPIChip interface {
	// Tx takes the bytes of a transfer and gives as many.
	Tx(w, r []byte) error
}

// HasBuses is whether this machine is the virtual board.
func HasBuses() bool {
	_, err := os.Stat(hwsim)
	return err == nil
}

// NewBuses gives the buses, with no chips. Until Run ends nobody else can have them.
func NewBuses() (*Buses, error) {
	dev, err := os.OpenFile(hwsim, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	return &Buses{I2C: [2]*I2C{NewI2C(), NewI2C()}, dev: dev}, nil
}

// Run is the chips at work. It returns nil when ctx ends.
func (b *Buses) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = b.dev.Close() }) // only Read notices
	defer stop()
	request := make([]byte, 1<<16)
	for {
		n, err := b.dev.Read(request)
		if errors.Is(err, os.ErrClosed) || errors.Is(err, io.EOF) && ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("sim: %w", err)
		}
		answer, err := b.answer(request[:n])
		if err != nil {
			return err
		}
		if _, err := b.dev.Write(answer); err != nil && !errors.Is(err, unix.ESTALE) && ctx.Err() == nil {
			return fmt.Errorf("sim: %w", err)
		}
	}
}

// The parts of a request, see hwsim.c.
const (
	busI2C, busSPI = 1, 2
	partRead       = 1
	requestHead    = 10
)

var errRequest = errors.New("sim: hwsim asks what this program does not understand: they are of different versions")

// answer carries out a request.
func (b *Buses) answer(p []byte) ([]byte, error) {
	if len(p) < requestHead {
		return nil, errRequest
	}
	le := binary.NativeEndian
	kind, bus, addr, parts := p[4], int(p[5]), le.Uint16(p[6:]), int(le.Uint16(p[8:]))
	out := append(append([]byte(nil), p[:4]...), 0, 0, 0, 0)
	p = p[requestHead:]
	for range parts {
		if len(p) < 4 {
			return nil, errRequest
		}
		read, n := le.Uint16(p)&partRead != 0, int(le.Uint16(p[2:]))
		p = p[4:]
		var w []byte
		if !read {
			if len(p) < n {
				return nil, errRequest
			}
			w, p = p[:n], p[n:]
		}
		var r []byte
		if read || kind == busSPI {
			r = make([]byte, n)
		}
		if err := b.transfer(kind, bus, addr, w, r); err != nil {
			errno, ok := errors.AsType[unix.Errno](err)
			if !ok {
				errno = unix.EIO
			}
			le.PutUint32(out[4:], uint32(-int32(errno)))
			return out[:8], nil
		}
		out = append(out, r...)
	}
	return out, nil
}

func (b *Buses) transfer(kind byte, bus int, addr uint16, w, r []byte) error {
	switch {
	case kind == busI2C && bus < len(b.I2C):
		return b.I2C[bus].Tx(addr, w, r)
	case kind == busSPI && int(addr) < len(b.SPI):
		if chip := b.SPI[addr]; chip != nil {
			return chip.Tx(w, r)
		}
		return nil // an SPI bus does not notice that nobody is there
	}
	return unix.ENXIO
}
