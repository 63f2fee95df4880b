package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller/mqtt"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/sim"
)

// These tests run where the daemon has real lines, buses and UARTs: on the virtual board of "make test-board".

// buses are the board's, with no chips yet; the test skips elsewhere.
func buses(t *testing.T) *sim.Buses {
	t.Helper()
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	b, err := sim.NewBuses()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// uarts gives the devices of a configuration the board's UARTs instead of pseudo-terminals, in their order.
func uarts(devices ...string) func(string) string {
	return func(text string) string {
		for i, name := range devices {
			text = strings.Replace(text, fmt.Sprintf("path = \"dev/%s\"", name), fmt.Sprintf("path = \"/dev/near/%d\"", i), 1)
		}
		return text
	}
}

// atFarEnds has the simulated devices at the other ends of the UARTs, and the readers at the buses with these paths.
func atFarEnds(o *simtable.Options, readers map[string]sim.Reader) {
	for i := range o.Devices {
		d := &o.Devices[i]
		if d.Reader = readers[d.Path]; d.Reader == nil {
			d.Far = strings.Replace(d.Path, "near", "far", 1)
		}
	}
}

// contacts are the lines of the table's GPIO chip, all contacts open.
func contacts(t *testing.T, lines ...string) *sim.GPIO {
	t.Helper()
	chip, err := sim.NewGPIO("table", lines...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chip.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range lines {
		if err := chip.Pull(i, true); err != nil {
			t.Fatal(err)
		}
	}
	return chip
}

// wiredPN5180 is a chip on an SPI bus whose RESET and BUSY are lines of the board. Its line rises for one frame in many, since
// moving it takes the board much longer than a frame; with the others the chip is done by the time the frame is.
type wiredPN5180 struct {
	*sim.PN5180
	held   func() (bool, error)
	pull   func(busy bool) error
	frames chan struct{} // that it has taken, and works on
	taken  int
}

// shownBusy is after how many frames BUSY rises for the next.
const shownBusy = 50

// Tx brings the chip to the level of the line first.
func (p *wiredPN5180) Tx(w, r []byte) error {
	held, err := p.held()
	if err == nil && held {
		err = p.Reset(held)
	}
	if err == nil {
		err = p.PN5180.Tx(w, r)
	}
	if err != nil {
		return err
	}
	if p.taken++; p.taken%shownBusy != 0 {
		return p.finish()
	}
	if err := p.pull(true); err != nil {
		return err
	}
	select {
	case p.frames <- struct{}{}:
	default: // it works on one already
	}
	return nil
}

// finish lets the chip's work on a frame be done.
func (p *wiredPN5180) finish() error {
	_, err := p.Busy() // before it rises
	for busy := true; busy && err == nil; {
		busy, err = p.Busy()
	}
	return err
}

// work lets BUSY fall after each frame for which it rose.
func (p *wiredPN5180) work(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.frames:
		}
		if err := p.finish(); err != nil {
			return err
		}
		if err := p.pull(false); err != nil {
			return err
		}
	}
}

