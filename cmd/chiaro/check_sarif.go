package main

import (
	"bytes"
	"io"
	"path/filepath"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// checkSARIF writes one SARIF 2.1.0 log, the input format of code scanning services.
// The log lists only rules that have a finding.
type checkSARIF struct {
	w     io.Writer
	run   *sarif.Run
	rules map[string]int
	ok    bool // whether no file was unreadable
}

func newCheckSARIF(w io.Writer) *checkSARIF {
	run := sarif.NewRunWithInformationURI("chiaro", "https://github.com/chiaro-gpu/chiaro")
	run.Tool.Driver.WithVersion(version())
	run.WithColumnKind("unicodeCodePoints")
	return &checkSARIF{w: w, run: run, rules: map[string]int{}, ok: true}
}

func (r *checkSARIF) Record(x *checked) {
	if x.verdict == verdictUnreadable || x.verdict == verdictInternal {
		r.ok = false
		r.run.AddResult(sarif.NewRuleResult("unreadable").WithRuleIndex(r.rule("unreadable")).WithLevel("error").
			WithMessage(sarif.NewTextMessage(string(plain.Block(x.message, "")))).AddLocation(sarifAt(x.file, 0, 0)))
		return
	}
	v := newViewer(x)
	for i := range x.findings {
		f := &x.findings[i]
		res := sarif.NewRuleResult(f.Code).WithRuleIndex(r.rule(f.Code)).WithLevel(sarifLevel(f.Severity)).
			WithMessage(sarif.NewTextMessage(plain.Line(f.Message) + string(plain.Block(f.more(), "")))).WithLocations([]*sarif.Location{r.place(x, v, &f.Finding)})
		for n, o := range f.Related {
			at := sarifAt(x.file, 0, 0).WithID(n + 1).WithMessage(sarif.NewTextMessage(o.Message))
			at.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(string(plain.Block(orElse(v.text(o.Pos), o.Pos.String()), ""))))
			res.AddRelatedLocation(at)
		}
		res.WithPartialFingerprints(map[string]string{"chiaro/v1": plain.Line(key(x.file, &f.Finding))})
		r.run.AddResult(res)
	}
}

// place returns the source line of a finding if the module has debug information,
// else the module, with the instruction's text and the entry point that calls it.
func (r *checkSARIF) place(x *checked, v *viewer, f *valid.Finding) *sarif.Location {
	file, line, column := x.file, 0, 0
	if v.sited(f) {
		file, line, column = v.where(x, f)
	}
	at := sarifAt(file, line, column)
	if t := v.text(f.Pos); t != "" {
		at.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(string(plain.Block(t, ""))).WithKind("instruction"))
	}
	if name, _ := v.callers(f.Pos); name != "" {
		at.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(plain.Line(name)).WithKind("function"))
	}
	return at
}

// rule returns the index of a rule and adds a new one to the log.
func (r *checkSARIF) rule(code string) int {
	n, ok := r.rules[code]
	if !ok {
		n = len(r.rules)
		r.rules[code] = n
		words := code
		if code == "unreadable" {
			words = "the file can be read"
		}
		if rule, ok := valid.RuleOf(code); ok {
			words = rule.Words + " (" + rule.Section + ")"
		} else if rule, ok := link.RuleOf(code); ok {
			words = rule.Words
		}
		r.run.Tool.Driver.AddRule(sarif.NewRule(code).WithDescription(words))
	}
	return n
}

func sarifLevel(s diag.Severity) string {
	if s == diag.Error {
		return "error"
	}
	return "warning"
}

// sarifAt is a place in a file; a line of 0 is the file as a whole.
func sarifAt(file string, line, column int) *sarif.Location {
	p := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(filepath.ToSlash(file)))
	if line > 0 {
		p.WithRegion(sarif.NewRegion().WithStartLine(line).WithStartColumn(max(column, 1)))
	}
	return sarif.NewLocationWithPhysicalLocation(p)
}

func (r *checkSARIF) Close(checkTally) error {
	r.run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(r.ok))
	log := sarif.NewReport()
	log.AddRun(r.run)
	var b bytes.Buffer
	if err := log.PrettyWrite(&b); err != nil {
		return err
	}
	_, err := r.w.Write(plain.JSON(b.Bytes()))
	return err
}
