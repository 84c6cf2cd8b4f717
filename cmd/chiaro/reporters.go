package main

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// reporter renders the results X of a run in one format. Close is told the tally T.
type reporter[X, T any] interface {
	Record(X)
	Close(T) error
}

// makeReporter returns a reporter that writes to w.
type makeReporter[X, T any] func(w io.Writer, color bool) reporter[X, T]

// formats are the formats that --format and --out of check and run accept.
var formats = []string{"text", "json", "jsonl", "sarif", "github", "junit", "html"}

// reporters fans out to several reporters, and closes the files of --out.
type reporters[X, T any] struct {
	live    []reporter[X, T] // of jsonl, whose lines come as soon as a result exists
	ordered []reporter[X, T] // of the other formats, which have the order of the list
	files   []*stream
}

// newReporters opens the outputs of --format and --out. out has entries "format=file"; none may be an input.
func newReporters[X, T any](c console, format string, out, inputs []string, kinds map[string]makeReporter[X, T]) (*reporters[X, T], error) {
	rs := &reporters[X, T]{}
	add := func(format string, w io.Writer, color bool) {
		r := kinds[format](w, color)
		if format == "jsonl" {
			rs.live = append(rs.live, r)
		} else {
			rs.ordered = append(rs.ordered, r)
		}
	}
	if !slices.Contains(formats, format) {
		return nil, unreadable("unknown format %q; want one of %s", format, strings.Join(formats, " "))
	}
	if err := spareInputs("out", out, inputs); err != nil {
		return nil, err
	}
	add(format, c.out, colorful(c.out))
	if format == "text" && os.Getenv("GITHUB_ACTIONS") == "true" {
		add("github", c.out, false)
	}
	for _, o := range out {
		kind, path, ok := strings.Cut(o, "=")
		if !ok {
			return nil, unreadable("--out %q; want FORMAT=FILE", o)
		}
		if !slices.Contains(formats, kind) { // before the file is there
			return nil, unreadable("--out %q: unknown format %q; want one of %s", o, kind, strings.Join(formats, " "))
		}
		f, err := createStream(path)
		if err != nil {
			return nil, err
		}
		for _, other := range rs.files {
			if f.sameFile(other) {
				return nil, unreadable("--out %s: %s is the file of another --out; want one file for each", path, other.name)
			}
		}
		rs.files = append(rs.files, f)
		add(kind, f, false)
	}
	return rs, nil
}

// recordLive is told each result as soon as it exists, recordOrdered all results in the order of the list.
func (s *reporters[X, T]) recordLive(x X) {
	for _, r := range s.live {
		r.Record(x)
	}
}

func (s *reporters[X, T]) recordOrdered(x X) {
	for _, r := range s.ordered {
		r.Record(x)
	}
}

// close ends every report with the tally and closes the files of --out. It returns the first error.
func (s *reporters[X, T]) close(t T) error {
	var first error
	for _, r := range slices.Concat(s.live, s.ordered) {
		if err := r.Close(t); err != nil && first == nil {
			first = unwritten(err)
		}
	}
	for _, f := range s.files {
		if err := f.finish(); err != nil && first == nil {
			first = unwritten(err)
		}
	}
	return first
}

// unwritten is the error of a command for a report that cannot be written.
func unwritten(err error) error {
	if errors.Is(err, errAbandoned) {
		return &coded{exitInterrupt, "interrupted"}
	}
	return unreadable("%v", err)
}

// writeLine writes a value as one line of JSON with no character that a terminal acts on.
func writeLine(w io.Writer, v any) {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err) // a record has only strings and numbers
	}
	w.Write(append(plain.JSON(line), '\n'))
}

// junitSuite is the XML that CI systems read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    float64       `xml:"time,attr,omitempty"` // seconds
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes a suite of cases.
func writeJUnit(w io.Writer, name string, cases []junitCase) error {
	suite := junitSuite{Name: name, Tests: len(cases), Cases: cases}
	for i := range cases {
		switch c := &cases[i]; {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	b := bufio.NewWriter(w)
	b.WriteString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return err
	}
	b.WriteByte('\n')
	return b.Flush()
}
