package noise

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/face"
	"tavolo/controller"
	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/card"
	bridge "tavolo/firmware-bridge"
)

const (
	// stack is what everybody has at the start, and what the dealer fills up to from refill on.
	stack, refill = 10_000, 2_000
	// patience is how many rounds over the antennas the dealer lets a prompt stand: many go by themselves.
	patience = 4
	// quiet is how many rounds it takes until all is heard that can be.
	quiet = 100
	// stuck is after how many rounds without a change a dealer gives up, voids the hand or counts the deck; stoodFor is how long the
	// table has at least to ask what is wrong, which it does after some seconds.
	stuck, stoodFor = 40, 15 * time.Second
)

// table is a daemon's table at the simulated world, with its dealer and players.
type table struct {
	*world
	ctl      *controller.Table
	watch    *calibration.Watch
	leaving  *calibration.Shoe
	contacts *contacts // of the shoe, nil where it has none
	news     int       // facts since the table was last heard
	updates  chan controller.Update
	last     controller.Update
	said     chan word // that the watch is yet to be told
	result   Result

	bus   *bus
	faces [MaxSeats + 1]*face.Face // of the felt players, as last told
	acted uint64                   // the turn of the last key that was acted on

	dealt []dealt // the cards of the hand, as they really were dealt
	taken int     // how many of them the table has taken
	known int     // the highest prompt so far
}

// dealt is one card as it really was dealt.
type dealt struct {
	card  card.Card
	zone  int
	at    time.Time // when it came to lie there
	seen  time.Time // when a look there first saw it, zero if none has
	asked bool      // whether there was a prompt about it since, or an answer to one
}

// word is what the dealer says of where a card lies.
type word struct {
	tag string
	at  engine.Zone
}

// fact takes note that the table is told something.
func (t *table) fact() {
	t.news++
	t.tell()
}

// facts takes note of what the watch and the shoe say.
type facts struct {
	*controller.Table
	t *table
}

func (f facts) CardLeft(ctx context.Context, c card.Card) {
	f.t.fact()
	f.Table.CardLeft(ctx, c)
}

func (f facts) TwoLeft(ctx context.Context) {
	f.t.fact()
	f.Table.TwoLeft(ctx)
}

func (f facts) UnreadLeft(ctx context.Context) {
	f.t.fact()
	f.Table.UnreadLeft(ctx)
}

func (f facts) NotNextLeft(ctx context.Context) {
	f.t.fact()
	f.Table.NotNextLeft(ctx)
}

func (f facts) ShoeOpened(ctx context.Context) {
	f.t.fact()
	f.Table.ShoeOpened(ctx)
}

func (f facts) ShoeEmpty(ctx context.Context, empty bool) {
	f.t.fact()
	f.Table.ShoeEmpty(ctx, empty)
}

func (f facts) Wait(ctx context.Context, name, why string) {
	f.t.fact()
	f.Table.Wait(ctx, name, why)
}

func (f facts) StrangerLeft(ctx context.Context, tag string) {
	f.t.fact()
	f.Table.StrangerLeft(ctx, tag)
}

func (f facts) CardPlaced(ctx context.Context, z engine.Zone, c card.Card) {
	f.t.fact()
	f.Table.CardPlaced(ctx, z, c)
}

func (f facts) CardGone(ctx context.Context, z engine.Zone, c card.Card) {
	f.t.fact()
	f.Table.CardGone(ctx, z, c)
}

func (f facts) StrangerPlaced(ctx context.Context, z engine.Zone, tag string) {
	f.t.fact()
	f.Table.StrangerPlaced(ctx, z, tag)
}

func (f facts) StrangerGone(ctx context.Context, z engine.Zone, tag string) {
	f.t.fact()
	f.Table.StrangerGone(ctx, z, tag)
}

func (f facts) AtTwo(ctx context.Context, tag string, c card.Card, first, second engine.Zone) {
	f.t.fact()
	f.Table.AtTwo(ctx, tag, c, first, second)
}

// forgetful is a journal that keeps nothing: no table here lives twice.
type forgetful struct{}

func (forgetful) Append(...journal.Entry) error { return nil }
func (forgetful) Full() bool                    { return false }
func (forgetful) Rotate([]byte) error           { return nil }
func (forgetful) Checkpoint() ([]byte, error)   { return nil, nil }

