// Package screen drives small displays at the seats: OLEDs with an SSD1306 or SH1106 on an I²C bus, and colour displays
// with an ST7789 or ILI9341 on SPI. Start with [New] and [Dev.Run]; [Dev.Show] gives it a picture.
//
// Each display has a goroutine of its own and keeps only the latest picture, so that a slow one is late with what is out
// of date already, and one that fails holds up nobody. Only what changed is sent.
//
// # Wiring
//
// All run at 3.3 V. OLEDs: SDA and SCL, address 0x3C or 0x3D, more than two behind a multiplexer (data sheets SSD1306, Solomon
// Systech; SH1106, Sino Wealth). Colour: SCK, MOSI and CS of an SPI bus, DC and RESET on lines of the board (data sheets
// ST7789, Sitronix; ILI9341, Ilitek). [SSD1306], [SH1106] and [TFT] say more.
//
// # Whose drivers
//
// The SSD1306's commands are those of periph.io's driver, behind which this package notices a display that was reset. For
// the other three periph.io has none, and TinyGo's do not build outside a microcontroller; they are written here.
package screen

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"tavolo/drivers/port"
)

// Display is a display that is set up.
type Display interface {
	// Draw shows a picture of the display's size; of a larger one the upper left part. It sends what is not shown already.
	Draw(image.Image) error
	// Check finds out whether the display still shows what it was sent, or sees to it that it does.
	Check() error
	// Close darkens the display and gives everything back.
	Close() error
}

// known says that a display has none of the sizes there are, nil if it has.
func known(size image.Point, sizes ...image.Point) error {
	if slices.Contains(sizes, size) {
		return nil
	}
	var want []string
	for _, s := range sizes {
		want = append(want, fmt.Sprintf("%d by %d", s.X, s.Y))
	}
	return fmt.Errorf("%d by %d pixels: want %s", size.X, size.Y, strings.Join(want, ", or "))
}

// checkEvery is how often a display is checked that has nothing new to show.
const checkEvery = 5 * time.Second

// Dev is a display that is kept through failures.
type Dev struct {
	open   func() (Display, error)
	next   chan image.Image // the latest picture, if it is not shown yet
	states chan port.State
	// Of Run's goroutine:
	state   port.State  // told last
	current image.Image // what is shown, or was
}

// New describes a display. It touches no hardware; Run does. open is called again whenever the display failed.
func New(open func() (Display, error)) *Dev {
	return &Dev{open: open, next: make(chan image.Image, 1), states: make(chan port.State, 1)}
}

// Reports is where changes of state come out, which wait for their taker. It is closed when Run returns.
func (d *Dev) Reports() <-chan port.State { return d.states }

// Show makes a picture what is shown, at once or as soon as the display works; only the latest counts. The picture must
// not be changed any more. One goroutine may call it at a time; it does not wait.
func (d *Dev) Show(img image.Image) {
	select {
	case <-d.next: // it is out of date
	default:
	}
	d.next <- img
}

// Run works the display until ctx ends, through failures, then darkens it and returns nil. It is called once.
func (d *Dev) Run(ctx context.Context) error {
	defer close(d.states)
	return port.Retry(ctx, func(err error) { d.become(ctx, err) }, d.work)
}

// work works the display until it fails.
func (d *Dev) work(ctx context.Context) (err error) {
	display, err := d.open()
	if err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	defer func() {
		if closed := display.Close(); err == nil { // else it is gone, and cannot be darkened
			err = closed
		}
	}()
	if d.current != nil {
		if err := display.Draw(d.current); err != nil {
			return fmt.Errorf("screen: %w", err)
		}
	}
	d.become(ctx, nil)
	check := time.NewTicker(checkEvery)
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case d.current = <-d.next:
			err = display.Draw(d.current)
		case <-check.C:
			err = display.Check()
		}
		if err != nil {
			return fmt.Errorf("screen: %w", err)
		}
	}
}

// become tells that the display is up, or lost, if that is news.
func (d *Dev) become(ctx context.Context, err error) {
	if !d.state.Become(err) {
		return
	}
	select {
	case d.states <- d.state:
	case <-ctx.Done():
	}
}
