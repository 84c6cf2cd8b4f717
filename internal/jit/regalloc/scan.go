package regalloc

import (
	"math"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Analysis is what is known of the registers of one function before any is given
// out. It may be asked for several allocations.
type Analysis struct {
	f         *vcode.Func
	machine   *Machine
	intervals []interval
	wanted    []bool // of each register: an instruction wants it in a slot
	loop      []loop
	loopOf    []int32 // innermost loop of each block
	hints     []vcode.Reg
	inside    float32     // the weight of mentions inside instructions
	order     []vcode.Reg // by where their intervals start
	clobbers  []clobber
}

// clobber is an instruction that keeps no register.
type clobber struct {
	pos int32
	in  *vcode.Inst
}

// Analyze finds out how long the registers of f live. Classes of which the machine
// has no register, and constants, will live in memory or nowhere.
func Analyze(f *vcode.Func, m *Machine) *Analysis {
	n := len(f.Classes)
	a := &Analysis{f: f, machine: m, intervals: make([]interval, n), wanted: make([]bool, n), hints: make([]vcode.Reg, n)}
	a.loops()
	a.mentions()
	a.note()
	a.sort()
	return a
}

// Allocation is which registers of a function have one of the machine's.
type Allocation struct {
	// Spilled is the part of the mentions of vectors, those in loops counted
	// more and those inside instructions too, that go to memory for want of registers.
	Spilled float32

	// Memory is the weight of those and of twice what is 64 bits a lane, to compare
	// allocations of the same function.
	Memory float32

	*Analysis
	regs     []int8
	inMemory []bool
	saves    map[*vcode.Inst]Save
	active   [vcode.NumClasses][]vcode.Reg
	ends     [vcode.NumClasses]int32 // no interval of active ends before
	free     [vcode.NumClasses]uint64
}

// Allocate gives out so many registers of each class.
func (a *Analysis) Allocate(registers [vcode.NumClasses]int) *Allocation {
	x := &Allocation{Analysis: a, regs: slices.Repeat([]int8{None}, len(a.intervals)), inMemory: slices.Clone(a.wanted)}
	const usual = 32 // registers of a class
	lists := make([]vcode.Reg, usual*len(x.active))
	for c := range x.active {
		x.active[c] = lists[usual*c : usual*c : usual*(c+1)]
	}
	x.scan(registers)
	x.measure()
	return x
}

// note finds the instructions that keep no register, what they want in slots,
// and copies, whose two registers had better be one.
func (a *Analysis) note() {
	want := a.wantSlot
	a.walk(func(pos, _ int32, in *vcode.Inst) {
		if a.machine.Clobbers(in) {
			a.clobbers = append(a.clobbers, clobber{pos, in})
			a.wantSlots(in.Uses)
			a.wantSlots(in.Masks)
			a.wantSlots(in.Defs)
		}
		if a.machine.InMemory != nil {
			a.machine.InMemory(in, want)
		}
		switch {
		case in.Op == vcode.Lane && in.IR == ir.FFma: // which writes over one of its operands
			a.hints[in.Defs[0]] = in.Uses[2]
		case in.Op == vcode.Own && len(in.Uses) > 0: // as those often do
			a.hints[in.Defs[0]] = in.Uses[0]
		}
		if in.Op == vcode.Copy && len(in.Uses) == 1 {
			a.hints[in.Defs[0]], a.hints[in.Uses[0]] = in.Uses[0], in.Defs[0]
		}
	})
}

func (a *Analysis) wantSlots(list []vcode.Reg) {
	for _, r := range list {
		a.wantSlot(r)
	}
}

func (a *Analysis) wantSlot(r vcode.Reg) {
	if !a.f.IsConst(r) {
		a.wanted[r] = true
	}
}

// sort finds the order in which intervals start.
func (a *Analysis) sort() {
	a.order = make([]vcode.Reg, 0, len(a.intervals))
	for r := vcode.Reg(1); int(r) < len(a.intervals); r++ {
		if a.intervals[r].seen && !a.f.IsConst(r) {
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

// scan gives out registers in the order in which intervals start.
func (a *Allocation) scan(registers [vcode.NumClasses]int) {
	for c, n := range registers {
		a.free[c] = 1<<n - 1
	}
	next := 0
	for _, r := range a.order {
		if registers[a.pool(r)] == 0 {
			a.inMemory[r] = true
			continue
		}
		for next < len(a.clobbers) && 2*a.clobbers[next].pos < a.intervals[r].start {
			a.save(a.clobbers[next])
			next++
		}
		a.place(r)
	}
	for ; next < len(a.clobbers); next++ {
		a.save(a.clobbers[next])
	}
}

// place gives r a register: a free one, or that of the interval that matters
// least.
func (a *Allocation) place(r vcode.Reg) {
	c := a.pool(r)
	a.expire(c, a.intervals[r].start)
	if a.free[c] != 0 {
		a.give(r, c)
		return
	}
	least, cost := -1, a.cost(r)
	for i, x := range a.active[c] {
		if k := a.cost(x); k < cost {
			least, cost = i, k
		}
	}
	if least < 0 {
		a.inMemory[r] = true
		return
	}
	victim := a.active[c][least]
	a.ends[c] = min(a.ends[c], a.intervals[r].end)
	a.regs[r] = a.regs[victim]
	a.regs[victim] = None
	a.inMemory[victim] = true
	a.active[c][least] = r
}

// give takes a free register, the hint's where it is free.
func (a *Allocation) give(r vcode.Reg, c vcode.Class) {
	n := int8(bits.TrailingZeros64(a.free[c]))
	if h := a.hints[r]; h != 0 && a.pool(h) == c {
		if k := a.regs[h]; k != None && a.free[c]>>k&1 != 0 {
			n = k
		}
	}
	a.free[c] &^= 1 << n
	a.regs[r] = n
	if len(a.active[c]) == 0 {
		a.ends[c] = a.intervals[r].end
	}
	a.ends[c] = min(a.ends[c], a.intervals[r].end)
	a.active[c] = append(a.active[c], r)
}

// around is how much more it costs to keep a mask in memory that goes round a
// loop: each iteration then waits for memory, for masks are no operands there.
const around = 8

// cost is what it costs to keep an interval in memory, for its length.
func (a *Analysis) cost(r vcode.Reg) float32 {
	i := &a.intervals[r]
	c := i.weight / float32(i.end-i.start+4)
	if i.carried && a.pool(r) == vcode.Mask {
		c *= around
	}
	return c
}

// expire frees the registers of intervals that end before pos.
func (a *Allocation) expire(c vcode.Class, pos int32) {
	if len(a.active[c]) == 0 || a.ends[c] >= pos {
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
	a.active[c], a.ends[c] = list, next
}

// save notes what lives in registers across an instruction that keeps none.
// All intervals that start before it writes have been placed; those that start
// with it have not, and are found among its definitions.
func (a *Allocation) save(c clobber) {
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

// measure finds out how much went to memory.
func (a *Allocation) measure() {
	all, spilled := a.inside, float32(0)
	for r := range a.intervals {
		i := &a.intervals[r]
		gone := a.regs[r] == None && !a.f.IsConst(vcode.Reg(r))
		switch c := a.f.Classes[r]; {
		case !i.seen:
		case c == vcode.Vec:
			if all += i.weight; gone {
				spilled += i.weight
				a.Memory += i.weight
			}
		case c == vcode.Wide && gone:
			a.Memory += 2 * i.weight
		}
	}
	if all > 0 {
		a.Spilled = spilled / all
	}
}

// trim drops from the saves what has come to live in memory since, and gives
// slots to the rest.
func (a *Allocation) trim() {
	for in, s := range a.saves {
		for _, list := range []*[]vcode.Reg{&s.Before, &s.After} {
			*list = slices.DeleteFunc(*list, func(r vcode.Reg) bool { return a.regs[r] == None })
			for _, r := range *list {
				a.inMemory[r] = true
			}
		}
		a.saves[in] = s
	}
}
