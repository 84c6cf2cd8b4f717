package ptxlower

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// With Options.Counters a program counts the executions of basic blocks in a storage buffer at lower.ProfileSet, as lower.Options.Profile
// makes shaders do. An instruction executes as often as its part of a block: threads that its guard excludes count.

// Counters is the layout of the counters of a kernel, in words of 64 bits, and the instructions that they count.
type Counters struct {
	Words     int
	Functions []*CountedFunction // the kernel first
}

// CountedFunction has the counters of a function.
type CountedFunction struct {
	Name   string
	Pos    ptx.Position
	Calls  int            // the counter of its calls, of threads; −1 if the first block executes once a call
	Blocks []CountedBlock // those with instructions
}

// CountedBlock has the counters of a basic block.
type CountedBlock struct {
	Parts  []CountedPart // one more than it has calls, because threads may end in them
	Branch int           // two counters of the last instruction: threads that take the branch, warps that diverge; −1 for none
}

// CountedPart has two counters, of threads and of warps, and the instructions that execute as often.
type CountedPart struct {
	Counter      int
	Instructions []CountedInstruction
}

// CountedInstruction is an instruction and its place.
type CountedInstruction struct {
	Name          string
	Callee        string // of a call of a function of the module
	Pos           ptx.Position
	File          string // by .loc; "" without one
	Line          int
	Read, Written uint64 // bytes of .global, .shared and .param that a thread accesses
}

// counts returns the counters of the function that is lowered; nil without Options.Counters.
func (f *function) counts() *CountedFunction {
	if f.o.Counters == nil || f.ofHeap(f.f) {
		return nil
	}
	if f.counted == nil {
		f.counted = &CountedFunction{Name: f.f.Name, Pos: f.f.Pos, Calls: -1}
		f.o.Counters.Functions = append(f.o.Counters.Functions, f.counted)
	}
	return f.counted
}

// reserve returns the first of so many new counters.
func (c *Counters) reserve(words int) int {
	c.Words += words
	return c.Words - words
}

// countCalls counts the calls of the function, if its first instruction may execute several times in a call, or never.
func (f *function) countCalls() {
	first := &f.blocks[0]
	again := slices.ContainsFunc(f.blocks, func(b block) bool { return slices.Contains(b.succs, 0) })
	if c := f.counts(); c != nil && (again || first.from == first.to && first.last == nil) {
		c.Calls = f.countHere()
	}
}

// countBlock begins the counters of a block.
func (f *function) countBlock(b *block) {
	if c := f.counts(); c != nil && (b.from < b.to || b.last != nil) {
		c.Blocks = append(c.Blocks, CountedBlock{Branch: -1})
		f.countPart()
	}
}

// countPart begins a part of the block, and counts it.
func (f *function) countPart() {
	b := f.lastCounted()
	b.Parts = append(b.Parts, CountedPart{Counter: f.countHere()})
}

// countHere counts threads and warps, and returns the number of the first of both counters.
func (f *function) countHere() int {
	n := f.o.Counters.reserve(2)
	lanes := f.lanesWith(f.b.Bool(true))
	f.b.If(f.b.Op(ir.Elect, ir.B1))
	f.count(n, lanes)
	f.count(n+1, f.b.Const(ir.I64, 1))
	f.b.End()
	return n
}

func (f *function) lastCounted() *CountedBlock { return &f.counted.Blocks[len(f.counted.Blocks)-1] }

// countInstruction adds an instruction to the part; after a call another part begins.
func (f *function) countInstruction(it *item) {
	if f.counts() == nil || it == nil {
		return
	}
	in := it.in
	x := CountedInstruction{Name: in.Name(), Pos: in.Pos}
	if it.loc != nil && len(it.loc.Words) >= 2 {
		file, line := f.source(it)
		x.File, x.Line = file, int(line)
	}
	x.Read, x.Written = accessedBytes(in)
	parts := f.lastCounted().Parts
	list := &parts[len(parts)-1].Instructions
	if in.Op == "call" {
		if callee, _, _ := callParts(in); f.funcs[callee.Name] != nil {
			x.Callee = callee.Name
		}
	}
	*list = append(*list, x)
}

// countEdge counts the threads that take the branch at the end of a block.
func (f *function) countEdge(taken ir.V) {
	if f.counts() == nil {
		return
	}
	n := f.o.Counters.reserve(2)
	f.lastCounted().Branch = n
	lanes, all := f.lanesWith(taken), f.lanesWith(f.b.Bool(true))
	some := f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, lanes, f.b.Const(ir.I64, 0)))
	f.b.If(f.b.Op(ir.And, ir.B1, some, f.b.Op(ir.Elect, ir.B1)))
	f.count(n, lanes)
	f.b.If(f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, lanes, all)))
	f.count(n+1, f.b.Const(ir.I64, 1))
	f.b.End()
	f.b.End()
}

// lanesWith returns the number of active threads of the warp in which c is true.
func (f *function) lanesWith(c ir.V) ir.V {
	return f.b.Op(ir.ZExt, ir.I64, f.b.Op(ir.BitCount, ir.I32, f.b.Op(ir.Ballot, ir.I32, c)))
}

// count adds to counter n.
func (f *function) count(n int, by ir.V) {
	if f.counterResource == 0 {
		f.prog.Res = append(f.prog.Res, ir.Resource{Set: lower.ProfileSet, Binding: lower.ProfileBinding + uint32(ir.Compute), Kind: ir.StorageBuffer, Count: 1})
		f.counterResource = uint64(len(f.prog.Res))
	}
	h := f.b.OpAux(ir.Res, ir.H, f.counterResource-1, f.b.I32(0))
	f.b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I64, Flags: ir.Unused, Aux: uint64(8 * n), Args: [4]ir.V{h, f.b.I32(0), by}})
}

// accessedBytes returns the bytes of memory that an instruction of one thread accesses, but for .local.
func accessedBytes(in *ptx.Instr) (read, written uint64) {
	if in.Has(".local") || len(in.Operands) == 0 {
		return 0, 0
	}
	size := uint64(ptx.TypeSize(lastType(in)))
	for _, m := range in.Mods {
		if n, ok := strings.CutPrefix(m, ".v"); ok && len(n) == 1 && n[0] >= '2' && n[0] <= '8' {
			size *= uint64(n[0] - '0')
		}
	}
	switch in.Op {
	case "ld", "ldu":
		return size, 0
	case "st":
		return 0, size
	case "atom", "red":
		return size, size
	}
	return 0, 0
}
