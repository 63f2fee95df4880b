package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"

	"tavolo/drivers/bus"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/port"
	"tavolo/drivers/sim"
)

// These tests say whether the board is what it should be, before others build on it.

func TestMain(m *testing.M) {
	if !sim.HasBuses() {
		fmt.Println("not on the virtual board: make test-board")
		return
	}
	os.Exit(m.Run())
}

const patience = time.Minute

// background runs f until the test ends.
func background(t *testing.T, f func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- f(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestLineChanges(t *testing.T) {
	chip, err := sim.NewGPIO("self-test", "IN", "OUT")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { chip.Close() }) // when nobody watches it any more
	in, err := gpiocdev.OpenInputs("self-test", []string{"IN"}, gpiocdev.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	edges := make(chan gpiocdev.Edge, 10)
	background(t, func(ctx context.Context) error { return in.Watch(ctx, func(e gpiocdev.Edge) { edges <- e }) })
	for _, up := range []bool{true, false, true} {
		if err := chip.Pull(0, up); err != nil {
			t.Fatal(err)
		}
		select {
		case e := <-edges:
			if e.Active != up || e.Lost != 0 {
				t.Errorf("pulled up %v: %+v", up, e)
			}
		case <-time.After(patience):
			t.Fatalf("pulled up %v: no edge", up)
		}
	}
}

// memory is a chip that gives back what it was given.
type memory struct{ got []byte }

func (m *memory) Write(b []byte) { m.got = bytes.Clone(b) }
func (m *memory) Read(b []byte)  { copy(b, m.got) }

func (m *memory) Tx(w, r []byte) error {
	copy(r, m.got)
	m.got = bytes.Clone(w)
	return nil
}

func TestI2CTransfer(t *testing.T) {
	for n := range 2 {
		t.Run(fmt.Sprint("bus ", n), func(t *testing.T) {
			buses, err := sim.NewBuses()
			if err != nil {
				t.Fatal(err)
			}
			buses.I2C[n].Add(0x42, &memory{})
			background(t, buses.Run)
			b := bus.NewI2C(fmt.Sprint("/dev/i2c-", n))
			defer b.Close()
			long := bytes.Repeat([]byte{1, 2, 3, 4, 5}, 200)
			for _, want := range [][]byte{{7}, {0, 0xFF, 0}, long} {
				got := make([]byte, len(want))
				if err := b.Tx(0x42, want, got); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes came back as % x, %v", len(want), got, err)
				}
			}
			if err := b.Tx(0x43, []byte{1}, nil); err == nil {
				t.Error("a chip answers that is not there")
			}
		})
	}
}

func TestSPITransfer(t *testing.T) {
	buses, err := sim.NewBuses()
	if err != nil {
		t.Fatal(err)
	}
	chip := &memory{}
	buses.SPI[2] = chip
	background(t, buses.Run)
	s, err := bus.OpenSPI("/dev/spidev0.2", physic.MegaHertz, spi.Mode0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := []byte{0x80, 0, 1, 0xFF}
	if _, err := s.Write(want); err != nil || !bytes.Equal(chip.got, want) {
		t.Errorf("the chip got % x, %v", chip.got, err)
	}
	long := make([]byte, 3*s.Limit()+1)
	if n, err := s.Write(long); err != nil || n != len(long) {
		t.Errorf("%d of %d bytes, %v", n, len(long), err)
	}
}

func TestNobodyIsAtTheBuses(t *testing.T) {
	b := bus.NewI2C("/dev/i2c-0")
	defer b.Close()
	if err := b.Tx(0x42, []byte{1}, nil); err == nil {
		t.Error("a chip answers though no program is at the far end")
	}
}

func TestUARTs(t *testing.T) {
	for n := range 4 {
		t.Run(fmt.Sprint("cable ", n), func(t *testing.T) {
			far, err := sim.NewUART(fmt.Sprint("/dev/far/", n))
			if err != nil {
				t.Fatal(err)
			}
			defer far.Close()
			near, err := port.Open(port.Options{Path: fmt.Sprint("/dev/near/", n)})
			if err != nil {
				t.Fatal(err)
			}
			defer near.Close()
			if err := near.SetReadDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			all := make([]byte, 256)
			for i := range all {
				all[i] = byte(i)
			}
			got := make([]byte, len(all))
			if _, err := near.Write(all); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, all) {
				t.Errorf("outwards % x, %v", got, err)
			}
			clear(got)
			if _, err := far.Write(all); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(near, got); err != nil || !bytes.Equal(got, all) {
				t.Errorf("inwards % x, %v", got, err)
			}
		})
	}
}
