package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"time"

	"periph.io/x/conn/v3/i2c"

	"tavolo/cmd/tavolo/face"
	"tavolo/display"
	i2cbus "tavolo/drivers/bus"
	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/lamp"
	"tavolo/drivers/mcp23017"
	"tavolo/drivers/panel"
	"tavolo/drivers/port"
	"tavolo/drivers/screen"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

// Wiring says how a device hangs on the board itself: on its lines, its I²C or its SPI bus.
type Wiring struct {
	// Seat is whose panel or display it is, or whose betting line.
	Seat engine.Seat
	// Chip is the GPIO chip that lines are of, "" for the one that has them.
	Chip string
	// Address is the device's on the I²C bus, Mux that of the multiplexer it is behind, 0 for none, on Channel.
	Address, Mux uint16
	Channel      int
	// Interrupt is the line that an expander's interrupt is wired to, "" for none.
	Interrupt string
	// Busy and Reset are lines of a reader chip, DC, Reset and Light those of a display on SPI, "" for those not wired.
	Busy, DC, Reset, Light string
	// Line is that of a light barrier.
	Line string
	// Gate and Lid are the lines of a shoe's contacts, "" for those that it does not have. Jam is how long a card may be in
	// its mouth.
	Gate, Lid string
	Jam       time.Duration
	// Keys, Encoder and Lamps are lines of the board, or pins of an expander.
	Keys    []KeyWire
	Encoder []string
	// Detent is how many counts an encoder has from one detent to the next.
	Detent int
	Lamps  []LampWire
	// Color is that of a lit lamp that has every color.
	Color color.NRGBA
	// Size is that of a display in pixels, Flip whether its picture is turned by half.
	Size image.Point
	Flip bool
}

// KeyWire is the line of a key.
type KeyWire struct {
	Key  bridge.Key
	Line string
}

// LampWire is a lamp of a seat, by its bit in [bridge.Lamps], and the line it hangs on. The zero one is not wired.
type LampWire struct {
	Seat engine.Seat
	Bit  uint16
	Line string
}

// place names where a device hangs, where no other may.
func (c DeviceConfig) place() string {
	w := c.Wiring
	switch {
	case w.Address == 0:
		return c.Path
	case w.Mux == 0:
		return fmt.Sprintf("device 0x%02x of %s", w.Address, c.Path)
	}
	return fmt.Sprintf("device 0x%02x of %s behind 0x%02x, channel %d", w.Address, c.Path, w.Mux, w.Channel)
}

// panelOf is the panel of a seat that is wired to the board, if there is one.
func (c *Config) panelOf(seat engine.Seat) (DeviceConfig, bool) {
	i := slices.IndexFunc(c.Devices, func(d DeviceConfig) bool { return deviceKinds()[d.Kind].panel && d.Wiring.Seat == seat })
	if i < 0 {
		return DeviceConfig{}, false
	}
	return c.Devices[i], true
}

// The functions below read the keys of devices that are wired to the board.

// i2cKeys read where on an I²C bus a device is.
func (w *Wiring) i2cKeys(s *section, usual, lowest, highest int64) {
	w.Address = address(s, "address", usual, lowest, highest)
	w.Mux = address(s, "mux", 0, 0x70, 0x77)
	w.Channel = int(s.number("channel", 0, 0, 7))
	if w.Mux == 0 && s.has("channel") {
		s.fault("channel", "no multiplexer: want its address as mux, 0x70 to 0x77")
	}
}

func address(s *section, key string, usual, lowest, highest int64) uint16 {
	v := value(s, key, "an address such as 0x20", usual)
	if s.has(key) && (v < lowest || v > highest) {
		s.fault(key, "want an address from 0x%02x to 0x%02x", lowest, highest)
	}
	return uint16(v)
}

func (w *Wiring) seatKey(s *section) {
	w.Seat = engine.Seat(s.requiredNumber("seat", 1, engine.MaxSeats))
}

