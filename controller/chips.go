package controller

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tavolo/engine"
)

// till holds the chips that people at the felt handle against the engine's. Chips of players who are elsewhere are in the
// ledger only; between the two stands the dealer's tray, which takes the felt chips that a player elsewhere wins and pays
// what a player at the felt wins of theirs. So at any moment stacks, spots, pot and tray together hold what was brought to
// the table, and each of them an amount that follows from the engine's state.
//
// What sensors see is held against that. Chips that a seat puts in on its turn are its action, as far as the rules leave no
// doubt and, where tags are heard, its stack has lost as much; every doubt and every difference that lasts is a Prompt for the dealer. Zones that no sensor watches are taken to
// be right. It belongs to the table's goroutine.
type till struct {
	felt  engine.Seats
	piles map[engine.Zone]*pile // of the zones that a sensor watches
	tags  map[engine.Zone]bool  // those of which the sensor hears tags, and may miss one
	kinds []engine.Chips        // what the chips are worth, the largest first
	lines map[engine.Seat]*line // of the seats at which a light barrier watches that
	// brought is all that lies at the felt, tray what of it is the tray's while a hand is in play.
	brought, tray engine.Chips
	// overs is since when there is more or less at the felt than was brought, the zero time if there is not.
	overs time.Time
	// pushes are the transfers at the end of the last hand.
	pushes []transfer
	// put is what boxes at the felt have before them in the hand against the house.
	put [engine.MaxSeats + 1]engine.Chips
}

// pile is what a sensor says of a zone.
type pile struct {
	amount engine.Chips
	pieces int            // 0 where they are weighed and not counted
	unsure string         // why the amount is not certain, "" if it is
	fits   []engine.Chips // then: amounts of which it may be one
	at     time.Time
	// differs is since when it is not what it should be, the zero time if it is.
	differs time.Time
	// crossed is how often a hand had come over the betting line and left again when the zone was right.
	crossed int
	trace
	remark
}

// trace is what lay on a spot before. A restart does not forget it: then the same is asked as without one.
type trace struct {
	// Clean is whether no more lay there than should at some time in this round of betting; what lies on the others may be of the
	// round before.
	Clean bool `json:"clean,omitempty"`
	// First is what lay there after the first of several motions, 0 for one motion only; Base is how many pieces lay there when it
	// was right.
	First engine.Chips `json:"first,omitempty"`
	Base  int          `json:"base,omitempty"`
}

// traceOn is a trace, its zone, and what lay there last.
type traceOn struct {
	Zone   engine.Zone  `json:"zone"`
	Amount engine.Chips `json:"amount,omitempty"`
	trace
}

// remark is what a person has said of a zone, which a restart does not forget.
type remark struct {
	// Off is by how much the sensor says too much, by who counted; Sure why it was not certain when somebody did, and Found what
	// was counted then, 0 for whatever should lie there. Held is an amount out of turn that the dealer knows of, Faced the bet to meet
	// when it was put in.
	Off   engine.Chips `json:"off,omitempty"`
	Sure  string       `json:"sure,omitempty"`
	Found engine.Chips `json:"found,omitempty"`
	Held  engine.Chips `json:"held,omitempty"`
	Faced engine.Chips `json:"faced,omitempty"`
}

// remarkOn is a remark and its zone.
type remarkOn struct {
	Zone engine.Zone `json:"zone"`
	remark
}

// potZone and trayZone are where chips of no seat lie.
var potZone, trayZone = engine.Zone{Kind: engine.ZonePot}, engine.Zone{Kind: engine.ZoneTray}

// notSaid is why nothing is certain of a zone at first.
const notSaid = "its sensor has not said yet"

// counted is whether a person has counted since the sensor is not certain.
func (p *pile) counted() bool { return p.unsure == p.Sure }

