package mqtt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"tavolo/controller"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/card"
	"tavolo/engine/seating"
)

// Version is the number that every payload carries as "v". A change that old readers cannot live with raises it, and the
// root of the topics with it.
const Version = 1

// Head is what every payload of a table begins with.
type Head struct {
	V int `json:"v"` // Version
	// Epoch grows at every start of the daemon. A reader that sees another epoch drops what it holds but for the events, whose
	// numbers go on; a state below what was told before says that the table has another journal, and begins anew.
	Epoch uint64 `json:"epoch"`
	// Seq is the number of the event, or of the last event that the payload includes. Numbers go up by one, over all hands.
	Seq uint64 `json:"seq"`
}

// The states of a StatusPayload.
const (
	StateOnline  = "online"  // the table runs
	StateStopped = "stopped" // it was stopped
	StateLost    = "lost"    // its connection broke: said by the broker
)

// StatusPayload is whether the table is there, on Topics.Status.
type StatusPayload struct {
	V     int    `json:"v"`
	State string `json:"state"` // online, stopped or lost
	Epoch uint64 `json:"epoch"` // of the run, as in Head
	// Version is the daemon's.
	Version string `json:"version,omitempty"`
}

// NewStatus gives the three messages by which a Link keeps a table's status.
func NewStatus(t Topics, epoch uint64, version string) Status {
	at := func(state string) []byte {
		return Pack(StatusPayload{V: Version, State: state, Epoch: epoch, Version: version})
	}
	return Status{Topic: t.Status(), Online: at(StateOnline), Stopped: at(StateStopped), Lost: at(StateLost)}
}

// StatePayload is the public snapshot, on Topics.State.
type StatePayload struct {
	Head
	Time  int64       `json:"time"` // of the table's clock, in Unix milliseconds, as all times
	Title string      `json:"name"` // of the table, for people
	View  engine.View `json:"view"`
	// Players are those who have a seat, and those for whom an empty one is kept.
	Players []controller.Player `json:"players"`
	// Seating is what one needs to know to sit down.
	Seating SeatingPayload `json:"seating"`
	Clock   *ClockPayload  `json:"clock,omitempty"`
	// Times is how long the table waits for its players, left out on Topics.DelayedState.
	Times *TimesPayload `json:"times,omitempty"`
	// Currency is the code of ISO 4217 of the currency whose smallest unit chips are counted in, left out for play money.
	Currency string `json:"currency,omitempty"`
	// Jackpot is what the bad beat jackpot's pool holds, left out where there is none.
	Jackpot engine.Chips `json:"jackpot,omitempty"`
	// Powers are what the powers of the table cost, in sparks, left out where there are none.
	Powers map[string]int8 `json:"powers,omitempty"`
	// Behind is what others have put behind the boxes: for the next hand, or in the hand in play.
	Behind []BoxPayload `json:"behind,omitempty"`
	// Holds are the reasons why the table stands still.
	Holds []string `json:"holds,omitempty"`
}

// TimesPayload is how long a table waits for its players, in milliseconds: to act, to exchange cards in a draw, to show or muck.
// The others are left out where there is no such time.
type TimesPayload struct {
	ActionMS int64 `json:"action_ms"` // to act
	DrawMS   int64 `json:"draw_ms"`   // to exchange cards
	ShowMS   int64 `json:"show_ms"`   // to show or muck
	// BankMS is what a seat has beside its clocks in all, RefillMS what comes back of it with each hand dealt.
	BankMS   int64 `json:"bank_ms,omitempty"`
	RefillMS int64 `json:"refill_ms,omitempty"`
	// GraceMS is what a turn has more, once, of a player who is cut off; then his hand is checked or folded, and he sits out from
	// the next hand on.
	GraceMS int64 `json:"grace_ms,omitempty"`
	// CoverUses is how many times in any CoverMS being cut off counts as all-in instead.
	CoverUses int   `json:"cover_uses,omitempty"`
	CoverMS   int64 `json:"cover_ms,omitempty"`
	// SitOutMS is the time after which a player elsewhere who sits out loses the seat.
	SitOutMS int64 `json:"sit_out_ms,omitempty"`
}

