package pass

import (
	"math/bits"
	"slices"

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
// Loads at indices with constant differences share the condition (baseregion_group.go).
//
// A pointer that a loop advances by a constant, from base + plus on, has no index of 32 bits. The loop gets a parameter that is the
// pointer's distance from its start. Pointers that advance together share it, and are computed from another one where an address is read, so
// that they are no parameters themselves: numbers of 64 bits in all lanes.
//
// Both arms access the same bytes: regions are disjoint, and an index in range is added without wrapping.
func baseRegion(p *ir.Program, f *ir.Func) {
	if f != p.Funcs[0] {
		return // a base is an input of the entry point
	}
	r := &regionRewriter{p: p, f: f, bases: map[baseKey]baseOf{}, to: map[ir.V]ir.V{}, done: map[ir.V]bool{}, repeats: map[ir.V][]ir.V{}, pointers: map[ir.V]*induction{}, counted: map[ir.V][]*advance{}}
	var read []splitAddress
	for _, v := range f.Code {
		if x := f.Val(v); x.Op == ir.Br && f.Val(x.Args[0]).Op == ir.Loop {
			r.repeats[x.Args[0]] = append(r.repeats[x.Args[0]], v)
		}
	}
	for _, v := range f.Code {
		if f.Val(v).Op == ir.LogEvent {
			return // a detector of data races relates it to the access after it
		}
		r.meets = r.meets || f.Val(v).Op == ir.Barrier
		if s, ok := r.split(v); ok {
			read = append(read, s)
		}
	}
	if len(read) == 0 || len(read) > maxVersioned {
		return
	}
	for _, s := range read {
		r.count(&s)
	}
	r.countUses(read)
	b, code := ir.Edit(f)
	r.b = b
	b.Keep(code[0])
	start := len(f.Code)
	for rest := code[1:]; len(rest) > 0; rest = rest[1:] {
		if r.done[rest[0]] {
			continue // it is with an access before it
		}
		if s, ok := r.split(rest[0]); ok {
			r.access(r.together(rest, s))
			continue
		}
		if f.Val(rest[0]).Op == ir.Br {
			r.repeat(rest[0])
		}
		b.Keep(rest[0])
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
	plus, end   uint64 // an access with Aux 0 begins plus bytes after the index; the region must reach to end bytes after it
	address     ir.V
	pointer     ir.V   // that a loop advances, or 0: the address is pointer + plus, and end is relative to the address
	word        bool   // it is a load of the low bits of a word
	bytes       uint64 // that the region must have
	spread      uint32 // indices of a group are at most so far from the first
}

// baseKey identifies a base: a constant, or a number of the push constants.
type baseKey struct {
	op          ir.Op
	aux, offset uint64
}

// baseOf describes the region of a base at the start of the program: its handle, the offset of the base in it, and the
// bytes from the base on, of which the null handle has none.
type baseOf struct{ handle, offset, room ir.V }

// regionRewriter gives the accesses of one function two versions. It emits the regions of bases apart from the code, for the start
// of the function.
type regionRewriter struct {
	p     *ir.Program
	f     *ir.Func
	b     *ir.Builder
	entry []ir.V // the searches for the regions of bases, which come first
	// By parameter: the pointers that a loop advances. By loop: how it advances those of accesses.
	pointers map[ir.V]*induction
	counted  map[ir.V][]*advance
	repeats  map[ir.V][]ir.V // the branches to each loop
	bases    map[baseKey]baseOf
	// meets: the program has barriers, so that an operation of all lanes of a subgroup costs no form of code.
	meets bool
	to    map[ir.V]ir.V // by result of an access: the parameter that has the result of either version
	done  map[ir.V]bool // members of groups that are emitted
	uses  []int         // by value
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
	ok = r.terms(s.address, 0, &s) && s.base != 0 && x.Aux < maxBaseOffset
	if before := s.pointer != 0 && -s.plus < maxBaseOffset; s.plus >= maxBaseOffset && !before || s.pointer != 0 && s.index != 0 {
		ok = false
	}
	size := uint64(r.f.Type(r.accessed(v)).Size())
	// The words of single bytes at a distance are loaded faster than the bytes.
	if s.word = x.Op == ir.Ld && (x.Type == ir.I8 || x.Type == ir.I16) && x.Flags&(ir.Volatile|ir.Coherent) == 0 && s.shift >= 2; s.word {
		size = 4
	}
	if s.end = max(s.bytes, x.Aux+size); s.pointer == 0 {
		s.end += s.plus
	}
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
		if s.pointer != 0 && -x.Aux < maxBaseOffset {
			s.plus += x.Aux // modulo 2⁶⁴
			return true
		}
		return r.isBase(v, s)
	case ir.ZExt, ir.SExt:
		return r.indexed(v, 0, s)
	case ir.Param:
		return r.advances(v, s)
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

// induction is a pointer that a loop advances: base + first in the first iteration, and step more in each one after it.
type induction struct {
	base, start ir.V // start is base + first, before the loop
	first, step uint64
	by          *advance // nil before an access reads the pointer
}

// advance is the progress of all pointers with one step in a loop.
type advance struct {
	step     uint64
	distance ir.V // a parameter of the loop: the distance from the start, at most farDistance
	pointers int
	exact    ir.V // a parameter with the distance in 64 bits, for several pointers; 0 for one
}

// farDistance is a distance in no region's reach, also after the offset of an access and the first distance of the pointer are added
// without wrapping, or subtracted.
const farDistance = 1<<31 + maxBaseOffset

// advances makes a parameter of a loop the pointer, if each iteration adds the same constant to it.
func (r *regionRewriter) advances(v ir.V, s *splitAddress) bool {
	n, known := r.pointers[v]
	if !known {
		n = r.induction(v)
		r.pointers[v] = n
	}
	if n == nil || s.pointer != 0 {
		return false
	}
	s.pointer = v
	return r.isBase(n.base, s)
}

// induction returns how a loop advances its parameter, or nil.
func (r *regionRewriter) induction(v ir.V) *induction {
	label, i := r.f.Val(v).Args[0], int(r.f.Val(v).Aux)
	if r.f.Val(label).Op != ir.Loop || len(r.repeats[label]) == 0 {
		return nil
	}
	var n induction
	for k, br := range r.repeats[label] {
		next := r.f.Val(r.f.BrArgs(br)[i])
		if next.Op != ir.Add || next.Args[0] != v || r.f.Val(next.Args[1]).Op != ir.Const {
			return nil
		}
		step := r.f.Val(next.Args[1]).Aux
		if step >= maxBaseOffset || k > 0 && step != n.step {
			return nil
		}
		n.step = step
	}
	var first splitAddress
	if !r.terms(r.f.Inits(label)[i], 0, &first) || first.base == 0 || first.index != 0 || first.pointer != 0 || first.plus >= maxBaseOffset {
		return nil
	}
	n.base, n.first, n.start = first.base, first.plus, r.f.Inits(label)[i]
	return &n
}

// count gives the loops parameters for the distances of the pointers that accesses read.
func (r *regionRewriter) count(s *splitAddress) {
	n := r.pointers[s.pointer]
	if n == nil || n.by != nil {
		return
	}
	label := r.f.Val(s.pointer).Args[0]
	e := editor{f: r.f}
	at := slices.IndexFunc(r.counted[label], func(a *advance) bool { return a.step == n.step })
	if at < 0 {
		at = len(r.counted[label])
		r.counted[label] = append(r.counted[label], &advance{step: n.step, distance: e.addParams(label, []ir.Type{ir.I32}, []ir.V{e.constant(ir.I32, 0)})[0]})
	}
	n.by = r.counted[label][at]
	if n.by.pointers++; n.by.pointers == 2 {
		n.by.exact = e.addParams(label, []ir.Type{ir.I64}, []ir.V{e.constant(ir.I64, 0)})[0]
	}
}

// repeat emits the next distances of the pointers of a loop, which br repeats.
func (r *regionRewriter) repeat(br ir.V) {
	label := r.f.Val(br).Args[0]
	r.b.Origin = r.f.Val(br).Origin
	next := map[ir.V]ir.V{}
	for _, a := range r.counted[label] {
		sum := r.b.Op(ir.Add, ir.I32, a.distance, r.b.I32(uint32(a.step)))
		next[a.distance] = r.b.Op(ir.UMin, ir.I32, sum, r.b.I32(farDistance))
		if a.exact != 0 {
			next[a.exact] = r.b.Op(ir.Add, ir.I64, a.exact, r.b.Const(ir.I64, a.step))
		}
	}
	if len(next) > 0 {
		var args []ir.V
		for _, p := range r.f.Params(label)[r.f.Val(br).Aux:] {
			args = append(args, next[p])
		}
		e := editor{f: r.f}
		e.addArgs(br, args)
	}
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

// access emits both versions of a group, of which s is the condition.
func (r *regionRewriter) access(g *accessGroup, s splitAddress) {
	b, first := r.b, *r.f.Val(g.list[0].v)
	b.Origin = first.Origin
	n := r.region(s.base)
	results := r.results(g)
	var types []ir.Type
	for _, v := range results {
		types = append(types, r.f.Type(v))
	}
	inRange, offset := r.bounds(n, s, first.Op.Family() == ir.Atomics)
	label := b.Block(types...)
	b.If(b.Op(ir.Every, ir.B1, inRange()))
	at := offset()
	r.arm(g, results, label, func(m *grouped) (x ir.Val) {
		x = *r.f.Val(m.v)
		if x.Args[0], x.Args[1], x.Aux = n.handle, at, x.Aux+m.ahead; s.word {
			x.Type = ir.I32
		}
		return x
	})
	b.End()
	// An address is computed here alone, where it is read: most executions need no numbers of 64 bits.
	if r.meets && first.Op.Family() == ir.Atomics && first.Type.Bits() >= 32 {
		r.eachRegion(r.clone(s.address, g.root), s.bytes, func(h, offset ir.V) {
			r.arm(g, results, label, func(*grouped) ir.Val {
				first.Args[0], first.Args[1] = h, offset
				return first
			})
		})
	} else {
		r.arm(g, results, label, r.searched(g))
	}
	b.End()
	for i, v := range results {
		r.to[v] = b.Param(label, i)
	}
}

// bounds emits how many indices are in range of an access. inRange emits the condition that the access is in the region of its base, then
// offset its offset there. The offset of an index in range does not wrap: that of an atomic is a sum, which needs no test of it; loads and stores
// have the form in which the vectorizer finds consecutive elements.
func (r *regionRewriter) bounds(n baseOf, s splitAddress, atomic bool) (inRange, offset func() ir.V) {
	b := r.b
	// The first index out of range is 1 + (room − end) >> shift, or 0.
	end := b.I32(uint32(s.end))
	count := b.Op(ir.Add, ir.I32, b.Op(ir.LShr, ir.I32, b.Op(ir.Sub, ir.I32, n.room, end), b.I32(uint32(s.shift))), b.I32(1))
	count = b.Select(b.Cmp(ir.ULe, end, n.room), count, b.I32(0))
	// A negative index is 2³¹ or more as an unsigned number. A region may have as many bytes.
	if s.signed || s.pointer != 0 {
		count = b.Op(ir.UMin, ir.I32, count, b.I32(1<<31-s.spread))
	}
	index := s.index
	if s.pointer != 0 {
		inRange = func() ir.V {
			p := r.pointers[s.pointer]
			if index = p.by.distance; p.first+s.plus != 0 {
				index = b.Op(ir.Add, ir.I32, index, b.I32(uint32(p.first+s.plus)))
			}
			return b.Cmp(ir.ULt, index, count)
		}
		return inRange, func() ir.V { return b.Op(ir.Add, ir.I32, n.offset, index) }
	}
	if index == 0 {
		index = b.I32(0)
	}
	return func() ir.V { return b.Cmp(ir.ULt, index, count) }, func() ir.V {
		if atomic {
			return b.Op(ir.Add, ir.I32, n.offset, b.Op(ir.Shl, ir.I32, index, b.I32(uint32(s.shift))))
		}
		return b.OpAux(ir.At, ir.I32, 1<<s.shift, n.offset, index)
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

// clone emits the terms of an address again. A term at root stays.
func (r *regionRewriter) clone(v, root ir.V) ir.V {
	if v == root {
		return v
	}
	x := *r.f.Val(v)
	switch x.Op {
	case ir.Add, ir.Shl, ir.Mul, ir.Or, ir.ZExt, ir.SExt:
		for i := range x.Op.Args() {
			x.Args[i] = r.clone(x.Args[i], root)
		}
		x.Origin = r.b.Origin
		return r.b.Emit(x)
	case ir.Param:
		if n := r.pointers[v]; n != nil && n.by != nil && n.by.exact != 0 {
			return r.b.Op(ir.Add, ir.I64, n.start, n.by.exact)
		}
	}
	return v
}
