package profile

import (
	"fmt"
	"io"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// Sources returns the text of a line of a source; "" if it is not known.
type Sources func(at Place) string

// Text writes a table of the lines of each file.
func (p *Profile) Text(w io.Writer, source Sources) error {
	for _, f := range p.Lines() {
		if _, err := plain.Fprintf(w, "%s\n", f.Name); err != nil {
			return err
		}
		for _, fn := range f.functions() {
			if _, err := plain.Fprintf(w, "  %s, line %d: %s\n", fn.Name, fn.Line, fn.Called()); err != nil {
				return err
			}
		}
		const row = "%12s %7s %9s %12s %12s %12s %6s  %s\n"
		if _, err := plain.Fprintf(w, row, "executed", "lanes", "divergent", "instructions", "read", "written", "line", "source"); err != nil {
			return err
		}
		for i := range f.Lines {
			l := &f.Lines[i]
			if _, err := plain.Fprintf(w, row, number(l.Executed), l.active(), number(l.Divergent), number(l.Instructions), number(l.Read), number(l.Written),
				strconv.Itoa(l.Number), source(Place{f.Name, l.Number})); err != nil {
				return err
			}
		}
	}
	for i := range p.Dispatches {
		if err := p.Dispatches[i].text(w); err != nil {
			return err
		}
	}
	return nil
}

// Called returns the number of calls as text.
func (f functionCount) Called() string {
	if f.Calls == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", f.Calls)
}

// number returns a count as text; "." for 0.
func number(n uint64) string {
	if n == 0 {
		return "."
	}
	return strconv.FormatUint(n, 10)
}

// active returns the share of active lanes as text.
func (l *Line) active() string {
	if l.Lanes == 0 {
		return "."
	}
	return fmt.Sprintf("%.1f%%", 100*float64(l.Executed)/float64(l.Lanes))
}
