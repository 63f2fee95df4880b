package play

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/display/text"
)

// settings are what a person has chosen for the screen.
type settings struct {
	language  *text.Words
	bigBlinds bool // amounts are in big blinds
}

// words are the ones chosen, with amounts as the table has them.
func (s settings) words(state *mqtt.StatePayload) *text.Words {
	if s.bigBlinds && state.View.Stakes.BigBlind > 0 {
		return s.language.Of(state.Currency, state.View.Stakes.BigBlind)
	}
	return s.language.Of(state.Currency, 0)
}

// options is where they are chosen, and whether a hand is mucked without asking: that the table keeps.
type options struct{}

func (*options) choices(m *model) []choice {
	all := []choice{
		hidden(",", m.closePane),
		hidden("1", m.nextLanguage),
		hidden("2", func() tea.Cmd {
			m.setting.bigBlinds = !m.setting.bigBlinds
			m.words = m.setting.words(&m.state)
			return nil
		}),
	}
	if m.seated() != nil {
		all = append(all, hidden("3", func() tea.Cmd {
			verb := controller.VerbAutoMuck
			if m.mucks() {
				verb = controller.VerbAskMuck
			}
			return m.send(mqtt.ActionPayload{Action: verb}, m.words.Say("options.muck"), nil)
		}))
	}
	return all
}

// mucks is whether a hand that need not be shown is mucked without asking.
func (t *table) mucks() bool { return t.plans[t.seat()].AutoMuck }

func (m *model) nextLanguage() tea.Cmd {
	all := text.Languages()
	i := slices.Index(all, m.words.Language())
	words, err := text.New(all[(i+1)%len(all)])
	if err != nil {
		m.notice = err.Error()
		return nil
	}
	m.setting.language = words
	m.words = m.setting.words(&m.state)
	return nil
}

func (*options) lines(m *model, _, _ int) []string {
	lines := []string{bold.of(" " + m.words.Say("options")), ""}
	row := func(what string, on bool) {
		mark := "  "
		if on {
			mark = good.of("✓ ")
		}
		lines = append(lines, "  "+reverse.of(" "+strconv.Itoa(len(lines)-1)+" ")+" "+mark+what)
	}
	row(m.words.Say("options.language")+": "+m.words.Say("language"), false)
	row(m.words.Say("options.big_blinds"), m.setting.bigBlinds)
	if m.seated() != nil {
		row(m.words.Say("options.muck"), m.mucks())
	}
	return lines
}
