package pass

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// class is a part of memory that no access through another class reaches,
// anyMemory excepted.
type class int

const (
	anyMemory class = iota // a handle that is not known: it may be any of the others
	frozen                 // never written while the program runs
	workgroup              // the workgroup's memory
	buffers                // resources that may name the same bytes
	firstOwn               // firstOwn+r is resource r, which is Restrict
)

// classOf returns what the handle h reaches.
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

// writes is what a piece of code may write.
type writes struct {
	all, workgroup, buffers, private bool
	own                              uint64 // resources that are Restrict, by number
}

// note adds what one operation may write: what other invocations see at this
// moment, it may change as well.
func (w *writes) note(p *ir.Program, f *ir.Func, x *ir.Val) {
	switch {
	case x.Op == ir.PSt || x.Op == ir.PClr || x.Op == ir.PStI:
		w.private = true
	case x.Op == ir.Call:
		w.all, w.private = true, true
	case x.Op == ir.Barrier || x.Op == ir.Fence || x.Op == ir.Exit:
		w.all = true
	case x.Op == ir.St || x.Op.Family() == ir.Atomics:
		switch c := classOf(p, f, x.Args[0]); {
		case c == frozen: // out of range, by the law
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

func (w *writes) add(o writes) {
	w.all = w.all || o.all
	w.workgroup = w.workgroup || o.workgroup
	w.buffers = w.buffers || o.buffers
	w.private = w.private || o.private
	w.own |= o.own
}

// reach reports whether a load from class c may see what was written.
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

// loopWrites returns, by the number of the opener, what each loop may write.
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

// epochs count writes, so that two loads with the same number see the same.
type epochs struct {
	of      map[class]uint32
	base    uint32 // writes to all
	total   uint32 // writes to anything
	vars    map[uint64]uint32
	private uint32 // writes to all variables
}

func newEpochs() *epochs { return &epochs{of: map[class]uint32{}, vars: map[uint64]uint32{}} }

// note counts what one operation may write.
func (e *epochs) note(p *ir.Program, f *ir.Func, x *ir.Val) {
	switch {
	case x.Op == ir.PSt || x.Op == ir.PClr:
		e.vars[x.Aux]++
	case x.Op == ir.PStI:
		e.private++
	case x.Op == ir.Call:
		e.private++
		e.write(anyMemory)
	case x.Op == ir.Barrier || x.Op == ir.Fence || x.Op == ir.Exit:
		e.write(anyMemory)
	case x.Op == ir.St || x.Op.Family() == ir.Atomics:
		e.write(classOf(p, f, x.Args[0]))
	}
}

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

// loop counts what a loop may write in iterations before.
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

// at returns the number of writes that a load from class c could see.
func (e *epochs) at(c class) uint64 {
	switch c {
	case frozen:
		return 0
	case anyMemory:
		return uint64(e.total)
	}
	return uint64(e.base)<<32 | uint64(e.of[c])
}

// atVar is the same for a variable.
func (e *epochs) atVar(v uint64) uint64 { return uint64(e.private)<<32 | uint64(e.vars[v]) }
