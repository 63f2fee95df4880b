package controller

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/bonus"
	"tavolo/engine/ledger"
	"tavolo/engine/seating"
)

// books are a table's ledger, and how what the journal records gets into it. The table keeps them in the same step as its
// state; what an entry was follows from the record alone, so that the books can be made again from the journal.
type books struct{ ledger.Ledger }

// booksHold is the name of the hold under which a table stands still whose books do not balance.
const booksHold = "books"

// balance has the table stand still after an entry that does not balance: nothing it pays is certain any more.
func (t *Table) balance(err error) {
	if err == nil {
		return
	}
	t.opt.Log.Error("the books do not balance", "hand", t.state.Hand, "seq", t.state.Seq, "err", err)
	t.holds[booksHold] = fmt.Sprintf("the books do not balance in hand %d, call the floor: %v", t.state.Hand, err)
}

// started enters what the tray and the jackpot of a new table begin with, and a jackpot that was added. Chips of who is no
// longer at the felt are the tray's, and who has come to it gets his from there.
func (b *books) started(s *startRecord) error {
	var err error
	if (*b == books{}) {
		err = b.Transfer(ledger.Cage, ledger.Tray, s.Tray)
	}
	felt := s.felt()
	for _, seat := range (b.Felt ^ felt).List() {
		from, to := ledger.Exchange, ledger.Tray
		if felt.Has(seat) {
			from, to = to, from
		}
		err = errors.Join(err, b.Transfer(from, to, b.Balance(ledger.StackOf(seat))))
	}
	b.Felt = felt
	if s.Jackpot != nil {
		err = errors.Join(err, b.bring(ledger.Jackpot, engine.Chips(s.Jackpot.Level)))
	}
	return err
}

// bring has the cage make up what an account is to hold.
func (b *books) bring(a ledger.Account, want engine.Chips) error {
	if more := want - b.Balance(a); more < 0 {
		return b.Transfer(a, ledger.Cage, -more)
	} else {
		return b.Transfer(ledger.Cage, a, more)
	}
}

// jackpot enters what a hand meant for the pool. What is paid out is due until the seats have it.
func (b *books) jackpot(j *jackpotRecord) error {
	return errors.Join(
		b.Transfer(ledger.Rake, ledger.Jackpot, engine.Chips(j.Growth)),
		b.Transfer(ledger.Jackpot, ledger.JackpotDue, engine.Chips(j.Paid)))
}

// step enters the events of a step, what the house has won by it from the rail, and holds the books against the table after it.
func (b *books) step(s *step, after *engine.State, railWon int64) error {
	for i := range s.Events {
		if err := b.event(s, &s.Events[i]); err != nil {
			return fmt.Errorf("event %d: %w", s.Seq-uint64(len(s.Events)-1-i), err)
		}
	}
	if err := b.bring(ledger.Rail, engine.Chips(railWon)); err != nil {
		return err
	}
	return b.Check(after)
}

func (b *books) event(s *step, e *engine.Event) error {
	if s.By == byJackpot && e.Kind == engine.StackAdjusted {
		return b.Transfer(ledger.JackpotDue, ledger.StackOf(e.Seat), e.Amount)
	}
	_, err := b.Enter(e)
	return err
}

// BookPage is a stretch of a table's books: a hand, or what went on after one and before the next.
type BookPage struct {
	// Hand is the number of the hand, or with After set of the one before, 0 before the first.
	Hand  uint64
	After bool
	// Began is when the first entry was made.
	Began time.Time
	// Players are the table's seats and who had them at the end.
	Players []Player
	// Before and Then are the books at both ends.
	Before, Then ledger.Ledger
}

// ReadBooks makes a table's books from the records of its journal alone, and yields them page by page. The first error is
// yielded last, with the page that it is on: the journal is damaged, or the books do not balance, by the name of the event
// that they cannot follow or of what the table had otherwise. A record that a power cut has torn ends the journal and is no error.
func ReadBooks(records iter.Seq2[journal.Record, error]) iter.Seq2[BookPage, error] {
	return func(yield func(BookPage, error) bool) { follow(records, &bookReader{}, yield) }
}

// bookReader makes a table's books from its records.
type bookReader struct {
	setup
	books
	state   engine.State
	seating seating.State
	rail    bonus.Rail
	page    BookPage
	full    []BookPage // by the last record
}

func (r *bookReader) done() []BookPage {
	full := r.full
	r.full = nil
	return full
}

func (r *bookReader) rest() (BookPage, bool) {
	last := r.turn(0, false)
	return last, r.Rules != nil && (!last.After || last.Then != last.Before)
}

func (r *bookReader) fold(rec journal.Record) error {
	switch rec.Kind {
	case journal.Snapshot:
		s, err := read[snapshot](rec)
		if err != nil {
			return err
		}
		return r.snapshot(&s)
	case kindStart:
		s, err := read[startRecord](rec)
		if err != nil {
			return err
		}
		if r.Rules == nil {
			r.page = BookPage{After: true, Began: s.At}
		}
		r.setup, r.state.Rules = s.setup, s.Rules
		return r.started(&s)
	case kindJackpot:
		j, err := read[jackpotRecord](rec)
		if err != nil {
			return err
		}
		return r.jackpot(&j)
	case kindRail:
		b, err := read[railRecord](rec)
		if err != nil {
			return err
		}
		r.rail, err = r.rail.Put(b.Behind)
		return err
	case kindStep:
		s, err := read[step](rec)
		if err != nil {
			return err
		}
		return r.step(&s)
	}
	return nil
}

// snapshot goes on with what the table kept at the start of a segment, which must be what its records say.
func (r *bookReader) snapshot(s *snapshot) error {
	s.State.Rules = s.Rules
	s.Books.Felt = s.felt()
	if r.Rules == nil {
		r.books.Ledger, r.page = s.Books, BookPage{Hand: s.State.Hand, After: true, Before: s.Books}
	}
	r.setup, r.state, r.seating, r.rail = s.setup, s.State, s.Seating, s.Rail
	if r.books.Ledger != s.Books {
		return errors.New("the table kept other books than its records make")
	}
	return r.Check(&r.state)
}

func (r *bookReader) step(s *step) error {
	if r.state.Rules == nil {
		return errors.New("something happened before the table was set up")
	}
	began := slices.IndexFunc(s.Events, func(e engine.Event) bool { return e.Kind == engine.HandBegan })
	if began >= 0 {
		if last := r.turn(s.Events[began].Hand, false); last.Then != last.Before {
			r.full = append(r.full, last)
		}
	}
	if r.page.Began.IsZero() {
		r.page.Began = s.At
	}
	r.state = engine.Replay(r.state, s.Events)
	r.seating = seating.Replay(r.seating, s.Seating)
	r.rail, _ = followRail(r.rail, &r.state, s.Events)
	if err := r.books.step(s, &r.state, r.rail.Won); err != nil {
		return err
	}
	if slices.ContainsFunc(s.Events, func(e engine.Event) bool { return e.Kind == engine.HandEnded }) {
		r.full = append(r.full, r.turn(r.state.Hand, true))
	}
	return nil
}

// turn ends the page and begins another.
func (r *bookReader) turn(hand uint64, after bool) BookPage {
	last := r.page
	last.Players, last.Then = present(r.Configured, &r.seating), r.Ledger
	r.page = BookPage{Hand: hand, After: after, Before: r.Ledger}
	return last
}
