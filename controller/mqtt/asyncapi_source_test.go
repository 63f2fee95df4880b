package mqtt

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tavolo/controller"
)

// sourceOf reads what the text of the packages whose types are in payloads says of them.
func sourceOf(t *testing.T) source {
	t.Helper()
	s := source{about: map[string]string{}, values: map[string][]string{}}
	var codes []string
	for _, dir := range []string{".", "..", "../seal", "../../engine", "../../engine/card", "../../engine/seating", "../../engine/bonus"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.GenDecl); ok {
					codes = append(codes, s.declared(f.Name.Name, d)...)
				}
			}
		}
	}
	delete(s.values, "controller.Verb") // of which players and consoles have theirs
	verbs := func(m map[controller.Verb]bool) (out []string) {
		for v := range m {
			out = append(out, string(v))
		}
		return slices.Sorted(slices.Values(out))
	}
	maps.Copy(s.values, map[string][]string{
		"mqtt.StatusPayload.State":         {StateOnline, StateStopped, StateLost},
		"mqtt.DevicePayload.State":         {StateUp, StateDown},
		"mqtt.DeviceEventPayload.Happened": {StateUp, StateDown, EventFaults, EventLidOpened, EventLidClosed},
		"mqtt.ActionPayload.Action":        verbs(playerVerbs),
		"mqtt.CommandPayload.Command":      verbs(consoleVerbs),
		"mqtt.PlanPayload.Plan": {
			string(controller.VerbPlanCheckFold), string(controller.VerbPlanCheck), string(controller.VerbPlanCall), string(controller.VerbPlanCallAny),
		},
		"mqtt.ReplyPayload.Code": slices.Compact(slices.Sorted(slices.Values(codes))),
	})
	return s
}

// declared takes the comments of a declaration's types, the values of its constants that have a type, and gives the codes of
// refusals among them.
func (s *source) declared(pkg string, d *ast.GenDecl) (codes []string) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc := d.Doc
			if spec.Doc != nil {
				doc = spec.Doc
			}
			s.typed(pkg+"."+spec.Name.Name, doc, spec.Type)
		case *ast.ValueSpec:
			if d.Tok != token.CONST || len(spec.Values) != 1 {
				continue
			}
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				continue
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				panic(err) // the parser took it
			}
			if of, ok := spec.Type.(*ast.Ident); ok {
				s.values[pkg+"."+of.Name] = append(s.values[pkg+"."+of.Name], text)
			}
			if regexp.MustCompile(`^Code[A-Z]`).MatchString(spec.Names[0].Name) {
				codes = append(codes, text)
			}
		}
	}
	return codes
}

// typed takes the comments of a type and its fields. A field without one is told of in that of the fields before it, or not at
// all. They speak of fields by their names in Go, a reader knows those of JSON.
func (s *source) typed(name string, doc *ast.CommentGroup, of ast.Expr) {
	inJSON := map[string]string{}
	put := func(at, text string) {
		s.about[at] = regexp.MustCompile(`\w+`).ReplaceAllStringFunc(strings.Join(strings.Fields(text), " "), func(word string) string {
			if json := inJSON[word]; json != "" {
				return json
			}
			return word
		})
	}
	if st, ok := of.(*ast.StructType); ok {
		for _, f := range st.Fields.List {
			if f.Tag != nil && len(f.Names) == 1 {
				tag, _ := strconv.Unquote(f.Tag.Value)
				inJSON[f.Names[0].Name], _, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			}
		}
		last := ""
		for _, f := range st.Fields.List {
			var own string
			switch {
			case f.Doc != nil:
				last = f.Doc.Text()
			case f.Comment != nil:
				own = f.Comment.Text()
			}
			for _, field := range f.Names {
				text := own
				if text == "" && (f.Doc != nil || regexp.MustCompile(`\b`+field.Name+`\b`).MatchString(last)) {
					text = last
				}
				if text != "" {
					put(name+"."+field.Name, text)
				}
			}
		}
	}
	if doc != nil {
		put(name, doc.Text())
	}
}

// Every schema of the document says what it is, and every field what it means, unless that of its type or of what it is part of does;
// and what is one of a few words lists them.
func TestAsyncAPISaysWhatFieldsMean(t *testing.T) {
	doc := read(t, AsyncAPI)
	says := func(s object, field string) bool {
		about, _ := s["description"].(string)
		return about != "" && regexp.MustCompile(`\b`+field+`\b`).MatchString(about)
	}
	for name, v := range at(doc, "components", "schemas") {
		s := v.(object)
		if !says(s, "") {
			t.Errorf("%s says nothing", name)
		}
		for field, v := range at(s, "properties") {
			is, _ := resolved(doc, v.(object))
			if field != "v" && !says(is, "") && !says(s, field) {
				t.Errorf("%s.%s says nothing", name, field)
			}
		}
	}
	for field, value := range map[string]string{
		"ActionPayload.action": "fold", "CommandPayload.cmd": "start_hand", "Event.event": "hand_began", "StatusPayload.state": "lost",
		"TurnPayload.kind": "action", "ReplyPayload.code": "too_little", "Player.kind": "remote", "View.phase": "betting", "Event.card": "As",
	} {
		of, name, _ := strings.Cut(field, ".")
		s := promiseOf(at(schema(doc, of), "properties", name))
		s, _ = resolved(doc, s)
		if values, _ := s["enum"].([]any); !slices.Contains(values, any(value)) {
			t.Errorf("%s may not be %s: %v", field, value, values)
		}
	}
}
