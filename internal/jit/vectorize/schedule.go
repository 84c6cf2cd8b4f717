package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Instruction scheduling for long latencies
//
// The code of all parts is interleaved, operation by operation, which suits pipelined units: the parts are
// independent. Square roots and divisions are not pipelined. If all parts reach theirs at once, the
// out-of-order window fills with instructions that wait for them. So a run of computations with such an
// operation is scheduled by pairs of parts: everything that one pair can compute, then the next pair. While
// the roots of one pair are computed, the other pair's multiplications and additions execute.
//
//	part 0 1 2 3: fmul fmul fmul fmul | fsqrt fsqrt fsqrt fsqrt | fadd fadd fadd fadd
//	pairs:        fmul fmul fsqrt fsqrt fadd fadd | fmul fmul fsqrt fsqrt fadd fadd
//
// It is list scheduling (Muchnick 1997) with the pair as the priority, over a dependence graph with flow,
// anti and output dependences of the registers.

// scheduledParts is the number of parts that are interleaved in scheduled code.
const scheduledParts = 2

// minRun is the number of instructions of a part in a run that ends before an operation of long latency.
const minRun = 24

// schedule reorders each run of computations that contains an operation of long latency.
func schedule(f *vcode.Func) {
	if f.Parts <= scheduledParts {
		return
	}
	mem := acquireArena()
	defer mem.release()
	n := len(f.Classes)
	var o *scheduler // nil until the first such run
	for b := range f.Blocks {
		list := f.Blocks[b].Insts
		for i := 0; i < len(list); i++ {
			end, longLatency := runEnd(list, i, minRun*f.Parts)
			if !longLatency {
				i = end
				continue
			}
			if o == nil {
				o = &scheduler{f: f, part: mem.numbers.Alloc(n), lastWriter: mem.numbers.Alloc(n), lastReader: mem.numbers.Alloc(n)}
				o.lastPair = int32((f.Parts+scheduledParts-1)/scheduledParts) - 1
				o.assignParts()
			}
			o.run(list[i:end])
			if i = end; end < len(list) && schedulable(&list[end]) {
				i-- // the next run begins here
			}
		}
	}
}

// runEnd returns the end of the run from instruction i on, and whether it has an operation of long latency. A run of at least so many
// instructions with such an operation ends before the next one: the out-of-order window does not reach from the wait of one pair to the
// other pair, if that follows much later.
func runEnd(list []vcode.Inst, i, least int) (end int, longLatency bool) {
	for end = i; end < len(list) && schedulable(&list[end]); end++ {
		if in := &list[end]; in.Op == vcode.Lane && in.IR.Is(ir.LongLatency) {
			if longLatency && in.Part == 0 && end-i >= least {
				return end, true
			}
			longLatency = true
		}
	}
	return end, longLatency
}

// schedulable reports whether an instruction only computes registers from registers.
func schedulable(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane:
		return !in.IR.Is(ir.Reads) && !in.IR.Is(ir.Writes) && !in.IR.Is(ir.Meets)
	case vcode.Own, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast, vcode.Undef:
		return true
	}
	return false
}

// scheduler is the state of schedule.
type scheduler struct {
	f        *vcode.Func
	part     []int32 // by register: 1 + its part, or 0 if it belongs to none
	lastPair int32   // number of the last pair of parts

	// State of a run. By register: 1 + the last instruction that writes it, and 1 + the latest of the reads
	// since then, an index into readers.
	lastWriter, lastReader []int32
	readers                []link
	edges                  []link  // dependences
	firstEdge              []int32 // by instruction: 1 + its latest entry in edges
	pair                   []int32 // by instruction
	done                   []bool  // by instruction: scheduled
	out                    []vcode.Inst
}

// link is an entry of a linked list: an instruction, and 1 + the index of the entry before.
type link struct{ inst, next int32 }

// assignParts finds the part that each register belongs to.
func (o *scheduler) assignParts() {
	o.f.Each(func(in *vcode.Inst) {
		if in.Op != vcode.Lane && in.Op != vcode.Own {
			return
		}
		for _, r := range in.Defs {
			o.part[r] = int32(in.Part) + 1
		}
		for _, r := range in.Masks {
			if !o.f.IsConst(r) {
				o.part[r] = int32(in.Part) + 1
			}
		}
	})
}

