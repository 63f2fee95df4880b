// Package controller runs one table: it owns the table's state in a single goroutine, takes what readers, panels, players
// and the dealer say, puts it to the rules, keeps it in the journal and tells everybody what followed.
//
// The main path is Table.Run. Everything reaches it through one bounded queue, as facts (CardLeft, CardPlaced, Device and
// their like, called by whoever turns readings into facts) and Requests (Ask). For each, in this order: the engine
// decides, the journal is written and synced, then displays and MQTT hear of it as an Update. What a restart could forget
// is never shown or sent. What arrives together is synced together.
//
// The deal tracker (tracker.go) holds what the engine awaits against what the readers see and turns a difference into a
// Prompt for the dealer. Recovery is in record.go: the state at start is the journal's last snapshot and what followed.
package controller

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/card"
	"tavolo/engine/seating"
)

// queueSize bounds what waits for the table. Whoever adds to a full queue waits; readers keep their place and panels
// their key presses meanwhile, and MQTT requests are bounded before they come here.
const queueSize = 256

// maxBatch is the most that is synced together.
const maxBatch = 64

// keptAnswers is how many requests of one source are remembered, to answer a repeated one without doing it again.
const keptAnswers = 64

// Kind is how a seat is played.
type Kind string

const (
	// Felt: a person sits at the table, with panel and display.
	Felt Kind = "felt"
	// Remote: the cards lie at the seat, the person is elsewhere and plays over MQTT.
	Remote Kind = "remote"
)

// Player is who has a seat: in the Options from the configuration, in an Update as it is then.
type Player struct {
	Seat engine.Seat `json:"seat"`
	// Player is the name the player logs in with, Name the one people read. A remote seat without a Player in the Options is
	// open: whoever plays there takes and leaves it. One with a Player is kept for him.
	Player string `json:"player"`
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	// Connected is whether the client of a remote player is.
	Connected bool `json:"connected,omitempty"`
	// Bot labels a player who is none (NK-0B).
	Bot bool `json:"bot,omitempty"`
	// Stack is what the seat brings when it is new at the table.
	Stack engine.Chips `json:"-"`
	// Out is whether the seat sits out then.
	Out bool `json:"-"`
}

// Options configure a table.
type Options struct {
	// Name is what the journal calls the table: studio/table.
	Name    string
	Rules   *engine.Rules
	Players []Player
	// Button is the seat of the first button, 0 for that of the first to sit down.
	Button engine.Seat
	// Seating is what the table goes by between hands, nil for what house and limit say. Which seats are open comes from
	// the Players.
	Seating *seating.Rules
	// Tray is what the dealer's tray of a new table holds.
	Tray engine.Chips
	// Chips are what the chips at the felt are worth, each once, for the change that the dealer is to give; none where nobody
	// knows.
	Chips []engine.Chips
	// Jackpot is the bad beat jackpot, nil for none.
	Jackpot *Jackpot
	// Zones are those that an antenna watches. Where the shoe is not among them, a card counts as dealt when it lies in
	// the zone awaited; where a zone is not, when it leaves the shoe.
	Zones []engine.Zone
	// Tagged are those of the Zones in which chips are read by their tags. One that its reader never hears lies there unseen, so a bet
	// by chips alone is taken from there only if the stack is known to be less by just that; else the dealer counts and confirms.
	Tagged []engine.Zone
	// Rescan asks that what lies in a zone, or in all for the zero Zone, be told anew, and reports whether that will be done. It
	// must not block. nil for where nobody can.
	Rescan func(engine.Zone) bool
	// Lies tells the readers that what has a tag, which two antennas see, lies in a zone, and reports whether they take note of it. It
	// must not block. nil for where nobody can.
	Lies func(tag string, z engine.Zone) bool
	// Decks are the names of the decks that the readers know, the one in play at a new table first, none without readers of
	// cards. DeckLife is how many hands one is dealt for before it is to be changed, 0 for any number.
	Decks    []string
	DeckLife int
	// Random gives each of the numbers below n with equal chance, for what the table draws; nil for the system's source.
	Random func(n int) int
	// Devices are those the table cannot do without, by the names Device is told: it stands still until each is up.
	Devices []string
	// Clock tells the time at which things happen, nil for that of the machine. A clock that runs ahead of the machine's makes
	// no time run out: for simulations that play faster than time passes.
	Clock func() time.Time
	// Presence is whether the connections of remote players are told (Table.Presence); otherwise all count as connected.
	Presence bool
	// Timing is how long the table waits for its players.
	Timing
	// Journal keeps the table's records; Records yields those there are, from the last snapshot on.
	Journal Journal
	Records iter.Seq2[journal.Record, error]
	// Signed takes each checkpoint of the journal, which has it, to give it to others: when Run begins, when a hand has ended, and
	// else a minute after something was recorded. It is called by the table's goroutine and must not block. nil for none.
	Signed func(at time.Time, note []byte)
	// Archive is what the journal holds of before, for whoever asks for events that are no longer in memory; nil if only those
	// are to be told.
	Archive Archive
	// Outputs hear of every update, in order, after the journal has it.
	Outputs []Output
	Log     *slog.Logger
}

