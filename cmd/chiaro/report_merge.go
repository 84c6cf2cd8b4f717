package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/valid"
)

// newReport returns the command report. Its only subcommand is merge.
func newReport(c console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Process reports of earlier runs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReportMerge(c))
	return cmd
}

// mergedRecord is a record of check, or one of run, which has a status.
type mergedRecord struct {
	checkRecord
	Status  string            `json:"status"`
	Test    string            `json:"test"`
	Seconds float64           `json:"seconds"`
	Buffers map[string]string `json:"buffers"`
	Log     []string          `json:"log"`
	Reports []reportRecord    `json:"reports"`
	Orders  int               `json:"orders"`
	Order   string            `json:"order"`
}

func (r *mergedRecord) ofRun() bool { return r.Status != "" }

// ran returns the record of run, with the reports of sanitizers that the reporters of text and SARIF need.
func (r *mergedRecord) ran() record {
	x := record{File: r.File, Test: r.Test, Status: r.Status, Message: r.Message, Seconds: r.Seconds, Buffers: r.Buffers, Log: r.Log,
		Reports: r.Reports, Orders: r.Orders, Order: r.Order, found: foundReports(r.Reports)}
	x.sanitized = len(x.found) > 0 && strings.Contains(r.Message, x.found[0].Sanitizer+": "+x.found[0].Text())
	return x
}

// title returns the name of the object in the list of a shard.
func (r *mergedRecord) title() string { return record{File: r.File, Test: r.Test}.title() }

func newReportMerge(c console) *cobra.Command {
	format, partial := "text", false
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge the reports of several shards",
		Long: `Merge reports that check, run, test or fuzz wrote as jsonl or json, such as the reports of the shards of one corpus.
The merged report has each file once, in the order of the names. It is an error if a shard or an object is missing; the message
names all of them, and with --partial it is a warning.
The exit code is the same as of one command over all files. A page of HTML has no listings of modules, which reports do not have.`,
		Example: "  chiaro check --shard 1/2 --out jsonl=a.jsonl shaders/\n  chiaro check --shard 2/2 --out jsonl=b.jsonl shaders/\n  chiaro report merge a.jsonl b.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE:    stoppable(func(_ context.Context, args []string) error { return mergeReports(c, format, partial, args) }),
	}
	cmd.Flags().StringVar(&format, "format", format, "output format: "+strings.Join(formats, ", "))
	cmd.Flags().BoolVar(&partial, "partial", false, "merge the reports although shards or objects are missing")
	complete(cmd, "format", formats...)
	return cmd
}

// mergeReports reads reports and writes one.
func mergeReports(c console, format string, partial bool, files []string) error {
	if !slices.Contains(formats, format) {
		return unreadable("--format %q: must be %s", format, strings.Join(formats, ", "))
	}
	var all []mergedRecord
	var empty []string
	for _, file := range files {
		list, err := readRecords(file)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			empty = append(empty, file)
		}
		all = append(all, list...)
	}
	shards, err := listShards(all)
	if len(empty) > 0 && !shards.spare() && !(partial && len(all) > 0) {
		return unreadable("%s: error: the report has no records; it is empty, or its run did not begin", empty[0])
	}
	if err != nil {
		return err
	}
	if missing := shards.missing(); partial {
		for _, text := range missing {
			plain.Fprintf(c.err, "chiaro: warning: %s\n", text)
		}
	} else if missing != nil {
		return unreadable("%s\n--partial merges the reports without them", strings.Join(missing, "\n"))
	}
	slices.SortStableFunc(all, func(x, y mergedRecord) int {
		return cmp.Or(strings.Compare(x.File, y.File), strings.Compare(x.Test, y.Test))
	})
	all = slices.CompactFunc(all, func(x, y mergedRecord) bool { return x.File == y.File && x.Test == y.Test })
	for i := range all {
		if all[i].ofRun() != all[0].ofRun() {
			return unreadable("%s: error: some reports are of check and some are of run; must be of one command", all[i].File)
		}
	}
	merge := mergeChecks
	if all[0].ofRun() {
		merge = mergeRuns
	}
	code, err := merge(c.out, format, all)
	if err != nil {
		return err
	}
	if code != exitClean {
		return &coded{code: code}
	}
	return nil
}

