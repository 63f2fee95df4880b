// Package calibration turns what sensors read into facts: this tag is the ten of diamonds, that weight is so many chips.
// It holds what technicians measured and wrote down, and knows neither devices nor rules.
//
// A Deck says which card each tag is glued into; a Watch turns what card readers see into facts by it.
package calibration

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"tavolo/engine/card"
)

// Deck is the registry of one deck of cards with tags. It never changes, so any goroutine may read it.
type Deck struct {
	name  string
	cards map[string]card.Card // by tag, in upper case
}

// Name is what people call the deck: red 7.
func (d *Deck) Name() string { return d.name }

// Card is the card a tag is glued into, and whether the tag is of this deck at all. The tag is given by its UID in
// hexadecimal, most significant byte first, in capitals or not.
func (d *Deck) Card(uid string) (card.Card, bool) {
	c, ok := d.cards[strings.ToUpper(uid)]
	return c, ok
}

// Tags are the tags of the deck by their cards.
func (d *Deck) Tags() map[card.Card]string {
	out := make(map[card.Card]string, len(d.cards))
	for tag, c := range d.cards {
		out[c] = tag
	}
	return out
}

// Covers says which cards of a set, such as a game's, no tag of the deck stands for. Further cards do no harm.
func (d *Deck) Covers(set card.Set) error {
	for _, c := range d.cards {
		set = set.Remove(c)
	}
	if set == 0 {
		return nil
	}
	return fmt.Errorf("deck %q has no tag for %v", d.name, set)
}

// Fault is one thing that is wrong in a file that describes a table or what belongs to it.
type Fault struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	// Path is the key, with those of the tables around it: tags.E004015012345678. It is empty where the fault has none.
	Path string `json:"path,omitempty"`
	// Reason says what is wrong and what is expected.
	Reason string `json:"reason"`
}

// Error gives the fault as file:line: path: reason.
func (f *Fault) Error() string {
	if f.Path == "" {
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Path, f.Reason)
}

// The length of a tag's UID in bytes: ISO 14443 has 4, 7 or 10, ISO 15693 has 8, and longer codes go up to 16.
const minUID, maxUID = 4, 16

// LoadDeck reads the registry of a deck, a TOML file with a name and a table of tags:
//
//	name = "red 7"
//	[tags]
//	E004015012345678 = "Ah"
//
// No tag and no card may be there twice. That no card is missing is for Covers to say, since it depends on the game.
// The name of the file is only used in errors. An error joins every fault of the file, each a *Fault.
func LoadDeck(file string, data []byte) (*Deck, error) {
	if err := toml.Unmarshal(data, &map[string]any{}); err != nil {
		line := 1
		if syntax, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = syntax.Position()
		}
		return nil, &Fault{File: file, Line: line, Reason: err.Error()}
	}
	r := deckReader{file: file, data: data, lines: map[string]int{}, deck: Deck{cards: map[string]card.Card{}}}
	r.read()
	if len(r.faults) > 0 {
		return nil, errors.Join(r.faults...)
	}
	return &r.deck, nil
}

// deckReader goes through a file that is known to be good TOML.
type deckReader struct {
	file   string
	data   []byte
	deck   Deck
	lines  map[string]int // of the name, the tags and the cards so far
	faults []error
}

func (r *deckReader) fault(line int, path, format string, args ...any) {
	r.faults = append(r.faults, &Fault{File: r.file, Line: line, Path: path, Reason: fmt.Sprintf(format, args...)})
}

func (r *deckReader) read() {
	var p unstable.Parser
	p.Reset(r.data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		path, line := r.key(e)
		switch {
		case e.Kind == unstable.KeyValue:
			r.value(line, table+path, e.Value())
		case e.Kind == unstable.Table && path == "tags":
			table = "tags."
		default:
			table = path + "."
			r.fault(line, path, "unknown table: want [tags]")
		}
	}
	if r.lines["name"] == 0 {
		r.fault(1, "name", "missing: want what people call the deck")
	}
	if len(r.deck.cards) == 0 && len(r.faults) == 0 {
		r.fault(1, "tags", `missing: want a line for each card, such as E004015012345678 = "Ah"`)
	}
}

// key gives the dotted key of a table or value, and its line.
func (r *deckReader) key(e *unstable.Node) (path string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		if line == 0 {
			line = 1 + bytes.Count(r.data[:it.Node().Raw.Offset], []byte("\n"))
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), line
}

func (r *deckReader) value(line int, path string, v *unstable.Node) {
	uid, isTag := strings.CutPrefix(path, "tags.")
	if path == "name" {
		r.lines["name"] = line
	}
	switch {
	case path != "name" && !isTag:
		r.fault(line, path, "unknown key: want name and a table [tags]")
	case v.Kind != unstable.String || len(v.Data) == 0:
		r.fault(line, path, "want text in quotes")
	case isTag:
		r.tag(line, path, strings.ToUpper(uid), string(v.Data))
	default:
		r.deck.name = string(v.Data)
	}
}

func (r *deckReader) tag(line int, path, uid, text string) {
	if b, err := hex.DecodeString(uid); err != nil || len(b) < minUID || len(b) > maxUID {
		r.fault(line, path, "no tag: want the UID of %d to %d bytes in hexadecimal", minUID, maxUID)
		return
	}
	if first := r.lines[uid]; first != 0 {
		r.fault(line, path, "this tag is on line %d too", first)
		return
	}
	r.lines[uid] = line
	c, err := card.Parse(text)
	if err != nil || !c.Known() {
		r.fault(line, path, "%q is no card: want a rank and a suit, as in Td", text)
		return
	}
	if first := r.lines[text]; first != 0 {
		r.fault(line, path, "%v is on line %d too", c, first)
		return
	}
	r.lines[text] = line
	r.deck.cards[uid] = c
}
