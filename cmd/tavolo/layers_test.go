package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// layers says which folders the packages of a folder may import from, beside their own. cmd wires them all.
var layers = map[string][]string{
	"engine":          {},
	"firmware-bridge": {},
	"drivers":         {"firmware-bridge"},
	"calibration":     {"engine"},
	"display":         {"engine"},
	"controller":      {"engine"},
	"cmd":             {"engine", "firmware-bridge", "drivers", "calibration", "display", "controller"},
}

// impure are the standard packages, with all below them, that have no place in the engine: I/O, time, concurrency and
// chance. Its tests may use them.
var impure = []string{
	"bufio", "context", "crypto", "database", "embed", "expvar", "flag", "io", "log", "math/rand", "mime", "net", "os",
	"path/filepath", "plugin", "runtime", "sync", "syscall", "testing", "time", "unsafe",
}

// foreign are the modules that packages of the engine may use all the same.
var foreign = map[string]string{
	"engine/phh": "github.com/pelletier/go-toml/v2",
}

// banned are packages that nothing may use, and why.
var banned = map[string]string{
	"periph.io/x/host/v3": "its Init looks for everything a board may have, and closes file descriptor 0 on a Raspberry Pi 5: see package bus",
}

// TestLayers holds the imports of every package, tests included, against the table above.
func TestLayers(t *testing.T) {
	faults, files, err := layerFaults(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
	if files < 50 {
		t.Errorf("%d Go files found, the check has lost its way", files)
	}
}

// layerFaults checks every Go file of a repository. A fault is file:line: what may not be imported there, and why.
func layerFaults(repo fs.FS) (faults []string, files int, err error) {
	err = fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || name != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		files++
		found, err := fileFaults(repo, name)
		faults = append(faults, found...)
		return err
	})
	return faults, files, err
}

func fileFaults(repo fs.FS, name string) ([]string, error) {
	src, err := fs.ReadFile(repo, name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, imp := range file.Imports {
		imported, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, err
		}
		if reason := forbidden(name, imported); reason != "" {
			faults = append(faults, fmt.Sprintf("%s:%d: imports %s: %s", name, set.Position(imp.Pos()).Line, imported, reason))
		}
	}
	return faults, nil
}

// forbidden says why a file may not import a package, "" if it may.
func forbidden(file, imported string) string {
	folder, _, _ := strings.Cut(file, "/")
	allowed, known := layers[folder]
	if !known {
		return "this folder is not in the table of layers"
	}
	if why := banned[imported]; why != "" {
		return why
	}
	if ours, ok := strings.CutPrefix(imported, "tavolo/"); ok {
		from, _, _ := strings.Cut(ours, "/")
		if from != folder && !slices.Contains(allowed, from) {
			return fmt.Sprintf("%s may only import %s", folder, strings.Join(append([]string{folder}, allowed...), ", "))
		}
		return ""
	}
	if folder != "engine" || strings.HasSuffix(file, "_test.go") {
		return ""
	}
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case imported == "C":
		return "the engine is pure"
	case strings.Contains(first, "."): // a module
		if m := foreign[path.Dir(file)]; m == "" || !within(imported, m) {
			return "the engine uses no other modules"
		}
	case slices.ContainsFunc(impure, func(p string) bool { return within(imported, p) }):
		return "the engine is pure"
	}
	return ""
}

// within is whether a package is another, or below it.
func within(pkg, parent string) bool { return pkg == parent || strings.HasPrefix(pkg, parent+"/") }

