package controller

import (
	"fmt"
	"strings"
	"time"

	"tavolo/engine"
	"tavolo/engine/card"
)

// Request is what a person asks for, and may be refused: a player over MQTT, a player at a panel, or the dealer's console.
type Request struct {
	// From says who asks, At when it came in, by which it is in time or late; the zero time for now.
	From Source
	At   time.Time
	// ID tells the request from others of the same source; asked again with the same ID it is done once and answered the
	// same. "" for a panel, whose presses are told apart by the seat bus.
	ID string
	// Epoch, if not 0, is the run of the daemon that the person saw.
	Epoch uint64
	// Turn is the token of the turn the request answers; 0 for what needs none.
	Turn uint64
	Verb Verb
	// Amount is the whole bet of the round for VerbBet and VerbRaise, chips for VerbSit, VerbTopUp and VerbAddChips, and the
	// ante for VerbStake, whose bonus bet is Bonus.
	Amount, Bonus engine.Chips
	// Cards are the cards that a VerbDiscard or VerbSwap throws away, by their places among the player's own as he is told
	// them.
	Cards Places
	// Seat is the seat a dealer's request is about, or that a player asks for with VerbSit and VerbMove; of a player who has
	// several boxes the one it is about, 0 for that of the turn answered, or else the first. To is where a dealer's VerbMove
	// leads, and whom a VerbAnchor is on.
	Seat, To engine.Seat
	// Player is the name of who sits down at the felt with a dealer's VerbSit, "" for one whom nobody needs to know again.
	Player string
	// Hand is the hand that a plan is for, Street the name of its street, "" for that of now.
	Hand   uint64
	Street string
	// First and Last are the numbers of the first and the last event that VerbEvents asks for.
	First, Last uint64
	// Prompt and Choice answer a Prompt.
	Prompt int
	Choice string
	// Zone is what a VerbRescan is about, the zero Zone for every place.
	Zone   engine.Zone
	Reason string
	// Card is a card that a person names, for VerbManualCard, VerbExposed and VerbOverdealt where no reader knows it; Drawn are
	// the cards of a VerbDrawButton by seat; Steps is how far a VerbRewind goes back.
	Card  card.Card
	Drawn *[engine.MaxSeats + 1]card.Card
	Steps int
	// Forced are the posts a dealer enters with VerbStartHand, nil for those of the rules.
	Forced *engine.Forced
	// Fault, if not "", says why the request could not be read. It is refused with that.
	Fault string
}

// Source is who makes a Request. Exactly one of the fields is set.
type Source struct {
	// Player is the name of a remote player.
	Player string
	// Panel is the seat of a felt player's panel.
	Panel engine.Seat
	// Console is the name of a dealer's console.
	Console string
}

// String tells the source in the journal: player alice, panel 3, console d1.
func (s Source) String() string {
	switch {
	case s.Player != "":
		return "player " + s.Player
	case s.Panel != 0:
		return fmt.Sprintf("panel %d", s.Panel)
	}
	return "console " + s.Console
}

// Verb is what a Request asks for.
type Verb string

