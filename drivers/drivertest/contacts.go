package drivertest

import (
	"slices"
	"testing"
)

// Change is a report of [Contacts]: one of them closed or opened, which here is on or off.
type Change struct {
	Contact int
	On      bool
	Lost    int // changes before this one that were lost
}

// Contacts are the contacts of a shoe or a panel, and whoever moves them.
type Contacts struct {
	Driver
	// Set has one of two contacts, 0 and 1, on or off. They are off at first. What it does is no bounce.
	Set func(contact int, on bool)
	// Keeps is how many changes wait at least for who does not take them.
	Keeps int
	// Lose has so many changes of contact 0 get lost on their way that this is noticed, and leaves it off; nil where changes
	// cannot get lost, or nobody could notice.
	Lose func()
	// Unplug takes the contacts away, Plug brings them back.
	Unplug, Plug func()
}

// TestContacts runs the suite for contacts.
func TestContacts(t *testing.T, in In, start func(*testing.T) Contacts) {
	each(t, in, start, func(c Contacts) Driver { return c.Driver }, []test[Contacts]{
		{"ChangesComeInOrder", changesComeInOrder},
		{"NobodyTakesThem", nobodyTakesThem},
		{"LossesAreTold", lossesAreTold},
		{"UnpluggedAndBack", contactsUnplugged},
		{"AbsentAtFirst", contactsAbsent},
	})
}

// contacts are contacts as they were told.
type contacts struct {
	*bench
	on   [2]bool
	lost int // in all
}

// contacts starts the driver, which tells how contacts are, or what changes.
func (b *bench) contacts() *contacts {
	c := &contacts{bench: b}
	b.run()
	return c
}

// take takes a report. A contact is told to be what it was not, unless changes before were lost; while the device is not up
// it may tell how all of them are.
func (c *contacts) take(r Report) {
	c.t.Helper()
	ch, ok := r.(Change)
	if !ok {
		return
	}
	if c.told.Up && ch.Lost == 0 && c.on[ch.Contact] == ch.On {
		c.t.Errorf("%+v was told before", ch)
	}
	c.on[ch.Contact] = ch.On
	c.lost += ch.Lost
}

// change gives the next change.
func (c *contacts) change() Change {
	c.t.Helper()
	for {
		r := c.next()
		c.take(r)
		if ch, ok := r.(Change); ok {
			return ch
		}
	}
}

// until takes changes until this is one.
func (c *contacts) until(contact int, on bool) {
	c.t.Helper()
	for {
		if ch := c.change(); ch.Contact == contact && ch.On == on {
			return
		}
	}
}

// all takes exactly these changes, none of them after a loss.
func (c *contacts) all(want []Change) {
	c.t.Helper()
	var got []Change
	for range want {
		got = append(got, c.change())
	}
	if !slices.Equal(got, want) {
		c.t.Errorf("told %+v, want %+v", got, want)
	}
}

// moves are so many changes, of both contacts, that overlap.
func moves(n int) []Change {
	steps := []Change{{0, true, 0}, {1, true, 0}, {0, false, 0}, {0, true, 0}, {1, false, 0}, {0, false, 0}}
	var out []Change
	for i := range n {
		out = append(out, steps[i%len(steps)])
	}
	return out
}

func changesComeInOrder(b *bench, far Contacts) {
	c := b.contacts()
	c.state(true, c.take)
	for range 2 {
		m := moves(6)
		for _, ch := range m {
			far.Set(ch.Contact, ch.On)
		}
		c.all(m)
	}
}

func nobodyTakesThem(b *bench, far Contacts) {
	c := b.contacts()
	c.state(true, c.take)
	m := moves(far.Keeps / 6 * 6)
	for _, ch := range m {
		far.Set(ch.Contact, ch.On)
	}
	c.all(m)
	far.Set(1, true)
	c.all([]Change{{1, true, 0}})
	for _, ch := range moves(far.Keeps) { // nobody takes these, and the driver can be ended
		far.Set(ch.Contact, ch.On)
	}
}

// What is lost is lost, but it is told of, and the contacts are known again.
func lossesAreTold(b *bench, far Contacts) {
	c := b.contacts()
	c.state(true, c.take)
	if far.Lose == nil {
		return
	}
	far.Lose()
	far.Set(1, true)
	c.until(1, true)
	far.Set(0, true)
	c.until(0, true)
	if c.lost == 0 {
		c.t.Error("nobody was told of it")
	}
}

func contactsUnplugged(b *bench, far Contacts) {
	c := b.contacts()
	c.state(true, c.take)
	for range 2 {
		far.Set(0, true)
		c.until(0, true)
		far.Unplug()
		c.state(false, c.take)
		far.Set(0, false) // which nobody can know
		far.Set(1, true)
		far.Plug()
		c.state(true, c.take)
		far.Set(1, false)
		far.Set(0, true)
		c.until(0, true)
		if c.on != [2]bool{true, false} {
			c.t.Errorf("back, the contacts were told to be %v", c.on)
		}
		far.Set(0, false)
		c.until(0, false)
	}
}

func contactsAbsent(b *bench, far Contacts) {
	far.Unplug()
	c := b.contacts()
	c.state(false, c.take)
	far.Plug()
	c.state(true, c.take)
	far.Set(0, true)
	c.all([]Change{{0, true, 0}})
}
