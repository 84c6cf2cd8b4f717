package widen

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// stream is the code of a function as it is made.
type stream struct {
	dst    *vcode.Func
	order  []int        // numbers of the blocks begun, in the order of their code
	next   []vcode.Inst // of the last of them; its room serves them all
	origin int32
}

func newStream(name string, form vcode.Form, parts int) *stream {
	return &stream{dst: &vcode.Func{Name: name, Form: form, Parts: parts}}
}

// newBlock reserves the number of a block.
func (s *stream) newBlock() int {
	s.dst.Blocks = append(s.dst.Blocks, vcode.Block{})
	return len(s.dst.Blocks) - 1
}

// startBlock ends the block being made and begins block n.
func (s *stream) startBlock(n int) {
	s.flush()
	s.order = append(s.order, n)
}

func (s *stream) flush() {
	if len(s.order) > 0 {
		s.dst.Blocks[s.order[len(s.order)-1]].Insts = slices.Clone(s.next)
		s.next = s.next[:0]
	}
}

// finish puts the blocks in the order of their code, which their numbers,
// reserved when a construct opened, are not, and leaves out what is of no use.
func (s *stream) finish() *vcode.Func {
	f := s.unchecked()
	windows(f)
	return f
}

// unchecked is finish, but for accesses that are checked together.
func (s *stream) unchecked() *vcode.Func {
	s.flush()
	place := make([]int, len(s.dst.Blocks))
	sorted := make([]vcode.Block, len(s.order))
	for i, n := range s.order {
		place[n] = i
		sorted[i] = s.dst.Blocks[n]
	}
	for i := range sorted {
		for j := range sorted[i].Insts {
			if in := &sorted[i].Insts[j]; in.Op.Jumps() {
				in.Target = place[in.Target]
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
	if s.dst.Form.Fuse != nil {
		s.dst.Form.Fuse(s.dst) // sees what makes a value before that shares its register with others
	}
	coalesce(s.dst)
	return s.dst
}
