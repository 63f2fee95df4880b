package bridge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	lookAgain  = 4                      // questions that nobody answers, before a place counts as empty: a reply may be late on a busy machine
	askAgain   = 10                     // requests to a node that must be there, before it counts as gone
	maxLooks   = 4096                   // questions of a search, before the line counts as too noisy for one
	chunkSize  = 48                     // bytes of an image in a Chunk
	startTime  = 10 * time.Second       // a node has to start with new firmware
	startPause = 100 * time.Millisecond // between two looks whether it has
)

// Line is a bus in the hands of a technician, who finds nodes, gives them addresses and new firmware. Nobody else, no
// Master either, uses the bus meanwhile. It is for one goroutine. Every error of the port ends what was asked for.
type Line struct {
	wire  wire
	peers [Nameless + 1]peer
}

// NewLine begins to use a bus. reply is as in [Config].
func NewLine(port Port, reply time.Duration) *Line {
	if reply == 0 {
		reply = defaultReply
	}
	l := &Line{wire: wire{reply: reply}}
	l.wire.attach(port)
	for a := range l.peers {
		l.peers[a].addr = Addr(a)
	}
	return l
}

// Find gives all nodes at an address, ordered by UID. More than one are there only by mistake, unless it is Nameless. It
// walks down the tree of UIDs, from their last bit, in which serial numbers differ: where replies collide it asks for one
// bit more.
func (l *Line) Find(ctx context.Context, at Addr) (found []Identity, _ error) {
	looks := 0
	var walk func(tail uint64, bits uint8) error
	walk = func(tail uint64, bits uint8) error {
		if looks++; looks > maxLooks {
			return errors.New("bridge: the line is too noisy to find nodes on it; check its wiring and termination")
		}
		id, crowd, err := l.look(ctx, at, Who{Tail: tail, Bits: bits})
		if err != nil || id == nil && !crowd {
			return err
		}
		if id != nil { // one may have drowned out others
			if _, crowd, err = l.others(ctx, at, Who{Tail: tail, Bits: bits, Except: id.UID}); err != nil {
				return err
			}
		}
		switch {
		case id != nil && !crowd:
			found = append(found, *id)
			return nil
		case bits == 64:
			return fmt.Errorf("bridge: several nodes at address %d say that they are %016x", at, tail)
		}
		err = walk(tail, bits+1)
		if err == nil {
			err = walk(tail|1<<bits, bits+1)
		}
		return err
	}
	err := walk(0, 0)
	slices.SortFunc(found, func(a, b Identity) int { return cmp.Compare(a.UID, b.UID) })
	return found, err
}

// others is look, where any node at all makes a crowd.
func (l *Line) others(ctx context.Context, at Addr, who Who) (*Identity, bool, error) {
	id, crowd, err := l.look(ctx, at, who)
	return id, crowd || id != nil, err
}

// look asks who is there: a node that was understood, or a crowd that was not, or neither.
func (l *Line) look(ctx context.Context, at Addr, who Who) (_ *Identity, crowd bool, _ error) {
	for range lookAgain {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		before := l.garbled()
		r, err := exchange[Identity](&l.wire, &l.peers[at], who)
		switch {
		case err == nil:
			return &r.body, false, nil
		case !errors.Is(err, errNoReply):
			return nil, false, err
		case l.garbled() != before:
			return nil, true, nil
		}
	}
	return nil, false, nil
}

// garbled counts what came over the line and could not be understood.
func (l *Line) garbled() uint64 {
	c := &l.wire.decoder.Counters
	return c.Checksum + c.Malformed + l.wire.stats.Strays
}

// Move gives the node with that UID at one address another. The error says that it is not there, or that the other
// address is taken.
func (l *Line) Move(ctx context.Context, uid uint64, from, to Addr) error {
	if to < FirstAddr || to > Nameless {
		return fmt.Errorf("bridge: no node can have address %d: want %d to %d, or %d for none", to, FirstAddr, LastAddr, Nameless)
	}
	if to != Nameless {
		if err := l.free(ctx, to, uid); err != nil {
			return err
		}
	}
	for range askAgain {
		_, err := exchange[Ack](&l.wire, &l.peers[from], Move{UID: uid, Addr: to})
		if err != nil && !errors.Is(err, errNoReply) {
			return err
		}
		id, _, err := l.look(ctx, to, Who{Tail: uid, Bits: 64}) // the reply may be lost, but this tells
		if err != nil || id != nil {
			return err
		}
	}
	return fmt.Errorf("bridge: no node %016x at address %d answers", uid, from)
}

