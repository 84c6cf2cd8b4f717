package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
)

// Finding is one mismatch between the parts of a pipeline.
type Finding struct {
	Code     string
	Severity diag.Severity
	Message  string // the actual state and the required one
	Sides    []Side // both sides of a mismatch, the one that is at fault first; one if there is no other

	// Path is the part of the description that the finding is about, such as
	// "layout.sets.0.1" or "stages.vertex"; "" is the whole. Descriptions that are not
	// written by hand have none.
	Path string
}

// Side is one side of a mismatch: a variable of a stage, or of the layout.
type Side struct {
	File        string `json:"file,omitempty"`
	Stage       string `json:"stage,omitempty"`
	Name        string `json:"name,omitempty"`
	Slot        string `json:"place,omitempty"` // its Location or binding
	Type        string `json:"type,omitempty"`
	Decorations string `json:"decorations,omitempty"`
	At          string `json:"source,omitempty"` // the position in the source, file:line:column, by OpLine

	Pos       diag.Pos       `json:"-"`
	Source    facts.Position `json:"-"`
	HasSource bool           `json:"-"`

	shader *Shader // nil once the position is resolved
	inst   int
	path   string // in the description, or in the stage if shader is set; "" once the finding is reported
}

// linker is a description that is being checked.
type linker struct {
	d      *Description
	pieces []*Description // the pipelines that were merged into d, or nil if it is one pipeline
	stages []*Shader      // in order of the pipeline
	found  []Finding

	recorded bool // the checked state is set by commands
}

// maxFindings bounds the findings of one pipeline.
const maxFindings = 10_000

// Link checks a pipeline and returns the mismatches, in order of its stages.
func Link(d *Description) []Finding { return linkAt(d, 0) }

// linkAt is Link for a library at a nesting depth.
func linkAt(d *Description, depth int) []Finding {
	l := newLinker(d)
	l.noLayout()
	l.modules()
	switch {
	case len(d.Libraries) == 0 || depth >= maxLibraries:
		l.judge()
	case d.Kind == ExecutionGraph: // its libraries are whole pipelines
		l.libraries(depth)
		l.judge()
	case l.isRays():
		l.libraries(depth)
		l.rayPieces()
		l.judge()
	default:
		l.takesIn(depth)
	}
	return l.found
}

// newLinker returns a linker for a description, with its stages in order.
func newLinker(d *Description) *linker {
	l := &linker{d: d}
	for i := range d.Stages {
		if s := &d.Stages[i]; s.Entry != nil && StageOf(s.Entry.Model) >= 0 {
			l.stages = append(l.stages, s)
		}
	}
	slices.SortStableFunc(l.stages, func(x, y *Shader) int {
		return cmp.Compare(StageOf(x.Entry.Model), StageOf(y.Entry.Model))
	})
	return l
}

// check checks a pipeline by its own stages and states.
func (l *linker) judge() {
	if slices.ContainsFunc(l.d.Stages, func(s Shader) bool { return s.Entry == nil }) {
		own := *l.d
		own.Library = true // a stage that is not known is not missing
		l.d = &own
	}
	d := l.d
	for _, s := range l.stages {
		l.shader(s)
	}
	l.pipeline()
	l.interfaces()
	l.attributes()
	if d.Layout != nil {
		l.layout()
		for _, s := range l.stages {
			l.resources(s)
			l.pushConstants(s)
			l.unnormalized(s)
			l.converted(s)
			l.subsampled(s)
			l.indices(s)
		}
	}
}

// fail reports that the parts of the pipeline do not fit.
func (l *linker) fail(code string, sides []Side, format string, args ...any) {
	l.report(diag.Error, code, sides, format, args...)
}

// warn reports a use that is allowed but is hardly intended.
func (l *linker) warn(code string, sides []Side, format string, args ...any) {
	l.report(diag.Warning, code, sides, format, args...)
}

func (l *linker) report(severity diag.Severity, code string, sides []Side, format string, args ...any) {
	code, holds := l.named(code)
	if !holds {
		return
	}
	if len(l.found) < maxFindings {
		path := l.place(code, sides)
		sides = slices.Clone(sides)
		for i := range sides {
			sides[i].locate()
			sides[i].inst, sides[i].path = 0, ""
		}
		l.found = append(l.found, Finding{Code: code, Severity: severity, Message: fmt.Sprintf(format, args...), Sides: sides, Path: path})
	}
}

// named returns the name of a rule for the checked kind of object, and whether the rule
// applies to it.
func (l *linker) named(code string) (string, bool) {
	if l.recorded {
		if c, ok := recordedCodes[code]; ok {
			return c, true
		}
		c, ok := set[code]
		return c, ok
	}
	switch l.d.Kind {
	case ShaderObjects:
		return objectCode(code)
	case RayTracingNV:
		return nvCode(code)
	}
	return code, true
}

// at returns a side that is at an instruction of a shader. Its position in the source is
// resolved when the side is reported.
func (s *Shader) at(inst int) Side {
	return Side{File: s.File, Stage: stageOrder[StageOf(s.Entry.Model)].name, shader: s, inst: inst}
}

// locate fills in the position of a side in its module.
func (side *Side) locate() {
	s := side.shader
	if side.shader = nil; s == nil || side.inst < 0 {
		return
	}
	if m := s.facts(); m != nil && side.inst < m.Code.Len() {
		side.Pos = diag.Pos{Instruction: side.inst + 1, Word: m.Code.Offset(side.inst)}
		side.Source, side.HasSource = m.Line(side.inst)
		if side.HasSource {
			side.At = side.Source.String()
		}
	}
}

// stage returns the shader of a stage, or nil if there is none.
func (l *linker) stage(k int) *Shader {
	for _, s := range l.stages {
		if StageOf(s.Entry.Model) == k {
			return s
		}
	}
	return nil
}
