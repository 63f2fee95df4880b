package mqtt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"time"

	"tavolo/controller"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/card"
	"tavolo/engine/seating"
)

// Sink takes what a Publisher has to say; none of its methods blocks, and each may keep the payload. *Link is one.
type Sink interface {
	// Event takes something that happened, State how something is now, Send something for one reader.
	Event(topic string, payload []byte)
	State(topic string, payload []byte)
	Send(topic string, payload []byte)
}

// Publisher turns a table's updates into messages, as a controller.Output, and messages into the table's requests. The
// two directions share nothing that changes: Publish is for one goroutine, the table's, and Serve for another. The
// exported fields are set before either runs.
type Publisher struct {
	Topics Topics
	// Title is the table's name for people.
	Title string
	// Currency is the table's, as in StatePayload.
	Currency string
	// Timing is how long the table waits for its players.
	Timing controller.Timing
	Sink   Sink
	// Players are the table's ends of what is sealed, by player. Who is not among them is told nothing that is not public,
	// and not heard.
	Players map[string]*seal.Table

	// Of the goroutine of Publish.
	state    []byte           // what was told of the table last, but for the time
	consoles []string         // that are shown the prompts: those that asked to be told
	told     controller.Clock // the clock that a player was last told of
	turn     uint64           // and the turn
	plans    [engine.MaxSeats + 1]controller.Plan

	// Of the goroutine of Serve.
	here    map[string]time.Time // the connected players, and when they pinged last; the zero time for one that never did
	refused map[string]time.Time // when a player was last told that a message was not sealed as it should be
	bad     uint64               // messages that were none for the table
}

// Seal makes the table's ends of what is sealed, for a run of the table, from the players' keys.
func Seal(t Topics, epoch uint64, keys map[string]seal.Key) map[string]*seal.Table {
	ends := map[string]*seal.Table{}
	for player, key := range keys {
		ends[player] = seal.NewTable(key, t.Channel(player), epoch)
	}
	return ends
}

// Asked are the filters of what people ask of the table: each player who has a key by itself, so that one who floods need not
// be listened to, and all consoles.
func (p *Publisher) Asked() []string {
	filters := []string{p.Topics.Commands()}
	for _, player := range slices.Sorted(maps.Keys(p.Players)) {
		filters = append(filters, p.Topics.Action(player))
	}
	return filters
}

// Checkpoint publishes what the journal has signed, see controller.Options. It is for the goroutine of Publish.
func (p *Publisher) Checkpoint(at time.Time, note []byte) {
	p.Sink.State(p.Topics.Checkpoint(), Pack(CheckpointPayload{V: Version, Time: millis(at), Note: string(note)}))
}

// maxConsoles is how many consoles are shown the prompts. Who may be one, the broker decides; the bound keeps a console
// with ever new names from filling the outbox.
const maxConsoles = 16

// Publish sends what an update means for the public, the players, the consoles and whoever asked, the reply last: who acts and
// then looks sees what the action led to, and tavolo play ends a command with it. So where a thousand watch, a reply comes after
// what is told to them: brokers work through what comes from a table in order. Sent first it came in a hundredth of the time,
// while everything that one decides by would still have come as late.
func (p *Publisher) Publish(u *controller.Update) {
	head := Head{V: Version, Epoch: u.Epoch, Seq: u.State.Seq}
	for _, past := range u.Again {
		p.events(u, past.First, past.At, past.Events)
	}
	p.events(u, u.State.Seq-uint64(len(u.Events))+1, u.Time, u.Events)
	p.public(u, head)
	for _, who := range u.Resync {
		if c := who.Console; c != "" && len(p.consoles) < maxConsoles && !slices.Contains(p.consoles, c) {
			p.consoles = append(p.consoles, c)
		}
	}
	for _, console := range p.consoles {
		p.Sink.State(p.Topics.Prompt(console), Pack(PromptPayload{
			Head: head, Hand: u.State.Hand, Instruction: u.Instruction, Prompts: append([]controller.Prompt{}, u.Prompts...),
		}))
	}
	for i := range u.Players {
		p.player(u, head, &u.Players[i])
	}
	p.offers(u, head)
	p.past(u, head)
	p.behind(u, head)
	p.told, p.turn, p.plans = u.Clock, u.Turn, u.Plans
	if u.Reply != nil {
		p.answer(head, u.State.Hand, u.Reply)
	}
}

