package calibration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tavolo/engine"
	"tavolo/engine/card"
)

// ChipKind is one kind of chip on a scale.
type ChipKind struct {
	// Value is what one is worth.
	Value engine.Chips
	// Weight is that of one, Tolerance how far any one may be off; both in mg.
	Weight, Tolerance int64
}

// Scale is what is known of a scale under chips: the readings of its load cell at two weights, and what may lie on it.
type Scale struct {
	Zone engine.Zone
	// Zero is the reading of the empty scale, Mark that with the weight Known, in mg, on it.
	Zero, Mark, Known int64
	// Noise is how far a weight may be off, in mg.
	Noise int64
	// Kinds are the chips that may lie there: the fewer, the more of them can be told.
	Kinds []ChipKind
}

// Validate joins what is wrong with the scale, each as the key it concerns, a colon, and why.
func (s *Scale) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Mark == s.Zero {
		fault("mark: the same reading as zero: want that with a weight on the scale")
	}
	if s.Known <= 0 {
		fault("known: %d mg: want the weight that gave mark, above 0", s.Known)
	}
	if len(s.Kinds) == 0 {
		fault("kinds: no chips: want those that may lie there")
	}
	for i, k := range s.Kinds {
		if k.Value <= 0 || k.Weight <= 0 || k.Tolerance < 0 {
			fault("kinds[%d]: want value and weight above 0, and no tolerance below it", i)
		} else if lightest := k.Weight - k.Tolerance; 2*s.Noise >= lightest {
			fault("kinds[%d]: a chip of %d mg is no more than the noise of %d mg to both sides: want a better scale", i, lightest, s.Noise)
		}
	}
	return errors.Join(errs...)
}

// Weight is what a reading of the load cell weighs, in mg.
func (s *Scale) Weight(reading int64) int64 { return (reading - s.Zero) * s.Known / (s.Mark - s.Zero) }

// AmbiguousError says that a weight cannot be told for one amount of chips: it fits none, or several.
type AmbiguousError struct {
	Weight int64 // mg
	// Fits are the amounts that fit, the first few where many do.
	Fits []engine.Chips
}

// Error tells the weight and which amounts fit it.
func (e *AmbiguousError) Error() string {
	weight := fmt.Sprintf("%d.%d g", e.Weight/1000, max(e.Weight, -e.Weight)%1000/100)
	if len(e.Fits) == 0 {
		return "no chips weigh " + weight
	}
	var fits []string
	for _, f := range e.Fits {
		fits = append(fits, fmt.Sprint(f))
	}
	return weight + " may be chips worth " + strings.Join(fits, " or ")
}

// Count is what chips of a weight, in mg, are worth and how many there are, 0 where the same amount may be made of
// different numbers. It is sure: if every chip and the scale keep to their tolerances, no other amount weighs that. Else
// the error is an *AmbiguousError.
func (s *Scale) Count(weight int64) (amount engine.Chips, pieces int, err error) {
	c := counting{low: weight - s.Noise, high: weight + s.Noise, kinds: s.Kinds, most: mostFits}
	c.from(0, 0, 0, 0, 0)
	if len(c.fits) != 1 {
		slices.Sort(c.fits)
		return 0, 0, &AmbiguousError{weight, c.fits}
	}
	return c.fits[0], c.pieces, nil
}

// mostFits is how many amounts are told that a weight may be.
const mostFits = 4

// counting looks for all chips that weigh from low to high, until so many amounts do as are told.
type counting struct {
	low, high int64
	kinds     []ChipKind
	most      int
	fits      []engine.Chips
	pieces    int // of the only amount, 0 if it varies
}

// from goes on with the kind k, with chips so far that weigh from light to heavy.
func (c *counting) from(k int, light, heavy int64, amount engine.Chips, pieces int) {
	if k == len(c.kinds) {
		if heavy >= c.low {
			c.found(amount, pieces)
		}
		return
	}
	kind := c.kinds[k]
	n := int64(0)
	if last := k == len(c.kinds)-1; last && heavy < c.low { // no fewer of the last kind can reach it
		n = (c.low - heavy + kind.Weight + kind.Tolerance - 1) / (kind.Weight + kind.Tolerance)
	}
	for ; light+n*(kind.Weight-kind.Tolerance) <= c.high && len(c.fits) < c.most; n++ {
		c.from(k+1, light+n*(kind.Weight-kind.Tolerance), heavy+n*(kind.Weight+kind.Tolerance), amount+engine.Chips(n)*kind.Value, pieces+int(n))
	}
}

