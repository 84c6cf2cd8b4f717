package main

import (
	"io"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// checkSARIF is a SARIF log with a result for each finding and each unreadable file.
type checkSARIF struct{ log *sarifLog }

func newCheckSARIF(w io.Writer, target string, profiles []string) *checkSARIF {
	log := newSARIFLog(w)
	bag := sarif.NewPropertyBag()
	if target != "" {
		bag.Add("targetEnvironment", target)
	}
	if len(profiles) > 0 {
		bag.Add("profiles", profiles)
	}
	if len(bag.Properties) > 0 {
		log.run.WithProperties(bag)
	}
	return &checkSARIF{log}
}

func (r *checkSARIF) Record(x *checked) {
	switch x.verdict {
	case verdictNotRun:
		r.log.ok = false
		return
	case verdictUnreadable, verdictInternal:
		r.log.ok = false
		for _, p := range splitPositions(x) {
			r.log.add("unreadable", "the file can be read", "The file is no module, source, script, archive or description of a pipeline that can be read.",
				p.level(), string(plain.Block(p.text, "")), "", p.location())
		}
		return
	}
	v := newViewer(x)
	for i := range x.findings {
		f := &x.findings[i]
		words, help := sarifRule(f.Code)
		result := r.log.add(f.Code, words, help, sarifLevel(f.Severity), plain.Line(f.Message)+string(plain.Block(f.more(), "")),
			key(x.file, &f.Finding), sarifFinding(x, v, &f.Finding))
		if len(f.Profiles) > 0 {
			result.WithProperties(sarif.NewPropertyBag().Add("profiles", f.Profiles))
		}
		for n, o := range f.Related {
			archive, _ := objectName(x.file)
			result.AddRelatedLocation(sarifAt(archive, nil).WithID(n + 1).WithMessage(sarif.NewTextMessage(plain.Line(o.Message))).
				AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(string(plain.Block(orElse(v.text(o.Pos), o.Pos.String()), "")))))
		}
	}
}

func (r *checkSARIF) Close(checkTally) error { return r.log.close() }

// sarifFinding returns the source line of a finding if the module has debug information,
// else the module, with the instruction's text and the entry point that calls it.
func sarifFinding(x *checked, v *viewer, f *valid.Finding) *sarif.Location {
	var at *sarif.Location
	file, line, column := x.file, 0, 0
	if v.sited(f) {
		file, line, column = v.where(x, f)
	}
	archive, object := objectName(file)
	switch {
	case object != "": // no place of the archive
		at = sarifAt(archive, nil).AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(plain.Line(object)).WithKind("object"))
	case line > 0 || x.pipeline || !v.binary(f) || isSource(x.file):
		at = sarifAt(file, sarifLine(line, column))
	default:
		at = sarifAt(file, sarif.NewRegion().WithByteOffset(4*f.Pos.Word).WithByteLength(4))
	}
	if t := v.text(f.Pos); t != "" {
		at.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(string(plain.Block(t, ""))).WithKind("instruction"))
	}
	if name, _ := v.callers(f.Pos); name != "" {
		at.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(plain.Line(name)).WithKind("function"))
	}
	return at
}

// sarifRule returns a sentence on a rule and the text that a service shows for it.
func sarifRule(code string) (words, help string) {
	words = code
	if rule, ok := valid.RuleOf(code); ok {
		words = rule.Words + " (" + rule.Section + ")"
	} else if rule, ok := link.RuleOf(code); ok {
		words = rule.Words
	}
	return words, words + ". The command `chiaro explain " + code + "` shows an example that violates the rule and one that satisfies it."
}

func sarifLevel(s diag.Severity) string {
	if s == diag.Error {
		return "error"
	}
	return "warning"
}
