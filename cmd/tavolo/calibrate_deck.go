package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/drivers/rfid"
	"tavolo/engine"
	"tavolo/engine/card"
)

func calibrateDeckCommand() *cobra.Command {
	var f wizardFlags
	var o deckStep
	var zone, replace string
	c := &cobra.Command{
		Use:   "deck -c FILE --deck NAME",
		Short: "Register the tags of a deck, or of one card that takes another's place",
		Long: `Register the tags of a deck. The cards are drawn out of the shoe, or laid one by one on the antenna of --zone, in the order
they are asked for, which is that of a deck just unwrapped: ace to king of spades, ace to king of diamonds, king to ace of
clubs, king to ace of hearts. A tag that is of a card already, or out of use, is refused. Then every card is shown once more, in any
order, which finds what was read wrong. With --replace one card takes the place of another of the deck, whose tag is put out of
use.

The deck is written to the file of [deck] in the configuration that has a deck of that name; a deck that is new to the first
file, of deck.file and deck.spares, that is not there yet.

back takes the last card back, skip leaves the second reading out.`,
		Example: `  tavolo calibrate deck -c table.toml --deck "red 7"
  tavolo calibrate deck -c table.toml --deck "red 7" --replace Ah`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if zone != "" {
				if o.zone, err = engine.ParseZone(zone); err != nil {
					return usageError{fmt.Errorf("--zone: %w", err)}
				}
			}
			if replace != "" {
				if o.replace, err = card.Parse(replace); err != nil || !o.replace.Known() {
					return usageError{fmt.Errorf("--replace: %q is no card: want a rank and a suit, as in Td", replace)}
				}
			}
			return f.lead(cmd, "deck", o.register)
		},
	}
	f.add(c)
	c.Flags().StringVar(&o.name, "deck", "", "`NAME` of the deck, as on its box")
	c.Flags().StringVar(&zone, "zone", "", "zone whose antenna the cards are shown to (default: the shoe, or else the first that has cards)")
	c.Flags().StringVar(&replace, "replace", "", "`CARD` that was replaced, such as Ah")
	if err := c.MarkFlagRequired("deck"); err != nil {
		panic(err) // the flag was made above
	}
	return c
}

// deckStep is the registration of a deck.
type deckStep struct {
	name    string
	zone    engine.Zone // the zero zone for the usual one
	replace card.Card   // card.None for the whole deck
}

// place is where a deck is registered, and the decks that are known.
type deckPlace struct {
	file   string
	old    *calibration.Deck   // nil where there is none of that name
	others []*calibration.Deck // all that are known but old
}

// deckPlace finds the place of a deck by its name.
func (c *Config) deckPlace(name string) (p deckPlace, err error) {
	for i, d := range c.allDecks() {
		file := c.DeckFiles[i]
		switch {
		case d != nil && d.Name() == name:
			p.file, p.old = file, d
		case d != nil:
			p.others = append(p.others, d)
		case file != "" && p.file == "":
			p.file = file
		}
	}
	if p.file == "" {
		return p, fmt.Errorf("no file for deck %q: none of [deck] holds one of that name, and all are there; add one to deck.file or deck.spares", name)
	}
	return p, nil
}

// shared is how many tags of a deck are of another.
func (p deckPlace) shared(d *calibration.Deck) (n int) {
	for _, tag := range d.Tags() {
		for _, other := range p.others {
			if _, ok := other.Card(tag); ok {
				n++
			}
		}
	}
	return n
}

// antenna is the zone whose antenna cards are shown to.
func (o *deckStep) antenna(c *Config) (engine.Zone, error) {
	if o.zone == (engine.Zone{}) && c.watches(engine.ZoneShoe) {
		return engine.Zone{Kind: engine.ZoneShoe}, nil
	}
	return c.usualZone(o.zone, func(z engine.Zone) bool { return !z.Chips() }, "cards")
}

// cards are those of a deck: what the game is played with, and what else the deck had so far.
func (p deckPlace) cards(game card.Set) card.Set {
	if p.old != nil {
		for c := range p.old.Tags() {
			game = game.Add(c)
		}
	}
	return game
}

