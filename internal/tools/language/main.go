// Command language measures the comments, rules and messages of the hand-written Go
// files, without tests: over the whole tree, the share of comment lines, and the share
// of rules and messages, that contain each discouraged construction, and the share of
// lines with a comment in single packages. It compares the figures with .ci/floors.tsv
// and exits with 1 if one exceeds its ceiling or is below its floor. It refuses to know
// grammar: it counts words and lines.
//
//	go run ./internal/tools/language
package main

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "language:", err)
		os.Exit(1)
	}
}

// run prints the figures and returns an error if one is out of its bound.
func run() error {
	bounds, err := readBounds(".ci/floors.tsv")
	if err != nil {
		return err
	}
	files, err := readTree(".")
	if err != nil {
		return err
	}
	var broken []string
	for _, b := range bounds {
		figure := b.measure(files)
		fmt.Printf("%s\t%s\t%.4f\t%s %.4f\n", b.row, b.name, figure, b.kind, b.value)
		if !b.holds(figure) {
			broken = append(broken, b.row+" "+b.name)
		}
	}
	if broken != nil {
		return fmt.Errorf("out of the bounds of .ci/floors.tsv: %s", strings.Join(broken, ", "))
	}
	return nil
}

// bound is a row of .ci/floors.tsv.
type bound struct {
	row     string        // "language", "strings" or "comments"
	name    string        // of a construction, or the directory of a package
	pattern *construction // nil for a package
	kind    string        // "ceiling" or "floor"
	value   float64
}

// holds reports whether a figure is within the bound.
func (b bound) holds(figure float64) bool {
	if b.kind == "floor" {
		return figure >= b.value
	}
	return figure <= b.value
}

// measure returns the figure, 0 to 1: the share of comment lines, or of rules and
// messages, with the construction, or the share of lines of the package that have a
// comment. "where" is only counted in rules: a message names a place with it.
func (b bound) measure(files []*file) float64 {
	if b.row == "strings" {
		var read []line
		for _, f := range files {
			if f.test {
				continue
			}
			for _, s := range f.texts() {
				if s.rule || b.name != "where" {
					read = append(read, s.line)
				}
			}
		}
		return share(read, b.pattern.pattern)
	}
	var comments []line
	lines := 0
	for _, f := range files {
		if !f.test && (b.pattern != nil || path.Dir(f.path) == b.name) {
			comments = append(comments, f.comments()...)
			lines += f.lines()
		}
	}
	if b.pattern != nil {
		return share(comments, b.pattern.pattern)
	}
	return float64(len(comments)) / float64(max(1, lines))
}

// readBounds returns the rows "language" and "strings" (columns: the row, construction,
// ceiling, value) and "comments" (comments, directory of a package, floor, value). Each
// construction must have a row of both.
func readBounds(file string) (bounds []bound, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	missing := map[[2]string]*construction{}
	for i := range constructions {
		for _, row := range []string{"language", "strings"} {
			missing[[2]string{row, constructions[i].name}] = &constructions[i]
		}
	}
	for n, row := range strings.Split(string(text), "\n") {
		column := strings.Split(row, "\t")
		kind := map[string]string{"language": "ceiling", "strings": "ceiling", "comments": "floor"}[column[0]]
		if kind == "" {
			continue
		}
		if len(column) != 4 || column[2] != kind {
			return nil, fmt.Errorf("%s:%d: expected %s, name, %s, value", file, n+1, column[0], kind)
		}
		b := bound{row: column[0], name: column[1], kind: kind}
		if kind == "ceiling" {
			key := [2]string{b.row, b.name}
			if b.pattern = missing[key]; b.pattern == nil {
				return nil, fmt.Errorf("%s:%d: no construction %s, or twice", file, n+1, b.name)
			}
			delete(missing, key)
		}
		if b.value, err = strconv.ParseFloat(column[3], 64); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
		bounds = append(bounds, b)
	}
	for key := range missing {
		return nil, fmt.Errorf("%s has no ceiling of %s %s", file, key[0], key[1])
	}
	return bounds, nil
}
