package bridge

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func seats(n int) (addrs []Addr) {
	for i := range n {
		addrs = append(addrs, FirstAddr+Addr(i))
	}
	return addrs
}

func TestMasterHearsKeysAndSetsPanels(t *testing.T) {
	inBubble(t, []Addr{2, 5}, func(tb *table) {
		panel := Panel{Lamps{On: LampOf(KeyFold, KeyBet), Blink: SeatLamp}, Show{"to call 150"}, Ask{Prompt: 7, Start: 300, Max: 900}}
		if err := tb.master.Set(5, panel); err != nil {
			tb.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		pressed := time.Now()
		tb.with(5, func(n *Node, now uint64) {
			if ask, _ := n.Asked(); n.Text() != "to call 150" || n.Lamps() != panel.Lamps || ask != panel.Ask {
				tb.Errorf("shows %q, %+v, %+v", n.Text(), n.Lamps(), ask)
			}
			n.Press(now, KeyBet)
			n.Release(now+90_000, KeyBet)
		})
		time.Sleep(200 * time.Millisecond)

		got := tb.keysOf(5)
		for i, want := range []time.Time{pressed, pressed.Add(90 * time.Millisecond)} {
			if i < len(got) && got[i].At.Sub(want).Abs() > 5*time.Millisecond {
				tb.Errorf("event %d happened at %v, told as %v", i, want, got[i].At)
			}
			if i < len(got) {
				got[i].At = time.Time{}
			}
		}
		if want := []KeyEvent{{Key: KeyBet, Down: true, Prompt: 7, Amount: 300}, {Key: KeyBet, Prompt: 7}}; !slices.Equal(got, want) {
			tb.Errorf("heard %+v, want %+v", got, want)
		}
		if len(tb.keysOf(2)) > 0 {
			tb.Error("the other seat was heard")
		}
		online := []Status{{State: Online, Identity: testIdentity(5), Epoch: 1}}
		if got := tb.statusOf(5); !slices.Equal(got, online) {
			tb.Errorf("status %+v, want %+v", got, online)
		}
	})
}

func TestMasterWeighs(t *testing.T) {
	inBubble(t, []Addr{2, 5}, func(tb *table) {
		tb.with(5, func(n *Node, now uint64) { n.Weigh(now, 4711) })
		time.Sleep(5500 * time.Millisecond) // until it is found that there is a scale
		put := time.Now()
		tb.with(5, func(n *Node, now uint64) { n.Weigh(now, 1<<23) })
		time.Sleep(400 * time.Millisecond)
		tb.record.mu.Lock()
		defer tb.record.mu.Unlock()
		got := tb.samples[5]
		if len(got) < 2 || got[0].Counts != 4711 || got[0].Over || len(tb.samples[2]) > 0 {
			tb.Fatalf("weighed %+v, and %+v where there is no scale", got, tb.samples[2])
		}
		if last := got[len(got)-1]; last.Counts != 1<<23-1 || !last.Over || last.At.Sub(put).Abs() > 5*time.Millisecond {
			tb.Errorf("weighed %+v at %v", last, put)
		}
	})
}

func TestMasterLeavesPanelsDark(t *testing.T) {
	inBubble(t, seats(2), func(tb *table) {
		for a := range tb.nodes {
			if err := tb.master.Set(a, Panel{Lamps{On: 1}, Show{"x"}, Ask{Prompt: 1}}); err != nil {
				tb.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		last := 0
		tb.change(func() { // two answers of three are lost from here on
			tb.fault = func(toHost bool, frame []byte) []byte {
				if toHost {
					if last++; last%3 != 0 {
						return nil
					}
				}
				return frame
			}
		})
		tb.stop()
		for a := range tb.nodes {
			tb.with(a, func(n *Node, _ uint64) {
				if ask, _ := n.Asked(); n.Text() != "" || n.Lamps() != (Lamps{}) || ask != (Ask{}) {
					tb.Errorf("node %d still shows %q, %+v, %+v", a, n.Text(), n.Lamps(), ask)
				}
			})
		}
	})
}

func TestNewMasterChecksAddresses(t *testing.T) {
	for _, addrs := range [][]Addr{{0}, {15}, {3, 3}} {
		if _, err := NewMaster(Config{Nodes: addrs}); err == nil {
			t.Errorf("addresses %v were taken", addrs)
		}
	}
}

func TestMasterSetChecks(t *testing.T) {
	m, err := NewMaster(Config{Nodes: []Addr{1}})
	if err != nil {
		t.Fatal(err)
	}
	if m.Set(2, Panel{}) == nil {
		t.Error("a panel for a seat without node was taken")
	}
	if m.Set(1, Panel{Show: Show{strings.Repeat("x", 41)}}) == nil {
		t.Error("a text too long for a frame was taken")
	}
}

// What was pressed before anybody listened is not told; what is pressed after a start while the table runs is.
func TestMasterAndPressesBeforeTheGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(1)
		b.with(1, func(n *Node, now uint64) { n.Press(now, KeyFold) })
		tb := newTable(t, b, []Addr{1}, 0)
		defer tb.stop()
		if got := tb.keysOf(1); len(got) > 0 {
			t.Errorf("told %+v, pressed before the host was there", got)
		}
		id := testIdentity(1)
		id.Boot = 2
		tb.start(1, id)
		tb.with(1, func(n *Node, now uint64) { n.Press(now, KeyMuck) })
		time.Sleep(time.Second)
		if got := tb.keysOf(1); len(got) != 1 || got[0].Key != KeyMuck {
			t.Errorf("told %+v, want the press after the restart", got)
		}
	})
}

