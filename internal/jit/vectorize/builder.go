package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// builder is the code of a function as it is made.
type builder struct {
	dst     *vcode.Func
	order   []int        // numbers of the blocks begun, in the order of their code
	starts  []int        // where they begin in all
	code    []vcode.Inst // of all blocks
	origin  int32
	arena   *arena // for values to come
	twoRows bool   // a register spans two rows of a workgroup
}

// newBuilder begins a function of which about so many instructions are expected.
func newBuilder(name string, form vcode.Form, parts, expected int, mem *arena) *builder {
	return &builder{dst: &vcode.Func{Name: name, Form: form, Parts: parts}, code: form.Arena.Insts(min(expected, maxExpected)), arena: mem}
}

// maxExpected bounds the instructions for which there is room from the start, and
// usualParts the parts that they are counted for: of more, most do not grow with them.
const (
	maxExpected = 1 << 12
	usualParts  = 8
)

// newBlock reserves the number of a block.
func (s *builder) newBlock() int {
	s.dst.Blocks = append(s.dst.Blocks, vcode.Block{})
	return len(s.dst.Blocks) - 1
}

// startBlock ends the block being made and begins block n.
func (s *builder) startBlock(n int) {
	s.order, s.starts = append(s.order, n), append(s.starts, len(s.code))
}

// add adds an instruction to the block being made.
func (s *builder) add(in vcode.Inst) {
	if len(s.code) == cap(s.code) {
		s.code = append(s.dst.Form.Arena.Insts(2*max(64, len(s.code))), s.code...) // append would make less room
	}
	s.code = append(s.code, in)
}

// insts returns a list of registers for an instruction.
func (s *builder) regList(regs ...vcode.Reg) []vcode.Reg {
	out := s.dst.Form.Arena.Regs(len(regs))
	copy(out, regs)
	return out
}
