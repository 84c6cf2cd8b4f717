package shader

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/printf"
)

// Undefined returns the reports of lower.Options.Sanitize of one run of stages, which are in the order of the pipeline:
// one text for each instruction with an undefined result, in the order of the first invocation, with the number of times.
// An output without a value, and an input that the stage before does not write, count if a stage reads it.
func Undefined(log *exec.Log, stages []*Stage) (texts []string) {
	read := make([][]ir.Input, len(stages))
	for i := range stages {
		read[i] = readLocations(stages[i].Program)
	}
	texts = unmatched(stages, read)
	type instruction struct {
		program *ir.Program
		number  uint32
	}
	type report struct {
		first exec.Message
		times int
	}
	found := map[instruction]*report{}
	var order []*report
	for _, m := range log.Messages() {
		switch kind := m.Of().Kind; {
		case kind == ir.Undefined:
		case kind == ir.Unwritten && len(m.Args) == 3 && isRead(stages, read, ir.Stage(m.Args[2]), 4*uint32(m.Args[0])+uint32(m.Args[1])):
		default:
			continue
		}
		at := instruction{m.Program, m.Number}
		r := found[at]
		if r == nil {
			r = &report{first: m}
			found[at] = r
			order = append(order, r)
		}
		r.times++
	}
	for _, r := range order {
		m := r.first.Of()
		text := printf.Format(m.Text, printed(m, r.first.Args))
		if r.first.Program.Stage == ir.Compute && len(stages) == 1 && stages[0].Program.Stage == ir.Compute {
			text += fmt.Sprintf(", in workgroup %d, invocation %d", r.first.Group, r.first.Local())
		}
		if r.times > 1 {
			text += fmt.Sprintf(" (%d times)", r.times)
		}
		texts = append(texts, text)
	}
	if n := log.Dropped(); n > 0 {
		texts = append(texts, fmt.Sprintf("%d messages more are not kept", n))
	}
	return texts
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
func unmatched(stages []*Stage, read [][]ir.Input) (texts []string) {
	for i := 1; i < len(stages); i++ {
		before := stages[i-1].Program
		if before.Stage == ir.TessControl { // its outputs are memory, which any invocation writes
			continue
		}
		var seen []uint32
		for _, in := range read[i] {
			written := slices.ContainsFunc(before.Out, func(o ir.Output) bool {
				return o.Semantic == ir.Location && in.Index < o.Index+uint32(o.Type.Slots()) && o.Index < in.Index+uint32(in.Type.Slots())
			})
			if !written && !slices.Contains(seen, in.Index) {
				seen = append(seen, in.Index)
				texts = append(texts, fmt.Sprintf("the %v shader reads Location %d, component %d, which the %v shader does not write", stages[i].Program.Stage, in.Index/4, in.Index%4, before.Stage))
			}
		}
	}
	return texts
}
