package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// frame is a function's memory. Its size is 8 less than a multiple of 64, so
// that RSP is one behind the return address.
type frame struct {
	regalloc.Frame
	args, results []int32 // in the caller's frame
	outgoing      int32   // size of both
	first         Reg     // the first vector that is given out
	moreVecs      bool    // it takes those from fewVec on

	analysis     *regalloc.Analysis
	registers    [vcode.NumClasses]int // to begin with
	calls        int32                 // size of what goes to and comes from what it calls
	recordBytes  int32                 // size of the copies of records that are not all in range
	recordCopies int32                 // where those stand
	spilled      float32               // with no more registers than all code can spare
}

// layOut gives the first n functions their frames.
func (m *machine) allocateFrames(n int) bool {
	for ; m.allocated < n; m.allocated++ {
		m.analyze(m.allocated)
		if !m.allocate(m.allocated, true) {
			return false
		}
	}
	return true
}

// survey finds out what there is to know of a function before its registers are
// given out.
func (m *machine) analyze(i int) {
	f, fr := m.funcs[i], &m.frames[i]
	each(f, func(in *vcode.Inst) {
		m.foldHandle(f, in)
		if in.BailsOut() && in.Op != vcode.Guard {
			m.bailTargets = append(m.bailTargets, in.Target)
		}
		m.demotes = m.demotes || in.IR == ir.Demote
		m.hasBarriers = m.hasBarriers || in.Op == vcode.Barrier
		m.steps[in.Part] = m.steps[in.Part] || in.Op == vcode.Step
		if m.set.native(in) && !in.Merging && !usesMask(in.IR) {
			in.Masks = nil // so that nobody keeps the mask for it
		}
		if in.WordMask != 0 {
			fr.recordBytes += int32(in.Key.Aux)
		}
		if in.Op == vcode.Call {
			fr.calls = max(fr.calls, m.frames[in.Target].outgoing)
		}
	})
	with := m.set.machineFor(f)
	fr.analysis, fr.registers = regalloc.Analyze(f, with), with.Registers
}

// allocate gives a function its registers. Where it is eager it may give out more
// vectors than all code can spare.
func (m *machine) allocate(i int, eager bool) bool {
	fr := &m.frames[i]
	best := fr.analysis.Allocate(fr.registers)
	fr.first, fr.moreVecs = firstVec, false
	if m.level == AVX512 && !slices.Contains(m.bailTargets, i) && m.wantsMoreVecs(m.funcs[i], best.MemoryWeight) {
		best = fr.better(best, 0)
		fr.spilled = best.SpilledShare
		if eager {
			if with := fr.better(best, firstVec-firstVecMore); with != best {
				best, fr.first, fr.moreVecs = with, allocatedTag+firstVecMore, true
			}
		}
	} else {
		fr.spilled = best.SpilledShare
	}
	ok := false
	fr.Frame, ok = best.Frame(fr.calls, MaxStack)
	fr.recordCopies = fr.Size
	fr.Size += (fr.recordBytes + 63) &^ 63
	return ok && fr.Size <= MaxStack
}

// better allocates again, with so many vectors more and with more of all of them for
// what is 64 bits a lane, and returns what keeps most out of memory.
func (fr *frame) better(best *regalloc.Allocation, spare int) *regalloc.Allocation {
	for _, extra := range [...]int{0, 1, 2, 3} {
		if extra > 0 && fr.registers[vcode.Wide] == 0 {
			break
		}
		if extra == 0 && spare == 0 {
			continue // as it is
		}
		with := fr.registers
		with[vcode.Wide] += extra
		with[vcode.Vec] += spare - 2*extra
		if made := fr.analysis.Allocate(with); made.MemoryWeight < best.MemoryWeight {
			best = made
		}
	}
	return best
}

// short reports whether the code of the function being made has named a vector as
// scratch that was given out, which has a number of its own then.
func (m *machine) scratchConflict() bool {
	return m.frame.moreVecs && m.named&(1<<firstVec-1) >= 1<<firstVecMore
}

// maxEager bounds the instructions of functions for which it is tried to give
// out more vectors.
const maxEager = 8000

func (m *machine) wantsMoreVecs(f *vcode.Func, memory float32) bool {
	n := count(f)
	return memory > float32(n)/8 && n <= maxEager
}

// know makes a handle that has its place in every job a constant. Nothing else
// writes the register of such an operation.
func (m *machine) foldHandle(f *vcode.Func, in *vcode.Inst) {
	if in.Op != vcode.Scalar {
		return
	}
	n := 0
	switch in.IR {
	case ir.Push:
		n = HandlePush
	case ir.Wg:
		n = HandleShared
	case ir.Table:
		n = HandleTables + int(in.Key.Aux)
	case ir.Res:
		i, ok := f.Const(in.Uses[0])
		if !ok || i >= uint64(m.layout.Counts[in.Key.Aux]) {
			return
		}
		n = m.layout.Resources[in.Key.Aux] + int(i)
	default:
		return
	}
	f.SetConst(in.Defs[0], uint64(n)*HandleBytes)
	*in = vcode.Inst{Op: vcode.Undef}
}
