package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"tavolo/calibration"
)

// document is a TOML file while it is read: where everything in it stands, and what is wrong with it. Reading goes on
// after a fault, so that all of them are found at once.
type document struct {
	file   string
	lines  map[string]int // by path: table, table.game, seats[2].player
	faults []*calibration.Fault
}

// section is one table of a document. A key that was never asked for is unknown: see close.
type section struct {
	doc    *document
	path   string // "" for the document itself
	values map[string]any
	asked  map[string]bool
}

// parseDocument gives the top of a file. The error is a *calibration.Fault: the file is no TOML.
func parseDocument(file string, data []byte) (*section, error) {
	values := map[string]any{}
	if err := toml.Unmarshal(data, &values); err != nil {
		line := 1
		if syntax, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = syntax.Position()
		}
		return nil, &calibration.Fault{File: file, Line: line, Reason: err.Error()}
	}
	doc := &document{file: file, lines: linesOf(data)}
	return &section{doc: doc, values: values, asked: map[string]bool{}}, nil
}

// fault takes down what is wrong at a path.
func (d *document) fault(path, format string, args ...any) {
	f := &calibration.Fault{File: d.file, Line: d.line(path), Path: path, Reason: fmt.Sprintf(format, args...)}
	d.faults = append(d.faults, f)
}

// line is where a path stands: the line of what is around it if there is no such thing, the first if there is nothing.
func (d *document) line(path string) int {
	for path != "" {
		if line, ok := d.lines[path]; ok {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 1
}

// faulty is whether a fault was found at just this path.
func (d *document) faulty(path string) bool {
	return slices.ContainsFunc(d.faults, func(f *calibration.Fault) bool { return f.Path == path })
}

// err joins the faults in the order of their lines and paths; it is nil if there are none.
func (d *document) err() error {
	slices.SortStableFunc(d.faults, func(a, b *calibration.Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Path, b.Path))
	})
	errs := make([]error, len(d.faults))
	for i, f := range d.faults {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// at is the path of a key.
func (s *section) at(key string) string {
	if s.path == "" {
		return key
	}
	return s.path + "." + key
}

func (s *section) fault(key, format string, args ...any) { s.doc.fault(s.at(key), format, args...) }

// has is whether the key is there. It makes the key a known one.
func (s *section) has(key string) bool {
	s.asked[key] = true
	_, ok := s.values[key]
	return ok
}

// value gives the value of a key, which must be of type T; else the fallback.
func value[T any](s *section, key, want string, fallback T) T {
	if !s.has(key) {
		return fallback
	}
	v, ok := s.values[key].(T)
	if !ok {
		s.fault(key, "want %s", want)
		return fallback
	}
	return v
}

// maxText is the longest text a configuration may hold, in runes: names have to fit on displays.
const maxText = 200

// text gives a text without control characters, or the fallback.
func (s *section) text(key, fallback string) string {
	v := value(s, key, "text in quotes", fallback)
	if utf8.RuneCountInString(v) > maxText || strings.ContainsFunc(v, unicode.IsControl) {
		s.fault(key, "want at most %d characters, none of them a control character", maxText)
		return fallback
	}
	return v
}

// flag gives true or false; false is the fallback.
func (s *section) flag(key string) bool { return value(s, key, "true or false", false) }

// number gives a whole number within bounds, or the fallback.
func (s *section) number(key string, fallback, lowest, highest int64) int64 {
	if !s.has(key) {
		return fallback
	}
	v, ok := s.values[key].(int64)
	if !ok || v < lowest || v > highest {
		s.fault(key, "want a whole number from %d to %d", lowest, highest)
		return fallback
	}
	return v
}

// numbers gives so many numbers within bounds, none where the key is not there, or faulty.
func (s *section) numbers(key string, n int, lowest, highest int64) []int64 {
	values := value[[]any](s, key, "an array of numbers", nil)
	out := make([]int64, len(values))
	for i, v := range values {
		var ok bool
		if out[i], ok = v.(int64); !ok || out[i] < lowest || out[i] > highest || len(values) != n {
			s.fault(key, "want %d whole numbers from %d to %d", n, lowest, highest)
			return nil
		}
	}
	return out
}

// requiredNumber is number for a key that must be there; 0 stands where it is not, or faulty.
func (s *section) requiredNumber(key string, lowest, highest int64) int64 {
	if !s.has(key) {
		s.fault(key, "missing: want a whole number from %d to %d", lowest, highest)
	}
	return s.number(key, 0, lowest, highest)
}

// duration gives a time within bounds, written as "20s" or "1m30s", or the fallback.
func (s *section) duration(key string, fallback, lowest, highest time.Duration) time.Duration {
	return parsed(s, key, fallback, func(text string) (time.Duration, error) {
		v, err := time.ParseDuration(text)
		if err != nil || v < lowest || v > highest {
			return 0, fmt.Errorf("%q: want a time from %v to %v, such as 20s", text, lowest, highest)
		}
		return v, nil
	})
}

// parsed gives what parse makes of a text. The fallback stands where there is none, or a faulty one. The error of parse
// says what is wrong and what is wanted.
func parsed[T any](s *section, key string, fallback T, parse func(string) (T, error)) T {
	if !s.has(key) {
		return fallback
	}
	text, ok := s.values[key].(string)
	if !ok {
		s.fault(key, "want text in quotes")
		return fallback
	}
	v, err := parse(text)
	if err != nil {
		s.fault(key, "%v", err)
		return fallback
	}
	return v
}

// required is parsed for a key that must be there.
func required[T any](s *section, key string, parse func(string) (T, error)) T {
	var none T
	if !s.has(key) {
		_, err := parse("")
		_, want, _ := strings.Cut(err.Error(), ": ")
		s.fault(key, "missing: %s", want)
		return none
	}
	return parsed(s, key, none, parse)
}

// list gives what parse makes of every text of an array, the zero value for a faulty one.
func list[T any](s *section, key string, parse func(string) (T, error)) []T {
	values := value[[]any](s, key, "an array of texts", nil)
	out := make([]T, len(values))
	for i, v := range values {
		item := &section{doc: s.doc, path: s.path, values: map[string]any{}, asked: map[string]bool{}}
		name := fmt.Sprintf("%s[%d]", key, i)
		item.values[name] = v
		out[i] = parsed(item, name, out[i], parse)
	}
	return out
}

// table gives the table below a key, an empty one if there is none.
func (s *section) table(key string) *section {
	values := value[map[string]any](s, key, "a table, ["+s.at(key)+"]", nil)
	return &section{doc: s.doc, path: s.at(key), values: values, asked: map[string]bool{}}
}

// tables gives the tables of an array below a key.
func (s *section) tables(key string) []*section {
	want := "tables, [[" + s.at(key) + "]]"
	var out []*section
	for i, v := range value[[]any](s, key, want, nil) {
		path := fmt.Sprintf("%s[%d]", s.at(key), i)
		values, ok := v.(map[string]any)
		if !ok {
			s.doc.fault(path, "want %s", want)
		}
		out = append(out, &section{doc: s.doc, path: path, values: values, asked: map[string]bool{}})
	}
	return out
}

// forbid reports the keys that are there, and not empty, though something else makes them pointless.
func (s *section) forbid(why string, keys ...string) {
	for _, key := range keys {
		switch v := s.values[key].(type) {
		case nil:
		case string:
			if v != "" {
				s.fault(key, "%s", why)
			}
		case bool:
			if v {
				s.fault(key, "%s", why)
			}
		case int64:
			if v != 0 {
				s.fault(key, "%s", why)
			}
		case []any:
			if len(v) > 0 {
				s.fault(key, "%s", why)
			}
		}
	}
}

// once reports a value that was met before. Seen holds the paths of those met so far; the zero value is none.
func once[T comparable](d *document, seen map[T]string, path string, v T) {
	var none T
	if v == none {
		return
	}
	if first, again := seen[v]; again {
		d.fault(path, "%v is on line %d too", v, d.line(first))
		return
	}
	seen[v] = path
}

// close reports every key that nobody asked for.
func (s *section) close() {
	known := strings.Join(slices.Sorted(maps.Keys(s.asked)), ", ")
	for key := range s.values {
		if !s.asked[key] {
			s.fault(key, "unknown key: want one of %s", known)
		}
	}
}

// split undoes errors.Join.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}

// linesOf finds the line of every table, key and array element of a file that is good TOML, by its path.
func linesOf(data []byte) map[string]int {
	x := lineIndex{data: data, lines: map[string]int{}, counts: map[string]int{}}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			x.keyValue(table, e)
		} else {
			table = x.header(e)
		}
	}
	return x.lines
}

