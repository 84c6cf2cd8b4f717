package main

import (
	"cmp"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// checkHTML is one page that needs nothing else: a summary, the findings by
// rule and by file, and of each file with findings the disassembly with each of
// them at its instruction.
type checkHTML struct {
	w     io.Writer
	env   string
	files []htmlFile
	rules map[string]*htmlRule
}

// htmlFile is one file of the page.
type htmlFile struct {
	Number   int
	Name     string
	Message  string // why it has no findings
	Verdict  string
	Findings []htmlFinding
	Listing  []htmlLine
	Cut      int // lines of the listing that are left out
}

// htmlFinding is one finding. Line is its line in the listing, from 1; 0 for a
// finding on the whole module.
type htmlFinding struct {
	Code, Severity, Message, Source, SourceLine string
	EntryPoint                                  string
	Line, File                                  int
	Related                                     []relatedRecord
}

// htmlLine is one line of a listing, followed by its findings.
type htmlLine struct {
	Number   int
	Text     string
	Findings []htmlFinding
}

// htmlRule is one rule that has findings.
type htmlRule struct {
	Code, Words, Section string
	Findings             []htmlFinding
}

// maxListing bounds the lines of disassembly of a file on the page. Findings in
// later lines are shown with nearLines lines of context.
const (
	maxListing = 4000
	nearLines  = 5
)

func (r *checkHTML) Record(x *checked) {
	f := htmlFile{Verdict: x.verdict, Number: len(r.files) + 1, Name: plain.Line(x.file), Message: string(plain.Block(x.message, ""))}
	v := newViewer(x)
	at := map[int][]htmlFinding{}
	for i := range x.findings {
		n := &x.findings[i]
		h := htmlFinding{Code: n.Code, Severity: n.Severity.String(), Message: plain.Line(n.Message), File: f.Number, Line: v.shownLine(n.Pos), SourceLine: plain.Line(v.source(&n.Finding))}
		name, _ := v.callers(n.Pos)
		h.EntryPoint = plain.Line(name)
		if n.HasSource && n.Source.File != "" {
			h.Source = plain.Line(position(v.where(x, &n.Finding)))
		} else if v.undecoded(n.Pos) {
			h.Source = v.place(n.Pos)
		}
		for _, o := range n.Related {
			h.Related = append(h.Related, relatedRecord{Message: o.Message, Text: string(plain.Block(orElse(v.text(o.Pos), o.Pos.String()), ""))})
		}
		for _, side := range n.sides {
			h.Related = append(h.Related, relatedRecord{Message: orElse(side.Stage, "pipeline"), Text: strings.TrimSpace(sidesText([]link.Side{side}))})
		}
		if len(x.profiles) > 1 {
			h.Related = append(h.Related, relatedRecord{Message: "on", Text: plain.Line(strings.Join(n.Profiles, ", "))})
		}
		f.Findings = append(f.Findings, h)
		at[h.Line] = append(at[h.Line], h)
		r.ruled(h)
	}
	if len(x.findings) > 0 && x.facts != nil {
		f.list(v, at)
	}
	r.files = append(r.files, f)
}

// ruled adds a finding to its rule.
func (r *checkHTML) ruled(h htmlFinding) {
	if r.rules == nil {
		r.rules = map[string]*htmlRule{}
	}
	rule := r.rules[h.Code]
	if rule == nil {
		rule = &htmlRule{Code: h.Code}
		if k, ok := valid.RuleOf(h.Code); ok {
			rule.Words, rule.Section = k.Words, k.Section
		} else if k, ok := link.RuleOf(h.Code); ok {
			rule.Words, rule.Section = k.Words, "pipelines"
		}
		r.rules[h.Code] = rule
	}
	rule.Findings = append(rule.Findings, h)
}

// list fills in the disassembly.
func (f *htmlFile) list(v *viewer, at map[int][]htmlFinding) {
	near := func(n int) bool {
		if n <= maxListing {
			return true
		}
		for k := n - nearLines; k <= n+nearLines; k++ {
			if len(at[k]) > 0 {
				return true
			}
		}
		return false
	}
	for i := range v.m.Code.Len() {
		if v.interrupted(i) {
			f.Cut += v.m.Code.Len() - i
			return
		}
		n := v.shownLine(instructionPos(i))
		for k, line := range strings.Split(v.text(instructionPos(i)), "\n") {
			if !near(n + k) {
				f.Cut++
				continue
			}
			l := htmlLine{Number: n + k, Text: plain.Line(line)}
			if k == 0 {
				l.Findings = at[n]
			}
			f.Listing = append(f.Listing, l)
		}
	}
}

func (r *checkHTML) Close(t checkTally) error {
	rules := make([]*htmlRule, 0, len(r.rules))
	for _, k := range r.rules {
		rules = append(rules, k)
	}
	slices.SortFunc(rules, func(x, y *htmlRule) int {
		return cmp.Or(-cmp.Compare(len(x.Findings), len(y.Findings)), cmp.Compare(x.Code, y.Code))
	})
	page, err := template.New("page").Parse(checkPage)
	if err != nil {
		return err
	}
	return page.Execute(r.w, map[string]any{
		"Version": version(), "Env": r.env, "Files": r.files, "Rules": rules, "Total": len(r.files),
		"Clean": t.clean, "Faulty": t.faulty, "Unreadable": t.unreadable + t.internal, "Errors": t.errors, "Warnings": t.warnings,
	})
}