// public tells everybody how the table is, if that has changed or somebody missed it: a request that changes nothing, of which
// one player can make many, is nothing that a thousand spectators need to hear of.
func (p *Publisher) public(u *controller.Update, head Head) {
	s := StatePayload{
		Head: head, Title: p.Title, View: engine.ViewFor(u.State, engine.Viewer{}), Players: u.Players,
		Clock: clockPayload(u.Clock), Times: TimesOf(&p.Timing, u.Seating.Rules), Holds: u.Holds, Seating: seatingPayload(&u.Seating),
		Currency: p.Currency, Jackpot: u.Jackpot, Powers: costs(u.State.Rules.Powers), Behind: behindBoxes(u),
	}
	timeless := Pack(s)
	if bytes.Equal(timeless, p.state) && len(u.Resync) == 0 {
		return
	}
	p.state, s.Time = timeless, millis(u.Time)
	p.Sink.State(p.Topics.State(), Pack(s))
}

// costs are what powers cost, by their names.
func costs(powers *engine.Powers) map[string]int8 {
	if powers == nil {
		return nil
	}
	out := map[string]int8{}
	for p := engine.Peek; p <= engine.Shield; p++ {
		out[p.String()] = powers.Cost[p]
	}
	return out
}

// events publishes events whose first has number first, as the public may see them.
func (p *Publisher) events(u *controller.Update, first uint64, at time.Time, events []engine.Event) {
	for i, e := range events {
		p.Sink.Event(p.Topics.Events(), Pack(EventPayload{
			Head: Head{V: Version, Epoch: u.Epoch, Seq: first + uint64(i)},
			Hand: u.State.Hand, Time: millis(at), Event: engine.Redact(e, engine.Viewer{}),
		}))
	}
}

// player sends a remote player what is theirs: cards when they came, the turn when it is theirs, both when they ask.
func (p *Publisher) player(u *controller.Update, head Head, who *controller.Player) {
	if who.Kind != controller.Remote || who.Player == "" {
		return
	}
	asked := u.Opened
	for _, s := range u.Resync {
		asked = asked || s.Player == who.Player
	}
	if plan := u.Plans[who.Seat]; plan != p.plans[who.Seat] || asked && plan != (controller.Plan{}) {
		p.tell(who.Player, p.Topics.Plan(who.Player), head, u.State.Hand, PlanPayload{
			Head: head, Hand: u.State.Hand, Seat: who.Seat, Plan: plan.Verb, AutoMuck: plan.AutoMuck,
		})
	}
	changed := false // the hand, or what it makes with the board, or what is known of the shoe
	powers := false  // were used or answered: there is another choice
	for i := range u.Events {
		e := &u.Events[i]
		used := e.Kind == engine.PowerPlayed
		own := e.Seat == who.Seat && (e.Kind == engine.HoleDealt || e.Kind == engine.CardsDiscarded || used)
		forgot := used && e.Power == engine.Swap && u.Before.Powers.Peekers.Has(who.Seat)
		changed = changed || own || forgot || e.Kind == engine.BoardDealt && u.State.Live.Has(who.Seat)
		powers = powers || used || e.Kind == engine.AnchorHeld
	}
	if (asked && u.State.Seats[who.Seat].HoleLen > 0 || changed) && u.State.Phase != engine.Between {
		view := engine.ViewFor(u.State, engine.Viewer{Seat: who.Seat})
		for _, sv := range view.Seats {
			if sv.Seat == who.Seat {
				p.tell(who.Player, p.Topics.Hole(who.Player), head, u.State.Hand, HolePayload{
					Head: head, Hand: u.State.Hand, Seat: who.Seat, Cards: append([]card.Card{}, sv.Cards...), Holds: sv.Holds,
					Peeked: sv.Peeked,
				})
			}
		}
	}
	a := u.State.Awaits()
	if a.Asked() != who.Seat {
		return
	}
	if asked || powers || u.Turn != p.turn || u.Clock != p.told {
		turn := TurnPayload{
			Head: head, Hand: u.State.Hand, Seat: who.Seat, Turn: u.Turn, Kind: a.Kind, MayMuck: a.MayMuck, Clock: clockPayload(u.Clock),
		}
		switch a.Kind {
		case engine.AwaitAction:
			turn.Legal = &a.Legal
		case engine.AwaitDiscard:
			turn.Most = a.Of
		case engine.AwaitShield:
			turn.By = u.State.Turn
		}
		p.tell(who.Player, p.Topics.Turn(who.Player), head, u.State.Hand, turn)
	}
}

