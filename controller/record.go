package controller

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/card"
	"tavolo/engine/ledger"
	"tavolo/engine/seating"
)

// The kinds of records in a table's journal.
const (
	// kindStart: the daemon has started; its epoch, and how the table is set up.
	kindStart journal.Kind = iota + 1
	// kindStep: an input was taken; it and its events.
	kindStep
	// kindShoe: a card or an unknown tag left the shoe, or there was trouble with it, which nobody will tell again.
	kindShoe
	// kindPrompts: the prompts changed.
	kindPrompts
	// kindChoice: the dealer settled a prompt.
	kindChoice
	// kindJackpot: what a hand meant for the jackpot.
	kindJackpot
	// kindRail: a player put a stake behind a box.
	kindRail
	// kindRaised: a request led to a prompt that stays until it is answered, such as for a second person.
	kindRaised
	// kindPlan: a player decided something ahead.
	kindPlan
	// kindBanks: a turn that used time of its seat's bank is over.
	kindBanks
	// kindCounted: a person said what lies in zones of chips.
	kindCounted
	// kindTraces: other chips lie before seats.
	kindTraces
)

type startRecord struct {
	Epoch uint64    `json:"epoch"`
	At    time.Time `json:"at"`
	setup
	// Deck is the name of the deck in play.
	Deck string `json:"deck,omitempty"`
	// Tray is what the dealer's tray of a new table holds, Jackpot what the pool does.
	Tray    engine.Chips `json:"tray,omitempty"`
	Jackpot *pooled      `json:"jackpot,omitempty"`
}

// setup is what the hands of a journal are read by, so that this needs no configuration.
type setup struct {
	Table string `json:"table,omitempty"`
	// Rules are what the table plays by from here on.
	Rules *engine.Rules `json:"rules"`
	// Configured are the seats of the table.
	Configured []Player `json:"players"`
}

// step is one input with what followed: an Input of the engine, or what was Asked of the seats, with its changes there
// and the events they led to in the engine.
type step struct {
	At      time.Time       `json:"at"`
	By      string          `json:"by"`
	ID      string          `json:"id,omitempty"`
	Input   engine.Input    `json:"input,omitzero"`
	Asked   seating.Input   `json:"asked,omitzero"`
	Seating []seating.Event `json:"seating,omitempty"`
	Events  []engine.Event  `json:"events"`
	// Seq is the number of the last of Events.
	Seq uint64 `json:"seq"`
}

type shoeRecord struct {
	Card    card.Card   `json:"card,omitzero"`
	Tag     string      `json:"tag,omitempty"`
	Trouble shoeTrouble `json:"trouble,omitempty"`
	Deck    string      `json:"deck,omitempty"` // of Card, where it is not the one in play
}

type promptRecord struct {
	At      time.Time `json:"at"`
	Prompts []Prompt  `json:"prompts"`
	Holds   []string  `json:"holds,omitempty"`
}

type choiceRecord struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	ID     string    `json:"id,omitempty"`
	Key    string    `json:"key"`
	Card   card.Card `json:"card,omitzero"`
	Choice string    `json:"choice"`
}

// raisedRecord is a prompt that came of a request, and what its choices put to the rules. By and ID are of the request, if
// the prompt is all that it leads to.
type raisedRecord struct {
	At     time.Time                `json:"at"`
	By     string                   `json:"by,omitempty"`
	ID     string                   `json:"id,omitempty"`
	Key    string                   `json:"key"`
	Prompt Prompt                   `json:"prompt"`
	Acts   map[string]*engine.Input `json:"acts,omitempty"`
}

// planRecord is what a player decided ahead in the hand and street in play.
type planRecord struct {
	At     time.Time    `json:"at"`
	By     string       `json:"by"`
	ID     string       `json:"id"`
	Player string       `json:"player"`
	Seat   engine.Seat  `json:"seat"`
	Verb   Verb         `json:"verb"`
	Bet    engine.Chips `json:"bet,omitempty"`
}

// banksRecord is what is used of each seat's time bank.
type banksRecord struct {
	Used [engine.MaxSeats + 1]time.Duration `json:"used"`
}

