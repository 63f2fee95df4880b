package controller

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// The pace at which one source is told anew what it asks for with VerbResync: so often at once, as when the devices of a player
// connect, and then once a second. Everybody hears of the state then, and a player's cards are sealed for each device, so one
// who asks fifty times a second would cost the table more than all that is played.
const (
	resyncEvery = time.Second
	resyncBurst = 4 * resyncEvery
)

// resyncs paces VerbResync. Who asks too soon is told when the time has come, once for all that was asked: nobody need ask again.
type resyncs struct {
	paces   map[Source]time.Time // when the next is due at an even pace
	waiting map[Source]time.Time // until when
	wake    alarm
}

// ask reports whether a source is told now. Otherwise it waits.
func (r *resyncs) ask(s Source, now time.Time) bool {
	if r.paces == nil {
		r.paces, r.waiting = map[Source]time.Time{}, map[Source]time.Time{}
	}
	if _, waits := r.waiting[s]; waits {
		return false
	}
	due := r.paces[s]
	if due.Before(now) {
		due = now
	}
	r.paces[s] = due.Add(resyncEvery)
	if wait := due.Sub(now) - (resyncBurst - resyncEvery); wait > 0 {
		r.waiting[s] = now.Add(wait)
		r.set()
		return false
	}
	return true
}

// ready are those who have waited long enough.
func (r *resyncs) ready(now time.Time) (all []Source) {
	for s, until := range r.waiting {
		if !until.After(now) {
			all = append(all, s)
			delete(r.waiting, s)
		}
	}
	maps.DeleteFunc(r.paces, func(_ Source, due time.Time) bool { return due.Before(now) })
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.String(), b.String()) })
	r.set()
	return all
}

// set sets the alarm to the first who waits.
func (r *resyncs) set() {
	if len(r.waiting) == 0 {
		r.wake.stop()
		return
	}
	first := slices.MinFunc(slices.Collect(maps.Values(r.waiting)), time.Time.Compare)
	r.wake.at(first.Add(time.Millisecond).UnixMilli())
}
