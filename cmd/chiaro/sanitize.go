package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/vk"
)

// reportRecord is a report of a sanitizer as JSON.
type reportRecord struct {
	Sanitizer   string        `json:"sanitizer"`
	Rule        string        `json:"rule"`
	Message     string        `json:"message"`
	Stage       string        `json:"stage"`
	Invocation  string        `json:"invocation,omitempty"` // the first
	Source      *sourceRecord `json:"source,omitempty"`
	Instruction int           `json:"instruction,omitempty"` // from 1
	Name        string        `json:"name,omitempty"`
	Times       uint64        `json:"times,omitempty"`
}

func reportRecords(list []vk.Report) (out []reportRecord) {
	for i := range list {
		r := &list[i]
		x := reportRecord{r.Sanitizer, r.Rule, r.Message, r.Stage, r.Invocation, nil, r.Instruction, r.Name, r.Times}
		if r.File != "" {
			x.Source = &sourceRecord{File: r.File, Line: uint32(r.Line)}
		}
		out = append(out, x)
	}
	return out
}

// placed returns a report with its line in the text of a module in assembly, if the module itself has no position. x may be nil.
func (x *checked) placed(r vk.Report) vk.Report {
	if i := r.Instruction - 1; x != nil && r.File == "" && i >= 0 && i < len(x.starts) {
		r.File, r.Line = x.file, 1+strings.Count(x.text[:x.starts[i]], "\n")
	}
	return r
}

// located returns the cause of a lost device with its instruction and its line: of the source, else of the text of a module in assembly.
func (x *checked) located(err, cause error) error {
	var lost *vk.LostError
	if !errors.As(err, &lost) || lost.Location == nil {
		return cause
	}
	at := *lost.Location
	var budget *vk.BudgetError
	if at.Line == 0 && errors.As(err, &budget) {
		if i := int(budget.Origin) - 1; i >= 0 && i < len(x.starts) {
			at.File, at.Line = x.file, uint32(1+strings.Count(x.text[:x.starts[i]], "\n"))
		}
	}
	return fmt.Errorf("%w: %v", cause, &at)
}

// foundReports returns the reports that records are of.
func foundReports(list []reportRecord) (out []vk.Report) {
	for i := range list {
		r := &list[i]
		x := vk.Report{Sanitizer: r.Sanitizer, Rule: r.Rule, Message: r.Message, Stage: r.Stage, Invocation: r.Invocation,
			Instruction: r.Instruction, Name: r.Name, Times: r.Times}
		if r.Source != nil {
			x.File, x.Line = r.Source.File, int(r.Source.Line)
		}
		out = append(out, x)
	}
	return out
}

// writeReports writes a line for each report.
func writeReports(w io.Writer, list []vk.Report) {
	for i := range list {
		plain.Fprintf(w, "%s: %s\n", list[i].Sanitizer, plain.Block(list[i].Text(), "     "))
	}
}

// sanitizerWords describe the sanitizers.
var sanitizerWords = map[string]string{
	"bounds": "An access is outside of a range", "uninit": "A value that no store wrote is used",
	"race": "Two accesses of a location are not ordered", "float": "An operation makes a NaN, an infinity, or a zero of a number", "uniform": "A value or the control flow is not uniform",
	"interface": "An output and an input do not match", "undefined": "An instruction has no defined result",
}

// addReports adds the reports on the shaders of a file. The id of the rule is the VUID, else the sanitizer.
func addReports(log *sarifLog, file string, list []vk.Report) {
	for i := range list {
		r := &list[i]
		id, words := r.Sanitizer, sanitizerWords[r.Sanitizer]
		if strings.HasPrefix(r.Rule, "VUID-") {
			id = r.Rule
		}
		at := sarifAt(file, nil)
		if r.File != "" {
			at = sarifAt(r.File, sarifLine(r.Line, 1))
		}
		key := strings.Join([]string{file, r.Rule, r.Stage, r.Name, r.File}, "\t")
		log.add(id, words, words+".", "error", string(plain.Block(r.Text(), "")), key, at)
	}
}
