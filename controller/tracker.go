package controller

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

// tracker is the deal tracker: it holds what the engine awaits against what the readers see. It gives the engine a card
// only when the card left the shoe in its turn and lies where it belongs; every difference becomes a Prompt, and while
// there is one no card is taken. It decides nothing by itself and is not safe for use by two goroutines.
type tracker struct {
	shoe    bool // cards pass a reader at the mouth of the shoe
	empty   bool // no card is in it
	decks   decks
	drained time.Time            // since when one is due all the same; zero while that is not so
	watched map[engine.Zone]bool // zones that an antenna watches
	rescans bool                 // they can be asked to tell anew what lies there

	flight  []card.Card               // left the shoe and not yet taken by the engine, in order
	either  card.Set                  // two of flight of which one went back: the one that is not seen where it is due
	lies    map[card.Card]engine.Zone // where a card of the deck lies now
	strange map[string]engine.Zone    // tags of no card of the deck, where they lie
	twice   map[string]twice          // tags that two antennas see, or one not surely
	mucked  card.Set                  // cards seen in the muck in this hand, and not shuffled into the shoe since
	slots   [engine.MaxSeats + 1]slots
	thrown  map[card.Card]slot // cards on their way to the muck, and where they lay
	onPad   card.Set           // cards seen at a seat in this hand
	// departed is when cards left their seat, since it gave its hand up if it did, unless they were back soon; liftedAt is since
	// when those of a hand in play are not there, held are the seats whose players hold them, as a person has said.
	departed map[card.Card]time.Time
	liftedAt [engine.MaxSeats + 1]time.Time
	held     engine.Seats
	remote   engine.Seats // whose cards nobody but the dealer touches
	marker   marker
	waiting  card.Card          // the next card of the shoe, while it is not seen where it is due
	since    time.Time          // since when
	raised   map[string]*Prompt // prompts that stay until a person answers, by their key
	current  []Prompt           // all prompts, as last worked out
	ids      map[string]int     // prompt numbers by key
	lastID   int
}

func newTracker(watched []engine.Zone, remote engine.Seats) *tracker {
	t := &tracker{
		watched: map[engine.Zone]bool{},
		remote:  remote,
		thrown:  map[card.Card]slot{}, departed: map[card.Card]time.Time{},
		lies:    map[card.Card]engine.Zone{},
		strange: map[string]engine.Zone{},
		twice:   map[string]twice{},
		raised:  map[string]*Prompt{},
		ids:     map[string]int{},
	}
	for _, z := range watched {
		t.watched[z] = true
	}
	t.shoe = t.watched[engine.Zone{Kind: engine.ZoneShoe}]
	return t
}

// left takes note of a card that passed the mouth of the shoe.
func (t *tracker) left(s *engine.State, c card.Card) {
	switch {
	case !s.Rules.Game.Deck.Has(c):
		t.raise("foreign "+c.String(), Prompt{
			Code: "foreign_card", Zone: "shoe",
			Text:    "A card came out of the shoe that this game is not played with. Stop.",
			Choices: []Choice{{"set_aside", "It was set aside: deal on"}, voidHand},
		})
	case slices.Contains(t.flight, c) || s.Phase != engine.Between && s.Out.Has(c):
		t.raise("duplicate "+c.String(), Prompt{
			Code: "duplicate_card", Zone: "shoe",
			Text:    "A card came out of the shoe that is out already. Check the deck.",
			Choices: []Choice{{"dismiss", "The reader saw one card twice: go on"}, voidHand},
		})
	default:
		t.flight = append(t.flight, c)
		if s.Phase != engine.Dealing && s.Phase != engine.Swapping {
			t.raise("early "+c.String(), Prompt{
				Code: "early_card", Zone: "shoe",
				Text:    "A card left the shoe that is not due. Call the floor.",
				Choices: early(s),
			})
		}
	}
}

// early are the choices on a card that left the shoe and is not due.
func early(s *engine.State) []Choice {
	choices := []Choice{{"take_back", "It went back: forget it"}, {"keep", "It stays the next card"}}
	streets := s.Rules.Game.Streets
	if s.Phase == engine.Betting && int(s.Street)+1 < len(streets) && streets[s.Street+1].Board > 0 {
		choices = append(choices, Choice{string(VerbDealtEarly), "Community cards came too early: they go back"})
	}
	if s.Phase == engine.Betting && streets[s.Street].Board > 1 {
		choices = append(choices, Choice{string(VerbOverdealt), "The street got one card too many: the one at the burns is the next burn"})
	}
	return append(choices, voidHand)
}

