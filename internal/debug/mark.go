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

// mark says whether an operation begins an instruction or a line.
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
	parts   []part

	undefined bool // it has a report of an undefined result

	of    [][]mark  // by function and value
	lines [][]int32 // likewise: the number of the instruction whose line the operation has, from 1; 0 for none

	names  map[int]*names              // by function: those that a look needed
	places map[placesKey][]lower.Place // likewise, of whole variables
}

// placesKey is a value of a function of the program.
type placesKey struct {
	fn int
	id spirv.ID
}

// newMarks finds the operations that begin instructions and lines, in the order of the code. Control operations of the program
// (labels, ends) are no instructions.
func newMarks(p *ir.Program, parts []part) *marks {
	x := &marks{program: p, parts: parts, of: make([][]mark, len(p.Funcs)), lines: make([][]int32, len(p.Funcs)), names: map[int]*names{}, places: map[placesKey][]lower.Place{}}
	for n, f := range p.Funcs {
		x.of[n], x.lines[n] = make([]mark, len(f.Vals)), make([]int32, len(f.Vals))
		if of := &parts[n]; of.stage != nil && of.stage.Kernel != nil {
			if list := of.stage.Kernel.Functions; of.fn < len(list) {
				x.scan(n, kernelCode{list[of.fn]})
			}
		} else if of.stage != nil {
			if fn := of.stage.Symbols.Function(of.fn); fn != nil {
				x.scan(n, shaderCode{fn})
			}
			if of.silent {
				clear(x.of[n])
			}
		}
	}
	return x
}

// scan finds the marks and the lines of a function of the program. An operation without a line has that of the one before it.
func (x *marks) scan(n int, fn functionCode) {
	f, of, lines, locate := x.program.Funcs[n], x.of[n], x.lines[n], x.parts[n].locate
	var at Location
	block, last, line := -1, -1, int32(0)
	for _, v := range f.Code {
		// Instructions outside are variables of the module, which operations before the function's fill.
		if i, ok := x.instruction(n, v); ok && fn.has(i) {
			if o := f.Val(v); o.Op == ir.Log && o.Aux < uint64(len(x.program.Messages)) && x.program.Messages[o.Aux].Kind == ir.Undefined {
				of[v] |= undefines
				x.undefined = true
			}
			if i != last {
				last = i
				of[v] |= beginsInstruction
				b, l := fn.block(i, block), locate(i)
				if l.Line > 0 {
					if b != block || l != at {
						of[v] |= beginsLine
					}
					at, line = l, int32(i)+1
				}
				block = b
			}
		}
		lines[v] = line
	}
}

// instruction returns the instruction of the module that an operation is a part of; false if it is of none.
func (x *marks) instruction(fn int, v ir.V) (int, bool) {
	f, of := x.program.Funcs[fn], &x.parts[fn]
	if v <= 0 || int(v) >= len(f.Vals) || of.stage == nil {
		return 0, false
	}
	switch o := f.Val(v); o.Op {
	case ir.Block, ir.Loop, ir.Else, ir.End:
		return 0, false
	default:
		i := int(o.Origin-of.Origin) - 1
		return i, i >= 0 && i < Instructions(of.stage)
	}
}

// functionCode is a function of a module.
type functionCode interface {
	has(instruction int) bool
	// block returns the number of the block with an instruction, which the operations execute after one of block last; −1 if it is in none.
	block(instruction, last int) int
}

// shaderCode is a function of a shader.
type shaderCode struct{ *facts.Function }

func (c shaderCode) has(i int) bool     { return i >= c.Index && i < c.End }
func (c shaderCode) block(i, _ int) int { return blockOf(c.Function, i) }

// blockOf returns the number of the block with an instruction; −1 if it is in none.
func blockOf(f *facts.Function, i int) int {
	n := sort.Search(len(f.Blocks), func(n int) bool { return f.Blocks[n].Index > i }) - 1
	if n < 0 || i >= f.Blocks[n].End {
		return -1
	}
	return n
}

// location returns the line of an operation.
func (x *marks) location(fn int, v ir.V) Location {
	if lines := x.lines[fn]; v >= 0 && int(v) < len(lines) && lines[v] > 0 {
		return x.parts[fn].locate(int(lines[v]) - 1)
	}
	return Location{}
}

// message returns the text of the message of an operation.
func (x *marks) message(fn int, v ir.V) string {
	return strings.ReplaceAll(x.program.Messages[x.program.Funcs[fn].Val(v).Aux].Text, "%%", "%")
}