func (c *counting) found(amount engine.Chips, pieces int) {
	if !slices.Contains(c.fits, amount) {
		c.fits = append(c.fits, amount)
		c.pieces = pieces
	} else if pieces != c.pieces {
		c.pieces = 0
	}
}

// SurePieces is up to how many chips, of whatever kinds, a pile is counted as what it is, however light or heavy each of them is
// within its tolerance and however far the scale is off; at most so many.
func (s *Scale) SurePieces(most int) int {
	for n := 1; n <= most; n++ {
		if !s.sure(0, n, 0, 0, 0) {
			return n - 1
		}
	}
	return most
}

// sure is whether every pile is surely counted that has so many more chips of the kinds from k on, beside chips that weigh from
// light to heavy.
func (s *Scale) sure(k, pieces int, light, heavy int64, amount engine.Chips) bool {
	if k == len(s.Kinds) && pieces > 0 {
		return true // it is another's to have them all
	}
	if k == len(s.Kinds) {
		c := counting{low: light - 2*s.Noise, high: heavy + 2*s.Noise, kinds: s.Kinds, most: 2}
		c.from(0, 0, 0, 0, 0)
		return len(c.fits) == 1 && c.fits[0] == amount
	}
	kind := s.Kinds[k]
	for n := range int64(pieces) + 1 {
		more := s.sure(k+1, pieces-int(n), light+n*(kind.Weight-kind.Tolerance), heavy+n*(kind.Weight+kind.Tolerance), amount+engine.Chips(n)*kind.Value)
		if !more {
			return false
		}
	}
	return true
}

// Text is the file of a scale: what was measured of it, in the words of the configuration.
func (s *Scale) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# A scale as tavolo calibrate scale has measured it: readings of its load cell, weights in mg.\n")
	fmt.Fprintf(&b, "zero = %d\nmark = %d\nknown = %d\nnoise = %d\n", s.Zero, s.Mark, s.Known, s.Noise)
	for _, k := range s.Kinds {
		fmt.Fprintf(&b, "\n[[chips]]\nvalue = %d\nweight = %d\ntolerance = %d\n", k.Value, k.Weight, k.Tolerance)
	}
	return b.Bytes()
}

// Weighing is the weights of chips of one kind, each weighed by laying it on a scale beside the ones before, in mg. It is for
// one goroutine.
type Weighing struct {
	last    int64
	weights []int64
}

// NewWeighing begins on a scale on which so much lies already, in mg.
func NewWeighing(start int64) *Weighing { return &Weighing{last: start} }

// Take takes the steady weight of all that lies on the scale once another chip does, in mg. The error says that it was no
// chip, and leaves everything as it was.
func (w *Weighing) Take(weight int64) error {
	one := weight - w.last
	if one <= 0 {
		return fmt.Errorf("%.1f g were taken off: lay the chips back, and then one more", float64(-one)/1000)
	}
	if len(w.weights) > 0 {
		if usual := w.weights[0]; 2*one > 3*usual || 3*one < 2*usual {
			return fmt.Errorf("%.1f g more, and the first weighed %.1f g: want one chip at a time, all of one kind", float64(one)/1000, float64(usual)/1000)
		}
	}
	w.last = weight
	w.weights = append(w.weights, one)
	return nil
}

// Weights are those of the chips so far, in their order.
func (w *Weighing) Weights() []int64 { return slices.Clone(w.weights) }

// Kind is what a chip of this kind is, worth so much: as heavy as they are on average, and at most as far off as the farthest
// of them.
func (w *Weighing) Kind(worth engine.Chips) ChipKind {
	s := SpreadOf(w.weights)
	k := ChipKind{Value: worth, Weight: int64(math.Round(s.Mean))}
	k.Tolerance = max(s.Max-k.Weight, k.Weight-s.Min)
	return k
}

// There are four readings a second.
const (
	// settled is how many readings must agree before a pile is counted: chips that are still being put down weigh too little,
	// and a hand on them too much.
	settled = 3
	// lasting is for how many readings an amount must then last, or it was a hand's that lay still for a moment: for no less than
	// chips are believed to have been put in by one motion.
	lasting = 7
	// zeroShare is the share of what the empty scale weighs by which its zero follows at each reading.
	zeroShare = 4
)