// leftUnknown takes note of a tag at the mouth of the shoe that is no card of the deck.
func (t *tracker) leftUnknown(tag string) {
	t.raise("foreign "+tag, Prompt{
		Code: "foreign_card", Zone: "shoe",
		Text:    fmt.Sprintf("A card that is not of this deck came out of the shoe (tag %s). Stop.", tag),
		Choices: []Choice{{"set_aside", "It was set aside: deal on"}, voidHand},
	})
}

// placed takes note of a card lying in a zone, gone of one that does no longer.
func (t *tracker) placed(z engine.Zone, c card.Card, now time.Time) {
	t.lies[c] = z
	switch z.Kind {
	case engine.ZoneMuck:
		t.mucked = t.mucked.Add(c)
	case engine.ZoneSeat:
		t.onPad, t.held = t.onPad.Add(c), t.held.Without(z.Seat)
		if now.Sub(t.departed[c]) < cardLate {
			delete(t.departed, c)
		}
	}
}

func (t *tracker) gone(z engine.Zone, c card.Card, now time.Time) {
	if t.lies[c] == z {
		delete(t.lies, c)
	}
	if z.Kind == engine.ZoneSeat {
		t.departed[c] = now
	}
}

// strangePlaced and strangeGone are placed and gone for a tag that is no card of the deck.
func (t *tracker) strangePlaced(z engine.Zone, tag string) { t.strange[tag] = z }

func (t *tracker) strangeGone(z engine.Zone, tag string) {
	if t.strange[tag] == z {
		delete(t.strange, tag)
	}
}

// next gives the card the engine awaits, once it is certain.
func (t *tracker) next(s *engine.State) (card.Card, bool) {
	z := s.Awaits().Zone()
	if z.Kind == 0 || len(t.current) > 0 || len(t.toMuck(s)) > 0 {
		return card.None, false
	}
	if t.shoe {
		if len(t.flight) == 0 {
			return card.None, false
		}
		c := t.flight[0]
		if second := t.second(); t.lies[c] != z && second != card.None && t.lies[second] == z {
			c = second
		}
		return c, !t.watched[z] || t.lies[c] == z
	}
	fresh := t.freshIn(s, z)
	if len(fresh) == 1 {
		return fresh[0], true
	}
	return card.None, false
}

// second is the next card but one, where one of the two went back; else none.
func (t *tracker) second() card.Card {
	if len(t.flight) < 2 || !t.either.Has(t.flight[0]) || !t.either.Has(t.flight[1]) {
		return card.None
	}
	return t.flight[1]
}

// took is told that the engine has taken a card, or that it was set aside. Of two of which one went back, it was the other.
func (t *tracker) took(c card.Card) {
	took := card.SetOf(c)
	if t.either.Has(c) {
		took |= t.either
		t.either = 0
	}
	t.flight = slices.DeleteFunc(t.flight, took.Has)
}

