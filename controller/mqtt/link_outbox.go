package mqtt

import "slices"

// Bounds of what waits for the broker. They cover an outage of many hands; at a kilobyte a message it is some 5 MB.
const (
	// MaxEvents is how many events wait. One more pushes out the oldest, and subscribers, who see the gap in the
	// sequence, are served from the journal.
	MaxEvents = 4096
	// MaxSends is how many private messages wait. One more pushes out the oldest: the newer a prompt, the better.
	MaxSends = 1024
	// MaxStates is how many topics may hold state. State on one more topic is refused.
	MaxStates = 256
	// MaxPayload is the size in bytes of the largest payload; brokers hang up on much larger ones. One more byte and
	// it is refused.
	MaxPayload = 60 << 10
)

type kind uint8

const (
	event kind = iota
	send
	state
	kinds
)

var limit = [kinds]int{event: MaxEvents, send: MaxSends, state: MaxStates}

// message is one publication on its way.
type message struct {
	kind    kind
	topic   string
	payload []byte
	suspect bool // the broker hung up with this message unanswered, and perhaps others
	strikes int  // times it did with just this one
}

// outbox holds what waits for the broker, in the order it was given. State waits once a topic: the newest payload, in
// the place of the first. The caller locks.
type outbox struct {
	waiting []*message
	count   [kinds]int          // of waiting
	states  map[string]*message // of waiting, by topic
	known   []message           // the newest state of every topic, to give to a broker that forgot
	dropped [kinds]uint64       // pushed out or refused
}

// push adds a message, and reports whether it or an older one was dropped for it.
func (o *outbox) push(k kind, topic string, payload []byte) (dropped bool) {
	if len(payload) > MaxPayload || k == state && !o.learn(topic, payload) {
		o.dropped[k]++
		return true
	}
	if was := o.states[topic]; k == state && was != nil {
		was.payload = payload
		return false
	}
	for o.count[k] >= limit[k] { // a batch above it if one came back when it was full
		oldest := slices.IndexFunc(o.waiting, func(m *message) bool { return m.kind == k })
		o.remove(oldest)
		o.dropped[k]++
		dropped = true
	}
	o.insert(len(o.waiting), &message{kind: k, topic: topic, payload: payload})
	return dropped
}

// learn notes the newest state of a topic. It reports whether there was room.
func (o *outbox) learn(topic string, payload []byte) bool {
	i := slices.IndexFunc(o.known, func(m message) bool { return m.topic == topic })
	switch {
	case i >= 0:
		o.known[i].payload = payload
	case len(o.known) == limit[state]:
		return false
	default:
		o.known = append(o.known, message{kind: state, topic: topic, payload: payload})
	}
	return true
}

// batch removes the first messages, batchSize at most, and a suspect by itself.
func (o *outbox) batch() (all []*message) {
	for len(o.waiting) > 0 && len(all) < batchSize && (len(all) == 0 || !all[0].suspect && !o.waiting[0].suspect) {
		all = append(all, o.remove(0))
	}
	return all
}

// restore puts a message that was taken and not acknowledged back where it was; of a batch the last comes first. State that
// is out of date by now is forgotten instead.
func (o *outbox) restore(m *message) {
	if m.kind == state && o.states[m.topic] != nil {
		return
	}
	o.insert(0, m)
}

// done says that the broker has the message. State taken away, an empty payload, need not be known any longer.
func (o *outbox) done(m *message) {
	if m.kind == state && len(m.payload) == 0 && o.states[m.topic] == nil {
		o.forget(m.topic)
	}
}

// forget drops what is known of a topic's state.
func (o *outbox) forget(topic string) {
	o.known = slices.DeleteFunc(o.known, func(m message) bool { return m.topic == topic })
}

// refresh makes all known state wait, before everything else.
func (o *outbox) refresh() {
	for _, m := range slices.Backward(o.known) {
		if o.states[m.topic] == nil {
			o.insert(0, &m)
		}
	}
}

func (o *outbox) insert(i int, m *message) {
	o.waiting = slices.Insert(o.waiting, i, m)
	o.count[m.kind]++
	if m.kind == state {
		o.states[m.topic] = m
	}
}

func (o *outbox) remove(i int) *message {
	m := o.waiting[i]
	copy(o.waiting[1:], o.waiting[:i]) // close the gap from the front, which is near
	o.waiting[0] = nil
	o.waiting = o.waiting[1:]
	o.count[m.kind]--
	if m.kind == state {
		delete(o.states, m.topic)
	}
	return m
}
