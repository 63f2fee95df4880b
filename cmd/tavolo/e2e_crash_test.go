package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller/broker/brokertest"
	"tavolo/controller/client"
	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
	"tavolo/engine"
)

// process is the program, run as a process of its own.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it is gone
	err  error         // how it went; to be read after that
	errs bytes.Buffer  // its standard error; likewise
}

// start runs the program. TestMain has put it on the path.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return launch(t, "tavolo", args...)
}

// launch runs one of the programs that TestMain has put on the path.
func launch(t *testing.T, program string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.cmd.Stderr = &p.errs
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() { p.end(t, os.Interrupt) })
	return p
}

// end sends a signal and waits for the end. That of a process which was not killed must be a good one.
func (p *process) end(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	select {
	case <-p.done:
	case <-time.After(patience):
		t.Errorf("%v does not end: killed", p.cmd.Args)
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	if exit, ok := errors.AsType[*exec.ExitError](p.err); ok && exit.Exited() {
		t.Errorf("%v: %v\n%s", p.cmd.Args, p.err, &p.errs)
	}
}

// records counts the records of a journal, which may be in use or not be there yet.
func records(dir string) (n uint64) {
	for r, err := range journal.Read(dir, 0) {
		if err == nil {
			n = r.Seq
		}
	}
	return n
}

// awaitRecords waits until the journal has n records, or ended is closed.
func (r *rig) awaitRecords(n uint64, ended <-chan struct{}) {
	r.t.Helper()
	look, late := time.NewTicker(time.Millisecond), time.After(patience)
	defer look.Stop()
	for records(r.cfg.Journal) < n {
		select {
		case <-look.C:
		case <-ended:
			return
		case <-late:
			r.t.Fatalf("the journal has no %d records after %v, but %d", n, patience, records(r.cfg.Journal))
		}
	}
}

// The daemon is killed again and again in a hand, every few records of its journal. Each time it must go on where the
// journal ends, with every chip, and in the end with the recorded stacks. Nothing that anybody was told may be forgotten.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	for i, hand := range []string{"omaha.phh", "sidepots.phh", "straddle.phh"} {
		t.Run(hand, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, demoOptions{
				script: filepath.Join("testdata", "hands", hand), felt: 1, mqtt: brokertest.Address(t), listen: "",
			})
			rng := rand.New(rand.NewPCG(uint64(i), 4))
			url := "tcp://" + r.cfg.Broker.Listen
			w := r.watch(url)
			p := start(t, "run", "-c", r.file)
			_, ended := r.sim(url, nil)
			w.await("the table is up", func(s *seen) bool { return s.status.State == mqtt.StateOnline })
			total := engine.Chips(0)
			for _, stack := range r.hand.StartingStacks {
				total += engine.Chips(stack)
			}
			var kept []journalled // at each kill
			var epoch uint64      // of the run that was killed last
			for {
				r.awaitRecords(records(r.cfg.Journal)+1+rng.Uint64N(8), ended)
				if closed(ended) {
					break
				}
				p.end(t, os.Kill)
				epoch = w.epoch()
				h := r.read(r.copied())
				kept = append(kept, h)
				state := h.at(uint64(len(h.events)))
				if got := state.Chips(); got != total {
					t.Fatalf("kill %d: the journal has %d chips, the table %d", len(kept), got, total)
				}
				if len(kept)%3 == 0 {
					r.tear(rng)
				}
				p = start(t, "run", "-c", r.file)
				if len(kept)%2 == 0 { // else it may be killed while it starts
					w.await("the table is up again", func(s *seen) bool {
						at := s.state()
						return at.Epoch > epoch && s.status.Epoch == at.Epoch && s.status.State == mqtt.StateOnline && at.Seq >= state.Seq
					})
				}
			}
			t.Logf("killed %d times", len(kept))
			w.await("the last run is up", func(s *seen) bool { return s.status.Epoch > epoch && s.status.State == mqtt.StateOnline })
			r.endsAsRecorded(w)
			r.agrees(w)
			end := r.read(r.cfg.Journal)
			for i, h := range kept {
				if !reflect.DeepEqual(h.events, end.events[:len(h.events)]) {
					t.Errorf("what had happened before kill %d is not so any more", i+1)
				}
			}
			p.end(t, syscall.SIGTERM) // beside a daemon that appends, the last record may be half written
			if report, err := journal.Verify(r.cfg.Journal, w.checkpoints()...); err != nil || report.Held == 0 {
				t.Errorf("%+v: %v", report, err)
			}
		})
	}
}