// panelKeys read what a panel has, each at a line that parse understands.
func (w *Wiring) panelKeys(s *section, parse func(string) (string, error)) {
	w.seatKey(s)
	keys := s.table("keys")
	for _, k := range panelKeys() {
		if keys.has(k.String()) {
			w.Keys = append(w.Keys, KeyWire{k, required(keys, k.String(), parse)})
		}
	}
	keys.close()
	if len(w.Keys) == 0 {
		s.fault("keys", "missing: want the line of each key, such as { fold = \"SEAT1_FOLD\" }")
	}
	lamps := s.table("lamps")
	for _, name := range lampNames() {
		if lamps.has(name) {
			w.Lamps = append(w.Lamps, LampWire{w.Seat, lampBit(name), required(lamps, name, parse)})
		}
	}
	lamps.close()
	w.Encoder = list(s, "encoder", parse)
	if n := len(w.Encoder); n != 0 && n != 2 {
		s.fault("encoder", "%d contacts: want 2, A and B", n)
	}
	w.Detent = int(s.number("detent", 4, 1, 4))
	w.checkLines(s)
}

// checkLines reports a line that is used twice.
func (w *Wiring) checkLines(s *section) {
	lines := map[string]string{}
	for _, k := range w.Keys {
		once(s.doc, lines, s.at("keys."+k.Key.String()), k.Line)
	}
	for i, line := range w.Encoder {
		once(s.doc, lines, s.at(fmt.Sprintf("encoder[%d]", i)), line)
	}
	for _, l := range w.Lamps {
		once(s.doc, lines, s.at("lamps."+lampName(l.Bit)), l.Line)
	}
}

// seatLampName is what the lamp of the seat itself is called; the others have the names of their keys.
const seatLampName = "turn"

// panelKeys are the keys that a panel may have.
func panelKeys() (keys []bridge.Key) {
	for k := bridge.KeyFold; k <= bridge.KeyMuck; k++ {
		keys = append(keys, k)
	}
	return keys
}

func lampNames() []string {
	names := []string{seatLampName}
	for _, k := range panelKeys() {
		names = append(names, k.String())
	}
	return names
}

func lampName(bit uint16) string {
	for _, name := range lampNames() {
		if lampBit(name) == bit {
			return name
		}
	}
	return ""
}

func lampBit(name string) uint16 {
	for _, k := range panelKeys() {
		if k.String() == name {
			return bridge.LampOf(k)
		}
	}
	return bridge.SeatLamp
}

func parseLine(text string) (string, error) {
	if text == "" || len(text) > 31 {
		return "", fmt.Errorf("%q: want the name of a line, as gpioinfo lists them", text)
	}
	return text, nil
}

// parsePin takes the name of a pin of an MCP23017.
func parsePin(text string) (string, error) {
	if pinOf(text) < 0 {
		return "", fmt.Errorf("%q: want a pin from A0 to A7 or B0 to B7", text)
	}
	return text, nil
}

// pinOf is the number of a pin, below 0 if there is none of that name.
func pinOf(name string) int { return slices.Index(expanderPins, name) }

var expanderPins = strings.Fields("A0 A1 A2 A3 A4 A5 A6 A7 B0 B1 B2 B3 B4 B5 B6 B7")

// parseLamp takes a lamp of a seat.
func parseLamp(text string) (LampWire, error) {
	if text == "" {
		return LampWire{}, nil
	}
	fields := strings.Fields(text)
	if len(fields) == 3 && fields[0] == "seat" && slices.Contains(lampNames(), fields[2]) {
		if n, err := strconv.Atoi(fields[1]); err == nil && n >= 1 && n <= engine.MaxSeats {
			return LampWire{Seat: engine.Seat(n), Bit: lampBit(fields[2])}, nil
		}
	}
	return LampWire{}, fmt.Errorf("%q: want a lamp such as \"seat 1 turn\", with %s, or \"\" for one that is not wired", text, either(lampNames()))
}

func parseColor(text string) (color.NRGBA, error) {
	v, err := strconv.ParseUint(text, 16, 32)
	if err != nil || len(text) != 6 {
		return color.NRGBA{}, fmt.Errorf("%q: want red, green and blue in hexadecimal, such as ffb000", text)
	}
	return color.NRGBA{byte(v >> 16), byte(v >> 8), byte(v), 0xff}, nil
}

func gpioPanelOptions(s *section, c *DeviceConfig) {
	w := &c.Wiring
	w.Chip = s.text("chip", "")
	w.panelKeys(s, parseLine)
}

