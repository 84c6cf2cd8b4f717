package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// TestGrain checks the packages that have a ceiling in .ci/floors.tsv.
func TestGrain(t *testing.T) {
	rows, err := readCeilings(root + "/.ci/floors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		t.Fatal(".ci/floors.tsv has no row grain")
	}
	for _, r := range rows {
		g, err := measure(root, r.dir)
		if err != nil {
			t.Error(err)
			continue
		}
		if g.share() > r.most {
			t.Errorf("%s: %.4f of %d references run against the order of files; must be at most %.4f", r.dir, g.share(), g.references, r.most)
			for _, e := range g.against[:min(10, len(g.against))] {
				t.Logf("%4d  %s -> %s: %s", e.uses, e.from, e.to, strings.Join(e.names, " "))
			}
		}
	}
}

// TestLists checks the list "# Files" of every package comment that has one: it names
// all files of the package, and only files that exist.
func TestLists(t *testing.T) {
	packages := map[string][]string{} // directories to names of files
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for dir, names := range packages {
		var files []*ast.File
		for _, name := range names {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		if l, ok := parseList(packageComment(files)); ok {
			n++
			if err := l.check(names); err != nil {
				t.Errorf("%s: %v", strings.TrimPrefix(filepath.ToSlash(dir), root+"/"), err)
			}
		}
	}
	if n < 5 {
		t.Errorf("%d package comments have a list of files; there are more", n)
	}
}

// TestMeasure measures a package of three files, two of which refer to each other.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module example.com/x\n",
		"doc.go":   "// Package x is small.\n//\n// # Files\n//\n// Callees come first:\n//\n//\ta.go  the type\n//\tb.go  its use\npackage x\n",
		"a.go":     "package x\n\ntype T struct{ n int }\n\nfunc (t T) M() int { return limit + t.n }\n",
		"b.go":     "package x\n\nconst limit = 1\n\nfunc F(t T) int { return t.M() + t.n }\n",
		"z_gen.go": "package x\n\nvar g = F(T{})\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g, err := measure(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	// b.go uses T and M of a.go; a.go uses limit of b.go; the field and the generated file do not count.
	if g.references != 3 || g.uses() != 1 || len(g.against) != 1 || g.against[0].from != "a.go" || g.against[0].to != "b.go" {
		t.Errorf("%+v; must be 3 references, 1 of them from a.go to b.go against the order", g)
	}
}

// TestParseList checks the accepted forms of a list.
func TestParseList(t *testing.T) {
	l, ok := parseList("Package x.\n\n# Files\n\nCallers come first.\n\n 1. run.go, memory*.go: the run.\n\tlist.go  see other.go\n\n# More\n\n\tnone.go\n")
	if want := []string{"run.go", "memory*.go", "list.go", "other.go"}; !ok || !slices.Equal(l.names, want) || !l.callersFirst || l.calleesFirst {
		t.Errorf("%+v; must be %q, callers first", l, want)
	}
	if a, b, c := l.rank("run.go"), l.rank("memory_page.go"), l.rank("none.go"); a != 0 || b != 1 || c != -1 {
		t.Errorf("ranks %d %d %d; must be 0 1 -1", a, b, c)
	}
	if _, ok := parseList("Package x.\n"); ok {
		t.Error("a comment without a list has one")
	}
	for missing, files := range map[string][]string{"the list has no new.go": {"run.go", "memory.go", "list.go", "other.go", "new.go", "doc.go"}, "the list has other.go, which does not exist": {"run.go", "memory.go", "list.go"}} {
		if err := l.check(files); err == nil || err.Error() != missing {
			t.Errorf("%v; must be %q", err, missing)
		}
	}
}
