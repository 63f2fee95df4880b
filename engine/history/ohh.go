package history

import (
	"encoding/json"
	"fmt"

	"tavolo/engine"
	"tavolo/engine/card"
)

// ohhVersion is the version of the specification, at https://hh-specs.handhistory.org.
const ohhVersion = "1.4.7"

// ohhGames are the games that the specification has streets and actions for. It names Stud, StudHiLo and Draw too, but
// knows no bring-in, no discard and no street other than these of a game with a flop.
var ohhGames = map[string]string{"holdem": "Holdem", "omaha": "Omaha", "omaha8": "OmahaHiLo"}

var ohhLimits = map[engine.Limit]string{engine.NoLimit: "NL", engine.PotLimit: "PL", engine.FixedLimit: "FL"}

var ohhStreets = [...]string{"Preflop", "Flop", "Turn", "River"}

type ohhHand struct {
	SpecVersion     string       `json:"spec_version"`
	SiteName        string       `json:"site_name"`
	NetworkName     string       `json:"network_name"`
	InternalVersion string       `json:"internal_version"`
	Tournament      bool         `json:"tournament"`
	GameNumber      string       `json:"game_number"`
	StartDateUTC    string       `json:"start_date_utc"`
	TableName       string       `json:"table_name"`
	GameType        string       `json:"game_type"`
	BetLimit        ohhLimit     `json:"bet_limit"`
	TableSize       int          `json:"table_size"`
	Currency        string       `json:"currency"`
	DealerSeat      engine.Seat  `json:"dealer_seat"`
	SmallBlind      engine.Chips `json:"small_blind_amount"`
	BigBlind        engine.Chips `json:"big_blind_amount"`
	Ante            engine.Chips `json:"ante_amount"`
	Flags           []string     `json:"flags"`
	Players         []ohhPlayer  `json:"players"`
	Rounds          []ohhRound   `json:"rounds"`
	Pots            []ohhPot     `json:"pots"`
}

type ohhLimit struct {
	Type string       `json:"bet_type"`
	Cap  engine.Chips `json:"bet_cap"`
}

type ohhPlayer struct {
	ID            engine.Seat  `json:"id"` // the seat
	Seat          engine.Seat  `json:"seat"`
	Name          string       `json:"name"`
	StartingStack engine.Chips `json:"starting_stack"`
}

type ohhRound struct {
	ID      int         `json:"id"`
	Street  string      `json:"street"`
	Cards   []card.Card `json:"cards,omitempty"`
	Actions []ohhAction `json:"actions"`
}

type ohhAction struct {
	Number int         `json:"action_number"` // within the round, from 0
	Player engine.Seat `json:"player_id"`
	Action string      `json:"action"`
	// Amount is what moved by this action, of a raise too.
	Amount engine.Chips `json:"amount,omitempty"`
	AllIn  bool         `json:"is_allin,omitempty"`
	Cards  []card.Card  `json:"cards,omitempty"`
}

type ohhPot struct {
	Number int          `json:"number"`
	Amount engine.Chips `json:"amount"` // rake included
	Rake   engine.Chips `json:"rake"`
	Wins   []ohhWin     `json:"player_wins"`
}

type ohhWin struct {
	Player engine.Seat  `json:"player_id"`
	Amount engine.Chips `json:"win_amount"`
}

