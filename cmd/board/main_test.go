package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, console string
		want          string // in the error, "" for none
		shown         string // what of the console is shown beside the verdicts
	}{
		{"all is well", "boot\r\n--- PASS: TestA\r\nBOARD ok  a 1.0s\r\nBOARD done\r\n", "", ""},
		{"a test fails", "--- FAIL: TestA\nBOARD FAIL (exit status 1) a 1.0s\n--- PASS: TestB\nBOARD ok  b 1.0s\nBOARD done\n", "1 packages", "--- FAIL: TestA"},
		{"a test skips", "--- SKIP: TestA\nBOARD ok  a 1.0s\nBOARD done\n", "1 packages", "--- SKIP: TestA"},
		{"the kernel complains", "[1.0] BUG: unable to handle page fault\nBOARD ok  a 1.0s\nBOARD done\n", "1 packages", "BUG: "},
		{"the kernel panics", "BOARD ok  a 1.0s\nKernel panic - not syncing\n", "Kernel panic", ""},
		{"nothing at all", "", "stopped before", ""},
	} {
		var out bytes.Buffer
		err := judge(strings.NewReader(c.console), &out, false)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if !strings.Contains(out.String(), c.shown) || strings.Contains(out.String(), "PASS") {
			t.Errorf("%s: shows\n%s", c.name, &out)
		}
	}
}

// The archive is one that the system's cpio, where there is one, unpacks to the same files.
func TestPack(t *testing.T) {
	cpio, err := exec.LookPath("cpio")
	if err != nil {
		t.Skip("no cpio")
	}
	root, back := t.TempDir(), t.TempDir()
	files := map[string]string{"init": "#!", "a/b/c": "three", "a/empty": "", "odd-name-1": strings.Repeat("x", 4097)}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	image := filepath.Join(t.TempDir(), "image")
	if err := pack(image, root); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cpio, "-id", "--quiet", "-F", image)
	cmd.Dir = back
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(back, name)); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}