// SeatingPayload is which seats may be taken, and with how much.
type SeatingPayload struct {
	// Free are the seats that anybody may take, or who was offered one; seats kept for a player are not among them.
	Free []engine.Seat `json:"free"`
	// MinBuyIn and MaxBuyIn bound what one sits down with, SessionCap all that one brings in a session; left out for no bound.
	MinBuyIn   engine.Chips `json:"min_buy_in,omitempty"`
	MaxBuyIn   engine.Chips `json:"max_buy_in,omitempty"`
	SessionCap engine.Chips `json:"session_cap,omitempty"`
	// Waiting is how many are on the waiting list.
	Waiting int `json:"waiting,omitempty"`
}

// OfferPayload tells the first on the waiting list that a seat is free, sealed on Topics.Offer. It is sent again when the table
// could not be reached for a while, and to who asks for resync.
type OfferPayload struct {
	Head
	// Free are the seats to choose from, Until the time to which the player may take one with sit.
	Free  []engine.Seat `json:"free"`
	Until int64         `json:"until"`
}

// BehindPayload tells a player of his stakes behind boxes, sealed on Topics.Behind: when one changes, when a hand begins or
// ends with one, and when he asks for resync. Stakes are {"seat":3,"ante":10,"bonus":5}.
type BehindPayload struct {
	Head
	Hand uint64 `json:"hand"`
	// Open are those for the next hand, InPlay those of the hand in play, Settled those of the last hand until the next begins.
	Open    []BehindStake   `json:"open"`
	InPlay  []BehindStake   `json:"in_play"`
	Settled []BehindSettled `json:"settled,omitempty"`
}

// BehindStake is a stake behind a box.
type BehindStake struct {
	Seat engine.Seat `json:"seat"` // of the box
	bonus.Stake
}

// BehindSettled is what became of one: the bets that the box's decisions made of it, and what the house hands back for each.
type BehindSettled struct {
	BehindStake
	Bets bonus.Bets `json:"bets"`
	Back bonus.Bets `json:"back"`
}

// BoxPayload is what lies behind a box in all, for everybody to see.
type BoxPayload struct {
	Seat    engine.Seat `json:"seat"`    // of the box
	Players int         `json:"players"` // how many have a stake there
	bonus.Stake
}

// ClockPayload is the running clock.
type ClockPayload struct {
	Seat engine.Seat `json:"seat"` // whose time it is
	// Deadline is when the time is up, in Unix milliseconds; a paused clock has none, and LeftMS instead.
	Deadline int64 `json:"deadline,omitempty"`
	TotalMS  int64 `json:"total_ms"`         // all of the time given
	Paused   bool  `json:"paused,omitempty"` // see Deadline
	// Bank is set while the time is that of the seat's bank, Grace while it is what a player who is cut off has to come back.
	Bank   bool  `json:"bank,omitempty"`
	Grace  bool  `json:"grace,omitempty"`
	LeftMS int64 `json:"left_ms,omitempty"` // of a paused clock
	// BankMS is what the seat has in its bank until that runs, left out for nothing.
	BankMS int64 `json:"bank_ms,omitempty"`
}

// EventPayload is one public event, on Topics.Events.
type EventPayload struct {
	Head
	Hand uint64 `json:"hand"` // in play, or the last one; 0 before the first
	// Time is when it happened, in Unix milliseconds, also where it is published again.
	Time  int64        `json:"time"`
	Event engine.Event `json:"event"`
}