// lies is what lies there, by the sensor or by who counted, false where that is not known.
func (p *pile) lies() (amount engine.Chips, known bool) {
	switch {
	case p == nil:
		return 0, false
	case p.unsure == "":
		return p.amount - p.Off, true
	}
	return p.Found, p.Found > 0 && p.counted()
}

// remarks are what people have said of zones, in the order of these.
func (c *till) remarks() (out []remarkOn) {
	for z, p := range c.piles {
		if p.remark != (remark{}) {
			out = append(out, remarkOn{z, p.remark})
		}
	}
	slices.SortFunc(out, func(a, b remarkOn) int { return strings.Compare(a.Zone.String(), b.Zone.String()) })
	return out
}

// recall takes in what people had said before a restart.
func (c *till) recall(remarks []remarkOn) {
	for _, p := range c.piles {
		p.remark = remark{}
	}
	for _, r := range remarks {
		if p := c.piles[r.Zone]; p != nil {
			p.remark = r.remark
		}
	}
}

// traces are what lay on spots before, in the order of these.
func (c *till) traces() (out []traceOn) {
	for z, p := range c.piles {
		if on := (traceOn{z, p.amount, p.trace}); z.Kind == engine.ZoneSpot && on != (traceOn{Zone: z}) {
			out = append(out, on)
		}
	}
	slices.SortFunc(out, func(a, b traceOn) int { return cmp.Compare(a.Zone.Seat, b.Zone.Seat) })
	return out
}

// retrace takes in what lay on spots before a restart.
func (c *till) retrace(traces []traceOn) {
	for z, p := range c.piles {
		if z.Kind == engine.ZoneSpot {
			p.amount, p.trace = 0, trace{}
		}
	}
	for _, on := range traces {
		if p := c.piles[on.Zone]; p != nil {
			p.amount, p.trace = on.Amount, on.trace
		}
	}
}

// line is a betting line, over which hands come to put chips in.
type line struct {
	over    bool // a hand is over it
	came    time.Time
	left    time.Time
	crossed int // how often one came
}

// blocked is whether what is over the line is no hand.
func (l *line) blocked(now time.Time) bool { return l.over && now.Sub(l.came) >= handLate }

// transfer is chips to be moved by the dealer.
type transfer struct {
	from, to engine.Zone
	amount   engine.Chips
}

const (
	// oneMotion is how long chips must lie still to have been put in by one motion (TD-16).
	oneMotion = 1500 * time.Millisecond
	// chipsLate is how long chips may differ from what they should be before the dealer is asked: people take their time.
	chipsLate = 4 * time.Second
	// handLate is how long a hand over the betting line is waited for: then something else is in the light.
	handLate = 10 * time.Second
)

// CodeChipsDiffer is the refusal of a hand while the chips at the felt are not what they should be.
const CodeChipsDiffer = "chips_differ"

// newTill makes a till for a table whose tray holds an amount, and that nobody sits at yet: see reseat.
func newTill(opt *Options) *till {
	c := &till{piles: map[engine.Zone]*pile{}, tags: map[engine.Zone]bool{}, lines: map[engine.Seat]*line{}, brought: opt.Tray, tray: opt.Tray, kinds: slices.Clone(opt.Chips)}
	slices.SortFunc(c.kinds, func(a, b engine.Chips) int { return cmp.Compare(b, a) })
	for _, z := range opt.Zones {
		if z.Chips() {
			c.piles[z] = &pile{unsure: notSaid}
		}
	}
	for _, z := range opt.Tagged {
		c.tags[z] = true
	}
	return c
}

// ChipsLie is the fact that chips worth amount lie in a zone now. Pieces is how many there are, 0 where the sensor weighs
// them and cannot tell.
func (t *Table) ChipsLie(ctx context.Context, z engine.Zone, amount engine.Chips, pieces int) {
	t.post(ctx, message{fact: func(t *Table) { t.till.lie(&t.state, z, amount, pieces, t.now) }})
}