// TestLayerFaults shows that the check finds what it is there for.
func TestLayerFaults(t *testing.T) {
	for _, c := range []struct {
		file, src string
		want      string // fault without the file's name, "" for none
	}{
		{"engine/a.go", "package engine\n\nimport (\n\t\"fmt\"\n\t\"tavolo/engine/card\"\n)", ""},
		{"engine/a.go", "package engine\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)", "5: imports time: the engine is pure"},
		{"engine/eval/a.go", "package eval\nimport \"math/rand/v2\"", "2: imports math/rand/v2: the engine is pure"},
		{"engine/eval/a.go", "package eval\nimport \"os\"", "2: imports os: the engine is pure"},
		{"engine/eval/a.go", "package eval\nimport \"io/fs\"", "2: imports io/fs: the engine is pure"},
		{"engine/eval/a.go", "package eval\nimport \"sync\"", "2: imports sync: the engine is pure"},
		{"engine/eval/a.go", "package eval\nimport \"C\"", "2: imports C: the engine is pure"},
		{"engine/eval/a.go", "package eval\nimport \"math/bits\"", ""},
		{"engine/eval/a_test.go", "package eval\nimport \"time\"\nimport \"pgregory.net/rapid\"", ""},
		{"engine/eval/a.go", "package eval\nimport \"github.com/pelletier/go-toml/v2\"", "2: imports github.com/pelletier/go-toml/v2: the engine uses no other modules"},
		{"engine/phh/a.go", "package phh\nimport \"github.com/pelletier/go-toml/v2/unstable\"", ""},
		{"engine/phh/a.go", "package phh\nimport \"github.com/pelletier/go-toml\"", "2: imports github.com/pelletier/go-toml: the engine uses no other modules"},
		{"engine/a_test.go", "package engine\nimport \"tavolo/controller\"", "2: imports tavolo/controller: engine may only import engine"},
		{"firmware-bridge/a.go", "package bridge\nimport \"time\"", ""},
		{"firmware-bridge/a.go", "package bridge\nimport _ \"tavolo/drivers/port\"", "2: imports tavolo/drivers/port: firmware-bridge may only import firmware-bridge"},
		{"drivers/sim/a.go", "package sim\nimport b \"tavolo/firmware-bridge\"\nimport \"tavolo/drivers/port\"", ""},
		{"drivers/sim/a_test.go", "package sim\nimport \"tavolo/engine/card\"", "2: imports tavolo/engine/card: drivers may only import drivers, firmware-bridge"},
		{"calibration/a.go", "package calibration\nimport \"tavolo/engine\"\nimport \"tavolo/drivers/pepper\"", "3: imports tavolo/drivers/pepper: calibration may only import calibration, engine"},
		{"display/a.go", "package display\nimport \"tavolo/controller/mqtt\"", "2: imports tavolo/controller/mqtt: display may only import display, engine"},
		{"controller/mqtt/a.go", "package mqtt\nimport \"tavolo/controller/journal\"\nimport \"tavolo/display\"", "3: imports tavolo/display: controller may only import controller, engine"},
		{"cmd/tavolo/a.go", "package main\nimport \"tavolo/display\"\nimport \"tavolo/drivers/sim\"", ""},
		{
			"drivers/bus/a.go", "package bus\nimport \"periph.io/x/host/v3\"",
			"2: imports periph.io/x/host/v3: its Init looks for everything a board may have, and closes file descriptor 0 on a Raspberry Pi 5: see package bus",
		},
		{"drivers/bus/a.go", "package bus\nimport \"periph.io/x/host/v3/sysfs\"", ""},
		{"main.go", "package main\nimport \"fmt\"", "2: imports fmt: this folder is not in the table of layers"},
		{"tools/a.go", "package tools\nimport \"tavolo/engine\"", "2: imports tavolo/engine: this folder is not in the table of layers"},
		{"display/web/node_modules/x/a.go", "package x\nimport \"tavolo/cmd\"", ""},
		{"engine/testdata/a.go", "package x\nimport \"os\"", ""},
		{".cache/a.go", "package x\nimport \"os\"", ""},
	} {
		faults, _, err := layerFaults(fstest.MapFS{c.file: {Data: []byte(c.src)}})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(faults, "\n")
		want := c.want
		if want != "" {
			want = c.file + ":" + want
		}
		if got != want {
			t.Errorf("%s, %q:\ngot  %s\nwant %s", c.file, c.src, got, want)
		}
	}
	if _, _, err := layerFaults(fstest.MapFS{"engine/a.go": {Data: []byte("pakage engine")}}); err == nil {
		t.Error("a file that is no Go passes")
	}
}
