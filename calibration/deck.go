// Package calibration turns what sensors read into facts: this tag is the ten of diamonds, that weight is so many chips.
// It holds what technicians measured and wrote down, and knows neither devices nor rules.
//
// A Deck says which card each tag is glued into, a ChipSet what each chip with a tag is worth, a Marker which tags are the dealer
// button's; a Watch, a ChipWatch and a MarkerWatch turn what readers see into facts by them, a Weigher the readings of a scale.
package calibration

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"tavolo/engine/card"
)

// Deck is the registry of one deck of cards with tags. It never changes, so any goroutine may read it.
type Deck struct {
	name    string
	cards   map[string]card.Card // by tag, in upper case
	retired map[string]card.Card // the same: what was one of its cards once
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

// Retired is the card that a tag was glued into which is out of use, and whether it is one of those.
func (d *Deck) Retired(uid string) (card.Card, bool) {
	c, ok := d.retired[strings.ToUpper(uid)]
	return c, ok
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

// LoadDeck reads the registry of a deck, a TOML file with a name and a table of tags:
//
//	name = "red 7"
//	[tags]
//	E004015012345678 = "Ah"
//	[retired]
//	E004015012345600 = "Ah"
//
// No tag may be there twice, nor a card in the first table. Those in the second are out of use, as a worn card is that was
// replaced: they are of no deck, and not to be registered again. That no card is missing is for Covers to say, since it
// depends on the game. The name of the file is only used in errors. An error joins every fault of the file, each a *Fault.
func LoadDeck(file string, data []byte) (*Deck, error) {
	d := &Deck{cards: map[string]card.Card{}, retired: map[string]card.Card{}}
	lines := map[card.Card]int{}
	g := registry{file: file, data: data, what: "the deck", entry: `card, such as E004015012345678 = "Ah"`, retired: true}
	var err error
	d.name, err = g.read(func(e entry) error {
		if e.value.Kind != unstable.String || len(e.value.Data) == 0 {
			return errText
		}
		c, err := card.Parse(string(e.value.Data))
		if err != nil || !c.Known() {
			return fmt.Errorf("%q is no card: want a rank and a suit, as in Td", e.value.Data)
		}
		if e.retired {
			d.retired[e.tag] = c
			return nil
		}
		if first := lines[c]; first != 0 {
			return fmt.Errorf("%v is on line %d too", c, first)
		}
		lines[c], d.cards[e.tag] = e.line, c
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Text is the deck's registry, as LoadDeck reads it: the cards in the order of a new deck.
func (d *Deck) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# The tags of one deck of cards, as tavolo calibrate deck has read them.\n")
	b.Write(nameText(d.name))
	b.WriteString("\n[tags]\n")
	tags := d.Tags()
	for _, c := range NewDeckOrder(card.French) {
		if tag, ok := tags[c]; ok {
			fmt.Fprintf(&b, "%s = %q\n", tag, c)
		}
	}
	if len(d.retired) > 0 {
		b.WriteString("\n# Out of use.\n[retired]\n")
		for _, tag := range slices.Sorted(maps.Keys(d.retired)) {
			fmt.Fprintf(&b, "%s = %q\n", tag, d.retired[tag])
		}
	}
	return b.Bytes()
}