func expanderOptions(s *section, c *DeviceConfig) {
	w := &c.Wiring
	w.i2cKeys(s, 0x20, 0x20, 0x27)
	w.panelKeys(s, parsePin)
	w.Interrupt = s.text("interrupt", "")
	w.Chip = s.text("chip", "")
	if w.Interrupt == "" {
		s.forbid("no interrupt line: it would be of this chip", "chip")
	}
	for _, k := range w.Keys {
		w.contact(s, "keys."+k.Key.String(), k.Line)
	}
	for i, line := range w.Encoder {
		w.contact(s, fmt.Sprintf("encoder[%d]", i), line)
	}
}

// contact reports a pin that can only be an output.
func (w *Wiring) contact(s *section, key, pin string) {
	if pin == "A7" || pin == "B7" {
		s.fault(key, "A7 and B7 can only have lamps: want another pin")
	}
}

// lampOptions read the lamps of a chip or strip that has no more than most.
func lampOptions(most int) func(*section, *DeviceConfig) {
	return func(s *section, c *DeviceConfig) {
		w := &c.Wiring
		w.Lamps = list(s, "lamps", parseLamp)
		switch n := len(w.Lamps); {
		case n == 0 && !s.doc.faulty(s.at("lamps")):
			s.fault("lamps", "missing: want what each shows, such as \"seat 1 turn\"")
		case n > most:
			s.fault(fmt.Sprintf("lamps[%d]", most), "a device of kind %s has no more lamps than %d", c.Kind, most)
		}
	}
}

func pcaOptions(s *section, c *DeviceConfig) {
	if c.Wiring.i2cKeys(s, 0x40, 0x40, 0x7f); c.Wiring.Address == 0x70 {
		s.fault("address", "0x70 is that of all such chips at once: want another")
	}
	lampOptions(16)(s, c)
}

func stripOptions(s *section, c *DeviceConfig) {
	lampOptions(lamp.Most)(s, c)
	c.Wiring.Color = parsed(s, "color", color.NRGBA{0x40, 0x40, 0x40, 0xff}, parseColor)
}

// oledOptions read the keys of a display on an I²C bus.
func oledOptions(heights ...int64) func(*section, *DeviceConfig) {
	return func(s *section, c *DeviceConfig) {
		w := &c.Wiring
		w.seatKey(s)
		w.i2cKeys(s, 0x3c, 0x3c, 0x3d)
		height := s.number("height", 64, 1, 64)
		if !slices.Contains(heights, height) {
			s.fault("height", "a display of kind %s has not %d rows: want one of %v", c.Kind, height, heights)
		}
		w.Size = image.Pt(128, int(height))
	}
}

// tftOptions read the keys of a display on an SPI bus.
func tftOptions(sizes ...image.Point) func(*section, *DeviceConfig) {
	return func(s *section, c *DeviceConfig) {
		w := &c.Wiring
		w.seatKey(s)
		w.Size = image.Pt(int(s.number("width", int64(sizes[0].X), 1, 320)), int(s.number("height", int64(sizes[0].Y), 1, 320)))
		if !slices.Contains(sizes, w.Size) {
			s.fault("width", "a display of kind %s has not %d by %d pixels: want one of %v", c.Kind, w.Size.X, w.Size.Y, sizes)
		}
		w.Flip = s.flag("flip")
		w.Chip = s.text("chip", "")
		w.DC = required(s, "dc", parseLine)
		w.Reset = parsed(s, "reset", "", parseLine)
		w.Light = parsed(s, "light", "", parseLine)
		lines := map[string]string{}
		once(s.doc, lines, s.at("dc"), w.DC)
		once(s.doc, lines, s.at("reset"), w.Reset)
		once(s.doc, lines, s.at("light"), w.Light)
	}
}

// i2cBus gives the bus at a device's path, one for all that share it.
func (d *daemon) i2cBus(c DeviceConfig) (i2c.Bus, error) {
	b := d.buses[c.Path]
	if b == nil {
		b = i2cbus.NewI2C(c.Path)
		d.buses[c.Path] = b
	}
	if c.Wiring.Mux == 0 {
		return b, nil
	}
	return b.Channel(c.Wiring.Mux, c.Wiring.Channel)
}