// A hand is played with the readers and the panel of seat 3 on UARTs, whose last one switches between sending and hearing, the panel of seat 1 on lines of the board, that of
// seat 2 on an expander whose interrupt is wired to a line, and with lamps of their own on the same bus. A strip of
// lamps is on SPI. When the daemon has ended, all is dark.
func TestOnTheBoardAHand(t *testing.T) {
	b := buses(t)
	const (
		fold, foldLamp, interrupt = 0, 1, 2
	)
	chip := contacts(t, "SEAT1_FOLD", "SEAT1_FOLD_LAMP", "SEAT2_INT")
	strip := sim.NewWS2812(2)
	b.SPI[0] = strip
	expander := sim.NewMCP23017(b.I2C[1], 0x20)
	driver := sim.NewPCA9685(b.I2C[1], 0x40)
	background(t, b.Run)
	background(t, func(ctx context.Context) error {
		return expander.Interrupt().Watch(ctx, func(e gpiocdev.Edge) {
			if err := chip.Pull(interrupt, !e.Active); err != nil {
				t.Error(err)
			}
		})
	})
	r := scripted(t, "straddle.phh", 3, uarts("shoe", "pads-a", "", "panels"), func(text string) string {
		text = strings.Replace(text, "kind = \"seat-bus\"\n", "kind = \"seat-bus\"\nrs485 = true\n", 1)
		for seat := 1; seat <= 2; seat++ {
			text = strings.Replace(text, fmt.Sprintf("\nnode = %d\n", seat), "\n", 1)
		}
		return text + `
[[devices]]
name = "panel-1"
kind = "gpio-panel"
seat = 1
keys = { fold = "SEAT1_FOLD" }
lamps = { fold = "SEAT1_FOLD_LAMP" }

[[devices]]
name = "panel-2"
kind = "mcp23017-panel"
path = "/dev/i2c-1"
address = 0x20
seat = 2
interrupt = "SEAT2_INT"
keys = { fold = "A0", call = "A1" }
lamps = { call = "A7" }

[[devices]]
name = "lamps"
kind = "pca9685"
path = "/dev/i2c-1"
address = 0x40
lamps = ["seat 2 fold"]

[[devices]]
name = "strip"
kind = "ws2812"
path = "/dev/spidev0.0"
lamps = ["seat 1 turn", "seat 2 turn"]
color = "ff8001"
`
	})
	t.Cleanup(func() {
		dark := !slices.ContainsFunc(strip.Lamps(), func(c color.NRGBA) bool { return c != color.NRGBA{A: 255} })
		if !dark || expander.Lit() != 0 || driver.Lit() != 0 {
			t.Errorf("the daemon has ended, and left lit: the strip %v, the panel of seat 2 %x, its lamps %x", !dark, expander.Lit(), driver.Lit())
		}
		if n := strip.Garbled(); n != 0 {
			t.Errorf("%d transfers to the strip were garbled", n)
		}
	})
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		atFarEnds(o, nil)
		playing("carla", "dario")(o)
	})

	lit := func(what string, is func() bool) {
		t.Helper()
		eventually(t, what+" is lit", is)
	}

	seq := w.turn(1)
	lit("the lamp of seat 1's fold key", func() bool { on, err := chip.High(foldLamp); return on && err == nil })
	amber := color.NRGBA{0xff, 0x80, 0x01, 0xff}
	lit("the first lamp of the strip", func() bool { return strip.Lamps()[0] == amber })
	if err := chip.Pull(fold, false); err != nil {
		t.Fatal(err)
	}
	w.acted(1, seq)
	if err := chip.Pull(fold, true); err != nil {
		t.Fatal(err)
	}
	w.turn(2)
	lit("the second lamp of the strip", func() bool { return strip.Lamps()[1] == amber })
	const foldPin, callPin, callLamp = 1 << 0, 1 << 1, 1 << 7
	for _, key := range []uint16{callPin, callPin, callPin, foldPin} {
		seq := w.turn(2)
		lit("the lamp of seat 2's call key", func() bool { return expander.Lit()&callLamp != 0 })
		lit("the lamp of its own", func() bool { return driver.Lit()&1 != 0 })
		expander.Contacts(key)
		w.acted(2, seq)
		expander.Contacts(0)
	}
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}

