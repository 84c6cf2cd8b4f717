package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUndefinedRowsNameTests checks that every row of docs/undefined.md names a
// test, and that each test so named exists.
func TestUndefinedRowsNameTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/undefined.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	name := regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
	rows := 0
	for i, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| case |") {
			continue
		}
		rows++
		// A column is not ended by a bar that is escaped.
		columns := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, ""), "| "), " | ")
		if len(columns) != 5 {
			t.Errorf("line %d: %d columns; must be 5", i+1, len(columns))
			continue
		}
		found := name.FindAllStringSubmatch(columns[4], -1)
		if len(found) == 0 {
			t.Errorf("line %d: no test holds %q", i+1, columns[0])
		}
		for _, m := range found {
			if !tests[m[1]] {
				t.Errorf("line %d: there is no test %s", i+1, m[1])
			}
		}
	}
	if rows < 80 {
		t.Errorf("%d rows; the table had more", rows)
	}
}

// testNames returns the names of all test functions of the project.
func testNames(t *testing.T) map[string]bool {
	names := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names[fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
