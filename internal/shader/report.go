package shader

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/printf"
)

// Report is a finding of a sanitizer (lower.Options.Sanitize) in the executions of an instruction.
type Report struct {
	Sanitizer   string // its name
	Rule        string // a VUID, or the case of a row of docs/undefined.md
	Message     string // with the operands of the first execution
	Stage       string
	Invocation  string // the first one, such as "pixel (3, 4)"
	File        string // of the source; "" if the module has no position
	Line        int    // in File
	Instruction int    // its number in the module, from 1; 0 if there is none
	Name        string // of the instruction, such as "OpUDiv %7"
	Times       uint64 // of executions; 0 of a finding without an execution
}

// Reported collects reports: those of one instruction and fault in several commands are one.
type Reported struct {
	list  []Report
	index map[Report]int
}

// maxReported bounds the reports of a collection.
const maxReported = 1 << 12

// Add adds a report. It returns whether it is the first one of its instruction and fault.
func (c *Reported) Add(r Report) bool {
	key := r
	key.Invocation, key.Times = "", 0
	if r.Instruction > 0 {
		key.Message = "" // it has the operands
	}
	if i, ok := c.index[key]; ok {
		c.list[i].Times += r.Times
		return false
	}
	if len(c.list) >= maxReported {
		return false
	}
	if c.index == nil {
		c.index = map[Report]int{}
	}
	c.index[key] = len(c.list)
	c.list = append(c.list, r)
	return true
}

// List returns the reports in the order in which they were added.
func (c *Reported) List() []Report { return c.list }

// Text returns the report without its sanitizer: place, message, invocation, count and rule.
func (r *Report) Text() string {
	text := r.Message
	if r.Name != "" {
		text = r.Name + ": " + text
	}
	if r.File != "" {
		text = fmt.Sprintf("%s:%d: %s", r.File, r.Line, text)
	}
	if r.Invocation != "" {
		text += ", in " + r.Invocation
	}
	if r.Times > 1 {
		text += fmt.Sprintf(" (%d times)", r.Times)
	}
	if r.Rule != "" {
		text += " [" + r.Rule + "]"
	}
	return text
}

// Reports returns what the sanitizers found in one run of stages, which are in the order of the pipeline. It reports an output
// without a value, and with interfaces an input that the stage before does not write, only if a stage reads it. The rasterizer reads
// Position.
func Reports(log *exec.Log, stages []*Stage, interfaces bool) (list []Report) {
	read := make([][]ir.Input, len(stages))
	for i := range stages {
		read[i] = readLocations(stages[i].Program)
	}
	if interfaces {
		list = slices.Concat(unmatched(stages, read), withoutLevels(stages), withoutPosition(stages))
	}
	type place struct {
		site ir.Site
		text string
	}
	found := map[place]int{} // the variants of a program share their places
	for _, x := range log.Reports() {
		m := x.First.Of()
		if a := x.First.Args; m.Kind == ir.Unwritten && !(len(a) >= 2 && isRead(stages, read, m.Stage, 4*uint32(a[0])+uint32(a[1]))) {
			continue
		}
		at := place{m.Site, m.Text}
		if i, ok := found[at]; ok {
			list[i].Times += x.Times
			continue
		}
		found[at] = len(list)
		list = append(list, reportOf(x.First, x.Times, printf.Format(m.Text, printed(m, x.First.Args))))
	}
	for _, x := range log.Unwritten() {
		m := x.First.Of()
		r := reportOf(x.First, x.Times, fmt.Sprintf("a load of %d bytes at offset %d of %s, to which nothing was stored", m.Size, x.First.Args[0], m.Memory))
		r.Sanitizer, r.Rule = ir.SanitizeUninit.String(), "a Workgroup variable without initializer"
		list = append(list, r)
	}
	for _, b := range log.Barriers() {
		if m := b.First.Of(); m.Sanitizer == ir.SanitizeUniform {
			list = append(list, barrierReport(&b))
		}
	}
	list = derivativeReports(list, log)
	for _, r := range log.Races() {
		list = append(list, raceReport(&r))
	}
	if s := log.Stopped(); s != nil {
		list = append(list, stopReport(s))
	}
	return list
}

