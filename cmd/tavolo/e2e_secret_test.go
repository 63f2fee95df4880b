package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"tavolo/cmd/tavolo/load"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/card"
)

// snoop is a user who asks for everything.
type snoop struct {
	name string

	received chan paho.Message
}

// spy logs a user in and asks for whatever it could want, one filter at a time. What is refused is refused.
func (r *rig) spy(url, user string) *snoop {
	r.t.Helper()
	s := &snoop{user, make(chan paho.Message, 1<<19)}
	c := paho.NewClient(paho.NewClientOptions().AddBroker(url).SetClientID(mqtt.ClientID(user, "spy")).
		SetUsername(user).SetPassword(demoPassword).SetProtocolVersion(4).SetAutoReconnect(false).
		SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) { s.received <- m }))
	if t := c.Connect(); !t.WaitTimeout(patience) || t.Error() != nil {
		r.t.Fatalf("%s: %v", user, t.Error())
	}
	r.t.Cleanup(func() { c.Disconnect(0) })
	at := r.cfg.Topics
	for _, filter := range []string{
		"#", "/#", "+/#", "tavolo/#", "tavolo/v1/#", "tavolo/v1/+/+/#", "tavolo/v1/demo/t1/#", "+/+/+/+/+/+/+", "+/+/+/+/seat/+/hole",
		at.Seat("+"), at.Seat("bruno"), at.Seat("carla"), at.Seat("alice"), at.Hole("+"), at.Hole("bruno"), at.Turn("bruno"),
		"$share/all/" + at.Hole("bruno"), "$share/all/#", "$SYS/#", "$SYS/broker/#", at.Actions(), at.Commands(), at.Prompt("+"), at.Prompt("dealer"),
		at.Status(), at.State(), at.Events(), at.Device("+"), "tavolo/v1/demo/t1/pub/#", "tavolo/v1/demo/t1/dealer/#",
		"tavolo/v1/demo/t1/audit/#", "tavolo/v1/demo/t1/delayed/#", "tavolo/v1/+/+/pub/#", "tavolo/v1/+/+/hw/#",
	} {
		if t := c.Subscribe(filter, 1, nil); !t.WaitTimeout(patience) {
			r.t.Fatalf("%s: no answer to a subscription to %s", user, filter)
		}
	}
	return s
}

// cardsIn are all cards that a text names: the words, such as Td or AhKd, that are nothing but cards.
func cardsIn(text []byte) (all card.Set) {
	between := func(r rune) bool { return r < '0' || r > 'z' || r > '9' && r < 'A' || r > 'Z' && r < 'a' }
	for _, word := range bytes.FieldsFunc(text, between) {
		if cards, err := card.ParseAll(string(word)); err == nil {
			all |= card.SetOf(cards...)
		}
	}
	return all
}

// known is who may know which card after each event.
type known struct {
	public card.Set
	own    [engine.MaxSeats + 1]card.Set
}

// whoKnows works out from a journal what may be known after each event, the event's number being the index.
func whoKnows(h journalled) []known {
	all := make([]known, 1, len(h.events)+1)
	var k known
	for _, e := range h.events {
		switch e.Kind {
		case engine.HandBegan:
			k = known{}
		case engine.HoleDealt:
			k.own[e.Seat] = k.own[e.Seat].Add(e.Card)
			if e.Up {
				k.public = k.public.Add(e.Card)
			}
		case engine.BoardDealt:
			k.public = k.public.Add(e.Card)
		case engine.HandShown:
			for _, c := range e.Cards.Slice() {
				k.public = k.public.Add(c)
			}
		}
		all = append(all, k)
	}
	return all
}

// discreet waits until snoops have heard of everything in the journal, and checks that some of it named cards, so many times at
// least, and none a card that they may not know.
func (r *rig) discreet(least int, snoops ...*snoop) {
	r.t.Helper()
	end := uint64(len(r.read(r.cfg.Journal).events))
	late := time.After(patience)
	for _, s := range snoops {
		var heard []paho.Message
		for told := uint64(0); told < end || len(s.received) > 0; {
			select {
			case m := <-s.received:
				var head mqtt.Head
				if heard = append(heard, m); m.Topic() == r.cfg.Topics.State() && json.Unmarshal(m.Payload(), &head) == nil {
					told = head.Seq
				}
			case <-late:
				r.t.Fatalf("%s has heard of %d events of %d in %v", s.name, told, end, patience)
			}
		}
		knows, naming := whoKnows(r.read(r.cfg.Journal)), 0 // which has all that was told
		for _, m := range heard {
			cards, seq := r.named(s, m)
			if cards == 0 {
				continue
			}
			naming++
			if seq >= uint64(len(knows)) {
				r.t.Fatalf("%s got %s: of event %d, the journal ends with %d: %s", s.name, m.Topic(), seq, len(knows)-1, m.Payload())
			}
			if beyond := cards &^ knows[seq].public; beyond != 0 {
				r.t.Errorf("%s sees %v, on %s: %s", s.name, beyond, m.Topic(), m.Payload())
			}
		}
		if naming < least {
			r.t.Errorf("%s got only %d messages with cards", s.name, naming)
		}
	}
}

