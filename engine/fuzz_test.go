package engine_test

import (
	"encoding/binary"
	"testing"

	"tavolo/engine"
	"tavolo/engine/card"
)

// FuzzApply reads a table and its inputs from bytes, six for each input: half of them answer what is awaited, so that hands
// get on, the others are whatever the bytes say. Nothing may panic, and all that table.apply checks must hold.
func FuzzApply(f *testing.F) {
	f.Add([]byte("\x00\x05abcdef"))
	f.Add([]byte("\x03\x21\x01\x00\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06\x81\x92\xa3\xb4\xc5\xd6\x07\x07\x07\x07\x07\x07"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		rules := &engine.Rules{
			Game: engine.Games[int(data[0])%len(engine.Games)], Limit: engine.Limit(data[1] % 5), House: engine.Houses[int(data[0]>>3)%len(engine.Houses)],
			Stakes: engine.Stakes{
				SmallBlind: 5, BigBlind: 10, BringIn: 5, SmallBet: 10, BigBet: 20, Spread: [3]engine.Chips{10, 20, 30},
				Ante: engine.Chips(data[1] >> 4 & 3), BigBlindAnte: engine.Chips(data[1] >> 6), Chip: engine.Chips(data[0] >> 5),
				MinAnte: 2, MaxAnte: 1000, MinBonus: 1, MaxBonus: 25,
			},
		}
		tb := newTable(t, rules)
		for seat := engine.Seat(1); seat <= 2+engine.Seat(data[0]%9); seat++ {
			tb.apply(engine.Input{Kind: engine.SeatTaken, Seat: seat, Amount: engine.Chips(1 + int(data[1])*int(seat))})
		}
		for data = data[2:]; len(data) >= 6 && tb.State.Seq < 500; data = data[6:] {
			if in := inputOf([6]byte(data)); data[0]%2 == 0 {
				tb.apply(in)
			} else {
				tb.apply(answer(&tb.State, in))
			}
		}
	})
}

// inputOf makes an input of any kind, of sense or not, from bytes.
func inputOf(b [6]byte) engine.Input {
	in := engine.Input{
		Kind:   engine.InputKind(b[0] >> 1 & 31),
		Seat:   engine.Seat(b[1]%14) - 1,
		Card:   card.Card(b[2]),
		Cards:  engine.CardsOf(card.Card(b[2]%64), card.Card(b[3]%64)),
		Action: engine.Action(b[3] % 10),
		Amount: engine.Chips(int16(binary.BigEndian.Uint16(b[4:]))),
	}
	if b[2]%4 > 0 {
		in.Reason = "the floor says so"
	}
	if b[1] > 250 {
		in.Amount = engine.MaxChips * in.Amount
	}
	if in.Kind == engine.HandStarted && b[2] > 200 {
		in.Forced = &engine.Forced{Button: in.Seat, DeadAntes: b[3]%2 == 0, Rake: in.Amount}
		for i := range in.Forced.Blinds {
			in.Forced.Blinds[i] = engine.Chips(int8(b[i%6]))
			in.Forced.Antes[i] = engine.Chips(b[(i+1)%6] % 4)
		}
	}
	return in
}

// answer turns an input into one of the kind that is awaited, from the seat that it is awaited from.
func answer(s *engine.State, in engine.Input) engine.Input {
	a := s.Awaits()
	switch a.Kind {
	case engine.AwaitNothing:
		return engine.Input{Kind: engine.HandStarted}
	case engine.AwaitAction:
		in.Kind, in.Seat = engine.Acted, a.Seat
		if in.Action == engine.Bet || in.Action == engine.Raise {
			in.Amount = a.Legal.MinTo + in.Amount%16
		}
	case engine.AwaitReveal:
		in.Kind, in.Seat = engine.Shown, a.Seat
	case engine.AwaitDiscard:
		in.Kind, in.Seat, in.Cards = engine.Discarded, a.Seat, engine.CardsOf(s.Seats[a.Seat].Hole[:in.Amount&3]...)
	case engine.AwaitReload:
		in.Kind = engine.Reloaded
	default:
		in.Kind, in.Card = engine.CardRead, 1+in.Card%card.Hidden
	}
	return in
}
