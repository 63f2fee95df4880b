package phh

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Parse gives the hands of a file in their order, each as a Hand or as the *Error that tells its first fault. A broken
// hand does not hide those after it, except where the file is no TOML from there on. A file without a hand is an error.
// So is a field that the specification does not have, which may be one misspelt, unless its name starts with _; those
// are skipped. The name is only used in errors; data must not change while the hands are read, and is not kept in them.
func Parse(name string, data []byte) iter.Seq2[Hand, error] {
	return func(yield func(Hand, error) bool) {
		r := reader{name: name, yield: yield, numbers: map[string]bool{}}
		for i, c := range data {
			if c == '\n' {
				r.newlines = append(r.newlines, i)
			}
		}
		r.toml.Reset(data)
		r.read()
	}
}

// reader goes through a file. The hands come one by one; only the open one is held.
type reader struct {
	name     string
	toml     unstable.Parser
	newlines []int // offsets
	yield    func(Hand, error) bool
	stopped  bool

	open    *draft          // the hand being read, nil if there is none
	skip    bool            // inside a table that is the annotator's own
	single  bool            // a hand stood outside numbered tables
	numbers map[string]bool // tables seen
}

func (r *reader) read() {
	for !r.stopped && r.toml.NextExpression() {
		e := r.toml.Expression()
		switch {
		case e.Kind != unstable.KeyValue:
			r.header(e)
		case !r.skip:
			r.field(e)
		}
	}
	if r.stopped {
		return
	}
	if err := r.toml.Error(); err != nil {
		line := len(r.newlines) + 1
		var syntax *unstable.ParserError
		if errors.As(err, &syntax) && len(syntax.Highlight) > 0 {
			line = r.lineAt(r.toml.Range(syntax.Highlight))
		}
		r.fault(line, "%v", err)
	} else if r.open == nil && !r.single && len(r.numbers) == 0 {
		r.fault(1, "the file has no hand")
	}
	r.end()
}

// field reads one key and its value. Outside numbered tables the first that is not the annotator's own opens a hand.
func (r *reader) field(e *unstable.Node) {
	if r.open == nil {
		if strings.HasPrefix(keyOf(e), "_") {
			return
		}
		r.single = true
		r.begin(r.line(e))
	}
	r.open.read(e)
}

// begin opens a hand.
func (r *reader) begin(line int) {
	r.open = &draft{reader: r, hand: Hand{Line: line}, lines: map[string]int{}}
}

// end gives the open hand away.
func (r *reader) end() {
	if r.open != nil && !r.stopped {
		r.stopped = !r.yield(r.open.finish())
	}
	r.open = nil
}

// fault reports a fault in the open hand, or one of no hand in particular.
func (r *reader) fault(line int, format string, args ...any) {
	if r.open == nil {
		r.begin(line)
	}
	r.open.fault(line, 0, format, args...)
}

// header reads [3], which begins a hand. A table with a part that starts with _ is the annotator's own and is skipped.
func (r *reader) header(e *unstable.Node) {
	key, line := keyOf(e), r.line(e.Child())
	r.skip = strings.HasPrefix(key, "_") || strings.Contains(key, "._")
	if r.skip {
		return
	}
	if r.single && len(r.numbers) == 0 {
		r.fault(line, "table [%s] after fields outside a table: a file is one hand or numbered tables", key)
	}
	r.end()
	r.begin(line)
	switch {
	case e.Kind == unstable.ArrayTable || !isDigits(key):
		r.fault(line, "table [%s] is no hand: hands are [1], [2] and so on", key)
	case r.numbers[key]:
		r.fault(line, "table [%s] is there twice", key)
	}
	r.numbers[key] = true
}

// keyOf is the dotted key of a table or a field.
func keyOf(e *unstable.Node) string {
	var parts []string
	for it := e.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, ".")
}

func (r *reader) line(n *unstable.Node) int { return r.lineAt(n.Raw) }

func (r *reader) lineAt(at unstable.Range) int {
	before, _ := slices.BinarySearch(r.newlines, int(at.Offset))
	return before + 1
}

// draft is a hand while it is read. After the first fault it only waits for its end.
type draft struct {
	reader  *reader
	hand    Hand
	err     *Error
	lines   map[string]int // of the fields there are
	texts   []string       // of the actions
	amounts []pending
}

// pending is an amount that waits for the hand's scale.
type pending struct {
	to           *Amount
	value        decimal
	line, action int
}

func (d *draft) fault(line, action int, format string, args ...any) {
	if d.err == nil {
		d.err = &Error{File: d.reader.name, Line: line, Action: action, Reason: fmt.Sprintf(format, args...)}
	}
}

// unsupported is a fault that may lie here and not in the file.
func (d *draft) unsupported(line int, format string, args ...any) {
	if d.err == nil {
		d.fault(line, 0, format, args...)
		d.err.unsupported = true
	}
}