// offers tells those on the waiting list who may take a seat: when that begins, and when they ask.
func (p *Publisher) offers(u *controller.Update, head Head) {
	for _, w := range u.Seating.List {
		if w.Until == 0 {
			continue
		}
		tell := slices.ContainsFunc(u.Changes, func(e seating.Event) bool { return e.Kind == seating.SeatOffered && e.Player == w.Player }) ||
			slices.ContainsFunc(u.Resync, func(s controller.Source) bool { return s.Player == w.Player })
		if tell {
			p.tell(w.Player, p.Topics.Offer(w.Player), head, u.State.Hand, OfferPayload{Head: head, Free: u.Seating.Free().List(), Until: w.Until})
		}
	}
}

// past tells those who asked what they missed.
func (p *Publisher) past(u *controller.Update, head Head) {
	for _, told := range u.Told {
		out := PastPayload{Head: head, ID: told.ID, Oldest: told.Oldest, Events: []EventPayload{}}
		for _, past := range told.Past {
			for i, e := range past.Events {
				out.Events = append(out.Events, EventPayload{
					Head: Head{V: Version, Epoch: u.Epoch, Seq: past.First + uint64(i)},
					Hand: past.Hand, Time: millis(past.At), Event: engine.Redact(e, past.Viewer(e)),
				})
			}
		}
		if c := told.To.Console; c != "" {
			p.Sink.Send(p.Topics.CommandPast(c), Pack(out))
			continue
		}
		p.tell(told.To.Player, p.Topics.Past(told.To.Player), head, u.State.Hand, out)
	}
}

// behind tells those who play behind boxes how they stand: those concerned by the update, and those who ask.
func (p *Publisher) behind(u *controller.Update, head Head) {
	all := slices.Concat(u.Rail.Open, u.Rail.InPlay)
	for _, s := range u.Rail.Settled {
		all = append(all, s.Behind)
	}
	tell := slices.Clone(u.Backers)
	for _, s := range u.Resync {
		tell = append(tell, s.Player)
	}
	if u.Opened {
		for _, b := range all {
			tell = append(tell, b.Player)
		}
	}
	slices.Sort(tell)
	for _, player := range slices.Compact(tell) {
		concerned := slices.Contains(u.Backers, player) || slices.ContainsFunc(all, func(b bonus.Behind) bool { return b.Player == player })
		if player == "" || !concerned {
			continue
		}
		m := BehindPayload{Head: head, Hand: u.State.Hand, Open: stakesOf(player, u.Rail.Open), InPlay: stakesOf(player, u.Rail.InPlay)}
		for _, s := range u.Rail.Settled {
			if s.Player == player {
				m.Settled = append(m.Settled, BehindSettled{BehindStake{engine.Seat(s.Box), s.Stake}, s.Bets, s.Back})
			}
		}
		p.tell(player, p.Topics.Behind(player), head, u.State.Hand, m)
	}
}

func stakesOf(player string, stakes []bonus.Behind) []BehindStake {
	out := []BehindStake{}
	for _, b := range stakes {
		if b.Player == player {
			out = append(out, BehindStake{engine.Seat(b.Box), b.Stake})
		}
	}
	return out
}

