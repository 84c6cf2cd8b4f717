package main

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// record is the result of one script. It is the JSON form too.
type record struct {
	File    string            `json:"file"`
	Status  string            `json:"status"`
	Message string            `json:"message"`
	Seconds float64           `json:"seconds"`
	Buffers map[string]string `json:"buffers,omitempty"`
	Log     []string          `json:"log,omitempty"` // the output of printf in shaders
	Shard   *shardRecord      `json:"shard,omitempty"`
}

// reporter renders records. It receives one record per script in the order of the
// list, except that jsonl writes a line as soon as its script is done.
type reporter interface {
	Record(record)
	Close(tally) error
}

// statusNotRun is the status of a script that an interrupt prevents.
const statusNotRun = "not run"

// tally counts records by status.
type tally map[string]int

// exercised counts the scripts that ran: passed, failed or out of time.
func (t tally) exercised() int { return t["pass"] + t["fail"] + t["timeout"] }

func (t tally) total() int {
	n := 0
	for _, x := range t {
		n += x
	}
	return n
}

// code returns the exit code of the tally.
func (t tally) code() int {
	switch {
	case t["internal"] > 0:
		return exitInternal
	case t["fail"]+t["timeout"] > 0:
		return exitFindings
	case t["error"]+t[statusNotRun] > 0:
		return exitUsage
	case t.exercised() == 0:
		return exitNothing
	}
	return exitClean
}

func (t tally) String() string {
	s := fmt.Sprintf("EXERCISED %d/%d", t.exercised(), t.total())
	for _, k := range []string{"pass", "fail", "unsupported", "error", "timeout", "internal", statusNotRun} {
		if t[k] > 0 {
			s += fmt.Sprintf("  %s %d", k, t[k])
		}
	}
	return s
}

// formats are the formats that --format and --out accept.
var formats = []string{"text", "json", "jsonl", "sarif", "github", "junit", "html"}

// newReporter returns a reporter that writes one format.
func newReporter(format string, w io.Writer, color bool) (reporter, error) {
	switch format {
	case "text":
		return &textReport{w, color}, nil
	case "json":
		return &jsonReport{w: w, files: []record{}}, nil
	case "jsonl":
		return &jsonLines{w: w}, nil
	case "junit":
		return &junitReport{w: w}, nil
	case "sarif":
		return newRunSARIF(w), nil
	case "github":
		return &runGitHub{w}, nil
	case "html":
		return &runHTML{w: w}, nil
	}
	return nil, unreadable("unknown format %q; want one of %s", format, strings.Join(formats, " "))
}

// textReport is one line a script, and the tally.
type textReport struct {
	w     io.Writer
	color bool
}

var statusColor = map[string]string{"pass": "\x1b[32m", "fail": "\x1b[31m", "error": "\x1b[31m", "timeout": "\x1b[31m", "internal": "\x1b[31m", "unsupported": "\x1b[33m"}

func (r *textReport) Record(x record) {
	if x.Status == statusNotRun {
		return // the tally counts them
	}
	word := plain.Safe(x.Status)
	if r.color {
		word = plain.Safe(statusColor[x.Status]) + word + "\x1b[0m"
	}
	plain.Fprintf(r.w, "%s %s (%.2fs)\n", word, x.File, x.Seconds)
	for _, l := range x.Log {
		plain.Fprintf(r.w, "\tlog: %s\n", plain.Block(l, "\t     "))
	}
	if x.Message != "" {
		plain.Fprintf(r.w, "\t%s\n", plain.Block(strings.TrimSpace(x.Message), "\t"))
	}
}

func (r *textReport) Close(t tally) error {
	_, err := fmt.Fprintln(r.w, t)
	return err
}

// jsonLines is one JSON object a line, flushed at once.
type jsonLines struct {
	mu sync.Mutex
	w  io.Writer
}

func (r *jsonLines) Record(x record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := json.Marshal(x)
	if err != nil {
		panic(err) // a record has only strings and numbers
	}
	r.w.Write(append(plain.JSON(line), '\n'))
}

func (r *jsonLines) Close(tally) error { return nil }

// jsonReport is one JSON object with all records and the tally.
type jsonReport struct {
	w     io.Writer
	files []record
}

func (r *jsonReport) Record(x record) { r.files = append(r.files, x) }

func (r *jsonReport) Close(t tally) error {
	return writeJSON(r.w, map[string]any{"files": r.files, "tally": t, "exercised": t.exercised(), "total": t.total()})
}

// junitReport is the XML that CI systems read.
type junitReport struct {
	w     io.Writer
	cases []junitCase
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    float64       `xml:"time,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

func (r *junitReport) Record(x record) {
	c := junitCase{Name: plain.Line(x.File), Class: "chiaro.run", Time: x.Seconds}
	m := &junitMessage{string(plain.Block(x.Message, ""))}
	switch x.Status {
	case "fail", "timeout":
		c.Failure = m
	case "error", "internal":
		c.Error = m
	case "unsupported", statusNotRun:
		c.Skipped = m
	}
	r.cases = append(r.cases, c)
}

func (r *junitReport) Close(t tally) error {
	w := bufio.NewWriter(r.w)
	w.WriteString(xml.Header)
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	err := e.Encode(junitSuite{Name: "chiaro run", Tests: t.total(), Failures: t["fail"] + t["timeout"],
		Errors: t["error"] + t["internal"], Skipped: t["unsupported"] + t[statusNotRun], Cases: r.cases})
	if err != nil {
		return err
	}
	w.WriteByte('\n')
	return w.Flush()
}

// reporters fans out to several reporters, and closes the files of --out.
type reporters struct {
	all   []reporter
	files []*stream
}

// newReporters opens the outputs of --format and --out. out has entries
// "format=file".
func newReporters(c console, format string, out []string) (*reporters, error) {
	first, err := newReporter(format, c.out, colorful(c.out))
	if err != nil {
		return nil, err
	}
	rs := &reporters{all: []reporter{first}}
	if format == "text" && os.Getenv("GITHUB_ACTIONS") == "true" {
		rs.all = append(rs.all, &runGitHub{c.out})
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
		rs.files = append(rs.files, f)
		r, err := newReporter(kind, f, false)
		if err != nil {
			return nil, err
		}
		rs.all = append(rs.all, r)
	}
	return rs, nil
}

// done is told of a script as soon as it ends; ordered of all scripts in the
// order of the list.
func (s *reporters) done(x record) {
	for _, r := range s.all {
		if l, ok := r.(*jsonLines); ok {
			l.Record(x)
		}
	}
}

func (s *reporters) ordered(x record) {
	for _, r := range s.all {
		if _, ok := r.(*jsonLines); !ok {
			r.Record(x)
		}
	}
}

func (s *reporters) close(t tally) error {
	return closeReports(s.all, s.files, t)
}

// closeReports ends every report with the tally and closes the files that they
// were written to.
func closeReports[T any, R interface{ Close(T) error }](all []R, files []*stream, t T) error {
	var errs []error
	for _, r := range all {
		if err := r.Close(t); err != nil {
			errs = append(errs, unreadable("%v", err))
		}
	}
	for _, f := range files {
		if err := f.finish(); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errs[0]
	}
	return nil
}
