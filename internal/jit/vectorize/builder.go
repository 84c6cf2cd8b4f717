package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// noPart is the number of no part, phase or instruction.
const noPart = -1

// builder collects the vcode of a function. Blocks are numbered when they are reserved, mostly as targets
// of jumps, and laid out in the order in which they are begun.
type builder struct {
	dst     *vcode.Func
	order   []int                  // numbers of the blocks, in layout order
	starts  []int                  // index in code of each block's first instruction
	code    []vcode.Inst           // instructions of all blocks
	origin  int32                  // SPIR-V instruction of the code being emitted
	arena   *arena                 // for the vectorizer's own data
	twoRuns bool                   // one register has two runs of x, with different y
	rows    bool                   // the parts of the strip are in several rows of invocations
	general int                    // index of the general version of a speculative function, or 0
	cold    bool                   // rarely run: the general version of a speculative function
	windows bool                   // the machine has windows of gathers
	keeps   bool                   // values of a launch are computed once (launchvalue.go)
	words   int                    // words of workgroup memory that are in registers (wordforward.go), or 0
	fixed   func(*vcode.Inst) bool // for words: a load yields the same at any time
	far     *region                // an open region whose rest, or arm, rarely runs; or nil
	bases   map[baseKey]vcode.Reg  // the results of StridedBase in the current block
}

// baseKey is the operands of a StridedBase.
type baseKey struct {
	start, index vcode.Reg
	stride       uint32
}

// newBuilder begins a function of about the expected number of instructions.
func newBuilder(name string, form vcode.Form, parts, expected int, mem *arena) *builder {
	return &builder{dst: &vcode.Func{Name: name, Form: form, Parts: parts}, code: form.Arena.Insts(min(expected, maxExpected)), arena: mem, bases: map[baseKey]vcode.Reg{}}
}

// maxExpected bounds the instructions to reserve memory for. usualParts is the number of parts for which
// they are estimated: with more parts, most programs do not emit more code.
const (
	maxExpected = 1 << 12
	usualParts  = 8
)

// newBlock reserves a block and returns its number.
func (s *builder) newBlock() int {
	s.dst.Blocks = append(s.dst.Blocks, vcode.Block{})
	return len(s.dst.Blocks) - 1
}

// startBlock ends the current block and begins block n.
func (s *builder) startBlock(n int) {
	s.dst.Blocks[n].Far = s.far != nil
	s.order, s.starts = append(s.order, n), append(s.starts, len(s.code))
	clear(s.bases)
}

// add appends an instruction to the current block.
func (s *builder) add(in vcode.Inst) {
	if len(s.code) == cap(s.code) {
		// append would allocate on the heap, and grow by less
		s.code = append(s.dst.Form.Arena.Insts(2*max(64, len(s.code))), s.code...)
	}
	s.code = append(s.code, in)
}

// regList returns a list of registers for an instruction.
func (s *builder) regList(regs ...vcode.Reg) []vcode.Reg {
	out := s.dst.Form.Arena.Regs(len(regs))
	copy(out, regs)
	return out
}
