package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/currency"

	"tavolo/controller"
	"tavolo/engine"
	"tavolo/engine/jackpot"
	"tavolo/engine/rake"
)

// publishedRakes are the rake tables that houses have published, by the name of the house.
func publishedRakes() map[string]rake.Table {
	return map[string]rake.Table{"noxwin": rake.Noxwin}
}

// parseCurrency takes a code of ISO 4217, or nothing for play money.
func parseCurrency(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if unit, err := currency.ParseISO(text); err != nil || unit.String() != text {
		return "", fmt.Errorf("%q is no currency: want a code of ISO 4217 such as EUR, or nothing for play money", text)
	}
	return text, nil
}

// units is the number of chips in one of the currency: 100 where it has cents, 1 for play money.
func (c *Config) units() engine.Chips {
	unit, err := currency.ParseISO(c.Currency)
	if err != nil {
		return 1
	}
	units := engine.Chips(1)
	for digits, _ := currency.Standard.Rounding(unit); digits > 0; digits-- {
		units *= 10
	}
	return units
}

func parseRake(text string) (rake.Table, error) {
	if t, ok := publishedRakes()[text]; ok || text == "" {
		return t, nil
	}
	return nil, fmt.Errorf("unknown rake table %q: want noxwin, or rows of your own in [[rake]]", text)
}

func parseLimit(text string) (string, error) {
	_, err := engine.LimitNamed(text)
	return text, err
}

// rake finds what the house takes of each hand: a row of the table of [table] rake or of the rows in [[rake]]. What would
// take more than a tenth of a pot is refused (TC-01), and so is rake where no money is played for (NX-30).
func (r *configReader) rake(table *section, rows []*section) {
	t := parsed(table, "rake", nil, parseRake)
	at := table.at("rake")
	if len(rows) > 0 {
		if len(t) > 0 {
			table.fault("rake", "there are rows in [[rake]] too: want only one of the two")
		}
		at, t = "rake", nil
		for _, s := range rows {
			t = append(t, rakeRow(s))
		}
		if err := t.Validate(); err != nil {
			for _, err := range split(err) {
				r.doc.fault("rake", "%v", err)
			}
			return
		}
	}
	switch {
	case len(t) == 0:
		return
	case r.Currency == "":
		r.doc.fault(at, "the table plays for play money, of which no rake is taken: name a currency, or take none")
		return
	case r.doc.faulty("table.limit"):
		return
	}
	row, err := t.Row(r.Rules.Limit.String(), int64(r.Rules.Level()))
	if err != nil {
		r.doc.fault(at, "%v", err)
	}
	r.Rules.Rake = row
}

// rakeRow reads one row of [[rake]].
func rakeRow(s *section) rake.Row {
	defer s.close()
	row := rake.Row{
		Name:   s.text("name", "own"),
		Limits: list(s, "limits", parseLimit),
		Stakes: s.number("stakes", 0, 0, rake.MaxAmount),
	}
	for _, st := range s.tables("steps") {
		row.Steps = append(row.Steps, rake.Step{
			Below: st.number("below", 0, 1, rake.MaxAmount),
			Take:  st.requiredNumber("take", 0, rake.MaxAmount),
			Per:   st.requiredNumber("per", 1, rake.MaxAmount),
		})
		st.close()
	}
	for key, to := range map[string]*[]rake.ForPlayers{"caps": &row.Caps, "thresholds": &row.Thresholds} {
		for _, f := range s.tables(key) {
			*to = append(*to, rake.ForPlayers{
				From:   int(f.requiredNumber("from", 2, engine.MaxSeats)),
				Amount: f.requiredNumber("amount", 0, rake.MaxAmount),
			})
			f.close()
		}
	}
	if len(row.Limits) == 0 {
		s.fault("limits", "missing: want the limits it is for, such as %q", engine.NoLimit)
	}
	return row
}

// stakes are the amounts of [table] that the stakes are made of, by their keys.
func stakes(st *engine.Stakes) map[string]*engine.Chips {
	return map[string]*engine.Chips{
		"small_blind": &st.SmallBlind, "big_blind": &st.BigBlind, "ante": &st.Ante, "big_blind_ante": &st.BigBlindAnte,
		"bring_in": &st.BringIn, "small_bet": &st.SmallBet, "big_bet": &st.BigBet, "min_bet": &st.MinBet, "chip": &st.Chip,
		"cap": &st.Cap, "min_ante": &st.MinAnte, "max_ante": &st.MaxAnte, "min_bonus": &st.MinBonus, "max_bonus": &st.MaxBonus,
	}
}

// checkChip reports a smallest chip that those at the felt do not make up, and stakes that are no whole number of it.
func (r *configReader) checkChip() {
	st := r.Rules.Stakes
	chip, worths := max(st.Chip, 1), r.worths()
	if len(worths) > 0 && chip%worths[0] != 0 && !r.doc.faulty("table.chip") {
		r.doc.fault("table.chip", "bets are whole numbers of %d, and the smallest chip at the felt is worth %d: want %[2]d or a multiple of it", chip, worths[0])
		return
	}
	whole := func(path string, v engine.Chips) {
		if v%chip != 0 && !r.doc.faulty(path) {
			r.doc.fault(path, "%d is no whole number of chips of %d, the smallest of the table", v, chip)
		}
	}
	amounts := stakes(&st)
	for _, key := range slices.Sorted(maps.Keys(amounts)) {
		whole("table."+key, *amounts[key])
	}
	for i, v := range st.Spread {
		whole(fmt.Sprintf("table.spread[%d]", i), v)
	}
}

// jackpot reads the bad beat jackpot, which not every table may have (NX-B2).
func (r *configReader) jackpot(s *section) {
	defer s.close()
	j := &controller.Jackpot{
		Part:  s.requiredNumber("part", 1, 100),
		Start: engine.Chips(s.number("start", 0, 0, maxChips)),
	}
	if r.Rules.Game == nil {
		return
	}
	var err error
	table := jackpot.Table{Game: r.Rules.Game.Name, Seats: len(r.Seats), PlayMoney: r.Currency == ""}
	if j.Rule, err = table.Rule(); err != nil {
		r.doc.fault(s.path, "%s", strings.TrimPrefix(err.Error(), "jackpot: "))
	}
	r.Jackpot = j
}
