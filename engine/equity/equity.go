// Package equity tells what each hand of a deal has won on average when the rest of the cards has come.
//
// A Deal says what is known. Its All gives every way to deal the rest, Random a sample of them by random numbers of the
// caller's. Count plays the showdown of each and adds up in integers who got how much of the pot, so that equities are
// exact.
//
// Everything here is pure. A Deal is not changed and may be shared by goroutines; an iterator belongs to one.
package equity

import (
	"fmt"
	"iter"
	"math/big"
	"math/bits"

	"tavolo/engine/card"
	"tavolo/engine/eval"
)

// MaxHands is the most hands that a Deal may have.
const MaxHands = 10

// Pot is the number of parts in which a pot is counted. It has a half, and each half can be shared by any number of
// hands without a rest.
const Pot = 2 * 2520

// Deal is what is known of a deal, and what its game deals and how hands rank in it.
type Deal struct {
	// Deck is the set of cards the game is dealt from.
	Deck card.Set
	// High is how hands rank. Low is how they rank for the other half of the pot, the zero Ranking where there is none; a
	// hand without strength in it does not take part, and if none does the high hand wins all.
	High, Low eval.Ranking
	// Use is which of a seat's cards may be in its hand.
	Use eval.Selection
	// HoleCards and BoardCards are how many a seat and the board have when all are dealt.
	HoleCards, BoardCards int

	// Hands are the hole cards known of each seat, two seats to MaxHands; what is missing may be any card.
	Hands []card.Set
	// Board are the community cards so far.
	Board card.Set
	// Dead are cards known to be out of the game: folded, burnt, exposed.
	Dead card.Set
}

// Check tells what is wrong with a deal, if anything. All else in this package wants one that is right.
func (d *Deal) Check() error {
	if n := len(d.Hands); n < 2 || n > MaxHands {
		return fmt.Errorf("want 2 to %d hands, not %d", MaxHands, n)
	}
	if n := d.Board.Len(); n > d.BoardCards {
		return fmt.Errorf("board: %d cards, want %d at most", n, d.BoardCards)
	}
	seen := d.Board
	if both := seen & d.Dead; both != 0 {
		return fmt.Errorf("dead cards: %v on the board too", both)
	}
	seen |= d.Dead
	for i, hand := range d.Hands {
		if n := hand.Len(); n > d.HoleCards {
			return fmt.Errorf("hand %d: %d cards, want %d at most", i+1, n, d.HoleCards)
		}
		if twice := seen & hand; twice != 0 {
			return fmt.Errorf("hand %d: %v is elsewhere too", i+1, twice)
		}
		seen |= hand
	}
	if foreign := seen &^ d.Deck; foreign != 0 {
		return fmt.Errorf("%v: not in the deck", foreign)
	}
	missing := 0
	for _, p := range d.places() {
		missing += p.missing
	}
	if n := d.unseen().Len(); n < missing {
		return fmt.Errorf("%d cards are missing, there are only %d", missing, n)
	}
	return nil
}

// Dealt is a deal with all its cards.
type Dealt struct {
	Board card.Set
	Hands [MaxHands]card.Set
}

// Result is what the hands won. The zero value is that of no deals.
type Result struct {
	// Deals is how many were counted.
	Deals int64
	// Hands are the hands of the Deal, in its order.
	Hands [MaxHands]Won
}

// Won is what one hand won.
type Won struct {
	// Wins is in how many deals it took the pot, Ties in how many a share of it.
	Wins, Ties int64
	// Parts is what it got in all, a Pot for a pot.
	Parts int64
}

// Equity is the share that a hand won of all the pots: 1 for everything. It panics if no deals were counted.
func (r *Result) Equity(hand int) *big.Rat {
	return new(big.Rat).SetFrac(
		big.NewInt(r.Hands[hand].Parts),
		new(big.Int).Mul(big.NewInt(r.Deals), big.NewInt(Pot)),
	)
}

// Count plays the showdown of each deal.
func (d *Deal) Count(deals iter.Seq[Dealt]) Result {
	var r Result
	for dealt := range deals {
		r.Deals++
		high, low := d.best(&d.High, &dealt), hands(0)
		if d.Low.Of != nil {
			low = d.best(&d.Low, &dealt)
		}
		ofHigh, ofLow := high.share(Pot), int64(0)
		if low != 0 {
			ofHigh, ofLow = high.share(Pot/2), low.share(Pot/2)
		}
		for i := range d.Hands {
			var parts int64
			if high.has(i) {
				parts += ofHigh
			}
			if low.has(i) {
				parts += ofLow
			}
			r.Hands[i].add(parts)
		}
	}
	return r
}

func (w *Won) add(parts int64) {
	w.Parts += parts
	if parts == Pot {
		w.Wins++
	} else if parts > 0 {
		w.Ties++
	}
}

// best gives the hands that are best by a ranking, several if they tie, none if none has any strength.
func (d *Deal) best(by *eval.Ranking, dealt *Dealt) (winners hands) {
	var best eval.Strength
	for i := range d.Hands {
		s := by.Strength(d.Use, dealt.Hands[i], dealt.Board)
		if s == 0 {
			continue
		}
		if c := by.Compare(s, best, len(d.Hands)); c > 0 {
			best, winners = s, 1<<i
		} else if c == 0 {
			winners |= 1 << i
		}
	}
	return winners
}

// hands is a set of hands, bit n for hand n.
type hands uint16

func (h hands) has(hand int) bool { return h>>hand&1 != 0 }

// share divides what is won among them.
func (h hands) share(parts int64) int64 { return parts / int64(bits.OnesCount16(uint16(h))) }