// pairOf returns the pair of parts to which an instruction belongs, or noPart; these come first.
func (o *scheduler) pairOf(in *vcode.Inst) int32 {
	if in.Op == vcode.Lane || in.Op == vcode.Own {
		return int32(in.Part) / scheduledParts
	}
	for _, list := range [...][]vcode.Reg{in.Uses, in.Masks, in.Defs} {
		for _, r := range list {
			if part := o.part[r]; part != 0 {
				for _, d := range in.Defs {
					if !o.f.IsConst(d) && o.part[d] == 0 {
						o.part[d] = part
					}
				}
				return (part - 1) / scheduledParts
			}
		}
	}
	return noPart
}

// maxPasses bounds the rounds over a run; the rest then follows in the original order.
const maxPasses = 16

// run schedules a run. Each round issues as many instructions of each pair as do not depend on later pairs.
func (o *scheduler) run(list []vcode.Inst) {
	o.buildGraph(list)
	first := 0 // the first instruction that is not scheduled
	for n := 0; n < maxPasses && first < len(list); n++ {
		for pair := int32(noPart); pair <= o.lastPair+1; pair++ {
			o.issue(list, first, pair)
		}
		for first < len(list) && o.done[first] {
			first++
		}
	}
	for i := first; i < len(list); i++ {
		if !o.done[i] {
			o.out = append(o.out, list[i])
		}
	}
	copy(list, o.out)
}

// buildGraph finds the pair and the dependences of each instruction of a run.
func (o *scheduler) buildGraph(list []vcode.Inst) {
	o.readers, o.edges, o.out = o.readers[:0], o.edges[:0], o.out[:0]
	o.firstEdge, o.pair, o.done = o.firstEdge[:0], o.pair[:0], o.done[:0]
	for i := range list {
		o.pair = append(o.pair, o.pairOf(&list[i]))
		o.firstEdge = append(o.firstEdge, 0)
		o.done = append(o.done, false)
		o.addDependences(int32(i), &list[i])
	}
	for i := range list {
		if o.initializes(&list[i]) {
			o.pair[i] = o.lastPair + 1
		}
	}
	forget := func(r vcode.Reg) { o.lastWriter[r], o.lastReader[r] = 0, 0 }
	for i := range list {
		eachRead(&list[i], forget)
		for _, r := range list[i].Defs {
			forget(r)
		}
	}
}

// issue schedules the instructions of a pair from index first on, up to one that depends on an unscheduled
// one.
func (o *scheduler) issue(list []vcode.Inst, first int, pair int32) {
	for i := first; i < len(list); i++ {
		if o.done[i] || o.pair[i] != pair {
			continue
		}
		if !o.ready(int32(i)) {
			return
		}
		o.done[i] = true
		o.out = append(o.out, list[i])
	}
}

// initializes reports whether an instruction only sets a register for the code after the run. It is
// scheduled last, so that the register is not live during the run.
func (o *scheduler) initializes(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Undef:
	case vcode.Copy, vcode.Broadcast:
		if in.Merging || !o.f.IsConst(in.Uses[0]) {
			return false
		}
	default:
		return false
	}
	return o.lastReader[in.Defs[0]] == 0
}

// addDependences adds the dependences of instruction i on earlier ones.
func (o *scheduler) addDependences(i int32, in *vcode.Inst) {
	eachRead(in, func(r vcode.Reg) {
		o.addEdge(i, o.lastWriter[r]-1)
		o.readers = append(o.readers, link{i, o.lastReader[r]})
		o.lastReader[r] = int32(len(o.readers))
	})
	for _, r := range in.Defs {
		o.addEdge(i, o.lastWriter[r]-1)
		for k := o.lastReader[r]; k != 0; k = o.readers[k-1].next {
			o.addEdge(i, o.readers[k-1].inst)
		}
		o.lastWriter[r], o.lastReader[r] = i+1, 0
	}
}

// addEdge makes instruction i depend on another one, unless that is −1.
func (o *scheduler) addEdge(i, other int32) {
	if other < 0 || other == i {
		return
	}
	o.edges = append(o.edges, link{other, o.firstEdge[i]})
	o.firstEdge[i] = int32(len(o.edges))
}

// ready reports whether all dependences of an instruction are scheduled.
func (o *scheduler) ready(i int32) bool {
	for k := o.firstEdge[i]; k != 0; k = o.edges[k-1].next {
		if !o.done[o.edges[k-1].inst] {
			return false
		}
	}
	return true
}