// The verbs: first those of players, then those of the dealer's console.
const (
	VerbFold  Verb = "fold"
	VerbCheck Verb = "check"
	VerbCall  Verb = "call"
	VerbBet   Verb = "bet"
	VerbRaise Verb = "raise"
	VerbAllIn Verb = "all-in"
	// VerbBringIn puts in the bring-in of a game without blinds.
	VerbBringIn Verb = "bring-in"
	// VerbSplit offers to divide the pots equally, or takes that offer (NX-A6).
	VerbSplit Verb = "split"
	// VerbDiscard throws cards away in a draw, to get as many others; VerbStandPat keeps all.
	VerbDiscard  Verb = "discard"
	VerbStandPat Verb = "stand_pat"
	// VerbPeek, VerbSwap and VerbAnchor use a power, before the player acts (NK-20..22). VerbShield answers an anchor,
	// VerbAcceptAnchor lets it hold (NK-23).
	VerbPeek         Verb = "peek"
	VerbSwap         Verb = "swap"
	VerbAnchor       Verb = "anchor"
	VerbShield       Verb = "shield"
	VerbAcceptAnchor Verb = "accept_anchor"
	VerbShow         Verb = "show"
	VerbMuck         Verb = "muck"
	VerbSitOut       Verb = "sit_out"
	VerbSitIn        Verb = "sit_in"
	// VerbWaitBlind has the player wait for the big blind, instead of posting what he owes (TC-13, NX-05).
	VerbWaitBlind Verb = "wait_blind"
	// VerbSit takes a seat, VerbMove another one; VerbLeave gives it up, VerbTopUp adds chips. In a hand they are done at its
	// end.
	VerbSit   Verb = "sit"
	VerbMove  Verb = "move"
	VerbLeave Verb = "leave"
	VerbTopUp Verb = "top_up"
	// VerbJoinList and VerbLeaveList are for the waiting list of the open seats.
	VerbJoinList  Verb = "join_list"
	VerbLeaveList Verb = "leave_list"
	// VerbResync asks for the state, and the player's own cards and turn, once more. It is done up to four times at once and then
	// once a second; asked sooner, it is done when the time has come, once for all that was asked.
	VerbResync Verb = "resync"
	// The plans are for when the player's turn comes; any change of the bet makes them void, except VerbPlanCallAny. They name
	// the Hand, and the bet to meet that the player saw as Amount. VerbPlanNone takes a plan back.
	VerbPlanCheckFold Verb = "plan_check_fold"
	VerbPlanCheck     Verb = "plan_check"
	VerbPlanCall      Verb = "plan_call"
	VerbPlanCallAny   Verb = "plan_call_any"
	VerbPlanNone      Verb = "plan_none"
	// VerbAutoMuck gives up hands that need not be shown without asking, VerbAskMuck asks again.
	VerbAutoMuck Verb = "auto_muck"
	VerbAskMuck  Verb = "ask_muck"
	// VerbPing asks for nothing: it tells that the player's client is there, and is answered by the publisher.
	VerbPing Verb = "ping"
	// VerbEvents asks for the events from First to Last, of which some were missed; it is answered by a Told.
	VerbEvents Verb = "events"
	// VerbCheckCall, VerbBetRaise and VerbShowSplit are the keys of a panel that has one for two. In a draw VerbCheckCall
	// says that the player has thrown away what he exchanges, or nothing to stand pat; which cards that were, the antennas
	// tell.
	VerbCheckCall Verb = "check_call"
	VerbBetRaise  Verb = "bet_raise"
	VerbShowSplit Verb = "show_split"
	VerbToggleSit Verb = "toggle_sit"
	// VerbStake puts down the stake of a box for the next hand against the house, in place of the one there; with neither
	// Amount nor Bonus it takes it back, as sitting out does. The dealer does it for people at the felt. A panel does it between
	// hands with VerbBetRaise, and has StakeTurn for its turn.
	VerbStake Verb = "stake"
	// VerbBack puts a stake behind the box at Seat, whoever's it is, as VerbStake does on one's own (BP-09).
	VerbBack Verb = "back"

	VerbStartHand Verb = "start_hand"
	VerbChoose    Verb = "choose"
	VerbVoidHand  Verb = "void_hand"
	// VerbAddChips adds chips that the dealer has taken in, in a hand at its end. VerbSit, VerbMove, VerbLeave and
	// VerbWaitBlind are the dealer's too, for people at the felt.
	VerbAddChips Verb = "add_chips"
	// VerbReload says that the discards are shuffled and in the shoe.
	VerbReload Verb = "reload"
	// VerbDeckChecked says that the deck was counted and is whole, or was changed, though not all of it was seen in the muck.
	VerbDeckChecked Verb = "deck_checked"
	// VerbChipsCounted says that all chips at the felt were counted and are where they should be, whatever the sensors say.
	VerbChipsCounted Verb = "chips_counted"
)

