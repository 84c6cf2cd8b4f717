package pass

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// baseRegion is access versioning by the region of a base (LLVM's LoopVersioning does it for loops): an access at a device address
// base + index·stride, with the same base for a workgroup, uses the region of the base if the index is in it in all lanes that
// execute together. Otherwise it searches for the region of each address. So the search happens once, and the access has one handle and
// an offset with a known relation between the lanes.
//
//	                               v5 = region v1, #1; v6 = regionoff v5, v1      at the start
//	v2 = zext.i64.i32 vi           v7 = …                                         how many indices are in range
//	v3 = shl.i64 v2, 2             if every (vi < v7) {
//	v4 = add.i64 v1, v3        →       ld v5, (at v6, vi, #4)
//	ld (region v4)                 } else { ld (region v4) }
//
// Both arms access the same bytes: regions are disjoint, and an index in range is added without wrapping.
func baseRegion(p *ir.Program, f *ir.Func) {
	if f != p.Funcs[0] {
		return // a base is an input of the entry point
	}
	r := &regionRewriter{p: p, f: f, bases: map[baseKey]baseOf{}, to: map[ir.V]ir.V{}}
	accesses := 0
	for _, v := range f.Code {
		if f.Val(v).Op == ir.LogEvent {
			return // a detector of data races relates it to the access after it
		}
		r.meets = r.meets || f.Val(v).Op == ir.Barrier
		if _, ok := r.split(v); ok {
			accesses++
		}
	}
	if accesses == 0 || accesses > maxVersioned {
		return
	}
	b, code := ir.Edit(f)
	r.b = b
	b.Keep(code[0])
	start := len(f.Code)
	for _, v := range code[1:] {
		if s, ok := r.split(v); ok {
			r.access(v, s)
		} else {
			b.Keep(v)
		}
	}
	rest := append([]ir.V(nil), f.Code[start:]...)
	f.Code = append(append(f.Code[:start], r.entry...), rest...)
	f.Replace(r.to)
}

// maxVersioned bounds the accesses that have two versions, because each has the code of a search.
const maxVersioned = 64

// maxBaseOffset bounds the constant in an address.
const maxBaseOffset = 1 << 20

// splitAddress is the address base + index·2^shift + plus of an access of size bytes.
type splitAddress struct {
	base, index ir.V // the index has 32 bits, 0 for none
	shift       uint8
	signed      bool   // the index is
	plus, end   uint64 // the access begins plus bytes after the index; the region must reach to end bytes after it
	address     ir.V
	word        bool   // it is a load of the low bits of a word
	bytes       uint64 // that the region must have
}

// baseKey identifies a base: a constant, or a number of the push constants.
type baseKey struct {
	op          ir.Op
	aux, offset uint64
}

// baseOf describes the region of a base at the start of the program: its handle, the offset of the base in it, and the
// bytes from the base on, of which the null handle has none.
type baseOf struct{ handle, offset, room ir.V }

// regionRewriter rewrites the accesses of the entry point. The old code is read while the new code is appended.
// regionRewriter gives the accesses of one function two versions. It emits the regions of bases apart from the code, for the start
// of the function.
type regionRewriter struct {
	p     *ir.Program
	f     *ir.Func
	b     *ir.Builder
	entry []ir.V // the searches for the regions of bases, which come first
	bases map[baseKey]baseOf
	// meets: the program has barriers, so that an operation of all lanes of a subgroup costs no form of code.
	meets bool
	to    map[ir.V]ir.V // by result of an access: the parameter that has the result of either version
}

// split returns the parts of the address of an access.
func (r *regionRewriter) split(v ir.V) (s splitAddress, ok bool) {
	x := r.f.Val(v)
	if x.Op != ir.Ld && x.Op != ir.St && x.Op.Family() != ir.Atomics {
		return s, false
	}
	h, off := r.f.Val(x.Args[0]), r.f.Val(x.Args[1])
	if h.Op != ir.Region || off.Op != ir.RegionOff || off.Args[0] != x.Args[0] || off.Args[1] != h.Args[0] {
		return s, false
	}
	s.address, s.bytes = h.Args[0], h.Aux
	ok = r.terms(s.address, 0, &s) && s.base != 0 && s.plus < maxBaseOffset && x.Aux < maxBaseOffset
	size := uint64(r.f.Type(r.accessed(v)).Size())
	// The words of single bytes at a distance are loaded faster than the bytes.
	if s.word = x.Op == ir.Ld && (x.Type == ir.I8 || x.Type == ir.I16) && x.Flags&(ir.Volatile|ir.Coherent) == 0 && s.shift >= 2; s.word {
		size = 4
	}
	s.end = s.plus + max(s.bytes, x.Aux+size)
	s.plus += x.Aux
	return s, ok
}

