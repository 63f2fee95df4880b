package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
	"tavolo/controller/broker/brokertest"
	"tavolo/controller/mqtt"
)

// everybody are the users of brokers of other makers.
var everybody = []mqtt.Account{
	{Name: "engine", Role: mqtt.Engine},
	{Name: "dealer", Role: mqtt.Dealer},
	{Name: "floor", Role: mqtt.Floor},
	{Name: "alice", Role: mqtt.Player},
	{Name: "bruno", Role: mqtt.Player},
	{Name: "carla", Role: mqtt.Player},
}

// external configures another broker in place of the embedded one.
func external(t testing.TB, url string) func(string) string {
	t.Helper()
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte(brokertest.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(text string) string {
		const own = "[broker]\nlisten = \"127.0.0.1:0\"\n"
		if !strings.Contains(text, own) {
			t.Fatalf("no broker in %s", text)
		}
		other := fmt.Sprintf("[broker]\nurl = %q\nuser = \"engine\"\npassword_file = %q\n", url, password)
		return strings.Replace(without("[broker.users]")(text), own, other, 1)
	}
}

// A player at the page's port is at a table whose broker is one of another maker.
func TestPageBeforeAnotherBroker(t *testing.T) {
	t.Parallel()
	b := brokertest.Mosquitto(t, mqtt.Topics{}, everybody)
	r := virtualDemo(t, demoOptions{seats: 2, listen: "127.0.0.1:0"}, external(t, b.URLs[0]))
	dealer := load.NewDealer("dealer", 200)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer) })
	alice := &partner{raw: r.player("ws://"+d.web.Addr().String()+"/mqtt", "alice")}
	r.deals(d, dealer, func(hands uint64) bool { return hands == 0 })
	alice.do("fold", 0)
}

// A hand is played by three programs and a broker that is none of ours: Debian's mosquitto, with users, passwords and the
// access rules of package mqtt.
func TestBrokerOfAnotherMaker(t *testing.T) {
	t.Parallel()
	const hand = "omaha.phh"
	b := brokertest.Mosquitto(t, mqtt.Topics{}, everybody)
	url := b.URLs[0]
	r := scripted(t, hand, 1, external(t, url))
	w := r.watch(url)
	daemon := start(t, "run", "-c", r.file)
	status := func(want string) {
		t.Helper()
		w.await("the table is "+want, func(s *seen) bool { return s.status.State == want })
	}
	status(mqtt.StateOnline)
	people := start(t, "sim", "-c", r.file, "--script", filepath.Join("testdata", "hands", hand), "--speed", "max")
	w.await("the deal is under way", func(s *seen) bool { return len(s.events) > 10 })
	b.Kill(0)
	b.Start(0) // and whoever is connected has to find back
	select {
	case <-people.done:
	case <-time.After(patience):
		t.Errorf("the hand does not end")
	}
	if people.err != nil {
		t.Errorf("the simulation: %v\n%s", people.err, &people.errs)
	}
	r.endsAsRecorded(w)
	r.agrees(w)

	daemon.end(t, os.Kill)
	status(mqtt.StateLost)
	daemon = start(t, "run", "-c", r.file)
	status(mqtt.StateOnline)
	daemon.end(t, os.Interrupt)
	status(mqtt.StateStopped)
}
