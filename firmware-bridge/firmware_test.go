package bridge

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
)

// The firmware in folder node is C. Its core is compiled for this machine, with checks of memory and arithmetic.

// compile builds a program of node/host with the core, and skips the test where there is no C compiler.
func compile(t testing.TB, program string, sources ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	out := filepath.Join(t.TempDir(), program)
	args := []string{
		"-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-O1", "-g",
		"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I.", "-o", out, "host/" + program + ".c",
	}
	cmd := exec.Command(cc, append(args, sources...)...)
	cmd.Dir = "node"
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return out
}

func TestFirmwareUnits(t *testing.T) {
	program := compile(t, "test", "input.c", "frame.c")
	if said, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// twin is a Node and the C core, of which the same is expected.
type twin struct {
	testing.TB
	node *Node
	in   io.WriteCloser
	out  *bufio.Reader
}

const twinUID = 0x1122334455667788

func newTwin(t testing.TB) *twin {
	t.Helper()
	cmd := exec.Command(compile(t, "replay", "node.c", "frame.c", "sha256.c"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the C core: %v\n%s", err, &said)
		}
	})
	return &twin{TB: t, in: in, out: bufio.NewReader(out)}
}

// order gives the C core an order, and returns what came of it.
func (tw *twin) order(op byte, args ...any) []byte {
	tw.Helper()
	var b bytes.Buffer
	b.WriteByte(op)
	for _, a := range args {
		if err := binary.Write(&b, binary.LittleEndian, a); err != nil {
			tw.Fatal(err)
		}
	}
	if _, err := tw.in.Write(b.Bytes()); err != nil {
		tw.Fatal(err)
	}
	n, err := tw.out.ReadByte()
	if err != nil {
		tw.Fatal(err)
	}
	got := make([]byte, n)
	if _, err := io.ReadFull(tw.out, got); err != nil {
		tw.Fatal(err)
	}
	return got
}

func (tw *twin) start(addr Addr) {
	tw.Helper()
	tw.node = NewNode(addr, Identity{UID: twinUID, Boot: 1, Schema: SchemaHash(), Version: 0x0102, Kind: KindSeat})
	tw.order('Z', addr, uint64(twinUID))
}

// receive brings up to 255 bytes to both, which must say the same.
func (tw *twin) receive(now uint64, p []byte) {
	tw.Helper()
	want := tw.node.Receive(now, p)
	want = want[max(0, len(want)-255):]
	if got := tw.order('R', now, uint8(len(p)), p); !bytes.Equal(got, want) {
		tw.Fatalf("% x at %d: the C core says\n% x, want\n% x", p, now, got, want)
	}
}

func (tw *twin) key(now uint64, k Key, down bool) {
	if down {
		tw.node.Press(now, k)
	} else {
		tw.node.Release(now, k)
	}
	tw.order('K', now, k, down)
}

func (tw *twin) digit(d uint8) {
	tw.node.Digit(d)
	tw.order('D', d)
}

func (tw *twin) turn(steps int8) {
	tw.node.Turn(int(steps))
	tw.order('T', int32(steps))
}

func (tw *twin) clear() {
	tw.node.Clear()
	tw.order('C')
}

func (tw *twin) weigh(now uint64, counts int32) {
	tw.node.Weigh(now, counts)
	tw.order('W', now, counts)
}

// compare holds against each other what both show.
func (tw *twin) compare() {
	tw.Helper()
	ask, amount := tw.node.Asked()
	lamps := tw.node.Lamps()
	want := []byte{byte(tw.node.Addr())}
	want = binary.LittleEndian.AppendUint16(want, lamps.On)
	want = binary.LittleEndian.AppendUint16(want, lamps.Blink)
	want = binary.LittleEndian.AppendUint64(want, amount)
	want = append(append(want, ask.Prompt), tw.node.Text()...)
	if got := tw.order('S'); !bytes.Equal(got, want) {
		tw.Fatalf("the C core shows\n% x, want\n% x", got, want)
	}
}

func request(addr Addr, seq uint8, body any) []byte {
	id, payload, err := Encode(body)
	if err != nil {
		panic(err)
	}
	return AppendFrame(nil, Frame{Addr: addr, Seq: seq & ctlSeq, Type: id, Payload: payload})
}