// accessed returns a value of the type that an access moves.
func (r *regionRewriter) accessed(v ir.V) ir.V {
	if x := r.f.Val(v); x.Op == ir.St {
		return x.Args[2]
	}
	return v
}

// terms adds the terms of a 64-bit sum to s, and reports whether it has the form of splitAddress.
func (r *regionRewriter) terms(v ir.V, depth int, s *splitAddress) bool {
	x := r.f.Val(v)
	if depth > 4 {
		return false
	}
	switch x.Op {
	case ir.Add:
		return r.terms(x.Args[0], depth+1, s) && r.terms(x.Args[1], depth+1, s)
	case ir.Const:
		if x.Aux < maxBaseOffset {
			s.plus += x.Aux
			return true
		}
		return r.isBase(v, s)
	case ir.ZExt, ir.SExt:
		return r.indexed(v, 0, s)
	case ir.Shl:
		if n := r.f.Val(x.Args[1]); n.Op == ir.Const && n.Aux <= 8 {
			return r.indexed(x.Args[0], uint8(n.Aux), s)
		}
	case ir.Mul:
		if n := r.f.Val(x.Args[1]); n.Op == ir.Const && n.Aux <= 256 && bits.OnesCount64(n.Aux) == 1 {
			return r.indexed(x.Args[0], uint8(bits.TrailingZeros64(n.Aux)), s)
		}
	case ir.Ld:
		return r.f.Val(x.Args[0]).Op == ir.Push && r.f.Val(x.Args[1]).Op == ir.Const && r.isBase(v, s)
	}
	return false
}

// isBase makes v the base, unless there is one.
func (r *regionRewriter) isBase(v ir.V, s *splitAddress) bool {
	none := s.base == 0
	s.base = v
	return none
}

// indexed makes an extended number of 32 bits the index, unless there is one. A negative one is out of range of the base, as if it were
// unsigned.
func (r *regionRewriter) indexed(v ir.V, shift uint8, s *splitAddress) bool {
	x := r.f.Val(v)
	if s.index != 0 || x.Op != ir.ZExt && x.Op != ir.SExt || r.f.Type(x.Args[0]) != ir.I32 {
		return false
	}
	s.index, s.shift, s.signed = x.Args[0], shift, x.Op == ir.SExt
	return true
}

// region returns the region of a base.
func (r *regionRewriter) region(v ir.V) baseOf {
	x := *r.f.Val(v)
	key := baseKey{op: x.Op, aux: x.Aux}
	if x.Op == ir.Ld {
		key.offset = r.f.Val(x.Args[1]).Aux
	}
	if b, ok := r.bases[key]; ok {
		return b
	}
	// The code of a base goes to the start of the program, so that it dominates all accesses. The base itself may be loaded later.
	outer := r.f.Code
	r.f.Code = nil
	if x.Op == ir.Ld {
		x.Args[0] = r.b.Emit(*r.f.Val(x.Args[0]))
		v = r.b.Emit(x)
	}
	h := r.b.OpAux(ir.Region, ir.H, 1, v)
	off := r.b.Op(ir.RegionOff, ir.I32, h, v)
	n := baseOf{h, off, r.b.Op(ir.Sub, ir.I32, r.b.Op(ir.Len, ir.I32, h), off)} // 0 of the null handle
	r.entry = append(r.entry, r.f.Code...)
	r.f.Code = outer
	r.bases[key] = n
	return n
}