// checkpoints are all that anybody was told the journal has signed.
func (w *watcher) checkpoints() (notes [][]byte) {
	w.look(func(s *seen) {
		for _, m := range s.raw {
			var p mqtt.CheckpointPayload
			if strings.HasSuffix(m.Topic, "/audit/checkpoint") && json.Unmarshal(m.Payload, &p) == nil {
				notes = append(notes, []byte(p.Note))
			}
		}
	})
	return notes
}

// tear leaves the journal as a power cut may: a record was under way, and the disk has only the room for it.
func (r *rig) tear(rng *rand.Rand) {
	r.t.Helper()
	segments, err := filepath.Glob(filepath.Join(r.cfg.Journal, "*.seg"))
	if err != nil || len(segments) == 0 {
		r.t.Fatalf("segments %q, error %v", segments, err)
	}
	f, err := os.OpenFile(segments[len(segments)-1], os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.Write(make([]byte, 1+rng.IntN(100)))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		r.t.Fatal(err)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// epoch is the latest run of the daemon that was told of.
func (w *watcher) epoch() (n uint64) {
	w.look(func(s *seen) { n = max(s.status.Epoch, s.state().Epoch) })
	return n
}

// copied copies the journal, to be looked at before its daemon repairs it.
func (r *rig) copied() string {
	r.t.Helper()
	dir := r.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(r.cfg.Journal)); err != nil && !errors.Is(err, fs.ErrExist) {
		r.t.Fatal(err)
	}
	return dir
}

// A player whose turn it is when the daemon is killed is told again where the hand is: cards and turn, with the token as
// it was. An answer to the run before is refused; one to this run is taken, and the hand goes on to its end.
func TestKilledInATurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{
		script: filepath.Join("testdata", "hands", "omaha.phh"), felt: 1, mqtt: brokertest.Address(t), listen: "",
	})
	url := "tcp://" + r.cfg.Broker.Listen
	w := r.watch(url)
	p := start(t, "run", "-c", r.file)
	_, ended := r.sim(url, playing("alice", "bruno"))
	carla, err := client.New(client.Options{
		URL: url, Topics: r.cfg.Topics, Role: mqtt.Player, User: "carla", Password: demoPassword, Key: r.cfg.Keys["carla"], Log: r.log(),
	})
	if err != nil {
		t.Fatal(err)
	}
	background(t, carla.Run)

	hole, turn := told(t, carla, 0)
	if len(hole.Cards) != 4 || turn.Legal == nil {
		t.Fatalf("told %+v and %+v", hole, turn)
	}
	p.end(t, os.Kill)
	kept := r.read(r.copied())
	start(t, "run", "-c", r.file)
	hole2, turn2 := told(t, carla, turn.Epoch)
	if !slices.Equal(hole.Cards, hole2.Cards) || turn2.Turn != turn.Turn || *turn2.Legal != *turn.Legal {
		t.Errorf("told %+v and %+v before, %+v and %+v after", hole, turn, hole2, turn2)
	}
	w.await("the state is as it was", func(s *seen) bool {
		at := s.state()
		return at.Epoch == turn2.Epoch && at.Seq == uint64(len(kept.events)) && at.Clock != nil && at.Clock.Seat == turn.Seat
	})

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	act := mqtt.ActionPayload{Epoch: turn.Epoch, Turn: turn.Turn, Action: "raise", Amount: 7}
	var refused *client.Refused
	if err := carla.Act(ctx, act); !errors.As(err, &refused) || refused.Code != "old_epoch" {
		t.Errorf("an answer to the run before: %v", err)
	}
	r.sim(url, func(o *simtable.Options) { // from here on she plays as recorded
		playing("carla")(o)
		o.Devices, o.Dealer = nil, ""
	})
	<-ended
	r.endsAsRecorded(w)
	r.agrees(w)
}

