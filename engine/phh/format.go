package phh

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"tavolo/engine/card"
)

// Format writes hands as a file: one as a .phh, several as a .phhs with the tables [1], [2] and so on. Parse gives the
// same hands back, but for their line numbers, if they are ones it could have given: sound, and with the smallest Scale
// that makes their amounts whole.
func Format(hands ...Hand) []byte {
	var b bytes.Buffer
	for i := range hands {
		if len(hands) > 1 {
			if i > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "[%d]\n", i+1)
		}
		for _, f := range fields {
			if s := f.text(&hands[i]); s != "" {
				fmt.Fprintf(&b, "%s = %s\n", f.name, s)
			}
		}
	}
	return b.Bytes()
}

// text is the field's value in TOML, "" to leave the field out.
func (f field) text(h *Hand) string {
	switch v := f.at(h).(type) {
	case *string:
		return unless(*v == "", quote(*v))
	case *label:
		return unless(*v == "", v.text())
	case *clock:
		return string(*v)
	case *seconds:
		return string(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *int64:
		return unless(*v == 0, strconv.FormatInt(*v, 10))
	case *Amount:
		return unless(*v == 0, v.Text(h.Scale))
	case *[]Amount:
		return array(*v, func(a Amount) string { return a.Text(h.Scale) })
	case *[3]Amount:
		return unless(*v == [3]Amount{}, array(v[:], func(a Amount) string { return a.Text(h.Scale) }))
	case *[]card.Card:
		return unless(len(*v) == 0, quote(card.Text(*v)))
	case *[]int64:
		return array(*v, func(n int64) string { return strconv.FormatInt(n, 10) })
	case *[]string:
		return array(*v, quote)
	case *secondsList:
		return array(*v, func(s string) string { return s })
	case *[]Action:
		return actions(*v, h.Scale)
	}
	panic("phh: field " + f.name + " has a type that cannot be written")
}

func unless(absent bool, s string) string {
	if absent {
		return ""
	}
	return s
}

// text writes what reads as an integer as one.
func (l label) text() string {
	if n, err := strconv.ParseInt(string(l), 10, 64); err == nil && strconv.FormatInt(n, 10) == string(l) {
		return string(l)
	}
	return quote(string(l))
}

func array[T any](list []T, text func(T) string) string {
	if len(list) == 0 {
		return ""
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = text(v)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// actions gives every action a line of its own, so that the line of a fault tells the action.
func actions(list []Action, scale int64) string {
	var b strings.Builder
	b.WriteString("[\n")
	for _, a := range list {
		b.WriteString("  " + quote(a.Text(scale)) + ",\n")
	}
	b.WriteString("]")
	return b.String()
}

// quote writes a TOML string: between single quotes, or where that cannot hold it with escapes between double ones.
func quote(s string) string {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	if !strings.ContainsRune(s, '\'') && !strings.ContainsFunc(s, isControl) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case isControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