// newTable makes a table for the world. It runs with deal.
func newTable(w *world) (*table, error) {
	game, err := engine.GameNamed("holdem")
	if err != nil {
		return nil, err
	}
	house, err := engine.HouseNamed("tda")
	if err != nil {
		return nil, err
	}
	t := &table{world: w, updates: make(chan controller.Update, 256), said: make(chan word, 8), result: Result{Prompts: map[string]int{}}}
	opt := controller.Options{
		Name:    "noise",
		Rules:   &engine.Rules{Game: game, House: house, Stakes: engine.Stakes{SmallBlind: 1, BigBlind: 2}},
		Zones:   append(slices.Clone(w.zones), engine.Zone{Kind: engine.ZoneShoe}),
		Clock:   func() time.Time { return time.Unix(0, w.told.Load()) },
		Journal: forgetful{}, Records: func(func(journal.Record, error) bool) {},
		Outputs: []controller.Output{t}, Log: slog.New(slog.DiscardHandler),
		Timing: controller.Timing{ActionClock: time.Hour, ShowClock: time.Hour},
		Lies:   t.liesAt,
	}
	for i := range w.Seats {
		opt.Players = append(opt.Players, controller.Player{
			Seat: engine.Seat(i + 1), Player: player(engine.Seat(i + 1)), Kind: controller.Remote, Stack: stack,
		})
		if i < w.felt {
			opt.Players[i].Kind = controller.Felt
		}
	}
	if t.bus, err = newBus(w); err != nil {
		return nil, err
	}
	if t.ctl, err = controller.New(opt); err != nil {
		return nil, err
	}
	deck, err := calibration.LoadDeck("noise", w.deckFile())
	if err != nil {
		return nil, err
	}
	heard := facts{t.ctl, t}
	t.watch = calibration.NewWatch(deck, heard, calibration.Debounce{})
	t.leaving = calibration.NewShoe(t.watch, heard, calibration.ShoeOptions{Gate: w.gate, Ahead: w.ahead, Apart: apart})
	if w.gate {
		t.contacts, err = newContacts(w)
	}
	return t, err
}

// liesAt takes what the dealer says of where a card lies, for the watch. It is called by the table's goroutine.
func (t *table) liesAt(tag string, z engine.Zone) bool {
	select {
	case t.said <- word{tag, z}:
		return true
	default:
		return false
	}
}

// deckFile is the deck of the world as a technician would write it down.
func (w *world) deckFile() []byte {
	out := []byte("name = \"noise\"\n[tags]\n")
	for c, tag := range w.tags {
		out = fmt.Appendf(out, "%s = \"%v\"\n", tag, c)
	}
	return out
}

func player(s engine.Seat) string { return fmt.Sprintf("p%d", s) }

// Publish hands an update to the dealer.
func (t *table) Publish(u *controller.Update) {
	mine := *u
	mine.Events, mine.Prompts, mine.Holds = slices.Clone(u.Events), slices.Clone(u.Prompts), slices.Clone(u.Holds)
	t.updates <- mine
}

// ask puts a request to the table, and reads all that the table had to say up to its answer.
func (t *table) ask(ctx context.Context, r controller.Request) (controller.Reply, error) {
	t.tell()
	t.ctl.Ask(ctx, r)
	t.news = 0
	for {
		select {
		case <-ctx.Done():
			return controller.Reply{}, ctx.Err()
		case u := <-t.updates:
			if err := t.hear(&u); err != nil {
				return controller.Reply{}, err
			}
			if u.Reply != nil {
				return *u.Reply, nil
			}
		}
	}
}

// sync waits until the table has taken in every fact.
func (t *table) sync(ctx context.Context) error {
	_, err := t.command(ctx, controller.Request{Verb: controller.VerbResync})
	return err
}

func (t *table) command(ctx context.Context, r controller.Request) (controller.Reply, error) {
	r.From, r.Epoch = controller.Source{Console: "dealer"}, t.ctl.Epoch()
	return t.ask(ctx, r)
}

// hear judges what the table did.
func (t *table) hear(u *controller.Update) error {
	for _, p := range u.Prompts {
		if p.ID > t.known {
			t.known = p.ID
			t.result.Prompts[p.Code]++
			t.concerns(&p, u.State.Awaits().Zone())
		}
	}
	for _, e := range u.Events {
		switch e.Kind {
		case engine.HoleDealt:
			t.took(e.Card, engine.Zone{Kind: engine.ZoneSeat, Seat: e.Seat})
		case engine.BoardDealt:
			t.took(e.Card, engine.Zone{Kind: engine.ZoneBoard})
		case engine.CardBurned:
			t.took(e.Card, engine.Zone{Kind: engine.ZoneBurn})
		case engine.HandCalledOff:
			t.result.Void++
		}
	}
	t.last = *u
	return t.show(u)
}

