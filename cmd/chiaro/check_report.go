package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
)

// checkReporters makes the reporters of check.
func checkReporters(f *checkFlags) map[string]makeReporter[*checked, checkTally] {
	type made = reporter[*checked, checkTally]
	return map[string]makeReporter[*checked, checkTally]{
		"text": func(w io.Writer, color bool) made {
			if f.matrix {
				return newCheckMatrix(w, f.profileNames())
			}
			return &checkText{bufio.NewWriter(w), color, f.verbose}
		},
		"json":   func(w io.Writer, _ bool) made { return &checkJSON{w: w, files: []checkRecord{}, shard: f.shardOf} },
		"jsonl":  func(w io.Writer, _ bool) made { return &checkLines{w, f.shardOf, f.shardOf.named()} },
		"sarif":  func(w io.Writer, _ bool) made { return newCheckSARIF(w, f.targetEnv, f.profileNames()) },
		"github": func(w io.Writer, _ bool) made { return &checkGitHub{bufio.NewWriter(w)} },
		"junit":  func(w io.Writer, _ bool) made { return &checkJUnit{w: w} },
		"html":   func(w io.Writer, _ bool) made { return &checkHTML{w: w, env: f.targetEnv} },
	}
}

// checkTally counts files by verdict.
type checkTally struct {
	clean, faulty, unreadable, internal, notRun int
	errors, warnings                            int
	left, beyond                                int // of all findings those not shown, and those not even counted above
}

func (t *checkTally) add(x *checked) {
	n := 0
	for i := range x.findings {
		if x.findings[i].Severity == diag.Error {
			n++
		} else {
			t.warnings++
		}
	}
	n += x.left.errors
	t.errors += n
	t.warnings += x.left.all - x.left.errors - x.left.beyond
	t.left += x.left.all
	t.beyond += x.left.beyond
	switch {
	case x.verdict == verdictNotRun:
		t.notRun++
	case x.verdict == verdictInternal:
		t.internal++
	case x.verdict == verdictUnreadable:
		t.unreadable++
	case n > 0:
		t.faulty++
	default:
		t.clean++
	}
}

// code returns the exit code of the tally.
func (t checkTally) code() int {
	switch {
	case t.internal > 0:
		return exitInternal
	case t.faulty > 0:
		return exitFindings
	case t.unreadable+t.notRun > 0:
		return exitUsage
	case t.clean == 0:
		return exitNothing
	}
	return exitClean
}

func (t checkTally) String() string {
	judged := t.clean + t.faulty
	s := fmt.Sprintf("EXERCISED %d/%d  clean %d", judged, judged+t.unreadable+t.internal+t.notRun, t.clean)
	for _, p := range []struct {
		name string
		n    int
	}{{"with findings", t.faulty}, {"unreadable", t.unreadable}, {"internal", t.internal}, {"not run", t.notRun}, {"errors", t.errors}, {"warnings", t.warnings},
		{"further", t.beyond}} {
		if p.n > 0 {
			s += fmt.Sprintf("  %s %d", p.name, p.n)
		}
	}
	if t.left > 0 {
		s += fmt.Sprintf("  left out %d", t.left)
	}
	return s
}

// checkRecord is the JSON form of the result of one file.
type checkRecord struct {
	File      string          `json:"file"`
	Verdict   string          `json:"verdict"`
	Message   string          `json:"message,omitempty"`
	Findings  []findingRecord `json:"findings"`
	Omitted   int             `json:"omitted,omitempty"`       // findings that are not shown
	OfErrors  int             `json:"omittedErrors,omitempty"` // the omitted findings that are known to be errors
	Beyond    int             `json:"omittedBeyond,omitempty"` // those that a report has no room for
	Unchecked map[string]int  `json:"unchecked,omitempty"`
	Profiles  map[string]int  `json:"profiles,omitempty"` // errors on each
	Skipped   []string        `json:"skipped,omitempty"`  // unknown parts of a pipeline, which were not checked
	Shard     *shardRecord    `json:"shard,omitempty"`    // of --shard
}

// findingRecord is one finding as JSON.
type findingRecord struct {
	Code        string          `json:"code"`
	Severity    string          `json:"severity"`
	Message     string          `json:"message"`
	Instruction int             `json:"instruction,omitempty"` // from 1
	WordOffset  int             `json:"wordOffset,omitempty"`
	Text        string          `json:"text,omitempty"` // the instruction, disassembled
	Line        int             `json:"line,omitempty"` // of the instruction in a file that is text
	Source      *sourceRecord   `json:"source,omitempty"`
	EntryPoint  string          `json:"entryPoint,omitempty"` // the first that calls the function
	Stages      []string        `json:"stages,omitempty"`     // of all that do
	Profiles    []string        `json:"profile,omitempty"`    // the profiles on which the finding applies
	Related     []relatedRecord `json:"related,omitempty"`
	Sides       []link.Side     `json:"sides,omitempty"` // of a finding of a pipeline, the one at fault first

	// The merged reports of shards need these too.
	Disassembled int    `json:"disassemblyLine,omitempty"` // the line of the instruction in the disassembly
	Quoted       string `json:"sourceText,omitempty"`      // the line of the source
}

type sourceRecord struct {
	File   string `json:"file"`
	Line   uint32 `json:"line"`
	Column uint32 `json:"column,omitempty"`
}

type relatedRecord struct {
	Message     string `json:"message"`
	Instruction int    `json:"instruction,omitempty"`
	WordOffset  int    `json:"wordOffset,omitempty"`
	Text        string `json:"text,omitempty"`
}