// ChipsUnsure is the fact that a sensor cannot tell what lies in a zone, and why. Fits are amounts of which it may be one, none
// where the sensor has no idea.
func (t *Table) ChipsUnsure(ctx context.Context, z engine.Zone, why string, fits ...engine.Chips) {
	t.post(ctx, message{fact: func(t *Table) {
		if p := t.till.piles[z]; p != nil && p.unsure != why {
			if p.unsure != notSaid { // after a restart it says again what was counted before
				p.Sure, p.Found = "", 0
			}
			p.unsure, p.fits, p.pieces, p.at = why, fits, 0, t.now
		}
	}})
}

// HandOver is the fact that something is over the betting line of a seat now, or no longer: a hand that puts chips in.
func (t *Table) HandOver(ctx context.Context, seat engine.Seat, over bool) {
	t.post(ctx, message{fact: func(t *Table) { t.till.hand(seat, over, t.now) }})
}

// LineUnwatched is the fact that nobody knows any more what is over the betting line of a seat.
func (t *Table) LineUnwatched(ctx context.Context, seat engine.Seat) {
	t.post(ctx, message{fact: func(t *Table) { delete(t.till.lines, seat) }})
}

// hand takes note of what is over a betting line.
func (c *till) hand(seat engine.Seat, over bool, now time.Time) {
	l := c.lines[seat]
	if l == nil {
		l = &line{}
		c.lines[seat] = l
	}
	switch {
	case over && !l.over:
		l.came = now
		l.crossed++
	case l.over && !over:
		l.left = now
	}
	l.over = over
}

// motions is by how many motions what lies too much on a spot was put there, 0 where no barrier says.
func (c *till) motions(z engine.Zone, p *pile, now time.Time) int {
	l := c.lines[z.Seat]
	if l == nil || z.Kind != engine.ZoneSpot || l.blocked(now) {
		return 0
	}
	return l.crossed - p.crossed
}

// moving is for how long chips that came to a spot at a time are not believed yet: until they have lain still for long enough
// after the hand that put them there has left.
func (c *till) moving(seat engine.Seat, at, now time.Time) time.Duration {
	l := c.lines[seat]
	switch {
	case l == nil:
	case l.over && !l.blocked(now):
		return handLate - now.Sub(l.came)
	case l.left.After(at):
		at = l.left
	}
	return oneMotion - now.Sub(at)
}

// lie takes note of what lies in a zone. A pile that grows after it has lain still, or over a restart, was put there by several
// motions.
func (c *till) lie(s *engine.State, z engine.Zone, amount engine.Chips, pieces int, now time.Time) {
	p := c.piles[z]
	if p == nil || p.unsure == "" && p.amount == amount && p.pieces == pieces {
		return
	}
	want := c.should(s, z)
	still := p.unsure == notSaid || p.unsure == "" && now.Sub(p.at) >= oneMotion
	switch {
	case amount <= want:
		p.First = 0
	case still && p.amount > want && amount > p.amount && p.First == 0 && c.motions(z, p, now) != 1:
		p.First = p.amount
	}
	p.amount, p.pieces, p.unsure, p.Sure, p.Found, p.at = amount, pieces, "", "", 0, now
}

