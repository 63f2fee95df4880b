package controller

import (
	"time"

	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/seating"
)

// Output hears of a table's updates: displays, MQTT.
type Output interface {
	// Publish is called by the table's goroutine for each update, in order, when the journal has it. It must not block,
	// and must not keep or change the update's slices.
	Publish(u *Update)
}

// Update is what one fact, request or run of the clock led to. It is the whole truth, every card included: who may see
// what is decided by engine.ViewFor and engine.Redact.
type Update struct {
	Time  time.Time
	Epoch uint64
	// Before and State are the table before and after Events, the last of which has number State.Seq.
	Before, State engine.State
	Events        []engine.Event
	// Turn is the token that a request for the turn in State must carry.
	Turn uint64
	// Seating is who has which seat with what money, and who waits for one; Changes are what changed in it, Players those
	// who have a seat, or for whom it is kept.
	Seating seating.State
	Changes []seating.Event
	Players []Player
	// Deck is the name of the deck in play, "" where no reader tells.
	Deck string
	// Rail is who plays behind the boxes against the house, Backers are those of them whose stakes have changed.
	Rail    bonus.Rail
	Backers []string
	// Jackpot is what the bad beat jackpot's pool holds, published all the time (NX-B6); 0 without one.
	Jackpot engine.Chips
	Clock   Clock
	// Holds are the reasons why the table stands still, Prompts what the dealer must put right.
	Holds       []string
	Prompts     []Prompt
	Instruction Instruction
	// Thrown is how many cards the player at the felt whose turn it is to draw has thrown away by hand so far.
	Thrown int
	// Reply answers a request, nil if the update comes of something else.
	Reply *Reply
	// Resync are those who asked to be told again what is theirs.
	Resync []Source
	// Plans are what remote players have decided ahead, by seat: each player's own alone.
	Plans [engine.MaxSeats + 1]Plan
	// Told answers those who asked for events that they missed.
	Told []Told
	// Opened is set on the first update of a run. Again are the events since the hand in play, or the last one, began,
	// from before the run: a subscriber may have missed them.
	Opened bool
	Again  []Past

	closed bool
}

// Clock is the running clock of the seat whose turn it is.
type Clock struct {
	// Seat is whose time runs, 0 when none does.
	Seat engine.Seat
	// Deadline is when it runs out, Total the time there was in all. A Paused clock has Left instead of a Deadline.
	Deadline time.Time
	Total    time.Duration
	Paused   bool
	Left     time.Duration
	// Bank is set while the time is that of the seat's bank, Grace while it is what a player has to come back. InBank is what the
	// seat has in its bank until then.
	Bank, Grace bool
	InBank      time.Duration
}
