package main

import (
	"errors"
	"fmt"
	"time"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"

	"tavolo/drivers/bus"
	"tavolo/drivers/feig"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/mfrc522"
	"tavolo/drivers/pepper"
	"tavolo/drivers/pn5180"
	"tavolo/drivers/pn532"
	"tavolo/drivers/rfid"
	"tavolo/drivers/uhf"
)

// The functions below make the card readers of a configuration and read the keys that only they have.

// shoeRound is how often a reader that is asked looks at the mouth of a shoe. A card slides past in 100 ms and more.
const shoeRound = 10 * time.Millisecond

// looks are how a reader that is asked goes about its looks.
func (c DeviceConfig) looks(field *rfid.Field) rfid.Options {
	o := rfid.Options{Antennas: c.antennas(), Field: field}
	if c.shoe() {
		o.Round = shoeRound
	}
	return o
}

// speed reads the speed of a serial port.
func speed(s *section, c *DeviceConfig) { c.Baud = int(s.number("baud", 0, 1200, 4_000_000)) }

func openPepper(c DeviceConfig, field *rfid.Field, _ *daemon) (rfid.Reader, error) {
	return pepper.New(pepper.Options{Path: c.Path, Passing: c.shoe(), Options: c.looks(field)})
}

func pepperOptions(s *section, c *DeviceConfig) {
	if c.shoe() && len(c.Air) > 0 {
		s.fault("air", "a %s in the shoe is always on and takes no turns: want another kind there, or no neighbours", c.Kind)
	}
}

// shoeReply is how long the shoe's reader may take to answer. It has one tag to read, and a card must not slide past while
// a damaged answer is waited for.
const shoeReply = 100 * time.Millisecond

func openFeig(c DeviceConfig, field *rfid.Field, _ *daemon) (rfid.Reader, error) {
	o := feig.Options{Path: c.Path, Baud: c.Baud, Form: feig.Form(c.Advanced), Options: c.looks(field)}
	if c.shoe() {
		o.ReplyTimeout = shoeReply
	}
	return feig.New(o)
}

func feigOptions(s *section, c *DeviceConfig) {
	speed(s, c)
	c.Advanced = s.flag("advanced")
}

func openUHF(c DeviceConfig, field *rfid.Field, _ *daemon) (rfid.Reader, error) {
	return uhf.New(uhf.Options{Path: c.Path, Baud: c.Baud, Power: c.Power, Options: c.looks(field)})
}

func uhfOptions(s *section, c *DeviceConfig) {
	speed(s, c)
	c.Power = int(s.number("power", 0, 1, uhf.MaxPower))
}

func openPN532(c DeviceConfig, field *rfid.Field, _ *daemon) (rfid.Reader, error) {
	return pn532.New(pn532.Options{Path: c.Path, Options: c.looks(field)})
}

func openPN532Bus(c DeviceConfig, field *rfid.Field, d *daemon) (rfid.Reader, error) {
	bus, err := d.i2cBus(c)
	if err != nil {
		return nil, err
	}
	return pn532.New(pn532.Options{Bus: bus, Options: c.looks(field)})
}

// pn532Options read where on an I²C bus the chip is; its own address cannot be chosen.
func pn532Options(s *section, c *DeviceConfig) {
	c.Wiring.i2cKeys(s, pn532.Address, pn532.Address, pn532.Address)
}

// readerChip is a reader chip on an SPI bus and two lines of the board: a pn5180.Conn and a mfrc522.Conn.
type readerChip struct {
	*bus.SPI
	busy  *gpiocdev.Inputs  // nil where it is not wired
	reset *gpiocdev.Outputs // the same
}

// openChip opens what the chip hangs on.
func (c DeviceConfig) openChip(speed physic.Frequency) (_ *readerChip, err error) {
	w, chip := c.Wiring, &readerChip{}
	defer func() {
		if err != nil {
			err = errors.Join(err, chip.Close())
		}
	}()
	if chip.SPI, err = bus.OpenSPI(c.Path, speed, spi.Mode0); err != nil {
		return nil, err
	}
	if w.Busy != "" {
		if chip.busy, err = gpiocdev.OpenInputs(w.Chip, []string{w.Busy}, gpiocdev.InputOptions{}); err != nil {
			return nil, fmt.Errorf("busy: %w", err)
		}
	}
	if w.Reset != "" {
		// Active is low, and closing lets the line go inactive: the chip runs on, as without this program.
		if chip.reset, err = gpiocdev.OpenOutputs(w.Chip, []string{w.Reset}, gpiocdev.OutputOptions{ActiveLow: true}); err != nil {
			return nil, fmt.Errorf("reset: %w", err)
		}
	}
	return chip, nil
}

// Busy is the level of the chip's line.
func (r *readerChip) Busy() (bool, error) {
	level, err := r.busy.Levels()
	return level != 0, err
}

// Reset holds the chip's line low, or lets it go.
func (r *readerChip) Reset(hold bool) error {
	switch {
	case r.reset == nil:
		return nil
	case hold:
		return r.reset.Set(1, 1)
	}
	return r.reset.Set(1, 0)
}

// Close gives back what was opened.
func (r *readerChip) Close() error {
	var errs []error
	if r.busy != nil {
		errs = append(errs, r.busy.Close())
	}
	if r.reset != nil {
		errs = append(errs, r.reset.Close())
	}
	if r.SPI != nil {
		errs = append(errs, r.SPI.Close())
	}
	return errors.Join(errs...)
}

func openPN5180(c DeviceConfig, field *rfid.Field, _ *daemon) (rfid.Reader, error) {
	open := func() (pn5180.Conn, error) {
		chip, err := c.openChip(7 * physic.MegaHertz)
		if err != nil {
			return nil, err
		}
		return chip, nil
	}
	return pn5180.New(pn5180.Options{Open: open, Family: c.Family, Options: c.looks(field)})
}

func pn5180Options(s *section, c *DeviceConfig) {
	c.Wiring.Chip = s.text("chip", "")
	c.Wiring.Busy = required(s, "busy", parseLine)
	c.Wiring.Reset = required(s, "reset", parseLine)
	c.Family = byte(s.number("family", 0, 0, 0xff))
}

func openMFRC522(c DeviceConfig, field *rfid.Field, _ *daemon) (rfid.Reader, error) {
	open := func() (mfrc522.Conn, error) {
		chip, err := c.openChip(4 * physic.MegaHertz)
		if err != nil {
			return nil, err
		}
		return chip, nil
	}
	return mfrc522.New(mfrc522.Options{Open: open, Options: c.looks(field)})
}

func mfrc522Options(s *section, c *DeviceConfig) {
	c.Wiring.Chip = s.text("chip", "")
	c.Wiring.Reset = parsed(s, "reset", "", parseLine)
	if c.Wiring.Reset == "" {
		s.forbid("no reset line: it would be of this chip", "chip")
	}
}