// verdictRecord returns the JSON form of a result, with the shard that it is of.
func verdictRecord(x *checked, shard *shardRecord) checkRecord {
	r := checkRecord{File: x.file, Verdict: x.verdict, Message: x.message, Findings: make([]findingRecord, 0, len(x.findings)), Shard: shard}
	r.Omitted, r.OfErrors, r.Beyond = x.left.all, x.left.errors, x.left.beyond
	if x.report != nil {
		r.Unchecked = x.report.Unchecked
	}
	r.Profiles, r.Skipped = x.byProfile(), x.skipped
	v := newViewer(x)
	for i := range x.findings {
		f := &x.findings[i]
		fr := findingRecord{Code: f.Code, Severity: f.Severity.String(), Message: f.Message,
			Instruction: f.Pos.Instruction, WordOffset: f.Pos.Word, Text: v.text(f.Pos), Profiles: f.Profiles, Sides: f.sides}
		if f.HasSource {
			fr.Source = &sourceRecord{f.Source.File, f.Source.Line, f.Source.Column}
		}
		switch {
		case v.input != "":
			fr.Line = v.shownLine(f.Pos)
		case shard != nil && !v.sited(&f.Finding):
			fr.Disassembled = v.shownLine(f.Pos)
		}
		if shard != nil {
			fr.Quoted = v.source(&f.Finding)
		}
		fr.EntryPoint, fr.Stages = v.callers(f.Pos)
		for _, o := range f.Related {
			fr.Related = append(fr.Related, relatedRecord{o.Message, o.Pos.Instruction, o.Pos.Word, v.text(o.Pos)})
		}
		r.Findings = append(r.Findings, fr)
	}
	return r
}

// checkLines is one JSON object a line.
type checkLines struct {
	w     io.Writer
	shard *shardRecord
	first *shardRecord // of the first line
}

func (r *checkLines) Record(x *checked) {
	writeLine(r.w, verdictRecord(x, cmp.Or(r.first, r.shard)))
	r.first = nil
}

func (r *checkLines) Close(checkTally) error { return nil }

// checkJSON is one JSON object with all records.
type checkJSON struct {
	w     io.Writer
	files []checkRecord
	shard *shardRecord
}

func (r *checkJSON) Record(x *checked) {
	r.files = append(r.files, verdictRecord(x, r.shard))
}

func (r *checkJSON) Close(t checkTally) error {
	return writeJSON(r.w, map[string]any{"files": r.files, "exercised": t.clean + t.faulty, "total": len(r.files),
		"errors": t.errors, "warnings": t.warnings, "omitted": t.left})
}

// checkText is a line for each finding that problem matchers read, with the
// instruction and related places below it, and the tally.
type checkText struct {
	w       *bufio.Writer
	color   bool
	verbose bool
}

func (r *checkText) Record(x *checked) {
	if x.verdict == verdictNotRun {
		return // the tally counts them
	}
	if x.verdict == verdictUnreadable || x.verdict == verdictInternal {
		plain.Fprintf(r.w, "%s\n", placedBlock(x.message))
		r.w.Flush()
		return
	}
	v := newViewer(x)
	for i := range x.findings {
		f := &x.findings[i]
		file, line, column := v.where(x, &f.Finding)
		plain.Fprintf(r.w, "%s:%d:%d: %s: %s [%s]\n", file, line, column, r.severity(f.Severity), f.Message, f.Code)
		if s := v.source(&f.Finding); s != "" {
			plain.Fprintf(r.w, "    %s\n", s)
			if n := int(f.Source.Column); n > 1 && n <= len(s) {
				fmt.Fprintf(r.w, "    %s^\n", indentOf(plain.Line(s[:n-1])))
			}
		}
		if t := v.place(f.Pos); t != "" {
			plain.Fprintf(r.w, "    %s\n", plain.Block(t, "    "))
		}
		if f.described && f.Source.File != x.file { // an object of a document
			plain.Fprintf(r.w, "    in %s\n", x.file)
		}
		fmt.Fprint(r.w, sidesText(f.sides))
		if len(x.profiles) > 1 {
			plain.Fprintf(r.w, "    on %s\n", strings.Join(f.Profiles, ", "))
		}
		for _, o := range f.Related {
			plain.Fprintf(r.w, "    %s: %s\n", o.Message, plain.Block(orElse(v.text(o.Pos), o.Pos.String()), "    "))
		}
	}
	for _, s := range x.skipped {
		plain.Fprintf(r.w, "%s: note: %s is not known and was not judged\n", x.file, s)
	}
	if x.left.all > 0 {
		plain.Fprintf(r.w, "%s: note: %d further findings are left out\n", x.file, x.left.all)
	}
	if x.report != nil && r.verbose {
		r.unchecked(x)
	}
	r.w.Flush()
}

// unchecked lists the rules that were not checkable.
func (r *checkText) unchecked(x *checked) {
	codes := make([]string, 0, len(x.report.Unchecked))
	for code := range x.report.Unchecked {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		plain.Fprintf(r.w, "%s: note: not checkable without knowing the device, in %d places [%s]\n", x.file, x.report.Unchecked[code], code)
	}
}

func (r *checkText) severity(s diag.Severity) plain.Safe {
	if !r.color {
		return plain.Safe(s.String())
	}
	if s == diag.Error {
		return plain.Safe("\x1b[31m" + s.String() + "\x1b[0m")
	}
	return plain.Safe("\x1b[33m" + s.String() + "\x1b[0m")
}

func (r *checkText) Close(t checkTally) error {
	fmt.Fprintln(r.w, t)
	return r.w.Flush()
}