// panelOptions are the options of a panel whose lines have numbers: contacts come in the order of keys and encoder.
func (w *Wiring) panelOptions(line func(name string) int) panel.Options {
	opt := panel.Options{Keys: map[int]bridge.Key{}, Detent: w.Detent}
	for _, k := range w.Keys {
		opt.Keys[line(k.Line)] = k.Key
	}
	for _, name := range w.Encoder {
		opt.Encoder = append(opt.Encoder, line(name))
	}
	for _, l := range w.Lamps {
		opt.Lamps = append(opt.Lamps, l.Bit)
	}
	return opt
}

func openGPIOPanel(c DeviceConfig, d *daemon, p *panels) (device, error) {
	w := c.Wiring
	lines := panel.Lines{Chip: w.Chip}
	for _, k := range w.Keys {
		lines.Contacts = append(lines.Contacts, k.Line)
	}
	for _, name := range w.Encoder {
		lines.Quick |= 1 << len(lines.Contacts)
		lines.Contacts = append(lines.Contacts, name)
	}
	for _, l := range w.Lamps {
		lines.Lamps = append(lines.Lamps, l.Line)
	}
	opt := w.panelOptions(func(name string) int { return slices.Index(lines.Contacts, name) })
	opt.Open = func() (panel.Wires, error) { return d.wires(lines) }
	return newBoardPanel(c, d, p, opt)
}

func openExpander(c DeviceConfig, d *daemon, p *panels) (device, error) {
	b, err := d.i2cBus(c)
	if err != nil {
		return nil, err
	}
	w := c.Wiring
	chip := mcp23017.Options{Addr: w.Address}
	for _, k := range w.Keys {
		chip.Inputs |= 1 << pinOf(k.Line)
	}
	for _, name := range w.Encoder {
		chip.Quick |= 1 << pinOf(name)
	}
	chip.Inputs |= chip.Quick
	var lamps []int
	for _, l := range w.Lamps {
		chip.Outputs |= 1 << pinOf(l.Line)
		lamps = append(lamps, pinOf(l.Line))
	}
	var interrupt func() (*gpiocdev.Inputs, error)
	if w.Interrupt != "" {
		interrupt = func() (*gpiocdev.Inputs, error) {
			o := gpiocdev.InputOptions{ActiveLow: true, Bias: gpiocdev.PullUp}
			return gpiocdev.OpenInputs(w.Chip, []string{w.Interrupt}, o)
		}
	}
	opt := w.panelOptions(pinOf)
	opt.Open = func() (panel.Wires, error) { return panel.Expander(b, chip, lamps, interrupt) }
	return newBoardPanel(c, d, p, opt)
}

// boardPanel is a panel that is wired to the board.
type boardPanel struct {
	health
	seat   engine.Seat
	dev    *panel.Dev
	panels *panels
}

func newBoardPanel(c DeviceConfig, d *daemon, p *panels, opt panel.Options) (device, error) {
	dev, err := panel.New(opt)
	if err != nil {
		return nil, err
	}
	b := &boardPanel{newHealth(d, c), c.Wiring.Seat, dev, p}
	p.add(b.seat, b)
	return b, nil
}

func (b *boardPanel) run(ctx context.Context) error {
	return attend(ctx, b.dev.Run, b.dev.Reports(), func(rep panel.Report) { b.take(ctx, rep) }, b.count)
}

func (b *boardPanel) take(ctx context.Context, report panel.Report) {
	switch rep := report.(type) {
	case panel.Key:
		k := face.Press{Key: rep.KeyEvent.Key, Down: rep.Down, Prompt: rep.Prompt, Amount: int64(rep.Amount)}
		if r, ok := b.panels.request(b.seat, k); ok {
			b.table.Ask(ctx, r)
		}
	case panel.Prepared:
		b.panels.again(b.seat)
	case port.State:
		b.state(rep)
		b.table.Device(ctx, panelName(b.seat), rep.Up, b.told.Text)
	}
}

func (b *boardPanel) show(_ engine.Seat, f *face.Face) {
	f.Prepared = b.dev.Set(bridge.Lamps{On: f.Lit, Blink: f.Blink}, f.Ask())
}

func (b *boardPanel) count() {
	s := b.dev.Stats()
	b.counted(map[string]uint64{"lost_edges": s.Lost, "encoder_jumps": s.Jumps})
}

// state says that a device of the board works, or why it does not.
func (h *health) state(s port.State) {
	why := ""
	if s.Err != nil {
		why = s.Err.Error()
	}
	h.is(s.Up, why, s.At)
}