// Table is one table. Make it with New, then Run it; the other methods may be called from any goroutine while it runs.
type Table struct {
	opt      Options
	inbox    chan message
	state    engine.State
	seating  seating.State
	players  []Player     // as they are now
	known    engine.Seats // seats of earlier runs
	pool     *pool        // nil without a jackpot
	rail     bonus.Rail   // who plays behind the boxes against the house
	backers  []string     // whom of them the last step concerned
	tracker  *tracker
	till     *till
	books    books
	run      uint64 // the epoch that Run begins
	epoch    uint64 // the last one that began
	turn     uint64 // number of the event by which the turn began
	hand     []step // the steps since the hand in play, or the last one, began
	dealt    int    // the cards that have left the shoe in it
	past     past
	library  *library // nil for none
	plans    [engine.MaxSeats + 1]plan
	mucks    map[string]bool        // players who muck without being asked
	here     map[string]bool        // remote players that are connected
	covered  map[string][]time.Time // when a lost connection counted as all-in, by player
	resets   map[string][]time.Time // when that was forgiven
	holds    map[string]string
	held     bool // whether there were holds when the seats were last seen to
	clock    clock
	banks    [engine.MaxSeats + 1]time.Duration // what the clock's banks had used when it was last recorded
	traces   []traceOn                          // of what lay before seats, when it was last recorded
	wake     alarm                              // for what comes with time at the seats
	still    alarm                              // for chips that have lain still
	resyncs  resyncs
	signing  alarm // for what no checkpoint signs
	unsigned bool  // whether there is any
	answered map[string][]Reply

	now     time.Time // of the message at hand
	entries []journal.Entry
	updates []Update
	shown   Update // the last update made
}

