package drivertest

import "testing"

// Weight is a report of a [Scale]: what its converter reads, from -8388608 to 8388607, neither tared nor scaled.
type Weight struct{ Reading int64 }

// Overload is a report of a [Scale] that stays up while it is overloaded. One may be told to be lost instead.
type Overload struct{}

// Scale is a scale, and whoever lays something on it.
type Scale struct {
	Driver
	// Lay has the converter read so much. At first it reads 0.
	Lay func(reading int64)
	// Overload lays more on the scale than the converter can read.
	Overload func()
	// Unplug takes the scale away, Plug brings it back.
	Unplug, Plug func()
}

// TestScale runs the suite for scales.
func TestScale(t *testing.T, in In, start func(*testing.T) Scale) {
	each(t, in, start, func(s Scale) Driver { return s.Driver }, []test[Scale]{
		{"WeightIsTold", weightIsTold},
		{"OverloadIsNoWeight", overloadIsNoWeight},
		{"UnpluggedAndBack", scaleUnplugged},
		{"AbsentAtFirst", scaleAbsent},
	})
}

// weight takes reports until the converter is told to read so much. Before that it may only be told to read what it did.
func (b *bench) weight(want, was int64) {
	b.t.Helper()
	for {
		switch w, ok := b.next().(Weight); {
		case ok && w.Reading == want:
			return
		case ok && w.Reading != was:
			b.t.Fatalf("it is told to read %d, and reads %d", w.Reading, want)
		}
	}
}

// weightless fails the test on a weight.
func (b *bench) weightless(r Report) {
	b.t.Helper()
	if w, ok := r.(Weight); ok {
		b.t.Errorf("told %+v of a scale that is lost", w)
	}
}

func weightIsTold(b *bench, far Scale) {
	b.run()
	b.state(true)
	was := int64(0)
	for _, reading := range []int64{0, 74565, -1, 1, -8388607, 8388606, -74565} {
		far.Lay(reading)
		b.weight(reading, was)
		b.weight(reading, reading) // again, though nothing has changed
		was = reading
	}
}

func overloadIsNoWeight(b *bench, far Scale) {
	const before, after = 500, 600
	far.Lay(before)
	b.run()
	b.weight(before, before)
	far.Overload()
	for told := false; !told; {
		r := b.next()
		if w, ok := r.(Weight); ok && w.Reading != before {
			b.t.Fatalf("overloaded, it is told to read %d", w.Reading)
		}
		_, over := r.(Overload)
		told = over || !b.told.Up
	}
	far.Lay(after)
	b.weight(after, after)
	if !b.told.Up {
		b.t.Error("it weighs, and was told to be lost last")
	}
}

func scaleUnplugged(b *bench, far Scale) {
	far.Lay(1)
	b.run()
	b.weight(1, 1)
	for i := range int64(2) {
		far.Unplug()
		b.state(false)
		far.Lay(2 + i)
		far.Plug()
		b.state(true, b.weightless)
		b.weight(2+i, 2+i) // and not what lay there before
	}
}

func scaleAbsent(b *bench, far Scale) {
	far.Unplug()
	b.run()
	b.state(false, b.weightless)
	far.Plug()
	b.state(true, b.weightless)
	b.weight(0, 0)
}