// PastPayload tells events that were missed, to whoever asked for them with events: sealed on Topics.Past, in the clear on
// Topics.CommandPast.
type PastPayload struct {
	Head
	// ID is that of the request, to which there is a reply too.
	ID string `json:"id"`
	// Oldest is the number of the oldest event in the journal. What is older is gone: go on from the state.
	Oldest uint64 `json:"oldest"`
	// Events are the first of those asked for, without a gap and at most 64; the rest is to be asked for once more. A player
	// sees the cards that were the player's own.
	Events []EventPayload `json:"events"`
}

// HolePayload is a player's own cards, sealed on Topics.Hole.
type HolePayload struct {
	Head
	Hand  uint64      `json:"hand"` // that the cards are of
	Seat  engine.Seat `json:"seat"` // that they lie at
	Cards []card.Card `json:"cards"`
	// Holds says what the cards make with the board.
	Holds string `json:"holds,omitempty"`
	// Peeked is the next community card, where the player has peeked and no swap has changed the order since.
	Peeked card.Card `json:"peeked,omitzero"`
}

// TurnPayload tells a player that it is their turn, sealed on Topics.Turn.
type TurnPayload struct {
	Head
	Hand uint64      `json:"hand"` // in play
	Seat engine.Seat `json:"seat"` // whose turn it is
	// Turn is the token that the answer must carry.
	Turn uint64 `json:"turn"`
	// Kind is action, reveal, discard or shield: to act within Legal, after one of its powers or without; to show, or muck
	// if MayMuck; to draw, exchanging Most cards at most; to answer the anchor that seat By has put on the player, with
	// shield or accept_anchor.
	Kind    engine.AwaitKind `json:"kind"`
	Legal   *engine.Legal    `json:"legal,omitempty"`
	MayMuck bool             `json:"may_muck,omitempty"`
	Most    int8             `json:"most,omitempty"`
	By      engine.Seat      `json:"by,omitempty"`
	Clock   *ClockPayload    `json:"clock,omitempty"`
}

// ReplyPayload answers a request, sealed on Topics.Reply and in the clear on Topics.CommandReply.
type ReplyPayload struct {
	Head
	ID   string `json:"id"`             // of the request
	OK   bool   `json:"ok"`             // whether it was or will be done
	Code string `json:"code,omitempty"` // why not, for programs
	Text string `json:"text,omitempty"` // why not, or when, for people
	// Login is whose request it says it was, where that was not opened and the refusal is in the clear: none of a player's other
	// devices need care, nor one that the table has told anything in this run. It is left out where none was named.
	Login string `json:"login,omitempty"`
}

// PlanPayload is what a player has decided ahead, sealed on Topics.Plan: told when it changes, so when it is void too, and to
// who asks for resync.
type PlanPayload struct {
	Head
	Hand uint64      `json:"hand"` // that the plan is for
	Seat engine.Seat `json:"seat"` // that it is for
	// Plan is one of plan_check_fold, plan_check, plan_call and plan_call_any, left out for none.
	Plan controller.Verb `json:"plan,omitempty"`
	// AutoMuck is whether a hand that need not be shown is mucked without asking.
	AutoMuck bool `json:"auto_muck,omitempty"`
}

// PongPayload answers a ping, sealed on Topics.Pong: a client measures by it how late it is. A player whose client has pinged,
// and then does not for 15 s, counts as cut off.
type PongPayload struct {
	V    int    `json:"v"`
	ID   string `json:"id"`   // of the request
	Time int64  `json:"time"` // of the table's clock
}

// GonePayload is a player's farewell, on Topics.Action, in the clear: it is left with the broker, which says it when the
// connection breaks. One that the player did not make, or that is of an earlier connection, is passed over.
type GonePayload struct {
	V int `json:"v"`
	// Gone is the login that is told no more, N the number up to which its requests are of the connection, MAC the proof, see
	// package seal. Without a proof it says nothing.
	Gone string     `json:"gone"`
	N    uint64     `json:"n,omitempty"`
	MAC  seal.Bytes `json:"mac,omitempty"`
}

