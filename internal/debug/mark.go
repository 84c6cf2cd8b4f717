package debug

import (
	"sort"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Location is a line of a source, or an instruction of a module without lines.
type Location struct {
	File string // "" for the assembly of the module
	Line int
}

// mark is what an operation begins.
type mark uint8

const (
	beginsInstruction mark = 1 << iota // of the module
	beginsLine
	breaks    // there is a breakpoint
	undefines // the report of an undefined result
)

// marks has the marks of the operations of a program, and the instructions of the module by operation.
type marks struct {
	program *ir.Program
	module  *facts.Module
	symbols *lower.Symbols
	locate  func(instruction int) Location

	of [][]mark // by function and value

	names  map[int]*names              // by function, of those that were asked for
	places map[placesKey][]lower.Place // likewise, of whole variables
}

// placesKey is a value of a function of the program.
type placesKey struct {
	fn int
	id spirv.ID
}

// newMarks finds the operations that begin instructions and lines, in the order of the code. Control operations of the program
// (labels, ends) are no instructions.
func newMarks(p *ir.Program, m *facts.Module, s *lower.Symbols, locate func(int) Location) *marks {
	x := &marks{program: p, module: m, symbols: s, locate: locate, of: make([][]mark, len(p.Funcs))}
	for n, f := range p.Funcs {
		x.of[n] = make([]mark, len(f.Vals))
		fn := s.Function(n)
		if fn == nil {
			continue
		}
		var at Location
		block, last := -1, -1
		for _, v := range f.Code {
			i, ok := x.instruction(n, v)
			if !ok {
				continue
			}
			if f.Val(v).Op == ir.Log && f.Val(v).Aux < uint64(len(p.Messages)) && p.Messages[f.Val(v).Aux].Kind == ir.Undefined {
				x.of[n][v] |= undefines
			}
			if i == last {
				continue
			}
			last = i
			x.of[n][v] |= beginsInstruction
			b, l := blockOf(fn, i), locate(i)
			if l.Line > 0 && (b != block || l != at) {
				x.of[n][v] |= beginsLine
			}
			if block = b; l.Line > 0 {
				at = l
			}
		}
	}
	return x
}

// instruction returns the instruction of the module that an operation is a part of; false if it is of none.
func (x *marks) instruction(fn int, v ir.V) (int, bool) {
	f := x.program.Funcs[fn]
	if v <= 0 || int(v) >= len(f.Vals) {
		return 0, false
	}
	switch o := f.Val(v); o.Op {
	case ir.Block, ir.Loop, ir.Else, ir.End:
		return 0, false
	default:
		i := int(o.Origin) - 1
		return i, i >= 0 && i < x.module.Code.Len()
	}
}

// blockOf returns the number of the block with an instruction; −1 if it is in none.
func blockOf(f *facts.Function, i int) int {
	n := sort.Search(len(f.Blocks), func(n int) bool { return f.Blocks[n].Index > i }) - 1
	if n < 0 || i >= f.Blocks[n].End {
		return -1
	}
	return n
}

// location returns the line of an operation, or of the next one before it in the code that has a line.
func (x *marks) location(fn int, v ir.V) Location {
	if i, ok := x.instruction(fn, v); ok {
		if l := x.locate(i); l.Line > 0 {
			return l
		}
	}
	at := Location{}
	for _, w := range x.program.Funcs[fn].Code {
		if i, ok := x.instruction(fn, w); ok {
			if l := x.locate(i); l.Line > 0 {
				at = l
			}
		}
		if w == v {
			break
		}
	}
	return at
}

// message returns the text of the message of an operation.
func (x *marks) message(fn int, v ir.V) string {
	return strings.ReplaceAll(x.program.Messages[x.program.Funcs[fn].Val(v).Aux].Text, "%%", "%")
}
