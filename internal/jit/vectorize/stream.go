package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// stream is the code of a function as it is made.
type stream struct {
	dst    *vcode.Func
	order  []int        // numbers of the blocks begun, in the order of their code
	starts []int        // where they begin in all
	all    []vcode.Inst // of all blocks
	origin int32
	in     *room // for values to come
	halved bool  // a register spans two rows of a workgroup
}

// newStream begins a function of which about so many instructions are expected.
func newStream(name string, form vcode.Form, parts, expected int, in *room) *stream {
	return &stream{dst: &vcode.Func{Name: name, Form: form, Parts: parts}, all: form.Arena.Insts(min(expected, maxExpected)), in: in}
}

// maxExpected bounds the instructions for which there is room from the start, and
// usualParts the parts that they are counted for: of more, most do not grow with them.
const (
	maxExpected = 1 << 12
	usualParts  = 8
)

// newBlock reserves the number of a block.
func (s *stream) newBlock() int {
	s.dst.Blocks = append(s.dst.Blocks, vcode.Block{})
	return len(s.dst.Blocks) - 1
}

// startBlock ends the block being made and begins block n.
func (s *stream) startBlock(n int) {
	s.order, s.starts = append(s.order, n), append(s.starts, len(s.all))
}

// add adds an instruction to the block being made.
func (s *stream) add(in vcode.Inst) {
	if len(s.all) == cap(s.all) {
		s.all = append(s.dst.Form.Arena.Insts(2*max(64, len(s.all))), s.all...) // append would make less room
	}
	s.all = append(s.all, in)
}

// newValue returns a value that lives nowhere yet.
func (s *stream) newValue() *value { return &s.in.values.Alloc(1)[0] }

// list returns a list of registers for an instruction.
func (s *stream) list(regs ...vcode.Reg) []vcode.Reg {
	out := s.dst.Form.Arena.Regs(len(regs))
	copy(out, regs)
	return out
}

// finish puts the blocks in the order of their code, which their numbers,
// reserved when a construct opened, are not, and leaves out what is of no use.
func (s *stream) finish() *vcode.Func {
	f := s.unchecked()
	records(f)
	windows(f)
	return f
}

// unchecked is finish, but for accesses that are checked together.
func (s *stream) unchecked() *vcode.Func {
	r := enter()
	defer r.leave()
	place := r.numbers.Alloc(len(s.dst.Blocks))
	sorted := make([]vcode.Block, len(s.order))
	end := len(s.all)
	for i := len(s.order) - 1; i >= 0; i-- {
		place[s.order[i]] = int32(i)
		sorted[i].Insts = s.all[s.starts[i]:end:end]
		end = s.starts[i]
	}
	for i := range sorted {
		for j := range sorted[i].Insts {
			if in := &sorted[i].Insts[j]; in.Op.Jumps() {
				in.Target = int(place[in.Target])
			}
		}
	}
	s.dst.Blocks = sorted
	prune(s.dst)
	straighten(s.dst)
	settleMasks(s.dst)
	straighten(s.dst)
	pruneMasks(s.dst)
	if copiesMasks(s.dst) { // which are seen through once what was written for nobody is gone
		settleMasks(s.dst)
		straighten(s.dst)
		pruneMasks(s.dst)
	}
	prune(s.dst) // what only jumps read that are gone
	walkThrough(s.dst)
	turnLatches(s.dst)
	straighten(s.dst)
	joinBlocks(s.dst)
	reuse(s.dst)
	pairs(s.dst)
	if s.halved {
		halves(s.dst)
	}
	if s.dst.Form.Fuse != nil {
		s.dst.Form.Fuse(s.dst) // sees what makes a value before that shares its register with others
	}
	coalesce(s.dst)
	orderParts(s.dst)
	return s.dst
}