// concerns takes note that a prompt is about the cards that the table is yet to take: if it is about the shoe, about where the next card is
// due, or about where a card lies.
func (t *table) concerns(p *controller.Prompt, due engine.Zone) {
	at, err := engine.ParseZone(p.Zone)
	for i := t.taken; i < len(t.dealt) && err == nil; i++ {
		if d := &t.dealt[i]; at.Kind == engine.ZoneShoe || at.InShoe() || at == due || at == t.zones[d.zone] {
			d.asked = true
		}
	}
}

// took judges a card that the table took.
func (t *table) took(c card.Card, z engine.Zone) {
	if t.taken >= len(t.dealt) {
		t.result.Wrong++ // there was none to take
		return
	}
	truth := &t.dealt[t.taken]
	t.taken++
	switch right := truth.card == c && t.zones[truth.zone] == z; {
	case right && !truth.asked:
		t.result.Latency = append(t.result.Latency, t.now.Sub(truth.at))
		if !truth.seen.IsZero() {
			t.result.Debouncing = append(t.result.Debouncing, t.now.Sub(truth.seen))
		}
	case right:
	case truth.asked:
		t.result.Asked++
	default:
		t.result.Wrong++
	}
}

// deal runs the table until so many cards are dealt.
func (t *table) deal(ctx context.Context, cards int, told func(int)) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	var contacts sync.WaitGroup
	defer contacts.Wait()
	if t.contacts != nil {
		working, stop := context.WithCancel(context.WithoutCancel(ctx)) // for as long as there is something to tell it
		defer stop()
		contacts.Go(func() { _ = t.contacts.dev.Run(working) }) // it ends with that, and then without an error
		t.contacts.up()
	}
	ended := make(chan error, 1)
	go func() { ended <- t.ctl.Run(ctx) }()
	err := t.hands(ctx, cards, told)
	cancel()
	for { // a table that is about to say something must be able to
		select {
		case <-t.updates:
		case end := <-ended:
			if err == nil {
				err = end
			}
			return t.result, err
		}
	}
}

func (t *table) hands(ctx context.Context, cards int, told func(int)) error {
	for t.result.Deals < cards {
		before := t.result.Deals
		if err := t.hand(ctx); err != nil {
			return err
		}
		told(t.result.Deals - before)
	}
	return t.hush(ctx)
}

// hush has everything be quiet, so that what was pressed and not heard of by now never is.
func (t *table) hush(ctx context.Context) error {
	t.m = Model{}
	if err := t.rounds(ctx, quiet); err != nil {
		return err
	}
	t.bus.keys.Lost += t.bus.rest()
	return nil
}

// hand collects, shuffles, and deals a hand to its end.
func (t *table) hand(ctx context.Context) error {
	if err := t.collect(ctx); err != nil {
		return err
	}
	t.load()
	if err := t.rounds(ctx, 4); err != nil { // by then everybody has seen that the felt is empty
		return err
	}
	for i := range t.Seats {
		seat := engine.Seat(i + 1)
		if t.last.State.Seats[seat].Stack < refill {
			if _, err := t.command(ctx, controller.Request{Verb: controller.VerbAddChips, Seat: seat, Amount: stack}); err != nil {
				return err
			}
		}
	}
	t.dealt, t.taken = t.dealt[:0], 0
	for tries := 0; ; tries++ {
		reply, err := t.command(ctx, controller.Request{Verb: controller.VerbStartHand})
		switch {
		case err != nil:
			return err
		case reply.OK:
			t.result.Hands++
			return t.play(ctx)
		case tries > 10*stuck: // it waits for devices that are lost, too
			return fmt.Errorf("the hand does not start: %s", reply.Text)
		}
		if err := t.untangle(ctx, tries); err != nil {
			return err
		}
		if err := t.rounds(ctx, 1); err != nil {
			return err
		}
	}
}