// register leads through the registration.
func (o *deckStep) register(w *wizard) error {
	at, err := w.cfg.deckPlace(o.name)
	if err != nil {
		return err
	}
	zone, err := o.antenna(w.cfg)
	if err != nil {
		return err
	}
	e, err := o.enrolment(w.cfg, at)
	if err != nil {
		return err
	}
	w.cert.Subject = o.name
	s := cardStream{w: w, picker: calibration.Picker{Looks: 3}}
	if zone.Kind == engine.ZoneShoe {
		s.picker.Looks = 1 // a card slides past
	}
	var checked int
	err = w.at(zone, func(looks <-chan rfid.Report, antenna int) (err error) {
		s.looks, s.antenna = looks, antenna
		checked, err = o.read(&s, e, zone)
		return err
	})
	if err != nil {
		return err
	}
	return o.save(w, at, e, checked, s.refused)
}

func (o *deckStep) enrolment(c *Config, at deckPlace) (*calibration.DeckEnrolment, error) {
	if o.replace == card.None {
		return calibration.NewDeckEnrolment(o.name, calibration.NewDeckOrder(at.cards(c.Rules.Game.Deck)), at.old, at.others...), nil
	}
	if at.old == nil {
		return nil, fmt.Errorf("no deck %q, of which a card could be replaced: want one of those in [deck]", o.name)
	}
	return calibration.ReplaceCard(at.old, o.replace, at.others...)
}

// read has every card shown, and then once more. It gives how many were seen the second time.
func (o *deckStep) read(s *cardStream, e *calibration.DeckEnrolment, zone engine.Zone) (checked int, err error) {
	how := fmt.Sprintf("Lay the card that is asked for on %v, alone, and take it away before the next.", zone)
	if zone.Kind == engine.ZoneShoe {
		how = "Draw the cards out of the shoe, face down, in the order of a new deck: the ace of spades first."
	}
	_, of := e.Done()
	if err := s.w.heading(fmt.Sprintf("Deck %q: %d cards", o.name, of), how, "back takes the last one back, abort ends it."); err != nil {
		return 0, err
	}
	for {
		c, more := e.Next()
		if !more {
			break
		}
		if err := s.ask(e, c); err != nil {
			return 0, err
		}
		tag, command, err := s.next(true)
		switch {
		case err != nil:
			return 0, err
		case command == "back":
			e.Back()
		case command != "":
			err = s.w.note("%q: want back or abort, or the next card", command)
		default:
			err = s.take(e, c, tag)
		}
		if err != nil {
			return 0, err
		}
	}
	return o.again(s, e)
}

// again has every card that was registered shown once more, in any order.
func (o *deckStep) again(s *cardStream, e *calibration.DeckEnrolment) (checked int, err error) {
	_, of := e.Done()
	if err := s.w.heading("Once more", "Show every card again, in any order, so that each is known to be read as it was.", "skip leaves that out, abort ends it."); err != nil {
		return 0, err
	}
	missing := map[card.Card]bool{}
	for _, c := range e.Asked() {
		missing[c] = true
	}
	for len(missing) > 0 {
		tag, command, err := s.next(true)
		switch {
		case err != nil:
			return 0, err
		case command == "skip":
			return of - len(missing), nil
		case command != "":
			err = s.w.note("%q: want skip or abort, or a card", command)
		default:
			c, known := e.Deck().Card(tag)
			switch {
			case !known:
				err = s.w.tell(shown{Tag: tag, Why: "no card of the deck"}, fmt.Sprintf("  ??  %s is no card of the deck: it was read otherwise before; abort, and begin anew", tag))
			case missing[c]:
				delete(missing, c)
				err = s.w.tell(shown{c, tag, of - len(missing), of, ""}, fmt.Sprintf("%3d of %d  %v again", of-len(missing), of, c))
			}
		}
		if err != nil {
			return 0, err
		}
	}
	return of, nil
}