// New makes a table and recovers it from its journal. It does not yet run.
func New(opt Options) (*Table, error) {
	if err := opt.Rules.Validate(); err != nil {
		return nil, err
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	between := seating.For(opt.Rules)
	if opt.Seating != nil {
		between = *opt.Seating
	}
	between.Open, between.Felt = open(opt.Players), (&setup{Configured: opt.Players}).felt()
	if err := between.Validate(); err != nil {
		return nil, err
	}
	t := &Table{
		opt:      opt,
		inbox:    make(chan message, queueSize),
		state:    engine.State{Rules: opt.Rules},
		seating:  seating.State{Rules: &between},
		held:     true,
		tracker:  newTracker(opt.Zones, remote(opt.Players)),
		till:     newTill(&opt),
		holds:    map[string]string{},
		answered: map[string][]Reply{},
		here:     map[string]bool{}, mucks: map[string]bool{}, covered: map[string][]time.Time{}, resets: map[string][]time.Time{},
	}
	t.tracker.rescans = opt.Rescan != nil
	t.tracker.decks = newDecks(&opt)
	if opt.Jackpot != nil {
		t.pool = newPool(pooled{Level: int64(opt.Jackpot.Start)})
	}
	for _, name := range opt.Devices {
		t.holds[name] = name + " is not up yet"
	}
	t.players = t.who()
	t.past.Before = t.state
	if err := t.recover(opt.Records); err != nil {
		return nil, err
	}
	if d := &t.tracker.decks; !slices.Contains(opt.Decks, d.now) {
		d.now = newDecks(&opt).now // the other is no longer the table's
	}
	t.players = t.who()
	if opt.Archive != nil {
		t.library = newLibrary(opt.Archive, opt.Log)
	}
	t.run = max(t.epoch+1, uint64(time.Now().Unix()))
	return t, nil
}

// State is the table's state as recovered. It must not be called once Run has begun.
func (t *Table) State() engine.State { return t.state }

// Recent are the latest steps as recovered. It must not be called once Run has begun.
func (t *Table) Recent() Recent { return Recent{t.past.Before, slices.Clone(t.past.Steps)} }

// Epoch is the number of the run that Run begins. It grows from run to run, also where the journal was lost: whoever has
// seen an earlier run must not take this one for older.
func (t *Table) Epoch() uint64 { return t.run }

// message is one entry of the queue.
type message struct {
	at   time.Time
	fact func(*Table) // a fact's effect on the table
	ask  *Request
}

// post puts a message in the queue, waiting while it is full. It gives up when ctx ends.
func (t *Table) post(ctx context.Context, m message) {
	if m.at.IsZero() {
		m.at = t.opt.Clock()
	}
	select {
	case t.inbox <- m:
	case <-ctx.Done():
	}
}

// Ask puts a person's request to the table. The answer comes as a Reply in an Update.
func (t *Table) Ask(ctx context.Context, r Request) { t.post(ctx, message{ask: &r, at: r.At}) }

// CardLeft is the fact that a card of the deck passed the mouth of the shoe.
func (t *Table) CardLeft(ctx context.Context, c card.Card) {
	t.post(ctx, message{fact: func(t *Table) {
		if t.tracker.reloads(&t.state, c) {
			t.read(engine.Input{Kind: engine.Reloaded})
		}
		t.record(kindShoe, shoeRecord{Card: c})
		t.tracker.left(&t.state, c)
	}})
}

// StrangerLeft is the fact that a tag of no card of the deck passed the mouth of the shoe.
func (t *Table) StrangerLeft(ctx context.Context, tag string) {
	t.post(ctx, message{fact: func(t *Table) {
		t.record(kindShoe, shoeRecord{Tag: tag})
		t.tracker.leftUnknown(tag)
	}})
}

// CardPlaced is the fact that a card of the deck lies in a zone now.
func (t *Table) CardPlaced(ctx context.Context, z engine.Zone, c card.Card) {
	t.post(ctx, message{fact: func(t *Table) { t.tracker.placed(z, c, t.now) }})
}

// AtTwo is the fact that two antennas see a card, or a chip, which is none, for longer than a move takes: at first, where it counts as
// lying if it does anywhere, and at second; or that one sees it at first, but not surely, and second is the zero Zone. Both are that
// when it is over.
func (t *Table) AtTwo(ctx context.Context, tag string, c card.Card, first, second engine.Zone) {
	t.post(ctx, message{fact: func(t *Table) { t.tracker.atTwo(tag, c, first, second) }})
}

// CardGone is the fact that a card no longer lies in a zone.
func (t *Table) CardGone(ctx context.Context, z engine.Zone, c card.Card) {
	t.post(ctx, message{fact: func(t *Table) { t.tracker.gone(z, c, t.now) }})
}

// StrangerPlaced is the fact that a tag of no card of the deck lies in a zone now.
func (t *Table) StrangerPlaced(ctx context.Context, z engine.Zone, tag string) {
	t.post(ctx, message{fact: func(t *Table) { t.tracker.strangePlaced(z, tag) }})
}

// StrangerGone is the fact that such a tag no longer lies in a zone.
func (t *Table) StrangerGone(ctx context.Context, z engine.Zone, tag string) {
	t.post(ctx, message{fact: func(t *Table) { t.tracker.strangeGone(z, tag) }})
}

// Device is the fact that a device of the table works, or why it does not. While one does not, the clock stands and no
// card is taken.
func (t *Table) Device(ctx context.Context, name string, up bool, why string) {
	t.post(ctx, message{fact: func(t *Table) {
		if up {
			delete(t.holds, name)
		} else {
			t.holds[name] = name + " is lost: " + why
		}
	}})
}

// Run runs the table until ctx ends, and then returns nil. An error means that the journal failed: the table has stopped
// and told nobody of what it could not keep.
func (t *Table) Run(ctx context.Context) error {
	t.now = t.opt.Clock()
	t.open()
	if err := t.flush(); err != nil {
		return err
	}
	if t.library != nil {
		reading, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			t.library.run(reading, func(told Told) { t.post(reading, message{fact: func(t *Table) { t.told(told) }}) })
		}()
		defer func() {
			stop()
			<-done
		}()
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-t.inbox:
			t.handle(m)
			t.handleWaiting()
		case <-t.clock.timer():
			t.handleWaiting() // what came in time is in time, though it waited
			t.now = t.opt.Clock()
			t.ranOut()
			t.settle(nil)
		case <-t.wake.rings():
			t.now = t.opt.Clock()
			t.settle(nil)
		case <-t.still.rings():
			t.now = t.opt.Clock()
			t.settle(nil)
		case <-t.resyncs.wake.rings():
			t.now = t.opt.Clock()
			if who := t.resyncs.ready(time.Now()); len(who) > 0 {
				t.update().Resync = who
				t.settle(nil)
			}
		case <-t.signing.rings():
			if err := t.sign(); err != nil {
				return err
			}
		}
		if err := t.flush(); err != nil {
			return err
		}
	}
}