// behindBoxes adds up what lies behind each box: of the hand in play, or between hands for the next.
func behindBoxes(u *controller.Update) (boxes []BoxPayload) {
	stakes := u.Rail.InPlay
	if u.State.Phase == engine.Between {
		stakes = u.Rail.Open
	}
	for _, b := range stakes { // which are by box
		if n := len(boxes); n == 0 || boxes[n-1].Seat != engine.Seat(b.Box) {
			boxes = append(boxes, BoxPayload{Seat: engine.Seat(b.Box)})
		}
		box := &boxes[len(boxes)-1]
		box.Players++
		box.Ante += b.Ante
		box.Bonus += b.Bonus
	}
	return boxes
}

// answer sends the reply to a request. A panel has no reply: its display shows the state.
func (p *Publisher) answer(head Head, hand uint64, r *controller.Reply) {
	body := ReplyPayload{Head: head, ID: r.ID, OK: r.OK, Code: r.Code, Text: r.Text}
	switch {
	case r.To.Player != "":
		p.tell(r.To.Player, p.Topics.Reply(r.To.Player), head, hand, body)
	case r.To.Console != "":
		p.Sink.Send(p.Topics.CommandReply(r.To.Console), Pack(body))
	}
}

// tell sends what is for a player alone, sealed to each of the player's devices.
func (p *Publisher) tell(player, topic string, head Head, hand uint64, payload any) {
	end := p.Players[player]
	if end == nil {
		return
	}
	for _, m := range end.Seal(path.Base(topic), seal.Place{Epoch: head.Epoch, Hand: hand, Seq: head.Seq}, Pack(payload)) {
		p.Sink.Send(topic, Pack(m))
	}
}

// silence is how long a client that has pinged may say nothing until its player counts as cut off.
const silence = 15 * time.Second

// Asker takes requests; *controller.Table is one.
type Asker interface {
	Ask(ctx context.Context, r controller.Request)
	// Presence takes that a player's client is connected, or no longer.
	Presence(ctx context.Context, player string, connected bool)
}

// Serve hands the messages that came in for the table to it as requests, until ctx ends. One that cannot be read is
// handed on as well, to be refused. It may run beside Publish. What comes while the table has no room waits in messages,
// whose bound is the Link's.
func (p *Publisher) Serve(ctx context.Context, messages <-chan Message, table Asker, log *slog.Logger) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-look.C:
			for player, pinged := range p.here {
				if !pinged.IsZero() && now.Sub(pinged) > silence {
					p.lost(ctx, player, table)
				}
			}
		case m := <-messages:
			p.hear(ctx, m, table, log)
		}
	}
}

// hear takes one message.
func (p *Publisher) hear(ctx context.Context, m Message, table Asker, log *slog.Logger) {
	topics, from, err := ParseInbound(m.Topic)
	if err != nil || topics != p.Topics || m.Retained {
		p.dropped(log, "topic", m.Topic, "retained", m.Retained)
		return
	}
	r, came, ok := p.open(from, m, log)
	if from.Role == Player {
		p.meet(ctx, from.Name, r.Verb, ok, table)
	}
	switch r.At = m.At; {
	case !ok:
	case r.Verb == controller.VerbPing && r.Fault == "":
		p.pong(from.Name, r.ID)
	default:
		table.Ask(ctx, r)
	}
	if came && r.Verb != controller.VerbResync { // it was told nothing until now
		table.Ask(ctx, controller.Request{From: r.From, Verb: controller.VerbResync, At: m.At})
	}
}

// dropped logs a message that is none for the table: the first, second, fourth …, since anybody may send as many as he likes.
func (p *Publisher) dropped(log *slog.Logger, args ...any) {
	if p.bad++; p.bad&(p.bad-1) == 0 {
		log.Warn("messages dropped", append(args, "dropped", p.bad)...)
	}
}

