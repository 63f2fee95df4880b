package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// uids puts nodes with these UIDs on a bus, all at one address.
func uids(at Addr, uids ...uint64) *bus {
	b := newBus()
	for i, uid := range uids {
		id := testIdentity(at)
		id.UID = uid
		key := Addr(100 + i) // for the test, not for the node
		b.nodes[key], b.since[key] = NewNode(at, id), time.Now()
	}
	return b
}

func uidsOf(ids []Identity) (out []uint64) {
	for _, id := range ids {
		out = append(out, id.UID)
	}
	return out
}

func TestLineFindsEveryNode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	many := make([]uint64, 30)
	for i := range many {
		many[i] = random.Uint64()
	}
	for name, want := range map[string][]uint64{
		"none":                   nil,
		"one":                    {5},
		"two that differ last":   {0xABCD_0000_0000_0000, 0xABCD_0000_0000_0001},
		"two that differ first":  {1, 1 << 63},
		"serial numbers in line": {0x7000, 0x7001, 0x7002, 0x7003, 0x7004, 0x7005, 0x7006, 0x7007, 0x7008, 0x7009},
		"thirty":                 many,
	} {
		synctest.Test(t, func(t *testing.T) {
			l := NewLine(uids(Nameless, want...), 0)
			got, err := l.Find(t.Context(), Nameless)
			slices.Sort(want)
			if err != nil || !slices.Equal(uidsOf(got), want) {
				t.Errorf("%s: found %x, %v; want %x", name, uidsOf(got), err, want)
			}
		})
	}
}

// A receiver may understand the nearer of two senders as if the other were not there.
func TestLineFindsANodeThatIsDrownedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []uint64{10, 20, 21, 1 << 60}
		b := uids(Nameless, 20, 1<<60, 10, 21)
		b.drowns = true
		got, err := NewLine(b, 0).Find(t.Context(), Nameless)
		if err != nil || !slices.Equal(uidsOf(got), want) {
			t.Errorf("found %x, %v; want %x", uidsOf(got), err, want)
		}
	})
}

func TestLineGivesUpOnNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uids(Nameless, 10, 20)
		b.fault = func(toHost bool, frame []byte) []byte {
			if toHost {
				return []byte{1, 2, 3, 0}
			}
			return frame
		}
		if got, err := NewLine(b, 0).Find(t.Context(), Nameless); err == nil {
			t.Errorf("found %x in noise", uidsOf(got))
		}
	})
}

func TestLineMovesANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uids(Nameless, 10, 20)
		l, ctx := NewLine(b, 0), t.Context()
		lost := 0
		b.fault = func(toHost bool, frame []byte) []byte { // the first reply of each is lost
			if toHost && lost < 1 {
				lost++
				return nil
			}
			return frame
		}
		if err := l.Move(ctx, 20, Nameless, 3); err != nil {
			t.Fatal(err)
		}
		if a, b := b.nodes[100].Addr(), b.nodes[101].Addr(); a != Nameless || b != 3 {
			t.Errorf("addresses %d and %d, want %d and 3", a, b, Nameless)
		}
		if err := l.Move(ctx, 10, Nameless, 3); err == nil {
			t.Error("an address was given twice")
		}
		if err := l.Move(ctx, 99, Nameless, 4); err == nil {
			t.Error("a node was moved that is not there")
		}
		if err := l.Move(ctx, 10, Nameless, 0); err == nil {
			t.Error("a node was moved to address 0")
		}
		if err := l.Move(ctx, 20, 3, Nameless); err != nil {
			t.Fatal(err)
		}
		if err := l.Move(ctx, 10, Nameless, 3); err != nil {
			t.Error(err)
		}
	})
}

// testImage is firmware 2.1 of so many bytes, for nodes of a kind.
func testImage(size int, kind Kind) []byte {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * 7 / 3)
	}
	h := data[imageHeader:]
	copy(h, imageMagic)
	h[4], h[5] = byte(kind), 0
	binary.LittleEndian.PutUint16(h[6:], 0x0201)
	binary.LittleEndian.PutUint32(h[8:], 0xC0FFEE)
	binary.LittleEndian.PutUint32(h[12:], uint32(size))
	return data
}

func TestParseImage(t *testing.T) {
	good := testImage(100, KindSeat)
	if got, err := ParseImage(good); err != nil || got != (Image{Kind: KindSeat, Version: 0x0201, Schema: 0xC0FFEE}) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "cut off": good[:99], "padded": append(slices.Clone(good), 0), "another program": make([]byte, 100),
		"too large": testImage(MaxImage+1, KindSeat),
	} {
		if got, err := ParseImage(bad); err == nil {
			t.Errorf("%s: taken as %+v", name, got)
		}
	}
}

func FuzzParseImage(f *testing.F) {
	f.Add(testImage(imageCode, KindSeat))
	f.Add(testImage(200, 9))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		image, err := ParseImage(data)
		n := NewNode(3, Identity{UID: 1, Kind: image.Kind})
		digest := sha256.Sum256(data)
		n.image.offer(Offer{Size: uint32(len(data)), Digest: digest})
		for at := 0; at < len(data); at += chunkSize {
			n.image.chunk(Chunk{At: uint32(at), Data: data[at:min(at+chunkSize, len(data))]}, image.Kind)
		}
		n.image.install(Install{digest})
		if taken := n.Installed() != nil; taken != (err == nil) {
			t.Fatalf("parsed: %v, installed: %v", err, taken)
		}
	})
}

