package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/face"
	"tavolo/controller"
	"tavolo/display"
	i2cbus "tavolo/drivers/bus"
	"tavolo/drivers/panel"
	"tavolo/drivers/port"
	"tavolo/drivers/seatnode"
	"tavolo/drivers/sim"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

func TestBoardConfig(t *testing.T) {
	c, err := LoadConfig("testdata/board.toml")
	if err != nil {
		t.Fatal(err)
	}
	want := []Wiring{
		{
			Seat: 1, Chip: "pinctrl-rp1", Encoder: []string{"SEAT1_A", "SEAT1_B"}, Detent: 4,
			Keys: []KeyWire{
				{bridge.KeyFold, "SEAT1_FOLD"},
				{bridge.KeyCall, "SEAT1_CALL"},
				{bridge.KeyBet, "SEAT1_BET"},
				{bridge.KeyAllIn, "SEAT1_ALL_IN"},
				{bridge.KeySit, "SEAT1_SIT"},
				{bridge.KeyShow, "SEAT1_SHOW"},
				{bridge.KeyMuck, "SEAT1_MUCK"},
			},
			Lamps: []LampWire{{1, bridge.SeatLamp, "SEAT1_TURN"}, {1, bridge.LampOf(bridge.KeyFold), "SEAT1_FOLD_LAMP"}},
		},
		{
			Seat: 2, Address: 0x20, Mux: 0x70, Interrupt: "SEAT2_INT", Chip: "pinctrl-rp1", Encoder: []string{"B0", "B1"}, Detent: 4,
			Keys: []KeyWire{
				{bridge.KeyFold, "A0"},
				{bridge.KeyCall, "A1"},
				{bridge.KeyBet, "A2"},
				{bridge.KeyAllIn, "A3"},
				{bridge.KeySit, "A4"},
				{bridge.KeyShow, "A5"},
				{bridge.KeyMuck, "A6"},
			},
			Lamps: []LampWire{{2, bridge.SeatLamp, "B7"}, {2, bridge.LampOf(bridge.KeyCall), "A7"}},
		},
		{Address: 0x40, Lamps: []LampWire{
			{Seat: 1, Bit: bridge.LampOf(bridge.KeyCall)},
			{Seat: 1, Bit: bridge.LampOf(bridge.KeyBet)},
			{},
			{Seat: 2, Bit: bridge.LampOf(bridge.KeyFold)},
		}},
		{Color: color.NRGBA{0x40, 0x40, 0x40, 0xff}, Lamps: []LampWire{{Seat: 1, Bit: bridge.SeatLamp}, {Seat: 2, Bit: bridge.SeatLamp}}},
		{Seat: 1, Address: 0x3c, Mux: 0x70, Channel: 1, Size: image.Pt(128, 64)},
		{Seat: 2, Chip: "pinctrl-rp1", DC: "DISPLAY2_DC", Reset: "DISPLAY2_RESET", Light: "DISPLAY2_LIGHT", Size: image.Pt(240, 240)},
		{Chip: "pinctrl-rp1", Reset: "SHOE_RESET"},
		{Chip: "pinctrl-rp1", Gate: "SHOE_GATE", Lid: "SHOE_LID", Jam: 3 * time.Second},
		{Chip: "pinctrl-rp1", Busy: "MUCK_BUSY", Reset: "MUCK_RESET"},
	}
	if w := (Wiring{Seat: 1, Chip: "pinctrl-rp1", Line: "SEAT1_LINE"}); !reflect.DeepEqual(c.Devices[len(c.Devices)-1].Wiring, w) {
		t.Errorf("the barrier: %+v, want %+v", c.Devices[len(c.Devices)-1].Wiring, w)
	}
	for i, w := range want {
		if got := c.Devices[i].Wiring; !reflect.DeepEqual(got, w) {
			t.Errorf("%s: %+v, want %+v", c.Devices[i].Name, got, w)
		}
	}
	scale := ScaleConfig{Device: "cell-1", Scale: calibration.Scale{
		Zone: engine.Zone{Kind: engine.ZoneSpot, Seat: 1}, Zero: -20500, Mark: 410200, Known: 500000, Noise: 500,
		Kinds: []calibration.ChipKind{{Value: 5, Weight: 10000, Tolerance: 50}, {Value: 25, Weight: 13500, Tolerance: 50}},
	}}
	if !reflect.DeepEqual(c.Scales, []ScaleConfig{scale}) || !slices.Contains(c.zones(), scale.Zone) {
		t.Errorf("scales %+v, zones %v", c.Scales, c.zones())
	}
	if got := c.devices(); !reflect.DeepEqual(got, []string{"shoe", "shoe-contacts", "muck", "panel of seat 1", "panel of seat 2"}) {
		t.Errorf("the table waits for %v", got)
	}
}

