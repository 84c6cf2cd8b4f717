package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newReport is the verb report, whose only verb is merge.
func newReport(c console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Work on reports of earlier runs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReportMerge(c))
	return cmd
}

var mergeFormats = []string{"text", "json", "jsonl"}

func newReportMerge(c console) *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "merge FILE.jsonl...",
		Short: "Make one report of those of several shards",
		Long: `Make one report of several that check wrote with --format jsonl or --out jsonl=FILE, such as those of
the shards of one corpus: in order of the files' names, what stands twice once. The exit code is that
of a run over all of them.`,
		Example: "  chiaro check --shard 1/2 --out jsonl=a.jsonl shaders/\n  chiaro check --shard 2/2 --out jsonl=b.jsonl shaders/\n  chiaro report merge a.jsonl b.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return mergeReports(c, format, args) },
	}
	cmd.Flags().StringVar(&format, "format", format, "what is written: "+strings.Join(mergeFormats, ", "))
	complete(cmd, "format", mergeFormats...)
	return cmd
}

// maxRecord bounds a line of a report.
const maxRecord = 64 << 20

// mergeReports reads reports and writes one.
func mergeReports(c console, format string, files []string) error {
	if !slices.Contains(mergeFormats, format) {
		return unreadable("--format %q: must be %s", format, strings.Join(mergeFormats, ", "))
	}
	var all []checkRecord
	for _, file := range files {
		list, err := readRecords(file)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(x, y checkRecord) int { return strings.Compare(x.File, y.File) })
	all = slices.CompactFunc(all, func(x, y checkRecord) bool { return x.File == y.File })
	var t checkTally
	for i := range all {
		t.addRecord(&all[i])
	}
	if err := writeRecords(c.out, format, all, t); err != nil {
		return err
	}
	if code := t.code(); code != exitClean {
		return &coded{code: code}
	}
	return nil
}

// readRecords reads the lines of a report.
func readRecords(file string) ([]checkRecord, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	defer f.Close()
	var out []checkRecord
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxRecord)
	for n := 1; s.Scan(); n++ {
		if len(s.Bytes()) == 0 {
			continue
		}
		var r checkRecord
		err := json.Unmarshal(s.Bytes(), &r)
		if err == nil && (r.File == "" || r.Verdict == "") {
			err = errors.New("must be a record of check, with a file and a verdict")
		}
		if err != nil {
			return nil, unreadable("%s:%d: error: %v", file, n, err)
		}
		out = append(out, r)
	}
	if err := s.Err(); err != nil {
		return nil, unreadable("%s: %v", file, err)
	}
	return out, nil
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
	t.errors += n
	switch {
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

func writeRecords(w io.Writer, format string, all []checkRecord, t checkTally) error {
	switch format {
	case "json":
		r := checkJSON{w: w, files: all}
		return r.Close(t)
	case "jsonl":
		e := json.NewEncoder(w)
		for i := range all {
			if err := e.Encode(&all[i]); err != nil {
				return err
			}
		}
		return nil
	}
	b := bufio.NewWriter(w)
	for i := range all {
		writeRecord(b, &all[i])
	}
	fmt.Fprintln(b, t)
	return b.Flush()
}

// writeRecord writes a record as text.
func writeRecord(w io.Writer, r *checkRecord) {
	if r.Message != "" {
		fmt.Fprintln(w, r.Message)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		where := position(r.File, 1, 1)
		if s := f.Source; s != nil && s.File != "" {
			where = position(s.File, int(s.Line), int(max(s.Column, 1)))
		}
		fmt.Fprintf(w, "%s: %s: %s [%s]\n", where, f.Severity, f.Message, f.Code)
		if f.Text != "" {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(f.Text, "\n", "\n    "))
		}
		fmt.Fprint(w, sidesText(f.Sides))
		if len(f.Profiles) > 0 {
			fmt.Fprintf(w, "    on %s\n", strings.Join(f.Profiles, ", "))
		}
	}
}
