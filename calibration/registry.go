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

// registry is a TOML file that says what tags stand for: a name, a table of tags, and one of tags that are out of use.
type registry struct {
	file string // for errors
	data []byte
	// what is named, and what each tag is of with an example, for errors.
	what, entry string
	// retired has the file have a table of tags that are out of use.
	retired bool
}

// entry is one tag of a registry and what it stands for.
type entry struct {
	line    int
	tag     string // in capitals
	retired bool
	value   *unstable.Node
}

// read gives the name, and calls take with each tag. What take has against it is a fault there, as is a tag that is none or
// that was there before. An error joins every fault of the file, each a *Fault.
func (g registry) read(take func(entry) error) (name string, err error) {
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
	take   func(entry) error
	name   string
	named  bool
	lines  map[string]int // of the tags so far
	used   int            // how many of them are not retired
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
		case e.Kind == unstable.Table && (path == "tags" || path == "retired" && r.retired):
			table = path + "."
		default:
			table = path + "."
			r.fault(line, path, "unknown table: want [tags]")
		}
	}
	if !r.named {
		r.fault(1, "name", "missing: want what people call %s", r.what)
	}
	if r.used == 0 && len(r.faults) == 0 {
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
	old, isOld := strings.CutPrefix(path, "retired.")
	switch {
	case isTag:
		r.tag(path, entry{line, strings.ToUpper(tag), false, v})
	case isOld && r.retired:
		r.tag(path, entry{line, strings.ToUpper(old), true, v})
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

// checkUID says what is wrong with the text of a tag's UID.
func checkUID(tag string) error {
	if b, err := hex.DecodeString(tag); err != nil || len(b) < minUID || len(b) > maxUID {
		return fmt.Errorf("no tag: want the UID of %d to %d bytes in hexadecimal", minUID, maxUID)
	}
	return nil
}

func (r *registryReader) tag(path string, e entry) {
	if err := checkUID(e.tag); err != nil {
		r.fault(e.line, path, "%v", err)
		return
	}
	if first := r.lines[e.tag]; first != 0 {
		r.fault(e.line, path, "this tag is on line %d too", first)
		return
	}
	r.lines[e.tag] = e.line
	if !e.retired {
		r.used++
	}
	if err := r.take(e); err != nil {
		r.fault(e.line, path, "%v", err)
	}
}

// nameText is the line of a registry's name.
func nameText(name string) []byte {
	b, err := toml.Marshal(struct {
		Name string `toml:"name"`
	}{name})
	if err != nil {
		panic(err) // every text can be written
	}
	return b
}
