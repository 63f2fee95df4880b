package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"tavolo/cmd/tavolo/load"
)

// TestClientPackage: the npm package for operators is made, and the example of its README plays at a table with it, in Node:
// heads-up it has the small blind, and folds.
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
	run := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	run("npm", "--prefix", web, "run", "client")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(web, "client"), filepath.Join(dir, "node_modules", "tavolo-client")); err != nil {
		t.Fatal(err)
	}
	example := filepath.Join(dir, "example.mjs")
	run(esbuild, filepath.Join(web, "src", "client", "example.ts"), "--format=esm", "--log-level=warning", "--outfile="+example)

	r := virtualDemo(t, demoOptions{seats: 2, listen: "127.0.0.1:0"})
	dealer := load.NewDealer("dealer", 200)
	d := r.daemon(func(d *daemon) { d.outputs = append(d.outputs, dealer) })
	w := r.watch(d.brokerURL())
	r.deals(d, dealer, func(hands uint64) bool { return hands == 0 })

	ctx, stop := context.WithTimeout(t.Context(), patience)
	topics := r.cfg.Topics
	node := exec.CommandContext(ctx, "node", example, "ws://"+d.web.Addr().String()+"/mqtt", topics.Studio, topics.Table, "alice", demoPassword, string(demoKey("alice")))
	node.Cancel = func() error { return node.Process.Signal(os.Interrupt) }
	node.WaitDelay = 10 * time.Second
	node.Stderr = t.Output()
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = node.Wait() // it is interrupted
	}()
	lines := bufio.NewScanner(out)
	for _, want := range []string{`^hand 1: \w\w \w\w \| $`, `^fold$`} {
		if !lines.Scan() || !regexp.MustCompile(want).MatchString(lines.Text()) {
			t.Fatalf("the example says %q, want %s", lines.Text(), want)
		}
	}
	w.await("the pot goes to the other", func(s *seen) bool { return s.over() && s.stacks()[2] == 201 })
}