func TestBoardConfigFaults(t *testing.T) {
	// {1} is the line where the first device begins; its kind is on {3}.
	first := strings.Count(smallest, "\n")
	dev := func(lines string) string { return "[[devices]]\nname = \"d\"\n" + lines + "\n" }
	gpio := func(lines string) string { return dev("kind = \"gpio-panel\"\nseat = 1\n" + lines) }
	chip := func(lines string) string {
		return dev("kind = \"mcp23017-panel\"\npath = \"/dev/i2c-1\"\nseat = 1\n" + lines)
	}
	contacts := func(lines string) string { return dev("kind = \"gpio-shoe\"\n" + lines) }
	mouth := "[deck]\nfile = \"deck.toml\"\n[[devices]]\nname = \"m\"\nkind = \"pepper-c1\"\npath = \"/dev/a\"\nzones = [\"shoe\"]\n"
	barrier := dev("kind = \"gpio-beam\"\nseat = 1\nline = \"L\"")
	cell := "[[devices]]\nname = \"c\"\nkind = \"load-cell\"\npath = \"/sys/bus/iio/devices/iio:device0\"\n"
	scale := func(zone, more string) string { // of 10 lines
		return "[[scales]]\nzone = \"" + zone + "\"\ndevice = \"c\"\nzero = 1\nmark = 1001\nknown = 100000\n" +
			"[[scales.chips]]\nvalue = 1\nweight = 10000\n" + more + "\n"
	}
	for _, c := range []struct{ name, text, want string }{
		{"a load cell of no scale", cell, `{2}: devices[0].name: no scale hangs on it: want one in [[scales]] with device = "c"`},
		{"a scale of no load cell", scale("pot", ""), `{3}: scales[0].device: no device "c": want one in [[devices]] of kind load-cell`},
		{"a scale of no node", strings.Replace(scale("pot", ""), "device = \"c\"\n", "", 1), `{1}: scales[0].device: missing: want a device of kind load-cell, or a zone of a seat with a node, which has a scale`},
		{"a scale under cards", cell + scale("board", ""), `{6}: scales[0].zone: in board lie cards: want a stack, a spot, the pot or the tray`},
		{"a scale of nobody here", cell + scale("spot 1", ""), `{6}: scales[0].zone: the player of seat 1 is elsewhere and has no chips here`},
		{"a scale of no seat", cell + scale("stack 9", ""), `{6}: scales[0].zone: there is no seat 9`},
		{"a scale that does not move", cell + strings.Replace(scale("pot", ""), "1001", "1", 1), `{9}: scales[0].mark: the same reading as zero: want that with a weight on the scale`},
		{"chips as light as noise", cell + strings.Replace(scale("pot", ""), "weight = 10000", "weight = 900", 1), `{11}: scales[0].chips[0]: a chip of 900 mg is no more than the noise of 500 mg to both sides: want a better scale`},
		{"a scale half described", cell + "[[scales]]\nzone = \"pot\"\ndevice = \"c\"\nmark = 1\nknown = 5\n", `{5}: scales[0].zero: missing: want a whole number from -8388608 to 8388607`},
		{"two scales of a load cell", cell + scale("pot", "") + scale("tray", ""), `{17}: scales[1].device: c is on line {7} too`},
		{"a barrier before nothing", barrier, `{4}: devices[0].seat: nothing sees the chips that cross the line: want a reader or a scale at zone "spot 1"`},
		{"a barrier without a line", strings.Replace(barrier, "line", "lines", 1), `{1}: devices[0].line: missing: want the name of a line, as gpioinfo lists them
{4}: devices[0].seat: nothing sees the chips that cross the line: want a reader or a scale at zone "spot 1"
{5}: devices[0].lines: unknown key: want one of chip, kind, line, name, seat, zones`},
		{"contacts of no shoe", contacts("gate = \"G\""), `{3}: devices[0].kind: no antenna watches the shoe: want the zone "shoe" at a card reader's`},
		{"a shoe of no contacts", mouth + contacts(""), `{8}: devices[1].gate: missing: want the line of the contact there, or that of the lid, or both`},
		{"one line for two contacts", mouth + contacts("gate = \"S\"\nlid = \"S\""), `{12}: devices[1].lid: S is on line {11} too`},
		{"a jam of no gate", mouth + contacts("lid = \"L\"\njam = \"2s\""), `{12}: devices[1].jam: no gate: it would be how long that is open`},
		{"a jam at once", mouth + contacts("gate = \"G\"\njam = \"1ms\""), `{12}: devices[1].jam: "1ms": want a time from 100ms to 1m0s, such as 20s`},
		{"a line of no name", mouth + contacts("gate = \"G\"\nlid = \"\""), `{12}: devices[1].lid: "": want the name of a line, as gpioinfo lists them`},
		{
			"contacts of two shoes", mouth + contacts("gate = \"G\"") + strings.Replace(contacts("lid = \"L\""), `"d"`, `"e"`, 1),
			`{14}: devices[2].kind: gpio-shoe is on line {10} too`,
		},
		{"no keys", gpio(""), `{1}: devices[0].keys: missing: want the line of each key, such as { fold = "SEAT1_FOLD" }`},
		{"no such key", gpio(`keys = { fold = "F", rase = "R" }`), `{5}: devices[0].keys.rase: unknown key: want one of all-in, bet, call, fold, muck, show, sit`},
		{"a line twice", gpio("keys = { fold = \"F\", call = \"C\" }\nlamps = { turn = \"F\" }"), `{6}: devices[0].lamps.turn: F is on line {5} too`},
		{"an encoder of one contact", gpio("keys = { fold = \"F\" }\nencoder = [\"A\"]"), `{6}: devices[0].encoder: 1 contacts: want 2, A and B`},
		{"no such lamp", gpio("keys = { fold = \"F\" }\nlamps = { red = \"R\" }"), `{6}: devices[0].lamps.red: unknown key: want one of all-in, bet, call, fold, muck, show, sit, turn`},
		{"a detent of none", gpio("keys = { fold = \"F\" }\ndetent = 0"), `{6}: devices[0].detent: want a whole number from 1 to 4`},
		{"a path of lines", gpio("keys = { fold = \"F\" }\npath = \"/dev/gpiochip0\""), `{6}: devices[0].path: unknown key: want one of chip, detent, encoder, keys, kind, lamps, name, seat, zones`},
		{"no such seat", strings.Replace(gpio(`keys = { fold = "F" }`), "seat = 1", "seat = 9", 1), `{4}: devices[0].seat: there is no seat 9`},
		{"two panels of a seat", gpio(`keys = { fold = "F" }`) + strings.Replace(gpio(`keys = { fold = "F" }`), `"d"`, `"e"`, 1), `{9}: devices[1].seat: 1 is on line {4} too`},
		{"no such pin", chip(`keys = { fold = "A8" }`), `{6}: devices[0].keys.fold: "A8": want a pin from A0 to A7 or B0 to B7`},
		{"a pin without input", chip(`keys = { fold = "A7" }`), `{6}: devices[0].keys.fold: A7 and B7 can only have lamps: want another pin`},
		{"an address of another chip", chip("keys = { fold = \"A0\" }\naddress = 0x40"), `{7}: devices[0].address: want an address from 0x20 to 0x27`},
		{"a channel of nothing", chip("keys = { fold = \"A0\" }\nchannel = 2"), `{7}: devices[0].channel: no multiplexer: want its address as mux, 0x70 to 0x77`},
		{"a chip of nothing", chip("keys = { fold = \"A0\" }\nchip = \"c\""), `{7}: devices[0].chip: no interrupt line: it would be of this chip`},
		{
			"an address twice",
			chip(`keys = { fold = "A0" }`) + "[[devices]]\nname = \"e\"\nkind = \"mcp23017-panel\"\nseat = 2\npath = \"/dev/i2c-1\"\nkeys = { fold = \"A0\" }\n",
			`{11}: devices[1].path: device 0x20 of /dev/i2c-1 is on line {4} too`,
		},
		{"the address of all PCA9685", dev("kind = \"pca9685\"\npath = \"/dev/i2c-1\"\naddress = 0x70\nlamps = [\"seat 1 turn\"]"), `{5}: devices[0].address: 0x70 is that of all such chips at once: want another`},
		{"lamps of no seat", dev("kind = \"pca9685\"\npath = \"/dev/i2c-1\"\nlamps = [\"seat 7 turn\"]"), `{5}: devices[0].lamps[0]: there is no seat 7`},
		{
			"no such lamp of a seat",
			dev("kind = \"pca9685\"\npath = \"/dev/i2c-1\"\nlamps = [\"seat 1\"]"),
			`{5}: devices[0].lamps[0]: "seat 1": want a lamp such as "seat 1 turn", with turn, fold, call, bet, all-in, sit, show or muck, or "" for one that is not wired`,
		},
		{"no lamps", dev("kind = \"ws2812\"\npath = \"/dev/spidev0.0\""), `{1}: devices[0].lamps: missing: want what each shows, such as "seat 1 turn"`},
		{"no color", dev("kind = \"ws2812\"\npath = \"/dev/spidev0.0\"\nlamps = [\"seat 1 turn\"]\ncolor = \"red\""), `{6}: devices[0].color: "red": want red, green and blue in hexadecimal, such as ffb000`},
		{"a display of no such height", dev("kind = \"sh1106\"\npath = \"/dev/i2c-1\"\nseat = 1\nheight = 32"), `{6}: devices[0].height: a display of kind sh1106 has not 32 rows: want one of [64]`},
		{
			"a display of no such size",
			dev("kind = \"ili9341\"\npath = \"/dev/spidev0.0\"\nseat = 1\ndc = \"D\"\nwidth = 240"),
			`{7}: devices[0].width: a display of kind ili9341 has not 240 by 240 pixels: want one of [(320,240) (240,320)]`,
		},
		{"a display without DC", dev("kind = \"st7789\"\npath = \"/dev/spidev0.0\"\nseat = 1"), `{1}: devices[0].dc: missing: want the name of a line, as gpioinfo lists them`},
		{"a display of nobody", dev("kind = \"ssd1306\"\npath = \"/dev/i2c-1\""), `{1}: devices[0].seat: missing: want a whole number from 1 to 10`},
		{"too many lamps", dev("kind = \"pca9685\"\npath = \"/dev/i2c-1\"\nlamps = [" + strings.Repeat(`"",`, 17) + "]"), `{5}: devices[0].lamps[16]: a device of kind pca9685 has no more lamps than 16`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := loadText(t, smallest+c.text)
			var got []string
			if err != nil {
				for _, e := range split(err) {
					_, text, _ := strings.Cut(e.Error(), ":")
					got = append(got, text)
				}
			}
			want := c.want
			for n := range 30 {
				want = strings.ReplaceAll(want, fmt.Sprintf("{%d}", n), strconv.Itoa(first+n))
			}
			if strings.Join(got, "\n") != want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
			}
		})
	}
}