// randomRequest is one that a host may make, or nearly.
func randomRequest(r *rand.Rand, image []byte) any {
	at := uint32(48 * r.IntN(len(image)/48+1))
	offer := Offer{Size: uint32(len(image)), Digest: sha256.Sum256(image)}
	if r.IntN(20) == 0 {
		offer.Size += uint32(r.IntN(3)) * 100_000
	}
	amount := func() uint64 { return r.Uint64() >> r.IntN(64) }
	return []any{
		Hello{},
		Hello{},
		Poll{Consumed: uint16(r.IntN(70))},
		Clock{},
		Weigh{},
		Lamps{uint16(r.Uint32()), uint16(r.Uint32())},
		Show{Text: "pot 1,250\nto call €40"[:r.IntN(23)]},
		Ask{Prompt: uint8(r.IntN(3)), Start: 100, Min: 50, Max: 1000, Step: 25},
		Ask{},
		Ask{Prompt: uint8(r.IntN(3)), Start: amount(), Min: amount(), Max: amount(), Step: amount()},
		Who{Tail: twinUID ^ r.Uint64N(2)<<r.IntN(64), Bits: uint8(r.IntN(67))},
		Who{Bits: uint8(r.IntN(2)), Except: twinUID},
		Move{UID: twinUID + uint64(r.IntN(2)), Addr: Addr(r.IntN(17))},
		offer,
		Chunk{At: at, Data: image[at:min(int(at)+48, len(image))]},
		Install{Digest: offer.Digest},
	}[r.IntN(16)]
}

// The C core answers as package bridge does, whatever happens at the node and comes over the bus.
func TestFirmwareIsTheNode(t *testing.T) {
	tw := newTwin(t)
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		tw.start(Addr(1 + r.IntN(15)))
		image, now := testImage(imageCode+r.IntN(200), Kind(1+r.IntN(4)/3)), uint64(0)
		for range 200 {
			now += r.Uint64N(1 << r.IntN(40))
			switch r.IntN(10) {
			case 0:
				tw.key(now, Key(1+r.IntN(7)), r.IntN(2) == 0)
			case 1:
				tw.digit(uint8(r.IntN(10)))
			case 2:
				tw.turn(int8(r.IntN(9) - 4))
			case 3:
				if r.IntN(4) == 0 {
					tw.clear()
				}
				tw.weigh(now, int32(r.Uint32())>>r.IntN(32))
			default:
				addr := tw.node.Addr()
				if r.IntN(10) == 0 {
					addr = Addr(r.IntN(16))
				}
				p := request(addr, uint8(r.Uint32()), randomRequest(r, image))
				switch r.IntN(20) {
				case 0:
					p[r.IntN(len(p))] ^= 1 << r.IntN(8)
				case 1:
					p = p[:r.IntN(len(p))]
				case 2:
					p = append(p, p...)
				}
				tw.receive(now, p)
			}
			tw.compare()
		}
	}
}

// A whole image, of every length around the ends of chunks and of SHA-256's blocks.
func TestFirmwareTakesAnImage(t *testing.T) {
	tw := newTwin(t)
	for size := imageCode; size < imageCode+200; size++ {
		tw.start(3)
		image := testImage(size, KindSeat)
		digest := sha256.Sum256(image)
		tw.receive(0, request(3, 0, Hello{}))
		tw.receive(0, request(3, 0, Offer{Size: uint32(size), Digest: digest}))
		for at := 0; at < size; at += 48 {
			tw.receive(0, request(3, 1, Chunk{At: uint32(at), Data: image[at:min(at+48, size)]}))
		}
		tw.receive(0, request(3, 2, Install{digest}))
		if tw.node.Installed() == nil {
			t.Fatalf("%d bytes were not installed", size)
		}
		tw.receive(0, request(3, 2, Hello{}))
	}
}

// Any bytes at all are taken alike.
func FuzzFirmware(f *testing.F) {
	tw := newTwin(f)
	f.Add([]byte{0}, uint8(3))
	for _, body := range sampleMessages {
		if id, payload, err := Encode(body); err == nil {
			f.Add(AppendFrame(nil, Frame{Addr: 3, Seq: 1, Type: id, Payload: payload}), id)
		}
	}
	f.Fuzz(func(t *testing.T, p []byte, id uint8) {
		tw.TB = t
		tw.start(3)
		tw.receive(1, request(3, 0, Hello{}))
		tw.receive(2, p[:min(len(p), 255)])
		tw.receive(3, AppendFrame(nil, Frame{Addr: 3, Type: id, Payload: p[:min(len(p), MaxPayload)]}))
		tw.compare()
	})
}
