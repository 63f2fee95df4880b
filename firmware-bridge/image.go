package bridge

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Image is what a firmware image says of itself: sixteen bytes at offset 28 of the file, where the vector table of a
// Cortex-M has four entries that the core reserves. The file begins with that table, and is what the node runs.
//
//	28  magic "TVLN"
//	32  kind, zero, version (16 bits)
//	36  schema
//	40  length of the image (32 bits)
//
// Numbers are little-endian.
type Image struct {
	Kind    Kind
	Version uint16 // major in the high byte
	Schema  uint32 // SchemaHash of the table it was built from
}

// MaxImage is how many bytes a firmware image has at most.
const MaxImage = 128 << 10

const (
	imageMagic  = "TVLN"
	imageHeader = 28
	imageCode   = imageHeader + 16 // the smallest image ends here
)

// ParseImage reads what an image says of itself. The error says why data is no image.
func ParseImage(data []byte) (Image, error) {
	switch {
	case len(data) > MaxImage:
		return Image{}, fmt.Errorf("bridge: firmware image has %d bytes, at most %d are allowed", len(data), MaxImage)
	case len(data) < imageCode || string(data[imageHeader:imageHeader+4]) != imageMagic:
		return Image{}, errors.New("bridge: no firmware image of a seat node: its mark is missing")
	}
	h := data[imageHeader+4:]
	if size := binary.LittleEndian.Uint32(h[8:]); int(size) != len(data) {
		return Image{}, fmt.Errorf("bridge: firmware image has %d bytes and says that it has %d: it is cut off or padded", len(data), size)
	}
	return Image{Kind: Kind(h[0]), Version: binary.LittleEndian.Uint16(h[2:]), Schema: binary.LittleEndian.Uint32(h[4:])}, nil
}