// countedRecord is all that people have said of zones, which their sensors do not know.
type countedRecord struct {
	Remarks []remarkOn `json:"remarks"`
}

// tracesRecord is all that is known of what lay before seats.
type tracesRecord struct {
	Traces []traceOn `json:"traces"`
}

// snapshot is all that a table must not forget, at the start of a segment of the journal.
type snapshot struct {
	setup
	Epoch   uint64        `json:"epoch"`
	State   engine.State  `json:"state"`
	Seating seating.State `json:"seating"`
	Turn    uint64        `json:"turn"`
	Flight  []card.Card   `json:"flight,omitempty"`
	Either  card.Set      `json:"either,omitempty"` // of those, two of which one went back
	// Deck is the name of the deck in play, Dealt how many hands each was dealt for; Fouled is whether that in play is to be
	// counted or changed.
	Deck    string                 `json:"deck,omitempty"`
	Dealt   map[string]int         `json:"dealt,omitempty"`
	Fouled  bool                   `json:"fouled,omitempty"`
	Mucked  card.Set               `json:"mucked,omitempty"`
	Recent  Recent                 `json:"recent"`
	Covered map[string][]time.Time `json:"covered,omitempty"`
	Resets  map[string][]time.Time `json:"resets,omitempty"`
	// Mucks are the players who muck without being asked, Banks what is used of each seat's time bank.
	Mucks map[string]bool                    `json:"mucks,omitempty"`
	Banks [engine.MaxSeats + 1]time.Duration `json:"banks"`
	// Hand are the steps since the last hand began, which a subscriber may have missed.
	Hand    []step              `json:"hand,omitempty"`
	Answers map[string][]string `json:"answers,omitempty"`
	Jackpot *pooled             `json:"jackpot,omitempty"`
	Rail    bonus.Rail          `json:"rail,omitzero"`
	// Brought is all the chips at the felt, tray included.
	Brought engine.Chips  `json:"brought,omitempty"`
	Counted []remarkOn    `json:"counted,omitempty"` // what people have said of zones of chips
	Traces  []traceOn     `json:"traces,omitempty"`  // what lay before seats
	Books   ledger.Ledger `json:"books,omitzero"`
}

// Journal is where a table keeps what happened. *journal.Journal is one.
type Journal interface {
	// Append writes records and syncs them; when it returns nil they survive a power cut. After an error it is used no more.
	Append(...journal.Entry) error
	// Full reports whether it is time to Rotate.
	Full() bool
	// Rotate begins a new segment with a snapshot.
	Rotate(snapshot []byte) error
	// Checkpoint signs what there is, keeps that as Append does, and returns it for others to keep. It tells nothing of what it
	// signs.
	Checkpoint() ([]byte, error)
}

func entry(kind journal.Kind, v any) journal.Entry {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("controller: record %d: %v", kind, err)) // plain structs always marshal
	}
	return journal.Entry{Kind: kind, Payload: b}
}

func (t *Table) snapshot() []byte {
	s := snapshot{
		setup: t.setup(), Epoch: t.epoch, State: t.state, Seating: t.seating, Turn: t.turn,
		Deck: t.tracker.decks.now, Dealt: t.tracker.decks.hands, Fouled: t.tracker.decks.fouled,
		Flight: t.tracker.flight, Either: t.tracker.either, Mucked: t.tracker.mucked, Hand: t.hand, Answers: map[string][]string{},
		Brought: t.till.brought, Counted: t.till.remarks(), Traces: t.traces, Recent: t.past.Recent, Covered: t.covered, Resets: t.resets, Rail: t.rail,
		Mucks: t.mucks, Banks: t.banks, Jackpot: t.pool.pooled(), Books: t.books.Ledger,
	}
	for from, a := range t.answered {
		for _, r := range a {
			s.Answers[from] = append(s.Answers[from], r.ID)
		}
	}
	return entry(journal.Snapshot, s).Payload
}

// felt are the seats where people sit.
func (s *setup) felt() (ss engine.Seats) {
	for _, p := range s.Configured {
		if p.Kind == Felt {
			ss = ss.With(p.Seat)
		}
	}
	return ss
}

