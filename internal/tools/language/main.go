// Command language measures the language of the comments: the share of comment
// lines that contain each discouraged construction, over all hand-written Go files
// but tests. It compares the figures with the ceilings in .ci/floors.tsv and exits
// with 1 if one is exceeded. It refuses to know grammar: it counts words.
//
//	go run ./internal/tools/language
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "language:", err)
		os.Exit(1)
	}
}

// run prints the figures and returns an error if one exceeds its ceiling.
func run() error {
	figures, err := measure(".")
	if err != nil {
		return err
	}
	ceilings, err := readCeilings(".ci/floors.tsv")
	if err != nil {
		return err
	}
	var exceeded []string
	for _, c := range constructions {
		fmt.Printf("%s\t%.4f\tat most %.4f\n", c.name, figures[c.name], ceilings[c.name])
		if figures[c.name] > ceilings[c.name] {
			exceeded = append(exceeded, c.name)
		}
	}
	if exceeded != nil {
		return fmt.Errorf("more than .ci/floors.tsv allows: %s", strings.Join(exceeded, ", "))
	}
	return nil
}

// measure returns the share of each construction, 0 to 1.
func measure(root string) (map[string]float64, error) {
	files, err := readTree(root)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, f := range files {
		if !f.test {
			lines = append(lines, f.comments()...)
		}
	}
	figures := map[string]float64{}
	for _, c := range constructions {
		figures[c.name] = share(lines, c.pattern)
	}
	return figures, nil
}

// readCeilings returns the bounds of the rows "language", which have the columns
// language, figure, ceiling, value.
func readCeilings(path string) (map[string]float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	ceilings := map[string]float64{}
	for n, row := range strings.Split(string(text), "\n") {
		column := strings.Split(row, "\t")
		if column[0] != "language" {
			continue
		}
		if len(column) != 4 || column[2] != "ceiling" {
			return nil, fmt.Errorf("%s:%d: expected language, figure, ceiling, value", path, n+1)
		}
		if ceilings[column[1]], err = strconv.ParseFloat(column[3], 64); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
	}
	for _, c := range constructions {
		if _, ok := ceilings[c.name]; !ok {
			return nil, fmt.Errorf("%s has no ceiling of %s", path, c.name)
		}
	}
	return ceilings, nil
}
