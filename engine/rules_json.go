package engine

import (
	"encoding/json"

	"tavolo/engine/rake"
)

// rulesText is how Rules are written: game and house by their names, all else by its numbers.
type rulesText struct {
	Game   string   `json:"game"`
	Limit  string   `json:"limit"`
	House  string   `json:"house"`
	Stakes Stakes   `json:"stakes"`
	Rake   rake.Row `json:"rake,omitzero"`
	Powers *Powers  `json:"powers,omitempty"`
}

// MarshalJSON writes the rules as a journal keeps them: game and house by their names, the sizes as they are. Both must be
// set.
func (r Rules) MarshalJSON() ([]byte, error) {
	return json.Marshal(rulesText{r.Game.Name, r.Limit.String(), r.House.Name, r.Stakes, r.Rake, r.Powers})
}

// UnmarshalJSON reads what MarshalJSON writes. It refuses a game, a limit or a house that this program does not know, and
// rules that Validate refuses.
func (r *Rules) UnmarshalJSON(b []byte) (err error) {
	var text rulesText
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	read := Rules{Stakes: text.Stakes, Rake: text.Rake, Powers: text.Powers}
	if read.Game, err = GameNamed(text.Game); err != nil {
		return err
	}
	if read.Limit, err = LimitNamed(text.Limit); err != nil {
		return err
	}
	if read.House, err = HouseNamed(text.House); err != nil {
		return err
	}
	if err := read.Validate(); err != nil {
		return err
	}
	*r = read
	return nil
}
