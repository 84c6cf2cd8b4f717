package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// finish puts the blocks in the order of their code, which their numbers,
// reserved when a construct opened, are not, and leaves out what is of no use.
func (s *builder) finish() *vcode.Func {
	f := s.runPasses()
	mergeRecordLoads(f)
	hoistBoundsChecks(f)
	return f
}

// runPasses is finish, but for accesses that are checked together.
func (s *builder) runPasses() *vcode.Func {
	mem := acquireArena()
	defer mem.release()
	index := mem.numbers.Alloc(len(s.dst.Blocks))
	sorted := make([]vcode.Block, len(s.order))
	end := len(s.code)
	for i := len(s.order) - 1; i >= 0; i-- {
		index[s.order[i]] = int32(i)
		sorted[i].Insts = s.code[s.starts[i]:end:end]
		end = s.starts[i]
	}
	for i := range sorted {
		for j := range sorted[i].Insts {
			if in := &sorted[i].Insts[j]; in.Op.Jumps() {
				in.Target = int(index[in.Target])
			}
		}
	}
	s.dst.Blocks = sorted
	eliminateDead(s.dst)
	removeJumpsToNext(s.dst)
	propagateMasks(s.dst)
	removeJumpsToNext(s.dst)
	eliminateDeadMasks(s.dst)
	if hasMaskCopies(s.dst) { // which are seen through once what was written for nobody is gone
		propagateMasks(s.dst)
		removeJumpsToNext(s.dst)
		eliminateDeadMasks(s.dst)
	}
	eliminateDead(s.dst) // what only jumps read that are gone
	removeShortBranches(s.dst)
	rotateLoops(s.dst)
	removeJumpsToNext(s.dst)
	mergeBlocks(s.dst)
	eliminateLoads(s.dst)
	mergeGathers(s.dst)
	if s.twoRows {
		splitAccesses(s.dst)
	}
	if s.dst.Form.Fuse != nil {
		s.dst.Form.Fuse(s.dst) // sees what makes a value before that shares its register with others
	}
	coalesce(s.dst)
	schedule(s.dst)
	return s.dst
}
