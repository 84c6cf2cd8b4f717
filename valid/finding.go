package valid

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
)

// Finding is one fault of a module.
type Finding struct {
	diag.Finding

	// Source is the source position of the instruction by OpLine or DebugLine.
	// It is valid if HasSource.
	Source    facts.Position
	HasSource bool

	// Profiles are the names of the devices for which the finding holds; nil
	// unless the module was checked for several.
	Profiles []string
}

// Report is the result of Check.
type Report struct {
	// Findings are in module order; findings at one instruction are in the
	// order of the rules.
	Findings []Finding

	// Omitted is how many findings there were beyond Options.MaxFindings.
	Omitted int

	// Unchecked counts, by code, how often a rule needed a property that the
	// environment does not have.
	Unchecked map[string]int

	// Module is the checked module; nil if a finding is an error.
	Module *Module
}

// Clean reports whether there is no error among the findings.
func (r *Report) Clean() bool { return r.Module != nil }

// found is a finding that more can be said of.
type found struct{ f *Finding }

// also adds another place that the finding speaks of.
func (x found) also(c positioner, i int, format string, args ...any) found {
	if x.f != nil && i >= 0 {
		text := format
		if len(args) > 0 {
			text = fmt.Sprintf(format, args...)
		}
		x.f.Related = append(x.f.Related, diag.Related{Pos: c.pos(i), Message: short(text, maxMessage)})
	}
	return x
}

// warn makes the finding a warning.
func (x found) warn() found {
	if x.f != nil {
		x.f.Severity = diag.Warning
	}
	return x
}

// pos returns the place of instruction i, or of the whole module for −1.
func (c *subject) pos(i int) diag.Pos {
	if i < 0 {
		return diag.Pos{}
	}
	return diag.Pos{Instruction: i + 1, Word: c.code.Offset(i)}
}

// fail reports that instruction i breaks a rule; −1 is the module as a whole.
func (c *subject) fail(i int, code, format string, args ...any) found {
	if len(c.found) >= c.opts.MaxFindings {
		return c.failWith(i, code, "")
	}
	return c.failWith(i, code, fmt.Sprintf(format, args...))
}

// failWith is fail with the whole message, for rules that a module may break at thousands of instructions.
func (c *subject) failWith(i int, code, message string) found {
	c.count++
	if len(c.found) >= c.opts.MaxFindings {
		c.omitted++
		return found{}
	}
	f := &Finding{Finding: diag.Finding{Code: code, Pos: c.pos(i), Message: short(message, maxMessage)}}
	if i >= 0 {
		f.Source, f.HasSource = c.m.Line(i)
		f.Source.File = short(f.Source.File, maxFile)
	}
	c.found = append(c.found, f)
	return found{f}
}

// unknown notes that a rule could not be checked, for want of knowledge of the
// environment.
func (c *subject) unknown(code string) {
	if c.unchecked == nil {
		c.unchecked = map[string]int{}
	}
	c.unchecked[code]++
}

// report puts the findings in order.
func (c *subject) report() *Report {
	r := &Report{Findings: make([]Finding, len(c.found)), Omitted: c.omitted, Unchecked: c.unchecked}
	bad := c.omitted > 0
	slices.SortStableFunc(c.found, func(x, y *Finding) int { return cmp.Compare(x.Pos.Instruction, y.Pos.Instruction) })
	for i, f := range c.found {
		r.Findings[i] = *f
		bad = bad || f.Severity == diag.Error
	}
	if !bad {
		r.Module = &Module{c.m}
	}
	return r
}