// read reads one key and its value.
func (d *draft) read(e *unstable.Node) {
	if d.err != nil {
		return
	}
	name, line := keyOf(e), d.reader.line(e)
	if _, again := d.lines[name]; again {
		d.fault(line, 0, "field %s is there twice", name)
		return
	}
	d.lines[name] = line
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i >= 0 {
		value{d, fields[i], e.Value(), line}.read(fields[i].at(&d.hand))
	} else if !strings.HasPrefix(name, "_") {
		d.fault(line, 0, "unknown field %s: a field of one's own starts with _", name)
	}
}

// finish gives the hand, checked as a whole.
func (d *draft) finish() (Hand, error) {
	for _, step := range []func(){d.checkVariant, d.checkPlayers, d.readActions, d.setAmounts} {
		if d.err != nil {
			return Hand{}, d.err
		}
		step()
	}
	if d.err != nil {
		return Hand{}, d.err
	}
	return d.hand, nil
}

// checkVariant holds the fields against what the variant asks for.
func (d *draft) checkVariant() {
	line, ok := d.lines["variant"]
	if !ok {
		d.fault(d.hand.Line, 0, "field variant is missing")
		return
	}
	v, ok := variantOf(d.hand.Variant)
	if !ok {
		d.unsupported(line, "unknown variant %q", d.hand.Variant)
		return
	}
	for _, f := range []struct {
		name   string
		wanted bool
	}{
		{"antes", true},
		{"blinds_or_straddles", !v.stud && !v.banked},
		{"bring_in", v.stud},
		{"small_bet", v.fixed},
		{"big_bet", v.fixed},
		{"min_bet", !v.fixed && !v.banked},
		{"_bonus_bets", v.banked},
		{"_bank", v.banked},
		{"_spread", v.spread},
		{"starting_stacks", true},
		{"actions", true},
	} {
		line, present := d.lines[f.name]
		switch {
		case f.wanted && !present:
			d.fault(d.hand.Line, 0, "field %s is missing", f.name)
		case present && !f.wanted:
			d.fault(line, 0, "field %s does not belong to a hand of %s", f.name, d.hand.Variant)
		}
	}
}

// checkPlayers holds the lengths of the arrays against each other.
func (d *draft) checkPlayers() {
	players := len(d.hand.StartingStacks)
	least := 2
	if v, _ := variantOf(d.hand.Variant); v.banked {
		least = 1
	}
	if players < least || players > MaxPlayers {
		d.fault(d.lines["starting_stacks"], 0, "starting_stacks has %d players: want %d to %d", players, least, MaxPlayers)
	}
	for _, f := range fields {
		line, present := d.lines[f.name]
		if n, perPlayer := length(f.at(&d.hand)); present && perPlayer && n != players {
			d.fault(line, 0, "%s has %d entries for %d players", f.name, n, players)
		}
	}
}

// length is that of an array with an entry a player.
func length(v any) (int, bool) {
	switch v := v.(type) {
	case *[]Amount:
		return len(*v), true
	case *[]int64:
		return len(*v), true
	case *[]string:
		return len(*v), true
	case *secondsList:
		return len(*v), true
	}
	return 0, false
}

func (d *draft) readActions() {
	v, _ := variantOf(d.hand.Variant)
	c := newCards(v, len(d.hand.StartingStacks))
	if err := c.dealBank(d.hand.Bank); err != nil {
		d.fault(d.lines["_bank"], 0, "_bank: %v", err)
		return
	}
	for i, text := range d.texts {
		line := d.hand.Actions[i].Line
		a, amount, err := parseAction(text, c)
		if err != nil {
			d.fault(line, i+1, "%q: %v", text, err)
			return
		}
		a.Line = line
		d.hand.Actions[i] = a
		if a.Kind == BetRaise {
			d.amounts = append(d.amounts, pending{&d.hand.Actions[i].Amount, amount, line, i + 1})
		}
	}
}

// setAmounts finds the scale and counts every amount in it.
func (d *draft) setAmounts() {
	places := 0
	for _, p := range d.amounts {
		places = max(places, p.value.places)
	}
	d.hand.Scale = pow10(places)
	for _, p := range d.amounts {
		amount, ok := p.value.in(places)
		if !ok {
			d.fault(p.line, p.action, "the amount is more than 2^60 units of %s", Amount(1).Text(d.hand.Scale))
			return
		}
		*p.to = amount
	}
	for _, f := range fields {
		list, ok := f.at(&d.hand).(*[]Amount)
		if !ok {
			continue
		}
		left := maxAmount
		for _, a := range *list {
			if left -= max(a, -a); left < 0 {
				d.fault(d.lines[f.name], 0, "%s is too large in all", f.name)
				return
			}
		}
	}
}