// named are the cards that a message to a snoop names, if it is not sealed to another, and the event after which they were.
// What is private to others must not come at all.
func (r *rig) named(s *snoop, m paho.Message) (cards card.Set, seq uint64) {
	r.t.Helper()
	own := strings.TrimSuffix(r.cfg.Topics.Seat(s.name), "#")
	if private := strings.Contains(m.Topic(), "/seat/") || strings.Contains(m.Topic(), "/act/"); private && !strings.HasPrefix(m.Topic(), own) {
		r.t.Errorf("%s got %s: %s", s.name, m.Topic(), m.Payload())
	}
	if strings.HasSuffix(m.Topic(), "/audit/checkpoint") {
		return 0, 0 // a hash and a signature in base64, in which Qc may stand as anything else may
	}
	var refused mqtt.ReplyPayload
	if err := json.Unmarshal(m.Payload(), &refused); err == nil && refused.Code == mqtt.CodeNotSealed {
		return 0, 0
	}
	var sealed seal.Message
	if err := json.Unmarshal(m.Payload(), &sealed); err == nil && len(sealed.CT) > 0 {
		return 0, 0 // to another login: what opens it and what does not, package seal tests
	}
	if strings.Contains(m.Topic(), "/seat/") {
		r.t.Errorf("%s got %s unsealed: %s", s.name, m.Topic(), m.Payload())
	}
	if cards = cardsIn(m.Payload()); cards == 0 {
		return 0, 0
	}
	var head mqtt.Head
	if err := json.Unmarshal(m.Payload(), &head); err != nil {
		r.t.Fatalf("%s got %s: %v: %s", s.name, m.Topic(), err, m.Payload())
	}
	return cards, head.Seq
}

// In many hands nobody who asks for everything sees a hole card that is not shown or the own, a burn card or a mucked
// hand: not players, not spectators, and neither the dealer's console nor the floor manager.
func TestNobodySeesOthersCards(t *testing.T) {
	const hands = 30
	t.Parallel()
	r := newRig(t, demoOptions{seats: 5, felt: 0}, without("[devices]"), without("[deck]"), without("name = \"guest\""),
		without("player = \"guest\""))
	dealer := load.NewDealer("dealer", 200)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer) })
	url := d.brokerURL()
	snoops := []*snoop{
		r.spy(url, "alice"), r.spy(url, "elena"), r.spy(url, "viewer"), r.spy(url, "floor"), r.spy(url, "dealer"),
	}
	w := r.watch(url)
	r.sim(url, func(o *simtable.Options) { o.Dealer = "" })
	telling := func(s *seen) bool {
		kinds := s.kinds()
		return kinds[engine.HandShown] >= 10 && kinds[engine.HandMucked] >= 10 && kinds[engine.CardBurned] >= 30
	}
	enough := w.enough(telling)
	r.played(w, r.deals(d, dealer, func(dealt uint64) bool { return dealt < hands || !enough() }))
	w.look(func(s *seen) {
		if !telling(s) {
			t.Errorf("these hands prove little: %v", s.kinds())
		}
	})
	r.discreet(hands, snoops...)
}

// The same over the real way of a card, with people at the table too.
func TestNobodySeesOthersCardsThroughTheReaders(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 4, felt: 2})
	d := r.daemon()
	url := d.brokerURL()
	snoops := []*snoop{r.spy(url, "carla"), r.spy(url, "viewer"), r.spy(url, "floor"), r.spy(url, "dealer")}
	w := r.watch(url)
	_, ended := r.sim(url, func(o *simtable.Options) {
		o.Hands, o.Rebuy, o.Seed = 3, 200, 7
		o.Enough = w.enough(func(s *seen) bool {
			kinds := s.kinds()
			return kinds[engine.BoardDealt] >= 8 && kinds[engine.HandShown] > 0
		})
	})
	r.played(w, ended)
	r.discreet(8, snoops...)
}
