package text

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tavolo/engine"
)

// form is what may stand in a place of a sentence to a dealer, which is anything but for these.
func form(place string) string {
	switch kind(place) {
	case "amount", "seat", "number", "of", "slot":
		return `\d+`
	case "change":
		return `-?\d+`
	case "slots":
		return `[\d, and]+`
	case "coins":
		return `\d+ × \d+(?:, \d+ × \d+)*`
	case "zone":
		return `[a-z]+(?: \d+)?`
	case "place":
		return `[^,]+?`
	}
	return `.+?`
}

// kind is the name of a place without the digit that tells it from another of the kind.
func kind(place string) string { return strings.TrimRight(place, "0123456789") }

// Told says what the controller tells a dealer, in an English sentence, which is also why a table stands still.
func (w *Words) Told(sentence string) string {
	key, places := w.sentence(sentence)
	if key == "" {
		return sentence
	}
	for name, found := range places {
		places[name] = w.filling(kind(name), found)
	}
	said := w.Say(key, places)
	if r, _ := utf8.DecodeRuneInString(sentence); unicode.IsUpper(r) {
		r, n := utf8.DecodeRuneInString(said)
		said = string(unicode.ToUpper(r)) + said[n:]
	}
	return said
}

// sentence finds the key of a sentence, and what stands in its places.
func (w *Words) sentence(said string) (key string, places V) {
	for _, p := range w.sentences {
		if places := p.match(said); places != nil {
			return p.key, places
		}
	}
	return "", nil
}

// filling is what goes into a place of a kind, where the English sentence had what was found.
func (w *Words) filling(kind, found string) string {
	switch kind {
	case "amount", "change":
		n, err := strconv.ParseInt(found, 10, 64)
		switch {
		case err != nil:
			return found
		case kind == "amount":
			return w.Money(engine.Chips(n))
		case n < 0:
			return "−" + w.Money(engine.Chips(-n))
		}
		return "+" + w.Money(engine.Chips(n))
	case "street":
		return strings.ToLower(w.Named("street", found))
	case "zone":
		return w.zone(found)
	case "place":
		return w.zone(strings.TrimPrefix(spotOf.ReplaceAllString(found, "$1"), "the "))
	case "coins": // 1 × 25, 4 × 5
		return coin.ReplaceAllStringFunc(found, func(one string) string {
			n, worth, _ := strings.Cut(one, " × ")
			return n + " × " + w.filling("amount", worth)
		})
	case "slots":
		return strings.Replace(found, " and ", " "+w.Say("and")+" ", 1)
	case "reason":
		return w.Reason(found)
	case "text":
		return w.Told(found)
	case "due":
		if key, _ := w.sentence(found); key != "" {
			return w.Told(found)
		}
		all := strings.Split(found, ", ")
		for i, one := range all {
			all[i] = w.Told(one)
		}
		return strings.Join(all, ", ")
	}
	return found
}

// spotOf is how a sentence names the place of a seat's bets or stack.
var spotOf = regexp.MustCompile(`^(?:the )?(spot) of seat`)

// zone names where cards or chips lie: "burn", or "seat 4".
func (w *Words) zone(found string) string {
	name, seat, _ := strings.Cut(found, " ")
	if key := "zone." + name; w.Has(key) {
		return w.Say(key, V{"seat": seat})
	}
	return found
}

// coin is a number of chips and what each is worth, in a list of chips.
var coin = regexp.MustCompile(`\d+ × \d+`)