// play deals what is due until the hand is over.
func (t *table) play(ctx context.Context) error {
	since := t.now
	for still, held := 0, 0; ; {
		if still == 0 {
			since = t.now
		}
		u := &t.last
		in := u.Instruction
		a := u.State.Awaits()
		var err error
		switch {
		case len(u.Prompts) > 0:
			err = t.untangle(ctx, still)
			still++
		case len(u.Holds) > 0:
			if held++; held > 100*stuck {
				return fmt.Errorf("the table does not go on: %s", strings.Join(u.Holds, ", "))
			}
			err = t.rounds(ctx, 1)
		case a.Kind == engine.AwaitNothing:
			return nil
		case a.Kind == engine.AwaitAction || a.Kind == engine.AwaitReveal:
			err = t.act(ctx, &a)
			still, held = 0, 0
		case in.Card > len(t.dealt):
			err = t.card(ctx, a.Zone())
			still, held = 0, 0
		case still > stuck && t.now.Sub(since) > stoodFor:
			if t.taken >= len(t.dealt) || !t.dealt[t.taken].asked {
				t.result.Stuck++
			}
			_, err = t.command(ctx, controller.Request{Verb: controller.VerbVoidHand, Reason: "the table is stuck"})
		default: // he is asked for a card that lies there
			if still >= 2*patience {
				t.putRight()
			}
			err = t.rounds(ctx, 1)
			still++
		}
		if err != nil {
			return err
		}
	}
}

// card deals the next card to a zone, or next to it.
func (t *table) card(ctx context.Context, z engine.Zone) error {
	if len(t.shoe) == 0 {
		return fmt.Errorf("the shoe is empty")
	}
	if t.happens(DroppedStub) {
		if err := t.drop(func() error { return t.rounds(ctx, patience) }); err != nil {
			return err
		}
	}
	to := t.zoneIndex(z)
	if t.happens(WrongPlace) {
		to = max(0, to-1)
	}
	c := t.slide(ctx)
	t.move(c, -1, to)
	t.meddle()
	t.dealt = append(t.dealt, dealt{card: c, zone: to, at: t.now})
	t.result.Deals++
	if err := t.sync(ctx); err != nil {
		return err
	}
	for until := t.now.Add(timePerCard); t.now.Before(until); {
		if err := t.scan(ctx); err != nil {
			return err
		}
	}
	return nil
}

// scan looks at the next place that has an antenna.
func (t *table) scan(ctx context.Context) error {
	z := t.next
	t.next = (t.next + 1) % len(t.zones)
	pad := t.pads[z]
	if t.mouth.lost() { // else it is looked at while a card passes
		t.watchful(ctx, t.mouth, 1, nil)
	}
	if t.ahead && z%2 == 0 {
		t.lookAhead(ctx)
	}
	select {
	case w := <-t.said:
		t.watch.Lies(ctx, w.tag, w.at)
	default:
	}
	t.atShoe(ctx, func() { t.leaving.Tick(ctx, t.now) })
	if uids, partial, ok := t.watchful(ctx, pad.reader, pad.antenna, t.seen(z)); ok {
		t.sees(z, uids)
		t.watch.Scanned(ctx, t.zones[z], uids, partial)
	}
	if err := t.panels(ctx); err != nil {
		return err
	}
	if t.news > 0 {
		return t.sync(ctx)
	}
	return nil
}

// sees takes note of the cards that a look at a zone is the first to see of those that lie there.
func (t *table) sees(z int, uids []string) {
	for i := t.taken; i < len(t.dealt); i++ {
		if d := &t.dealt[i]; d.zone == z && d.seen.IsZero() && slices.Contains(uids, t.tags[d.card]) {
			d.seen = t.now
		}
	}
}

// watchful is look, and tells the table when the reader is lost or found again.
func (t *table) watchful(ctx context.Context, r *reader, antenna int, tags []string) (uids []string, partial, ok bool) {
	lost := r.lost()
	uids, partial, ok = t.look(ctx, r, antenna, tags)
	if r.lost() != lost {
		t.fact()
		t.ctl.Device(ctx, r.name, lost, "no answer")
	}
	return uids, partial, ok
}

// rounds looks at every antenna so many times, and hears the table.
func (t *table) rounds(ctx context.Context, n int) error {
	for range n * len(t.zones) {
		if err := t.scan(ctx); err != nil {
			return err
		}
	}
	return t.sync(ctx)
}

// keyFor is the key of a panel for what a player decides.
var keyFor = map[controller.Verb]bridge.Key{
	controller.VerbFold: bridge.KeyFold, controller.VerbCheck: bridge.KeyCall, controller.VerbCall: bridge.KeyCall,
	controller.VerbBet: bridge.KeyBet, controller.VerbRaise: bridge.KeyBet, controller.VerbShow: bridge.KeyShow,
}

