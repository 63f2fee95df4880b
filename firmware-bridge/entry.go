package bridge

// maxAmount is the greatest amount digits can prepare: 18 digits, which fit the host's int64.
const maxAmount = 999_999_999_999_999_999

// Entry is the amount that a player prepares for KeyBet. It is the same in a node and in a panel that is wired to the host
// itself. The zero Entry has nothing to prepare. It is for one goroutine.
type Entry struct {
	ask    Ask
	amount uint64
	typed  bool // digits go behind the amount; else they begin a new one
}

// Put puts a decision to the player. The one that is in force already changes nothing, so that a repetition does not undo
// what was prepared since.
func (e *Entry) Put(a Ask) {
	if a != e.ask {
		e.ask = a
		e.Clear()
	}
}

// Asked is the decision in force, and the amount prepared for it so far.
func (e *Entry) Asked() (_ Ask, amount uint64) { return e.ask, e.amount }

// Digit is a key 0 to 9 of a keypad. The first one begins a new amount.
func (e *Entry) Digit(d uint8) {
	if e.ask.Max == 0 {
		return
	}
	if !e.typed {
		e.amount, e.typed = 0, true
	}
	if next := e.amount*10 + uint64(d); next <= maxAmount {
		e.amount = next
	}
}

// Turn is the encoder, or the keys plus and minus: the amount moves by that many steps, no further than its limits.
func (e *Entry) Turn(steps int) {
	e.typed = false
	for ; steps > 0 && e.amount < e.ask.Max; steps-- {
		e.amount += min(e.ask.Step, e.ask.Max-e.amount)
	}
	for ; steps < 0 && e.amount > e.ask.Min; steps++ {
		e.amount -= min(e.ask.Step, e.amount-e.ask.Min)
	}
	e.amount = max(e.ask.Min, min(e.amount, e.ask.Max))
}

// Clear goes back to the amount the decision began with.
func (e *Entry) Clear() { e.amount, e.typed = e.ask.Start, false }
