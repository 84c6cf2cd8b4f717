package main

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// checkJUnit is the XML that CI systems read: a module is a test.
type checkJUnit struct {
	w     io.Writer
	cases []checkCase
}

// checkCase is one module. A failure has the findings as text.
type checkCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Failure *checkFailed `xml:"failure,omitempty"`
	Error   *checkFailed `xml:"error,omitempty"`
	Skipped *checkFailed `xml:"skipped,omitempty"`
	Out     string       `xml:"system-out,omitempty"`
}

type checkFailed struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type checkSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []checkCase `xml:"testcase"`
}

func (r *checkJUnit) Record(x *checked) {
	c := checkCase{Name: plain.Line(x.file), Class: "chiaro.check"}
	switch x.verdict {
	case verdictNotRun:
		c.Skipped = &checkFailed{Message: "not run: interrupted"}
	case verdictUnreadable, verdictInternal:
		c.Error = &checkFailed{Message: string(plain.Block(x.message, ""))}
	case verdictFindings:
		v := newViewer(x)
		var text strings.Builder
		var first string
		n := 0
		for i := range x.findings {
			f := &x.findings[i]
			file, line, column := v.where(x, &f.Finding)
			plain.Fprintf(&text, "%s:%d:%d: %s: %s [%s]%s\n", file, line, column, f.Severity, f.Message, f.Code, plain.Block(f.more(), ""))
			if f.Severity == diag.Error {
				if n++; n == 1 {
					first = f.Code
				}
			}
		}
		if n == 0 { // warnings are no failure
			c.Out = text.String()
			break
		}
		c.Failure = &checkFailed{Message: fmt.Sprintf("%d errors, the first %s", n+x.left.errors, first), Type: first, Text: text.String()}
	}
	r.cases = append(r.cases, c)
}

func (r *checkJUnit) Close(t checkTally) error {
	w := bufio.NewWriter(r.w)
	w.WriteString(xml.Header)
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(checkSuite{Name: "chiaro check", Tests: len(r.cases), Failures: t.faulty, Errors: t.unreadable + t.internal, Skipped: t.notRun, Cases: r.cases}); err != nil {
		return err
	}
	w.WriteByte('\n')
	return w.Flush()
}