// act plays for the seat in turn, without any skill.
func (t *table) act(ctx context.Context, a *engine.Await) error {
	r := controller.Request{From: controller.Source{Player: player(a.Seat)}, Turn: t.last.Turn, Verb: controller.VerbShow}
	if a.Kind == engine.AwaitAction {
		r.Verb = controller.VerbCall
		switch p := t.rng.IntN(10); {
		case a.Legal.Check && p < 8:
			r.Verb = controller.VerbCheck
		case !a.Legal.Check && p < 2:
			r.Verb = controller.VerbFold
		case p == 9 && a.Legal.Raise:
			r.Verb, r.Amount = controller.VerbRaise, a.Legal.MinTo
			if a.Legal.Opens {
				r.Verb = controller.VerbBet
			}
		case a.Legal.Check:
			r.Verb = controller.VerbCheck
		}
	}
	if int(a.Seat) <= t.felt {
		return t.press(ctx, a.Seat, keyFor[r.Verb])
	}
	reply, err := t.ask(ctx, r)
	if err == nil && !reply.OK {
		return fmt.Errorf("seat %d, %s: %s", a.Seat, r.Verb, reply.Text)
	}
	return err
}

// untangle does what a dealer does about the prompts that stand for so many rounds: waits, puts cards right, then answers.
func (t *table) untangle(ctx context.Context, still int) error {
	if still >= patience && len(t.last.Prompts) > 0 {
		t.putRight()
		if done, err := t.answer(ctx, still); done || err != nil {
			return err
		}
	}
	return t.rounds(ctx, 1)
}

// putRight does what a dealer does who sees that a card is not taken: he lays it where it is due, and cards side by side.
func (t *table) putRight() {
	t.spread()
	if t.taken >= len(t.dealt) {
		return
	}
	d := &t.dealt[t.taken]
	if want := t.zoneIndex(t.last.State.Awaits().Zone()); want >= 0 && want != d.zone {
		t.move(d.card, d.zone, want)
		d.zone = want
	}
}

// answer chooses for the first prompt that the dealer knows what to make of.
func (t *table) answer(ctx context.Context, still int) (bool, error) {
	due := engine.Zone{} // where the card lies that the table is yet to take
	if t.taken < len(t.dealt) {
		due = t.zones[t.dealt[t.taken].zone]
	}
	for _, p := range t.last.Prompts {
		var choice string
		switch p.Code {
		case "not_from_shoe", "wrong_order":
			if p.Zone == due.String() && still >= patience+2 {
				choice = map[string]string{"not_from_shoe": "accept", "wrong_order": "next"}[p.Code]
			}
		case "duplicate_card", "unread_card", "not_next", "shoe_opened":
			choice = "dismiss"
		case "foreign_card":
			choice = "set_aside"
		case "seen_badly":
			if p.Zone == due.String() {
				choice = "at_first"
			}
		case "early_card", "two_cards":
			choice = "take_back"
		}
		if still > stuck {
			choice = "void"
		}
		if !slices.ContainsFunc(p.Choices, func(c controller.Choice) bool { return c.ID == choice }) {
			continue
		}
		t.concerns(&p, t.last.State.Awaits().Zone()) // it may be older than the card
		_, err := t.command(ctx, controller.Request{Verb: controller.VerbChoose, Prompt: p.ID, Choice: choice})
		return true, err
	}
	return false, nil
}

// collect brings every card to the muck, until the table has seen them there or the dealer counts the deck.
func (t *table) collect(ctx context.Context) error {
	for z := range t.zones {
		for _, c := range slices.Clone(t.lies[z]) {
			if z != t.muck() {
				t.move(c, z, t.muck())
			}
		}
	}
	for n := 0; t.last.Instruction.Kind != "start"; n++ {
		if err := t.rounds(ctx, 1); err != nil {
			return err
		}
		if n >= patience && len(t.last.Prompts) > 0 {
			if _, err := t.answer(ctx, n); err != nil {
				return err
			}
		}
		if n == stuck {
			t.result.Counted++
			if _, err := t.command(ctx, controller.Request{Verb: controller.VerbDeckChecked}); err != nil {
				return err
			}
		}
		if n > 3*stuck {
			return fmt.Errorf("the hand is over, but the table wants %s", t.last.Instruction.Text)
		}
	}
	return nil
}
