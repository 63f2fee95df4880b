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

// answer is what a node replied.
type answer[T any] struct {
	body T
	more bool
}

// exchange sends a request and waits for the reply. A request that is made again has a new number, so that a reply is
// known to belong to one transmission; the times of a Clock depend on it.
func exchange[T any](m *Master, n *node, request any) (answer[T], error) {
	n.seq = (n.seq + 1) & ctlSeq
	if err := m.send(Frame{Addr: n.addr, Seq: n.seq}, request); err != nil {
		return answer[T]{}, fmt.Errorf("bridge: send to node %d: %w", n.addr, err)
	}
	for {
		f, err := m.receive(n)
		if err != nil {
			m.decoder.Push(delimiter) // the line is silent: what came of a frame is all that comes
			return answer[T]{}, fmt.Errorf("bridge: receive from node %d: %w", n.addr, err)
		}
		body, err := Decode(ToHost, f.Type, f.Payload)
		wanted, ok := body.(T)
		if f.Ack && (err != nil || !ok) {
			m.stats.Strays++
			continue
		}
		n.misses, m.flush = 0, false
		if !f.Ack {
			return answer[T]{}, fmt.Errorf("bridge: node %d: %w", n.addr, errRefusal)
		}
		return answer[T]{body: wanted, more: f.More}, nil
	}
}

// send puts a frame with the given message on the bus, and gives its reply time from now on.
func (m *Master) send(f Frame, message any) (err error) {
	var frame []byte
	if m.flush { // end what the nodes may still hold of a frame that was cut off
		frame = append(frame, delimiter)
	}
	if f.Type, f.Payload, err = Encode(message); err != nil {
		return err
	}
	m.flush = true
	if _, err := m.port.Write(AppendFrame(frame, f)); err != nil {
		return err
	}
	return m.port.SetReadDeadline(time.Now().Add(m.reply))
}

// receive gives the next frame that may be the reply of n.
func (m *Master) receive(n *node) (Frame, error) {
	for {
		for len(m.unread) > 0 {
			b := m.unread[0]
			m.unread = m.unread[1:]
			f, ok := m.decoder.Push(b)
			switch {
			case !ok:
			case !f.Reply:
				m.stats.Echoes++
			case f.Addr != n.addr || f.Seq != n.seq:
				m.stats.Strays++
			default:
				return f, nil
			}
		}
		k, err := m.port.Read(m.buf[:])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = errNoReply
		}
		if err != nil {
			return Frame{}, err
		}
		m.unread = m.buf[:k]
	}
}
