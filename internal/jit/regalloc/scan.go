package regalloc

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// allocator allocates for one function.
type allocator struct {
	f         *vcode.Func
	machine   *Machine
	frame     Frame
	intervals []interval
	inMemory  []bool
	loop      []loop
	loopOf    []int32 // innermost loop of each block
	hints     []vcode.Reg
	inside    float32 // the weight of mentions inside instructions

	active   [vcode.NumClasses][]vcode.Reg
	free     [vcode.NumClasses]uint64
	clobbers []clobber
}

// clobber is an instruction that keeps no register.
type clobber struct {
	pos int32
	in  *vcode.Inst
}

// Allocate says where the registers of f live. Classes of which the machine
// has no register, and constants, live in memory or nowhere. It returns false
// where the frame would exceed limit.
func Allocate(f *vcode.Func, m *Machine, outgoing int32, limit int64) (Frame, bool) {
	n := len(f.Classes)
	a := &allocator{f: f, machine: m, intervals: make([]interval, n), inMemory: make([]bool, n), hints: make([]vcode.Reg, n)}
	a.frame = Frame{Regs: make([]int8, n), Slots: make([]int32, n), Saves: map[*vcode.Inst]Save{}}
	for r := range n {
		a.frame.Regs[r], a.frame.Slots[r] = None, None
	}
	a.loops()
	a.mentions()
	a.note()
	a.scan()
	a.trim()
	a.measure()
	return a.frame, a.slots(outgoing, limit)
}

// note finds the instructions that keep no register, what they want in slots,
// and copies, whose two registers had better be one.
func (a *allocator) note() {
	a.walk(func(pos, _ int32, in *vcode.Inst) {
		if a.machine.Clobbers(in) {
			a.clobbers = append(a.clobbers, clobber{pos, in})
			a.wantSlots(in.Uses)
			a.wantSlots(in.Masks)
			a.wantSlots(in.Defs)
		}
		if a.machine.InMemory != nil {
			a.machine.InMemory(in, func(r vcode.Reg) { a.wantSlots([]vcode.Reg{r}) })
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

func (a *allocator) wantSlots(list []vcode.Reg) {
	for _, r := range list {
		if !a.f.Fixed(r) {
			a.inMemory[r] = true
		}
	}
}

// scan gives out registers in the order in which intervals start.
func (a *allocator) scan() {
	order := make([]vcode.Reg, 0, len(a.intervals))
	for r := vcode.Reg(1); int(r) < len(a.intervals); r++ {
		if a.f.Fixed(r) || !a.intervals[r].seen {
			continue
		}
		if a.machine.Registers[a.pool(r)] == 0 {
			a.inMemory[r] = true
			continue
		}
		order = append(order, r)
	}
	slices.SortFunc(order, func(x, y vcode.Reg) int {
		if d := a.intervals[x].start - a.intervals[y].start; d != 0 {
			return int(d)
		}
		return int(x - y)
	})
	for c, n := range a.machine.Registers {
		a.free[c] = 1<<n - 1
	}
	next := 0
	for _, r := range order {
		for next < len(a.clobbers) && 2*a.clobbers[next].pos < a.intervals[r].start {
			a.saves(a.clobbers[next])
			next++
		}
		a.place(r)
	}
	for ; next < len(a.clobbers); next++ {
		a.saves(a.clobbers[next])
	}
}

// place gives r a register: a free one, or that of the interval that matters
// least.
func (a *allocator) place(r vcode.Reg) {
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
	a.frame.Regs[r] = a.frame.Regs[victim]
	a.frame.Regs[victim] = None
	a.inMemory[victim] = true
	a.active[c][least] = r
}

// give takes a free register, the hint's where it is free.
func (a *allocator) give(r vcode.Reg, c vcode.Class) {
	n := int8(bits.TrailingZeros64(a.free[c]))
	if h := a.hints[r]; h != 0 && a.pool(h) == c {
		if k := a.frame.Regs[h]; k != None && a.free[c]>>k&1 != 0 {
			n = k
		}
	}
	a.free[c] &^= 1 << n
	a.frame.Regs[r] = n
	a.active[c] = append(a.active[c], r)
}

// around is how much more it costs to keep a mask in memory that goes round a
// loop: each iteration then waits for memory, for masks are no operands there.
const around = 8

// cost is what it costs to keep an interval in memory, for its length.
func (a *allocator) cost(r vcode.Reg) float32 {
	i := &a.intervals[r]
	c := i.weight / float32(i.end-i.start+4)
	if i.carried && a.pool(r) == vcode.Mask {
		c *= around
	}
	return c
}

// expire frees the registers of intervals that end before pos.
func (a *allocator) expire(c vcode.Class, pos int32) {
	list := a.active[c][:0]
	for _, r := range a.active[c] {
		if a.intervals[r].end < pos {
			a.free[c] |= 1 << a.frame.Regs[r]
		} else {
			list = append(list, r)
		}
	}
	a.active[c] = list
}

// saves notes what lives in registers across an instruction that keeps none.
// All intervals that start before it writes have been placed; those that start
// with it have not, and are found among its definitions.
func (a *allocator) saves(c clobber) {
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
	a.frame.Saves[c.in] = s
}

// measure finds out how much went to memory.
func (a *allocator) measure() {
	all, spilled := a.inside, float32(0)
	for r := range a.intervals {
		i := &a.intervals[r]
		gone := a.frame.Regs[r] == None && !a.f.Fixed(vcode.Reg(r))
		switch c := a.f.Classes[r]; {
		case !i.seen:
		case c == vcode.Vec:
			if all += i.weight; gone {
				spilled += i.weight
				a.frame.Memory += i.weight
			}
		case c == vcode.Wide && gone:
			a.frame.Memory += 2 * i.weight
		}
	}
	if all > 0 {
		a.frame.Spilled = spilled / all
	}
}

// trim drops from the saves what has come to live in memory since, and gives
// slots to the rest.
func (a *allocator) trim() {
	for in, s := range a.frame.Saves {
		for _, list := range []*[]vcode.Reg{&s.Before, &s.After} {
			*list = slices.DeleteFunc(*list, func(r vcode.Reg) bool { return a.frame.Regs[r] == None })
			for _, r := range *list {
				a.inMemory[r] = true
			}
		}
		a.frame.Saves[in] = s
	}
}