// reportOf returns the report of a message that the log has a number of times.
func reportOf(x *exec.Message, times uint64, text string) Report {
	m := x.Of()
	return Report{
		Sanitizer: m.Sanitizer.String(), Rule: m.Rule, Message: text, Stage: m.Stage.String(), Invocation: invocationOf(x),
		File: m.File, Line: int(m.Line), Instruction: int(m.Instruction), Name: m.Name, Times: times,
	}
}

// barrierReport describes a barrier that not all invocations reach.
func barrierReport(b *exec.Barrier) Report {
	text := fmt.Sprintf("a barrier that %d of %d invocations reach", b.Count, b.Size)
	if b.Other != nil {
		at := fmt.Sprintf("instruction %d", b.Other.Of().Instruction)
		if m := b.Other.Of(); m.Instruction == 0 { // PTX has lines
			at = fmt.Sprintf("%s:%d", m.File, m.Line)
		}
		text = fmt.Sprintf("a barrier that not all of %d invocations reach: %s waits at that of %s", b.Size, invocationOf(b.Other), at)
	}
	return reportOf(b.First, b.Times, text)
}

// derivativeReports appends the derivatives that not all invocations of a primitive reach. Those that not all of a quad reach have a report.
func derivativeReports(list []Report, log *exec.Log) []Report {
	found, unchecked := log.Derivatives()
	pixel := func(m *exec.Message) string {
		x, y, _ := ir.PixelOf(m.Args[0])
		return fmt.Sprintf("pixel (%d, %d)", x, y)
	}
	for i := range found {
		d := &found[i]
		m := d.First.Of()
		if slices.ContainsFunc(list, func(r Report) bool {
			return r.Sanitizer == m.Sanitizer.String() && r.Instruction == int(m.Instruction) && r.Stage == m.Stage.String()
		}) {
			continue
		}
		r := reportOf(d.First, d.Times, fmt.Sprintf("a derivative that %d of the %d invocations of the primitive reach together", d.Count, d.Size))
		r.Invocation = pixel(d.First)
		list = append(list, r)
	}
	if unchecked != nil {
		r := reportOf(unchecked, 1, "the check of derivatives ends here: the primitives have too many of them")
		r.Rule, r.Invocation = "the end of the check of derivatives", pixel(unchecked)
		list = append(list, r)
	}
	return list
}

// stopReport describes the end of the search for races: without it, no report would look like no race.
func stopReport(s *exec.Stopped) Report {
	r := reportOf(s.At, 1, "the search for races ends here: "+s.Why)
	r.Rule = "the end of the search for races"
	return r
}

// raceReport describes a data race: both accesses, and what would order them.
func raceReport(r *exec.Race) Report {
	first, second := r.First.Of(), r.Second.Of()
	article := func(e *ir.Event) string {
		if e.Atomic {
			return "an"
		}
		return "a"
	}
	what := func(e *ir.Event) string {
		kind := "load"
		switch {
		case e.Atomic:
			kind = "atomic access"
		case e.Write:
			kind = "store"
		}
		if e.Texel > 0 {
			return kind
		}
		return fmt.Sprintf("%s of %d bytes", kind, e.Size)
	}
	place := first.Name
	if first.File != "" {
		place = fmt.Sprintf("%s at %s:%d", place, first.File, first.Line)
	}
	orders := "a control barrier of the workgroup"
	switch {
	case second.Stage == ir.Fragment && invocationOf(r.First) == invocationOf(r.Second):
		orders = "the fragment shader interlock, or a release and an acquire of scope Device,"
	case !r.SameGroup:
		orders = "a release and an acquire of scope Device"
	case second.Domain == ir.EventOutputs:
		orders = "a control barrier"
	case second.Domain == ir.EventWorkgroup:
		orders += " with the semantics WorkgroupMemory"
	case second.Domain == ir.EventImages:
		orders += " with the semantics ImageMemory"
	default:
		orders += " with the semantics UniformMemory"
	}
	switch {
	case strings.HasPrefix(second.Rule, "PTX"): // its barriers order all memory
		if orders = "bar.sync"; !r.SameGroup {
			orders = "a release and an acquire of scope .gpu"
		}
	case !first.Private && !second.Private && (unshared(&first.Event, r.SameGroup) || unshared(&second.Event, r.SameGroup)):
		orders += ", with MakeAvailable for the store and MakeVisible for the load,"
	case !first.Private && !second.Private:
	case second.Texel > 0:
		orders += ", of accesses with NonPrivateTexel,"
	default:
		orders += ", of accesses with NonPrivatePointer,"
	}
	return reportOf(r.Second, r.Times, fmt.Sprintf("%s %s %s and the %s by %s in %s are not ordered; %s would order them",
		article(&second.Event), what(&second.Event), placeOf(r.Second), what(&first.Event), place, invocationOf(r.First), orders))
}

