package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryRuleHasATest: testdata/rules.txt lists every id of the rule catalogue and of its cases, and behind a colon why
// the engine has no test for it, where that is so. RULES.md is the table of ids and tests; -update writes it. A Go test
// stands for the ids in its name (TestNXB0, TestBP03And04) and in its text, a script for those in its name and comments.
func TestEveryRuleHasATest(t *testing.T) {
	tests := testsByRule(t)
	ids, reasons := catalogue(t)
	rows := make([]string, len(ids))
	for i, id := range ids {
		rows[i] = strings.Join(tests[id], ", ")
		if rows[i] == "" {
			rows[i] = reasons[id]
		}
		if rows[i] == "" {
			t.Errorf("%s: no test names it, and testdata/rules.txt gives no reason", id)
		}
	}
	if *update {
		var table strings.Builder
		table.WriteString("# Rules and their tests\n\nWritten by `go test ./engine -run TestEveryRuleHasATest -update`.\n\n| rule | tests |\n|---|---|\n")
		for i, id := range ids {
			fmt.Fprintf(&table, "| %s | %s |\n", id, rows[i])
		}
		if err := os.WriteFile("RULES.md", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	checkTable(t, tests, ids, reasons)
}

// checkTable checks that RULES.md has a row for each id, and that what the row says is still so. A test that is not in it
// yet does no harm.
func checkTable(t *testing.T, tests map[string][]string, ids []string, reasons map[string]string) {
	text, err := os.ReadFile("RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := []string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z0-9-]+) \| (.*) \|$`).FindAllStringSubmatch(string(text), -1) {
		id := row[1]
		listed = append(listed, id)
		if row[2] == reasons[id] {
			continue
		}
		for test := range strings.SplitSeq(row[2], ", ") {
			if !slices.Contains(tests[id], test) {
				t.Errorf("RULES.md: %s has no test %s any more: write the table again with -update", id, test)
			}
		}
	}
	if !slices.Equal(listed, ids) {
		t.Error("RULES.md does not list the ids of testdata/rules.txt: write it again with -update")
	}
}

// catalogue reads testdata/rules.txt. Where the catalogue itself is at hand, in TAVOLO_RULES or beside the repository, the
// two must name the same ids.
func catalogue(t *testing.T) (ids []string, reasons map[string]string) {
	text, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons = map[string]string{}
	for line := range strings.Lines(string(text)) {
		id, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
		ids, reasons[id] = append(ids, id), reason
	}
	dir := os.Getenv("TAVOLO_RULES")
	if dir == "" {
		dir = "../../shared"
	}
	var want []string
	for _, file := range []string{"rules/noxwin", "rules/cash", "rules/naiko", "rules/betrebels", "rules/bonus", "rules/tda", "cases/README"} {
		text, err := os.ReadFile(filepath.Join(dir, file+".md"))
		if err != nil {
			t.Logf("the catalogue is not at hand, testdata/rules.txt stands for it: %v", err)
			return ids, reasons
		}
		for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]+-?[0-9A-Z]+) \|`).FindAllStringSubmatch(string(text), -1) {
			want = append(want, row[1])
		}
	}
	if !slices.Equal(ids, want) {
		t.Errorf("testdata/rules.txt names other ids than the catalogue:\n%v\n%v", ids, want)
	}
	return ids, reasons
}

var (
	inText = regexp.MustCompile(`\b(?:(?:NX|TC|NK|BR|BP|TD)-[0-9A-Z]{2}|[BTPHS][0-9]{1,2})\b`)
	inName = regexp.MustCompile(`^(?:Test|Fuzz)(?:(NX|TC|NK|BR|BP|TD)([0-9A-Z]{2})(?:And([0-9A-Z]{2}))?|([BTPHS][0-9]{1,2}))`)
)

// testsByRule finds the tests below this folder by the ids they name.
func testsByRule(t *testing.T) map[string][]string {
	tests := map[string][]string{}
	add := func(test string, ids ...string) {
		for _, id := range ids {
			if !slices.Contains(tests[id], test) {
				tests[id] = append(tests[id], test)
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".hand"):
			text, err := os.ReadFile(path)
			script := strings.TrimPrefix(path, "testdata/")
			add(script, inText.FindAllString(filepath.Base(path), -1)...)
			for line := range strings.Lines(string(text)) {
				if strings.HasPrefix(line, "#") {
					add(script, inText.FindAllString(line, -1)...)
				}
			}
			return err
		case strings.HasSuffix(path, "_test.go"):
			return goTests(path, add)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// goTests finds the tests of a file with the ids they name.
func goTests(path string, add func(test string, ids ...string)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") && !strings.HasPrefix(f.Name.Name, "Fuzz") {
			continue
		}
		test := filepath.Join(filepath.Dir(path), f.Name.Name)
		if m := inName.FindStringSubmatch(f.Name.Name); m != nil {
			for _, n := range m[2:4] {
				if n != "" {
					add(test, m[1]+"-"+n)
				}
			}
			add(test, m[4])
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		add(test, inText.FindAllString(string(text[files.Position(from).Offset:files.Position(f.End()).Offset]), -1)...)
	}
	return nil
}
