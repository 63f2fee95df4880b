package play

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tavolo/engine"
)

// keyList is what keys do, by when they do it: the same keys as at the page.
type keyList struct {
	when string // key of its text
	// at is whether a table has that, nil for every one.
	at   func(*engine.View) bool
	keys [][2]string // the keys, and the key of the text of what they do
}

// keyLists are those of a player, in the order of the page's help.
var keyLists = []keyList{
	{"keys.turn", nil, [][2]string{
		{"F", "keys.fold"},
		{"C", "keys.call"},
		{"R  B", "keys.raise"},
		{"1 – 5", "keys.presets"},
		{"↑ ↓", "keys.step"},
		{"E", "keys.amount"},
		{"A", "keys.all_in"},
		{"T", "keys.split"},
		{"S  M", "keys.reveal"},
	}},
	{"keys.before", againstPlayers, [][2]string{
		{"F", "ahead.plan_check_fold"},
		{"C", "keys.call"},
		{"A", "ahead.plan_call_any"},
	}},
	{"keys.draw", draws, [][2]string{
		{"1 – 6", "keys.choose"},
		{"D", "keys.exchange"},
		{"C", "act.stand_pat"},
	}},
	{"keys.bank", againstHouse, [][2]string{
		{"1 – 5", "keys.chips"},
		{"A  B", "keys.fields"},
		{"↵", "keys.bet"},
		{"-", "keys.check_fold"},
		{"Del  .", "keys.clear"},
		{"0", "stake.again"},
		{"← →", "keys.box"},
	}},
	{"keys.naiko", naiko, [][2]string{
		{"P  W  N", "keys.powers"},
		{"S  C", "keys.shield"},
	}},
	{"keys.seat", nil, [][2]string{
		{"O", "keys.sit_out"},
		{"W", "seat.wait_blind"},
		{"K", "seat.chips"},
		{"H", "keys.hands"},
		{"← →", "keys.replay"},
		{"?", "keys.help"},
		{",", "options"},
		{"Q", "terminal.quit"},
	}},
}

func againstHouse(v *engine.View) bool   { return v.Bank != nil }
func againstPlayers(v *engine.View) bool { return v.Bank == nil }
func naiko(v *engine.View) bool          { return v.Carousel != 0 }

func draws(v *engine.View) bool {
	g, err := engine.GameNamed(v.Game)
	if err != nil {
		return false
	}
	for _, st := range g.Streets {
		if st.Draw > 0 {
			return true
		}
	}
	return false
}

// help lists the keys that there are at this table.
type help struct{ top int }

func (h *help) choices(m *model) []choice {
	scroll := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			h.top = max(0, h.top+by)
			return nil
		}
	}
	return []choice{hidden("up", scroll(-1)), on("down", "", scroll(1)).as("↑ ↓"), hidden("?", m.closePane)}
}

// lines puts the lists side by side where there is room.
func (h *help) lines(m *model, width, height int) []string {
	var columns [2][]string
	wide := width
	if width >= roundWidth {
		wide = width / len(columns)
	}
	for i, list := range keyLists {
		if list.at != nil && !list.at(&m.state.View) {
			continue
		}
		block := []string{bold.of(m.words.Say(list.when))}
		for _, key := range list.keys {
			does := strings.Split(ansi.Wordwrap(m.words.Say(key[1]), max(8, wide-12), ""), "\n")
			for j, part := range does {
				block = append(block, "  "+fit(line([]string{key[0]}, j), 8)+part)
			}
		}
		column := 0
		if wide < width && i > 0 {
			column = 1
		}
		columns[column] = append(append(columns[column], block...), "")
	}
	var lines []string
	for i := range max(len(columns[0]), len(columns[1])) {
		lines = append(lines, " "+fit(line(columns[0], i), wide-1)+line(columns[1], i))
	}
	h.top = min(h.top, max(0, len(lines)-height))
	return lines[h.top:]
}
