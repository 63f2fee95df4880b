package main

import (
	"time"

	"tavolo/drivers/feig"
	"tavolo/drivers/pepper"
	"tavolo/drivers/pn532"
	"tavolo/drivers/rfid"
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
	opt := pepper.Options{Path: c.Path, Field: field}
	if !c.shoe() {
		opt.Antennas = c.antennas()
	}
	return pepper.New(opt)
}

func pepperOptions(s *section, c *DeviceConfig) {
	if c.shoe() && len(c.Air) > 0 {
		s.fault("air", "a %s in the shoe is always on and takes no turns: want another kind there, or no neighbours", c.Kind)
	}
}

func openFeig(c DeviceConfig, field *rfid.Field, _ *daemon) (rfid.Reader, error) {
	return feig.New(feig.Options{Path: c.Path, Baud: c.Baud, Form: feig.Form(c.Advanced), Options: c.looks(field)})
}

func feigOptions(s *section, c *DeviceConfig) {
	speed(s, c)
	c.Advanced = s.flag("advanced")
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
