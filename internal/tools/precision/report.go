package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/precision"
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
		for _, w := range i.Widths() {
			if x, ok := known[fmt.Sprint(i.name, w)]; ok {
				b.WriteString(x.line() + "\n")
			}
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

const heading = `# Precision of the instructions

Written by ` + "`go run ./internal/tools/precision -write`" + ` from its measurements; a test compares the two.

Each instruction ran as SPIR-V through the JIT, which computes the same bits as the interpreter. The results were compared with
` + "`math/big`" + ` (400 bits). The column *operands* has their number. Functions of one operand ran on all 16-bit numbers and on
as many 32-bit numbers as the column lists: first all against float64, then the worst of each 2²⁰ against math/big. The others
ran on random operands of all magnitudes, and on every pair of edge values (denormals, ends of ranges, neighbors of
discontinuities). Operands that are NaN, infinite or −0, and results that SPIR-V leaves undefined, have their own tests:
[undefined.md](undefined.md). Comparisons and conversions of integers are exact or correctly rounded; ` + "`TestEdges`" + ` and the truth
tables test this. Matrices were measured in their middle column, Ldexp with exponents from −8 to 8 (` + "`TestFLdexp`" + ` has
others). Atomics, group operations, derivatives and PackHalf2x16 compute with OpFAdd, OpFSub, NMin, NMax or OpFConvert;
[support.md](support.md) lists their tests.

- *ULP*: the greatest error in the usual range, in units in the last place of the true result. The usual range is all operands,
  except: up to 2²⁰ for Sin, Cos and Tan; squares that neither overflow nor underflow for Length and Normalize. "–": terms
  cancel, so that an error in ULP of the result has no meaning, and only the last column counts. Chiaro's own limit is 4.
- *of the allowed*: the greatest error as a share of the error that Vulkan allows for the same operands ("Precision and
  Operation of SPIR-V Instructions"; for "inherited from", the error that the steps of the formula may accumulate). At most 1
  is conformant. Vulkan has no bounds for 64 bits; there the bound of 32 bits was used, in ULP of 64 bits.

` + "`chiaro allowed`" + ` shows the results that Vulkan permits for given operands; each engine's results are among them
(` + "`TestAllowed`" + `).

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
		if c := rows[f.name].Class; c == precision.Exact && f.share == 0 {
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