// readRecords reads a report: a sequence of records as in jsonl, or objects that list
// them as their files, as in json.
func readRecords(file string) ([]mergedRecord, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	defer f.Close()
	var out []mergedRecord
	for d := json.NewDecoder(f); ; {
		var r struct {
			mergedRecord
			Files *[]mergedRecord `json:"files"`
		}
		start := d.InputOffset()
		err := d.Decode(&r)
		if err == io.EOF {
			return out, nil
		}
		list := []mergedRecord{r.mergedRecord}
		if r.Files != nil {
			list = *r.Files
		}
		if err == nil && slices.ContainsFunc(list, func(r mergedRecord) bool { return r.File == "" || (r.Verdict == "") == (r.Status == "") }) {
			err = errors.New("a record has no file, or not one of verdict and status")
		}
		if err != nil {
			line := lineOf(file, start, d.InputOffset(), err)
			if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
				err = fmt.Errorf("%s is a JSON %s", orElse(kind.Field[strings.LastIndexByte(kind.Field, '.')+1:], "a record"), kind.Value)
			}
			return nil, unreadable("%s:%d: error: %v; must be a report that check or run writes with --format jsonl or json", file, line, err)
		}
		out = append(out, list...)
	}
}

// lineOf returns the line of a JSON error in a value that begins at offset start: the
// error's own position if it has one, else the value's end. It returns 1 if the file
// cannot be read again.
func lineOf(file string, start, end int64, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax): // from the beginning of the file
		end = syntax.Offset
	case errors.As(err, &kind): // from the beginning of the value
		end = start + kind.Offset
	}
	f, err := os.Open(file)
	if err != nil {
		return 1
	}
	defer f.Close()
	n := 1
	for r := bufio.NewReader(io.LimitReader(f, max(end-1, 0))); ; {
		b, err := r.ReadByte()
		if err != nil {
			return n
		}
		if b == '\n' {
			n++
		}
	}
}

// addRecord counts a record of an earlier run.
func (t *checkTally) addRecord(r *checkRecord) {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == "error" {
			n++
		} else {
			t.warnings++
		}
	}
	n += r.OfErrors
	t.errors += n
	t.warnings += r.Omitted - r.OfErrors - r.Beyond
	t.left += r.Omitted
	t.beyond += r.Beyond
	switch {
	case r.Verdict == verdictNotRun:
		t.notRun++
	case r.Verdict == verdictInternal:
		t.internal++
	case r.Verdict == verdictUnreadable:
		t.unreadable++
	case n > 0:
		t.faulty++
	default:
		t.clean++
	}
}

// mergeRuns writes the records of scripts and tests, and returns the exit code.
func mergeRuns(w io.Writer, format string, all []mergedRecord) (int, error) {
	verb := "chiaro run"
	switch {
	case all[0].Shard != nil && all[0].Shard.Verb == "fuzz":
		verb = "chiaro fuzz"
	case slices.ContainsFunc(all, func(m mergedRecord) bool { return m.Test != "" }):
		verb = "chiaro test"
	}
	r, t := runReporters(verb)[format](w, false), tally{}
	for i := range all {
		r.Record(all[i].ran())
		t[all[i].Status]++
	}
	return t.code(), r.Close(t)
}

// mergeChecks writes the records of check and returns the exit code.
func mergeChecks(w io.Writer, format string, merged []mergedRecord) (int, error) {
	var t checkTally
	all := make([]checkRecord, 0, len(merged))
	for i := range merged {
		all = append(all, merged[i].checkRecord)
		t.addRecord(&all[i])
	}
	switch format {
	case "json":
		r := checkJSON{w: w, files: all}
		return t.code(), r.Close(t)
	case "jsonl":
		for i := range all {
			all[i].Shard = nil
			writeLine(w, &all[i])
		}
		return t.code(), nil
	}
	f := &checkFlags{}
	if s := merged[0].Shard; s != nil {
		f.targetEnv = s.Environment
		for _, name := range s.Profiles {
			f.envs = append(f.envs, &valid.Env{Device: &valid.Device{Name: name}})
		}
	}
	r := checkReporters(f)[format](w, colorful(w))
	for i := range all {
		r.Record(all[i].checked())
	}
	return t.code(), r.Close(t)
}

// checked returns the result that a record is of, for the reporters.
func (r *checkRecord) checked() *checked {
	x := &checked{file: r.File, verdict: r.Verdict, message: r.Message, skipped: r.Skipped, recorded: r.Findings, profiles: slices.Sorted(maps.Keys(r.Profiles))}
	x.left = leftOut{all: r.Omitted, errors: r.OfErrors, beyond: r.Beyond}
	for i := range r.Findings {
		f := &r.Findings[i]
		var out shownFinding
		out.Code, out.Message, out.Profiles, out.sides = f.Code, f.Message, f.Profiles, f.Sides
		out.Pos = diag.Pos{Instruction: f.Instruction, Word: f.WordOffset}
		if f.Severity != diag.Error.String() {
			out.Severity = diag.Warning
		}
		if s := f.Source; s != nil {
			out.Source, out.HasSource = facts.Position{File: s.File, Line: s.Line, Column: s.Column}, true
			out.described = f.Instruction == 0
		}
		for _, o := range f.Related {
			out.Related = append(out.Related, diag.Related{Pos: diag.Pos{Instruction: o.Instruction, Word: o.WordOffset}, Message: o.Message})
		}
		x.findings = append(x.findings, out)
	}
	return x
}
