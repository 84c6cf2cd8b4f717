package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// checkJUnit is JUnit XML: a module is a test, and a failure has the findings as text.
type checkJUnit struct {
	w     io.Writer
	cases []junitCase
}

func (r *checkJUnit) Record(x *checked) {
	c := junitCase{Name: plain.Line(x.file), Class: "chiaro.check"}
	switch x.verdict {
	case verdictNotRun:
		c.Skipped = &junitMessage{Message: "not run: interrupted"}
	case verdictUnreadable, verdictInternal:
		c.Error = &junitMessage{Message: string(plain.Block(x.message, ""))}
	case verdictFindings:
		v := newViewer(x)
		var text strings.Builder
		var first string
		n := 0
		for i := range x.findings {
			f := &x.findings[i]
			file, line, column := v.where(x, &f.Finding)
			more := f.more()
			if v.undecoded(f.Pos) { // the line says nothing
				more = "\n" + v.place(f.Pos) + more
			}
			plain.Fprintf(&text, "%s:%d:%d: %s: %s [%s]%s\n", file, line, column, f.Severity, f.Message, f.Code, plain.Block(more, ""))
			if f.Severity == diag.Error {
				if n++; n == 1 {
					first = f.Code
				}
			}
		}
		if n+x.left.errors == 0 { // warnings are no failure
			c.Out = text.String()
			break
		}
		c.Failure = &junitMessage{Message: fmt.Sprintf("%d errors, the first %s", n+x.left.errors, first), Type: first, Text: text.String()}
	}
	r.cases = append(r.cases, c)
}

func (r *checkJUnit) Close(checkTally) error { return writeJUnit(r.w, "chiaro check", r.cases) }