// unshared reports whether the scope of a plain access does not have the other invocation of a race: its store is not available to it, or
// its load sees no store of it.
func unshared(e *ir.Event, sameGroup bool) bool {
	return !e.Atomic && (e.Scope > ir.EventGroup || e.Scope == ir.EventGroup && !sameGroup)
}

// placeOf describes the memory of an access.
func placeOf(m *exec.Message) string {
	e := &m.Of().Event
	switch n := int(e.Texel); {
	case n > 0:
		return fmt.Sprintf("of texel (%s) of %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(m.Args[:n]), " ", ", "), "[]"), e.Memory)
	case e.Domain == ir.EventOutputs && !strings.HasPrefix(e.Memory, "the patch output"):
		return fmt.Sprintf("of vertex %d of %s", m.Args[0]/ir.OutputBytes%ir.OutputPlaces, e.Memory)
	case e.Domain == ir.EventOutputs:
		return "of " + e.Memory
	case len(m.Of().Args)-int(m.Of().Where) == 1:
		return fmt.Sprintf("at address 0x%x", m.Args[0])
	}
	return fmt.Sprintf("at offset %d of %s", m.Args[0], e.Memory)
}

// invocationOf describes the invocation of a message in the terms of its stage. The last values of the message identify it.
func invocationOf(m *exec.Message) string {
	of := m.Of()
	var args []uint64
	if len(m.Args) == len(of.Args) {
		args = m.Args[len(m.Args)-int(of.Where):]
	}
	n := func(i int) uint32 {
		if i >= len(args) { // of a program from anywhere
			return 0
		}
		return uint32(args[i])
	}
	f := func(i int) float32 { return math.Float32frombits(n(i)) }
	switch stage := of.Stage; {
	case stage == ir.Compute || len(args) == 0:
		if stage != ir.Compute && of.Kind != ir.Traced {
			return ""
		}
		return fmt.Sprintf("workgroup %d, invocation %d", m.Group, m.Local())
	case stage == ir.Vertex:
		return fmt.Sprintf("vertex %d, instance %d", n(0), n(1))
	case stage == ir.TessControl:
		return fmt.Sprintf("patch %d, vertex %d", n(0), n(1))
	case stage == ir.TessEval:
		return fmt.Sprintf("patch %d, coordinate (%g, %g)", n(0), f(1), f(2))
	case stage == ir.Geometry:
		return fmt.Sprintf("primitive %d, invocation %d", n(0), n(1))
	case stage == ir.Fragment:
		return fmt.Sprintf("pixel (%d, %d)", int(math.Floor(float64(f(0)))), int(math.Floor(float64(f(1)))))
	case stage == ir.Task || stage == ir.Mesh:
		return fmt.Sprintf("workgroup [%d %d %d], invocation %d", n(0), n(1), n(2), n(3))
	}
	return fmt.Sprintf("launch [%d %d %d]", n(0), n(1), n(2))
}

// isRead reports whether the stage after the given one reads a component of a Location: 4·location + component. The
// outputs of fragments are attachments. read has the inputs that each stage reads.
func isRead(stages []*Stage, read [][]ir.Input, of ir.Stage, component uint32) bool {
	i := slices.IndexFunc(stages, func(s *Stage) bool { return s.Program.Stage == of })
	if of == ir.Fragment || i < 0 {
		return true
	}
	if i+1 == len(stages) {
		return false
	}
	for _, in := range read[i+1] {
		if component >= in.Index && component < in.Index+uint32(in.Type.Slots()) {
			return true
		}
	}
	return false
}

// readLocations returns the inputs with a Location that operations of a program read.
func readLocations(p *ir.Program) (list []ir.Input) {
	used := make([]bool, len(p.In))
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			if x := f.Val(v); (x.Op == ir.In || x.Op == ir.InAt || x.Op == ir.Interp) && x.Aux < uint64(len(used)) {
				used[x.Aux] = true
			}
		}
	}
	for n, in := range p.In {
		if used[n] && in.Semantic == ir.Location {
			list = append(list, in)
		}
	}
	return list
}

