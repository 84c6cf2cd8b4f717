package profile

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// LCOV writes the coverage as a trace file of LCOV (geninfo(1)).
func (p *Profile) LCOV(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, f := range p.Lines() {
		fmt.Fprintf(b, "TN:\nSF:%s\n", plain.Line(f.Name))
		functions := f.functions()
		for _, fn := range functions {
			fmt.Fprintf(b, "FN:%d,%s\n", fn.Line, field(fn.Unique))
		}
		for _, fn := range functions {
			fmt.Fprintf(b, "FNDA:%d,%s\n", fn.Calls, field(fn.Unique))
		}
		lines, called, branches := f.covered()
		fmt.Fprintf(b, "FNF:%d\nFNH:%d\n", called[0], called[1])
		for i := range f.Lines {
			l := &f.Lines[i]
			for k, branch := range l.Branches {
				taken := "-"
				if l.Executed > 0 {
					taken = fmt.Sprint(branch.Taken)
				}
				fmt.Fprintf(b, "BRDA:%d,0,%d,%s\n", l.Number, k, taken)
			}
		}
		fmt.Fprintf(b, "BRF:%d\nBRH:%d\n", branches[0], branches[1])
		for i := range f.Lines {
			fmt.Fprintf(b, "DA:%d,%d\n", f.Lines[i].Number, f.Lines[i].Executed)
		}
		fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", lines[0], lines[1])
	}
	return b.Flush()
}

// field returns a name without line breaks, and without commas, which separate fields.
func field(name string) string { return strings.ReplaceAll(plain.Line(name), ",", ";") }
