package drivertest

import "testing"

// Lamps are lamps, and whoever looks at them.
type Lamps struct {
	Driver
	// Set is the driver's: which lamps are lit and which blink, bit i for lamp i.
	Set func(on, blink uint64)
	// N is how many there are, 2 to 64.
	N int
	// Lit are those that are lit.
	Lit func() uint64
	// Reset takes the lamps' supply away for a moment, after which they are dark; nil where they have none of their own.
	Reset func()
	// Unplug cuts their wires, Plug mends them; nil where the wire has no way back, so that nobody can tell.
	Unplug, Plug func()
}

// TestLamps runs the suite for lamps.
func TestLamps(t *testing.T, in In, start func(*testing.T) Lamps) {
	each(t, in, start, func(l Lamps) Driver { return l.Driver }, []test[Lamps]{
		{"LampsShowWhatIsSet", lampsShowWhatIsSet},
		{"LampsBlink", lampsBlink},
		{"ResetIsMended", lampsReset},
		{"UnpluggedAndBack", lampsUnplugged},
		{"AbsentAtFirst", lampsAbsent},
	})
}

// lit waits until just these lamps are lit.
func (b *bench) lit(l Lamps, want uint64) {
	b.t.Helper()
	b.eventually("the lamps that should be are lit", func() bool { return l.Lit() == want })
}

func lampsShowWhatIsSet(b *bench, l Lamps) {
	b.run()
	b.state(true)
	b.lit(l, 0)
	all := uint64(1)<<l.N - 1
	for _, on := range []uint64{1, 2, 1 << (l.N - 1), all &^ 1, all, 0, ^uint64(0), 1} {
		l.Set(on, 0)
		b.lit(l, on&all) // bits that have no lamp do nothing
	}
}

func lampsBlink(b *bench, l Lamps) {
	l.Set(1, 2)
	b.run()
	for range 3 {
		b.lit(l, 3)
		b.lit(l, 1)
	}
	l.Set(0, 0)
	b.lit(l, 0)
}

// Lamps that lost their supply show what they should again, by themselves, whether or not the driver finds out.
func lampsReset(b *bench, l Lamps) {
	if l.Reset == nil {
		return
	}
	l.Set(1, 0)
	b.run()
	b.lit(l, 1)
	l.Reset()
	b.lit(l, 1)
	l.Set(2, 0)
	b.lit(l, 2)
}

func lampsUnplugged(b *bench, l Lamps) {
	if l.Unplug == nil {
		return
	}
	b.run()
	b.state(true)
	for range 2 {
		l.Set(1, 0)
		b.lit(l, 1)
		l.Unplug()
		b.state(false)
		l.Set(3, 0)
		l.Set(2, 0)
		l.Plug()
		b.state(true)
		b.lit(l, 2)
	}
}

func lampsAbsent(b *bench, l Lamps) {
	if l.Unplug == nil {
		return
	}
	l.Unplug()
	l.Set(2, 0)
	b.run()
	b.state(false)
	l.Plug()
	b.state(true)
	b.lit(l, 2)
}