func TestLineUpdatesANode(t *testing.T) {
	for _, size := range []int{imageCode, 48, 49, 1000, 20_000} {
		synctest.Test(t, func(t *testing.T) {
			b := newBus(2, 3)
			noise := rand.New(rand.NewPCG(uint64(size), 1))
			b.fault = func(_ bool, frame []byte) []byte { // one in ten is lost
				if noise.IntN(10) == 0 {
					return nil
				}
				return frame
			}
			had := -1
			id, err := NewLine(b, 0).Update(t.Context(), 3, testImage(size, KindSeat), func(have int) {
				if have <= had {
					t.Errorf("%d bytes after %d", have, had)
				}
				had = have
			})
			if err != nil || id.Version != 0x0201 || id.Schema != 0xC0FFEE || had != size {
				t.Errorf("%d bytes: %+v after %d, %v", size, id, had, err)
			}
			if got := b.nodes[2].id; got != testIdentity(2) {
				t.Errorf("the other node became %+v", got)
			}
		})
	}
}

var errStop = errors.New("stopped")

func TestLineGoesOnWithAnUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, image := newBus(3), testImage(5000, KindSeat)
		ctx, stop := context.WithCancelCause(t.Context())
		_, err := NewLine(b, 0).Update(ctx, 3, image, func(have int) {
			if have > 2000 {
				stop(errStop)
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
		first := -1
		_, err = NewLine(b, 0).Update(t.Context(), 3, image, func(have int) {
			if first < 0 {
				first = have
			}
		})
		if err != nil || first < 2000 || first > 2100 {
			t.Errorf("went on at byte %d, %v", first, err)
		}

		// Another image begins anew.
		other := testImage(5000, KindSeat)
		other[100]++
		first = -1
		if _, err = NewLine(b, 0).Update(t.Context(), 3, other, func(have int) { first = max(first, 0) * have }); err != nil || first != 0 {
			t.Errorf("another image: %v", err)
		}
	})
}

func TestNodeRefusesAnImage(t *testing.T) {
	good := testImage(100, KindSeat)
	for name, c := range map[string]struct {
		image  []byte
		offer  Offer
		expect ImageState
	}{
		"wrong digest": {good, Offer{Size: 100, Digest: [32]byte{1}}, ImageSpoilt},
		"another kind": {testImage(100, 9), Offer{Size: 100, Digest: sha256.Sum256(testImage(100, 9))}, ImageUnfit},
		"no firmware":  {make([]byte, 100), Offer{Size: 100, Digest: sha256.Sum256(make([]byte, 100))}, ImageUnfit},
		"too large":    {nil, Offer{Size: MaxImage + 1}, ImageUnfit},
		"too small":    {nil, Offer{Size: imageCode - 1}, ImageUnfit},
	} {
		t.Run(name, func(t *testing.T) {
			te := newTester(t)
			if c.image == nil {
				te.ask(c.offer, Progress{State: c.expect})
			} else {
				te.ask(c.offer, Progress{State: ImagePartial})
				te.ask(Chunk{At: 48, Data: c.image[48:60]}, Progress{State: ImagePartial}) // not its turn
				te.ask(Chunk{Data: c.image[:48]}, Progress{Have: 48, State: ImagePartial})
				te.ask(Chunk{Data: c.image[:48]}, Progress{Have: 48, State: ImagePartial}) // twice
				te.ask(Install{c.offer.Digest}, Progress{Have: 48, State: ImagePartial})
				te.ask(Chunk{At: 48, Data: c.image[48:96]}, Progress{Have: 96, State: ImagePartial})
				te.ask(Chunk{At: 96, Data: make([]byte, 5)}, Progress{Have: 96, State: ImagePartial}) // more than there is
				te.ask(Chunk{At: 96, Data: c.image[96:]}, Progress{State: c.expect})
			}
			te.ask(Install{c.offer.Digest}, Progress{State: c.expect})
			if te.node.Installed() != nil {
				t.Error("installed all the same")
			}
			// It stays a node, and takes a good one.
			te.ask(Offer{Size: 100, Digest: sha256.Sum256(good)}, Progress{State: ImagePartial})
			for at := 0; at < 100; at += 48 {
				te.raw(Chunk{At: uint32(at), Data: good[at:min(at+48, 100)]})
			}
			te.ask(Install{[32]byte{9}}, Progress{Have: 100, State: ImageReady})
			te.ask(Install{sha256.Sum256(good)}, Progress{Have: 100, State: ImageTaken})
			if !slices.Equal(te.node.Installed(), good) {
				t.Error("not installed")
			}
		})
	}
}

func TestLineSaysWhyANodeRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(3)
		l := NewLine(b, 0)
		for name, image := range map[string][]byte{"another kind": testImage(100, 9), "no image": make([]byte, 100)} {
			if _, err := l.Update(t.Context(), 3, image, func(int) {}); err == nil {
				t.Errorf("%s was installed", name)
			}
		}
		if _, err := l.Update(t.Context(), 4, testImage(100, KindSeat), func(int) {}); !errors.Is(err, errNoReply) {
			t.Errorf("no node: %v", err)
		}
		_, err := l.Update(t.Context(), 3, testImage(1000, KindSeat), func(have int) {
			if have > 500 {
				b.start(3, testIdentity(3))
			}
		})
		if !errors.Is(err, errRefusal) && err == nil {
			t.Errorf("a node that started over: %v", err)
		}
		if got := b.nodes[3].id; got != testIdentity(3) {
			t.Errorf("the node became %+v", got)
		}
	})
}