// A hand is played with readers of ISO 15693 tags on an SPI bus, in the shoe, under the board and the muck, and a display
// on an I2C bus behind a multiplexer. The pads and the panel are on UARTs.
func TestOnTheBoardAHandWithReadersOnSPI(t *testing.T) {
	b := buses(t)
	zones := []string{"shoe", "board", "muck"}
	chip := contacts(t, "SHOE_BUSY", "BOARD_BUSY", "MUCK_BUSY", "SHOE_RESET", "BOARD_RESET", "MUCK_RESET")
	readers := map[string]sim.Reader{}
	var devices strings.Builder
	for i, zone := range zones {
		if err := chip.Pull(i, false); err != nil {
			t.Fatal(err)
		}
		reader := sim.NewPN5180()
		wired := &wiredPN5180{
			PN5180: reader,
			held: func() (bool, error) {
				high, err := chip.High(3 + i)
				return !high, err
			},
			pull:   func(busy bool) error { return chip.Pull(i, busy) },
			frames: make(chan struct{}, 1),
		}
		b.SPI[i] = wired
		background(t, wired.work)
		path := fmt.Sprint("/dev/spidev0.", i)
		readers[path] = reader
		fmt.Fprintf(&devices, "[[devices]]\nname = \"%[1]s-reader\"\nkind = \"pn5180\"\npath = %[2]q\nzones = [%[1]q]\n"+
			"busy = \"%[3]s_BUSY\"\nreset = \"%[3]s_RESET\"\n", zone, path, strings.ToUpper(zone))
	}
	display := sim.NewSSD1306(sim.NewTCA9548A(b.I2C[1], 0x70).Channel(1), 0x3c)
	background(t, b.Run)

	r := scripted(t, "straddle.phh", 1, without("name = \"shoe\""), uarts("pads-a", "panels"), func(text string) string {
		text = strings.Replace(text, `zones = ["board", "burn", "muck", `, `zones = ["burn", `, 1)
		return text + "\n" + devices.String() + "[[devices]]\nname = \"display-1\"\nkind = \"ssd1306\"\nseat = 1\n" +
			"path = \"/dev/i2c-1\"\nmux = 0x70\nchannel = 1\n"
	})
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) { atFarEnds(o, readers) })
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
	if picture, _ := display.Picture(image.Pt(128, 64)); picture == nil || !bytes.Contains(picture.Pix, []byte{255}) {
		t.Error("the display is dark")
	}
}

// A hand is played with ISO 14443 tags: a PN532 on an I2C bus in the shoe, MFRC522 on an SPI bus and PN532 on UARTs under the
// pads, and a MUX on a UART for what more cards lie on: board and muck.
func TestOnTheBoardAHandWithTypeATags(t *testing.T) {
	b := buses(t)
	pad1, pad2 := sim.NewMFRC522(), sim.NewMFRC522()
	b.SPI[0], b.SPI[1] = pad1, pad2
	readers := map[string]sim.Reader{
		"/dev/i2c-0": sim.NewPN532I2C(b.I2C[0]), "/dev/spidev0.0": pad1, "/dev/spidev0.1": pad2,
	}
	background(t, b.Run)

	reader := func(name, kind, path, zones string) string {
		return fmt.Sprintf("\n[[devices]]\nname = %q\nkind = %q\npath = %q\nzones = [%s]\n", name, kind, path, zones)
	}
	r := scripted(t, "straddle.phh", 0, without("name = \"shoe\""), without("name = \"pads-a\""), typeADeck(t), func(text string) string {
		return text + reader("shoe", "pn532-i2c", "/dev/i2c-0", `"shoe"`) +
			reader("middle", "pepper-c1-mux", "/dev/near/0", `"board", "muck"`) +
			reader("pad-1", "mfrc522", "/dev/spidev0.0", `"seat 1"`) + reader("pad-2", "mfrc522", "/dev/spidev0.1", `"seat 2"`) +
			reader("pad-3", "pn532", "/dev/near/1", `"seat 3"`) + reader("pad-4", "pn532", "/dev/near/2", `"seat 4"`)
	})
	d := r.daemon()
	w := r.watch(d.brokerURL())
	_, ended := r.sim(d.brokerURL(), func(o *simtable.Options) { atFarEnds(o, readers) })
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}

// The cables between UARTs are pulled, before seat 4 has played. Nobody hangs up, as an adapter's does: the other end is
// silent from then on. The table stands still, says so, and goes on when the cable is back.
func TestOnTheBoardACableIsPulled(t *testing.T) {
	b := buses(t)
	background(t, b.Run)
	r := scripted(t, "straddle.phh", 1, uarts("shoe", "pads-a", "panels"))
	d := r.daemon()
	w := r.watch(d.brokerURL())
	table, ended := r.sim(d.brokerURL(), func(o *simtable.Options) {
		atFarEnds(o, nil)
		playing("alice", "bruno", "carla")(o)
	})
	for i, c := range []struct{ device, hold string }{
		{"pads-a", "pads-a is lost: "}, {"panels", "panel of seat 1 is lost: "}, {"shoe", "shoe is lost: "},
	} {
		cable := table.Cables()[fmt.Sprint("/dev/near/", (i+1)%3)]
		w.await("the table plays", func(s *seen) bool { return s.state().View.Hand > 0 && len(s.state().Holds) == 0 })
		if err := cable.Unplug(); err != nil {
			t.Fatal(err)
		}
		w.await("the table stands still and says so", func(s *seen) bool {
			return len(s.state().Holds) == 1 && strings.HasPrefix(s.state().Holds[0], c.hold) && s.devices[c.device].State == mqtt.StateDown
		})
		if err := cable.Plug(); err != nil {
			t.Fatal(err)
		}
		w.await("the device is back", func(s *seen) bool { return s.devices[c.device].State == mqtt.StateUp })
	}
	r.sim(d.brokerURL(), func(o *simtable.Options) {
		playing("dario")(o)
		o.Devices, o.Dealer = nil, ""
	})
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}