// Reply answers a Request.
type Reply struct {
	To Source
	ID string
	OK bool
	// Code and Text say why the request was refused: a stable code, as engine.Code, and one sentence.
	Code string
	Text string
	// Seq is the number of the last event when the request was answered.
	Seq uint64
}

// Codes of refusals that are the controller's own.
const (
	CodeUnknownPlayer = "unknown_player"
	CodeUnknownVerb   = "unknown_action"
	CodeStaleTurn     = "stale_turn"
	CodeOldEpoch      = "old_epoch"
	CodeNoPrompt      = "no_prompt"
	CodeRailFull      = "rail_full"
	CodeNotCollected  = "not_collected"
	CodeNotReloaded   = "not_reloaded"
	CodeNoSuchCard    = "no_such_card"
	CodeOnHold        = "on_hold"
	CodeMalformed     = "malformed"
	CodeBusy          = "busy"
)

// refusal is an error of the controller's own that answers a request.
type refusal struct{ code, text string }

func (r *refusal) Error() string { return r.text }

func refuse(code, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// readable says why a request is not one to look at further.
func (t *Table) readable(r *Request) error {
	if r.Fault != "" {
		return refuse(CodeMalformed, "%s", r.Fault)
	}
	if r.Epoch != 0 && r.Epoch != t.epoch {
		return refuse(CodeOldEpoch, "the table has started anew since: this is run %d, not %d", t.epoch, r.Epoch)
	}
	return nil
}

// input turns a request into what the engine takes. A nil input with no error is a request that is done already.
func (t *Table) input(r *Request) (*engine.Input, error) {
	if r.Verb == VerbResync || r.Verb == VerbEvents {
		return nil, nil
	}
	seat, err := t.seatOf(r)
	if err != nil {
		return nil, err
	}
	if r.From.Console != "" {
		return t.dealerInput(r)
	}
	if r.From.Panel != 0 && r.Verb == VerbBetRaise && t.stakes() {
		return t.panelStake(r)
	}
	in := engine.Input{Kind: engine.Acted, Seat: seat, Amount: r.Amount}
	awaited := t.state.Awaits()
	legal := awaited.Legal
	switch r.Verb {
	case VerbStake:
		return &engine.Input{Kind: engine.Staked, Seat: seat, Amount: r.Amount, Bonus: r.Bonus}, nil
	case VerbSitOut:
		return &engine.Input{Kind: engine.SatOut, Seat: seat}, nil
	case VerbSitIn:
		return &engine.Input{Kind: engine.SatIn, Seat: seat}, nil
	case VerbWaitBlind:
		return &engine.Input{Kind: engine.BlindAwaited, Seat: seat}, nil
	case VerbToggleSit:
		if t.state.Seats[seat].Out {
			return &engine.Input{Kind: engine.SatIn, Seat: seat}, nil
		}
		return &engine.Input{Kind: engine.SatOut, Seat: seat}, nil
	case VerbFold:
		in.Action = engine.Fold
	case VerbCheck:
		in.Action = engine.Check
	case VerbCall:
		in.Action = engine.Call
	case VerbCheckCall:
		in.Action = engine.Call
		switch {
		case awaited.Kind == engine.AwaitDiscard:
			in = engine.Input{Kind: engine.Discarded, Seat: seat, Cards: t.tracker.handed(&t.state, seat)}
		case legal.BringIn > 0:
			in.Action = engine.BringIn
		case legal.Check:
			in.Action = engine.Check
		case legal.ToCall == 0 && legal.Raise: // against the house, who does not fold bets
			in.Action, in.Amount = engine.Bet, legal.MinTo
		}
	case VerbBet:
		in.Action = engine.Bet
	case VerbRaise:
		in.Action = engine.Raise
	case VerbBetRaise:
		in.Action = engine.Raise
		if legal.Opens {
			in.Action = engine.Bet
		}
	case VerbAllIn:
		in.Action = engine.AllIn
	case VerbBringIn:
		in.Action = engine.BringIn
	case VerbSplit:
		in.Action = engine.Split
	case VerbShowSplit:
		if in.Action = engine.Split; awaited.Kind == engine.AwaitReveal {
			in = engine.Input{Kind: engine.Shown, Seat: seat}
		}
	case VerbDiscard:
		in.Kind = engine.Discarded
		if in.Cards, err = t.named(seat, r.Cards); err != nil {
			return nil, err
		}
	case VerbStandPat:
		in.Kind = engine.Discarded
	case VerbShow:
		in.Kind = engine.Shown
	case VerbMuck:
		in.Kind = engine.Mucked
	default:
		if in, err = t.powerInput(r, seat); err != nil {
			return nil, err
		}
	}
	if in.Kind != engine.Acted || in.Action != engine.Bet && in.Action != engine.Raise {
		in.Amount = 0
	}
	if awaited.Asked() == seat && r.Turn != t.turn {
		return nil, refuse(CodeStaleTurn, "the request answers turn %d, this is turn %d", r.Turn, t.turn)
	}
	return &in, nil
}

// named are the cards of a seat at some places.
func (t *Table) named(seat engine.Seat, places Places) (cards engine.Cards, err error) {
	p := &t.state.Seats[seat]
	if places == 0 {
		return cards, refuse(CodeNoSuchCard, "no card is named")
	}
	for i, n := range places.List() {
		if n > int(p.HoleLen) {
			return cards, refuse(CodeNoSuchCard, "the seat has no card %d: it has %d", n, p.HoleLen)
		}
		cards[i] = p.Hole[n-1]
	}
	return cards, nil
}

// stakes reports whether boxes may put stakes down now.
func (t *Table) stakes() bool { return t.state.Rules.Game.Banked() && t.state.Phase == engine.Between }

// StakeTurn is the token that a panel's stake carries, by the token of the last turn: a key that was pressed in a hand and
// comes after it must not be a stake for the next.
func StakeTurn(turn uint64) uint64 { return turn + 1 }

// panelStake is input for the bet key of a panel between hands against the house. A bonus bet that the dealer has put down
// for the box stays.
func (t *Table) panelStake(r *Request) (*engine.Input, error) {
	if r.Turn != StakeTurn(t.turn) {
		return nil, refuse(CodeStaleTurn, "the key was pressed before bets were open")
	}
	seat := r.From.Panel
	return &engine.Input{Kind: engine.Staked, Seat: seat, Amount: r.Amount, Bonus: t.state.Seats[seat].Bonus}, nil
}

// dealerInput is input for the requests of the dealer's console.
func (t *Table) dealerInput(r *Request) (*engine.Input, error) {
	if in, ok, err := t.ruling(r); ok {
		return in, err
	}
	switch r.Verb {
	case VerbStartHand:
		if left := t.tracker.uncollected(&t.state); t.state.Phase == engine.Between && left != "" {
			return nil, refuse(CodeNotCollected, "%s", left)
		}
		if t.state.Phase == engine.Between && len(t.tracker.current)+len(t.holds) > 0 {
			return nil, refuse(CodeOnHold, "%s", t.instruction().Text)
		}
		if odd := t.till.unbalanced(&t.state); t.state.Phase == engine.Between && odd != "" {
			return nil, refuse(CodeChipsDiffer, "%s", odd)
		}
		return &engine.Input{Kind: engine.HandStarted, Forced: r.Forced, Carousel: t.carousel()}, nil
	case VerbShow:
		return &engine.Input{Kind: engine.Shown, Seat: r.Seat}, nil
	case VerbMuck:
		return &engine.Input{Kind: engine.Mucked, Seat: r.Seat}, nil
	case VerbVoidHand:
		return &engine.Input{Kind: engine.HandVoided, Reason: r.Reason}, nil
	case VerbWaitBlind:
		return &engine.Input{Kind: engine.BlindAwaited, Seat: r.Seat}, nil
	case VerbStake:
		if p, ok := t.configuredSeat(r.Seat); ok && p.Kind != Felt {
			return nil, refuse(CodeWrongKind, "seat %d is a %s seat: its player puts the stake down", r.Seat, p.Kind)
		}
		return &engine.Input{Kind: engine.Staked, Seat: r.Seat, Amount: r.Amount, Bonus: r.Bonus}, nil
	case VerbChoose:
		return t.choose(r)
	case VerbReload:
		if n := t.tracker.unshuffled(&t.state); n > 0 && awaitsReload(&t.state) {
			return nil, refuse(CodeNotReloaded, "%d discards still lie on the felt", n)
		}
		return &engine.Input{Kind: engine.Reloaded}, nil
	case VerbRescan:
		return nil, t.rescan(r.Zone)
	case VerbDeckChecked:
		if t.state.Phase != engine.Between {
			return nil, refuse(string(engine.CodeHandInPlay), "the deck is counted between hands")
		}
		t.tracker.settle("", card.None, deckChecked)
		t.record(kindChoice, choiceRecord{At: t.now, By: r.From.String(), ID: r.ID, Choice: deckChecked})
		return nil, nil
	case VerbResetCover:
		return nil, t.resetCover(r)
	case VerbChipsCounted:
		t.till.counted(&t.state, engine.Zone{})
		t.record(kindCounted, countedRecord{t.till.remarks()})
		t.record(kindChoice, choiceRecord{At: t.now, By: r.From.String(), ID: r.ID, Choice: string(VerbChipsCounted)})
		return nil, nil
	}
	return nil, refuse(CodeUnknownVerb, "%q is nothing a console can do", r.Verb)
}

// choose settles a prompt as the dealer says; voiding the hand is an input of its own.
func (t *Table) choose(r *Request) (*engine.Input, error) {
	p, ok := t.tracker.choice(r.Prompt, r.Choice)
	if !ok {
		return nil, refuse(CodeNoPrompt, "no prompt %d offers %q now", r.Prompt, r.Choice)
	}
	if p.By == r.From.Console && r.Choice == "confirm" {
		return nil, refuse(CodeSecondPerson, "you asked for it yourself: another person confirms it")
	}
	switch r.Choice { // corrections that are worked out from what lies there now
	case string(VerbDealtEarly):
		return t.dealtEarly(p.Code)
	case string(VerbOverdealt):
		return t.overdealt(card.None, p.Code)
	case string(VerbRescan):
		z, _ := engine.ParseZone(p.Zone) // the prompt has it from a zone
		return nil, t.rescan(z)
	case string(VerbRetrieve):
		in := p.acts[r.Choice]
		asks := Request{From: r.From, ID: r.ID, Reason: in.Reason}
		return nil, t.confirm(&asks, givesBack(in.Seat), in)
	}
	if tag, ok := strings.CutPrefix(p.key, twoPlaces+" "); ok && r.Choice != voidHand.ID {
		if err := t.liesAt(tag, r.Choice); err != nil {
			return nil, err
		}
	}
	t.tracker.settle(p.key, p.card, r.Choice)
	t.record(kindChoice, choiceRecord{At: t.now, By: r.From.String(), ID: r.ID, Key: p.key, Card: p.card, Choice: r.Choice})
	if r.Choice == voidHand.ID && t.state.Phase != engine.Between {
		return &engine.Input{Kind: engine.HandVoided, Reason: p.Code}, nil
	}
	if p.Code == string(engine.CodeOwnDiscard) {
		return &engine.Input{Kind: engine.SetAside, Card: p.card, Reason: p.Code}, nil
	}
	in := t.till.choose(&t.state, p, r.Choice)
	if _, finds := p.finds[r.Choice]; finds || r.Choice == "counted" || r.Choice == "hold" {
		t.record(kindCounted, countedRecord{t.till.remarks()})
	}
	return in, nil
}
