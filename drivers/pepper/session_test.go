package pepper

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tavolo/drivers/framing"
	"tavolo/drivers/rfid"
)

// board answers commands as a test tells it to, over a pipe, in the time of a synctest bubble.
type board struct {
	conn  net.Conn
	reply func(b *board, cmd string) // cmd is the payload in hexadecimal
	asked []string                   // for the test once the session has ended
	wire  chan []byte                // on its way to the host, as in the buffers of a real line
}

func (b *board) say(payload string) {
	raw, err := hex.DecodeString(strings.ReplaceAll(payload, " ", ""))
	if err != nil {
		panic(err)
	}
	b.wire <- AppendFrame(nil, raw)
}

// newBoard starts a board and returns the host's end of its line. After the host has closed that, done is closed.
func newBoard(reply func(*board, string)) (b *board, host net.Conn, done chan struct{}) {
	near, far := net.Pipe()
	b = &board{conn: far, reply: reply, wire: make(chan []byte, 1024)}
	done = make(chan struct{})
	go func() {
		defer close(done)
		for frame := range b.wire {
			_, _ = b.conn.Write(frame) // fails when the session is over
		}
	}()
	go func() {
		defer close(b.wire)
		b.serve()
	}()
	return b, near, done
}

func (b *board) serve() {
	p := framing.NewScanner(Decode)
	buf := make([]byte, 256)
	for {
		n, err := b.conn.Read(buf)
		if err != nil {
			return
		}
		p.Push(buf[:n])
		for m, ok := p.Next(); ok; m, ok = p.Next() {
			cmd := hex.EncodeToString(m.Payload)
			b.asked = append(b.asked, cmd)
			b.reply(b, cmd)
		}
	}
}

// healthy answers what every session asks first, and acknowledges the rest.
func healthy(b *board, cmd string) {
	switch cmd[:2] {
	case "0b":
		b.say("00 0b 322e3536 00")
	case "02":
		b.say("00 02 00")
	default:
		b.say("00" + cmd[:2])
	}
}

// mux are the options of a reader with so many antennas.
func mux(antennas ...int) Options { return Options{Options: rfid.Options{Antennas: antennas}} }

// run has a reader work against a board for the given time, or until it is lost, and returns what it reported and why it was
// lost.
func run(t *testing.T, o Options, d time.Duration, reply func(*board, string)) ([]rfid.Report, *board, map[string]uint64, error) {
	t.Helper()
	b, host, served := newBoard(reply)
	o.Line = host
	if o.Antennas == nil {
		o.Antennas, o.Round, o.Passing = []int{1}, time.Millisecond, true
	}
	dev, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- dev.Run(ctx) }()
	var reports []rfid.Report
	var why error
	for r := range dev.Reports() {
		if s, ok := r.(rfid.State); ok && !s.Up {
			why = s.Err
			cancel()
		}
		reports = append(reports, r)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	host.Close()
	<-served
	return reports, b, dev.Counters(), why
}

func scans(reports []rfid.Report) []string {
	var out []string
	for _, r := range reports {
		if s, ok := r.(rfid.Scan); ok {
			out = append(out, fmt.Sprintf("%d %v %v", s.Antenna, s.UIDs, s.Partial))
		}
	}
	return out
}

// passed are the tags that came by.
func passed(reports []rfid.Report) (uids []string) {
	for _, r := range reports {
		if s, ok := r.(rfid.Scan); ok {
			uids = append(uids, s.UIDs...)
		}
	}
	return uids
}

func states(reports []rfid.Report) (all []rfid.State) {
	for _, r := range reports {
		if s, ok := r.(rfid.State); ok {
			all = append(all, s)
		}
	}
	return all
}

func TestUpAfterASlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boot := time.Now().Add(time.Second)
		reports, _, _, err := run(t, Options{}, 1900*time.Millisecond, func(b *board, cmd string) {
			if time.Now().Before(boot) {
				return
			}
			healthy(b, cmd)
		})
		if err != nil || len(reports) != 1 {
			t.Fatalf("%v, %v", reports, err)
		}
		if s := reports[0].(rfid.State); !s.Up || s.Firmware != "2.56" || s.At.Before(boot) {
			t.Errorf("state %+v", s)
		}
	})
}