func TestMasterSendsThePanelAgainAfterARestart(t *testing.T) {
	inBubble(t, []Addr{1}, func(tb *table) {
		panel := Panel{Lamps{On: 6}, Show{"hello"}, Ask{Prompt: 1, Max: 5}}
		if err := tb.master.Set(1, panel); err != nil {
			tb.Fatal(err)
		}
		time.Sleep(time.Second)
		id := testIdentity(1)
		id.Boot = 77
		tb.start(1, id)
		time.Sleep(100 * time.Millisecond)
		tb.with(1, func(n *Node, _ uint64) {
			if ask, _ := n.Asked(); n.Text() != "hello" || n.Lamps() != panel.Lamps || ask != panel.Ask {
				tb.Errorf("shows %q, %+v, %+v", n.Text(), n.Lamps(), ask)
			}
		})
		want := []Status{
			{State: Online, Identity: testIdentity(1), Epoch: 1},
			{State: Online, Identity: id, Epoch: 2},
		}
		if got := tb.statusOf(1); !slices.Equal(got, want) {
			tb.Errorf("status %+v, want %+v", got, want)
		}
	})
}

// A node that is silent is asked twice a second and costs the others no more than that.
func TestMasterOfflineNode(t *testing.T) {
	inBubble(t, seats(10), func(tb *table) {
		tb.ask()
		tb.change(func() { delete(tb.nodes, 3) })
		time.Sleep(5 * time.Second)
		last := tb.statusOf(3)[len(tb.statusOf(3))-1]
		if last.State != Offline || last.Epoch != 1 || !errors.Is(last.Err, errNoReply) {
			tb.Errorf("status %+v", last)
		}
		var before map[Addr]int
		tb.change(func() { before = maps.Clone(tb.heard) })
		time.Sleep(10 * time.Second)
		tb.change(func() {
			if n := tb.heard[3] - before[3]; n < 19 || n > 21 {
				tb.Errorf("the silent node was asked %d times in 10 s, want 20", n)
			}
			// Nine polls of 1.8 ms and the pause: 16 ms to 17 ms a round, and 30 ms twice a second.
			if n := tb.heard[4] - before[4]; n < 550 {
				tb.Errorf("another node was asked %d times in 10 s", n)
			}
		})
		tb.start(3, testIdentity(3)) // the same start: the wire was broken, not the node
		time.Sleep(time.Second)
		last = tb.statusOf(3)[len(tb.statusOf(3))-1]
		if last.State != Online || last.Epoch != 1 {
			tb.Errorf("status %+v", last)
		}
	})
}

// A host that hears nothing for a while, because it is busy, loses no node: after two misses it waits before the third. A node
// that is lost is told to be soon all the same.
func TestMasterOutlivesAStall(t *testing.T) {
	inBubble(t, seats(3), func(tb *table) {
		tb.ask()
		silence := func(d time.Duration) {
			tb.change(func() { delete(tb.nodes, 2) })
			time.Sleep(d)
			tb.start(2, testIdentity(2))
			time.Sleep(time.Second)
		}
		for range 100 {
			silence(150 * time.Millisecond)
		}
		if said := tb.statusOf(2); len(said) != 1 {
			tb.Errorf("told %+v", said)
		}
		silence(400 * time.Millisecond)
		if said := tb.statusOf(2); len(said) != 3 || said[1].State != Offline || said[2].State != Online {
			tb.Errorf("told %+v", said)
		}
	})
}