// lamps are lamps that stand for themselves.
type lamps struct {
	health
	dev   *lamp.Dev
	wires []LampWire

	on, blink uint64 // of all seats; of who calls show
}

func openPCA(c DeviceConfig, d *daemon, p *panels) (device, error) {
	b, err := d.i2cBus(c)
	if err != nil {
		return nil, err
	}
	return newLamps(c, d, p, func() (lamp.Bank, error) { return lamp.PCA9685(b, c.Wiring.Address) })
}

func openStrip(c DeviceConfig, d *daemon, p *panels) (device, error) {
	w := c.Wiring
	return newLamps(c, d, p, func() (lamp.Bank, error) { return lamp.WS2812(c.Path, len(w.Lamps), w.Color) })
}

func newLamps(c DeviceConfig, d *daemon, p *panels, open func() (lamp.Bank, error)) (device, error) {
	l := &lamps{health: newHealth(d, c), dev: lamp.New(open), wires: c.Wiring.Lamps}
	seats := engine.Seats(0)
	for _, w := range l.wires {
		if w.Seat != 0 && !seats.Has(w.Seat) {
			seats = seats.With(w.Seat)
			p.add(w.Seat, l)
		}
	}
	return l, nil
}

func (l *lamps) run(ctx context.Context) error {
	return attend(ctx, l.dev.Run, l.dev.Reports(), l.state, func() {})
}

func (l *lamps) show(seat engine.Seat, f *face.Face) {
	for i, w := range l.wires {
		if w.Seat != seat {
			continue
		}
		bit := uint64(1) << i
		l.on &^= bit
		l.blink &^= bit
		if f.Lit&w.Bit != 0 {
			l.on |= bit
		}
		if f.Blink&w.Bit != 0 {
			l.blink |= bit
		}
	}
	l.dev.Set(l.on, l.blink)
}

// seatScreen is a display beside a seat's panel.
type seatScreen struct {
	health
	dev   *screen.Dev
	seat  engine.Seat
	size  image.Point
	units engine.Chips
	shown display.Face // of who calls show
}

// oledOpener is what sets up a display on an I²C bus.
type oledOpener func(i2c.Bus, uint16, image.Point) (screen.Display, error)

func openOLED(set oledOpener) func(DeviceConfig, *daemon, *panels) (device, error) {
	return func(c DeviceConfig, d *daemon, p *panels) (device, error) {
		b, err := d.i2cBus(c)
		if err != nil {
			return nil, err
		}
		w := c.Wiring
		return newScreen(c, d, p, func() (screen.Display, error) { return set(b, w.Address, w.Size) }), nil
	}
}

func openTFT(kind screen.TFTKind) func(DeviceConfig, *daemon, *panels) (device, error) {
	return func(c DeviceConfig, d *daemon, p *panels) (device, error) {
		w := c.Wiring
		o := screen.TFTOptions{
			Kind: kind, Path: c.Path, Chip: w.Chip, DC: w.DC, Reset: w.Reset, Light: w.Light, Size: w.Size, Flip: w.Flip,
		}
		return newScreen(c, d, p, func() (screen.Display, error) { return screen.TFT(o) }), nil
	}
}

func newScreen(c DeviceConfig, d *daemon, p *panels, open func() (screen.Display, error)) device {
	s := &seatScreen{health: newHealth(d, c), dev: screen.New(open), seat: c.Wiring.Seat, size: c.Wiring.Size, units: d.cfg.units()}
	p.add(c.Wiring.Seat, s)
	return s
}

func (s *seatScreen) run(ctx context.Context) error {
	return attend(ctx, s.dev.Run, s.dev.Reports(), s.state, func() {})
}

func (s *seatScreen) show(_ engine.Seat, f *face.Face) {
	shown := display.Face{Turn: f.Prompt != 0, Units: s.units}
	for _, line := range f.Lines {
		if line != "" {
			shown.Lines = append(shown.Lines, line)
		}
	}
	if f.Bet.Max > 0 {
		shown.Prepared = engine.Chips(f.Prepared)
	}
	if !shown.Equal(s.shown) {
		s.shown = shown
		s.dev.Show(display.Picture(s.size, shown))
	}
}