// handleWaiting takes what waits in the queue, so much that it is synced together.
func (t *Table) handleWaiting() {
	for range maxBatch {
		select {
		case m := <-t.inbox:
			t.handle(m)
		default:
			return
		}
	}
}

// open begins a run: a new epoch, and in seats that are new at the table those configured sit down.
func (t *Table) open() {
	start := startRecord{Epoch: t.run, At: t.now, setup: t.setup(), Deck: t.tracker.decks.now, Tray: t.till.tray, Jackpot: t.pool.pooled()}
	t.started(&start)
	t.record(kindStart, start)
	again := slices.Clone(t.hand)
	for _, p := range t.opt.Players {
		if p.Stack > 0 && !t.known.Has(p.Seat) {
			t.give(p)
		}
	}
	if t.known == 0 {
		if t.opt.Button != 0 {
			t.configured(engine.Input{Kind: engine.ButtonSet, Seat: t.opt.Button})
		}
	}
	if t.state.Phase != engine.Between && t.opt.Rules.House.CrashVoids { // NX-14, BR-50
		t.configured(engine.Input{Kind: engine.HandVoided, Reason: "the daemon stopped in the hand"})
	}
	t.settle(nil)
	u := &t.updates[0]
	u.Opened = true
	for _, s := range again {
		u.Again = append(u.Again, Past{At: s.At, Hand: t.state.Hand, First: s.Seq - uint64(len(s.Events)) + 1, Events: s.Events})
	}
}

// give has a configured player sit down at a new table.
func (t *Table) give(p Player) {
	err := t.seat("configuration", "", seating.Input{Kind: seating.SeatGiven, Seat: p.Seat, Player: p.Player, Amount: p.Stack})
	if err != nil {
		t.opt.Log.Error("the rules refuse a configured player", "seat", p.Seat, "err", err)
		return
	}
	if p.Out {
		t.configured(engine.Input{Kind: engine.SatOut, Seat: p.Seat})
	}
}

// configured puts an input of the configuration to the engine.
func (t *Table) configured(in engine.Input) {
	if err := t.apply("configuration", "", in); err != nil {
		t.opt.Log.Error("the rules refuse what is configured", "input", in.Kind.String(), "err", err)
	}
}

// handle takes one message: what it means for the table, then every card that is certain by it.
func (t *Table) handle(m message) {
	if t.now = m.at; t.clock.expired(m.at) { // it came too late
		t.ranOut()
		t.settle(nil)
	}
	if m.ask == nil {
		m.fact(t)
		t.settle(nil)
		return
	}
	reply, known := t.answer(m.ask)
	if !known {
		reply = t.request(m.ask)
	}
	t.settle(&reply)
}

// request puts a request to the rules and answers it.
func (t *Table) request(r *Request) Reply {
	err := t.do(r)
	switch {
	case err != nil:
	case r.Verb == VerbResync && t.resyncs.ask(r.From, time.Now()):
		t.update().Resync = append(t.update().Resync, r.From)
	case r.Verb == VerbEvents:
		err = t.recall(r)
	}
	reply := Reply{To: r.From, ID: r.ID, OK: err == nil, Seq: t.state.Seq}
	reply.Code, reply.Text = reasonOf(err)
	if r.ID != "" && r.Verb != VerbResync && r.Verb != VerbEvents { // which are done as often as they are asked
		t.remember(r.From.String(), reply)
	}
	return reply
}

// do carries a request out, or says why not.
func (t *Table) do(r *Request) error {
	if err := t.readable(r); err != nil {
		return err
	}
	if r.Verb == VerbBack {
		return t.back(r)
	}
	if in, ok, err := t.seatInput(r); ok {
		if err != nil {
			return err
		}
		return t.seat(r.From.String(), r.ID, in)
	}
	if ok, err := t.planned(r); ok {
		return err
	}
	in, err := t.input(r)
	if err != nil || in == nil {
		return err
	}
	return t.apply(r.From.String(), r.ID, *in)
}

