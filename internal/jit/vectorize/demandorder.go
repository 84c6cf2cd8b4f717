package vectorize

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// The order of straight code by demand
//
// In the code of a workgroup without loops, all parts of a phase precede those of the next one, so that all values of a phase
// are live at once. Here each value moves down to its first use, as in a depth-first walk of the operands of the stores from the first store
// on (Sethi & Ullman 1970). So the part of an early phase is computed right before the part of the last phase that needs it:
//
//	a0 = load    a1 = load    a2 = load           a0 = load  b0 = f(a0)          c0 = g(b0)      store c0
//	b0 = f(a0)   b1 = f(a0, a1)  b2 = f(a1, a2)   a1 = load  b1 = f(a0, a1)      c1 = g(b0, b1)  store c1
//	c0 = g(b0)   c1 = g(b0, b1)  c2 = g(b1, b2)   a2 = load  b2 = f(a1, a2)      c2 = g(b1, b2)  store c2
//	store c0     store c1     store c2
//
// Of step d of a prefix sum the values of the last d invocations are live, and not those of all.

// demand is the state of orderByDemand.
type demand struct {
	list   []vcode.Inst
	writer []int32 // by register: 1 + the only instruction that writes it, if it can move
	done   []bool
	out    []vcode.Inst
}

// orderByDemand moves each instruction without effect down to the first one that needs it, of those that stay in their order.
func orderByDemand(f *vcode.Func, list []vcode.Inst, movable func(*vcode.Inst) bool, mem *arena) []vcode.Inst {
	n := len(f.Classes)
	d := &demand{list: list, writer: mem.numbers.Alloc(n), done: mem.flags.Alloc(len(list)), out: f.Form.Arena.Insts(len(list))}
	writes, last := mem.numbers.Alloc(n), mem.numbers.Alloc(n)
	for i := range list {
		for _, r := range list[i].Defs {
			writes[r]++
			last[r] = int32(i)
		}
	}
	for i := range list {
		in := &list[i]
		moves := !in.Merging && len(in.Defs) > 0 && (schedulable(in) && in.Op != vcode.Undef || in.Op == vcode.Slide || in.Op == vcode.StridedLoad && movable(in))
		for _, r := range in.Defs {
			moves = moves && writes[r] == 1
		}
		eachRead(in, func(r vcode.Reg) { moves = moves && int(last[r]) <= i }) // no operand changes afterwards
		if moves {
			for _, r := range in.Defs {
				d.writer[r] = int32(i) + 1
			}
			continue
		}
		d.emit(i)
	}
	for i := range list {
		if !d.done[i] {
			d.emit(i)
		}
	}
	return d.out
}

// emit emits an instruction, after those that it needs.
func (d *demand) emit(i int) {
	d.done[i] = true
	eachRead(&d.list[i], func(r vcode.Reg) {
		if from := d.writer[r]; from != 0 && !d.done[from-1] {
			d.emit(int(from) - 1)
		}
	})
	d.out = append(d.out, d.list[i])
}