// follow takes in an event: what it brings to the felt, and what of a hand that ends has to be moved.
func (c *till) follow(after *engine.State, events []engine.Event) {
	won := map[engine.Seat]engine.Chips{}
	ended := false
	for _, e := range events {
		at := c.felt.Has(e.Seat)
		switch {
		case e.Kind == engine.HandBegan:
			c.pushes = nil
			for _, seat := range c.felt.List() {
				c.put[seat] = after.Seats[seat].Put
			}
		case e.Kind == engine.BetsCollected:
			for _, p := range c.piles {
				p.Clean = false
			}
		case e.Kind == engine.HandEnded:
			ended = true
		case !at:
		case e.Kind == engine.PlayerSat || e.Kind == engine.StackAdded || e.Kind == engine.StackAdjusted:
			c.brought += e.Amount
		case e.Kind == engine.PlayerLeft:
			c.brought -= e.Amount
		case e.Kind == engine.PotAwarded:
			won[e.Seat] += e.Amount
		case e.Kind == engine.PlayerActed:
			c.put[e.Seat] += e.Amount
		case e.Kind == engine.BoxSettled:
			c.pushes = append(c.pushes, pay(e.Seat, e.Amount+e.Bonus-c.put[e.Seat])...)
		}
	}
	if after.Phase == engine.Between {
		was := c.tray
		c.tray = c.brought - c.atSeats(after)
		if ended && !after.CalledOff && !after.Rules.Game.Banked() {
			c.pushes = push(won, c.tray-was)
		}
	}
}

// reseat takes in which seats are at the felt from now on. Chips of a player who is elsewhere now go to the tray, and one who
// has come to the felt gets his from it.
func (c *till) reseat(s *engine.State, felt engine.Seats) {
	for _, seat := range (c.felt ^ felt).List() {
		p := &s.Seats[seat]
		t := transfer{engine.Zone{Kind: engine.ZoneStack, Seat: seat}, trayZone, p.Stack + onSpot(s, p)}
		if felt.Has(seat) {
			t.from, t.to = t.to, t.from
		}
		if t.amount > 0 {
			c.pushes = append(c.pushes, t)
		}
	}
	c.felt = felt
	if s.Phase == engine.Between {
		c.tray = c.brought - c.atSeats(s)
	}
}

// push says how a pot goes to the winners at the felt, and how the tray settles with those elsewhere: it gains so much, or
// pays. The house's rake is the tray's too.
func push(won map[engine.Seat]engine.Chips, gain engine.Chips) (out []transfer) {
	if gain > 0 {
		out = append(out, transfer{potZone, trayZone, gain})
	}
	pays := max(0, -gain)
	for _, seat := range slices.Sorted(maps.Keys(won)) {
		to := engine.Zone{Kind: engine.ZoneStack, Seat: seat}
		fromTray := min(pays, won[seat])
		pays -= fromTray
		if fromPot := won[seat] - fromTray; fromPot > 0 {
			out = append(out, transfer{potZone, to, fromPot})
		}
		if fromTray > 0 {
			out = append(out, transfer{trayZone, to, fromTray})
		}
	}
	return out
}

// pay is how the house settles a box that won or lost so much: the tray is its bank.
func pay(seat engine.Seat, won engine.Chips) []transfer {
	stack := engine.Zone{Kind: engine.ZoneStack, Seat: seat}
	switch {
	case won > 0:
		return []transfer{{trayZone, stack, won}}
	case won < 0:
		return []transfer{{engine.Zone{Kind: engine.ZoneSpot, Seat: seat}, trayZone, -won}}
	}
	return nil
}

// onSpot is what a seat has before it: its bets of the round, and against the house those of the hand, which stay there.
func onSpot(s *engine.State, p *engine.Place) engine.Chips {
	if s.Rules.Game.Banked() {
		return p.Bet + p.Put
	}
	return p.Bet
}

// atSeats is all that the seats at the felt have in front of them, bets included.
func (c *till) atSeats(s *engine.State) (sum engine.Chips) {
	for _, seat := range c.felt.List() {
		p := &s.Seats[seat]
		sum += p.Stack + p.Aside + onSpot(s, p)
	}
	return sum
}

// should is what ought to lie in a zone.
func (c *till) should(s *engine.State, z engine.Zone) engine.Chips {
	p := &s.Seats[z.Seat]
	switch z.Kind {
	case engine.ZoneStack:
		return p.Stack + p.Aside
	case engine.ZoneSpot:
		return onSpot(s, p)
	case engine.ZoneTray:
		return c.tray
	case engine.ZonePot:
		return c.brought - c.tray - c.atSeats(s)
	}
	return 0
}

