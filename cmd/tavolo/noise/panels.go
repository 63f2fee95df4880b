package noise

import (
	"context"
	"slices"
	"time"

	"tavolo/cmd/tavolo/face"
	"tavolo/controller"
	"tavolo/display"
	"tavolo/engine"
	bridge "tavolo/firmware-bridge"
)

const (
	// stuckFor is how long a key stays down that sticks, at most, and loose the chance that it makes contact once more when it
	// comes up.
	stuckFor = 20 * time.Second
	loose    = 0.5
	// busRound is the time from one round over the panels to the next, pressAgain that after which a player presses once more.
	busRound, pressAgain = 10 * time.Millisecond, 2 * time.Second
)

// Keys are what became of the keys that were pressed.
type Keys struct {
	// Pressed is how often a contact closed; Gone how often its panel lost its power before it could tell.
	Pressed, Gone int
	// Lost are presses that the table never heard of, Invented ones that it heard of though there were none, Doubled ones that
	// it acted on twice, or on in another turn than they were made in. There must be none of these.
	Lost, Invented, Doubled int
}

// Wrong is how many went wrong in a way that there must not be.
func (k Keys) Wrong() int { return k.Lost + k.Invented + k.Doubled }

// bus is the panels of the felt players, the wire to them, and the program's end of it. It is a bridge.Port and its Handler.
type bus struct {
	w        *world
	master   *bridge.Master
	attached bool
	nodes    []node // by seat
	buf      []byte
	until    time.Time // the cable is out until then
	keys     Keys
	heard    []heard
	told     []told
	weight   func(bridge.Addr, bridge.Sample) // is told what scales say, nil where there is none
}

// node is one panel.
type node struct {
	*bridge.Node
	id    bridge.Identity
	since time.Time
	stuck map[bridge.Key]time.Time // keys that are down, until then
	made  []made                   // that the table has not heard of
}

// made is a contact that closed in a turn.
type made struct {
	key  bridge.Key
	turn uint64
}

// heard is one that the table heard of.
type heard struct {
	seat engine.Seat
	made
	face.Press
}

// told is that a panel was found or lost.
type told struct {
	seat engine.Seat
	bridge.Status
}

func newBus(w *world) (*bus, error) {
	b := &bus{w: w, nodes: make([]node, w.felt)}
	cfg := bridge.Config{Handler: b, Now: w.Now}
	for i := range b.nodes {
		n := &b.nodes[i]
		n.stuck = map[bridge.Key]time.Time{}
		n.id = bridge.Identity{UID: uint64(i + 1), Schema: bridge.SchemaHash(), Kind: bridge.KindSeat}
		b.start(n, bridge.Addr(i+1))
		cfg.Nodes = append(cfg.Nodes, bridge.Addr(i+1))
	}
	var err error
	b.master, err = bridge.NewMaster(cfg)
	return b, err
}

// start switches a panel on, again perhaps: it has forgotten what was pressed.
func (b *bus) start(n *node, at bridge.Addr) {
	n.id.Boot++
	n.Node, n.since = bridge.NewNode(at, n.id), b.w.now
	b.keys.Gone += len(n.made)
	n.made = nil
}

func (b *bus) clock(n *node) uint64 { return uint64(b.w.now.Sub(n.since).Microseconds()) }

// show shows a face at a seat's panel.
func (b *bus) show(seat engine.Seat, f *face.Face) error {
	return b.master.Set(bridge.Addr(seat), bridge.Panel{Lamps: bridge.Lamps{On: f.Lit, Blink: f.Blink}, Ask: f.Ask()})
}

// asks is whether the panel of a seat asks for the decision of a turn.
func (b *bus) asks(seat engine.Seat, turn uint64) bool {
	ask, _ := b.nodes[seat-1].Asked()
	return ask.Prompt == face.PromptOf(turn)
}

// free is whether a key of a seat's panel can be pressed.
func (b *bus) free(seat engine.Seat, k bridge.Key) bool { return b.nodes[seat-1].stuck[k].IsZero() }

// press presses a key in a turn, and lets it go, unless it sticks. It may bounce for longer than the panel waits for that.
func (b *bus) press(seat engine.Seat, k bridge.Key, turn uint64) {
	n := &b.nodes[seat-1]
	b.close(n, k, turn)
	if b.w.happens(KeyStuck) {
		n.stuck[k] = b.w.now.Add(b.w.upTo(stuckFor))
		return
	}
	n.Release(b.clock(n), k)
	for b.w.happens(KeyBounced) {
		b.close(n, k, turn)
		n.Release(b.clock(n), k)
	}
}

// close closes the contact of a key.
func (b *bus) close(n *node, k bridge.Key, turn uint64) {
	b.keys.Pressed++
	n.Press(b.clock(n), k)
	n.made = append(n.made, made{k, turn})
}

