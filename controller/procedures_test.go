package controller

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write PROCEDURES.md again")

// row is a row of the catalogue of procedures: what goes wrong at a table, and by what it is put right: kinds of prompts, for
// what sensors see, and verbs of a console, for what they do not. Where there is neither, reason says why.
type row struct {
	number       string
	what, reason string
	by           []string
}

// TestEveryProcedureHasATest: testdata/procedures.txt lists every row of the catalogue of procedures with the prompts and the
// verbs that answer it. A test stands for the rows that the comment above it names, and each of these words must be said by some
// test of its row. PROCEDURES.md is the table of rows and tests, -update writes it; a test that is not in it yet does no harm.
func TestEveryProcedureHasATest(t *testing.T) {
	rows := procedures(t)
	words, tests := sources(t)
	old, err := os.ReadFile("PROCEDURES.md")
	if err != nil && !*update {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("# Procedures and their tests\n\nWritten by `go test ./controller -run TestEveryProcedureHasATest -update`.\n\n" +
		"| row | what goes wrong | prompts and verbs | tests |\n|---|---|---|---|\n")
	for _, r := range rows {
		var names []string
		said := map[string]bool{}
		for _, test := range tests {
			if test.rows[r.number] {
				names = append(names, test.name)
				maps.Copy(said, test.says)
			}
		}
		for _, w := range r.by {
			switch {
			case !words[w]:
				t.Errorf("procedures %s: %s is neither a kind of prompt nor a verb", r.number, w)
			case !said[w]:
				t.Errorf("procedures %s: no test of it says %s", r.number, w)
			}
		}
		if (len(r.by) == 0) == (r.reason == "") {
			t.Errorf("procedures %s: want prompts and verbs, or a reason why there are none", r.number)
		}
		slices.Sort(names)
		head := fmt.Sprintf("| %s | %s | %s | ", r.number, r.what, strings.Join(r.by, ", "))
		fmt.Fprintf(&table, "%s%s |\n", head, cmp.Or(strings.Join(names, ", "), r.reason))
		_, listed, found := strings.Cut(string(old), head)
		listed, _, _ = strings.Cut(listed, " |\n")
		gone := slices.ContainsFunc(strings.Split(listed, ", "), func(name string) bool { return !slices.Contains(names, name) })
		if !*update && (!found || gone && listed != r.reason) {
			t.Errorf("PROCEDURES.md: row %s is another by now: write the table again with -update", r.number)
		}
	}
	if *update {
		if err := os.WriteFile("PROCEDURES.md", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// procedures reads testdata/procedures.txt. Where the catalogue itself is at hand, in TAVOLO_RULES or beside the repository,
// the two must have the same rows.
func procedures(t *testing.T) (rows []row) {
	text, err := os.ReadFile("testdata/procedures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for line := range strings.Lines(string(text)) {
		part := strings.Split(strings.TrimSpace(line), " | ")
		if len(part) != 3 {
			t.Fatalf("testdata/procedures.txt: %q: want number | what | prompts and verbs, or a reason", line)
		}
		r := row{number: part[0], what: part[1]}
		if reason, none := strings.CutPrefix(part[2], "none: "); none {
			r.reason = reason
		} else {
			r.by = strings.Fields(part[2])
		}
		rows, numbers = append(rows, r), append(numbers, r.number)
	}
	dir := os.Getenv("TAVOLO_RULES")
	if dir == "" {
		dir = "../../shared"
	}
	text, err = os.ReadFile(filepath.Join(dir, "design/procedures.md"))
	if err != nil {
		t.Logf("the catalogue is not at hand, testdata/procedures.txt stands for it: %v", err)
		return rows
	}
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([0-9]+) \|`).FindAllStringSubmatch(string(text), -1) {
		want = append(want, m[1])
	}
	if !slices.Equal(numbers, want) {
		t.Errorf("testdata/procedures.txt has other rows than the catalogue:\n%v\n%v", numbers, want)
	}
	return rows
}

// procedureTest is a test with the rows it is about and the words it says.
type procedureTest struct {
	name string
	rows map[string]bool
	says map[string]bool
}

// sources reads the package's own files: the kinds of prompts and the verbs there are, and the tests.
func sources(t *testing.T) (words map[string]bool, tests []procedureTest) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	words = map[string]bool{}
	named := map[string]string{}            // words by the names of their constants
	functions := map[string]*ast.FuncDecl{} // of tests, by their names
	for _, name := range append(names, "../engine/errors.go") {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					functions[f.Name.Name] = f
				}
			}
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec: // VerbBoxed Verb = "boxed"
				for i, id := range n.Names {
					if i < len(n.Values) && word(n.Values[i]) != "" {
						named[id.Name] = word(n.Values[i])
						words[named[id.Name]] = true
					}
				}
			case *ast.KeyValueExpr: // Code: "early_card"
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
					words[word(n.Value)] = true
				}
			case *ast.AssignStmt: // p.Code = "unseen"
				for i, to := range n.Lhs {
					if field, ok := to.(*ast.SelectorExpr); ok && field.Sel.Name == "Code" && i < len(n.Rhs) {
						words[word(n.Rhs[i])] = true
					}
				}
			case *ast.CallExpr: // ask("undercall", ...
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "ask" && len(n.Args) > 0 {
					words[word(n.Args[0])] = true
				}
			}
			return true
		})
	}
	for name, f := range functions {
		if strings.HasPrefix(name, "Test") {
			p := procedureTest{name, numbers(f.Doc.Text()), map[string]bool{}}
			p.reads(f, named, functions, map[string]bool{})
			tests = append(tests, p)
		}
	}
	return words, tests
}

// reads takes in what a function of a test says, and those that it calls.
func (p *procedureTest) reads(f *ast.FuncDecl, named map[string]string, functions map[string]*ast.FuncDecl, read map[string]bool) {
	read[f.Name.Name] = true
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			p.says[word(n)] = true
		case *ast.Ident:
			p.says[named[n.Name]] = true
			if called := functions[n.Name]; called != nil && !read[n.Name] {
				p.reads(called, named, functions, read)
			}
		}
		return true
	})
}

// word is what a string literal says, "" for anything else.
func word(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	w, _ := strconv.Unquote(lit.Value)
	return w
}

var inComment = regexp.MustCompile(`procedures ([0-9]+(?:(?:, | and | to )[0-9]+)*)`)

// numbers are the rows that a comment names: procedures 13, 17 and 18, or 21 to 24.
func numbers(comment string) map[string]bool {
	rows := map[string]bool{}
	for _, m := range inComment.FindAllStringSubmatch(strings.ReplaceAll(comment, "\n", " "), -1) {
		for part := range strings.SplitSeq(strings.ReplaceAll(m[1], " and ", ", "), ", ") {
			from, to, ranged := strings.Cut(part, " to ")
			if !ranged {
				to = from
			}
			first, _ := strconv.Atoi(from)
			last, _ := strconv.Atoi(to)
			for n := first; n <= last; n++ {
				rows[strconv.Itoa(n)] = true
			}
		}
	}
	return rows
}
