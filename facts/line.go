package facts

import (
	"sort"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Position is a place in a source text.
type Position struct {
	File   string
	Line   uint32 // as the module counts, usually from 1
	Column uint32 // as the module counts; 0 where it is not known
}

// mark says that from one instruction on another one tells the line; −1 where
// none does.
type mark struct{ from, line int32 }

// mark takes note of what instruction i does to the line (SPIR-V §3.3.2: an
// OpLine holds until the next, an OpNoLine, or the end of the block;
// DebugLine of NonSemantic.Shader.DebugInfo.100 likewise).
func (s *surveyor) mark(g *gatherer, i int, op spirv.Op) {
	switch op {
	case spirv.OpLine:
		s.change(g, i, i)
	case spirv.OpNoLine:
		s.change(g, i, -1)
	case spirv.OpExtInst:
		v := inst.ExtInst(g.Code.Inst(i))
		if !debugInfo(g.Module, v.Set()) {
			return
		}
		switch spirv.NonSemanticShaderDebugInfoOp(v.Instruction()) {
		case spirv.NonSemanticShaderDebugInfoDebugLine:
			s.change(g, i, i)
		case spirv.NonSemanticShaderDebugInfoDebugNoLine:
			s.change(g, i, -1)
		}
	default:
		if IsTerminator(op) {
			s.change(g, i+1, -1)
		}
	}
}

func debugInfo(m *Module, set spirv.ID) bool {
	return m.ExtSet(set) == spirv.ExtSetNonSemanticShaderDebugInfo
}

// change says that from instruction i on, line tells the line.
func (s *surveyor) change(g *gatherer, i, line int) {
	if int32(line) == -1 && (len(g.lines) == 0 || g.lines[len(g.lines)-1].line < 0) {
		return
	}
	g.lines = append(g.lines, mark{int32(i), int32(line)})
}

// LineInst returns the number of the instruction, an OpLine or a DebugLine, that
// says where instruction i comes from; −1 where none does.
func (m *Module) LineInst(i int) int {
	n := sort.Search(len(m.lines), func(n int) bool { return int(m.lines[n].from) > i })
	if n == 0 {
		return -1
	}
	return int(m.lines[n-1].line)
}

// Line returns where in its source instruction i comes from, false where the
// module does not say so.
func (m *Module) Line(i int) (Position, bool) {
	n := m.LineInst(i)
	if n < 0 {
		return Position{}, false
	}
	in := m.Code.Inst(n)
	if in.Op() == spirv.OpLine {
		v := inst.Line(in)
		file, _ := m.String(v.File())
		return Position{file, v.Line(), v.Column()}, true
	}
	v := inst.NonSemanticShaderDebugInfoDebugLine(in)
	if len(v) < 10 {
		return Position{}, false
	}
	p := Position{Line: m.uint32(v.LineStart()), Column: m.uint32(v.ColumnStart())}
	if s := m.Code.DefInst(v.Source()); len(s) >= 6 && s.Op() == spirv.OpExtInst &&
		debugInfo(m, inst.ExtInst(s).Set()) &&
		inst.ExtInst(s).Instruction() == uint32(spirv.NonSemanticShaderDebugInfoDebugSource) {
		p.File, _ = m.String(inst.NonSemanticShaderDebugInfoDebugSource(s).File())
	}
	return p, true
}

// uint32 returns the value of a constant integer, 0 where id is none.
func (m *Module) uint32(id spirv.ID) uint32 {
	if c := m.Const(id); c != nil {
		if n, ok := c.Int(); ok {
			return uint32(n)
		}
	}
	return 0
}
