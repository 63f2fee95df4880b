package mqtt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"tavolo/controller"
	"tavolo/engine"
	"tavolo/engine/card"
)

// Version is the number that every payload carries as "v". A change that old readers cannot live with raises it, and the
// root of the topics with it.
const Version = 1

// Head is what every payload of a table begins with.
type Head struct {
	V int `json:"v"`
	// Epoch grows at every start of the daemon. A reader that sees another epoch drops what it holds.
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
	State string `json:"state"`
	Epoch uint64 `json:"epoch"`
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
	Time    int64               `json:"time"` // of the table's clock, in Unix milliseconds, as all times
	Title   string              `json:"name"`
	View    engine.View         `json:"view"`
	Players []controller.Player `json:"players"`
	Clock   *ClockPayload       `json:"clock,omitempty"`
	// Holds are the reasons why the table stands still.
	Holds []string `json:"holds,omitempty"`
}

// ClockPayload is the running clock.
type ClockPayload struct {
	Seat engine.Seat `json:"seat"`
	// Deadline is when the time is up, in Unix milliseconds; a paused clock has none, and LeftMS instead.
	Deadline int64 `json:"deadline,omitempty"`
	TotalMS  int64 `json:"total_ms"`
	Paused   bool  `json:"paused,omitempty"`
	LeftMS   int64 `json:"left_ms,omitempty"`
}

// EventPayload is one public event, on Topics.Events.
type EventPayload struct {
	Head
	Hand uint64 `json:"hand"` // in play, or the last one; 0 before the first
	// Time is when it happened, in Unix milliseconds, also where it is published again.
	Time  int64        `json:"time"`
	Event engine.Event `json:"event"`
}

// HolePayload is a player's own cards, on Topics.Hole.
type HolePayload struct {
	Head
	Hand  uint64      `json:"hand"`
	Seat  engine.Seat `json:"seat"`
	Cards []card.Card `json:"cards"`
	// Holds says what the cards make with the board.
	Holds string `json:"holds,omitempty"`
}

// TurnPayload tells a player that it is their turn, on Topics.Turn.
type TurnPayload struct {
	Head
	Hand uint64      `json:"hand"`
	Seat engine.Seat `json:"seat"`
	// Turn is the token that the answer must carry.
	Turn uint64 `json:"turn"`
	// Kind is action or reveal.
	Kind    engine.AwaitKind `json:"kind"`
	Legal   *engine.Legal    `json:"legal,omitempty"`
	MayMuck bool             `json:"may_muck,omitempty"`
	Clock   *ClockPayload    `json:"clock,omitempty"`
}

// ReplyPayload answers a request, on Topics.Reply and Topics.CommandReply.
type ReplyPayload struct {
	Head
	ID   string `json:"id"`
	OK   bool   `json:"ok"`
	Code string `json:"code,omitempty"`
	Text string `json:"text,omitempty"`
}

// ActionPayload is a player's request, on Topics.Action.
type ActionPayload struct {
	V  int    `json:"v"`
	ID string `json:"id"`
	// Epoch and Turn are those of the TurnPayload answered; Turn is left out for sit_in, sit_out and resync.
	Epoch  uint64          `json:"epoch,omitempty"`
	Turn   uint64          `json:"turn,omitempty"`
	Action controller.Verb `json:"action"`
	// Amount is the whole bet of the round, for bet and raise.
	Amount engine.Chips `json:"amount,omitempty"`
}

// CommandPayload is a dealer's request, on Topics.Command.
type CommandPayload struct {
	V       int             `json:"v"`
	ID      string          `json:"id"`
	Command controller.Verb `json:"cmd"`
	Seat    engine.Seat     `json:"seat,omitempty"`
	Amount  engine.Chips    `json:"amount,omitempty"`
	// Prompt and Choice answer a prompt.
	Prompt int    `json:"prompt,omitempty"`
	Choice string `json:"choice,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Forced are posts as they lie on the felt, for start_hand, in place of those of the rules.
	Forced *engine.Forced `json:"forced,omitempty"`
}

// PromptPayload is what a console shows its dealer, on Topics.Prompt.
type PromptPayload struct {
	Head
	Hand        uint64                 `json:"hand"`
	Instruction controller.Instruction `json:"instruction"`
	Prompts     []controller.Prompt    `json:"prompts"`
}

// The states of a DevicePayload.
const (
	StateUp   = "up"
	StateDown = "down"
)

// DevicePayload is how a device does, on Topics.Device.
type DevicePayload struct {
	V      int    `json:"v"`
	Device string `json:"device"`
	Kind   string `json:"kind"`
	// State is up or down, Text why it is down, Since when it became so, in Unix milliseconds.
	State string `json:"state"`
	Text  string `json:"text,omitempty"`
	Since int64  `json:"since"`
	// Counters are the faults met with since the start of the daemon, by their kinds, without those that are 0.
	Counters map[string]uint64 `json:"counters,omitempty"`
}

// maxID is the length of the longest request identifier.
const maxID = 64

// playerVerbs and consoleVerbs are what may be asked over MQTT.
var (
	playerVerbs = map[controller.Verb]bool{
		controller.VerbFold: true, controller.VerbCheck: true, controller.VerbCall: true, controller.VerbBet: true,
		controller.VerbRaise: true, controller.VerbAllIn: true, controller.VerbBringIn: true, controller.VerbShow: true, controller.VerbMuck: true,
		controller.VerbSitOut: true, controller.VerbSitIn: true, controller.VerbResync: true,
	}
	consoleVerbs = map[controller.Verb]bool{
		controller.VerbStartHand: true, controller.VerbChoose: true, controller.VerbVoidHand: true,
		controller.VerbAddChips: true, controller.VerbShow: true, controller.VerbMuck: true, controller.VerbResync: true,
	}
)

// ParseRequest reads what came in on an Action or Command topic. The identifier is given even with an error, where it
// could be read, so that the refusal finds its request. The error is a sentence for whoever sent it.
func ParseRequest(from Sender, payload []byte) (controller.Request, error) {
	if from.Role == Dealer {
		var c CommandPayload
		err := parse(payload, &c)
		r := controller.Request{
			From: controller.Source{Console: from.Name}, ID: c.ID, Verb: c.Command, Seat: c.Seat, Amount: c.Amount,
			Prompt: c.Prompt, Choice: c.Choice, Reason: c.Reason, Forced: c.Forced,
		}
		return r, check(err, c.V, &r, consoleVerbs)
	}
	var a ActionPayload
	err := parse(payload, &a)
	r := controller.Request{
		From: controller.Source{Player: from.Name}, ID: a.ID, Epoch: a.Epoch, Turn: a.Turn, Verb: a.Action, Amount: a.Amount,
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
	if err != nil {
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
		Paused: c.Paused, LeftMS: c.Left.Milliseconds(),
	}
}
