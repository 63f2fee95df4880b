package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/host/v3/sysfs"

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

func openPepper(c DeviceConfig, field *rfid.Field) (rfid.Reader, error) {
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

func openFeig(c DeviceConfig, field *rfid.Field) (rfid.Reader, error) {
	return feig.New(feig.Options{Path: c.Path, Baud: c.Baud, Form: feig.Form(c.Advanced), Options: c.looks(field)})
}

func feigOptions(s *section, c *DeviceConfig) {
	speed(s, c)
	c.Advanced = s.flag("advanced")
}

func openPN532(c DeviceConfig, field *rfid.Field) (rfid.Reader, error) {
	return pn532.New(pn532.Options{Path: c.Path, Options: c.looks(field)})
}

func openPN532Bus(c DeviceConfig, field *rfid.Field) (rfid.Reader, error) {
	return pn532.New(pn532.Options{Bus: c.i2c, Options: c.looks(field)})
}

// The buses are opened by number: nothing on the board is looked for, which on some boards closes standard input.

// i2c opens the bus at the device's path.
func (c DeviceConfig) i2c() (i2c.BusCloser, error) {
	bus, err := parseI2C(c.Path)
	if err != nil {
		return nil, err
	}
	return sysfs.NewI2C(bus)
}

func i2cOptions(s *section, c *DeviceConfig) {
	if _, err := parseI2C(c.Path); err != nil && c.Path != "" {
		s.fault("path", "%v", err)
	}
}

// parseI2C gives the number of a bus.
func parseI2C(path string) (int, error) {
	text, ok := strings.CutPrefix(path, "/dev/i2c-")
	n, err := strconv.ParseUint(text, 10, 8)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q: want a bus, such as /dev/i2c-1", path)
	}
	return int(n), nil
}
