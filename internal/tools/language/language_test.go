package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
	"testing"
)

// TestForbidden checks that no comment contains a forbidden construction.
func TestForbidden(t *testing.T) {
	for _, f := range tree(t) {
		for _, l := range f.comments() {
			for _, p := range forbidden {
				if word := p.pattern.FindString(l.text); word != "" && f.path != "internal/tools/language/scan.go" {
					t.Errorf("%s:%d: %q; write %s", f.path, l.no, word, p.instead)
				}
			}
		}
	}
}

// TestShares checks the figures against the bounds in .ci/floors.tsv.
func TestShares(t *testing.T) {
	bounds, err := readBounds(root + "/.ci/floors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	files := tree(t)
	for _, b := range bounds {
		if figure := b.measure(files); !b.holds(figure) {
			t.Errorf("%s %s: %.4f; the %s is %.4f", b.row, b.name, figure, b.kind, b.value)
		}
	}
}

// TestCommentShare checks the share of lines with a comment in a file of five lines.
func TestCommentShare(t *testing.T) {
	const text = "// Package x is small.\npackage x\n\nvar a = 1 // one\nvar b = 2\n"
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "x.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	files := []*file{{path: "x/x.go", syntax: syntax, fset: fset}, {path: "x/x_test.go", test: true, syntax: syntax, fset: fset}}
	b := bound{name: "x", kind: "floor", value: 0.4}
	if figure := b.measure(files); figure != 0.4 || !b.holds(figure) || b.holds(0.39) {
		t.Errorf("%v; must be 2 of 5 lines", figure)
	}
}

// TestStrings checks the strings of a file with rules and messages: a word of each
// counts once, codes and other strings not, and "where" only in rules.
func TestStrings(t *testing.T) {
	const src = `package x

var rules = []Rule{
	{Code: "SPV-A-B", Section: "where it is", Words: "a value is what " + a + " is where"},
	{vuid.X, "a block is behind it"},
	{"SPV-C-D", "a type is good"},
}

func f() {
	c.fail(i, "SPV-A-B", "it stands, where it is", fmt.Sprint("what it is")).also(c, j, "the one behind")
	u.Unsupported("what it is")
	g("who is it")
}
`
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "x.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	files := []*file{{path: "x/x.go", syntax: syntax, fset: fset}, {path: "x/x_test.go", test: true, syntax: syntax, fset: fset}}
	texts := 0
	for _, s := range files[0].texts() {
		texts++
		if s.rule != (s.no < 8) {
			t.Errorf("line %d is a rule %v: %q", s.no, s.rule, s.text)
		}
	}
	if texts != 7 {
		t.Errorf("%d strings; must be 7", texts)
	}
	want := map[string]float64{"clauses": 2. / 7, "verbs": 1. / 7, "where": 1. / 4, "behind": 2. / 7}
	for i := range constructions {
		b := bound{row: "strings", name: constructions[i].name, pattern: &constructions[i]}
		if figure := b.measure(files); figure != want[b.name] {
			t.Errorf("%s: %v; must be %v", b.name, figure, want[b.name])
		}
	}
}

// TestHelp checks that no help text of a command contains a counted construction.
func TestHelp(t *testing.T) {
	texts := 0
	for _, f := range tree(t) {
		if f.test || !strings.HasPrefix(f.path, "cmd/") {
			continue
		}
		for _, s := range f.help() {
			texts++
			for _, c := range constructions {
				if m := c.pattern.FindString(s.text); m != "" {
					t.Errorf("%s:%d: %q in %q", f.path, s.no, m, s.text)
				}
			}
		}
	}
	if texts < 100 {
		t.Errorf("%d help texts found", texts)
	}
}

// TestPatterns checks the patterns on sentences that must and must not match.
func TestPatterns(t *testing.T) {
	cases := map[string][2][]string{ // discouraged, accepted
		"clauses": {{"copies what is ordered", "the end of those of the loop", "for who has the lock"}, {"copies the scheduled run", "that is sorted"}},
		"verbs":   {{"stands in the table", "says that", "gives the number", "hands on the value"}, {"is in the table", "given", "reports that"}},
		"where":   {{"where it is known"}, {"if it is known", "elsewhere", "whereas"}},
		"behind":  {{"behind the loop"}, {"after the loop"}},
	}
	for _, c := range constructions {
		for i, want := range []bool{true, false} {
			for _, s := range cases[c.name][i] {
				if c.pattern.MatchString(s) != want {
					t.Errorf("%s: %q: match %v; must be %v", c.name, s, !want, want)
				}
			}
		}
	}
}

// TestExportedHaveComments checks that each exported function, type, method,
// constant and variable has a doc comment of its own or of its group.
func TestExportedHaveComments(t *testing.T) {
	for _, f := range tree(t) {
		if f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, id := range undocumented(d) {
				t.Errorf("%s: exported %s has no comment", f.fset.Position(id.Pos()), id.Name)
			}
		}
	}
}

// undocumented returns the exported names that d declares without a comment.
func undocumented(d ast.Decl) (ids []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			ids = append(ids, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					ids = append(ids, s.Name)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					ids = append(ids, s.Names[0])
				}
			}
		}
	}
	return ids
}

// exportedReceiver reports whether d is a function or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

const root = "../../.."

// parsed is the tree, which every test reads.
var parsed = sync.OnceValues(func() ([]*file, error) { return readTree(root) })

func tree(t *testing.T) []*file {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("%d files; there are more", len(files))
	}
	return files
}
