// Package drivers_test holds the drivers against what is known of the hardware: vectors, and faults that others reported.
package drivers_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryVectorHasATest: testdata/vectors.txt lists frames, checksums and samples that were worked out independently of
// this code, each behind its name. The bytes of each are in a test, written in whatever way.
func TestEveryVectorHasATest(t *testing.T) {
	var all strings.Builder
	for _, text := range tests(t) {
		all.WriteString(bare(text))
	}
	for name, bytes := range rows(t, "vectors.txt") {
		if !strings.Contains(all.String(), bare(bytes)) {
			t.Errorf("no test has the vector %s: %s", name, bytes)
		}
	}
}

// bare is a text in small letters without all that stands between digits in Go.
func bare(text string) string {
	return regexp.MustCompile(`0x|\\x|[\s,:{}()'"+]`).ReplaceAllString(strings.ToLower(text), "")
}

// TestEveryFaultHasATest: testdata/faults.txt lists faults of such hardware, and of what drives it, that were reported in
// public, by number, and behind a colon why it is none of ours, where that is so. A test stands for the numbers that its
// comment has: "fault 8", "faults 8 and 9".
func TestEveryFaultHasATest(t *testing.T) {
	var named []string
	for _, text := range tests(t) {
		for _, found := range regexp.MustCompile(`(?i)\bfaults? (\d+(?:(?:, | and )\d+)*)`).FindAllStringSubmatch(text, -1) {
			named = append(named, regexp.MustCompile(`\d+`).FindAllString(found[1], -1)...)
		}
	}
	for number, reason := range rows(t, "faults.txt") {
		if !slices.Contains(named, number) && reason == "" {
			t.Errorf("no test names fault %s, and testdata/faults.txt gives no reason", number)
		}
	}
}

// rows are the lines of a list, by what stands before the colon.
func rows(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		out[name] = rest
	}
	return out
}

// tests are the texts of the tests of what drives hardware and makes sense of it.
func tests(t *testing.T) (texts []string) {
	t.Helper()
	repo := os.DirFS("..")
	for _, dir := range []string{"drivers", "firmware-bridge", "calibration"} {
		err := fs.WalkDir(repo, dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") || name == "drivers/vectors_test.go" {
				return err
			}
			text, err := fs.ReadFile(repo, name)
			texts = append(texts, string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}