// OHH is the hand as Open Hand History 1.4.7, a JSON object on one line. A player's id is the seat, amounts are Chips of
// play money (XPM). The error wraps ErrUnsupported for a game, limit or end of a hand that the specification has no words
// for.
func (h *Hand) OHH() ([]byte, error) {
	if err := h.finished(corrections, map[engine.EventKind]string{
		engine.PlayerProtected: "a lost connection kept a seat from acting",
		engine.PowerPlayed:     "a power was used",
	}); err != nil {
		return nil, err
	}
	r := h.Rules
	game, limit := ohhGames[r.Game.Name], ohhLimits[r.Limit]
	if game == "" || limit == "" {
		return nil, fmt.Errorf("hand %d: Open Hand History has no words for %s %v: %w", h.Number, r.Game.Name, r.Limit, ErrUnsupported)
	}
	out := ohhHand{
		SpecVersion: ohhVersion, InternalVersion: ohhVersion, SiteName: "Tavolo", NetworkName: "Tavolo",
		GameNumber: fmt.Sprint(h.Number), StartDateUTC: h.Start, TableName: h.Table, TableSize: h.Seats,
		GameType: game, BetLimit: ohhLimit{limit, r.Stakes.Cap}, Currency: "XPM", DealerSeat: h.Button,
		SmallBlind: r.Stakes.SmallBlind, BigBlind: r.Stakes.BigBlind, Ante: r.Stakes.Ante, Flags: []string{},
	}
	if r.Stakes.Cap > 0 {
		out.Flags = append(out.Flags, "Cap")
	}
	for _, p := range h.Players {
		out.Players = append(out.Players, ohhPlayer{p.Seat, p.Seat, p.Name, p.Start})
	}
	out.Rounds = h.ohhRounds()
	for i, p := range h.Pots {
		pot := ohhPot{Number: i, Amount: p.Amount, Rake: p.Rake, Wins: []ohhWin{}}
		for _, w := range p.Wins {
			pot.win(w)
		}
		out.Pots = append(out.Pots, pot)
	}
	return json.Marshal(struct {
		Hand ohhHand `json:"ohh"`
	}{out})
}

// win adds a share; the high and low half of one player are one.
func (p *ohhPot) win(w Win) {
	for i := range p.Wins {
		if p.Wins[i].Player == w.Seat {
			p.Wins[i].Amount += w.Amount
			return
		}
	}
	p.Wins = append(p.Wins, ohhWin{w.Seat, w.Amount})
}

// ohhRounds are the rounds of betting, then the showdown, wherever in the hand the cards were turned.
func (h *Hand) ohhRounds() []ohhRound {
	rounds := []ohhRound{{Street: ohhStreets[0], Actions: []ohhAction{}}}
	showdown := ohhRound{Street: "Showdown"}
	dealt := make([][]card.Card, len(h.Players))
	for _, e := range h.record() {
		now := &rounds[len(rounds)-1]
		a := ohhAction{Player: e.Seat, Amount: e.Amount, AllIn: e.AllIn}
		switch e.Kind {
		case engine.AntePosted:
			a.Action = "Post Ante"
		case engine.DeadPosted:
			a.Action = "Post Dead"
		case engine.BlindPosted:
			a.Action = h.ohhBlind(e)
		case engine.PlayerActed:
			a.Action = map[engine.Action]string{
				engine.Fold: "Fold", engine.Check: "Check", engine.Call: "Call", engine.Bet: "Bet", engine.Raise: "Raise",
			}[e.Action]
			if a.Action == "Bet" && len(rounds) == 1 {
				a.Action = "Raise" // no bet is valid before the flop
			}
		case engine.HoleDealt:
			i := h.index(e.Seat)
			if dealt[i] = append(dealt[i], e.Card); len(dealt[i]) < h.Rules.Game.Streets[0].Down || !e.Card.Known() {
				continue
			}
			a.Action, a.Cards = "Dealt Cards", dealt[i]
		case engine.StreetOpened:
			if e.Street > 0 {
				rounds = append(rounds, ohhRound{ID: len(rounds), Street: ohhStreets[e.Street], Actions: []ohhAction{}})
			}
			continue
		case engine.BoardDealt:
			now.Cards = append(now.Cards, e.Card)
			continue
		case engine.HandShown:
			a.Action, a.Cards = "Shows Cards", e.Cards.Slice()
			now = &showdown
		case engine.HandMucked:
			a.Action = "Mucks Cards"
			now = &showdown
		default:
			continue
		}
		a.Number = len(now.Actions)
		now.Actions = append(now.Actions, a)
	}
	if len(showdown.Actions) > 0 {
		showdown.ID = len(rounds)
		rounds = append(rounds, showdown)
	}
	return rounds
}

// ohhBlind is what a blind is called. A recorded hand may have straddles.
func (h *Hand) ohhBlind(e engine.Event) string {
	switch {
	case e.Live:
		return "Post Extra Blind"
	case e.Seat == h.SmallBlind:
		return "Post SB"
	case e.Seat == h.BigBlind:
		return "Post BB"
	}
	return "Straddle"
}