// difference is by how much more lies in a zone than should; 0 where nothing is known, or a person has said it is right.
func (c *till) difference(s *engine.State, z engine.Zone) engine.Chips {
	amount, known := c.piles[z].lies()
	if !known {
		return 0
	}
	return amount - c.should(s, z)
}

// work looks at every spot: what its seat's chips say, and what does not add up. It gives the prompts that stand by their
// keys, an input that the chips of the seat in turn are without doubt, and when to look again, 0 for when something changes.
func (c *till) work(s *engine.State, now time.Time) (found map[string]Prompt, in *engine.Input, again time.Duration) {
	found = map[string]Prompt{}
	later := func(d time.Duration) {
		if again == 0 || d < again {
			again = d
		}
	}
	for _, seat := range c.felt.List() {
		z := engine.Zone{Kind: engine.ZoneSpot, Seat: seat}
		p := c.piles[z]
		if p == nil {
			continue
		}
		if p.unsure != "" && !p.counted() && (s.Turn == seat && s.Phase == engine.Betting || len(p.fits) > 0) {
			if left := chipsLate - now.Sub(p.at); left > 0 {
				later(left)
				continue
			}
			found[fmt.Sprintf("chips_unsure %d", seat)] = c.unsure(s, z, p)
			continue
		}
		more := c.difference(s, z)
		_, known := p.lies()
		if known && more <= 0 {
			p.Clean = true
		}
		if !known {
			p.differs = time.Time{}
			continue
		}
		if more == 0 {
			p.differs, p.First, p.Base = time.Time{}, 0, p.pieces
			p.Held, p.Faced = 0, 0
			if l := c.lines[seat]; l != nil {
				p.crossed = l.crossed
				if l.over {
					p.crossed--
				}
			}
			continue
		}
		if p.differs.IsZero() {
			p.differs = now
		}
		if more > 0 && s.Turn == seat && s.Phase == engine.Betting && p.Clean {
			if left := c.moving(seat, p.at, now); left > 0 {
				later(left)
				continue
			}
			prompt, sure := c.declares(s, seat, p)
			if p.Held == p.amount && p.Faced != s.Bet {
				prompt, sure = c.released(s, seat, more, prompt, sure), deed{}
			}
			if sure.in != nil {
				uneven, unproven := c.uneven(s, seat) != 0, c.unproven(s, seat)
				if !uneven && !unproven {
					in = sure.in
					continue
				}
				stack := c.piles[engine.Zone{Kind: engine.ZoneStack, Seat: seat}]
				if left := chipsLate - now.Sub(p.at); left > 0 && stack != nil { // its sensor may be the slower one
					later(left)
					continue
				}
				if prompt = c.confirms(s, seat, sure); uneven {
					prompt = c.astray(s, seat, sure)
				}
			}
			found[fmt.Sprintf("%s %d", prompt.Code, seat)] = prompt
			continue
		}
		if p.Held == p.amount && s.Turn != seat && p.Held > 0 {
			continue
		}
		if s.Phase == engine.Between { // the dealer is told what to move where
			continue
		}
		if left := chipsLate - now.Sub(p.differs); left > 0 {
			later(left)
			continue
		}
		prompt := c.odd(s, seat, more)
		prompt.Zone = z.String()
		found[fmt.Sprintf("%s %v", prompt.Code, z)] = prompt
	}
	for z, p := range c.piles { // before a pot is pushed, and the next hand is dealt
		if s.Phase != engine.Between || z.Kind == engine.ZoneSpot || len(p.fits) == 0 || p.unsure == "" || p.counted() {
			continue
		}
		if left := chipsLate - now.Sub(p.at); left > 0 {
			later(left)
			continue
		}
		found[fmt.Sprintf("chips_unsure %v", z)] = c.unsure(s, z, p)
	}
	if left := c.settled(s, now); left > 0 {
		later(left)
	} else if more := c.difference(s, potZone); left == 0 {
		prompt := c.pot(s, more)
		found[prompt.Code] = prompt
	}
	over := c.over(s)
	switch {
	case over == 0:
		c.overs = time.Time{}
	case c.overs.IsZero():
		c.overs = now
	}
	if left := chipsLate - now.Sub(c.overs); over != 0 && left > 0 { // sensors do not tell of chips that move all at once
		later(left)
	} else if over != 0 && s.Phase != engine.Betting {
		found[CodeChipsDiffer] = Prompt{
			Code: CodeChipsDiffer, Zone: "pot",
			Text: fmt.Sprintf("The chips at the felt are %s than they should be. Count before the pot is pushed.", moreOrLess(over)),
			Choices: []Choice{
				{"counted", "Counted by hand: all is right"},
			},
		}
	}
	return found, in, again
}

