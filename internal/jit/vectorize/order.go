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

// orderedParts is how many parts stand side by side in what is ordered.
const orderedParts = 2

// orderParts orders by parts each run of instructions that only compute, where
// some of them last.
func orderParts(f *vcode.Func) {
	if f.Parts <= orderedParts {
		return
	}
	in := enter()
	defer in.leave()
	n := len(f.Classes)
	var o *orderer // where anything lasts
	for b := range f.Blocks {
		list := f.Blocks[b].Insts
		for i := 0; i < len(list); i++ {
			from, lasts := i, false
			for i < len(list) && computes(&list[i]) {
				lasts = lasts || list[i].Op == vcode.Lane && list[i].IR.Is(ir.LongLatency)
				i++
			}
			if !lasts {
				continue
			}
			if o == nil {
				o = &orderer{f: f, of: in.numbers.Alloc(n), writer: in.numbers.Alloc(n), readers: in.numbers.Alloc(n)}
				o.last = int32((f.Parts+orderedParts-1)/orderedParts) - 1
				o.survey()
			}
			o.run(list[from:i])
		}
	}
}

// computes reports whether an instruction does nothing but to make registers of others.
func computes(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane:
		return !in.IR.Is(ir.Reads) && !in.IR.Is(ir.Writes) && !in.IR.Is(ir.Meets)
	case vcode.Own, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast, vcode.Undef:
		return true
	}
	return false
}

type orderer struct {
	f    *vcode.Func
	of   []int32 // by register: one more than its part, 0 where it belongs to none
	last int32   // turn that parts have

	// Of a run, by register: one more than the instruction that wrote it last, and one
	// more than the last entry in since of those that have read it since then.
	writer, readers []int32
	since           []link
	edges           []link  // what instructions wait for
	waits           []int32 // by instruction: one more than its last entry in edges
	turn            []int32 // by instruction
	done            []bool
	out             []vcode.Inst
}

// link is an entry of a list: an instruction, and one more than the entry before.
type link struct{ inst, next int32 }

// survey finds the part that each register belongs to.
func (o *orderer) survey() {
	each(o.f, func(in *vcode.Inst) {
		if in.Op != vcode.Lane && in.Op != vcode.Own {
			return
		}
		for _, r := range in.Defs {
			o.of[r] = int32(in.Part) + 1
		}
		for _, r := range in.Masks {
			if !o.f.IsConst(r) {
				o.of[r] = int32(in.Part) + 1
			}
		}
	})
}

// turnOf is the turn in which an instruction stands: none before all where it belongs to
// no part, else the number of its parts.
func (o *orderer) turnOf(in *vcode.Inst) int32 {
	if in.Op == vcode.Lane || in.Op == vcode.Own {
		return int32(in.Part) / orderedParts
	}
	for _, list := range [...][]vcode.Reg{in.Uses, in.Masks, in.Defs} {
		for _, r := range list {
			if part := o.of[r]; part != 0 {
				for _, d := range in.Defs {
					if !o.f.IsConst(d) && o.of[d] == 0 {
						o.of[d] = part
					}
				}
				return (part - 1) / orderedParts
			}
		}
	}
	return none
}

// maxTurns is how often a run is gone through; what is left then stays as it is.
const maxTurns = 16

// run orders a run of instructions. In each turn as many of its parts are done as wait
// for nothing of others.
func (o *orderer) run(list []vcode.Inst) {
	o.look(list)
	first := 0 // that is not done
	for n := 0; n < maxTurns && first < len(list); n++ {
		for turn := int32(none); turn <= o.last+1; turn++ {
			o.take(list, first, turn)
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

// look finds out when the instructions of a run have their turns, and what they wait for.
func (o *orderer) look(list []vcode.Inst) {
	o.since, o.edges, o.out = o.since[:0], o.edges[:0], o.out[:0]
	o.waits, o.turn, o.done = o.waits[:0], o.turn[:0], o.done[:0]
	for i := range list {
		o.turn = append(o.turn, o.turnOf(&list[i]))
		o.waits = append(o.waits, 0)
		o.done = append(o.done, false)
		o.wait(int32(i), &list[i])
	}
	for i := range list {
		if o.begins(&list[i]) {
			o.turn[i] = o.last + 1
		}
	}
	forget := func(r vcode.Reg) { o.writer[r], o.readers[r] = 0, 0 }
	for i := range list {
		reads(&list[i], forget)
		for _, r := range list[i].Defs {
			forget(r)
		}
	}
}

// take takes the instructions of a turn from first on, up to one that waits for what is
// not done.
func (o *orderer) take(list []vcode.Inst, first int, turn int32) {
	for i := first; i < len(list); i++ {
		if o.done[i] || o.turn[i] != turn {
			continue
		}
		if !o.ready(int32(i)) {
			return
		}
		o.done[i] = true
		o.out = append(o.out, list[i])
	}
}

// begins reports whether an instruction of the run does no more than to give a register
// what it holds behind the run: its turn is the last, or the register would be taken for
// all of the run.
func (o *orderer) begins(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Undef:
	case vcode.Copy, vcode.Broadcast:
		if in.Merging || !o.f.IsConst(in.Uses[0]) {
			return false
		}
	default:
		return false
	}
	return o.readers[in.Defs[0]] == 0
}

// wait notes what an instruction has to stand behind.
func (o *orderer) wait(i int32, in *vcode.Inst) {
	reads(in, func(r vcode.Reg) {
		o.behind(i, o.writer[r]-1)
		o.since = append(o.since, link{i, o.readers[r]})
		o.readers[r] = int32(len(o.since))
	})
	for _, r := range in.Defs {
		o.behind(i, o.writer[r]-1)
		for k := o.readers[r]; k != 0; k = o.since[k-1].next {
			o.behind(i, o.since[k-1].inst)
		}
		o.writer[r], o.readers[r] = i+1, 0
	}
}

// behind notes that instruction i stands behind another, or none.
func (o *orderer) behind(i, other int32) {
	if other < 0 || other == i {
		return
	}
	o.edges = append(o.edges, link{other, o.waits[i]})
	o.waits[i] = int32(len(o.edges))
}

// ready reports whether all that an instruction stands behind is done.
func (o *orderer) ready(i int32) bool {
	for k := o.waits[i]; k != 0; k = o.edges[k-1].next {
		if !o.done[o.edges[k-1].inst] {
			return false
		}
	}
	return true
}