// freshIn lists the cards lying in a zone that the hand does not know, in order of their faces.
func (t *tracker) freshIn(s *engine.State, z engine.Zone) []card.Card {
	var out []card.Card
	for c, at := range t.lies {
		if at == z && !s.Out.Has(c) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

// began is told that a hand has begun: the deck is whole again and in the shoe.
func (t *tracker) began() {
	t.flight, t.mucked, t.onPad = nil, 0, 0
	t.either, t.held, t.marker.back = 0, 0, 0
	clear(t.departed)
	t.waiting = card.None
	t.slots = [engine.MaxSeats + 1]slots{}
	clear(t.thrown)
	clear(t.raised)
}

// work finds what does not fit, anew after every change, and reports whether the prompts have changed. A prompt that
// comes from what lies on the felt goes when that does; one that comes from the shoe stays until a person answers. Found
// are prompts about other things than cards.
func (t *tracker) work(s *engine.State, found map[string]Prompt) bool {
	for key, p := range t.raised {
		found[key] = *p
	}
	for tag, z := range t.strange {
		found["strange "+tag] = Prompt{
			Code: "foreign_card", Zone: z.String(),
			Text:    fmt.Sprintf("A card that is not of this deck lies at %v (tag %s). Take it away.", z, tag),
			Choices: []Choice{voidHand},
		}
	}
	for tag, at := range t.twice {
		if at.idle(s) {
			continue
		}
		found[twoPlaces+" "+tag] = at.prompt(s)
	}
	if s.Phase != engine.Between {
		t.misplaced(s, found)
		t.strayed(s, found)
		t.returned(s, found)
		t.taken(s, found)
	}
	prompts := make([]Prompt, 0, len(found))
	for key, p := range found {
		if t.ids[key] == 0 {
			t.lastID++
			t.ids[key] = t.lastID
		}
		p.ID, p.key = t.ids[key], key
		prompts = append(prompts, p)
	}
	for key := range t.ids {
		if _, ok := found[key]; !ok {
			delete(t.ids, key)
		}
	}
	slices.SortFunc(prompts, func(a, b Prompt) int { return cmp.Compare(a.ID, b.ID) })
	changed := !slices.EqualFunc(prompts, t.current, Prompt.equal)
	t.current = prompts
	return changed
}

// cardLate is how long a card may take from the shoe to the antenna that is to see it, before the dealer is asked.
const cardLate = 5 * time.Second

// readAnew is the choice to have the readers tell anew what lies where a prompt is about.
var readAnew = Choice{string(VerbRescan), "Read the place anew"}

// late finds that the next card of the shoe is not seen where it is due, though it has had the time: the antenna misses it,
// or the shoe's reader took two cards in the wrong order, or one that stayed in, where a look ahead may see it. It gives the time
// until it is to look again, 0 for when something changes.
func (t *tracker) late(s *engine.State, now time.Time, found map[string]Prompt) time.Duration {
	z := s.Awaits().Zone()
	onFelt := func(c card.Card) bool { return t.lies[c].Kind != 0 && !t.lies[c].InShoe() }
	if !t.shoe || !t.watched[z] || len(t.flight) == 0 || onFelt(t.flight[0]) || t.isTwice(t.flight[0]) {
		t.waiting = card.None
		return 0
	}
	if t.waiting != t.flight[0] {
		t.waiting, t.since = t.flight[0], now
	}
	if left := cardLate - now.Sub(t.since); left > 0 {
		return left
	}
	p := Prompt{
		Code: "unseen", Zone: z.String(), card: t.flight[0],
		Text:    fmt.Sprintf("The card for %v left the shoe and is not seen there. Lay it flat on its place, or have it entered by hand.", z),
		Choices: []Choice{voidHand},
	}
	if t.rescans {
		p.Choices = []Choice{readAnew, voidHand}
	}
	for _, c := range t.flight[1:] {
		if t.lies[c] == z {
			p.Code, p.card = "wrong_order", c
			p.Text = fmt.Sprintf("A card lies at %v that left the shoe after another one, which is not seen.", z)
			p.Choices = []Choice{{"next", "The shoe's reader was wrong: it is the next card"}, voidHand}
			break
		}
	}
	found[fmt.Sprintf("%s %d", p.Code, p.card)] = p
	return 0
}

// misplaced finds cards that lie where the hand has none. Where a card of the shoe lies before its turn it may be that
// the antenna that watches the card before it has yet to see it, so only the next card can be in the wrong place.
func (t *tracker) misplaced(s *engine.State, found map[string]Prompt) {
	awaited := s.Awaits().Zone()
	for c, z := range t.lies {
		if from, thrown := t.thrown[c]; t.isTwice(c) || z.InShoe() || z.Kind == engine.ZoneMuck || z == homeOf(s, c) || thrown && z == from.zone() {
			continue
		}
		turn := slices.Index(t.flight, c)
		var p Prompt
		switch {
		case !s.Rules.Game.Deck.Has(c):
			p = Prompt{Code: "foreign_card", Text: fmt.Sprintf("A card lies at %v that this game is not played with. Take it away.", z)}
		case s.Out.Has(c):
			p = Prompt{Code: "wrong_place", Text: fmt.Sprintf("A card of this hand lies at %v, it belongs to %v. Put it there.", z, homeOf(s, c))}
		case turn >= 0 && z.Kind == engine.ZoneSeat && s.Phase == engine.Betting:
			p = Prompt{Code: "wrong_place", Text: fmt.Sprintf("A card lies at %v, where none is due.", z)}
		case turn > 0 || turn == 0 && (z == awaited || awaited.Kind == 0):
			continue
		case turn == 0:
			p = Prompt{Code: "wrong_place", Text: fmt.Sprintf("The next card lies at %v, it belongs to %v. Misdeal?", z, awaited)}
			p.offer(s, burnChoices(z, awaited, c))
		case t.shoe:
			p = Prompt{Code: "not_from_shoe", Text: fmt.Sprintf("A card lies at %v that did not come through the shoe.", z)}
			switch {
			case z != awaited:
			case len(t.flight) > 0 && t.lies[t.flight[0]] == z:
				p.Text = fmt.Sprintf("Two cards lie at %v, and one did not come through the shoe. Take that away.", z)
			default:
				p.Choices = []Choice{{"accept", "The shoe missed it: it is the next card"}}
			}
			if t.rescans { // it may have gone again: a reader that can tell no more cards than lie there does not notice
				p.Choices = append(p.Choices, readAnew)
			}
		case z == awaited && len(t.freshIn(s, z)) == 1:
			continue
		default:
			p = Prompt{Code: "wrong_place", Text: fmt.Sprintf("A card lies at %v that is not due there.", z)}
		}
		p.Zone, p.card = z.String(), c
		var dead deed
		if z.Kind == engine.ZoneSeat && s.Phase == engine.Betting && s.Live.Has(z.Seat) && !s.Out.Has(c) {
			dead = deed{"kill_hand", fmt.Sprintf("Seat %d has a wrong number of cards: its hand is dead", z.Seat), &engine.Input{
				Kind: engine.HandKilled, Seat: z.Seat, Reason: "wrong number of cards",
			}}
		}
		if s.SubstantialAction() {
			p.offer(s, dead)
			p.Choices = append(p.Choices, voidHand)
		} else { // a misdeal
			p.Choices = append(p.Choices, voidHand)
			p.offer(s, dead)
		}
		found[fmt.Sprintf("%s %d %v", p.Code, c, z)] = p
	}
}

// offer adds a choice that puts an input to the rules, if there is one that they take.
func (p *Prompt) offer(s *engine.State, d deed) {
	if d.in == nil {
		return
	}
	if _, _, err := engine.Apply(*s, *d.in); err != nil {
		return
	}
	if p.acts == nil {
		p.acts = map[string]*engine.Input{}
	}
	p.Choices, p.acts[d.id] = append(p.Choices, Choice{d.id, d.text}), d.in
}

// burnChoices is what may have happened where the next card lies on the board though a burn is due, or the other way round
// (procedures 17 and 18).
func burnChoices(z, awaited engine.Zone, c card.Card) deed {
	switch {
	case z.Kind == engine.ZoneBoard && awaited.Kind == engine.ZoneBurn:
		return deed{"skip_burn", "The burn was forgotten: it is the community card", &engine.Input{Kind: engine.BurnSkipped, Reason: "no burn seen"}}
	case z.Kind == engine.ZoneBurn && awaited.Kind == engine.ZoneBoard:
		return deed{"second_burn", "A second card was burnt: it stays there", &engine.Input{Kind: engine.SetAside, Card: c, Reason: "burnt twice"}}
	}
	return deed{}
}

// homeOf is the zone where the hand says that a card lies, the zero Zone when it says nothing.
func homeOf(s *engine.State, c card.Card) engine.Zone {
	for i := range s.Seats {
		p := &s.Seats[i]
		if slices.Contains(p.Hole[:p.HoleLen], c) {
			return engine.ZoneOf(engine.Seat(i))
		}
	}
	switch {
	case slices.Contains(s.Board[:s.BoardLen], c):
		return engine.Zone{Kind: engine.ZoneBoard}
	case s.Out.Has(c):
		return engine.Zone{Kind: engine.ZoneBurn}
	}
	return engine.Zone{}
}

// refused asks the dealer what to do with the next card, which the rules refuse by a code: a seat's own discard goes
// aside and the next card is dealt (NX-73), anything else is for the floor.
func (t *tracker) refused(s *engine.State, c card.Card, code string) {
	z := s.Awaits().Zone()
	p := Prompt{
		Code: code, Zone: z.String(), card: c,
		Text:    fmt.Sprintf("The card for %v cannot be the next one. Call the floor.", z),
		Choices: []Choice{voidHand},
	}
	if code == string(engine.CodeOwnDiscard) {
		p.Text = fmt.Sprintf("The card for seat %d is one that it threw away itself. It goes to the muck.", z.Seat)
		p.Choices = []Choice{{"set_aside", "To the muck with it, deal the next"}, voidHand}
	}
	t.raise("refused "+c.String(), p)
}

// missing is the card of a seat's hand that is not seen at it: the last one where that is not for an antenna to say.
func (t *tracker) missing(s *engine.State, seat engine.Seat) (c card.Card) {
	p, pad := &s.Seats[seat], engine.ZoneOf(seat)
	for _, c = range p.Hole[:p.HoleLen] {
		if t.watched[pad] && t.lies[c] != pad {
			return c
		}
	}
	return c
}

// raise keeps a prompt until a person answers it.
func (t *tracker) raise(key string, p Prompt) {
	t.raised[key] = &p
}

// choice finds a prompt that offers a choice now.
func (t *tracker) choice(id int, choice string) (Prompt, bool) {
	for _, p := range t.current {
		if p.ID == id && slices.ContainsFunc(p.Choices, func(c Choice) bool { return c.ID == choice }) {
			return p, true
		}
	}
	return Prompt{}, false
}

// settle carries out a person's choice on the prompt with that key, which was about a card.
func (t *tracker) settle(key string, c card.Card, choice string) {
	delete(t.raised, key)
	switch choice {
	case "accept":
		t.flight = append([]card.Card{c}, t.flight...)
	case "take_back":
		switch n := len(t.flight); {
		case n > 1 && key == string(twoCards):
			t.either = card.SetOf(t.flight[n-2:]...)
		case n > 0 && key != string(twoCards):
			t.flight = t.flight[:n-1]
		}
	case "next":
		if i := slices.Index(t.flight, c); i > 0 {
			t.flight = slices.Insert(slices.Delete(t.flight, i, i+1), 0, c)
		}
	case "holds":
		var seat engine.Seat
		_, _ = fmt.Sscanf(key, "folded %d", &seat) // the one key with that choice
		t.held = t.held.With(seat)
	case moveBack:
		_, _ = fmt.Sscanf(key, buttonAt+" %d", &t.marker.back) // the same
	case changeDeck:
		t.changed(strings.TrimPrefix(key, "deck ")) // the one key with that choice
	case deckChecked:
		t.flight, t.either, t.mucked, t.decks.fouled = nil, 0, card.French, false
	}
}

// deckChecked is the choice of a person who has counted the deck.
const deckChecked = "deck_checked"

// uncollected says what keeps the next hand from starting: cards still lying on the felt, or, where the muck is watched,
// cards of the last hand that were not seen there. It is "" when the deck is whole.
func (t *tracker) uncollected(s *engine.State) string {
	onFelt := 0
	for _, z := range t.lies {
		if z.Kind != engine.ZoneMuck && !z.InShoe() {
			onFelt++
		}
	}
	if onFelt > 0 {
		return fmt.Sprintf("Collect the cards that still lie on the felt: %d", onFelt)
	}
	if t.decks.fouled {
		return "The deck is fouled: change it, or count it"
	}
	if !t.watched[engine.Zone{Kind: engine.ZoneMuck}] {
		return ""
	}
	out := s.Out | card.SetOf(t.flight...)
	if missing := out &^ t.mucked; missing != 0 {
		return fmt.Sprintf("%d cards of the last hand were not seen in the muck: %s. Check rail and floor, or count the deck", missing.Len(), faces(s, missing))
	}
	return ""
}

// faces names those of some cards that everybody has seen, on the board or in a hand that was shown. The others stay
// hidden from the dealer too.
func faces(s *engine.State, cards card.Set) string {
	public := card.SetOf(s.Board[:s.BoardLen]...)
	for i := range s.Seats {
		if p := &s.Seats[i]; p.Shown {
			public |= card.SetOf(p.Hole[:p.HoleLen]...)
		}
	}
	named := (cards & public).Cards()
	for range (cards &^ public).Len() {
		named = append(named, card.Hidden)
	}
	return card.Text(named)
}