// A panel at the pins of a chip says the same to the table as a node on the seat bus, and lamps beside it show the same:
// from the registers of the chips to the request, and back.
func TestBoardPanelIsAsANode(t *testing.T) {
	c, err := LoadConfig("testdata/board.toml")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		wire := sim.NewI2C()
		chip := sim.NewMCP23017(sim.NewTCA9548A(wire, 0x70).Channel(0), 0x20)
		lit := sim.NewPCA9685(wire, 0x40)
		glass := sim.NewSSD1306(wire, 0x3c)

		p, cfg := newPanels(c), c.Devices[1]
		cfg.Wiring.Interrupt = "" // a line of a board that is not here
		d := &daemon{cfg: c, buses: map[string]*i2cbus.I2C{cfg.Path: i2cbus.Over(wire)}}
		dev, err := openDevice(cfg, d, p)
		if err != nil {
			t.Fatal(err)
		}
		row, err := openDevice(c.Devices[2], d, p)
		if err != nil {
			t.Fatal(err)
		}
		cfg = c.Devices[4]
		cfg.Wiring.Seat, cfg.Wiring.Mux = 2, 0
		shown, err := openDevice(cfg, d, p)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 3)
		keys, lamps, screen := dev.(*boardPanel).dev, row.(*lamps).dev, shown.(*seatScreen).dev
		go func() { done <- keys.Run(ctx) }()
		go func() { done <- lamps.Run(ctx) }()
		go func() { done <- screen.Run(ctx) }()
		if s, ok := (<-keys.Reports()).(port.State); !ok || !s.Up {
			t.Fatalf("%+v", s)
		}
		<-lamps.Reports()
		<-screen.Reports()

		const turn = 77
		f := &face.Face{Turn: turn, Panel: seatnode.Panel{
			Lines: [seatnode.Lines]string{"CALL 20", "STACK 200"},
			Lit:   bridge.LampOf(bridge.KeyFold, bridge.KeyCall), Prompt: face.PromptOf(turn),
			Bet: seatnode.Bet{Start: 40, Min: 40, Max: 200, Step: 20},
		}}
		p.faces[2] = f
		p.again(2)
		synctest.Wait()
		if chip.Lit() != 1<<7 || lit.Lit() != 1<<3 {
			t.Errorf("lit: %x at the panel, %x beside it", chip.Lit(), lit.Lit())
		}
		for _, contacts := range []uint16{0x200, 0x300, 0x100, 0, 1 << 2} { // a detent, then bet
			chip.Contacts(contacts)
			time.Sleep(20 * time.Millisecond)
		}
		if got := <-keys.Reports(); got != (panel.Prepared{Amount: 60}) {
			t.Errorf("report %+v", got)
		}
		p.again(2)
		synctest.Wait()
		want := display.Picture(image.Pt(128, 64), display.Face{Lines: f.Lines[:2], Turn: true, Prepared: 60})
		got, _ := glass.Picture(want.Rect.Max)
		for i := range want.Pix {
			if (want.Pix[i] != 0) != (got.Pix[i] != 0) {
				t.Fatalf("the display does not show what is prepared; pixel %d", i)
			}
		}
		k, ok := (<-keys.Reports()).(panel.Key)
		r, asked := p.request(2, face.Press{Key: k.KeyEvent.Key, Down: k.Down, Prompt: k.Prompt, Amount: int64(k.Amount)})
		wanted := controller.Request{From: controller.Source{Panel: 2}, Verb: controller.VerbBetRaise, Turn: turn, Amount: 60}
		if !ok || !asked || r != wanted {
			t.Errorf("request %+v, want %+v", r, wanted)
		}
		cancel()
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// What hangs on ports is simulated also where a reader is on a bus that only a board has.
func TestHardwareOnlyBesideABoards(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 2}, func(text string) string {
		return strings.Replace(text, `"board", "burn", `, `"board", `, 1) +
			"\n[[devices]]\nname = \"burns\"\nkind = \"pn5180\"\npath = \"/dev/spidev1.0\"\nzones = [\"burn\"]\nbusy = \"BUSY\"\nreset = \"RESET\"\n"
	})
	i := slices.IndexFunc(r.cfg.Devices, func(d DeviceConfig) bool { return d.Kind == seatBus })
	p := start(t, "sim", "-c", r.file, "--hardware-only")
	eventually(t, "the seat bus is there", func() bool {
		_, err := os.Stat(r.cfg.Devices[i].Path)
		return err == nil || closed(p.done)
	})
	if closed(p.done) {
		t.Fatalf("it ended: %v", p.err)
	}
}
