package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
	"tavolo/controller"
	"tavolo/engine"
)

// TestClientPackage: the npm package for operators is made, and the example of its README plays at a table with it, in Node:
// heads-up it has the small blind, and folds. Its line dies before it is dealt in: it gives the line up by itself, and is told its
// cards and turn over the next.
func TestClientPackage(t *testing.T) {
	t.Parallel()
	web, err := filepath.Abs(filepath.Join("..", "..", "display", "web"))
	if err != nil {
		t.Fatal(err)
	}
	esbuild := filepath.Join(web, "node_modules", ".bin", "esbuild")
	if _, err := os.Stat(esbuild); err != nil {
		t.Skipf("no bundler: %v (make web installs it)", err)
	}
	succeeds(t, "npm", "--prefix", web, "run", "client")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(web, "client"), filepath.Join(dir, "node_modules", "tavolo-client")); err != nil {
		t.Fatal(err)
	}
	example := filepath.Join(dir, "example.mjs")
	succeeds(t, esbuild, filepath.Join(web, "src", "client", "example.ts"), "--format=esm", "--log-level=warning", "--outfile="+example)

	folds(t, func(d *daemon) (string, []string, *cable) {
		line := lay(t, "ws://"+d.web.Addr().String())
		return "node", []string{example, strings.Replace(line.url, "tcp", "ws", 1) + "/mqtt"}, line
	})
}

// TestClientExample: the example of the Go package is a program that plays too, and its README shows it.
func TestClientExample(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "controller", "client")
	code, err := os.ReadFile(filepath.Join(dir, "example", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), string(code)) {
		t.Error("controller/client/README.md does not show example/main.go as it is")
	}
	example := filepath.Join(t.TempDir(), "example")
	succeeds(t, "go", "build", "-o", example, "../../controller/client/example")
	folds(t, func(d *daemon) (string, []string, *cable) {
		line := lay(t, d.brokerURL())
		return example, []string{line.url}, line
	})
}

// succeeds runs a program, which must.
func succeeds(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// folds has an example play at a table of two as alice, over a line that dies. The program's arguments begin with the broker's
// address.
func folds(t *testing.T, program func(*daemon) (name string, args []string, line *cable)) {
	t.Helper()
	r := virtualDemo(t, demoOptions{seats: 2, listen: "127.0.0.1:0"})
	dealer := load.NewDealer("dealer", 200)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer) })
	w := r.watch(d.brokerURL())

	ctx, stop := context.WithTimeout(t.Context(), patience)
	topics := r.cfg.Topics
	name, args, line := program(d)
	example := exec.CommandContext(ctx, name, append(args, topics.Studio, topics.Table, "alice", demoPassword, string(demoKey("alice")))...)
	example.Cancel = func() error { return example.Process.Signal(os.Interrupt) }
	example.WaitDelay = 10 * time.Second
	example.Stderr = t.Output()
	out, err := example.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := example.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = example.Wait() // it is interrupted
	}()
	w.await("she is there", func(s *seen) bool {
		return slices.ContainsFunc(s.state().Players, func(p controller.Player) bool { return p.Player == "alice" && p.Connected })
	})
	line.cut()
	r.deals(d, dealer, func(hands uint64) bool { return hands == 0 })
	w.await("it is her turn", func(s *seen) bool { return s.state().View.Awaits.Kind == engine.AwaitAction })
	eventually(t, "she gives the dead line up", func() bool { return line.called() > 1 })
	line.mend()
	lines := bufio.NewScanner(out)
	for _, want := range []string{`^hand 1: \w\w ?\w\w \| $`, `^fold$`} {
		if !lines.Scan() || !regexp.MustCompile(want).MatchString(lines.Text()) {
			t.Fatalf("the example says %q, want %s", lines.Text(), want)
		}
	}
	w.await("the pot goes to the other", func(s *seen) bool { return s.over() && s.stacks()[2] == 201 })
}