// Codes of refusals on Topics.Reply that are not sealed, since whoever asked cannot be known for the player.
const (
	CodeNotSealed     = "not_sealed"
	CodeTooManyLogins = "too_many_logins"
)

// ActionPayload is a player's request, sealed on Topics.Action.
type ActionPayload struct {
	V  int    `json:"v"`
	ID string `json:"id"` // of the request, at most 64 characters: what is sent again under it is done once
	// Epoch and Turn are those of the TurnPayload answered; Turn is left out for what answers none: stake, back, sit_in, sit_out,
	// wait_blind, sit, move, leave, top_up, join_list, leave_list and resync. Asked in a hand, sit, move, leave and top_up
	// are done at its end; the reply says that they will be.
	Epoch  uint64          `json:"epoch,omitempty"`
	Turn   uint64          `json:"turn,omitempty"`
	Action controller.Verb `json:"action"` // what is asked
	// Amount is the whole bet of the round for bet and raise, the chips brought for sit and top_up, and the ante for stake.
	// Where Legal has two_sizes, it is min_to or max_to.
	Amount engine.Chips `json:"amount,omitempty"`
	// Bonus is the bonus bet of a stake. A stake is for the next hand against the house and takes the place of the one there;
	// with neither amount nor bonus it takes it back: {"v":1,"id":"7f","action":"stake","amount":10,"bonus":5}.
	// back does the same behind the box at Seat, whoever's it is: {"v":1,"id":"80","action":"back","seat":3,"amount":10}.
	Bonus engine.Chips `json:"bonus,omitempty"`
	// Cards are the cards thrown away, for discard, and the one for swap: their places among the cards of the HolePayload,
	// from 1. stand_pat throws none away.
	Cards controller.Places `json:"cards,omitzero"`
	// Target is the seat that an anchor is on.
	Target engine.Seat `json:"target,omitempty"`
	// Seat is the seat to take, for sit and move, and the box to play behind, for back. A player who has several boxes names the one that anything else is about;
	// left out, it is the one whose turn is answered, or the first.
	Seat engine.Seat `json:"seat,omitempty"`
	// Hand is the hand that a plan is for: plan_check_fold, plan_check, plan_call and plan_call_any say what to do when the
	// player's turn comes, where Amount is still the bet to meet (that of the view); any other bet makes the plan void, but not
	// that to call any. plan_none takes it back. Street is that of the view, so that a plan that comes late is none for the next
	// street; left out, it is for the street of when it comes.
	Hand   uint64 `json:"hand,omitempty"`
	Street string `json:"street,omitempty"`
	// First and Last are the numbers of the first and the last event wanted, for events.
	First uint64 `json:"first,omitempty"`
	Last  uint64 `json:"last,omitempty"`
}

