package calibration

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Fault is one thing that is wrong in a file that describes a table or what belongs to it.
type Fault struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	// Path is the key, with those of the tables around it: tags.E004015012345678. It is empty where the fault has none.
	Path string `json:"path,omitempty"`
	// Reason says what is wrong and what is expected.
	Reason string `json:"reason"`
}

// Error gives the fault as file:line: path: reason.
func (f *Fault) Error() string {
	if f.Path == "" {
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Path, f.Reason)
}

// registry is a TOML file that says what tags stand for: a name, and a table of tags.
type registry struct {
	file string // for errors
	data []byte
	// what is named, and what each tag is of with an example, for errors.
	what, entry string
}

// read gives the name, and calls take with each tag, in capitals, and its value. What take has against it is a fault there,
// as is a tag that is none or that was there before. An error joins every fault of the file, each a *Fault.
func (g registry) read(take func(line int, tag string, v *unstable.Node) error) (name string, err error) {
	if err := toml.Unmarshal(g.data, &map[string]any{}); err != nil {
		line := 1
		if syntax, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = syntax.Position()
		}
		return "", &Fault{File: g.file, Line: line, Reason: err.Error()}
	}
	r := registryReader{registry: g, take: take, lines: map[string]int{}}
	r.read()
	return r.name, errors.Join(r.faults...)
}

// registryReader goes through a file that is known to be good TOML.
type registryReader struct {
	registry
	take   func(line int, tag string, v *unstable.Node) error
	name   string
	named  bool
	lines  map[string]int // of the tags so far
	faults []error
}

func (r *registryReader) fault(line int, path, format string, args ...any) {
	r.faults = append(r.faults, &Fault{File: r.file, Line: line, Path: path, Reason: fmt.Sprintf(format, args...)})
}

func (r *registryReader) read() {
	var p unstable.Parser
	p.Reset(r.data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		path, line := r.key(e)
		switch {
		case e.Kind == unstable.KeyValue:
			r.value(line, table+path, e.Value())
		case e.Kind == unstable.Table && path == "tags":
			table = "tags."
		default:
			table = path + "."
			r.fault(line, path, "unknown table: want [tags]")
		}
	}
	if !r.named {
		r.fault(1, "name", "missing: want what people call %s", r.what)
	}
	if len(r.lines) == 0 && len(r.faults) == 0 {
		r.fault(1, "tags", "missing: want a line for each %s", r.entry)
	}
}

// key gives the dotted key of a table or value, and its line.
func (r *registryReader) key(e *unstable.Node) (path string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		if line == 0 {
			line = 1 + bytes.Count(r.data[:it.Node().Raw.Offset], []byte("\n"))
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), line
}

// errText is what is wrong with a value that is no text.
var errText = errors.New("want text in quotes")

func (r *registryReader) value(line int, path string, v *unstable.Node) {
	tag, isTag := strings.CutPrefix(path, "tags.")
	switch {
	case isTag:
		r.tag(line, path, strings.ToUpper(tag), v)
	case path != "name":
		r.fault(line, path, "unknown key: want name and a table [tags]")
	case v.Kind != unstable.String || len(v.Data) == 0:
		r.named = true
		r.fault(line, path, "%v", errText)
	default:
		r.named, r.name = true, string(v.Data)
	}
}

// The length of a tag's UID in bytes: ISO 14443 has 4, 7 or 10, ISO 15693 has 8, and longer codes go up to 16.
const minUID, maxUID = 4, 16

func (r *registryReader) tag(line int, path, tag string, v *unstable.Node) {
	if b, err := hex.DecodeString(tag); err != nil || len(b) < minUID || len(b) > maxUID {
		r.fault(line, path, "no tag: want the UID of %d to %d bytes in hexadecimal", minUID, maxUID)
		return
	}
	if first := r.lines[tag]; first != 0 {
		r.fault(line, path, "this tag is on line %d too", first)
		return
	}
	r.lines[tag] = line
	if err := r.take(line, tag, v); err != nil {
		r.fault(line, path, "%v", err)
	}
}
