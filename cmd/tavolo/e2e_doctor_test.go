package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tavolo/cmd/tavolo/simtable"
	"tavolo/controller/broker/brokertest"
	"tavolo/controller/mqtt"
	"tavolo/drivers/sim"
)

// doctor runs the program's doctor on a table, and gives what it found by the parts, its exit status and its complaints.
func (r *rig) doctor() (found map[string]finding, status int, errs string) {
	r.t.Helper()
	var out, complaints bytes.Buffer
	status = run(r.t.Context(), []string{"doctor", "--json", "-c", r.file}, &out, &complaints)
	found = map[string]finding{}
	for d := json.NewDecoder(&out); d.More(); {
		var f finding
		if err := d.Decode(&f); err != nil {
			r.t.Fatal(err)
		}
		r.t.Log(f)
		found[f.Part] = f
	}
	return found, status, complaints.String()
}

// hardware simulates the devices of a table with nobody at it.
func (r *rig) hardware() *simtable.Table {
	r.t.Helper()
	opt := simOptions(r.cfg, "", demoPassword, r.log())
	opt.Dealer, opt.Players = "", nil
	table, err := simtable.New(opt)
	if err != nil {
		r.t.Fatal(err)
	}
	background(r.t, table.Run)
	return table
}

// wantFaults wants a fault with a word in what is seen or to be done for just these parts.
func wantFaults(t *testing.T, found map[string]finding, status int, want map[string]string) {
	t.Helper()
	for part, f := range found {
		word, faulty := want[part]
		switch {
		case !faulty && f.Result == partFault:
			t.Errorf("%s: %s, want none", part, f)
		case faulty && (f.Result != partFault || !strings.Contains(f.Seen+" -> "+f.Do, word) || f.Do == ""):
			t.Errorf("%s: %s, want a fault with %q and what to do", part, f, word)
		}
	}
	for part := range want {
		if _, told := found[part]; !told {
			t.Errorf("nothing is told of %s", part)
		}
	}
	if (status == 1) != (len(want) > 0) || status > 1 {
		t.Errorf("exit status %d with %d faults", status, len(want))
	}
}

// scaled gives a demo's table a load cell below the spot of seat 1, and a scale in the panel of seat 2.
func scaled(t *testing.T) func(string) string {
	cell := t.TempDir()
	return func(text string) string {
		const scale = "\n[[scales]]\nzone = %q\ndevice = %q\nzero = 1000\nmark = 101000\nknown = 500000\n[[scales.chips]]\nvalue = 1\nweight = 10000\n"
		return text + fmt.Sprintf("\n[[devices]]\nname = \"cell\"\nkind = \"load-cell\"\npath = %q\n", cell) +
			fmt.Sprintf(scale, "spot 1", "cell") + fmt.Sprintf(scale, "stack 2", "")
	}
}

// weighing lays an amount of chips on each scale.
func (r *rig) weighing(table *simtable.Table, mg int64) {
	r.t.Helper()
	for _, s := range r.cfg.Scales {
		if err := table.Weigh(s.Zone, mg); err != nil {
			r.t.Fatal(err)
		}
	}
}

// A table in order is found to be: every reader, panel and scale, the broker, the disk and the page; and what is tried is
// left as it was, for the daemon starts after it.
func TestDoctorOfATableInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 4, felt: 2, listen: "127.0.0.1:0"}, scaled(t))
	table := r.hardware()
	r.weighing(table, 30_000)
	found, status, _ := r.doctor()
	wantFaults(t, found, status, nil)
	for part, seen := range map[string]string{
		"shoe": "firmware 2.56", "pads-a": "each antenna looked at", "panels": "2 panels", "panel of seat 2": "node 7ab1000000000002",
		"cell": "load-cell at", "scale of spot 1": "30.000 to 30.000 g", "scale of stack 2": "30.000 to 30.000 g",
		"broker": "logged in", "journal": "an append is safe in", "page": "http://127.0.0.1:", "clock": "synchronised",
	} {
		if f := found[part]; !strings.Contains(f.Seen, seen) {
			t.Errorf("%s: %s, want %q", part, f, seen)
		}
	}
	if _, err := os.Stat(r.cfg.Journal); !os.IsNotExist(err) {
		t.Errorf("the journal's folder was made: %v", err)
	}
	r.daemon()
	if found, status, errs := r.doctor(); status != 1 || len(found) > 0 || !strings.Contains(errs, "stop the daemon") {
		t.Errorf("while the daemon runs: status %d, %v, %q", status, found, errs)
	}
}

