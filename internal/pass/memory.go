package pass

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// class is an alias class: a part of memory that accesses of other classes do not
// reach, except for anyMemory.
type class int

const (
	anyMemory class = iota // an unknown handle: aliases every class but frozen
	frozen                 // never written while the program runs
	workgroup              // the workgroup's memory
	buffers                // resources that may alias each other
	firstOwn               // firstOwn+r is resource r, which is Restrict
)

// classOf returns the alias class of handle h.
func classOf(p *ir.Program, f *ir.Func, h ir.V) class {
	switch x := f.Val(h); x.Op {
	case ir.Push, ir.Table:
		return frozen
	case ir.Wg:
		return workgroup
	case ir.Res:
		switch r := p.Res[x.Aux]; {
		case r.NonWritable:
			return frozen
		case r.Restrict:
			return firstOwn + class(x.Aux)
		}
		return buffers
	}
	return anyMemory
}

// writes is the set of alias classes that a piece of code may write.
type writes struct {
	all, workgroup, buffers, private bool
	own                              uint64 // bit r: resource r, which is Restrict
}

// note adds the effects of one operation. Barriers and fences count as writes to
// shared memory, because they make writes of other invocations visible.
func (w *writes) note(p *ir.Program, f *ir.Func, x *ir.Val) {
	switch {
	case x.Op == ir.PSt || x.Op == ir.PClr || x.Op == ir.PStI || x.Op.Family() == ir.Rays:
		w.private = true
	case x.Op == ir.Call:
		w.all, w.private = true, true
	case x.Op == ir.Barrier || x.Op == ir.Fence:
		w.all = true
	case x.Op == ir.St || x.Op.Family() == ir.Atomics:
		switch c := classOf(p, f, x.Args[0]); {
		case c == frozen: // out of range by definition
		case c == workgroup:
			w.workgroup = true
		case c == buffers:
			w.buffers = true
		case c >= firstOwn && c-firstOwn < 64:
			w.own |= 1 << (c - firstOwn)
		default:
			w.all = true
		}
	}
}

// add adds all of o.
func (w *writes) add(o writes) {
	w.all = w.all || o.all
	w.workgroup = w.workgroup || o.workgroup
	w.buffers = w.buffers || o.buffers
	w.private = w.private || o.private
	w.own |= o.own
}

// reach reports whether a load from class c may see one of the writes.
func (w *writes) reach(c class) bool {
	switch c {
	case frozen:
		return false
	case workgroup:
		return w.all || w.workgroup
	case buffers:
		return w.all || w.buffers
	case anyMemory:
		return w.all || w.workgroup || w.buffers || w.own != 0
	}
	return w.all || c-firstOwn < 64 && w.own>>(c-firstOwn)&1 != 0
}

// loopWrites returns for each loop, by opener, the writes in it.
func loopWrites(p *ir.Program, f *ir.Func) map[ir.V]writes {
	if !loops(f) {
		return nil
	}
	all := map[ir.V]writes{}
	var open []ir.V
	sums := []writes{{}}
	for _, v := range f.Code {
		switch x := f.Val(v); {
		case x.Op == ir.Loop:
			open = append(open, v)
			sums = append(sums, writes{})
		case x.Op == ir.End && f.Val(x.Args[0]).Op == ir.Loop:
			n := len(open) - 1
			all[open[n]] = sums[n+1]
			sums[n].add(sums[n+1])
			open, sums = open[:n], sums[:n+1]
		default:
			sums[len(sums)-1].note(p, f, x)
		}
	}
	return all
}

// epochs number the states of memory: two loads of one class in the same epoch see
// the same bytes if the addresses are equal. LLVM's EarlyCSE calls them generations.
type epochs struct {
	of      map[class]uint32  // by class: writes to it alone
	base    uint32            // writes that may reach every class
	total   uint32            // writes to any class
	vars    map[uint64]uint32 // by variable: writes to it alone
	private uint32            // writes that may reach every variable
}

func newEpochs() *epochs { return &epochs{of: map[class]uint32{}, vars: map[uint64]uint32{}} }

// note counts the writes of one operation.
func (e *epochs) note(p *ir.Program, f *ir.Func, x *ir.Val) {
	switch {
	case x.Op == ir.PSt || x.Op == ir.PClr || x.Op == ir.Ray:
		e.vars[x.Aux]++
	case x.Op == ir.PStI || x.Op == ir.RayI:
		e.private++
	case x.Op == ir.Call:
		e.private++
		e.write(anyMemory)
	case x.Op == ir.Barrier || x.Op == ir.Fence:
		e.write(anyMemory)
	case x.Op == ir.St || x.Op.Family() == ir.Atomics:
		e.write(classOf(p, f, x.Args[0]))
	}
}

// write counts one write to class c.
func (e *epochs) write(c class) {
	switch c {
	case frozen:
		return
	case anyMemory:
		e.base++
	default:
		e.of[c]++
	}
	e.total++
}

// loop counts the writes of a loop at its start: a load in the loop may see those of
// an earlier iteration.
func (e *epochs) loop(w writes) {
	if w.all {
		e.write(anyMemory)
	}
	if w.buffers {
		e.write(buffers)
	}
	for own := w.own; own != 0; own &= own - 1 {
		e.write(class(bits.TrailingZeros64(own)) + firstOwn)
	}
	if w.workgroup {
		e.write(workgroup)
	}
	if w.private {
		e.private++
	}
}

// at returns the epoch of a load from class c.
func (e *epochs) at(c class) uint64 {
	switch c {
	case frozen:
		return 0
	case anyMemory:
		return uint64(e.total)
	}
	return uint64(e.base)<<32 | uint64(e.of[c])
}

// atVar returns the epoch of a load from variable v.
func (e *epochs) atVar(v uint64) uint64 { return uint64(e.private)<<32 | uint64(e.vars[v]) }
