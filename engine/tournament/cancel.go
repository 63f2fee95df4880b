package tournament

import (
	"errors"
	"fmt"
)

// CancelSitAndGo says what each player still in gets when a Sit & Go of one table is cancelled (BR-51): what he paid, and of
// what the players who are out paid his part by chips. stacks are the chips of those still in. It gives back all that came
// in. Cents that cannot be shared go one each to the larger stacks first, to the earlier of equal ones.
//
// Decisions: what a player paid is the whole entry, the house's fee too, since the event was not played to its end; nobody
// who is out had a prize, since a Sit & Go pays at its end; stacks are as they were before the hand that was cancelled, as
// in BR-50.
func CancelSitAndGo(e Entry, out int, stacks []int64) ([]int64, error) {
	if err := stacksFault(stacks); err != nil {
		return nil, err
	}
	pay := make([]int64, len(stacks))
	addByChips(pay, int64(out)*e.Total(), stacks)
	for i := range pay {
		pay[i] += e.Total()
	}
	return pay, nil
}

// CancelTournament says what each player still in gets when a tournament of several tables is cancelled (BR-52): the prize
// for the place that the next to go out would have had; of the prize money that then remains half in equal shares and half
// by chips; and the fee. prizes are those of the event, first place first; money is the prize money that nobody has been
// paid yet; stacks are the chips of those still in, before the hand that was cancelled. Together they get the money and a
// fee each. Cents that cannot be shared go one each to the larger stacks first, to the earlier of equal ones, in each of the
// two halves.
//
// If the money is too little for the first part, all of it is shared equally. Decisions: the odd cent of halving is in
// the half by chips; the fee is the house's part of the entry, since the rest of it is the prize money.
func CancelTournament(e Entry, prizes []int64, money int64, stacks []int64) ([]int64, error) {
	if err := stacksFault(stacks); err != nil {
		return nil, err
	}
	n := len(stacks)
	var next int64
	if n <= len(prizes) {
		next = prizes[n-1]
	}
	pay := make([]int64, n)
	if rest := money - next*int64(n); rest < 0 {
		addEqually(pay, money, stacks)
	} else {
		addEqually(pay, next*int64(n)+rest/2, stacks)
		addByChips(pay, rest-rest/2, stacks)
	}
	for i := range pay {
		pay[i] += e.Fee
	}
	return pay, nil
}

// addEqually adds an amount in equal shares to what players get, the odd cents to the larger stacks.
func addEqually(pay []int64, amount int64, stacks []int64) {
	for i, player := range bySize(stacks) {
		pay[player] += equalShare(amount, len(stacks), i)
	}
}

// addByChips adds an amount in proportion to stacks to what players get, the cents lost in rounding to the larger stacks.
func addByChips(pay []int64, amount int64, stacks []int64) {
	chips, rest := sum(stacks), amount
	for i, stack := range stacks {
		part := scale(amount, stack, chips)
		pay[i] += part
		rest -= part
	}
	for _, player := range bySize(stacks)[:rest] {
		pay[player]++
	}
}

func stacksFault(stacks []int64) error {
	if len(stacks) == 0 {
		return errors.New("cancelled tournament: nobody is left")
	}
	for i, stack := range stacks {
		if stack < 1 {
			return fmt.Errorf("cancelled tournament: stacks[%d] is %d: who has no chips is out", i, stack)
		}
	}
	return nil
}