func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		reports, _, _, err := run(t, Options{}, time.Minute, func(*board, string) {})
		if !errors.Is(err, framing.ErrSilent) || len(reports) != 1 {
			t.Errorf("%v, %v", reports, err)
		}
		if took := time.Since(began); took != wakeUps*500*time.Millisecond {
			t.Errorf("took %v to give up", took)
		}
	})
}

func TestUnknownDevice(t *testing.T) {
	for _, version := range []string{"00 0b", "00 0b 00", "00 0b 01 02 03"} {
		synctest.Test(t, func(t *testing.T) {
			reports, _, _, err := run(t, Options{}, time.Minute, func(b *board, cmd string) {
				if cmd == "0b" {
					b.say(version)
					return
				}
				healthy(b, cmd)
			})
			if !errors.Is(err, ErrUnknown) || len(reports) != 1 {
				t.Errorf("version %s: %v, %v", version, reports, err)
			}
		})
	}
}

// tags makes a board with the UIDs given, as read, on the antenna selected.
func tags(onAntenna map[string][]string) func(*board, string) {
	var listed, queue []string
	icode := func(uid string) bool { return strings.HasSuffix(uid, "e0") }
	selected := "01"
	return func(b *board, cmd string) {
		switch cmd[:2] {
		case "0f":
			selected = cmd[2:]
			b.say("00 0f")
		case "02":
			all := onAntenna[selected]
			listed = all[:min(len(all), MaxListed)]
			b.say(fmt.Sprintf("00 02 %02x", len(listed)))
		case "03":
			var i int
			_, _ = fmt.Sscanf(cmd[2:], "%x", &i)
			b.say("00 03 10 00" + listed[i])
		case "90", "91":
			if cmd[:2] == "90" {
				queue = slices.DeleteFunc(slices.Clone(onAntenna[selected]), func(uid string) bool { return !icode(uid) })
			}
			if len(queue) == 0 {
				b.say("ff" + cmd[:2] + "02 01")
				return
			}
			uid := queue[0]
			queue = queue[1:]
			b.say(fmt.Sprintf("00 %s %s 00 %02x", cmd[:2], uid, min(len(queue), 1)))
		default:
			healthy(b, cmd)
		}
	}
}

func numbered(n int, format string) []string {
	var uids []string
	for i := range n {
		uids = append(uids, fmt.Sprintf(format, i))
	}
	return uids
}

func TestRound(t *testing.T) {
	const icode, other = "%02x563412500104e0", "04a1b2%02x"
	synctest.Test(t, func(t *testing.T) {
		reports, b, _, err := run(t, mux(1, 3, 2, 8), 40*time.Millisecond, tags(map[string][]string{
			"01": {"78563412500104e0", "04a1b2c3"},
			"03": numbered(7, icode),
			"02": numbered(6, other),
		}))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"1 [04A1B2C3 E004015012345678] false",
			"3 [E004015012345600 E004015012345601 E004015012345602 E004015012345603 E004015012345604 E004015012345605 E004015012345606] false",
			"2 [04A1B200 04A1B201 04A1B202 04A1B203 04A1B204] true",
			"8 [] false",
		}
		if got := scans(reports); !slices.Equal(got, want) {
			t.Errorf("scans %q, want %q", got, want)
		}
		if end := b.asked[len(b.asked)-1]; end != "05" {
			t.Errorf("ended with %q, want the field off", end)
		}
	})
}

// An inventory that misses a listed tag says that tags of another kind lie there, of which the list may hide more.
func TestFullListOfMixedTagsIsPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uids := append(numbered(3, "04a1b2%02x"), numbered(3, "%02x563412500104e0")...)
		reports, _, _, _ := run(t, mux(1), 40*time.Millisecond, tags(map[string][]string{"01": uids}))
		want := "1 [04A1B200 04A1B201 04A1B202 E004015012345600 E004015012345601 E004015012345602] true"
		if got := scans(reports); !slices.Equal(got, []string{want}) {
			t.Errorf("scans %q, want %q", got, want)
		}
	})
}

func TestRoundsKeepTheirPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports, _, _, _ := run(t, Options{Options: rfid.Options{Antennas: []int{1, 2}, Round: 100 * time.Millisecond}}, 950*time.Millisecond, healthy)
		if got := len(scans(reports)); got != 20 {
			t.Errorf("%d scans of 2 antennas in 950 ms, want 20", got)
		}
	})
}

// The trap: uid 0 is answered too late, and would pass for the answer to the next question about uid 0.
func TestLateAnswerSpoilsTheLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := "0411111111"
		steady := tags(map[string][]string{"01": {there}, "02": {"0422222222"}})
		late := true
		reports, _, st, err := run(t, mux(1, 2), 640*time.Millisecond, func(b *board, cmd string) {
			if cmd == "0300" && late {
				late = false
				time.Sleep(600 * time.Millisecond)
			}
			steady(b, cmd)
		})
		want := []string{"2 [0422222222] false", "1 [0411111111] false", "2 [0422222222] false"}
		if got := scans(reports); err != nil || !slices.Equal(got, want) {
			t.Errorf("scans %q, %v; want %q, the first look at antenna 1 missing", got, err, want)
		}
		if st["timeouts"] != 1 || st["spoilt_looks"] != 1 || st["losses"] != 0 {
			t.Errorf("stats %+v", st)
		}
	})
}

func TestSpoiltLooksGiveNoScan(t *testing.T) {
	for name, answer := range map[string]string{
		"refused":         "ff 02 02 0a",
		"no number":       "00 02",
		"too many":        "00 02 06",
		"two numbers":     "00 02 01 01",
		"uid refused":     "ff 03 02 21",
		"uid too short":   "00 03 10 00 0102",
		"no tag data":     "00 03 10",
		"inventory short": "00 90 0102",
	} {
		synctest.Test(t, func(t *testing.T) {
			steady := tags(map[string][]string{"01": numbered(5, "%02x563412500104e0")})
			spoilt := false
			reports, _, st, err := run(t, mux(1), 90*time.Millisecond, func(b *board, cmd string) {
				if cmd[:2] == answer[3:5] && !spoilt {
					spoilt = true
					b.say(answer)
					return
				}
				steady(b, cmd)
			})
			if err != nil || st["spoilt_looks"] != 1 || st["losses"] != 0 {
				t.Errorf("%s: %v, stats %+v", name, err, st)
			}
			full := "1 [E004015012345600 E004015012345601 E004015012345602 E004015012345603 E004015012345604] false"
			if got := scans(reports); len(got) == 0 || slices.ContainsFunc(got, func(s string) bool { return s != full }) {
				t.Errorf("%s: scans %q, want only %q", name, got, full)
			}
		})
	}
}

func TestAntennaThatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, _, err := run(t, mux(1, 8), time.Minute, func(b *board, cmd string) {
			if cmd == "0f08" {
				b.say("ff 0f 02 21")
				return
			}
			healthy(b, cmd)
		})
		if err == nil || !strings.HasPrefix(err.Error(), "antenna 8: this board has no such antenna: ") {
			t.Errorf("error %v", err)
		}
	})
}

// A reader that falls silent is lost within three answers' time, a second and a half of its last word for a MUX and two and
// a half for a shoe.
func TestReaderFallsSilent(t *testing.T) {
	for _, c := range []struct {
		antennas []int
		within   time.Duration
	}{{[]int{1}, 1550 * time.Millisecond}, {nil, 2500 * time.Millisecond}} {
		synctest.Test(t, func(t *testing.T) {
			dies := time.Now().Add(3 * time.Second)
			reports, _, st, err := run(t, mux(c.antennas...), time.Minute, func(b *board, cmd string) {
				if time.Now().Before(dies) {
					healthy(b, cmd)
				}
			})
			if !errors.Is(err, framing.ErrSilent) || st["timeouts"] != rfid.Misses+1 { // at the end it is told to be at rest
				t.Errorf("antennas %v: %v, stats %+v", c.antennas, err, st)
			}
			if took := states(reports)[1].At.Sub(dies); took > c.within {
				t.Errorf("antennas %v: noticed after %v", c.antennas, took)
			}
		})
	}
}