// Where the silent nodes take more time than there is, they share it.
func TestMasterAsksSilentNodesInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := newTable(t, newBus(), seats(14), 100*time.Millisecond)
		time.Sleep(time.Minute)
		tb.stop()
		for _, a := range seats(14) {
			if n := tb.heard[a]; n < 40 || n > 45 {
				t.Errorf("node %d was asked %d times in a minute, want a 14th of 600", a, n)
			}
		}
	})
}

func TestMasterRefusesOtherFirmware(t *testing.T) {
	inBubble(t, seats(2), func(tb *table) {
		for name, change := range map[string]func(*Identity){
			"table": func(id *Identity) { id.Schema++ },
			"kind":  func(id *Identity) { id.Kind = 9 },
		} {
			id := testIdentity(1)
			id.Boot = rand.Uint32()
			change(&id)
			tb.start(1, id)
			time.Sleep(2 * time.Second)
			got := tb.statusOf(1)
			last := got[len(got)-1]
			if last.State != Refused || last.Err == nil || !strings.Contains(last.Err.Error(), "000000000000ab01") {
				tb.Errorf("%s: status %+v", name, last)
			}
			tb.with(1, func(n *Node, now uint64) { n.Press(now, KeyFold) })
			if err := tb.master.Set(1, Panel{Show: Show{name}}); err != nil {
				tb.Fatal(err)
			}
			time.Sleep(2 * time.Second)
			tb.with(1, func(n *Node, _ uint64) {
				if n.Text() != "" || len(tb.keysOf(1)) > 0 {
					tb.Errorf("%s: the refused node is talked to", name)
				}
			})
			if n := len(tb.statusOf(1)) - len(got); n != 0 {
				tb.Errorf("%s: told %d times more", name, n)
			}
		}
		if got := tb.statusOf(2); len(got) != 1 {
			tb.Errorf("the other node: %+v", got)
		}
	})
}

// Public fault 17: what the master said itself is read back, and is no answer.
func TestMasterSwallowsItsEcho(t *testing.T) {
	inBubble(t, seats(3), func(tb *table) {
		tb.change(func() { tb.echo = true })
		for range 20 {
			tb.with(2, func(n *Node, now uint64) { n.Press(now, KeyCall) })
			time.Sleep(50 * time.Millisecond)
		}
		s := tb.master.Stats()
		if len(tb.keysOf(2)) != 20 || s.Echoes == 0 || s.Misses+s.Strays+s.Malformed+s.Checksum > 0 {
			tb.Errorf("%d keys heard, %+v", len(tb.keysOf(2)), s)
		}
	})
}

// What is left of a frame that was cut off must not spoil the next one, in either direction.
func TestMasterLosesNoMoreThanWasCutOff(t *testing.T) {
	for _, toHost := range []bool{false, true} {
		inBubble(t, seats(2), func(tb *table) {
			cut := 0
			tb.change(func() {
				tb.fault = func(direction bool, frame []byte) []byte {
					if direction == toHost && cut < 2 {
						cut++
						return frame[:5]
					}
					return frame
				}
			})
			time.Sleep(time.Second)
			if s := tb.master.Stats(); s.Misses != 2 {
				tb.Errorf("to host %v: two frames cut off, %d requests without reply", toHost, s.Misses)
			}
		})
	}
}

func TestMasterTellsAnEventOnce(t *testing.T) {
	r := newRecord()
	m, n := &Master{handler: r}, &node{peer: peer{addr: 1}, consumed: 65534}
	old := Events{First: 65535, Events: []KeyRecord{{Key: KeyFold}, {Key: KeyCall}}}
	m.hand(t.Context(), n, old)
	m.hand(t.Context(), n, old)
	m.hand(t.Context(), n, Events{First: 0, Events: []KeyRecord{{Key: KeyCall}, {Key: KeyBet}}})
	var got []Key
	for _, e := range r.keys[1] {
		got = append(got, e.Key)
	}
	if want := []Key{KeyFold, KeyCall, KeyBet}; !slices.Equal(got, want) || n.consumed != 1 {
		t.Errorf("told %v, consumed %d; want %v, 1", got, n.consumed, want)
	}
}

