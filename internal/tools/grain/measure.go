package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// grain is the measurement of one package.
type grain struct {
	references int    // uses of a function, method, type, variable or constant of another file
	against    []edge // most uses first
}

// edge is the references from one file to another.
type edge struct {
	from, to string
	uses     int
	names    []string // sorted
}

// uses returns the number of references that run against the order.
func (g grain) uses() (n int) {
	for _, e := range g.against {
		n += e.uses
	}
	return n
}

// share returns the part of the references, 0 to 1, that run against the order.
func (g grain) share() float64 { return float64(g.uses()) / float64(max(1, g.references)) }

// measure returns the grain of the package in dir below root.
func measure(root, dir string) (grain, error) {
	p, err := load(root, dir)
	if err != nil {
		return grain{}, err
	}
	l, ok := parseList(packageComment(p.files))
	if !ok || l.calleesFirst == l.callersFirst {
		return grain{}, fmt.Errorf(`%s: the package comment must have a list "# Files" with "Callees come first" or "Callers come first"`, dir)
	}
	g := grain{}
	edges := map[[2]string]map[string]int{} // files to names to uses
	for id, o := range p.info.Uses {
		if !declared(p.pkg, o) {
			continue
		}
		from, to := p.file(id.Pos()), p.file(o.Pos())
		if from == to || l.rank(from) < 0 || l.rank(to) < 0 {
			continue // the same file, or a generated one
		}
		g.references++
		if l.rank(from) < l.rank(to) == l.callersFirst || l.rank(from) == l.rank(to) {
			continue
		}
		key := [2]string{from, to}
		if edges[key] == nil {
			edges[key] = map[string]int{}
		}
		edges[key][o.Name()]++
	}
	for files, names := range edges {
		e := edge{from: files[0], to: files[1], names: slices.Sorted(maps.Keys(names))}
		for _, n := range names {
			e.uses += n
		}
		g.against = append(g.against, e)
	}
	slices.SortFunc(g.against, func(a, b edge) int {
		return cmp.Or(b.uses-a.uses, cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return g, nil
}

// declared reports whether o is a function, method, type, variable or constant that
// a file of pkg declares. Fields belong to their types and do not count.
func declared(pkg *types.Package, o types.Object) bool {
	_, function := o.(*types.Func)
	return o.Pkg() == pkg && (function || o.Parent() == pkg.Scope())
}

// program is a package with its types.
type program struct {
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// file returns the base name of the file at a position.
func (p *program) file(pos token.Pos) string { return filepath.Base(p.fset.Position(pos).Filename) }

// load parses the package in dir below root, without tests, and computes its types.
// The go command compiles the imported packages; its cache makes a second call fast.
func load(root, dir string) (*program, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", "./"+dir)
	cmd.Dir = root
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %s", cmd, exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	var p listing
	exports := map[string]string{} // import paths to files with the exported types
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p = listing{}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
	}
	return check(p, exports) // the package itself is last: dependencies come first
}

// listing is a package as the go command lists it.
type listing struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
}

// check parses the files of a package and computes its types.
func check(l listing, exports map[string]string) (*program, error) {
	p := &program{fset: token.NewFileSet(), info: &types.Info{Uses: map[*ast.Ident]types.Object{}}}
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(p.fset, filepath.Join(l.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(p.fset, "gc", open)}
	var err error
	p.pkg, err = config.Check(l.ImportPath, p.fset, p.files, p.info)
	return p, err
}

// packageComment returns the longest package comment of files, which is the one with
// the list.
func packageComment(files []*ast.File) (longest string) {
	for _, f := range files {
		if text := f.Doc.Text(); len(text) > len(longest) {
			longest = text
		}
	}
	return longest
}