// PileFacts is who is told what lies in a zone for chips. *controller.Table is one.
type PileFacts interface {
	// ChipsLie: chips worth amount, so many pieces, 0 where that is not known. ChipsUnsure: nobody can tell, and why; it may be one
	// of the amounts that fit, if there are any.
	ChipsLie(ctx context.Context, z engine.Zone, amount engine.Chips, pieces int)
	ChipsUnsure(ctx context.Context, z engine.Zone, why string, fits ...engine.Chips)
	// AtTwo is that of Facts for a chip, which is no card.
	AtTwo(ctx context.Context, tag string, c card.Card, first, second engine.Zone)
}

// teller tells what lies in a zone, if it is news.
type teller struct {
	zone  engine.Zone
	facts PileFacts
	told  pile
}

// pile is what is told: an amount, or why there is none.
type pile struct {
	known  bool
	amount engine.Chips
	pieces int
	why    string
	fits   []engine.Chips
}

// equal is whether two piles are told the same; what fits is told in why.
func (p pile) equal(q pile) bool {
	return p.known == q.known && p.amount == q.amount && p.pieces == q.pieces && p.why == q.why
}

func (t *teller) tell(ctx context.Context, p pile) {
	if p.equal(t.told) {
		return
	}
	t.told = p
	if p.known {
		t.facts.ChipsLie(ctx, t.zone, p.amount, p.pieces)
	} else {
		t.facts.ChipsUnsure(ctx, t.zone, p.why, p.fits...)
	}
}

// Weigher turns the readings of a scale into facts. Its zero follows the scale while nothing lies on it, however far that drifts
// in the hours; a chip comes at once. It is for one goroutine.
type Weigher struct {
	scale    Scale
	zero     int64   // mg that the empty scale weighs
	recent   []int64 // weights, at most settled
	lasted   int     // readings since an amount was told
	unrest   int     // readings in a row that do not agree
	doubtful bool    // what was told is that a weight is ambiguous
	weight   int64   // which
	teller
}

// NewWeigher gives a weigher for a scale that Validate has nothing against.
func NewWeigher(s Scale, facts PileFacts) *Weigher {
	return &Weigher{scale: s, teller: teller{zone: s.Zone, facts: facts}}
}

// Read takes a reading of the load cell. Once some in a row agree, what they mean is told, if it is news. An amount that does
// not last is taken back.
func (w *Weigher) Read(ctx context.Context, reading int64) {
	w.recent = append(w.recent, w.scale.Weight(reading)-w.zero)
	w.lasted++
	if len(w.recent) < settled {
		return
	}
	w.recent = w.recent[len(w.recent)-settled:]
	if slices.Max(w.recent)-slices.Min(w.recent) > 2*w.scale.Noise {
		if w.unrest++; w.told.amount > 0 && w.lasted < lasting || w.unrest == restless {
			w.doubt(ctx, pile{why: "its weight does not settle"})
		}
		return
	}
	w.unrest = 0
	sum := int64(0)
	for _, v := range w.recent {
		sum += v
	}
	w.count(ctx, sum/settled)
}

// count tells what a weight means.
func (w *Weigher) count(ctx context.Context, weight int64) {
	amount, pieces, err := w.scale.Count(weight)
	if ambiguous, ok := errors.AsType[*AmbiguousError](err); ok {
		// What was told of such a weight holds for one that differs by no more than the noise.
		if !w.doubtful || max(weight-w.weight, w.weight-weight) > 2*w.scale.Noise {
			w.doubt(ctx, pile{why: err.Error(), fits: ambiguous.Fits})
			w.doubtful, w.weight = true, weight
		}
		return
	}
	if amount == 0 {
		w.zero += weight / zeroShare
	}
	if now := (pile{known: true, amount: amount, pieces: pieces}); !now.equal(w.told) {
		w.doubtful, w.lasted = false, 0
		w.tell(ctx, now)
	}
}

// doubt tells why a pile cannot be told.
func (w *Weigher) doubt(ctx context.Context, p pile) {
	w.doubtful = false
	w.tell(ctx, p)
}

// Fail takes note that the scale gives no reading, and why.
func (w *Weigher) Fail(ctx context.Context, why string) {
	w.recent, w.unrest = nil, 0
	w.doubt(ctx, pile{why: why})
}