// seats are the seats that the table was set up with.
func (s *setup) seats() (ss engine.Seats) {
	for _, p := range s.Configured {
		ss = ss.With(p.Seat)
	}
	return ss
}

func (t *Table) setup() setup {
	return setup{Table: t.opt.Name, Rules: t.opt.Rules, Configured: t.opt.Players}
}

// recover folds the journal's records into the table: the state of the last acknowledged input, the steps of the hand in
// play, the cards out of the shoe and the requests done.
func (t *Table) recover(records iter.Seq2[journal.Record, error]) error {
	for r, err := range records {
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if err := t.fold(r); err != nil {
			return fmt.Errorf("journal: %s, record %d: %w", r.File, r.Seq, err)
		}
	}
	if t.state.Phase != engine.Between && !reflect.DeepEqual(t.state.Rules, t.opt.Rules) {
		return errors.New("the hand in the journal is played by other rules than the configuration's: finish it with the old configuration first")
	}
	setup := t.setup()
	for _, seat := range (setup.felt() ^ t.till.felt).List() {
		if t.state.Phase != engine.Between && t.state.Seats[seat].Dealt {
			return fmt.Errorf("seat %d is at the felt for the journal or for the configuration and not for both, in the middle of a hand: finish it with the old configuration first", seat)
		}
	}
	t.state.Rules = t.opt.Rules
	return nil
}

func (t *Table) fold(r journal.Record) error {
	switch r.Kind {
	case journal.Snapshot:
		var s snapshot
		if err := json.Unmarshal(r.Payload, &s); err != nil {
			return err
		}
		s.State.Rules, s.Seating.Rules = s.Rules, t.seating.Rules
		t.epoch, t.state, t.seating, t.turn = s.Epoch, s.State, s.Seating, s.Turn
		t.players = t.who()
		s.Recent.Before.Rules = s.Rules
		t.past.begin(s.Recent)
		maps.Copy(t.covered, s.Covered)
		maps.Copy(t.resets, s.Resets)
		maps.Copy(t.mucks, s.Mucks)
		t.banks, t.clock.used = s.Banks, s.Banks
		t.hand = s.Hand
		t.tracker.flight, t.tracker.either, t.tracker.mucked = s.Flight, s.Either, s.Mucked
		t.tracker.decks.now, t.tracker.decks.fouled = s.Deck, s.Fouled
		maps.Copy(t.tracker.decks.hands, s.Dealt)
		t.known = s.seats()
		t.till.brought, t.rail, t.books.Ledger = s.Brought, s.Rail, s.Books
		t.books.Felt, t.till.felt = s.felt(), s.felt()
		t.till.recall(s.Counted)
		t.traced(s.Traces)
		t.till.follow(&t.state, nil)
		if t.pool != nil && s.Jackpot != nil {
			t.pool = newPool(*s.Jackpot)
		}
		for from, ids := range s.Answers {
			for _, id := range ids {
				t.remember(from, Reply{ID: id, OK: true, Seq: s.State.Seq})
			}
		}
	case kindStart:
		var s startRecord
		if err := json.Unmarshal(r.Payload, &s); err != nil {
			return err
		}
		t.started(&s)
		t.known = s.seats()
	case kindStep:
		var s step
		if err := json.Unmarshal(r.Payload, &s); err != nil {
			return err
		}
		t.follow(s)
		if t.state.Seq != s.Seq {
			return fmt.Errorf("event %d follows, want %d", t.state.Seq, s.Seq)
		}
		t.done(s.By, s.ID)
	case kindShoe:
		var s shoeRecord
		if err := json.Unmarshal(r.Payload, &s); err != nil {
			return err
		}
		switch {
		case s.Trouble != "":
			t.tracker.troubled(&t.state, s.Trouble)
		case s.Tag != "":
			t.tracker.leftUnknown(s.Tag)
		case s.Deck != "":
			t.tracker.leftOther(&t.state, s.Deck, s.Card)
		default:
			t.tracker.left(&t.state, s.Card)
		}
	case kindJackpot:
		var j jackpotRecord
		if err := json.Unmarshal(r.Payload, &j); err != nil || t.pool == nil {
			return err
		}
		t.balance(t.books.jackpot(&j))
		_, err := t.pool.follow(t.opt.Name, j)
		return err
	case kindRail:
		var b railRecord
		if err := json.Unmarshal(r.Payload, &b); err != nil {
			return err
		}
		t.done(Source{Player: b.Player}.String(), b.ID)
		var err error
		t.rail, err = t.rail.Put(b.Behind)
		return err
	case kindRaised:
		var p raisedRecord
		if err := json.Unmarshal(r.Payload, &p); err != nil {
			return err
		}
		t.tracker.asked(p)
		t.done(p.By, p.ID)
	case kindPlan:
		var p planRecord
		if err := json.Unmarshal(r.Payload, &p); err != nil {
			return err
		}
		t.decided(p)
		t.done(p.By, p.ID)
	case kindBanks:
		var b banksRecord
		if err := json.Unmarshal(r.Payload, &b); err != nil {
			return err
		}
		t.banks, t.clock.used = b.Used, b.Used
	case kindCounted:
		var c countedRecord
		if err := json.Unmarshal(r.Payload, &c); err != nil {
			return err
		}
		t.till.recall(c.Remarks)
	case kindTraces:
		var c tracesRecord
		if err := json.Unmarshal(r.Payload, &c); err != nil {
			return err
		}
		t.traced(c.Traces)
	case kindChoice:
		var c choiceRecord
		if err := json.Unmarshal(r.Payload, &c); err != nil {
			return err
		}
		t.tracker.settle(c.Key, c.Card, c.Choice)
		t.coverReset(c)
		t.done(c.By, c.ID)
	}
	return nil
}

