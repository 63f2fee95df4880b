package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/currency"

	"tavolo/engine"
)

// marks are how each language writes a number, and whether the sign of a currency stands before it.
var marks = map[string]writing{
	"en": {group: ",", point: ".", before: true},
	"it": {group: ".", point: ","},
}

type writing struct {
	group, point string
	before       bool
}

// money is how amounts of chips are written.
type money struct {
	marks    writing
	unit     engine.Chips // how many chips make one of what is written
	digits   int          // of the fraction, where there is one
	sign     string       // of the currency, "" for none
	bigBlind bool         // it is written in big blinds
}

// Of gives the same words with amounts in the currency, by its code of ISO 4217, whose smallest unit is a chip; in chips where it
// is "". Where a big blind is given amounts are in it instead.
func (w *Words) Of(code string, bigBlind engine.Chips) *Words {
	of := *w
	of.money = money{marks: w.marks, unit: 1}
	unit, err := currency.ParseISO(code)
	switch {
	case bigBlind > 0:
		of.unit, of.digits, of.bigBlind = bigBlind, 1, true
	case err == nil:
		of.digits, _ = currency.Standard.Rounding(unit)
		for range of.digits {
			of.unit *= 10
		}
		of.sign = fmt.Sprint(currency.NarrowSymbol(unit))
	}
	return &of
}

// Money writes an amount of chips: 1,250, €12.50 or 12.5 BB.
func (m money) Money(c engine.Chips) string {
	switch text := m.number(c); {
	case m.bigBlind:
		return text + " BB"
	case m.sign == "":
		return text
	case m.marks.before && c < 0:
		return "-" + m.sign + text[1:]
	case m.marks.before:
		return m.sign + text
	default:
		return text + "\u00a0" + m.sign
	}
}

// number writes an amount, rounded to the digits there are; a currency's are written all or none, others as far as they say
// something.
func (m money) number(c engine.Chips) string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	scale := engine.Chips(1)
	for range m.digits {
		scale *= 10
	}
	whole, rest := c/m.unit, c%m.unit*scale
	if rest = (rest + m.unit/2) / m.unit; rest == scale {
		whole, rest = whole+1, 0
	}
	text := strconv.FormatInt(int64(whole), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + m.marks.group + text[i:]
	}
	if rest > 0 {
		text += m.marks.point + fmt.Sprintf("%0*d", m.digits, rest)
	}
	return sign + text
}

// Read is the amount of chips that a person wrote, false if it is none or more than can be counted.
func (m money) Read(text string) (engine.Chips, bool) {
	if m.sign != "" {
		text = strings.ReplaceAll(text, m.sign, "") // it may have a point of its own
	}
	text = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || string(r) == m.marks.point {
			return r
		}
		return -1
	}, text)
	whole, fraction, _ := strings.Cut(text, m.marks.point)
	if whole+fraction == "" || strings.Contains(fraction, m.marks.point) || len(fraction) > 6 {
		return 0, false
	}
	n, err := strconv.ParseInt("0"+whole, 10, 64)
	if err != nil || engine.Chips(n) > math.MaxInt64/m.unit-1 {
		return 0, false
	}
	chips, scale := engine.Chips(n)*m.unit, engine.Chips(1)
	part := engine.Chips(0)
	for _, digit := range fraction {
		scale, part = scale*10, part*10+engine.Chips(digit-'0')
	}
	if part > math.MaxInt64/m.unit-1 {
		return 0, false
	}
	return chips + (part*m.unit+scale/2)/scale, true
}