// reasonOf gives the code and the sentence by which a request is refused, none where it is not.
func reasonOf(err error) (code, text string) {
	if rule, ok := errors.AsType[*engine.RuleError](err); ok {
		return string(rule.Code), rule.Error()
	}
	if own, ok := errors.AsType[*refusal](err); ok {
		return own.code, own.text
	}
	return "", ""
}

// answer finds the reply to a request that was made before.
func (t *Table) answer(r *Request) (Reply, bool) {
	if r.ID == "" || r.Verb == VerbResync || r.Verb == VerbEvents {
		return Reply{}, false
	}
	for _, old := range t.answered[r.From.String()] {
		if old.ID == r.ID {
			old.To = r.From
			return old, true
		}
	}
	return Reply{}, false
}

func (t *Table) remember(from string, r Reply) {
	kept := append(t.answered[from], r)
	if len(kept) > keptAnswers {
		kept = slices.Delete(kept, 0, len(kept)-keptAnswers)
	}
	t.answered[from] = kept
}

// apply puts one input to the engine and records what followed. A refused input changes nothing.
func (t *Table) apply(by, id string, in engine.Input) error {
	_, events, err := engine.Apply(t.state, in)
	if err != nil {
		return err
	}
	t.commit(step{At: t.now, By: by, ID: id, Input: in, Events: events, Seq: t.state.Seq + uint64(len(events))})
	return nil
}

// read puts what the readers saw to the engine, and gives the code by which the rules refuse it, "" where they do not.
// The sentence may name a card, which is nobody's to read in a log.
func (t *Table) read(in engine.Input) (code string) {
	code, _ = reasonOf(t.apply("readers", "", in))
	if code != "" {
		t.opt.Log.Info("the rules refuse what was read", "hand", t.state.Hand, "input", in.Kind.String(), "code", code)
	}
	return code
}

// thrown is how many cards the player at the felt who is to draw has thrown away by hand.
func (t *Table) thrown() int {
	a := t.state.Awaits()
	if a.Kind != engine.AwaitDiscard || t.tracker.remote.Has(a.Seat) {
		return 0
	}
	return len(t.tracker.handed(&t.state, a.Seat).Slice())
}

// commit has a step happen, and records it.
func (t *Table) commit(s step) {
	before := t.state
	t.follow(s)
	t.record(kindStep, s)
	u := t.update()
	if len(u.Events) == 0 {
		u.Before = before
	}
	u.Events = append(u.Events, s.Events...)
	u.Changes = append(u.Changes, s.Seating...)
	u.Backers = append(u.Backers, t.backers...)
	ended := slices.ContainsFunc(s.Events, func(e engine.Event) bool { return e.Kind == engine.HandEnded })
	if ended && t.pool != nil {
		t.jackpot()
	}
}

// settle goes on with every card that is certain, works out prompts and clock, and closes the update.
func (t *Table) settle(reply *Reply) {
	changed := t.work()
	for {
		c, ok := t.tracker.next(&t.state)
		if !ok || len(t.holds) > 0 {
			break
		}
		if code := t.read(engine.Input{Kind: engine.CardRead, Card: c}); code != "" {
			t.tracker.refused(&t.state, c, code)
		}
		changed = t.work() || changed
	}
	if t.carryOut() {
		t.settle(reply) // and what follows from it
		return
	}
	t.seats()
	holds := t.holdReasons()
	changed = changed || !slices.Equal(holds, t.shown.Holds)
	if changed {
		t.record(kindPrompts, promptRecord{At: t.now, Prompts: t.tracker.current, Holds: holds})
	}
	changed = changed || !slices.Equal(t.players, t.shown.Players)
	t.clock.follow(&t.state, t.turn, t.now, len(holds) > 0 || len(t.tracker.current) > 0, &t.opt.Timing)
	if t.clock.used != t.banks {
		t.banks = t.clock.used
		t.record(kindBanks, banksRecord{Used: t.banks})
	}
	if traces := t.till.traces(); !slices.Equal(traces, t.traces) {
		t.traces = traces
		t.record(kindTraces, tracesRecord{traces})
	}
	clock, instruction, thrown := t.clock.view(t.opt.TimeBank), t.instruction(), t.thrown()
	u := t.update()
	u.Time, u.Epoch, u.State, u.Turn, u.Reply = t.now, t.epoch, t.state, t.turn, reply
	u.Seating, u.Players, u.Deck = t.seating, t.players, t.tracker.decks.now
	u.Rail, u.Plans = t.rail, t.plansNow()
	if t.pool != nil {
		u.Jackpot = engine.Chips(t.pool.Level())
	}
	u.Clock, u.Holds, u.Prompts, u.Instruction, u.Thrown = clock, holds, t.tracker.current, instruction, thrown
	u.closed = true
	if changed || len(u.Events)+len(u.Changes)+len(u.Told)+len(u.Resync) > 0 || reply != nil || clock != t.shown.Clock || instruction != t.shown.Instruction ||
		thrown != t.shown.Thrown {
		t.shown = *u
	} else {
		t.updates = t.updates[:len(t.updates)-1] // nothing anybody could see has changed
	}
}

