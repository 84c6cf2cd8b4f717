package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// The vcode passes, in order
//
//	eliminateDead           unused forms of values (dce.go)
//	propagateMasks          known masks and tests, jump threading (maskprop.go); twice if the first round left
//	eliminateDeadMasks      copies of masks that it can now see through (liveness.go)
//	removeShortBranches     branches over a few masked instructions (shortbranch.go)
//	rotateLoops             loop ends next to their only predecessor (rotate.go)
//	mergeBlocks             basic blocks are maximal from here on (blocks.go)
//	shareParts              equal computations of several parts (numbering.go)
//	eliminateLoads          loads of workgroup memory (loadelim.go)
//	forwardWords            loads of words that the code has stored (wordforward.go)
//	mergeGathers            texels of a filter (gather.go)
//	splitAccesses           images in 8×8 workgroups (tworuns.go)
//	shareWindows            words of records of neighbours (window.go)
//	Form.Fuse               instructions of the machine; before registers lose their single definitions
//	coalesce                copies (coalesce.go)
//	joinCopies              copies between blocks (joincopies.go)
//	relievePressure         the order of blocks with too many values (pressure.go)
//	splitChains             sums in memory (splitchain.go)
//	schedule                square roots and divisions (schedule.go)
//	versionLoops            copies of counted loops without bounds checks (countedloop.go)
//	mergeRecordLoads        checks of records (recordload.go); part-major code has its own checks instead
//	hoistBoundsChecks       shared checks (boundscheck.go)
//	keepLaunchValues        values that are the same in all workgroups (launchvalue.go)

// finish puts the blocks in layout order and runs all passes.
func (s *builder) finish() *vcode.Func {
	f := s.runPasses()
	if !s.cold {
		versionLoops(f, s.general)
	}
	mergeRecordLoads(f)
	hoistBoundsChecks(f)
	formRecordRuns(f)
	if s.keeps {
		keepLaunchValues(f)
	}
	return f
}

// runPasses is finish without shared bounds checks.
func (s *builder) runPasses() *vcode.Func {
	mem := acquireArena()
	defer mem.release()
	index := mem.numbers.Alloc(len(s.dst.Blocks))
	sorted := make([]vcode.Block, len(s.order))
	end := len(s.code)
	for i := len(s.order) - 1; i >= 0; i-- {
		index[s.order[i]] = int32(i)
		sorted[i] = vcode.Block{Insts: s.code[s.starts[i]:end:end], Far: s.dst.Blocks[s.order[i]].Far}
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
	if hasMaskCopies(s.dst) { // more copies are known once dead writes are gone
		propagateMasks(s.dst)
		removeJumpsToNext(s.dst)
		eliminateDeadMasks(s.dst)
	}
	eliminateDead(s.dst) // operands of removed jumps
	removeShortBranches(s.dst)
	rotateLoops(s.dst)
	removeJumpsToNext(s.dst)
	mergeBlocks(s.dst)
	if s.rows {
		shareParts(s.dst)
	}
	if s.words > 0 {
		forwardWords(s.dst, s.words, s.fixed) // it does the work of eliminateLoads
	} else {
		eliminateLoads(s.dst)
	}
	sinkFar(s.dst)
	mergeGathers(s.dst)
	if s.twoRuns {
		splitAccesses(s.dst)
	}
	if s.windows {
		shareWindows(s.dst)
	}
	if s.dst.Form.Fuse != nil {
		s.dst.Form.Fuse(s.dst) // needs single definitions, which coalesce destroys
	}
	coalesce(s.dst)
	joinCopies(s.dst)
	relievePressure(s.dst)
	splitChains(s.dst)
	schedule(s.dst)
	return s.dst
}
