// Command grain measures the direction of references between the files of a package.
// A package comment may list the files below the heading "# Files" and promise that
// callees or callers come first. The grain of the package is the share of references
// that run against that order, 0 to 1. Packages without circles of imports may still
// have circles of files; the grain shows them. Command grain refuses to know the
// purpose of a reference: each use counts once.
//
//	go run ./internal/tools/grain                          compares with .ci/floors.tsv
//	go run ./internal/tools/grain internal/jit/vectorize   lists the references that run against the order
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "grain:", err)
		os.Exit(1)
	}
}

// run lists the references of the given packages, or compares all packages that have
// a row in .ci/floors.tsv with their ceilings.
func run(packages []string) error {
	for _, dir := range packages {
		g, err := measure(".", dir)
		if err != nil {
			return err
		}
		for _, e := range g.against {
			fmt.Printf("%4d  %s -> %s: %s\n", e.uses, e.from, e.to, strings.Join(e.names, " "))
		}
		fmt.Printf("%s\t%.4f\t%d of %d references\n", dir, g.share(), g.uses(), g.references)
	}
	if len(packages) > 0 {
		return nil
	}
	rows, err := readCeilings(".ci/floors.tsv")
	if err != nil {
		return err
	}
	var exceeded []string
	for _, r := range rows {
		g, err := measure(".", r.dir)
		if err != nil {
			return err
		}
		fmt.Printf("%s\t%.4f\tat most %.4f\n", r.dir, g.share(), r.most)
		if g.share() > r.most {
			exceeded = append(exceeded, r.dir)
		}
	}
	if exceeded != nil {
		return fmt.Errorf("more than .ci/floors.tsv allows: %s", strings.Join(exceeded, ", "))
	}
	return nil
}

// ceiling is the bound of one package.
type ceiling struct {
	dir  string // from the root of the tree
	most float64
}

// readCeilings returns the rows "grain", which have the columns grain, package,
// ceiling, value.
func readCeilings(path string) (rows []ceiling, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for n, row := range strings.Split(string(text), "\n") {
		column := strings.Split(row, "\t")
		if column[0] != "grain" {
			continue
		}
		if len(column) != 4 || column[2] != "ceiling" {
			return nil, fmt.Errorf("%s:%d: expected grain, package, ceiling, value", path, n+1)
		}
		most, err := strconv.ParseFloat(column[3], 64)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		rows = append(rows, ceiling{column[1], most})
	}
	return rows, nil
}
