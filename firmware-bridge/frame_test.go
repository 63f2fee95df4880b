package bridge

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
)

// decode feeds p to d in one go and copies what comes out.
func decode(d *Decoder, p []byte) (frames []Frame) {
	for _, b := range p {
		if f, ok := d.Push(b); ok {
			f.Payload = bytes.Clone(f.Payload)
			frames = append(frames, f)
		}
	}
	return frames
}

var sampleFrames = []Frame{
	{Addr: 0, Type: 1, Payload: []byte{}},
	{Addr: 3, Seq: 7, Type: 4, Payload: []byte{0x39, 0}},
	{Addr: 14, Reply: true, Seq: 5, Ack: true, More: true, Type: 255, Payload: bytes.Repeat([]byte{0}, MaxPayload)},
	{Addr: 15, Reply: true, Ack: true, Type: 0, Payload: bytes.Repeat([]byte{0xA5}, MaxPayload)},
}

// The bytes of a poll on the wire, worked out by hand, so that other firmware can be checked against them.
func TestFrameOnTheWire(t *testing.T) {
	got := AppendFrame(nil, Frame{Addr: 3, Seq: 5, Type: 4, Payload: []byte{0x39, 0}})
	crc := CRC16([]byte{3, 5, 4, 0x39, 0})
	want := []byte{5, 3, 5, 4, 0x39, 3, byte(crc), byte(crc >> 8), 0}
	if !bytes.Equal(got, want) {
		t.Errorf("got % x, want % x", got, want)
	}
	reply := AppendFrame(nil, Frame{Addr: 3, Reply: true, Seq: 5, Ack: true, More: true, Type: 3})
	if want := []byte{0x83, 0x1D, 3}; !bytes.Equal(reply[1:4], want) {
		t.Errorf("the head of a reply is % x, want % x", reply[1:4], want)
	}
}

func TestDecoderFindsFrames(t *testing.T) {
	var stream []byte
	for _, f := range sampleFrames {
		stream = AppendFrame(stream, f)
	}
	var d Decoder
	if got := decode(&d, stream); !reflect.DeepEqual(got, sampleFrames) {
		t.Errorf("got  %v\nwant %v", got, sampleFrames)
	}
	if want := (Counters{Frames: 4}); d.Counters != want {
		t.Errorf("counters %+v, want %+v", d.Counters, want)
	}
}

func TestDecoderSurvivesTheLine(t *testing.T) {
	good := AppendFrame(nil, sampleFrames[1])
	flipped := bytes.Clone(good)
	flipped[3] ^= 1
	reserved := func(head ...byte) []byte {
		crc := CRC16(head)
		return append(appendCOBS(nil, append(head, byte(crc), byte(crc>>8))), delimiter)
	}
	for _, c := range []struct {
		name string
		in   [][]byte
		want Counters
	}{
		{"delimiters", [][]byte{{0, 0, 0}, good, {0}}, Counters{Frames: 1}},
		{"noise of its own", [][]byte{{0x55, 0xAA, 0xFF, 0}, good}, Counters{Frames: 1, Malformed: 1}},
		{"noise before a frame", [][]byte{{0x55}, good, good}, Counters{Frames: 1, Malformed: 1}},
		{"cut off", [][]byte{good[:4], {0}, good}, Counters{Frames: 1, Malformed: 1}},
		{"head missing", [][]byte{good[3:], good}, Counters{Frames: 1, Malformed: 1}},
		{"delimiter lost", [][]byte{good[:len(good)-1], good, good}, Counters{Frames: 1, Checksum: 1}},
		{"bit flipped", [][]byte{flipped, good}, Counters{Frames: 1, Checksum: 1}},
		{"endless noise", [][]byte{bytes.Repeat([]byte{1}, 1000), {0}, good}, Counters{Frames: 1, Malformed: 1}},
		{"too short", [][]byte{{3, 1, 2, 0}, good}, Counters{Frames: 1, Malformed: 1}},
		{"reserved address bit", [][]byte{reserved(0x13, 5, 4), good}, Counters{Frames: 1, Malformed: 1}},
		{"reserved control bit", [][]byte{reserved(3, 0x25, 4), good}, Counters{Frames: 1, Malformed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d Decoder
			decode(&d, bytes.Join(c.in, nil))
			if d.Counters != c.want {
				t.Errorf("counters %+v, want %+v", d.Counters, c.want)
			}
		})
	}
}

func TestAppendFramePanicsOnWhatCannotBeSent(t *testing.T) {
	for _, f := range []Frame{{Addr: 16}, {Seq: 8}, {Payload: make([]byte, MaxPayload+1)}} {
		t.Run(fmt.Sprint(f.Addr, f.Seq), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			AppendFrame(nil, f)
		})
	}
}

// Whatever comes before, a frame that follows a delimiter is found, and what is found is what was sent.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte{}, []byte{1, 2, 3})
	f.Add(AppendFrame(nil, sampleFrames[2]), []byte{})
	f.Add(bytes.Repeat([]byte{0xFF}, 300), bytes.Repeat([]byte{0}, MaxPayload))
	f.Fuzz(func(t *testing.T, noise, payload []byte) {
		if len(payload) > MaxPayload {
			return
		}
		var d Decoder
		for _, f := range decode(&d, append(bytes.Clone(noise), delimiter)) {
			again := decode(new(Decoder), AppendFrame(nil, f))
			if len(again) != 1 || !reflect.DeepEqual(again[0], f) {
				t.Fatalf("%v came back as %v", f, again)
			}
		}
		want := Frame{Addr: 9, Seq: 2, Type: 77, Payload: bytes.Clone(payload)}
		if want.Payload == nil {
			want.Payload = []byte{}
		}
		if got := decode(&d, AppendFrame(nil, want)); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Fatalf("after % x: got %v, want %v", noise, got, want)
		}
	})
}