// unmatched returns a report for each Location that a stage reads and the stage before it does not write.
func unmatched(stages []*Stage, read [][]ir.Input) (list []Report) {
	for i := 1; i < len(stages); i++ {
		before := stages[i-1].Program
		var seen []uint32
		for _, in := range read[i] {
			written := slices.ContainsFunc(before.Out, func(o ir.Output) bool {
				return o.Semantic == ir.Location && in.Index < o.Index+uint32(o.Type.Slots()) && o.Index < in.Index+uint32(in.Type.Slots())
			})
			if !written && !slices.Contains(seen, in.Index) {
				seen = append(seen, in.Index)
				list = append(list, Report{
					Sanitizer: ir.SanitizeInterface.String(), Rule: "an input that the preceding stage does not write", Stage: stages[i].Program.Stage.String(),
					Message: fmt.Sprintf("the %v shader reads Location %d, component %d, which the %v shader does not write", stages[i].Program.Stage, in.Index/4, in.Index%4, before.Stage),
				})
			}
		}
	}
	return list
}

// levelsOf are the levels of tessellation that a domain uses (Vulkan, "Tessellator"): the outer ones, and the inner ones.
var levelsOf = []struct {
	domain       ir.Modes
	outer, inner uint32
}{{ir.TessTriangles, 3, 1}, {ir.TessQuads, 4, 2}, {ir.TessIsolines, 2, 0}}

// withoutLevels returns reports of the levels that the domain uses and a tessellation control shader does not store to. Either one of the
// two tessellation shaders names the domain.
func withoutLevels(stages []*Stage) (list []Report) {
	for i := range len(stages) - 1 {
		control, next := stages[i].Program, stages[i+1].Program
		if control.Stage != ir.TessControl || next.Stage != ir.TessEval {
			continue
		}
		check := func(name string, of ir.Semantic, count uint32) {
			for n := range count {
				if !slices.ContainsFunc(control.Out, func(o ir.Output) bool { return o.Semantic == of && o.Index == n }) {
					list = append(list, Report{
						Sanitizer: ir.SanitizeInterface.String(), Rule: "an output that an invocation did not store to", Stage: control.Stage.String(),
						Message: fmt.Sprintf("the %v shader does not write %s[%d], which its domain uses", control.Stage, name, n),
					})
				}
			}
		}
		for _, d := range levelsOf {
			if (control.Modes | next.Modes).Has(d.domain) {
				check("TessLevelOuter", ir.TessLevelOuter, d.outer)
				check("TessLevelInner", ir.TessLevelInner, d.inner)
				break
			}
		}
	}
	return list
}

// withoutPosition returns a report if the stage before the fragments has no store to Position, whose value is then undefined.
func withoutPosition(stages []*Stage) []Report {
	last := len(stages) - 2
	if last < 0 || stages[last+1].Program.Stage != ir.Fragment {
		return nil
	}
	p := stages[last].Program
	if slices.ContainsFunc(p.Out, func(o ir.Output) bool { return o.Semantic == ir.Position || o.Semantic == ir.PositionPerView }) {
		return nil
	}
	return []Report{{
		Sanitizer: ir.SanitizeInterface.String(), Rule: "an output that an invocation did not store to", Stage: p.Stage.String(),
		Message: fmt.Sprintf("the %v shader does not write Position", p.Stage),
	}}
}