// save reviews and writes the deck.
func (o *deckStep) save(w *wizard, at deckPlace, e *calibration.DeckEnrolment, checked, refused int) error {
	deck := e.Deck()
	cards := at.cards(w.cfg.Rules.Game.Deck)
	_, of := e.Done()
	again := calibration.NewValue("cards read a second time", float64(checked), "")
	if checked < of {
		again = again.Noting("the rest was left out")
	}
	w.cert.Add(
		calibration.NewValue("cards with a tag of their own", float64(len(deck.Tags())), "").Exactly(float64(cards.Len())),
		calibration.NewValue("tags of another deck", float64(at.shared(deck)), "").Exactly(0).Noting(fmt.Sprintf("other decks known: %d", len(at.others))),
		calibration.NewValue("tags refused on the way", float64(refused), ""),
		again,
	)
	if o.replace != card.None {
		w.cert.Add(calibration.NewValue("cards replaced", 1, "").Noting(fmt.Sprintf("%v, whose tag is out of use", o.replace)))
	}
	text := deck.Text()
	return w.save(at.file, text, func(back []byte) error {
		read, err := calibration.LoadDeck(at.file, back)
		if err != nil {
			return err
		}
		if !bytes.Equal(read.Text(), text) {
			return fmt.Errorf("deck %q is another than was written", read.Name())
		}
		return read.Covers(cards)
	})
}

// shown is a card that was shown to an antenna, or why it was refused.
type shown struct {
	Card card.Card `json:"card"`
	Tag  string    `json:"tag"`
	Done int       `json:"done"`
	Of   int       `json:"of"`
	Why  string    `json:"refused,omitempty"`
}

// cardStream is cards that are shown to an antenna one after the other.
type cardStream struct {
	w       *wizard
	looks   <-chan rfid.Report
	antenna int
	picker  calibration.Picker
	ended   bool // nothing more is typed
	refused int  // cards
}

// ask asks for a card.
func (s *cardStream) ask(e *calibration.DeckEnrolment, c card.Card) error {
	if !s.w.fresh {
		return nil // in lines the order goes without saying
	}
	done, of := e.Done()
	fmt.Fprintf(s.w.out, "\r\x1b[K%d of %d, now the %s (%v) ", done, of, cardName(c), c)
	return s.w.out.Flush()
}

// take registers a tag for a card.
func (s *cardStream) take(e *calibration.DeckEnrolment, c card.Card, tag string) error {
	lead := ""
	if s.w.fresh {
		lead = "\r\x1b[K"
	}
	if err := e.Take(tag); err != nil {
		s.refused++
		done, of := e.Done()
		return s.w.tell(shown{c, tag, done, of, err.Error()}, fmt.Sprintf("%s  !!  not taken for %v: %v", lead, c, err))
	}
	done, of := e.Done()
	return s.w.tell(shown{c, tag, done, of, ""}, fmt.Sprintf("%s%3d of %d  %v  %s", lead, done, of, c, tag))
}

// next waits for a tag, or for a command of the technician.
func (s *cardStream) next(commands bool) (tag, command string, err error) {
	lines := s.w.lines
	if s.ended || !commands {
		lines = nil
	}
	for {
		select {
		case l := <-s.looks:
			if tag, err := s.see(l); tag != "" || err != nil {
				return tag, "", err
			}
		case line, more := <-lines:
			if !more {
				s.ended, lines = true, nil
				continue
			}
			if line == "abort" {
				return "", "", errAborted
			}
			if line != "" {
				return "", line, nil
			}
		case <-s.w.ctx.Done():
			return "", "", errAborted
		}
	}
}

// see takes what the reader says, and gives the tag of a card that was shown.
func (s *cardStream) see(report rfid.Report) (string, error) {
	switch rep := report.(type) {
	case rfid.State:
		if rep.Up {
			return "", s.w.note("the reader is back")
		}
		return "", s.w.note("the reader is lost: %v", rep.Err)
	case rfid.Scan:
		if rep.Antenna == s.antenna {
			return s.picker.Look(rep.UIDs), nil
		}
	}
	return "", nil
}

// cardName is a card in words.
func cardName(c card.Card) string {
	ranks := [...]string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"}
	suits := [...]string{card.Clubs: "clubs", card.Diamonds: "diamonds", card.Hearts: "hearts", card.Spades: "spades"}
	return ranks[c.Rank()] + " of " + suits[c.Suit()]
}
