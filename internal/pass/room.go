package pass

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// room is memory that a pass needs while it runs, and nobody behind it.
type room struct {
	values  scratch.Slab[ir.V]
	numbers scratch.Slab[int32]
	flags   scratch.Slab[bool]
	extents scratch.Slab[extent]
	shared  scratch.Slab[shared]
	consts  ir.Consts
}

// rooms are those that no pass is in.
var rooms = sync.Pool{New: func() any { return new(room) }}

// enter returns a room for one pass over one function.
func enter() *room { return rooms.Get().(*room) }

// leave gives it back, and all that was taken in it.
func (r *room) leave() {
	r.values.Reset()
	r.numbers.Reset()
	r.flags.Reset()
	r.extents.Reset()
	r.shared.Reset()
	r.consts.Reset()
	rooms.Put(r)
}

// branches are those to each label of a function.
type branches struct {
	ends []int32 // by label: where its own end in list, which begin where the one's before end
	list []ir.V
}

func branchesOf(f *ir.Func, r *room) branches {
	b := branches{ends: r.numbers.Alloc(len(f.Vals))}
	for _, v := range f.Code {
		if x := f.Val(v); x.Op == ir.Br {
			b.ends[x.Args[0]]++
		}
	}
	at := int32(0)
	for v, many := range b.ends { // where they begin, until they are there
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

// to returns the branches to a label, in their order.
func (b *branches) to(label ir.V) []ir.V {
	begin := int32(0)
	if label > 0 {
		begin = b.ends[label-1]
	}
	return b.list[begin:b.ends[label]]
}

// loops reports whether a function has any.
func loops(f *ir.Func) bool {
	for _, v := range f.Code {
		if f.Val(v).Op == ir.Loop {
			return true
		}
	}
	return false
}