// free says why no node but the one with a UID may have an address, nil if it may. What is heard once may be noise.
func (l *Line) free(ctx context.Context, at Addr, uid uint64) error {
	for range 2 {
		taken, crowd, err := l.look(ctx, at, Who{Except: uid})
		if err != nil || taken == nil && !crowd {
			return err
		}
		if taken != nil {
			return fmt.Errorf("bridge: address %d is taken by node %016x", at, taken.UID)
		}
	}
	return fmt.Errorf("bridge: address %d is taken", at)
}

// Update gives the node at an address the firmware of an image and starts it. A transfer that was broken off, here or by
// another Line, goes on where it was unless the node has started over since. Told is called with the bytes the node has,
// each time there are more. It returns what the node says of itself when it runs the image. The node stays with the
// firmware it has, and the error says why, if the image does not reach it whole and is not for it.
func (l *Line) Update(ctx context.Context, at Addr, image []byte, told func(have int)) (Identity, error) {
	header, err := ParseImage(image)
	if err != nil {
		return Identity{}, err
	}
	digest := sha256.Sum256(image)
	old, err := ask[Identity](ctx, l, at, Hello{})
	if err != nil {
		return Identity{}, err
	}
	if err := l.send(ctx, at, image, digest, told); err != nil {
		return Identity{}, err
	}
	now, err := l.restart(ctx, at, digest, old.Boot)
	if err != nil {
		return Identity{}, err
	}
	if now.Version != header.Version || now.Schema != header.Schema {
		return Identity{}, fmt.Errorf("bridge: node %d started with firmware %d.%d of table %08x, not with the image's %d.%d of %08x",
			at, now.Version>>8, now.Version&0xFF, now.Schema, header.Version>>8, header.Version&0xFF, header.Schema)
	}
	return now, nil
}

// send brings an image into the node.
func (l *Line) send(ctx context.Context, at Addr, image []byte, digest [32]byte, told func(have int)) error {
	p, err := ask[Progress](ctx, l, at, Offer{Size: uint32(len(image)), Digest: digest})
	for err == nil && p.State == ImagePartial && int(p.Have) < len(image) {
		told(int(p.Have))
		have := int(p.Have)
		p, err = ask[Progress](ctx, l, at, Chunk{At: p.Have, Data: image[have:min(have+chunkSize, len(image))]})
		if err == nil && p.State == ImagePartial && int(p.Have) <= have {
			return fmt.Errorf("bridge: node %d takes no more than %d bytes of the image", at, p.Have)
		}
	}
	switch {
	case errors.Is(err, errRefusal):
		return fmt.Errorf("bridge: node %d started over during the transfer: begin again", at)
	case err != nil:
		return err
	case p.State != ImageReady:
		return fmt.Errorf("bridge: node %d refuses the image: %v", at, p.State)
	}
	told(len(image))
	return nil
}

// restart makes the node run the image, and waits until it does. A reply to Install proves nothing, nor does its absence:
// what counts is another start.
func (l *Line) restart(ctx context.Context, at Addr, digest [32]byte, boot uint32) (Identity, error) {
	give := time.Now().Add(startTime)
	for time.Now().Before(give) {
		r, err := exchange[Progress](&l.wire, &l.peers[at], Install{Digest: digest})
		switch {
		case err == nil && r.body.State != ImageTaken:
			return Identity{}, fmt.Errorf("bridge: node %d does not install the image: %v", at, r.body.State)
		case err != nil && !errors.Is(err, errNoReply) && !errors.Is(err, errRefusal):
			return Identity{}, err
		}
		select {
		case <-ctx.Done():
			return Identity{}, ctx.Err()
		case <-time.After(startPause):
		}
		id, err := exchange[Identity](&l.wire, &l.peers[at], Hello{})
		if err == nil && id.body.Boot != boot {
			return id.body, nil
		}
		if err != nil && !errors.Is(err, errNoReply) {
			return Identity{}, err
		}
	}
	return Identity{}, fmt.Errorf("bridge: node %d has the image, but did not start with it within %v", at, startTime)
}

// ask makes a request of a node until it answers.
func ask[T any](ctx context.Context, l *Line, at Addr, request any) (body T, err error) {
	for range askAgain {
		if err := ctx.Err(); err != nil {
			return body, err
		}
		var r answer[T]
		if r, err = exchange[T](&l.wire, &l.peers[at], request); err == nil || !errors.Is(err, errNoReply) {
			return r.body, err
		}
	}
	return body, err
}
