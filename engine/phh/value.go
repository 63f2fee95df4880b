package phh

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"tavolo/engine/card"
)

// value is the value of a field, or one entry of it. Its methods report what is wrong to the draft and then give
// whatever they like: a draft with a fault becomes no hand.
type value struct {
	draft *draft
	field field
	node  *unstable.Node
	line  int
}

// read sets what the field points to.
func (v value) read(to any) {
	switch to := to.(type) {
	case *string:
		*to = v.text()
	case *label:
		*to = v.label()
	case *clock:
		*to = v.clock()
	case *seconds:
		*to = seconds(v.seconds())
	case *bool:
		*to = string(v.of("true or false", unstable.Bool)) == "true"
	case *int64:
		*to = v.integer()
	case *Amount:
		v.amount(to)
	case *[]Amount:
		entries := v.entries()
		*to = make([]Amount, len(entries))
		for i, entry := range entries {
			entry.amount(&(*to)[i])
		}
	case *[3]Amount:
		entries := v.entries()
		if len(entries) != len(to) {
			v.fault("want %d amounts, not %d", len(to), len(entries))
			return
		}
		for i, entry := range entries {
			entry.amount(&to[i])
		}
	case *[]card.Card:
		cards, err := card.ParseAll(v.text())
		if err != nil {
			v.fault("%v", err)
		}
		*to = cards
	case *[]int64:
		for _, entry := range v.entries() {
			*to = append(*to, entry.integer())
		}
	case *[]string:
		for _, entry := range v.entries() {
			*to = append(*to, entry.text())
		}
	case *secondsList:
		for _, entry := range v.entries() {
			*to = append(*to, entry.seconds())
		}
	case *[]Action:
		for _, entry := range v.entries() {
			*to = append(*to, Action{Line: entry.line})
			v.draft.texts = append(v.draft.texts, entry.text())
		}
	}
}

func (v value) fault(format string, args ...any) {
	v.draft.fault(v.line, 0, v.field.name+": "+format, args...)
}

// of gives the source of a value of one of these kinds, without the quotes of a string.
func (v value) of(want string, kinds ...unstable.Kind) []byte {
	if !slices.Contains(kinds, v.node.Kind) {
		v.fault("want %s, not %s", want, kindNames[v.node.Kind])
		return nil
	}
	return v.node.Data
}

var kindNames = map[unstable.Kind]string{
	unstable.String: "a string", unstable.Bool: "a boolean", unstable.Integer: "an integer", unstable.Float: "a float",
	unstable.Array: "an array", unstable.InlineTable: "a table", unstable.LocalTime: "a time",
	unstable.LocalDate: "a date", unstable.LocalDateTime: "a date and time", unstable.DateTime: "a date and time",
}

// entries splits an array. Only scalars know where they stand; an entry that is an array keeps the line of the field.
func (v value) entries() []value {
	v.of("an array", unstable.Array)
	var list []value
	for it := v.node.Children(); it.Next(); {
		entry := v
		entry.node = it.Node()
		if entry.node.Raw.Length > 0 {
			entry.line = v.draft.reader.line(entry.node)
		}
		list = append(list, entry)
	}
	return list
}

func (v value) text() string { return string(v.of("a string", unstable.String)) }

// number gives a number in base ten without underscores.
func (v value) number() string {
	s := strings.ReplaceAll(string(v.of("a number", unstable.Integer, unstable.Float)), "_", "")
	if len(s) > 1 && s[0] == '0' && strings.ContainsRune("xob", rune(s[1])) {
		n, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			v.fault("%s is too large", s)
		}
		s = strconv.FormatInt(n, 10)
	}
	return s
}

func (v value) integer() int64 {
	v.of("an integer", unstable.Integer)
	s := v.number()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < v.field.min || n > v.field.max {
		v.fault("%s is out of range", s)
	}
	return n
}

// amount has to set to once the scale of the hand is known.
func (v value) amount(to *Amount) {
	s := v.number()
	if v.field.name == "starting_stacks" && strings.TrimPrefix(s, "+") == "inf" {
		v.draft.unsupported(v.line, "starting_stacks: a stack of unknown size (inf) cannot be played")
	}
	d, err := parseDecimal(s)
	switch {
	case err != nil:
		v.fault("%v", err)
	case d.sign() < v.field.min && d.sign() < 0:
		v.fault("%s is negative", s)
	case d.sign() < v.field.min:
		v.fault("%s is not more than 0", s)
	}
	v.draft.amounts = append(v.draft.amounts, pending{to: to, value: d, line: v.line})
}

func (v value) label() label {
	if v.node.Kind != unstable.Integer {
		return label(v.of("a string or an integer", unstable.String))
	}
	n, err := strconv.ParseInt(v.number(), 10, 64)
	if err != nil {
		v.fault("%s is too large", v.number())
	}
	return label(strconv.FormatInt(n, 10))
}

func (v value) clock() clock {
	s := v.of("a time", unstable.LocalTime)
	if err := new(toml.LocalTime).UnmarshalText(s); err != nil {
		v.fault("%v", err)
	}
	return clock(s)
}

func (v value) seconds() string {
	s := strings.TrimPrefix(v.number(), "+")
	if s == "inf" {
		return s
	}
	if d, err := parseDecimal(s); err != nil || d.sign() < 0 {
		v.fault("%q is no number of seconds", s)
	}
	return s
}