func moreOrLess(n engine.Chips) string {
	if n < 0 {
		return fmt.Sprintf("%d less", -n)
	}
	return fmt.Sprintf("%d more", n)
}

// settled is for how long a pot that is not right is still waited for, 0 for no longer, and below that for one that is right, or
// where a spot is not either, which comes first. Between hands the pot is pushed.
func (c *till) settled(s *engine.State, now time.Time) time.Duration {
	pot := c.piles[potZone]
	if pot == nil {
		return -1
	}
	for _, seat := range c.felt.List() {
		z := engine.Zone{Kind: engine.ZoneSpot, Seat: seat}
		if _, known := c.piles[z].lies(); !known || c.difference(s, z) != 0 {
			pot.differs = time.Time{}
			return -1
		}
	}
	switch {
	case s.Phase == engine.Between || c.difference(s, potZone) == 0:
		pot.differs = time.Time{}
		return -1
	case pot.differs.IsZero():
		pot.differs = now
	}
	return max(0, chipsLate-now.Sub(pot.differs))
}

// over is by how much more lies at the felt than was brought there, 0 where not all of it is watched.
func (c *till) over(s *engine.State) (sum engine.Chips) {
	zones := []engine.Zone{potZone, trayZone}
	for _, seat := range c.felt.List() {
		zones = append(zones, engine.Zone{Kind: engine.ZoneStack, Seat: seat}, engine.Zone{Kind: engine.ZoneSpot, Seat: seat})
	}
	for _, z := range zones {
		if _, known := c.piles[z].lies(); !known {
			return 0
		}
		sum += c.difference(s, z)
	}
	return sum
}

// itIsRight is the choice by which the dealer says that what lies in a zone is what should.
func itIsRight() Choice { return Choice{"counted", "Counted by hand: it is right"} }

// counted takes a person's word that what lies in a zone is what should, or everywhere for the zero Zone. A zone whose
// sensor is not certain is not asked about again until it says something else.
func (c *till) counted(s *engine.State, z engine.Zone) {
	for at, p := range c.piles {
		switch {
		case z.Kind != 0 && at != z:
		case p.unsure != "" && len(p.fits) > 0: // until other chips lie there
			p.Sure, p.Found = p.unsure, c.should(s, at)
		case p.unsure != "":
			p.Sure, p.Found = p.unsure, 0
		default:
			p.Off = p.amount - c.should(s, at)
		}
	}
}

// choose carries out what the dealer chose on a prompt about chips. Where that is an input, it is given.
func (c *till) choose(s *engine.State, p Prompt, choice string) *engine.Input {
	z, _ := engine.ParseZone(p.Zone) // a prompt about no zone in particular is about all of them
	switch choice {
	case "counted":
		if p.Code == CodeChipsDiffer {
			z = engine.Zone{}
		}
		c.counted(s, z)
	case "hold":
		c.piles[z].Held, c.piles[z].Faced = c.piles[z].amount, s.Bet
	}
	if n, ok := p.finds[choice]; ok {
		c.piles[z].Sure, c.piles[z].Found = c.piles[z].unsure, n
	}
	return p.acts[choice]
}

