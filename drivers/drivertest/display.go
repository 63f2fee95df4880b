package drivertest

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"
)

// Screen is a display that is set up, as package screen has it.
type Screen interface {
	Draw(image.Image) error
	Check() error
	Close() error
}

// Display is a display, and whoever looks at it. Its Driver keeps it set up.
type Display struct {
	Driver
	// Show is the Driver's.
	Show func(image.Image)
	// Open sets the display up, without the Driver.
	Open func() (Screen, error)
	Size image.Point
	// Place is what an error says of where the display is.
	Place string
	// Shows is what can be seen, nil while it is dark. Sent is how many bytes of pictures the display has got so far.
	Shows func() image.Image
	Sent  func() int
	// Reset takes the display's supply away for a moment.
	Reset func()
	// Unplug cuts its wires, Plug mends them.
	Unplug, Plug func()
}

// TestDisplay runs the suite for displays.
func TestDisplay(t *testing.T, in In, start func(*testing.T) Display) {
	each(t, in, start, func(d Display) Driver { return d.Driver }, []test[Display]{
		{"PicturesShow", picturesShow},
		{"OnlyWhatChangedIsSent", onlyWhatChangedIsSent},
		{"ResetIsFoundOut", resetIsFoundOut},
		{"FailureIsTold", failureIsTold},
		{"LatestPictureIsKept", latestPictureIsKept},
		{"AbsentAtFirst", displayAbsent},
	})
}

// picture is a black picture with white parts.
func picture(r image.Rectangle, white ...image.Rectangle) *image.RGBA {
	img := image.NewRGBA(r)
	draw.Draw(img, r, image.Black, image.Point{}, draw.Src)
	for _, w := range white {
		draw.Draw(img, w, image.White, image.Point{}, draw.Src)
	}
	return img
}

// marked is a picture of the display's size, with a mark of its own in a corner that is white and a spot far from it.
func (d Display) marked(n int) *image.RGBA {
	r := image.Rectangle{Max: d.Size}
	return picture(r, image.Rect(0, 0, 10+n, 5+n), image.Rect(d.Size.X-3, d.Size.Y-2, d.Size.X, d.Size.Y))
}

// shows is whether a picture of two colours can be seen.
func (d Display) shows(want image.Image) bool {
	got := d.Shows()
	if got == nil || got.Bounds().Size() != d.Size {
		return false
	}
	white := func(img image.Image, x, y int) bool {
		at := img.Bounds().Min.Add(image.Pt(x, y))
		return at.In(img.Bounds()) && color.GrayModel.Convert(img.At(at.X, at.Y)).(color.Gray).Y >= 0x80
	}
	for y := range d.Size.Y {
		for x := range d.Size.X {
			if white(got, x, y) != white(want, x, y) {
				return false
			}
		}
	}
	return true
}

// open sets the display up.
func (b *bench) open(d Display) Screen {
	b.t.Helper()
	s, err := d.Open()
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// draw draws a picture, which can be seen then.
func (b *bench) draw(d Display, s Screen, what string, img image.Image) {
	b.t.Helper()
	if err := s.Draw(img); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	if !d.shows(img) {
		b.t.Errorf("%s does not show", what)
	}
}

// A picture shows from its upper left corner on, as far as it goes and fits, wherever its coordinates begin. A display that is
// closed shows nothing.
func picturesShow(b *bench, d Display) {
	s := b.open(d)
	b.draw(d, s, "a picture", d.marked(0))
	whole := image.Rectangle{Max: d.Size}
	b.draw(d, s, "one that begins elsewhere", picture(whole.Add(image.Pt(-7, 300)), image.Rect(0, 305, 20, 310)))
	b.draw(d, s, "a larger one", picture(image.Rectangle{Max: d.Size.Mul(2)}, image.Rect(d.Size.X-9, 3, d.Size.X+40, 9)))
	b.draw(d, s, "a smaller one", picture(image.Rect(0, 0, 16, 8), image.Rect(0, 0, 8, 8)))
	b.draw(d, s, "black", picture(whole))
	b.draw(d, s, "white", picture(whole, whole))
	if err := s.Close(); err != nil {
		b.t.Error(err)
	}
	if d.Shows() != nil {
		b.t.Error("closed, it still shows something")
	}
}

func onlyWhatChangedIsSent(b *bench, d Display) {
	s := b.open(d)
	b.draw(d, s, "the first picture", d.marked(0))
	whole := d.Sent()
	b.draw(d, s, "the same again", d.marked(0))
	if again := d.Sent() - whole; again != 0 {
		b.t.Errorf("for the same picture again %d bytes were sent", again)
	}
	b.draw(d, s, "a little more", d.marked(1))
	if little := d.Sent() - whole; little == 0 || little > whole/8 {
		b.t.Errorf("for a little more %d bytes were sent, for all %d", little, whole)
	}
	if err := s.Close(); err != nil {
		b.t.Error(err)
	}
}

// A display that was reset is found out by the next check, or mended by it. One that is set up anew gets its whole picture.
func resetIsFoundOut(b *bench, d Display) {
	s := b.open(d)
	b.draw(d, s, "a picture", d.marked(0))
	if err := s.Check(); err != nil {
		b.t.Errorf("a display that works: %v", err)
	}
	d.Reset()
	if err := s.Check(); err == nil && !d.shows(d.marked(0)) {
		b.t.Error("a display that was reset passes for one that shows its picture")
	} else if err != nil && !strings.Contains(err.Error(), d.Place) {
		b.t.Errorf("after a reset: %v, which does not say where: %s", err, d.Place)
	}
	if err := s.Close(); err != nil {
		b.t.Error(err)
	}
	s = b.open(d)
	b.draw(d, s, "set up anew, the picture", d.marked(0))
	if err := s.Close(); err != nil {
		b.t.Error(err)
	}
}

// What a bus that fails does to each call is told, with the place.
func failureIsTold(b *bench, d Display) {
	s := b.open(d)
	b.draw(d, s, "a picture", d.marked(0))
	d.Unplug()
	_, opened := d.Open()
	for what, err := range map[string]error{"Draw": s.Draw(d.marked(1)), "Check": s.Check(), "Close": s.Close(), "Open": opened} {
		if err == nil || !strings.Contains(err.Error(), d.Place) {
			b.t.Errorf("%s of a display that is gone: %v, want an error with %s", what, err, d.Place)
		}
	}
	d.Plug()
}

// The driver has the display show the latest picture, whatever happens to it, and leaves it dark.
func latestPictureIsKept(b *bench, d Display) {
	b.run()
	b.state(true)
	at := func(n int) { b.eventually("a picture shows", func() bool { return d.shows(d.marked(n)) }) }
	d.Show(d.marked(0))
	at(0)
	d.Reset()
	at(0)
	b.eventually("it is up", func() bool { return b.told.Up })
	d.Unplug()
	d.Show(d.marked(1))
	b.state(false)
	d.Show(d.marked(2))
	d.Show(d.marked(3))
	d.Plug()
	b.state(true)
	at(3)
	d.Show(d.marked(4))
	at(4)
}

func displayAbsent(b *bench, d Display) {
	d.Unplug()
	d.Show(d.marked(0))
	b.run()
	b.state(false)
	d.Plug()
	b.state(true)
	b.eventually("the picture shows", func() bool { return d.shows(d.marked(0)) })
}