// told waits until a player is told cards and turn in a run of the daemon after another.
func told(t *testing.T, c *client.Client, after uint64) (hole mqtt.HolePayload, turn mqtt.TurnPayload) {
	t.Helper()
	late := time.After(patience)
	for hole.Epoch <= after || turn.Epoch <= after {
		select {
		case m := <-c.Messages():
			switch m := m.(type) {
			case mqtt.HolePayload:
				hole = m
			case mqtt.TurnPayload:
				turn = m
			}
		case <-late:
			t.Fatalf("the player is told no cards and turn of a run after %d, but %+v and %+v", after, hole, turn)
		}
	}
	return hole, turn
}

// lastHand is the file, beside the journal, that ends the dealing of the program tavolo-dealt with the hand in play.
const lastHand = "last-hand"

// dealt is a program: the daemon of a configuration, with somebody who deals at its table as fast as it takes cards.
func dealt() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := func() error {
		cfg, err := LoadConfig(os.Args[1])
		if err != nil {
			return err
		}
		dealer := load.NewDealer("dealer", 200)
		d, err := newDaemon(cfg, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
		if err != nil {
			return err
		}
		d.outputs = append(d.outputs, dealer)
		go dealer.Deal(ctx, d.table, 6, func(uint64) bool {
			_, err := os.Stat(filepath.Join(filepath.Dir(cfg.Journal), lastHand))
			return err != nil
		})
		return d.run(ctx)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The daemon is killed again and again, its broker with it, while four play as fast as they can. Everybody finds back by
// himself and is told every event that the journal has, each once and in order over all the runs of the daemon, and nothing
// that the journal has not.
func TestEverybodyEndsAlikeWhenTheDaemonIsKilled(t *testing.T) {
	t.Parallel()
	const kills = 4
	address := brokertest.Address(t)
	r := virtual(t, func(text string) string {
		return strings.Replace(text, "listen = \"127.0.0.1:0\"", fmt.Sprintf("listen = %q", address), 1)
	})
	p := launch(t, "tavolo-dealt", r.file)
	var people []*sitter
	for _, name := range sitting {
		people = append(people, r.sits("tcp://"+address, name))
	}
	epoch := uint64(0) // of the run before
	plays := func(hands uint64) {
		t.Helper()
		begun := people[0].hand()
		people[0].await("more hands are played", func(s *sitter) bool {
			return s.state.Epoch > epoch && s.state.View.Hand >= begun+hands
		})
		people[0].mu.Lock()
		epoch = people[0].state.Epoch
		people[0].mu.Unlock()
	}
	rng := rand.New(rand.NewPCG(6, 6))
	var kept []journalled // at each kill
	for range kills {
		plays(2)
		r.awaitRecords(records(r.cfg.Journal)+rng.Uint64N(40), p.done)
		p.end(t, os.Kill)
		kept = append(kept, r.read(r.copied()))
		p = launch(t, "tavolo-dealt", r.file)
	}
	plays(2)
	if err := os.WriteFile(filepath.Join(filepath.Dir(r.cfg.Journal), lastHand), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	people[0].await("the last hand is over", func(s *sitter) bool {
		return s.state.View.Phase == engine.Between && s.state.Seq >= uint64(len(r.read(r.cfg.Journal).events))
	})
	end := r.read(r.cfg.Journal)
	for i, h := range kept {
		if len(h.events) == 0 || !reflect.DeepEqual(h.events, end.events[:len(h.events)]) {
			t.Errorf("the %d events before kill %d are not so any more", len(h.events), i+1)
		}
	}
	for _, s := range people {
		s.endsLike(&end)
		s.mu.Lock()
		if first := s.events[0]; first.Hand > 1 {
			t.Errorf("%s was told from event %d of hand %d on", s.name, first.Seq, first.Hand)
		}
		s.mu.Unlock()
	}
	state := end.at(uint64(len(end.events)))
	t.Logf("%d hands, %d events", state.Hand, len(end.events))
}