// Keys pressed while the cable is out are told when it is back, with the time they were pressed.
func TestMasterUnpluggedPort(t *testing.T) {
	inBubble(t, seats(2), func(tb *table) {
		tb.change(func() { tb.dead = true })
		time.Sleep(time.Second)
		if last := tb.statusOf(1)[1]; last.State != Offline || !errors.Is(last.Err, errUnplugged) {
			tb.Errorf("status %+v", last)
		}
		pressed := time.Now()
		tb.with(1, func(n *Node, now uint64) { n.Press(now, KeyAllIn) })
		time.Sleep(10 * time.Minute)
		tb.change(func() { tb.dead = false })
		time.Sleep(time.Second)
		if got := tb.keysOf(1); len(got) != 1 || got[0].At.Sub(pressed).Abs() > 5*time.Millisecond {
			tb.Errorf("told %+v, pressed at %v", got, pressed)
		}
		if got := tb.statusOf(1); len(got) != 3 || got[2].State != Online || got[2].Epoch != 1 {
			tb.Errorf("status %+v", got)
		}
	})
}

func TestMasterTellsWhatWasLost(t *testing.T) {
	inBubble(t, seats(1), func(tb *table) {
		tb.with(1, func(n *Node, now uint64) {
			for range ringSize + 3 {
				n.Press(now, KeyFold)
			}
		})
		time.Sleep(time.Second)
		got := tb.keysOf(1)
		if len(got) != ringSize || got[0].Lost != 3 || got[1].Lost != 0 {
			tb.Errorf("told %d events, %d lost before the first", len(got), got[0].Lost)
		}
	})
}

// A node that was away while its numbers went more than half round is heard again, if not of all.
func TestMasterAfterVeryManyEvents(t *testing.T) {
	inBubble(t, seats(1), func(tb *table) {
		tb.change(func() { tb.dead = true })
		time.Sleep(time.Second)
		tb.with(1, func(n *Node, now uint64) {
			for range 40_000 {
				n.Press(now, KeyFold)
			}
			n.Press(now, KeyMuck)
		})
		tb.change(func() { tb.dead = false })
		time.Sleep(time.Second)
		if got := tb.keysOf(1); len(got) != ringSize || got[ringSize-1].Key != KeyMuck {
			tb.Errorf("told %d events", len(got))
		}
	})
}

// While the handler blocks, presses wait in the nodes.
func TestMasterWithASlowHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := newTable(t, newBus(1), seats(1), 0)
		defer tb.stop()
		hold := make(chan struct{})
		tb.change(func() { tb.record.hold = hold })
		for range ringSize {
			tb.with(1, func(n *Node, now uint64) { n.Press(now, KeyFold) })
			time.Sleep(100 * time.Millisecond)
		}
		if len(tb.keysOf(1)) != 0 {
			t.Fatal("the handler did not block")
		}
		close(hold)
		time.Sleep(time.Second)
		if got := tb.keysOf(1); len(got) != ringSize || got[0].Lost != 0 {
			t.Errorf("told %d of %d events", len(got), ringSize)
		}
	})
}

// A faulty line drops, corrupts, cuts, doubles and delays frames, and nodes start over, all from a seed. Then no key
// event is missing but those a node still held when it started over, none comes twice or out of order, and when the
// line is good again each panel shows what it should.
func TestMasterOnAFaultyLine(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inBubble(t, seats(3), func(tb *table) { faultyLine(tb, rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))) })
		})
	}
}

