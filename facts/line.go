package facts

import (
	"fmt"
	"sort"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Position is a position in a source text.
type Position struct {
	File   string
	Line   uint32 // in the module's counting, usually from 1
	Column uint32 // in the module's counting; 0 if it is not known
}

// String returns file:line:column, without the column if it is not known.
func (p Position) String() string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// mark is a change of the current line: from instruction from on, instruction
// line (an OpLine or DebugLine) is in force; −1 for none.
type mark struct{ from, line int32 }

// mark records the effect of instruction i on the current line (SPIR-V §3.3.2: an
// OpLine is in force until the next one, an OpNoLine, or the end of the block;
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

// change records that from instruction i on, instruction line is in force.
func (s *surveyor) change(g *gatherer, i, line int) {
	if int32(line) == -1 && (len(g.lines) == 0 || g.lines[len(g.lines)-1].line < 0) {
		return
	}
	g.lines = append(g.lines, mark{int32(i), int32(line)})
}

// LineInst returns the number of the instruction, an OpLine or a DebugLine, that
// is in force at instruction i; −1 if none is.
func (m *Module) LineInst(i int) int {
	n := sort.Search(len(m.lines), func(n int) bool { return int(m.lines[n].from) > i })
	if n == 0 {
		return -1
	}
	return int(m.lines[n-1].line)
}

// Line returns the source position of instruction i; false if the module does not
// state it. Lines begin at 1: line 0 is none.
func (m *Module) Line(i int) (Position, bool) {
	n := m.LineInst(i)
	if n < 0 {
		return Position{}, false
	}
	in := m.Code.Inst(n)
	if in.Op() == spirv.OpLine {
		v := inst.Line(in)
		file, _ := m.String(v.File())
		return known(Position{file, v.Line(), v.Column()})
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
	return known(p)
}

// known returns the position, and whether it has a line.
func known(p Position) (Position, bool) {
	if p.Line == 0 {
		return Position{}, false
	}
	return p, true
}

// HasLines reports whether the module states the source position of an instruction.
func (m *Module) HasLines() bool { return len(m.lines) > 0 }

// uint32 returns the value of a constant integer; 0 if id is none.
func (m *Module) uint32(id spirv.ID) uint32 {
	if c := m.Const(id); c != nil {
		if n, ok := c.Int(); ok {
			return uint32(n)
		}
	}
	return 0
}
