package regalloc

import (
	"math"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Analysis is the liveness information of one function, before allocation. Several allocations with different
// numbers of registers may be computed from it.
type Analysis struct {
	f              *vcode.Func
	machine        *Machine
	intervals      []interval
	needsSlot      []bool // of each register: an instruction accesses it in memory
	loops          []loop
	blockLoop      []int32 // of each block: the innermost loop, or None
	hints          []vcode.Reg
	apart          map[vcode.Reg][]vcode.Reg // by result: Machine.Apart
	internalWeight float32                   // sum of Machine.InternalMentions, weighted by loop depth
	order          []vcode.Reg               // allocatable registers by ascending start of their intervals
	clobbers       []clobber
	instructions   int // their number
}

// clobber is an instruction that preserves no register, such as a call, with its index pos.
type clobber struct {
	pos int32
	in  *vcode.Inst
}

// Analyze computes the liveness of the registers of f. It retains f and m, which must not change before the
// last use of the Analysis.
func Analyze(f *vcode.Func, m *Machine) *Analysis {
	n := len(f.Classes)
	a := &Analysis{f: f, machine: m, intervals: make([]interval, n), needsSlot: make([]bool, n), hints: make([]vcode.Reg, n)}
	if m.Apart != nil {
		a.apart = map[vcode.Reg][]vcode.Reg{}
	}
	a.findLoops()
	a.buildIntervals()
	for _, r := range m.Pinned {
		a.intervals[r].pinned = true
	}
	a.scanInstructions()
	a.orderIntervals()
	return a
}

// Allocation is an assignment of physical registers to the registers of a function.
type Allocation struct {
	// SpilledShare is the fraction, 0 to 1, of the mentions of Vec registers that are in memory for lack of
	// registers. Mentions are weighted by loop depth.
	SpilledShare float32

	// MemoryWeight is the weighted number of vector operands in memory, to compare allocations of one
	// function. A Wide counts twice, as it is two vectors.
	MemoryWeight float32

	*Analysis
	regs    []int8
	spilled []bool
	saves   map[*vcode.Inst]Save
	active  [vcode.NumClasses][]vcode.Reg
	nextEnd [vcode.NumClasses]int32 // a lower bound of the ends of the active intervals
	free    [vcode.NumClasses]uint64
	shared  sharedScan
}

// Allocate runs the linear scan with the given number of physical registers of each class, at most 63.
// Registers of a class with 0 are all spilled.
func (a *Analysis) Allocate(registers [vcode.NumClasses]int) *Allocation {
	return a.AllocateShared(registers, Shared{})
}

// AllocateShared is Allocate with further registers of class Vec.
func (a *Analysis) AllocateShared(registers [vcode.NumClasses]int, shared Shared) *Allocation {
	x := &Allocation{Analysis: a, regs: slices.Repeat([]int8{None}, len(a.intervals)), spilled: slices.Clone(a.needsSlot)}
	const usual = 32 // capacity of an active list, enough for the usual number of registers
	lists := make([]vcode.Reg, usual*len(x.active))
	for c := range x.active {
		x.active[c] = lists[usual*c : usual*c : usual*(c+1)]
	}
	x.shared = sharedScan{Shared: shared, first: registers[vcode.Vec]}
	x.linearScan(registers)
	x.measureSpills()
	return x
}

// scanInstructions finds the clobbering instructions, the registers that need slots, and the register hints:
// pairs of registers that should share a physical register, to save a move (register coalescing as a
// preference).
func (a *Analysis) scanInstructions() {
	requireSlot := a.requireSlot
	a.walk(func(pos, _ int32, in *vcode.Inst) {
		a.instructions = int(pos) + 1
		if a.machine.Clobbers(in) {
			a.clobbers = append(a.clobbers, clobber{pos, in})
			a.requireSlots(in.Uses)
			a.requireSlots(in.Masks)
			a.requireSlots(in.Defs)
		}
		if a.machine.SlotOperands != nil {
			a.machine.SlotOperands(in, requireSlot)
		}
		if a.machine.Apart != nil && len(in.Defs) == 1 {
			if list := a.machine.Apart(in); len(list) > 0 {
				a.apart[in.Defs[0]] = list
			}
		}
		switch {
		case in.Op == vcode.Lane && in.IR == ir.FFma: // the x86 instruction overwrites one of its three operands
			a.hints[in.Defs[0]] = in.Uses[2]
		case in.Op == vcode.Own && len(in.Uses) > 0 && len(in.Defs) > 0: // many fused operations overwrite the first operand
			a.hints[in.Defs[0]] = in.Uses[0]
		}
		if in.Op == vcode.Copy && len(in.Uses) == 1 {
			a.hints[in.Defs[0]], a.hints[in.Uses[0]] = in.Uses[0], in.Defs[0]
		}
	})
}

func (a *Analysis) requireSlots(list []vcode.Reg) {
	for _, r := range list {
		a.requireSlot(r)
	}
}

func (a *Analysis) requireSlot(r vcode.Reg) {
	if !a.f.IsConst(r) {
		a.needsSlot[r] = true
	}
}

// orderIntervals sorts the registers to be allocated by the start of their intervals; ties by number, so that
// the result is deterministic.
func (a *Analysis) orderIntervals() {
	a.order = make([]vcode.Reg, 0, len(a.intervals))
	for r := vcode.Reg(1); int(r) < len(a.intervals); r++ {
		if a.intervals[r].mentioned && !a.f.IsConst(r) {
			a.order = append(a.order, r)
		}
	}
	slices.SortFunc(a.order, func(x, y vcode.Reg) int {
		if d := a.intervals[x].start - a.intervals[y].start; d != 0 {
			return int(d)
		}
		return int(x - y)
	})
}

// linearScan assigns registers in the order of the intervals, and computes the saves of each clobbering
// instruction when the scan has passed it.
func (a *Allocation) linearScan(registers [vcode.NumClasses]int) {
	for c, n := range registers {
		a.free[c] = 1<<n - 1
	}
	a.free[vcode.Vec] |= a.shared.all()
	next := 0
	for _, r := range a.order {
		if registers[a.pool(r)] == 0 {
			a.spilled[r] = true
			continue
		}
		for next < len(a.clobbers) && 2*a.clobbers[next].pos < a.intervals[r].start {
			a.recordSave(a.clobbers[next])
			next++
		}
		a.assign(r)
	}
	for ; next < len(a.clobbers); next++ {
		a.recordSave(a.clobbers[next])
	}
}

// assign assigns r a free register or, if there is none, the register of the active interval with the lowest
// spill weight, which is then spilled. r itself is spilled if its weight is the lowest.
func (a *Allocation) assign(r vcode.Reg) {
	c := a.pool(r)
	a.expire(c, a.intervals[r].start)
	usable := ^uint64(0)
	if c == vcode.Vec && a.shared.Count > 0 {
		usable = a.shared.usable(&a.intervals[r])
	}
	if free := a.free[c] & usable; free != 0 {
		a.assignFree(r, c, free)
		return
	}
	least, cost := -1, a.spillWeight(r)
	for i, x := range a.active[c] {
		if k := a.spillWeight(x); k < cost && usable>>a.regs[x]&1 != 0 {
			least, cost = i, k
		}
	}
	if least < 0 {
		a.spilled[r] = true
		return
	}
	victim := a.active[c][least]
	a.nextEnd[c] = min(a.nextEnd[c], a.intervals[r].end)
	a.regs[r] = a.regs[victim]
	a.regs[victim] = None
	a.spilled[victim] = true
	a.active[c][least] = r
}

// assignFree assigns r one of the free registers, the same as its hint if possible, else a shared one, as fewer
// intervals can have those.
func (a *Allocation) assignFree(r vcode.Reg, c vcode.Class, free uint64) {
	n := int8(bits.TrailingZeros64(free))
	if shared := free & a.shared.all(); shared != 0 && c == vcode.Vec {
		n = int8(bits.TrailingZeros64(shared))
	}
	choices := free
	for _, u := range a.apart[r] {
		if k := a.regs[u]; k != None && a.pool(u) == c && choices&^(1<<k) != 0 {
			choices &^= 1 << k
			n = int8(bits.TrailingZeros64(choices))
		}
	}
	if h := a.hints[r]; h != 0 && a.pool(h) == c {
		if k := a.regs[h]; k != None && free>>k&1 != 0 {
			n = k
		}
	}
	a.free[c] &^= 1 << n
	a.regs[r] = n
	if len(a.active[c]) == 0 {
		a.nextEnd[c] = a.intervals[r].end
	}
	a.nextEnd[c] = min(a.nextEnd[c], a.intervals[r].end)
	a.active[c] = append(a.active[c], r)
}

// loopCarriedMaskCost is the factor of the spill weight of a loop-carried mask register. A mask in a register
// of its own class (AVX-512's k0–k7) cannot be a memory operand: a spilled one costs a store and a load in
// each iteration, and its latency is on the loop's critical path.
const loopCarriedMaskCost = 8

// spillWeight is the cost of a spill of r's interval per unit of its length.
func (a *Analysis) spillWeight(r vcode.Reg) float32 {
	i := &a.intervals[r]
	c := i.weight / float32(i.end-i.start+4)
	if i.loopCarried && a.pool(r) == vcode.Mask {
		c *= loopCarriedMaskCost
	}
	return c
}

// expire removes the intervals that end before pos from the active list of class c and frees their registers.
func (a *Allocation) expire(c vcode.Class, pos int32) {
	if len(a.active[c]) == 0 || a.nextEnd[c] >= pos {
		return
	}
	list, next := a.active[c][:0], int32(math.MaxInt32)
	for _, r := range a.active[c] {
		if end := a.intervals[r].end; end < pos {
			a.free[c] |= 1 << a.regs[r]
		} else {
			list, next = append(list, r), min(next, end)
		}
	}
	a.active[c], a.nextEnd[c] = list, next
}

// recordSave computes the registers to save and restore around a clobbering instruction. All intervals that
// start before its results have been assigned; an interval that starts with a result is found among its Defs.
func (a *Allocation) recordSave(c clobber) {
	var s Save
	for class := range a.active {
		for _, r := range a.active[class] {
			i := &a.intervals[r]
			if i.start < 2*c.pos && i.end >= 2*c.pos {
				s.Before = append(s.Before, r)
			}
			if i.start <= 2*c.pos && i.end > 2*c.pos+1 {
				s.After = append(s.After, r)
			}
		}
	}
	for _, r := range c.in.Defs {
		if i := &a.intervals[r]; i.start == 2*c.pos+1 && i.end > 2*c.pos+1 {
			s.After = append(s.After, r)
		}
	}
	if a.saves == nil {
		a.saves = map[*vcode.Inst]Save{}
	}
	a.saves[c.in] = s
}

// measureSpills computes SpilledShare and MemoryWeight.
func (a *Allocation) measureSpills() {
	all, spilled := a.internalWeight, float32(0)
	for r := range a.intervals {
		i := &a.intervals[r]
		if i.pinned {
			continue
		}
		inMemory := a.regs[r] == None && !a.f.IsConst(vcode.Reg(r))
		switch c := a.f.Classes[r]; {
		case !i.mentioned:
		case c == vcode.Vec:
			if all += i.weight; inMemory {
				spilled += i.weight
				a.MemoryWeight += i.weight
			}
		case c == vcode.Wide && inMemory:
			a.MemoryWeight += 2 * i.weight
		}
	}
	if all > 0 {
		a.SpilledShare = spilled / all
	}
}

// finishSaves removes from the saves all registers that the scan has spilled later (they are in memory
// anyway), and requires slots for the others.
func (a *Allocation) finishSaves() {
	for in, s := range a.saves {
		for _, list := range []*[]vcode.Reg{&s.Before, &s.After} {
			*list = slices.DeleteFunc(*list, func(r vcode.Reg) bool { return a.regs[r] == None })
			for _, r := range *list {
				a.spilled[r] = true
			}
		}
		a.saves[in] = s
	}
}