// What is wrong with a table is told, part by part, with what to do: a reader that is not there, one that does not answer, one
// at another speed, a panel without power, a load cell with a wire off, an external broker that is down.
func TestDoctorOfBrokenHardware(t *testing.T) {
	t.Parallel()
	feig := func(name, zone string) string {
		return fmt.Sprintf("\n[[devices]]\nname = %[1]q\nkind = \"feig\"\npath = \"dev/%[1]s\"\nzones = [%[2]q]\n", name, zone)
	}
	b := brokertest.Mosquitto(t, mqtt.Topics{}, everybody)
	r := newRig(t, demoOptions{seats: 3, felt: 2}, without("name = \"pads-a\""), external(t, b.URLs[0]), scaled(t), func(text string) string {
		return text + feig("gone", "board") + feig("mute", "burn") + feig("fast", "muck") + "baud = 9600\n"
	})
	b.Kill(0)
	table := r.hardware()
	r.weighing(table, 0)
	cable := func(name string) simtable.Cable {
		return table.Cables()[filepath.Join(filepath.Dir(r.file), "dev", name)]
	}
	if err := cable("gone").Unplug(); err != nil {
		t.Fatal(err)
	}
	cable("mute").Inject(0, sim.Mute())
	cable("fast").Rate(38400)
	table.Panel(2).Silence(true)
	if err := os.WriteFile(filepath.Join(r.cfg.Devices[len(r.cfg.Devices)-4].Path, "in_voltage0_raw"), []byte("16777215"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, status, _ := r.doctor()
	wantFaults(t, found, status, map[string]string{
		"gone": "plugged in", "mute": "check power", "fast": "9600 baud", "panel of seat 2": "address 2",
		"cell": "wire", "broker": "start the broker",
	})
}

// A wrong password is told apart from a broker that is down.
func TestDoctorOfAWrongPassword(t *testing.T) {
	t.Parallel()
	b := brokertest.Mosquitto(t, mqtt.Topics{}, everybody)
	wrong := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(wrong, []byte("wrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, demoOptions{seats: 2, felt: 0}, external(t, b.URLs[0]), func(text string) string {
		return regexp.MustCompile("password_file = .*").ReplaceAllString(text, fmt.Sprintf("password_file = %q", wrong))
	})
	r.hardware()
	found, status, _ := r.doctor()
	wantFaults(t, found, status, map[string]string{"broker": "password_file"})
}

// A journal's disk that is full, and one that is read-only, are told before a hand is lost to them.
func TestDoctorOfADisk(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 0})
	dir := r.cfg.Journal
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("a small tmpfs cannot be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	r.hardware()
	found, status, _ := r.doctor()
	wantFaults(t, found, status, map[string]string{"journal": "make room"}) // 64 KiB are soon used up
	if err := os.WriteFile(filepath.Join(dir, "full"), make([]byte, 60<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	found, status, _ = r.doctor()
	wantFaults(t, found, status, map[string]string{"journal": "no space left"})
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	found, status, _ = r.doctor()
	wantFaults(t, found, status, map[string]string{"journal": "read-only"})
}

// On the first day there is no deck yet. The hardware is tried all the same, and what is to be registered is told; the table
// does not start.
func TestDoctorOnTheFirstDay(t *testing.T) {
	t.Parallel()
	r := newRig(t, demoOptions{seats: 2, felt: 0})
	r.hardware()
	if err := os.Remove(filepath.Join(filepath.Dir(r.file), "deck.toml")); err != nil {
		t.Fatal(err)
	}
	found, status, _ := r.doctor()
	wantFaults(t, found, status, map[string]string{"deck.file": "tavolo calibrate deck"})
	if _, err := LoadConfig(r.file); err == nil || !strings.Contains(err.Error(), "deck.file") {
		t.Errorf("the table would start without a deck: %v", err)
	}
}