type lineIndex struct {
	data   []byte
	lines  map[string]int
	counts map[string]int // of the tables in each array of tables
}

// mark takes down the line of a path where it is met first.
func (x *lineIndex) mark(path string, at unstable.Range) {
	if _, ok := x.lines[path]; !ok && path != "" {
		x.lines[path] = 1 + bytes.Count(x.data[:at.Offset], []byte("\n"))
	}
}

// header takes down [a.b] or [[a.b]] and gives the path of the table.
func (x *lineIndex) header(e *unstable.Node) string {
	path := ""
	for it := e.Key(); it.Next(); {
		path = strings.TrimPrefix(path+"."+string(it.Node().Data), ".")
		x.mark(path, it.Node().Raw)
		if e.Kind == unstable.ArrayTable && it.IsLast() {
			x.counts[path]++
		}
		if n := x.counts[path]; n > 0 {
			path = fmt.Sprintf("%s[%d]", path, n-1)
			x.mark(path, it.Node().Raw)
		}
	}
	return path
}

func (x *lineIndex) keyValue(table string, e *unstable.Node) {
	path := table
	for it := e.Key(); it.Next(); {
		path = strings.TrimPrefix(path+"."+string(it.Node().Data), ".")
		x.mark(path, it.Node().Raw)
	}
	x.value(path, e.Value())
}

// value takes down what is inside an array or an inline table.
func (x *lineIndex) value(path string, v *unstable.Node) {
	i := 0
	for it := v.Children(); it.Next(); i++ {
		if e := it.Node(); e.Kind == unstable.KeyValue {
			x.keyValue(path, e)
		} else {
			item := fmt.Sprintf("%s[%d]", path, i)
			if e.Raw.Length > 0 { // an array has no place of its own
				x.mark(item, e.Raw)
			}
			x.value(item, e)
		}
	}
}
