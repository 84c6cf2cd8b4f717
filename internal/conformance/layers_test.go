package conformance

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "github.com/chiaro-gpu/chiaro/"

// TestLayers checks the import graph against docs/layers.txt: every package has a
// layer, every listed package exists, and imports go down.
func TestLayers(t *testing.T) {
	layer, allow, never, direct := readLayers(t)
	imports := readImports(t)

	for pkg := range layer {
		if imports[pkg] == nil {
			t.Errorf("docs/layers.txt lists %s, which does not exist", pkg)
		}
	}
	for pkg, deps := range imports {
		if _, ok := layer[pkg]; !ok {
			t.Errorf("%s is in no layer", pkg)
			continue
		}
		for _, dep := range deps {
			switch {
			case layer[dep] < layer[pkg]:
			case layer[dep] == layer[pkg] && allow[pkg+" "+dep]:
			default:
				t.Errorf("%s imports %s, which is not below it", pkg, dep)
			}
		}
	}
	for _, n := range direct {
		if slices.Contains(imports[n[0]], n[1]) {
			t.Errorf("%s imports %s", n[0], n[1])
		}
	}
	for _, n := range never {
		if path := findPath(imports, n[0], n[1]); path != nil {
			t.Errorf("never %s -> %s, but: %s", n[0], n[1], strings.Join(path, " -> "))
		}
	}
}

// readLayers returns each package's layer number, the imports allowed within
// a layer, and the pairs that must not be connected at all, or not directly.
func readLayers(t *testing.T) (layer map[string]int, allow map[string]bool, never, direct [][2]string) {
	f, err := os.Open("../../docs/layers.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	layer, allow = map[string]int{}, map[string]bool{}
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		line, _, _ := strings.Cut(s.Text(), "#")
		words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(line))
		if len(words) == 0 {
			continue
		}
		switch pair := [2]string{words[1], words[len(words)-1]}; words[0] {
		case "never":
			never = append(never, pair)
			continue
		case "direct":
			direct = append(direct, pair)
			continue
		}
		n++
		pkg, inside := "", false
		for _, w := range words[1:] {
			switch {
			case w == "(", w == ")":
				inside = w == "("
			case inside:
				allow[pkg+" "+w] = true
			default:
				pkg = w
				layer[pkg] = n
			}
		}
	}
	return layer, allow, never, direct
}

// readImports returns the imports between packages of this module. It reads
// the files itself, rather than asking the go command, so that the test cache
// sees them: a guard that is served from the cache guards nothing.
func readImports(t *testing.T) map[string][]string {
	imports := map[string][]string{}
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		pkg, _ := filepath.Rel("../..", filepath.Dir(file))
		pkg = filepath.ToSlash(pkg)
		if err != nil || pkg == "." || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if imports[pkg] == nil {
			imports[pkg] = []string{} // present, even if it imports nothing
		}
		for _, spec := range f.Imports {
			if dep, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), root); ok {
				imports[pkg] = append(imports[pkg], dep)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

// findPath returns a chain of imports from one package to another, or nil.
func findPath(imports map[string][]string, from, to string) []string {
	seen := map[string]bool{}
	var walk func(p string) []string
	walk = func(p string) []string {
		if p == to {
			return []string{p}
		}
		if seen[p] {
			return nil
		}
		seen[p] = true
		for _, d := range imports[p] {
			if rest := walk(d); rest != nil {
				return append([]string{p}, rest...)
			}
		}
		return nil
	}
	return walk(from)
}