// The contacts of a shoe are lines of the board.
func TestOnTheBoardTroubleAtTheShoe(t *testing.T) {
	if !sim.HasGPIO() {
		t.Skip("not on the virtual board: make test-board")
	}
	chip := contacts(t, "SHOE_GATE", "SHOE_LID")
	troubleAtTheShoe(t, func(line int, open bool) {
		t.Helper()
		if err := chip.Pull(line, open); err != nil {
			t.Fatal(err)
		}
	})
}

// What stands at two seats hangs on lines, I2C and SPI: the doctor finds it in order, then what is broken of it, and a
// technician tests panel and pad.
func TestOnTheBoardDoctorAndTechnician(t *testing.T) {
	b := buses(t)
	chip := contacts(t, "SEAT1_FOLD", "SEAT1_BET", "SEAT1_LAMP", "SHOE_LID")
	const lamp = 2
	pull := func(line int, up bool) {
		t.Helper()
		if err := chip.Pull(line, up); err != nil {
			t.Fatal(err)
		}
	}
	pull(lamp, false) // dark while nobody has it
	reader := sim.NewMFRC522()
	b.SPI[2] = reader
	expander := sim.NewMCP23017(b.I2C[0], 0x21)
	glass := sim.NewSH1106(b.I2C[1], 0x3c)
	sim.NewPCA9685(b.I2C[1], 0x40)
	background(t, b.Run)
	r := newRig(t, demoOptions{seats: 2, felt: 2}, without("kind = \"seat-bus\""), func(text string) string {
		text = strings.Replace(text, `, "seat 2"`, "", 1) // of the pads of the MUX
		for seat := 1; seat <= 2; seat++ {
			text = strings.Replace(text, fmt.Sprintf("\nnode = %d\n", seat), "\n", 1)
		}
		return text + `
[[devices]]
name = "pad-2"
kind = "mfrc522"
path = "/dev/spidev0.2"
zones = ["seat 2"]

[[devices]]
name = "panel-1"
kind = "gpio-panel"
seat = 1
keys = { fold = "SEAT1_FOLD", bet = "SEAT1_BET" }
lamps = { bet = "SEAT1_LAMP" }

[[devices]]
name = "panel-2"
kind = "mcp23017-panel"
path = "/dev/i2c-0"
address = 0x21
seat = 2
keys = { fold = "A0" }
lamps = { fold = "A7" }

[[devices]]
name = "display-2"
kind = "sh1106"
path = "/dev/i2c-1"
seat = 2

[[devices]]
name = "lamps"
kind = "pca9685"
path = "/dev/i2c-1"
lamps = ["seat 1 turn"]

[[devices]]
name = "contacts"
kind = "gpio-shoe"
lid = "SHOE_LID"
`
	})
	opt := simOptions(r.cfg, "", demoPassword, r.log())
	opt.Dealer, opt.Players = "", nil
	i := slices.IndexFunc(opt.Devices, func(d simtable.Device) bool { return d.Kind == "mfrc522" })
	opt.Devices[i].Reader = reader
	table, err := simtable.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	background(t, table.Run)

	found, status, _ := r.doctor()
	wantFaults(t, found, status, nil)
	for part, seen := range map[string]string{
		"pad-2": "MFRC522", "panel-1": "gpio-panel", "panel-2": "/dev/i2c-0", "display-2": "shows Seat 2 on 128 by 64",
		"lamps": "1 lamps are lit", "contacts": "lid open",
	} {
		if f := found[part]; f.Result != partOK || !strings.Contains(f.String(), seen) {
			t.Errorf("%s: %s, want %q", part, f, seen)
		}
	}

	s := r.calibrate(t, "panel", "--seat", "1", "--seat", "2")
	s.await("Is that so?")
	eventually(t, "the lamp of seat 1 is lit", func() bool { on, err := chip.High(lamp); return on && err == nil })
	s.say("yes")
	press := func(key func(down bool)) {
		s.await("Press it once")
		key(true)
		s.await("it is down")
		key(false)
		s.await(": times it went down")
	}
	for line := range 2 {
		press(func(down bool) { pull(line, !down) })
	}
	s.await("Is that so?")
	eventually(t, "the display of seat 2 shows something", func() bool {
		picture, _ := glass.Picture(image.Pt(128, 64))
		return picture != nil && bytes.Contains(picture.Pix, []byte{255}) && expander.Lit() == 1<<7
	})
	s.say("yes")
	press(func(down bool) { expander.Contacts(map[bool]uint16{true: 1}[down]) })
	s.ends(0)
	if c := r.certificate("panel"); c.Verdict != calibration.Pass {
		t.Errorf("certificate %+v", c)
	}

	s = r.calibrate(t, "pads", "--zone", "seat 2", "--looks", "2", "--stack", "1", "--dwell", "0s")
	s.await("Lay 1 card on seat 2")
	if err := reader.Place(1, "040E3BD2286B85"); err != nil {
		t.Fatal(err)
	}
	s.say("")
	s.await("100 % of 2 looks saw 1 card")
	s.say("")
	s.ends(0)
	if c := r.certificate("pads"); c.Verdict != calibration.Pass {
		t.Errorf("certificate %+v", c)
	}

	b.I2C[0].Cut(0x21, true)
	b.I2C[1].Cut(0x3c, true)
	if err := reader.Unplug(); err != nil {
		t.Fatal(err)
	}
	held, err := gpiocdev.OpenOutputs("table", []string{"SEAT1_LAMP"}, gpiocdev.OutputOptions{Consumer: "another"})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	found, status, _ = r.doctor()
	wantFaults(t, found, status, map[string]string{
		"panel-1": `SEAT1_LAMP by "another"`, "panel-2": "0x21", "display-2": "0x3c", "pad-2": "SPI wiring",
	})
}