// faultyLine takes what happens at the table from rnd, and what happens on the line, another goroutine's, from noise.
func faultyLine(tb *table, rnd, noise *rand.Rand) {
	late := make(map[bool][]byte)
	tb.change(func() {
		tb.echo = noise.IntN(2) == 0
		bad := 0.3 * noise.Float64()
		tb.fault = func(toHost bool, frame []byte) []byte {
			out := append(late[toHost], frame...)
			late[toHost] = nil
			if noise.Float64() >= bad {
				return out
			}
			switch noise.IntN(5) {
			case 0:
				return nil
			case 1:
				out[noise.IntN(len(out))] ^= 1 << noise.IntN(8)
			case 2:
				out = out[:noise.IntN(len(out))]
			case 3:
				out = append(out, out...)
			case 4:
				late[toHost] = out
				return nil
			}
			return out
		}
	})
	// Each press bears its place in what was pressed at that node as its amount, so it is told from every other.
	made := make(map[Addr][]int) // at each node, for each press the start of the node it was made in
	starts := map[Addr]int{1: 1, 2: 1, 3: 1}
	want := make(map[Addr]Panel)
	for range 300 {
		a := Addr(1 + rnd.IntN(3))
		switch rnd.IntN(20) {
		case 0:
			starts[a]++
			id := testIdentity(a)
			id.Boot = uint32(starts[a])
			tb.start(a, id)
		case 1, 2, 3:
			want[a] = Panel{Lamps{On: uint16(rnd.Uint32())}, Show{fmt.Sprint(rnd.Uint32())}, Ask{Prompt: uint8(rnd.Uint32())}}
			if err := tb.master.Set(a, want[a]); err != nil {
				tb.Fatal(err)
			}
		default:
			r := KeyRecord{Key: KeyBet, Down: true, Amount: uint64(len(made[a]))}
			made[a] = append(made[a], starts[a])
			tb.with(a, func(n *Node, now uint64) { r.At = now; n.remember(r) })
		}
		time.Sleep(time.Duration(rnd.IntN(150)) * time.Millisecond)
	}
	tb.change(func() { tb.fault = nil })
	time.Sleep(3 * time.Second)

	for a := range tb.nodes {
		next := 0 // the first press that may still be told
		for _, e := range tb.keysOf(a) {
			i := int(e.Amount)
			if i < next {
				tb.Fatalf("node %d: press %d came twice or too late", a, i)
			}
			// Only what a node held when it started over may be missing: the last presses before a start.
			for ; next < i; next++ {
				if made[a][next] == made[a][i] {
					tb.Fatalf("node %d: press %d is missing, press %d of the same start was told", a, next, i)
				}
			}
			next++
		}
		if next < len(made[a]) && made[a][len(made[a])-1] == starts[a] {
			tb.Fatalf("node %d: %d of %d presses told", a, next, len(made[a]))
		}
		tb.with(a, func(n *Node, _ uint64) {
			if ask, _ := n.Asked(); n.Text() != want[a].Show.Text || n.Lamps() != want[a].Lamps || ask != want[a].Ask {
				tb.Errorf("node %d shows %q, %+v, %+v; want %+v", a, n.Text(), n.Lamps(), ask, want[a])
			}
		})
	}
}

// ask has every panel ask for a decision, so that all are visited in each round.
func (tb *table) ask() {
	for a := range tb.nodes {
		if err := tb.master.Set(a, Panel{Ask: Ask{Prompt: 1}}); err != nil {
			tb.Fatal(err)
		}
	}
	time.Sleep(time.Second)
}

// Panels on which nobody waits are left alone most of the time, and show what they are to at once all the same.
func TestMasterVisitsCalmNodesNowAndThen(t *testing.T) {
	inBubble(t, seats(2), func(tb *table) {
		if err := tb.master.Set(1, Panel{Ask: Ask{Prompt: 1}}); err != nil {
			tb.Fatal(err)
		}
		time.Sleep(time.Second)
		var before map[Addr]int
		tb.change(func() { before = maps.Clone(tb.heard) })
		time.Sleep(10 * time.Second)
		tb.change(func() {
			if busy, calm := tb.heard[1]-before[1], tb.heard[2]-before[2]; busy < 700 || calm < 150 || calm > 250 {
				tb.Errorf("in 10 s the node that asks was visited %d times, the other one %d times", busy, calm)
			}
		})
		if err := tb.master.Set(2, Panel{Show: Show{"x"}}); err != nil {
			tb.Fatal(err)
		}
		time.Sleep(15 * time.Millisecond)
		tb.with(2, func(n *Node, _ uint64) {
			if n.Text() != "x" {
				tb.Errorf("the node shows %q", n.Text())
			}
		})
	})
}

// The calculation the bus was designed by: ten seats at 115200 baud take 20 ms where none has anything to say.
func TestMasterRoundTime(t *testing.T) {
	inBubble(t, seats(10), func(tb *table) {
		tb.ask()
		if got := tb.master.Stats().Round; got < 15*time.Millisecond || got > 20*time.Millisecond {
			tb.Errorf("a round of ten idle seats took %v", got)
		}
	})
}