// round is one over all panels, in the present turn. What is heard waits in the bus.
func (b *bus) round(ctx context.Context, turn uint64) {
	for i := range b.nodes {
		n := &b.nodes[i]
		if b.w.happens(NodeReset) {
			b.start(n, n.Addr())
		}
		for k := bridge.KeyFold; k <= bridge.KeyMuck; k++ {
			if until := n.stuck[k]; until.IsZero() || b.w.now.Before(until) {
				continue
			}
			delete(n.stuck, k)
			n.Release(b.clock(n), k)
			if b.w.chance(loose) {
				b.close(n, k, turn)
				n.Release(b.clock(n), k)
			}
		}
	}
	if b.unplugged() {
		return
	}
	if b.w.happens(BusUnplugged) {
		b.until = b.w.now.Add(b.w.upTo(hungFor))
	}
	if !b.attached {
		b.master.Attach(b)
	}
	_, err := b.master.Round(ctx)
	b.attached = err == nil
}

func (b *bus) unplugged() bool { return b.w.now.Before(b.until) }

// rest is what nobody has heard of by the end, when all is quiet.
func (b *bus) rest() (made int) {
	for i := range b.nodes {
		made += len(b.nodes[i].made)
	}
	return made
}

func (b *bus) Write(p []byte) (int, error) {
	if b.unplugged() {
		return 0, errUnplugged
	}
	b.buf = nil
	frame := b.carry(p)
	for i := range b.nodes {
		n := &b.nodes[i]
		if reply := n.Receive(b.clock(n), frame); reply != nil {
			b.buf = append(b.buf, b.carry(reply)...)
		}
	}
	return len(p), nil
}

// carry is what arrives of a frame at the other end.
func (b *bus) carry(frame []byte) []byte {
	for _, k := range []Kind{BusLost, BusCut, BusBit} {
		if b.w.happens(k) {
			return b.w.damaged(frame, k)
		}
	}
	return frame
}

func (b *bus) Read(p []byte) (int, error) {
	if b.unplugged() {
		return 0, errUnplugged
	}
	return take(&b.buf, p)
}

// SetReadDeadline is of no use: no time passes on the bus.
func (b *bus) SetReadDeadline(time.Time) error { return nil }

// Key takes note of a key that the table hears of, and finds the contact that it was.
func (b *bus) Key(_ context.Context, a bridge.Addr, e bridge.KeyEvent) {
	if !e.Down {
		return
	}
	n := &b.nodes[a-1]
	i := slices.IndexFunc(n.made, func(m made) bool { return m.key == e.Key })
	if i < 0 {
		b.keys.Invented++
		return
	}
	b.keys.Lost += i // they come in order
	b.heard = append(b.heard, heard{engine.Seat(a), n.made[i], face.Press{Key: e.Key, Down: true, Prompt: e.Prompt, Amount: int64(e.Amount)}})
	n.made = n.made[i+1:]
}

// Weight hands on what a scale says.
func (b *bus) Weight(_ context.Context, a bridge.Addr, s bridge.Sample) { b.weight(a, s) }

// Node takes note of a panel that was found or lost.
func (b *bus) Node(_ context.Context, a bridge.Addr, s bridge.Status) {
	b.told = append(b.told, told{engine.Seat(a), s})
}

// panels works the bus for a round, and puts to the table what was pressed.
func (t *table) panels(ctx context.Context) error {
	t.bus.round(ctx, t.last.Turn)
	for _, p := range t.bus.told {
		t.fact()
		t.ctl.Device(ctx, "panel of "+player(p.seat), p.State == bridge.Online, p.State.String())
	}
	t.bus.told = nil
	for len(t.bus.heard) > 0 {
		h := t.bus.heard[0]
		t.bus.heard = t.bus.heard[1:]
		r, ok := t.faces[h.seat].Request(h.seat, h.Press)
		if !ok {
			continue
		}
		turn := t.last.Turn
		reply, err := t.ask(ctx, r)
		if err != nil {
			return err
		}
		if reply.OK {
			t.answered(h.turn, turn)
		}
	}
	return nil
}

// answered judges that a key which was pressed in one turn was acted on in another, which is to be the same one.
func (t *table) answered(pressed, acted uint64) {
	if pressed != acted || pressed == t.acted {
		t.bus.keys.Doubled++
	}
	t.acted = pressed
}

// show shows the felt players what an update means to them.
func (t *table) show(u *controller.Update) error {
	view := engine.ViewFor(u.State, engine.Viewer{})
	for seat := engine.Seat(1); int(seat) <= t.felt; seat++ {
		t.faces[seat] = face.Of(u, view, seat, display.SeatNote{})
		if err := t.bus.show(seat, t.faces[seat]); err != nil {
			return err
		}
	}
	return nil
}

// asks is whether the table waits for a seat.
func (t *table) asks(seat engine.Seat) bool {
	a := t.last.State.Awaits()
	return a.Asked() == seat
}

// press has a felt player press a key for the decision that his panel asks for, again if nothing comes of it, until something
// did, or the table has something else to do first.
func (t *table) press(ctx context.Context, seat engine.Seat, k bridge.Key) error {
	turn := t.last.Turn
	var pressed time.Time
	for t.asks(seat) && t.last.Turn == turn && len(t.last.Holds) == 0 && len(t.last.Prompts) == 0 {
		if t.bus.asks(seat, turn) && t.bus.free(seat, k) && t.now.Sub(pressed) > pressAgain {
			t.bus.press(seat, k, turn)
			pressed = t.now
		}
		t.Sleep(busRound)
		if err := t.panels(ctx); err != nil {
			return err
		}
		if t.news > 0 {
			if err := t.sync(ctx); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
