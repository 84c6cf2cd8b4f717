package pass

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// arena is the scratch memory of one pass over one function. Slabs keep their
// memory from run to run, so that a pass rarely allocates.
type arena struct {
	values  scratch.Slab[ir.V]
	numbers scratch.Slab[int32]
	flags   scratch.Slab[bool]
	ranges  scratch.Slab[valueRange]
	exprs   scratch.Slab[exprEntry]
	consts  ir.Consts
}

// arenas is the free list.
var arenas = sync.Pool{New: func() any { return new(arena) }}

// newArena returns an empty arena. The caller must release it.
func newArena() *arena { return arenas.Get().(*arena) }

// release returns the arena and everything allocated from it to the free list.
func (r *arena) release() {
	r.values.Reset()
	r.numbers.Reset()
	r.flags.Reset()
	r.ranges.Reset()
	r.exprs.Reset()
	r.consts.Reset()
	arenas.Put(r)
}

// branches lists the branches to each label of a function: those to label l are
// list[ends[l-1]:ends[l]]. It is a counting sort by label.
type branches struct {
	ends []int32 // by label
	list []ir.V
}

// branchesOf collects the branches of a function. Switches are not included: they
// pass no arguments.
func branchesOf(f *ir.Func, r *arena) branches {
	b := branches{ends: r.numbers.Alloc(len(f.Vals))}
	for _, v := range f.Code {
		if x := f.Val(v); x.Op == ir.Br {
			b.ends[x.Args[0]]++
		}
	}
	at := int32(0)
	for v, many := range b.ends { // now the start of each list; the second walk moves it to its end
		b.ends[v] = at
		at += many
	}
	b.list = r.values.Alloc(int(at))
	for _, v := range f.Code {
		if x := f.Val(v); x.Op == ir.Br {
			b.list[b.ends[x.Args[0]]] = v
			b.ends[x.Args[0]]++
		}
	}
	return b
}

// to returns the branches to a label, in code order.
func (b *branches) to(label ir.V) []ir.V {
	begin := int32(0)
	if label > 0 {
		begin = b.ends[label-1]
	}
	return b.list[begin:b.ends[label]]
}

// loops reports whether a function contains a loop.
func loops(f *ir.Func) bool {
	for _, v := range f.Code {
		if f.Val(v).Op == ir.Loop {
			return true
		}
	}
	return false
}