// CommandPayload is a dealer's request, on Topics.Command.
type CommandPayload struct {
	V       int             `json:"v"`
	ID      string          `json:"id"`  // of the command, at most 64 characters: what is sent again under it is done once
	Command controller.Verb `json:"cmd"` // what is asked
	// Seat is the seat that the command is about. sit, of somebody at the felt, brings Amount chips, as add_chips does; move
	// leads to seat To. stake puts down Amount as the ante and Bonus as the bonus bet of a box at the felt.
	Seat   engine.Seat  `json:"seat,omitempty"`
	Amount engine.Chips `json:"amount,omitempty"`
	Bonus  engine.Chips `json:"bonus,omitempty"`
	To     engine.Seat  `json:"to,omitempty"`
	// Player is the name of who sits down, by which the table knows him again; it may be left out.
	Player string `json:"player,omitempty"`
	// Epoch is that of the PromptPayload answered: the instruction may be another and prompts are numbered anew in each run of
	// the daemon. Only resync and events, which answer none, go without.
	Epoch uint64 `json:"epoch,omitempty"`
	// Prompt and Choice answer a prompt.
	Prompt int    `json:"prompt,omitempty"`
	Choice string `json:"choice,omitempty"`
	// Zone is the place that a rescan is about, as prompts name it: seat 3, board. Left out, every place is read anew.
	Zone string `json:"zone,omitempty"`
	// Reason is why, for void_hand and for every correction of the floor: exposed, boxed, deal_correction, dealt_early, overdealt,
	// skip_burn, reshuffled, manual_card, kill_hand, retrieve, set_button, draw_button, correct_stack, reverse_award, suspend, rule
	// and rewind.
	Reason string `json:"reason,omitempty"`
	// Cards is the place among a seat's cards of the one that was exposed. Card is a card by its face: for manual_card, and for
	// exposed and overdealt where no reader knows it. Drawn are the cards of draw_button by seat, that of seat 1 second.
	Cards controller.Places               `json:"cards,omitzero"`
	Card  card.Card                       `json:"card,omitzero"`
	Drawn *[engine.MaxSeats + 1]card.Card `json:"drawn,omitempty"`
	// Steps is how many steps of the hand a rewind takes back.
	Steps int `json:"steps,omitempty"`
	// First and Last are the numbers of the first and the last event wanted, for events.
	First uint64 `json:"first,omitempty"`
	Last  uint64 `json:"last,omitempty"`
	// Forced are posts as they lie on the felt, for start_hand, in place of those of the rules.
	Forced *engine.Forced `json:"forced,omitempty"`
}

// PromptPayload is what a console shows its dealer, on Topics.Prompt.
type PromptPayload struct {
	Head
	Hand        uint64                 `json:"hand"` // in play, or the last one
	Instruction controller.Instruction `json:"instruction"`
	Prompts     []controller.Prompt    `json:"prompts"` // what is to be put right or chosen before that
}

// CheckpointPayload is what the journal has signed, on Topics.Checkpoint: when the daemon starts, when a hand has ended, and else
// a minute after something was recorded. Who keeps it can have it held against the journal at any time:
// tavolo journal verify DIR --checkpoint FILE.
type CheckpointPayload struct {
	V    int   `json:"v"`
	Time int64 `json:"time"` // when it was signed
	// Note is a signed note (C2SP signed-note, Ed25519) by the key in checkpoint.pub beside the journal. Its lines are the origin,
	// tavolo/{studio}/{table}; the number of the last record signed; and a salted hash of all up to it, which tells nothing of them.
	Note string `json:"note"`
}

// The states of a DevicePayload.
const (
	StateUp   = "up"
	StateDown = "down"
)

// DevicePayload is how a device does, on Topics.Device.
type DevicePayload struct {
	V      int    `json:"v"`
	Device string `json:"device"` // name
	Kind   string `json:"kind"`   // of device, as in the configuration
	// State is up or down, Text why it is down, Since when it became so, in Unix milliseconds.
	State string `json:"state"`
	Text  string `json:"text,omitempty"`
	Since int64  `json:"since"`
	// Counters are the faults met with since the start of the daemon, by their kinds, without those that are 0.
	Counters map[string]uint64 `json:"counters,omitempty"`
}

// What a DeviceEventPayload may tell, beside StateUp and StateDown.
const (
	EventFaults    = "faults"     // it has met with faults
	EventLidOpened = "lid_opened" // of a shoe
	EventLidClosed = "lid_closed"
)

// DeviceEventPayload is what happened to a device, on Topics.DeviceEvents, where DevicePayload says how it is since then. Neither
// ever tells what a device read: the tag at an antenna is a card, which is its owner's to see, and a key pressed is a bet in
// preparation. Of each device eight are told at once, and then one in ten seconds.
type DeviceEventPayload struct {
	V      int    `json:"v"`
	Device string `json:"device"` // name
	Kind   string `json:"kind"`   // of device, as in the configuration
	Time   int64  `json:"time"`   // when it happened
	// Happened is up, down, faults, lid_opened or lid_closed; Text is why it is down.
	Happened string `json:"happened"`
	Text     string `json:"text,omitempty"`
	// Faults are the new ones, by their kinds; the Counters of a DevicePayload are all.
	Faults map[string]uint64 `json:"faults,omitempty"`
	// Missed is how many events before this one were not told, being too many.
	Missed uint64 `json:"missed,omitempty"`
}

