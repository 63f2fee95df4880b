package shoe_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tavolo/drivers/gpiocdev"
	"tavolo/drivers/pn5180"
	"tavolo/drivers/rfid"
	"tavolo/drivers/shoe"
	"tavolo/drivers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines are the contacts of a board: bit 0 the gate, bit 1 the lid.
type lines struct {
	mu     sync.Mutex
	open   uint64
	edges  chan gpiocdev.Edge
	broken chan error // ends Watch
	opened int
	absent bool
}

func newLines() *lines {
	return &lines{edges: make(chan gpiocdev.Edge, 16), broken: make(chan error, 1)}
}

func (l *lines) Open() (shoe.Contacts, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened++
	if l.absent {
		return nil, errors.New("no such line")
	}
	return l, nil
}

func (l *lines) Levels() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open, nil
}

func (l *lines) Watch(ctx context.Context, tell func(gpiocdev.Edge)) error {
	for {
		select {
		case e := <-l.edges:
			tell(e)
		case err := <-l.broken:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

func (l *lines) Close() error { return nil }

// start runs a shoe with a PN5180 at its mouth until the test ends.
func start(t *testing.T, l *lines) (*shoe.Dev, *sim.PN5180) {
	t.Helper()
	chip := sim.NewPN5180()
	reader, err := pn5180.New(pn5180.Options{Open: chip.Open, Options: rfid.Options{Antennas: []int{1}, Round: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := shoe.New(shoe.Options{Reader: reader, Contacts: l.Open, Parts: []shoe.Part{shoe.Gate, shoe.Lid}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- dev.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		for range dev.Reports() {
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if !chip.Dark() {
			t.Error("the reader was left with its field on")
		}
	})
	return dev, chip
}

// await takes reports until one is as wanted.
func await[R shoe.Report](t *testing.T, d *shoe.Dev, ok func(R) bool) R {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case r := <-d.Reports():
			if got, is := r.(R); is && ok(got) {
				return got
			}
		case <-limit:
			var want R
			t.Fatalf("no %T as wanted", want)
		}
	}
}

func TestReaderAndContacts(t *testing.T) {
	const card = "E004015012345678"
	l := newLines()
	l.open = 0b10 // the lid
	d, chip := start(t, l)
	await(t, d, func(c shoe.Contact) bool { return c.Part == shoe.Gate && !c.Open })
	await(t, d, func(c shoe.Contact) bool { return c.Part == shoe.Lid && c.Open })
	await(t, d, func(s shoe.Seen) bool { return s.Whole && len(s.UIDs) == 0 && s.Place == shoe.Mouth })
	l.edges <- gpiocdev.Edge{Line: 1, Active: false, Lost: 2}
	await(t, d, func(c shoe.Contact) bool { return c.Part == shoe.Lid && !c.Open && c.Lost == 2 })
	l.edges <- gpiocdev.Edge{Line: 0, Active: true}
	await(t, d, func(c shoe.Contact) bool { return c.Part == shoe.Gate && c.Open })
	if err := chip.Place(1, card); err != nil {
		t.Fatal(err)
	}
	await(t, d, func(s shoe.Seen) bool { return fmt.Sprint(s.UIDs) == "["+card+"]" && s.Whole })
	if n := d.Counters()["contacts_lost"]; n != 2 {
		t.Errorf("%d changes lost, want 2", n)
	}
}

func TestReaderIsLost(t *testing.T) {
	d, chip := start(t, newLines())
	await(t, d, func(s shoe.State) bool { return !s.Contacts && s.Up })
	chip.Hang(true)
	await(t, d, func(s shoe.State) bool { return !s.Contacts && !s.Up && s.Err != nil })
	chip.Hang(false)
	await(t, d, func(s shoe.State) bool { return !s.Contacts && s.Up })
}

func TestContactsAreLost(t *testing.T) {
	l := newLines()
	d, _ := start(t, l)
	await(t, d, func(s shoe.State) bool { return s.Contacts && s.Up })
	l.mu.Lock()
	l.absent = true
	l.mu.Unlock()
	gone := errors.New("chip gone")
	l.broken <- gone
	await(t, d, func(s shoe.State) bool { return s.Contacts && !s.Up && errors.Is(s.Err, gone) })
	await(t, d, func(s shoe.State) bool { return s.Contacts && !s.Up && !errors.Is(s.Err, gone) })
	l.mu.Lock()
	l.absent, l.open = false, 0b01
	l.mu.Unlock()
	await(t, d, func(s shoe.State) bool { return s.Contacts && s.Up })
	await(t, d, func(c shoe.Contact) bool { return c.Part == shoe.Gate && c.Open })
}

func TestNewRefuses(t *testing.T) {
	chip := sim.NewPN5180()
	reader, err := pn5180.New(pn5180.Options{Open: chip.Open, Options: rfid.Options{Antennas: []int{1}}})
	if err != nil {
		t.Fatal(err)
	}
	l := newLines()
	for name, o := range map[string]shoe.Options{
		"no reader":           {},
		"lines of no part":    {Reader: reader, Contacts: l.Open},
		"a part without line": {Reader: reader, Parts: []shoe.Part{shoe.Lid}},
		"two lids":            {Reader: reader, Contacts: l.Open, Parts: []shoe.Part{shoe.Lid, shoe.Lid}},
	} {
		if _, err := shoe.New(o); err == nil {
			t.Errorf("%s: was accepted", name)
		}
	}
}
