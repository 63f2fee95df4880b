// Package lamp drives lamps that stand for themselves: the 16 outputs of a PCA9685, or a strip of WS2812. Start with [New]
// and [Dev.Run]; [Dev.Set] says which are lit and which blink. Lamps in a panel belong to package panel, which has them
// blink by the same [Row].
//
// # Wiring
//
// PCA9685 (data sheet PCA9685, NXP): I²C with an address from 0x40 on, lamps from its outputs to ground. WS2812 (data sheet WS2812B,
// Worldsemi): MOSI of an SPI bus of its own, through a level shifter to 5 V. [PCA9685] and [WS2812] say more.
//
// # Whose drivers
//
// The PCA9685's is periph.io's. Its driver for WS2812 ends a strip with 10 µs of low, of which newer ones make no end: they want
// 280 µs; and it takes a third more bytes, of which a transfer has few. TinyGo's needs a microcontroller.
package lamp

import (
	"context"
	"errors"
	"fmt"

	"tavolo/drivers/port"
)

// Bank is lamps that are set together.
type Bank interface {
	// Light lights the lamps whose bits are set, and darkens the others.
	Light(on uint64) error
	// Close darkens the lamps and gives everything back.
	Close() error
}

// Dev is a bank of lamps that is kept through failures.
type Dev struct {
	Row
	open   func() (Bank, error)
	states chan port.State
	state  port.State // told last; of Run's goroutine
}

// New describes lamps. It touches no hardware; Run does. open is called again whenever the bank failed.
func New(open func() (Bank, error)) *Dev { return &Dev{open: open, states: make(chan port.State, 1)} }

// Reports is where changes of state come out, which wait for their taker. It is closed when Run returns.
func (d *Dev) Reports() <-chan port.State { return d.states }

// Run works the lamps until ctx ends, through failures, then darkens them and returns nil. It is called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.states)
	return port.Retry(ctx, func(err error) { d.become(ctx, err) }, func(ctx context.Context) (err error) {
		b, err := d.open()
		if err != nil {
			return fmt.Errorf("lamp: %w", err)
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		return d.Row.Run(ctx, func(on uint64) error {
			err := b.Light(on)
			if err == nil {
				d.become(ctx, nil)
			}
			return err
		})
	})
}

// become tells that the lamps are up, or lost, if that is news.
func (d *Dev) become(ctx context.Context, err error) {
	if !d.state.Become(err) {
		return
	}
	select {
	case d.states <- d.state:
	case <-ctx.Done():
	}
}