// maxID is the length of the longest request identifier.
const maxID = 64

// playerVerbs and consoleVerbs are what may be asked over MQTT.
var (
	playerVerbs = map[controller.Verb]bool{
		controller.VerbFold: true, controller.VerbCheck: true, controller.VerbCall: true, controller.VerbBet: true,
		controller.VerbRaise: true, controller.VerbAllIn: true, controller.VerbBringIn: true, controller.VerbShow: true, controller.VerbMuck: true,
		controller.VerbSitOut: true, controller.VerbSitIn: true, controller.VerbResync: true, controller.VerbEvents: true,
		controller.VerbPlanCheckFold: true, controller.VerbPlanCheck: true, controller.VerbPlanCall: true,
		controller.VerbPlanCallAny: true, controller.VerbPlanNone: true, controller.VerbAutoMuck: true, controller.VerbAskMuck: true,
		controller.VerbPing: true, controller.VerbWaitBlind: true, controller.VerbSit: true, controller.VerbMove: true, controller.VerbLeave: true,
		controller.VerbStake: true, controller.VerbBack: true, controller.VerbTopUp: true, controller.VerbJoinList: true, controller.VerbLeaveList: true,
		controller.VerbSplit: true, controller.VerbDiscard: true, controller.VerbStandPat: true,
		controller.VerbPeek: true, controller.VerbSwap: true, controller.VerbAnchor: true, controller.VerbShield: true,
		controller.VerbAcceptAnchor: true,
	}
	consoleVerbs = map[controller.Verb]bool{
		controller.VerbStartHand: true, controller.VerbChoose: true, controller.VerbVoidHand: true,
		controller.VerbAddChips: true, controller.VerbDeckChecked: true, controller.VerbShow: true, controller.VerbMuck: true, controller.VerbResync: true,
		controller.VerbWaitBlind: true, controller.VerbSit: true, controller.VerbMove: true, controller.VerbLeave: true,
		controller.VerbReload: true, controller.VerbStake: true, controller.VerbEvents: true, controller.VerbChipsCounted: true,
		controller.VerbExposed: true, controller.VerbBoxed: true, controller.VerbDealCorrection: true, controller.VerbDealtEarly: true, controller.VerbOverdealt: true,
		controller.VerbSkipBurn: true, controller.VerbReshuffled: true, controller.VerbManualCard: true, controller.VerbKillHand: true,
		controller.VerbRetrieve: true, controller.VerbSetButton: true, controller.VerbDrawButton: true, controller.VerbCorrectStack: true,
		controller.VerbReverseAward: true, controller.VerbSuspend: true, controller.VerbResume: true, controller.VerbRule: true,
		controller.VerbRewind: true, controller.VerbRescan: true, controller.VerbResetCover: true,
	}
)

