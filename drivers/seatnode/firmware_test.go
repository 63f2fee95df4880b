package seatnode_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"tavolo/drivers/seatnode"
	"tavolo/drivers/seatnode/nodetest"
	bridge "tavolo/firmware-bridge"
)

// These tests run the firmware itself, in emulated microcontrollers.

const boardUID = 0x7AB1_0000_0000_CAFE

// place gives a node that is alone on its bus the address of seat 3.
func place(t *testing.T, n *nodetest.Node) {
	t.Helper()
	nodetest.OnLine(t, n.Path(), bridge.Nameless, func(l *bridge.Line, found []bridge.Identity) {
		if len(found) != 1 || found[0].UID != boardUID || found[0].Version != 0x0100 ||
			found[0].Schema != bridge.SchemaHash() || found[0].Kind != bridge.KindSeat {
			t.Fatalf("found %+v", found)
		}
		if err := l.Move(t.Context(), boardUID, bridge.Nameless, 3); err != nil {
			t.Fatal(err)
		}
	})
}

// drive runs the driver on a bus while work does.
func drive(t *testing.T, path string, seats []bridge.Addr, work func(dev *seatnode.Dev, next func() seatnode.Report)) {
	t.Helper()
	dev, err := seatnode.New(seatnode.Options{Path: path, Seats: seats, Reply: nodetest.Reply})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	done := make(chan error, 1)
	go func() { done <- dev.Run(ctx) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	work(dev, func() seatnode.Report {
		t.Helper()
		select {
		case r := <-dev.Reports():
			return r
		case <-ctx.Done():
			t.Fatalf("nothing is reported any more; %+v", dev.Stats())
			return nil
		}
	})
}

func TestFirmwareAtATable(t *testing.T) {
	t.Parallel()
	b := nodetest.Start(t, nodetest.Build(t, 0x0100), boardUID)
	place(t, b)
	drive(t, b.Path(), []bridge.Addr{3}, func(dev *seatnode.Dev, next func() seatnode.Report) {
		// key gives the next key event, and passes over the rest.
		key := func(k bridge.Key, down bool, amount int64) {
			t.Helper()
			for {
				r, ok := next().(seatnode.Key)
				if !ok {
					continue
				}
				if r.Key != k || r.Down != down || r.Amount != amount || r.Prompt != 9 || r.Lost != 0 {
					t.Fatalf("reported %+v, want %v down %v, amount %d", r, k, down, amount)
				}
				return
			}
		}
		err := dev.Set(3, seatnode.Panel{
			Lines: [4]string{"to call 150", "pot 1,200"}, Lit: bridge.LampOf(bridge.KeyFold, bridge.KeyBet),
			Prompt: 9, Bet: seatnode.Bet{Start: 300, Min: 300, Max: 5000, Step: 50},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Shows("L000a")
		b.Shows("Tto call 150|pot 1,200")
		b.Shows("A300")
		if err := dev.Set(3, seatnode.Panel{Prompt: 9, Bet: seatnode.Bet{Start: 300, Min: 300, Max: 5000, Step: 50}, Blink: 1}); err != nil {
			t.Fatal(err)
		}
		for _, lit := range []string{"L0001", "L0000", "L0001"} {
			b.Shows(lit)
		}
		b.Do("K8", "K0", "K8", "K0", "K0", "K8") // bounces
		key(bridge.KeyBet, true, 300)
		b.Do("K0", "K8", "K0")
		key(bridge.KeyBet, false, 0)
		b.Do("E2", "E3", "E1", "E0", "E2", "E3", "E1", "E0") // two steps of the encoder
		b.Do("K8")
		b.Shows("A400")
		key(bridge.KeyBet, true, 400)
		b.Do("K2000008") // a digit while it is down
		b.Do("K8", "K0")
		key(bridge.KeyBet, false, 0)
		for i := range 40 { // more than the ring holds, taken as they come
			k := []bridge.Key{bridge.KeyFold, bridge.KeyCall, bridge.KeyAllIn}[i%3]
			b.Do(fmt.Sprintf("K%x", 1<<k))
			key(k, true, 0)
			b.Do("K0")
			key(k, false, 0)
		}
		b.Do("Wfffffe")
		for {
			if w, ok := next().(seatnode.Weight); ok && w.Seat == 3 && w.Counts == -2 && !w.Over {
				break
			}
		}
		if s := dev.Stats(); !clean(s) {
			t.Errorf("%+v", s)
		}
	})
}

func TestFirmwareIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	b := nodetest.Start(t, nodetest.Build(t, 0x0100), boardUID)
	image := nodetest.Build(t, 0x0203).Image(t)
	place(t, b)
	nodetest.OnLine(t, b.Path(), 3, func(l *bridge.Line, _ []bridge.Identity) {
		ctx, stop := context.WithCancel(t.Context())
		_, err := l.Update(ctx, 3, image, func(have int) {
			if have > len(image)/2 {
				stop()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
	})
	nodetest.OnLine(t, b.Path(), 3, func(l *bridge.Line, _ []bridge.Identity) {
		first := 0
		id, err := l.Update(t.Context(), 3, image, func(have int) {
			if first == 0 {
				first = have
			}
		})
		if err != nil || id.Version != 0x0203 || first <= len(image)/2 {
			t.Fatalf("went on at byte %d of %d: %+v, %v", first, len(image), id, err)
		}
		// It can be done again, from the new firmware.
		if id, err := l.Update(t.Context(), 3, image, func(int) {}); err != nil || id.Version != 0x0203 {
			t.Fatalf("once more: %+v, %v", id, err)
		}
	})
	drive(t, b.Path(), []bridge.Addr{3}, func(_ *seatnode.Dev, next func() seatnode.Report) {
		for {
			if s, ok := next().(seatnode.Status); ok && s.State == bridge.Online && s.Identity.Version == 0x0203 {
				return
			}
		}
	})
}

// Three nodes on one pair of wires: none has a seat at first and all answer at once; each is told apart, and works beside
// the others. One that starts over is known by it, and shows again what it should. One that is cut off holds nobody up, and
// has lost no press when it is back.
func TestFirmwareOnOneBus(t *testing.T) {
	t.Parallel()
	fw := nodetest.Build(t, 0x0100)
	var nodes [3]*nodetest.Node
	for i := range nodes {
		nodes[i] = nodetest.Start(t, fw, boardUID+uint64(i))
	}
	path := filepath.Join(t.TempDir(), "seats")
	bus := nodetest.NewBus(t, path, nodes[:]...)
	nodetest.OnLine(t, path, bridge.Nameless, func(_ *bridge.Line, found []bridge.Identity) {
		if len(found) != len(nodes) {
			t.Errorf("found %+v", found)
		}
	})
	for i, n := range nodes {
		n.Place(path, bridge.Addr(i+1))
	}
	drive(t, path, []bridge.Addr{1, 2, 3}, func(dev *seatnode.Dev, next func() seatnode.Report) {
		status, keys := map[bridge.Addr]seatnode.Status{}, map[bridge.Addr]int{}
		// until takes reports. Only presses of the key that is seat's own are made, and each is to come once.
		until := func(done func() bool) {
			t.Helper()
			for !done() {
				switch r := next().(type) {
				case seatnode.Status:
					status[r.Seat] = r
				case seatnode.Key:
					if r.Key != bridge.Key(r.Seat) || r.Lost != 0 || r.Down != (keys[r.Seat]%2 == 0) {
						t.Fatalf("reported %+v after %d", r, keys[r.Seat])
					}
					keys[r.Seat]++
				}
			}
		}
		is := func(seat bridge.Addr, want bridge.State) {
			t.Helper()
			until(func() bool { return status[seat].State == want })
		}
		for i, n := range nodes {
			seat := bridge.Addr(i + 1)
			is(seat, bridge.Online)
			if err := dev.Set(seat, seatnode.Panel{Lines: [4]string{fmt.Sprint("seat ", seat)}}); err != nil {
				t.Fatal(err)
			}
			n.Shows(fmt.Sprint("Tseat ", seat))
		}

		nodes[1].Do("R")
		until(func() bool { return status[2].Epoch == 2 })
		nodes[1].Shows("Tseat 2")
		if status[1].Epoch != 1 || status[3].Epoch != 1 {
			t.Errorf("others started over too: %+v", status)
		}

		bus.Cut(nodes[2], true)
		is(3, bridge.Offline)
		since, asked := time.Now(), bus.Requests(3)
		nodes[2].Press(3) // by a player who does not know
		for i := range 20 {
			seat := bridge.Addr(1 + i%2)
			had := keys[seat]
			nodes[seat-1].Press(bridge.Key(seat))
			until(func() bool { return keys[seat] == had+2 })
		}
		// It is asked twice a second, however often the others are; once more for the moments between clock and count.
		if most := int(2*time.Since(since).Seconds()) + 2; bus.Requests(3)-asked > most {
			t.Errorf("the node that is away was asked %d times", bus.Requests(3)-asked)
		}
		bus.Cut(nodes[2], false)
		until(func() bool { return keys[3] == 2 })
		if s := status[3]; s.State != bridge.Online || s.Epoch != 1 {
			t.Errorf("back as %+v", s)
		}
		if s := dev.Stats(); s.Echoes == 0 {
			t.Errorf("the host does not hear itself: %+v", s)
		}
	})
}