// A reader that restarts faster than a command can time out has forgotten to poll; it must be told again.
func TestPollingIsAskedForAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b, _, err := run(t, Options{}, 3500*time.Millisecond, healthy)
		want := []string{"01", "0b", "0600", "0601", "0601", "0601", "0601", "0600", "05"}
		if err != nil || !slices.Equal(b.asked, want) {
			t.Errorf("asked %q, %v; want %q", b.asked, err, want)
		}
	})
}

func TestEvents(t *testing.T) {
	const (
		a = "fe 03 10 00 e004015012345678"
		c = "fe 03 01 08 04a1b2c3"
	)
	synctest.Test(t, func(t *testing.T) {
		polled := 0
		reports, _, st, err := run(t, Options{}, 4500*time.Millisecond, func(b *board, cmd string) {
			if cmd == "0601" {
				polled++
				switch polled {
				case 1: // before the answer, glued to it, and in both forms
					b.say(a)
					b.wire <- []byte(`{"type":"uid","uid":"04a1b2c3","antenna":0}` + "\r\n")
				case 2: // still there
					b.say(a)
				case 3:
					b.say(a)
					b.say("fe 03 10 00 01") // no tag
				case 4:
					b.say("00 55") // answers no question
				case 5: // c was away for a second and more
					b.say(c)
				}
			}
			healthy(b, cmd)
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"E004015012345678", "04A1B2C3", "04A1B2C3"}
		if got := passed(reports); !slices.Equal(got, want) {
			t.Errorf("%q passed, want %q", got, want)
		}
		if st["spoilt_looks"] != 1 || len(st) != 1 {
			t.Errorf("stats %+v", st)
		}
	})
}

// A reader left polling by an earlier program tells of tags before it is known who speaks. Nothing is known of its
// antennas then, and State comes first.
func TestEventsBeforeUpAreNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		reports, _, st, err := run(t, Options{}, 500*time.Millisecond, func(b *board, cmd string) {
			if time.Now().Equal(began) && (cmd == "01" || cmd == "0600") {
				b.say("fe 03 01 08 04a1b2c3")
				b.wire <- []byte(`{"type":"uid","uid":"04a1b2c3"}`)
			}
			healthy(b, cmd)
		})
		if err != nil || len(states(reports)) != 1 || len(passed(reports)) != 0 || len(st) != 0 {
			t.Errorf("%v, %v, stats %+v", reports, err, st)
		}
	})
}

// Nobody takes reports for a while: the driver waits, and none is lost or out of order.
func TestSlowTaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 256
		sent := false
		_, host, served := newBoard(func(b *board, cmd string) {
			healthy(b, cmd)
			if cmd == "0601" && !sent {
				for i := range many {
					b.say(fmt.Sprintf("fe 03 01 00 0400%04x", i))
				}
				sent = true
			}
		})
		o := mux(1)
		o.Line, o.Passing = host, true
		dev, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- dev.Run(ctx) }()

		time.Sleep(10 * time.Second)
		var reports []rfid.Report
		for len(passed(reports)) < many {
			reports = append(reports, <-dev.Reports())
		}
		for i, uid := range passed(reports) {
			if uid != fmt.Sprintf("0400%04X", i) {
				t.Fatalf("tag %d is %s", i, uid)
			}
		}
		cancel()
		for range dev.Reports() {
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		host.Close()
		<-served
		if st := dev.Counters(); len(st) > 0 {
			t.Errorf("stats %+v", st)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	passing, turns := mux(1, 2), mux(1)
	passing.Path, passing.Passing = "p", true
	turns.Path, turns.Passing, turns.Field = "p", true, new(rfid.Air).Field("z")
	for _, o := range []Options{{}, mux(1), passing, turns, {Path: "p"}, {Path: "p", Options: mux(0).Options}, {Path: "p", Options: mux(9).Options}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
