// Package text is what people read at a table, in each language: one catalogue, a JSON file a language, for the page and for
// the terminal.
//
// New gives the Words of a language; Say looks up a text by its key and fills its places. What the engine and the controller
// say in English (what a hand makes, why something was refused, what a dealer is to do) Words translate by the catalogue
// too: its English text is the pattern that finds what goes into the places of the other. A text with no words of its own
// is left as it is. The page does the same in words.ts and told.ts.
package text

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"tavolo/engine/card"
)

//go:embed *.json
var files embed.FS

// english is the language of the engine and the controller, whose catalogue has every key.
const english = "en"

// V are the values for the places of a text, by their names.
type V map[string]string

// Words are the texts of one language, and how it writes amounts. They may be used from several goroutines.
type Words struct {
	language string
	texts    map[string]string
	// Of the English catalogue: how to find, in a sentence, which text it is and what stands in its places.
	holdings, sentences []pattern
	ranks               map[string]string // the key of each English word for a rank, for several cards of one, or for a suit
	reasons             map[string]string // the key of each reason, by its code and by its text in every language
	money
}

// pattern finds what stands in the places of an English text.
type pattern struct {
	key string
	re  *regexp.Regexp
}

// Languages are those that there is a catalogue for, by their codes of ISO 639.
func Languages() []string {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		panic(err) // the pattern is right
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, path.Ext(name))
	}
	return names
}

// Preferred is the first language of a list, such as the value of LANG or what a browser sends, that there is a catalogue for,
// and English where there is none.
func Preferred(wanted ...string) string {
	for _, w := range wanted {
		short, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(w, "_", "-")), "-")
		if slices.Contains(Languages(), short) {
			return short
		}
	}
	return english
}

// New gives the words of a language, with amounts in chips. It fails for a language that there is no catalogue for.
func New(language string) (*Words, error) {
	var keys []string // in their order in the English catalogue, whose first text that fits a sentence is the one
	all := map[string]map[string]string{}
	for _, l := range Languages() {
		order, texts, err := catalogue(l)
		if err != nil {
			return nil, fmt.Errorf("text: %s.json: %w", l, err)
		}
		if all[l] = texts; l == english {
			keys = order
		}
	}
	w := &Words{language: language, texts: all[language], ranks: map[string]string{}, reasons: map[string]string{}}
	if w.texts == nil {
		return nil, fmt.Errorf("no language %q: want one of %s", language, strings.Join(Languages(), ", "))
	}
	w.money = money{marks: marks[language], unit: 1}
	for _, key := range keys {
		text := all[english][key]
		switch kind, code, _ := strings.Cut(key, "."); kind {
		case "holds":
			w.holdings = append(w.holdings, newPattern(key, "", text, func(string) string { return `[\w-]+` }))
		case "told":
			w.sentences = append(w.sentences, newPattern(key, "(?i)", text, form))
		case "rank", "ranks", "suit":
			w.ranks[text] = key
		case "reason":
			w.reasons[code] = key
			for _, texts := range all {
				w.reasons[texts[key]] = key
			}
		}
	}
	return w, nil
}

// catalogue reads the texts of a language that there is a file of, and their keys in its order.
func catalogue(language string) (keys []string, texts map[string]string, err error) {
	b, err := files.ReadFile(language + ".json")
	if err != nil {
		return nil, nil, err
	}
	texts = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		switch t, err := d.Token(); key := t.(type) {
		case string:
			var text string
			if err := d.Decode(&text); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", key, err)
			}
			keys, texts[key] = append(keys, key), text
		case nil:
			if err == io.EOF {
				return keys, texts, nil
			}
			return nil, nil, err
		}
	}
}

var place = regexp.MustCompile(`\{(\w+)\}`)

// newPattern finds a text; like says what may stand in a place.
func newPattern(key, flags, text string, like func(place string) string) pattern {
	var re strings.Builder
	end := 0
	for _, m := range place.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		fmt.Fprintf(&re, "%s(?P<%s>%s)", regexp.QuoteMeta(text[end:m[0]]), name, like(name))
		end = m[1]
	}
	return pattern{key, regexp.MustCompile(flags + "^" + re.String() + regexp.QuoteMeta(text[end:]) + "$")}
}

// match gives what stands in the places of a sentence, nil where it is another.
func (p pattern) match(sentence string) map[string]string {
	found := p.re.FindStringSubmatch(sentence)
	if found == nil {
		return nil
	}
	places := map[string]string{}
	for i, name := range p.re.SubexpNames()[1:] {
		places[name] = found[i+1]
	}
	return places
}

// Language is the code of the language.
func (w *Words) Language() string { return w.language }

// Has reports whether there is a text for a key.
func (w *Words) Has(key string) bool { return w.texts[key] != "" }

// Say is the text of a key with its places filled; a key with no text is left as it is, a place with no value empty.
func (w *Words) Say(key string, values ...V) string {
	text, ok := w.texts[key]
	if !ok {
		return key
	}
	return place.ReplaceAllStringFunc(text, func(at string) string {
		for _, v := range values {
			if s, ok := v[at[1:len(at)-1]]; ok {
				return s
			}
		}
		return ""
	})
}

// Named looks up what the engine calls by a short name: a game, a limit or a street.
func (w *Words) Named(kind, name string) string {
	if key := kind + "." + name; w.Has(key) {
		return w.Say(key)
	}
	return name
}

// Holds translates what a hand makes, and its low hand after a semicolon.
func (w *Words) Holds(said string) string {
	hands := strings.Split(said, "; ")
	for i, hand := range hands {
		hands[i] = w.hand(hand)
	}
	return strings.Join(hands, "; ")
}

func (w *Words) hand(said string) string {
	for _, p := range w.holdings {
		places := p.match(said)
		if places == nil {
			continue
		}
		for name, found := range places {
			words := strings.Split(found, "-")
			for i, word := range words {
				if key, ok := w.ranks[word]; ok {
					words[i] = w.Say(key)
				}
			}
			places[name] = strings.Join(words, "-")
		}
		return w.Say(p.key, places)
	}
	return said
}

// Reason is why something was done, which may be said by a code or as somebody wrote it in another language.
func (w *Words) Reason(said string) string {
	if key, ok := w.reasons[said]; ok {
		return w.Say(key)
	}
	return said
}

// Refusal says why the table refused something: by its code, or, where the table's sentence says more, by that.
func (w *Words) Refusal(code, sentence string) string {
	if key := "refused." + code; w.Has(key) {
		return w.Say(key)
	}
	return w.Told(sentence)
}

// Card is a card in words.
func (w *Words) Card(c card.Card) string {
	if !c.Known() {
		return w.Say("card.hidden")
	}
	code := c.String()
	return w.Say("card", V{"rank": w.Say("rank." + code[:1]), "suit": w.Say("suit." + code[1:])})
}

// Cards are cards in words, separated by commas.
func (w *Words) Cards(cards []card.Card) string {
	all := make([]string, len(cards))
	for i, c := range cards {
		all[i] = w.Card(c)
	}
	return strings.Join(all, ", ")
}