// access emits both versions of an access.
func (r *regionRewriter) access(v ir.V, s splitAddress) {
	b, x := r.b, *r.f.Val(v)
	b.Origin = x.Origin
	n := r.region(s.base)
	index := s.index
	if index == 0 {
		index = b.I32(0)
	}
	// The first index out of range is 1 + (room − end) >> shift, or 0.
	end := b.I32(uint32(s.end))
	count := b.Op(ir.Add, ir.I32, b.Op(ir.LShr, ir.I32, b.Op(ir.Sub, ir.I32, n.room, end), b.I32(uint32(s.shift))), b.I32(1))
	count = b.Select(b.Cmp(ir.ULe, end, n.room), count, b.I32(0))
	// A negative index is 2³¹ or more as an unsigned number. A region may have as many bytes.
	if s.signed {
		count = b.Op(ir.UMin, ir.I32, count, b.I32(1<<31))
	}
	var types []ir.Type
	if x.Op.HasResult() {
		types = append(types, x.Type)
	}
	label := b.Block(types...)
	leave := func(y ir.Val, handle, offset ir.V, aux uint64) {
		y.Args[0], y.Args[1], y.Aux = handle, offset, aux
		w := b.Emit(y)
		if len(types) == 0 {
			b.Br(label)
			return
		}
		if y.Type != x.Type {
			w = b.Op(ir.Trunc, x.Type, w)
		}
		b.Br(label, w)
	}
	near := x
	if s.word {
		near.Type = ir.I32
	}
	b.If(b.Op(ir.Every, ir.B1, b.Cmp(ir.ULt, index, count)))
	leave(near, n.handle, b.OpAux(ir.At, ir.I32, 1<<s.shift, n.offset, index), s.plus)
	b.End()
	// The address is computed here alone, where it is read: most executions need no numbers of 64 bits.
	address := r.clone(s.address)
	if r.meets && x.Op.Family() == ir.Atomics && x.Type.Bits() >= 32 {
		r.eachRegion(address, s.bytes, func(h, offset ir.V) { leave(x, h, offset, x.Aux) })
	} else {
		h := b.OpAux(ir.Region, ir.H, s.bytes, address)
		leave(x, h, b.Op(ir.RegionOff, ir.I32, h, address), x.Aux)
	}
	b.End()
	if len(types) > 0 {
		r.to[v] = b.Param(label, 0)
	}
}

// eachRegion emits an atomic for the lanes of one region after the other (a waterfall loop), so that each execution of it has one handle.
// With a handle for each lane it would call the host, and no workgroup of a program that does so is one stream of code.
//
//	loop {
//		first = address of the lowest active lane
//		h = region first; begin = regionoff h, first
//		at = begin + (address − first)
//		if (address == first || bytes ≤ len h && at ≤ len h − bytes) { do h, at; leave }
//	}
//
// The lowest lane leaves in each iteration, so that the loop ends. Lanes in different regions access different bytes, and those of one
// region do it in their order.
func (r *regionRewriter) eachRegion(address ir.V, bytes uint64, do func(handle, offset ir.V)) {
	b := r.b
	loop := b.Loop()
	// A reduction of words is machine code at all levels.
	lowest := b.Op(ir.Elect, ir.B1)
	word := func(x ir.V) ir.V {
		one := b.Select(lowest, b.Op(ir.Trunc, ir.I32, x), b.I32(0))
		return b.Op(ir.ZExt, ir.I64, b.OpAux(ir.Reduce, ir.I32, uint64(ir.Or), one))
	}
	half := b.Const(ir.I64, 32)
	first := b.Op(ir.Or, ir.I64, word(address), b.Op(ir.Shl, ir.I64, word(b.Op(ir.LShr, ir.I64, address, half)), half))
	h := b.OpAux(ir.Region, ir.H, bytes, first)
	begin := b.Op(ir.ZExt, ir.I64, b.Op(ir.RegionOff, ir.I32, h, first))
	at := b.Op(ir.Add, ir.I64, begin, b.Op(ir.Sub, ir.I64, address, first))
	length, size := b.Op(ir.ZExt, ir.I64, b.Op(ir.Len, ir.I32, h)), b.Const(ir.I64, bytes)
	inside := b.Op(ir.And, ir.B1, b.Cmp(ir.ULe, size, length), b.Cmp(ir.ULe, at, b.Op(ir.Sub, ir.I64, length, size)))
	b.If(b.Op(ir.Or, ir.B1, b.Cmp(ir.Eq, address, first), inside))
	do(h, b.Op(ir.Trunc, ir.I32, at))
	b.End()
	b.Br(loop)
	b.End()
}

// clone emits the terms of an address again.
func (r *regionRewriter) clone(v ir.V) ir.V {
	x := *r.f.Val(v)
	switch x.Op {
	case ir.Add, ir.Shl, ir.Mul, ir.ZExt, ir.SExt:
		for i := range x.Op.Args() {
			x.Args[i] = r.clone(x.Args[i])
		}
		x.Origin = r.b.Origin
		return r.b.Emit(x)
	}
	return v
}