// A technician calibrates a load cell that the kernel reads from an HX711; then the doctor finds it in order, and out of order
// when a wire is off.
func TestOnTheBoardScale(t *testing.T) {
	if !sim.HasBuses() {
		t.Skip("not on the virtual board: make test-board")
	}
	r := newDraft(t, func(text string) string {
		return text + fmt.Sprintf("\n[[devices]]\nname = \"cell\"\nkind = \"load-cell\"\npath = %q\n", sim.HX711Device) +
			"[[scales]]\nzone = \"spot 1\"\ndevice = \"cell\"\nfile = \"spot-1.toml\"\n"
	})
	var cell sim.HX711
	lay := func(mg int64) {
		t.Helper()
		if err := cell.Lay(84_000 + mg*2/5); err != nil {
			t.Fatal(err)
		}
	}
	lay(0)
	s := r.calibrate(t, "scale", "--zone", "spot 1", "--mass", "500", "--worth", "1=1", "--pieces", "5")
	for _, mg := range []int64{0, 500_000, 0} {
		s.await("Is it done?")
		lay(mg)
		s.say("")
		s.await("Is that still enough?")
		s.say("")
	}
	s.await("Is it done?")
	s.say("")
	s.await("Now lay 1 chips worth 1")
	lay(10_000)
	s.await("1 of 1  10.000 g")
	s.say("")
	s.await("[save, abort]")
	s.say("save")
	s.ends(0)
	if c := r.certificate("scale"); c.Verdict != calibration.Pass {
		t.Errorf("certificate %+v", c)
	}
	r.hardware()
	found, status, _ := r.doctor()
	wantFaults(t, found, status, nil)
	if f := found["scale of spot 1"]; !strings.Contains(f.Seen, "10.000 to 10.000 g") {
		t.Errorf("scale of spot 1: %s", f)
	}
	if err := cell.Unplug(); err != nil {
		t.Fatal(err)
	}
	found, status, _ = r.doctor()
	wantFaults(t, found, status, map[string]string{"cell": "DOUT and PD_SCK"})
}