// traced takes in what lay before seats when that was last recorded.
func (t *Table) traced(traces []traceOn) {
	t.traces = traces
	t.till.retrace(traces)
}

// done remembers a request that was done, as its records tell, so that it is not done again.
func (t *Table) done(by, id string) {
	if id != "" {
		t.remember(by, Reply{ID: id, OK: true, Seq: t.state.Seq})
	}
}

// started folds in that the daemon has started, now or when the record is read back.
func (t *Table) started(s *startRecord) {
	if t.epoch == 0 { // what the configuration says of a new table is no longer asked for
		t.till.brought, t.till.tray = s.Tray, s.Tray
	}
	if t.pool != nil && s.Jackpot != nil {
		t.pool = newPool(*s.Jackpot)
	}
	t.balance(t.books.started(s))
	t.till.reseat(&t.state, s.felt())
	t.epoch, t.state.Rules = s.Epoch, s.Rules
	t.tracker.decks.now = cmp.Or(s.Deck, t.tracker.decks.now)
}

// follow folds a step into the table, when it happens and when it is read back.
func (t *Table) follow(s step) {
	t.tracker.decks.follow(&s.Input)
	switch s.Input.Kind {
	case engine.CardRead, engine.SetAside:
		t.tracker.took(s.Input.Card)
	case engine.HandStarted:
		t.tracker.began()
		t.hand, t.dealt = nil, 0
	}
	for i := range s.Events {
		e := &s.Events[i]
		t.tracker.happened(&t.state, e)
		switch e.Kind {
		case engine.CardBurned, engine.HoleDealt, engine.BoardDealt, engine.CardSetAside:
			t.dealt++
		}
	}
	first := t.state.Seq + 1
	t.state = engine.Replay(t.state, s.Events)
	t.till.follow(&t.state, s.Events)
	t.rail, t.backers = followRail(t.rail, &t.state, s.Events)
	t.balance(t.books.step(&s, &t.state, t.rail.Won))
	if len(s.Seating) > 0 {
		t.seating = seating.Replay(t.seating, s.Seating)
		t.players = t.who()
	}
	for i, e := range s.Events {
		if e.Kind == engine.TurnPassed {
			t.turn = first + uint64(i)
		}
	}
	t.coverUsed(s)
	t.dropPlans(s.Events)
	t.clock.bankFollows(s.Events, t.opt.BankRefill)
	if len(s.Events) > 0 {
		t.hand = append(t.hand, s)
		t.past.add(Step{Past{At: s.At, Hand: t.state.Hand, First: first, Events: s.Events}, t.players})
	}
}
