package display

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the pictures anew; look at them before you keep them")

// faces are what displays show, by the names of their pictures.
var faces = map[string]Face{
	"waiting":  {Lines: []string{"STACK 1250", "POT 30"}},
	"turn":     {Lines: []string{"CALL 20", "MIN 40", "STACK 180", "POT 30"}, Turn: true},
	"prepared": {Lines: []string{"CALL 20", "MIN 40", "STACK 180", "POT 30"}, Turn: true, Prepared: 120},
	"all-in":   {Lines: []string{"CALL 12345678 ALL IN", "STACK 12345678"}, Turn: true},
	"won":      {Lines: []string{"WON 12.50", "STACK 190.00"}},
	"cents":    {Lines: []string{"CHECK", "MIN 0.40", "STACK 9.80"}, Turn: true, Prepared: 65, Units: 100},
	"empty":    {},
}

// The pictures are those in testdata, pixel for pixel, for each size of display.
func TestPictures(t *testing.T) {
	for _, size := range []image.Point{{128, 64}, {128, 32}, {240, 240}, {320, 240}, {240, 320}} {
		for name, face := range faces {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.X, size.Y), func(t *testing.T) {
				got := Picture(size, face)
				file := filepath.Join("testdata", "pictures", strings.TrimPrefix(t.Name(), "TestPictures/")+".png")
				if *update {
					keep(t, file, got)
				}
				f, err := os.Open(file)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				want, err := png.Decode(f)
				if err != nil {
					t.Fatal(err)
				}
				if want.Bounds() != got.Rect {
					t.Fatalf("%v, want %v", got.Rect, want.Bounds())
				}
				for y := range size.Y {
					for x := range size.X {
						if !equal(got.At(x, y), want.At(x, y)) {
							t.Fatalf("%d,%d is %v, want %v; see -update", x, y, got.At(x, y), want.At(x, y))
						}
					}
				}
			})
		}
	}
}

func equal(a, b color.Color) bool { return color.NRGBAModel.Convert(a) == color.NRGBAModel.Convert(b) }

func keep(t *testing.T, file string, img image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// What a display shows differs where the seat's situation does, and fits however small it is.
func TestPicturesDiffer(t *testing.T) {
	seen := map[string]string{}
	for name, f := range faces {
		pix := string(Picture(image.Pt(128, 64), f).Pix)
		if other := seen[pix]; other != "" {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[pix] = name
	}
	for _, size := range []image.Point{{}, {1, 1}, {8, 8}, {128, 16}, {1000, 10}} {
		if img := Picture(size, faces["all-in"]); img.Rect.Size() != size {
			t.Errorf("%v gives %v", size, img.Rect)
		}
	}
}