// work holds what is seen against what should be, and reports whether the prompts have changed. An action that the chips of
// the seat in turn are without doubt is put to the rules, unless the table stands still.
func (t *Table) work() (changed bool) {
	for {
		found, in, again := t.till.work(&t.state, t.now)
		for _, left := range []time.Duration{
			t.tracker.late(&t.state, t.now, found), t.tracker.lifted(&t.state, t.now, found), t.tracker.exhausted(&t.state, t.now, found),
			t.tracker.marker.astray(&t.state, t.now, found),
		} {
			if again == 0 || left > 0 && left < again {
				again = left
			}
		}
		changed = t.tracker.work(&t.state, found) || changed
		t.still.at(0)
		if again > 0 {
			t.still.at(t.now.Add(again + time.Millisecond).UnixMilli())
		}
		if in == nil || len(t.holds)+len(t.tracker.current) > 0 {
			return changed
		}
		if err := t.apply("chips", "", *in); err != nil {
			t.opt.Log.Warn("the rules refuse what the chips of a seat say", "hand", t.state.Hand, "seat", in.Seat, "err", err)
			return changed
		}
	}
}

// update is the update being made.
func (t *Table) update() *Update {
	if n := len(t.updates); n > 0 && !t.updates[n-1].closed {
		return &t.updates[n-1]
	}
	t.updates = append(t.updates, Update{Before: t.state})
	return &t.updates[len(t.updates)-1]
}

func (t *Table) record(kind journal.Kind, v any) { t.entries = append(t.entries, entry(kind, v)) }

// flush syncs what was recorded, and only then tells the outputs.
func (t *Table) flush() error {
	if len(t.entries) > 0 {
		if err := t.opt.Journal.Append(t.entries...); err != nil {
			return fmt.Errorf("table stopped, the journal cannot be written: %w", err)
		}
		if !t.unsigned && t.opt.Signed != nil {
			t.unsigned = true
			t.signing.at(time.Now().Add(signEvery).UnixMilli())
		}
	}
	ends := false // a hand, or the time in which nobody was told
	for i := range t.updates {
		u := &t.updates[i]
		ends = ends || u.Opened || slices.ContainsFunc(u.Events, func(e engine.Event) bool { return e.Kind == engine.HandEnded })
		for _, out := range t.opt.Outputs {
			out.Publish(u)
		}
	}
	t.entries, t.updates = t.entries[:0], nil
	if ends {
		if err := t.sign(); err != nil {
			return err
		}
	}
	// A snapshot has no prompts: one that a person is yet to answer must not be lost with the records before it.
	if t.state.Phase == engine.Between && len(t.tracker.raised) == 0 && t.opt.Journal.Full() {
		if err := t.opt.Journal.Rotate(t.snapshot()); err != nil {
			return fmt.Errorf("table stopped, the journal cannot begin a new segment: %w", err)
		}
	}
	return nil
}

// signEvery is how old what no checkpoint signs may become.
const signEvery = time.Minute

// sign has the journal sign what it holds, if there is anything new, and tells who is to keep that.
func (t *Table) sign() error {
	if !t.unsigned {
		return nil
	}
	note, err := t.opt.Journal.Checkpoint()
	if err != nil {
		return fmt.Errorf("table stopped, the journal cannot be signed: %w", err)
	}
	t.unsigned = false
	t.signing.stop()
	t.opt.Signed(t.opt.Clock(), note)
	return nil
}

func (t *Table) holdReasons() []string {
	var out []string
	for _, why := range t.holds {
		out = append(out, why)
	}
	slices.Sort(out)
	return out
}
