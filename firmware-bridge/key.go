package bridge

import "fmt"

// Key is a key of a seat's panel. Its number is its code on the wire and its bit in [Lamps].
type Key uint8

const (
	KeyFold  Key = iota + 1 // give up the hand
	KeyCall                 // check, or call
	KeyBet                  // bet, or raise, to the amount prepared in the node
	KeyAllIn                // everything
	KeySit                  // sit out, or in again
	KeyShow                 // show the hand
	KeyMuck                 // muck it unseen
)

var keyNames = [...]string{
	KeyFold: "fold", KeyCall: "call", KeyBet: "bet", KeyAllIn: "all-in", KeySit: "sit", KeyShow: "show", KeyMuck: "muck",
}

// String gives the key's name; for a code that is no key, the code.
func (k Key) String() string {
	if k.valid() {
		return keyNames[k]
	}
	return fmt.Sprintf("key %d", uint8(k))
}

func (k Key) valid() bool { return k > 0 && int(k) < len(keyNames) }

// SeatLamp is the lamp that shows whose turn it is, the one lamp that belongs to no key.
const SeatLamp uint16 = 1

// LampOf is the bit of the lamps under the given keys, for the sets in [Lamps].
func LampOf(keys ...Key) (set uint16) {
	for _, k := range keys {
		set |= 1 << k
	}
	return set
}
