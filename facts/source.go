package facts

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// SourceOf returns the id of the source file of instruction i: the OpString of
// the file's name, or a DebugSource. It returns 0 if the module does not state
// it.
func (m *Module) SourceOf(i int) spirv.ID {
	n := m.LineInst(i)
	if n < 0 {
		return 0
	}
	in := m.Code.Inst(n)
	if in.Op() == spirv.OpLine {
		return inst.Line(in).File()
	}
	if v := inst.NonSemanticShaderDebugInfoDebugLine(in); len(v) >= 10 {
		return v.Source()
	}
	return 0
}

// SourceText returns the text of a source that SourceOf returned, as far as the
// module contains it: the text of the OpSource that names the file, or of the
// DebugSource, continuations included. It is "" if there is none. It visits
// every instruction.
func (m *Module) SourceText(source spirv.ID) string {
	if in := m.Code.DefInst(source); in == nil {
		return ""
	} else if in.Op() == spirv.OpExtInst {
		return m.debugSource(source)
	}
	var text strings.Builder
	found := false
	for _, in := range m.Code.All() {
		switch op := in.Op(); {
		case op == spirv.OpSource:
			if found = false; text.Len() > 0 {
				return text.String()
			}
			v := inst.Source(in)
			if file, ok := v.File(); ok && file == source {
				s, ok := v.Source()
				found = ok
				text.WriteString(s)
			}
		case op == spirv.OpSourceContinued && found:
			text.WriteString(inst.SourceContinued(in).ContinuedSource())
		}
	}
	return text.String()
}

// debugSource returns the text of a DebugSource of
// NonSemantic.Shader.DebugInfo.100 and of its DebugSourceContinued instructions.
func (m *Module) debugSource(source spirv.ID) string {
	i := m.Code.Def(source)
	in := m.Code.Inst(i)
	if !debugInfo(m, inst.ExtInst(in).Set()) || inst.ExtInst(in).Instruction() != uint32(spirv.NonSemanticShaderDebugInfoDebugSource) || len(in) < 7 {
		return ""
	}
	var text strings.Builder
	s, _ := m.String(spirv.ID(in[6]))
	text.WriteString(s)
	for i++; i < m.Code.Len(); i++ {
		in := m.Code.Inst(i)
		if in.Op() != spirv.OpExtInst || len(in) < 6 || !debugInfo(m, inst.ExtInst(in).Set()) ||
			inst.ExtInst(in).Instruction() != uint32(spirv.NonSemanticShaderDebugInfoDebugSourceContinued) {
			break
		}
		s, _ := m.String(inst.NonSemanticShaderDebugInfoDebugSourceContinued(in).Text())
		text.WriteString(s)
	}
	return text.String()
}