// unbalanced says what keeps the next hand from starting, "" when the chips are where they should be.
func (c *till) unbalanced(s *engine.State) string { return cmp.Or(c.doubt(s), c.misplaced(s)) }

// doubt says what has to be counted, "" for nothing.
func (c *till) doubt(s *engine.State) string {
	if over := c.over(s); over != 0 {
		return fmt.Sprintf("the chips at the felt are %s than they should be: count them, or have the floor correct a stack", moreOrLess(over))
	}
	var unsure []string
	for z, p := range c.piles {
		if p.unsure != "" && !p.counted() {
			unsure = append(unsure, uncertain(z, p))
		}
	}
	if len(unsure) == 0 {
		return ""
	}
	return slices.Min(unsure)
}

// uncertain says of a zone that its sensor is not certain.
func uncertain(z engine.Zone, p *pile) string {
	return fmt.Sprintf("what lies at %v is not certain (%s): count it", z, p.unsure)
}

// misplaced is what the dealer moves so that chips are where they should be, "" for nothing.
func (c *till) misplaced(s *engine.State) string {
	var from, to []transfer
	for z := range c.piles {
		switch more := c.difference(s, z); {
		case more > 0:
			from = append(from, transfer{from: z, amount: more})
		case more < 0:
			to = append(to, transfer{to: z, amount: -more})
		}
	}
	return tell(match(from, to))
}

// match makes transfers from where too much lies to where too little does. What is left over on one side is to be moved
// from or to somewhere that nobody watches.
func match(from, to []transfer) (out []transfer) {
	order := func(a, b transfer) int {
		return cmp.Or(cmp.Compare(a.from.Kind+a.to.Kind, b.from.Kind+b.to.Kind), cmp.Compare(a.from.Seat+a.to.Seat, b.from.Seat+b.to.Seat))
	}
	slices.SortFunc(from, order)
	slices.SortFunc(to, order)
	for len(from) > 0 && len(to) > 0 {
		n := min(from[0].amount, to[0].amount)
		out = append(out, transfer{from[0].from, to[0].to, n})
		if from[0].amount -= n; from[0].amount == 0 {
			from = from[1:]
		}
		if to[0].amount -= n; to[0].amount == 0 {
			to = to[1:]
		}
	}
	return append(append(out, from...), to...)
}

// tell puts transfers into words: from the pot 120 to the tray.
func tell(ts []transfer) string {
	name := func(z engine.Zone) string {
		switch {
		case z.Kind == engine.ZoneStack:
			return fmt.Sprintf("seat %d", z.Seat)
		case z.Kind == engine.ZoneSpot:
			return fmt.Sprintf("the spot of seat %d", z.Seat)
		}
		return fmt.Sprintf("the %v", z.Kind)
	}
	parts := make([]string, len(ts))
	for i, t := range ts {
		switch {
		case t.from.Kind == 0:
			parts[i] = fmt.Sprintf("%d to %s", t.amount, name(t.to))
		case t.to.Kind == 0:
			parts[i] = fmt.Sprintf("%d from %s", t.amount, name(t.from))
		default:
			parts[i] = fmt.Sprintf("from %s %d to %s", name(t.from), t.amount, name(t.to))
		}
	}
	return strings.Join(parts, ", ")
}

// due are the transfers that the dealer is yet to make, "" for none: those that the sensors miss, which is seen, or where pot
// or tray have no sensor those that the last hand led to.
func (c *till) due(s *engine.State) (text string, seen bool) {
	watched := c.piles[potZone] != nil && c.piles[trayZone] != nil
	if text = c.misplaced(s); text != "" || watched {
		return text, true
	}
	return tell(c.pushes), false
}
