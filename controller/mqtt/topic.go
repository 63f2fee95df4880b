// Package mqtt is a table's side of MQTT: the tree of topics, who may use which of them, and the Link that keeps a
// connection to any MQTT 3.1.1 broker.
//
// A broker is taken for a lossy, reordering, replaceable transport. What happened is in the journal; a subscriber
// that sees a gap in the sequence numbers asks again. Nothing that matters may rest on a broker's session, queue or
// retained store.
//
// Start at Topics for the tree, at rules for who may read and write it, at Link for the connection.
package mqtt

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"tavolo/controller/seal"
)

// root holds the version of the tree: a change that old subscribers cannot read takes a new number.
const root = "tavolo/v1/"

// Topics is the tree of one table, tavolo/v1/{studio}/{table}/… Make one with valid names (see Validate); the zero
// value is of no use. It is a plain value, safe anywhere.
//
// "retained" below says that the broker keeps the last message for whoever subscribes later. State is retained,
// events and commands never are.
type Topics struct {
	Studio string // see ValidID
	Table  string // see ValidID
}

// Validate says which of the two names cannot stand in a topic.
func (t Topics) Validate() error {
	var errs []error
	if !ValidID(t.Studio) {
		errs = append(errs, fmt.Errorf("studio %q: want 1 to 32 of a-z 0-9 -", t.Studio))
	}
	if !ValidID(t.Table) {
		errs = append(errs, fmt.Errorf("table %q: want 1 to 32 of a-z 0-9 -", t.Table))
	}
	return errors.Join(errs...)
}

func (t Topics) at(path string) string { return root + t.Studio + "/" + t.Table + "/" + path }

// Status says whether the table's engine is online, stopped or lost (its last will). Retained.
func (t Topics) Status() string { return t.at("status") }

// State is the public snapshot of the hand. Retained.
func (t Topics) State() string { return t.at("pub/state") }

// Events carries the public events, one sequence number after the other.
func (t Topics) Events() string { return t.at("pub/ev") }

// Hole carries a player's own cards. What is on the topics of a player, this and the next ones, is sealed to the player
// alone (package seal), and never retained.
func (t Topics) Hole(player string) string { return t.at("seat/" + player + "/hole") }

// Turn tells a player what may be done, until when, and the token an answer must carry.
func (t Topics) Turn(player string) string { return t.at("seat/" + player + "/turn") }

// Offer tells a player on the waiting list that a seat is free, and until when.
func (t Topics) Offer(player string) string { return t.at("seat/" + player + "/offer") }

// Past tells a player events that were missed, as the player may see them.
func (t Topics) Past(player string) string { return t.at("seat/" + player + "/past") }

// Behind tells a player how his stakes behind boxes stand against the house, and what became of them.
func (t Topics) Behind(player string) string { return t.at("seat/" + player + "/behind") }

// Plan tells a player what the table holds of what the player decided ahead.
func (t Topics) Plan(player string) string { return t.at("seat/" + player + "/plan") }

// Pong answers a player's ping.
func (t Topics) Pong(player string) string { return t.at("seat/" + player + "/pong") }

// Reply answers each request of a player, by its identifier.
func (t Topics) Reply(player string) string { return t.at("seat/" + player + "/reply") }

// Seat is the filter over everything meant for one player.
func (t Topics) Seat(player string) string { return t.at("seat/" + player + "/#") }

// Action is where a player sends requests, sealed: what to do, or a resynchronisation; and where it says that it is gone.
func (t Topics) Action(player string) string { return t.at("act/" + player) }

// Actions is the filter over the requests of all players.
func (t Topics) Actions() string { return t.at("act/+") }

// Command is where a dealer's console sends commands and the answers to prompts.
func (t Topics) Command(console string) string { return t.at("dealer/" + console + "/cmd") }

// Commands is the filter over the commands of all consoles.
func (t Topics) Commands() string { return t.at("dealer/+/cmd") }

// Prompt shows a console what is asked of the dealer now. Retained, so a console that comes back shows it.
func (t Topics) Prompt(console string) string { return t.at("dealer/" + console + "/prompt") }

// CommandPast tells a console events that were missed.
func (t Topics) CommandPast(console string) string { return t.at("dealer/" + console + "/past") }

// CommandReply answers each command of a console, by its identifier.
func (t Topics) CommandReply(console string) string { return t.at("dealer/" + console + "/reply") }

// Device is the health of a reader, scale, light or screen. Retained.
func (t Topics) Device(device string) string { return t.at("hw/" + device + "/state") }

// DeviceEvents tells what happened to a device: that it was lost, or came back, or met with faults.
func (t Topics) DeviceEvents(device string) string { return t.at("hw/" + device + "/ev") }

// DelayedState is the snapshot for spectators, after the security delay (Feed). Retained.
func (t Topics) DelayedState() string { return t.at("delayed/state") }

// DelayedEvents carries the events for spectators, after the security delay.
func (t Topics) DelayedEvents() string { return t.at("delayed/ev") }

// Checkpoint is the newest signed head of the journal's hash chain, for others to keep. Retained.
func (t Topics) Checkpoint() string { return t.at("audit/checkpoint") }

// Sender is who a topic speaks for. The broker let nobody else write there, so the name can be relied on as far as
// the broker can.
type Sender struct {
	Role Role   // Player or Dealer; a floor manager's console is a Dealer here
	Name string // player or console
}

// Channel is between whom the topics of a player are sealed.
func (t Topics) Channel(player string) seal.Channel {
	return seal.Channel{Studio: t.Studio, Table: t.Table, Player: player}
}

// ParseInbound reads a topic on which people write to a table, Action or Command, and says whose it is. Anything
// else, whatever it looks like, is an error.
func ParseInbound(topic string) (Topics, Sender, error) {
	bad := func() (Topics, Sender, error) {
		return Topics{}, Sender{}, fmt.Errorf("topic %.120q: not a player's action or a console's command", topic)
	}
	rest, ok := strings.CutPrefix(topic, root)
	if !ok {
		return bad()
	}
	var from Sender
	part := strings.Split(rest, "/")
	switch {
	case len(part) == 4 && part[2] == "act":
		from = Sender{Role: Player, Name: part[3]}
	case len(part) == 5 && part[2] == "dealer" && part[4] == "cmd":
		from = Sender{Role: Dealer, Name: part[3]}
	default:
		return bad()
	}
	t := Topics{Studio: part[0], Table: part[1]}
	if t.Validate() != nil || !ValidID(from.Name) {
		return bad()
	}
	return t, from, nil
}

// ValidID reports whether s may name a studio, table, player, console, device or user: 1 to 32 of a-z, 0-9 and -.
// Nothing a broker reads as a wildcard, separator or placeholder can get in.
func ValidID(s string) bool {
	if s == "" || len(s) > 32 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// ClientID is the MQTT client identifier for one of a user's devices; device may be empty for a user with one.
// A broker keys sessions by it and a second connection throws out the first, so it starts with the user's name.
func ClientID(user, device string) string {
	if device == "" {
		return user
	}
	return user + ":" + device
}

// NewClientID is an identifier for a connection of a user that nobody guesses: at a broker that does not bind identifiers to
// users, as ours does, whoever knows one throws its owner out.
func NewClientID(user string) string { return ClientID(user, strings.ToLower(rand.Text())) }

// OwnsClientID reports whether a client identifier is one of the user's. No name holds the colon, so none is the
// beginning of another's.
func OwnsClientID(user, clientID string) bool {
	device, more := strings.CutPrefix(clientID, user+":")
	return ValidID(user) && (clientID == user || more && ValidID(device))
}
