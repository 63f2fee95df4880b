package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tavolo/controller/mqtt"
)

// A hand is played by three programs and a broker that is none of ours: Debian's mosquitto, with users, passwords and the
// access rules of package mqtt.
func TestBrokerOfAnotherMaker(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	url, password := "tcp://"+address, filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte(demoPassword+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const hand = "omaha.phh"
	r := scripted(t, hand, 1, without("[broker.users]"), func(text string) string {
		const own = "[broker]\nlisten = \"127.0.0.1:0\"\n"
		if !strings.Contains(text, own) {
			t.Fatalf("no broker in %s", text)
		}
		other := fmt.Sprintf("[broker]\nurl = %q\nuser = \"engine\"\npassword_file = %q\n", url, password)
		return strings.Replace(text, own, other, 1)
	})
	again := mosquitto(t, address, map[string]mqtt.Role{
		"engine": mqtt.Engine, "dealer": mqtt.Dealer, "floor": mqtt.Floor, "bruno": mqtt.Player, "carla": mqtt.Player,
	})
	w := r.watch(url)
	daemon := start(t, "run", "-c", r.file)
	status := func(want string) {
		t.Helper()
		w.await("the table is "+want, func(s *seen) bool { return s.status.State == want })
	}
	status(mqtt.StateOnline)
	people := start(t, "sim", "-c", r.file, "--script", filepath.Join("testdata", "hands", hand), "--speed", "max")
	w.await("the deal is under way", func(s *seen) bool { return len(s.events) > 10 })
	again() // and whoever is connected has to find back
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

// mosquitto runs the broker until the test ends. What it returns kills it and starts it again.
func mosquitto(t *testing.T, address string, users map[string]mqtt.Role) (again func()) {
	t.Helper()
	program := func(name string) string {
		for _, path := range []string{name, "/usr/sbin/" + name} {
			if found, err := exec.LookPath(path); err == nil {
				return found
			}
		}
		t.Skipf("%s is not installed (apt install mosquitto)", name)
		return ""
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var passwords, rules strings.Builder
	for name, role := range users {
		fmt.Fprintf(&passwords, "%s:%s\n", name, demoPassword)
		fmt.Fprintf(&rules, "user %s\n", name)
		for _, rule := range mqtt.Rules() {
			if rule.Role != role {
				continue
			}
			for _, f := range rule.Publish {
				fmt.Fprintf(&rules, "topic write %s\n", strings.ReplaceAll(f, "%u", name))
			}
			for _, f := range rule.Subscribe {
				fmt.Fprintf(&rules, "topic read %s\n", strings.ReplaceAll(f, "%u", name))
			}
		}
	}
	write("passwords", passwords.String())
	write("rules", rules.String())
	if out, err := exec.Command(program("mosquitto_passwd"), "-U", file("passwords")).CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_passwd: %v: %s", err, out)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	conf := fmt.Sprintf("listener %s %s\npersistence false\nallow_anonymous false\npassword_file %s\nacl_file %s\n", port, host,
		file("passwords"), file("rules"))
	if os.Getuid() == 0 {
		conf += "user root\n" // anybody else may not read the test's folder
	}
	write("mosquitto.conf", conf)
	var out bytes.Buffer
	var cmd *exec.Cmd
	up := func() {
		t.Helper()
		cmd = exec.Command(program("mosquitto"), "-c", file("mosquitto.conf"))
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	down := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	up()
	t.Cleanup(func() {
		down()
		if t.Failed() {
			t.Logf("mosquitto: %s", &out)
		}
	})
	return func() {
		t.Helper()
		down()
		up()
	}
}
