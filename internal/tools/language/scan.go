package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// A construction is a way of writing that costs a reader time. Its figure is the
// share of comment lines in which it occurs.
type construction struct {
	name    string
	pattern *regexp.Regexp
}

// constructions are the counted ones. Each has legitimate uses, so the figures
// have ceilings and not zero.
var constructions = []construction{
	{"clauses", regexp.MustCompile(`(?i)\b(what|who|whose)\b|\bthat of\b|\bthose of\b`)},
	{"verbs", regexp.MustCompile(`(?i)\b(stands?|lies|gives|says|asks|keeps|takes|hands on)\b`)},
	{"where", regexp.MustCompile(`(?i)\bwhere\b`)},
	{"behind", regexp.MustCompile(`(?i)\bbehind\b`)},
}

// forbidden are constructions that no comment needs. The list is short so that it
// has no false alarm.
var forbidden = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\b(nobody|somebody)\b`), "name the function, the pass or the user"},
	{regexp.MustCompile(`(?i)\b(who|whom)\b`), "name the caller, the worker or the user"},
	{regexp.MustCompile(`(?i)\bone behind the other\b`), `"in order" or "one after the other"`},
	{regexp.MustCompile(`(?i)\bstands? there\b`), `"is there"`},
	{regexp.MustCompile(`(?i)\bin vain\b`), `"speculatively" or "without effect"`},
}

// file is a hand-written Go file.
type file struct {
	path   string // from the root of the tree, with slashes
	test   bool
	syntax *ast.File
	fset   *token.FileSet
}

// line is a line of a comment.
type line struct {
	file *file
	no   int // of the file, from 1
	text string
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// readTree returns all hand-written Go files below root.
func readTree(root string) ([]*file, error) {
	var files []*file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || isGenerated(syntax) {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files = append(files, &file{path: filepath.ToSlash(rel), test: strings.HasSuffix(path, "_test.go"), syntax: syntax, fset: fset})
		return err
	})
	return files, err
}

func isGenerated(f *ast.File) bool {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if generated.MatchString(c.Text) {
				return true
			}
		}
	}
	return false
}

// comments returns the lines of all comments of f but directives such as //go:build.
func (f *file) comments() (lines []line) {
	for _, g := range f.syntax.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") {
				continue
			}
			first := f.fset.Position(c.Pos()).Line
			for i, text := range strings.Split(c.Text, "\n") {
				lines = append(lines, line{f, first + i, text})
			}
		}
	}
	return lines
}

// lines returns the number of lines of f.
func (f *file) lines() int { return f.fset.File(f.syntax.Pos()).LineCount() }

// share returns the part of lines, 0 to 1, in which pattern occurs.
func share(lines []line, pattern *regexp.Regexp) float64 {
	n := 0
	for _, l := range lines {
		if pattern.MatchString(l.text) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(lines)))
}
