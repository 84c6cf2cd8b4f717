package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxPlaces is the most files that may name an example of CONTRIBUTING.md: the
// cost of adding one more of its kind.
var maxPlaces = map[string]int{"OpFMod": 3, "OpImageBoxFilterQCOM": 5}

// TestPlaces checks the lists of files in CONTRIBUTING.md: the files that name
// the example are the listed ones, and no more than maxPlaces.
//
// A list is a fenced block. Its first line is "places:" and one or more names;
// each further line begins with a file. A name is an identifier ("OpFMod", which
// inst.FMod names too), a qualified identifier ("mathlib.FMod") or a whole string
// ("SPV-Abort-Layout"). Comments, tests, generated files and the packages below
// internal/tools and internal/modgen do not count.
func TestPlaces(t *testing.T) {
	lists := readPlaces(t)
	for example := range maxPlaces {
		if lists[example].files == nil {
			t.Errorf("CONTRIBUTING.md has no list of the places of %s", example)
		}
	}
	mentions := map[string][]string{} // the files that name each example
	walkSource(t, func(path string, f *ast.File) {
		for example, l := range lists {
			if slices.ContainsFunc(l.names, func(name string) bool { return mentioned(f, name) }) {
				mentions[example] = append(mentions[example], path)
			}
		}
	})
	for example, l := range lists {
		got, want := mentions[example], l.files
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("CONTRIBUTING.md lists for %s\n\t%s\nthe files that name it are\n\t%s", example, strings.Join(want, "\n\t"), strings.Join(got, "\n\t"))
		}
		if limit, ok := maxPlaces[example]; ok && len(got) > limit {
			t.Errorf("%s is named in %d files; must be %d at most", example, len(got), limit)
		}
	}
}

// placeList is one list of CONTRIBUTING.md.
type placeList struct{ names, files []string }

// readPlaces returns the lists of CONTRIBUTING.md by their first names.
func readPlaces(t *testing.T) map[string]placeList {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]placeList{}
	example := ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.HasPrefix(words[0], "```"):
			example = ""
		case words[0] == "places:" && len(words) > 1:
			example = words[1]
			lists[example] = placeList{names: words[1:]}
		case example != "":
			l := lists[example]
			l.files = append(l.files, words[0])
			lists[example] = l
		}
	}
	return lists
}

// walkSource calls each for every hand-written file that is no test, with its
// path below the root of the tree.
func walkSource(t *testing.T, each func(path string, f *ast.File)) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "internal/tools" || name == "internal/modgen" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !ast.IsGenerated(f) {
			each(name, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mentioned reports whether the code of a file names an example.
func mentioned(f *ast.File, name string) bool {
	pkg, ident, qualified := strings.Cut(name, ".")
	if !qualified {
		pkg, ident = "", name
	}
	view, isOp := strings.CutPrefix(ident, "Op")
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			found = found || x != nil && (qualified && x.Name == pkg && n.Sel.Name == ident || isOp && x.Name == "inst" && n.Sel.Name == view)
		case *ast.Ident:
			found = found || n.Name == ident && (!qualified || f.Name.Name == pkg)
		case *ast.BasicLit:
			s, err := strconv.Unquote(n.Value)
			found = found || err == nil && n.Kind == token.STRING && s == name
		}
		return !found
	})
	return found
}
