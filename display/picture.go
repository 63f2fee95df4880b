package display

import (
	"image"
	"image/color"
	"image/draw"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"tavolo/engine"
)

// Face is what a seat's display shows as a picture.
type Face struct {
	// Lines are those of SeatText, the most important first.
	Lines []string
	// Turn is whether it is the seat's turn, which a bar behind the first line shows.
	Turn bool
	// Prepared is the bet that is prepared at the seat's panel, 0 for none; Units as in SeatNote.
	Prepared, Units engine.Chips
}

// Equal is whether two faces look the same.
func (f Face) Equal(g Face) bool {
	return slices.Equal(f.Lines, g.Lines) && f.Turn == g.Turn && f.Prepared == g.Prepared && f.Units == g.Units
}

// palette is what pictures are made of: whatever is not black is lit on a display of one colour.
var palette = color.Palette{color.Black, color.White, color.RGBA{0xff, 0xb0, 0x00, 0xff}}

const (
	black = iota
	white
	amber
)

// A row is what a line needs at scale 1; a character is as wide as the font has it, or as narrow as it may be read.
const (
	rowHeight = 16
	baseline  = 12
	wide      = 7
	narrow    = 6
)

// Picture draws a face for a display of a size in pixels, 128 by 32 or larger. What there is no room for is left out, the
// least important first. The same face and size give the same picture; any goroutine may call it.
func Picture(size image.Point, f Face) *image.Paletted {
	img := image.NewPaletted(image.Rectangle{Max: size}, palette)
	lines := slices.Clone(f.Lines)
	if f.Prepared > 0 {
		lines = slices.Insert(lines, min(1, len(lines)), "BET "+amount(f.Prepared, f.Units))
	}
	scale := max(1, size.Y/(rowHeight*maxLines))
	spare := size.Y/(rowHeight*scale) - len(lines)
	y := 0
	for i, line := range lines {
		rows := 1
		if i == 0 && spare > 0 && len(line)*narrow*2*scale <= size.X {
			rows = 2 // the first line is the largest where there is room
		}
		row := image.Rect(0, y, size.X, y+rows*scale*rowHeight)
		if row.Max.Y > size.Y {
			break
		}
		ink := uint8(white)
		if i == 0 && f.Turn {
			draw.Draw(img, row, image.NewUniform(palette[amber]), image.Point{}, draw.Src)
			ink = black
		}
		write(img, row, line, ink)
		y = row.Max.Y
	}
	return img
}

// write writes a line of text into a row of a picture, as large as there is room for it.
func write(img *image.Paletted, row image.Rectangle, line string, ink uint8) {
	if line == "" {
		return
	}
	letters := *basicfont.Face7x13
	fits := func(advance int) int { return min(row.Dy()/rowHeight, row.Dx()/(len(line)*advance)) }
	if letters.Advance = wide; fits(narrow) > fits(wide) {
		letters.Advance = narrow
	}
	width, scale := len(line)*letters.Advance, max(1, fits(letters.Advance))
	mask := image.NewAlpha(image.Rect(0, 0, width, rowHeight))
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: &letters, Dot: fixed.P(0, baseline)}
	d.DrawString(line)
	at := row.Min.Add(image.Pt(min(2*scale, (row.Dx()-width*scale)/2), (row.Dy()-rowHeight*scale)/2))
	for y := range rowHeight * scale {
		for x := range width * scale {
			if p := at.Add(image.Pt(x, y)); mask.AlphaAt(x/scale, y/scale).A > 127 && p.In(img.Rect) {
				img.SetColorIndex(p.X, p.Y, ink)
			}
		}
	}
}
