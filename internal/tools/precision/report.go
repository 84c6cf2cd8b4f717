package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// short prints a number of ULP.
func short(x float64) string {
	if x != 0 && x < 0.005 {
		return "<0.01"
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// line is a figure as a line of measured.tsv.
func (f *figure) line() string {
	return fmt.Sprintf("%s\t%d\t%s\t%.4g\t%.3g\t%s", f.name, f.width, f.tried, f.usual, f.share, f.at)
}

// read reads measured.tsv; a file that is not there has no figures.
func read(file string) ([]figure, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []figure
	for n, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		c := strings.Split(line, "\t")
		if len(c) != 6 {
			return nil, fmt.Errorf("%s:%d: %d columns; must be 6", file, n+1, len(c))
		}
		f := figure{name: c[0], tried: c[2], at: c[5]}
		var errs [3]error
		f.width, errs[0] = strconv.Atoi(c[1])
		f.usual, errs[1] = strconv.ParseFloat(c[3], 64)
		f.share, errs[2] = strconv.ParseFloat(c[4], 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// record puts a figure into the file, in the order of the tables.
func record(file string, f figure) error {
	old, err := read(file)
	if err != nil {
		return err
	}
	known := map[string]figure{}
	for _, x := range append(old, f) {
		known[fmt.Sprint(x.name, x.width)] = x
	}
	b := strings.Builder{}
	for _, i := range instructions() {
		for _, w := range i.widths() {
			if x, ok := known[fmt.Sprint(i.name, w)]; ok {
				b.WriteString(x.line() + "\n")
			}
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

const heading = `# How precise the instructions are

Written by ` + "`go run ./internal/tools/precision -write`" + ` from what it measured; a test compares the two.

Each instruction ran as SPIR-V through the JIT, whose bits are those of the interpreter. Its results were compared with
` + "`math/big`" + ` (400 bits). Of functions of one number all numbers of 16 bits were tried, and of 32 bits all that the column
says: those first against float64, then the worst of each 2²⁰ against math/big. Others had operands at random, of all
magnitudes, and every pair of edge values (denormals, ends of ranges, neighbours of what functions change at). Operands
that are NaN, infinite or −0, and results that SPIR-V leaves undefined, have their own tests: [undefined.md](undefined.md).
Comparisons and conversions of integers are exact or correctly rounded; ` + "`TestEdges`" + ` and the truth tables hold them to it.
Of a matrix the middle column was measured, of Ldexp exponents from −8 to 8 (` + "`TestFLdexp`" + ` has others). What atomics and group operations
compute, derivatives and PackHalf2x16 is OpFAdd, OpFSub, NMin, NMax or OpFConvert: tests of them stand in [support.md](support.md).

- *ULP*: the greatest error in the usual range, in units of the last place of the true result: all operands, but for
  Sin, Cos and Tan those up to 2²⁰, and for Length and Normalize those whose squares neither overflow nor vanish.
  "–" where terms cancel, so that an error in ULP of the result says nothing; there only the next column counts. Our
  own limit is 4.
- *of the allowed*: the greatest error as a share of what Vulkan allows for the same operands ("Precision and Operation
  of SPIR-V Instructions"; where it says "inherited from", of what the steps of the formula may come to). 1 or less is
  right. Vulkan names no bound for 64 bits but that of 32; it is measured as if each ULP were one of 64 bits.

| instruction | bits | operands | ULP | at | of the allowed |
|---|---|---|---|---|---|
`

// document is the text of docs/precision.md.
func document(list []figure) string {
	b := strings.Builder{}
	b.WriteString(heading)
	rows := map[string]*instruction{}
	for _, i := range instructions() {
		rows[i.name] = &i
	}
	for _, f := range list {
		ulp, at := short(f.usual), strings.Trim(f.at, "[]")
		if rows[f.name].sum {
			ulp, at = "–", ""
		}
		if f.usual == 0 {
			at = ""
		}
		share := short(f.share)
		if c := rows[f.name].class; c == exact && f.share == 0 {
			share = "exact"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s |\n", f.name, f.width, f.tried, ulp, at, share)
	}
	return b.String()
}

func writeDocument(file, doc string) error {
	list, err := read(file)
	if err != nil {
		return err
	}
	return os.WriteFile(doc, []byte(document(list)), 0o644)
}
