package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// The parts of a strip do the same, and none waits for another. Operations are made for
// all of them side by side, which is what a machine wants that begins one in each cycle.
// Square roots and quotients it does one behind the other: while they last, it comes
// no further than to the few operations of other parts that wait for theirs too. What
// computes those is therefore ordered by pairs of parts: as much as one pair can do,
// then the next. While roots of one are found, the other multiplies and adds.

// scheduledParts is how many parts stand side by side in what is ordered.
const scheduledParts = 2

// schedule orders by parts each run of instructions that only compute, where
// some of them last.
func schedule(f *vcode.Func) {
	if f.Parts <= scheduledParts {
		return
	}
	mem := acquireArena()
	defer mem.release()
	n := len(f.Classes)
	var o *scheduler // where anything lasts
	for b := range f.Blocks {
		list := f.Blocks[b].Insts
		for i := 0; i < len(list); i++ {
			from, longLatency := i, false
			for i < len(list) && schedulable(&list[i]) {
				longLatency = longLatency || list[i].Op == vcode.Lane && list[i].IR.Is(ir.LongLatency)
				i++
			}
			if !longLatency {
				continue
			}
			if o == nil {
				o = &scheduler{f: f, part: mem.numbers.Alloc(n), lastWriter: mem.numbers.Alloc(n), lastReader: mem.numbers.Alloc(n)}
				o.lastPair = int32((f.Parts+scheduledParts-1)/scheduledParts) - 1
				o.assignParts()
			}
			o.run(list[from:i])
		}
	}
}

// schedulable reports whether an instruction does nothing but to make registers of others.
func schedulable(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane:
		return !in.IR.Is(ir.Reads) && !in.IR.Is(ir.Writes) && !in.IR.Is(ir.Meets)
	case vcode.Own, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast, vcode.Undef:
		return true
	}
	return false
}

type scheduler struct {
	f        *vcode.Func
	part     []int32 // by register: one more than its part, 0 where it belongs to none
	lastPair int32   // turn that parts have

	// Of a run, by register: one more than the instruction that wrote it last, and one
	// more than the last entry in since of those that have read it since then.
	lastWriter, lastReader []int32
	readers                []link
	edges                  []link  // what instructions wait for
	firstEdge              []int32 // by instruction: one more than its last entry in edges
	pair                   []int32 // by instruction
	done                   []bool
	out                    []vcode.Inst
}

// link is an entry of a list: an instruction, and one more than the entry before.
type link struct{ inst, next int32 }

// surveyPhases finds the part that each register belongs to.
func (o *scheduler) assignParts() {
	each(o.f, func(in *vcode.Inst) {
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

// pairOf is the turn in which an instruction stands: none before all where it belongs to
// no part, else the number of its parts.
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

// maxPasses is how often a run is gone through; what is left then stays as it is.
const maxPasses = 16

// run orders a run of instructions. In each turn as many of its parts are done as wait
// for nothing of others.
func (o *scheduler) run(list []vcode.Inst) {
	o.buildGraph(list)
	first := 0 // that is not done
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

// scanEffects finds out when the instructions of a run have their turns, and what they wait for.
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

// issue takes the instructions of a turn from first on, up to one that waits for what is
// not done.
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

// initializes reports whether an instruction of the run does no more than to give a register
// what it holds behind the run: its turn is the last, or the register would be taken for
// all of the run.
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

// addDependences notes what an instruction has to stand behind.
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

// addEdge notes that instruction i stands behind another, or none.
func (o *scheduler) addEdge(i, other int32) {
	if other < 0 || other == i {
		return
	}
	o.edges = append(o.edges, link{other, o.firstEdge[i]})
	o.firstEdge[i] = int32(len(o.edges))
}

// available reports whether all that an instruction stands behind is done.
func (o *scheduler) ready(i int32) bool {
	for k := o.firstEdge[i]; k != 0; k = o.edges[k-1].next {
		if !o.done[o.edges[k-1].inst] {
			return false
		}
	}
	return true
}
