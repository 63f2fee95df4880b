package bridge

import (
	"errors"
	"fmt"
	"os"
	"time"
)

var (
	errNoReply = errors.New("no reply")
	errRefusal = errors.New("request refused")
)

// wire is the line as the host uses it: one request at a time, and its reply.
type wire struct {
	port    Port
	reply   time.Duration // how long a reply may take
	decoder Decoder
	buf     [256]byte
	unread  []byte // the part of buf that decoder has not had
	flush   bool   // no reply has come since the latest request
	stats   Stats
}

// attach begins to use a port.
func (w *wire) attach(port Port) {
	w.port, w.unread, w.flush = port, nil, true
	w.decoder.Push(delimiter)
}

// peer is a node as the wire sees it.
type peer struct {
	addr   Addr
	seq    uint8 // of the latest request
	misses int   // requests in a row without reply
}

// answer is what a node replied.
type answer[T any] struct {
	body T
	more bool
}

// exchange sends a request and waits for the reply. A request that is made again has a new number, so that a reply is
// known to belong to one transmission; the times of a Clock depend on it.
func exchange[T any](w *wire, p *peer, request any) (answer[T], error) {
	p.seq = (p.seq + 1) & ctlSeq
	if err := w.send(Frame{Addr: p.addr, Seq: p.seq}, request); err != nil {
		return answer[T]{}, fmt.Errorf("bridge: send to node %d: %w", p.addr, err)
	}
	for {
		f, err := w.receive(p)
		if err != nil {
			w.decoder.Push(delimiter) // the line is silent: what came of a frame is all that comes
			if errors.Is(err, errNoReply) {
				p.misses++
				w.stats.Misses++
			}
			return answer[T]{}, fmt.Errorf("bridge: receive from node %d: %w", p.addr, err)
		}
		body, err := Decode(ToHost, f.Type, f.Payload)
		wanted, ok := body.(T)
		if f.Ack && (err != nil || !ok) {
			w.stats.Strays++
			continue
		}
		p.misses, w.flush = 0, false
		if !f.Ack {
			return answer[T]{}, fmt.Errorf("bridge: node %d: %w", p.addr, errRefusal)
		}
		return answer[T]{body: wanted, more: f.More}, nil
	}
}

// send puts a frame with the given message on the bus, and gives its reply time from now on.
func (w *wire) send(f Frame, message any) (err error) {
	var frame []byte
	if w.flush { // end what the nodes may still hold of a frame that was cut off
		frame = append(frame, delimiter)
	}
	if f.Type, f.Payload, err = Encode(message); err != nil {
		return err
	}
	w.flush = true
	if _, err := w.port.Write(AppendFrame(frame, f)); err != nil {
		return err
	}
	return w.port.SetReadDeadline(time.Now().Add(w.reply))
}

// receive gives the next frame that may be the reply of p.
func (w *wire) receive(p *peer) (Frame, error) {
	for {
		for len(w.unread) > 0 {
			b := w.unread[0]
			w.unread = w.unread[1:]
			f, ok := w.decoder.Push(b)
			switch {
			case !ok:
			case !f.Reply:
				w.stats.Echoes++
			case f.Addr != p.addr || f.Seq != p.seq:
				w.stats.Strays++
			default:
				return f, nil
			}
		}
		k, err := w.port.Read(w.buf[:])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = errNoReply
		}
		if err != nil {
			return Frame{}, err
		}
		w.unread = w.buf[:k]
	}
}