// meet notes whether a player is there: whoever asks something is, and whose last device said farewell is not.
func (p *Publisher) meet(ctx context.Context, player string, verb controller.Verb, asks bool, table Asker) {
	pinged, here := p.here[player]
	switch end := p.Players[player]; {
	case asks && !here:
		if p.here == nil {
			p.here = map[string]time.Time{}
		}
		p.here[player] = pinged
		table.Presence(ctx, player, true)
	case here && !end.Reached():
		p.lost(ctx, player, table)
	}
	if asks && (verb == controller.VerbPing || !pinged.IsZero()) {
		p.here[player] = time.Now()
	}
}

func (p *Publisher) lost(ctx context.Context, player string, table Asker) {
	delete(p.here, player)
	table.Presence(ctx, player, false)
}

// pong answers a ping, without going by the table: it has its own pace.
func (p *Publisher) pong(player, id string) {
	head := Head{V: Version, Epoch: p.Players[player].Epoch()}
	p.tell(player, p.Topics.Pong(player), head, 0, PongPayload{V: Version, ID: id, Time: time.Now().UnixMilli()})
}

// refuseEvery is how often a player is told that a message is not sealed as it should be.
const refuseEvery = time.Second

// open reads a request. One of a player that is not sealed as it should be is answered here, in the clear, since it may be
// anybody's, and not each time, since who makes them need not know the key; one that was sent before is not answered at all,
// and neither is a farewell. It also reports whether the request came from a login that was told nothing until now.
func (p *Publisher) open(from Sender, m Message, log *slog.Logger) (r controller.Request, came, ok bool) {
	payload := m.Payload
	if from.Role == Player {
		h, err := p.unseal(from.Name, payload)
		if err != nil {
			p.dropped(log, "user", from.Name, "err", err)
		}
		switch {
		case h.leaves, errors.Is(err, seal.ErrReplayed):
			return r, false, false
		case err != nil:
			p.refuse(from.Name, h.login, m.At, err)
			return r, false, false
		}
		payload, came = h.request, h.came
	}
	r, err := ParseRequest(from, payload)
	if err != nil {
		r.Fault = err.Error()
	}
	return r, came, true
}

// refuse tells a player why a message, of a login if it named one, was not opened, unless one was told of another just before.
func (p *Publisher) refuse(player, login string, at time.Time, err error) {
	if last, told := p.refused[player]; told && at.Sub(last) < refuseEvery {
		return
	}
	if p.Players[player] != nil { // of whom there are no more than have a key
		if p.refused == nil {
			p.refused = map[string]time.Time{}
		}
		p.refused[player] = at
	}
	code := CodeNotSealed
	if errors.Is(err, seal.ErrTooManyLogins) {
		code = CodeTooManyLogins
	}
	p.Sink.Send(p.Topics.Reply(player), Pack(ReplyPayload{Head: Head{V: Version}, Code: code, Text: err.Error(), Login: login}))
}

// heard is what a player sent, opened.
type heard struct {
	login   string // that it says it is of, if it says so
	leaves  bool   // it is a farewell, and asks for nothing
	request []byte
	came    bool // the login was told nothing until now
}

// unseal opens what a player sent.
func (p *Publisher) unseal(player string, payload []byte) (h heard, err error) {
	end := p.Players[player]
	if end == nil {
		return h, fmt.Errorf("the table has no key of player %s", player)
	}
	var m struct {
		seal.Request
		Gone string     `json:"gone"`
		MAC  seal.Bytes `json:"mac"`
	}
	if err := parse(payload, &m); err != nil {
		return h, err
	}
	if m.Gone != "" {
		return heard{login: m.Gone, leaves: true}, end.Leave(m.Gone, m.N, m.MAC)
	}
	if len(m.Pub) > 0 {
		h.login = m.Login()
	}
	h.request, h.came, err = end.Open(m.Request)
	return h, err
}

// Pack is a payload as it goes over the wire. The payloads of this package always have one; anything that does not is a
// mistake in the program, and panics.
func Pack(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("mqtt: payload %T: %v", v, err)) // plain structs always marshal
	}
	return b
}
