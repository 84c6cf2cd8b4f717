package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/profile"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// record is the result of one script. It is the JSON form too.
type record struct {
	File    string            `json:"file"`
	Test    string            `json:"test,omitempty"` // its name in a table
	Status  string            `json:"status"`
	Message string            `json:"message"`
	Seconds float64           `json:"seconds"`
	Buffers map[string]string `json:"buffers,omitempty"`
	Log     []string          `json:"log,omitempty"`     // the output of printf in shaders
	Reports []reportRecord    `json:"reports,omitempty"` // of --sanitize
	Orders  int               `json:"orders,omitempty"`  // of --schedule that ran
	Order   string            `json:"order,omitempty"`   // that fails
	Shard   *shardRecord      `json:"shard,omitempty"`

	found     []vk.Report // the same
	sanitized bool        // Message is of the first report
	ran       *ranScript  // nil if it has not run
}

// ranScript has the parts of a script that has run which coverage needs.
type ranScript struct {
	script  *amber.Script      // nil for a test of a table
	modules map[string]checked // of a test, by stage
	codes   map[string]*spirv.Module
	stages  []vk.StageProfile
	place   func(*ptxlower.CountedInstruction) profile.Place // of the instructions of a kernel
}

// title returns the name of the script, and of the test in a table.
func (x record) title() string {
	if x.Test == "" {
		return x.File
	}
	return x.File + ": " + x.Test
}

// Found returns the reports of sanitizers for a page.
func (x record) Found() (texts []string) {
	for i := range x.found {
		texts = append(texts, string(plain.Block(x.found[i].Sanitizer+": "+x.found[i].Text(), "")))
	}
	return texts
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

// runReporters makes the reporters of scripts and tests, for a verb.
func runReporters(verb string) map[string]makeReporter[record, tally] {
	return map[string]makeReporter[record, tally]{
		"text":   func(w io.Writer, color bool) reporter[record, tally] { return &textReport{w, color} },
		"json":   func(w io.Writer, _ bool) reporter[record, tally] { return &jsonReport{w: w, files: []record{}} },
		"jsonl":  func(w io.Writer, _ bool) reporter[record, tally] { return &jsonLines{w: w} },
		"sarif":  func(w io.Writer, _ bool) reporter[record, tally] { return &runSARIF{newSARIFLog(w)} },
		"github": func(w io.Writer, _ bool) reporter[record, tally] { return &runGitHub{w} },
		"junit":  func(w io.Writer, _ bool) reporter[record, tally] { return &junitReport{w: w, verb: verb} },
		"html":   func(w io.Writer, _ bool) reporter[record, tally] { return &runHTML{w: w, verb: verb} },
	}
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
	orders := ""
	if x.Orders > 0 {
		orders = ", " + number(x.Orders, "order")
	}
	plain.Fprintf(r.w, "%s %s (%.2fs%s)\n", word, x.title(), x.Seconds, plain.Safe(orders))
	for _, l := range x.Log {
		plain.Fprintf(r.w, "\tlog: %s\n", plain.Block(l, "\t     "))
	}
	for i := range x.found {
		plain.Fprintf(r.w, "\t%s: %s\n", x.found[i].Sanitizer, plain.Block(x.found[i].Text(), "\t     "))
	}
	if x.Order != "" {
		plain.Fprintf(r.w, "\tin one of the orders: --schedule=%s runs it again\n", x.Order)
	}
	if x.Message != "" && !x.sanitized {
		plain.Fprintf(r.w, "\t%s\n", plain.Block(strings.TrimSpace(x.Message), "\t"))
	}
}

func (r *textReport) Close(t tally) error {
	_, err := fmt.Fprintln(r.w, t)
	return err
}

// jsonLines is one JSON object a line.
type jsonLines struct {
	w     io.Writer
	begun bool
}

func (r *jsonLines) Record(x record) {
	if !r.begun {
		x.Shard = x.Shard.named()
	}
	writeLine(r.w, x)
	r.begun = true
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

// junitReport is JUnit XML: a script is a test.
type junitReport struct {
	w     io.Writer
	verb  string
	cases []junitCase
}

func (r *junitReport) Record(x record) {
	c := junitCase{Name: plain.Line(x.title()), Class: strings.ReplaceAll(r.verb, " ", "."), Time: x.Seconds}
	m := &junitMessage{Message: string(plain.Block(x.Message, ""))}
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

func (r *junitReport) Close(tally) error { return writeJUnit(r.w, r.verb, r.cases) }

// number returns a number of things in words: "1 order", "2 orders".
func number(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