// ParseRequest reads what came in on an Action or Command topic. The identifier is given even with an error, where it
// could be read, so that the refusal finds its request. The error is a sentence for whoever sent it.
func ParseRequest(from Sender, payload []byte) (controller.Request, error) {
	if from.Role == Dealer {
		var c CommandPayload
		err := parse(payload, &c)
		r := controller.Request{
			From: controller.Source{Console: from.Name}, ID: c.ID, Epoch: c.Epoch, Verb: c.Command, Seat: c.Seat, Amount: c.Amount,
			Bonus: c.Bonus, To: c.To, Player: c.Player,
			Prompt: c.Prompt, Choice: c.Choice, Reason: c.Reason, Forced: c.Forced,
			First: c.First, Last: c.Last, Cards: c.Cards, Card: c.Card, Drawn: c.Drawn, Steps: c.Steps,
		}
		if err == nil && c.Epoch == 0 && c.Command != controller.VerbResync && c.Command != controller.VerbEvents {
			err = errors.New("\"epoch\": missing; want that of the prompt that the command answers")
		}
		if err == nil && c.Zone != "" {
			if r.Zone, err = engine.ParseZone(c.Zone); err != nil {
				err = fmt.Errorf("zone: %w", err)
			}
		}
		return r, check(err, c.V, &r, consoleVerbs)
	}
	var a ActionPayload
	err := parse(payload, &a)
	if err == nil && a.Cards != 0 && a.Action != controller.VerbDiscard && a.Action != controller.VerbSwap {
		err = fmt.Errorf("\"cards\": a player names some to discard and to swap, not to %s", a.Action)
	}
	if err == nil && a.Target != 0 && a.Action != controller.VerbAnchor {
		err = fmt.Errorf("\"target\": a player names one to anchor, not to %s", a.Action)
	}
	r := controller.Request{
		From: controller.Source{Player: from.Name}, ID: a.ID, Epoch: a.Epoch, Turn: a.Turn, Verb: a.Action, Amount: a.Amount,
		Bonus: a.Bonus, Seat: a.Seat, To: a.Target, Cards: a.Cards, Hand: a.Hand, Street: a.Street, First: a.First, Last: a.Last,
	}
	return r, check(err, a.V, &r, playerVerbs)
}

// parse reads a request strictly: a field that there is none of may be a wish that would silently go unheard.
func parse(payload []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("something follows its end")
		}
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("the request is not what a request looks like: %s: a %s does not fit there", wrong.Field, wrong.Value)
	case err != nil:
		return fmt.Errorf("the request is not what a request looks like: %w", err)
	}
	return nil
}

func check(err error, v int, r *controller.Request, verbs map[controller.Verb]bool) error {
	switch {
	case len(r.ID) > maxID:
		r.ID = r.ID[:maxID]
		return fmt.Errorf("id: longer than %d characters", maxID)
	case err != nil:
		return err
	case v != Version:
		return fmt.Errorf("v: this table speaks version %d, not %d", Version, v)
	case r.ID == "":
		return fmt.Errorf("id: missing; each request needs one of its own")
	case !verbs[r.Verb]:
		return fmt.Errorf("%q is nothing that can be asked here", r.Verb)
	}
	return nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func clockPayload(c controller.Clock) *ClockPayload {
	if c.Seat == 0 {
		return nil
	}
	return &ClockPayload{
		Seat: c.Seat, Deadline: millis(c.Deadline), TotalMS: c.Total.Milliseconds(),
		Paused: c.Paused, LeftMS: c.Left.Milliseconds(), Bank: c.Bank, Grace: c.Grace,
		BankMS: c.InBank.Milliseconds(),
	}
}

// TimesOf gives the times of a table by how it waits for its players and what it goes by between hands.
func TimesOf(w *controller.Timing, between *seating.Rules) *TimesPayload {
	t := &TimesPayload{
		ActionMS: w.ActionClock.Milliseconds(), DrawMS: w.DrawClock.Milliseconds(), ShowMS: w.ShowClock.Milliseconds(),
		BankMS: w.TimeBank.Milliseconds(), GraceMS: w.Grace.Milliseconds(), SitOutMS: between.SitOut,
	}
	if w.TimeBank > 0 {
		t.RefillMS = w.BankRefill.Milliseconds()
	}
	if w.Cover.Uses > 0 {
		t.CoverUses, t.CoverMS = w.Cover.Uses, w.Cover.Window.Milliseconds()
	}
	return t
}

func seatingPayload(s *seating.State) SeatingPayload {
	return SeatingPayload{
		Free: s.Free().List(), MinBuyIn: s.Rules.MinBuyIn, MaxBuyIn: s.Rules.MaxBuyIn, SessionCap: s.Rules.SessionCap,
		Waiting: len(s.List),
	}
}
