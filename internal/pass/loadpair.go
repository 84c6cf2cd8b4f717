package pass

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// pairLoads is memory access coalescing (Davidson and Jinturkar 1994) for both halves of a word of workgroup memory, as
// in tiles of f16vec2: one load of 32 bits replaces two of 16.
//
//	v2 = ld.f16 vW, v1, #0      v4 = ld.i32 vW, v1, #0
//	v3 = ld.f16 vW, v1, #2      v5 = trunc.i16 v4;  v2 = bitcast.f16 v5
//	                            v6 = lshr.i32 v4, 16:i32;  v7 = trunc.i16 v6;  v3 = bitcast.f16 v7
//
// Both must be in range or neither: the size of the memory and the word's offset are multiples of four. Only the size of
// workgroup memory is known. No operation between the two loads may write it or begin a region, so that all lanes with the
// second load have the first, and see the same bytes.
func pairLoads(p *ir.Program, f *ir.Func) {
	if p.SharedBytes == 0 || p.SharedBytes%4 != 0 || !loadsHalves(p, f) {
		return
	}
	r := newArena()
	defer r.release()
	s := &loadPairer{p: p, f: f, edit: editor{f: f}, other: map[halfKey]ir.V{}, first: map[ir.V]ir.V{}}
	for _, v := range f.Code {
		s.find(v)
	}
	if len(s.first) == 0 {
		return
	}
	code := r.values.Alloc(2*len(f.Code) + 2)[:0]
	for _, v := range f.Code {
		code = s.rewrite(v, code)
	}
	f.Code = append(f.Code[:0], code...)
}

// isHalf reports whether an operation loads 16 bits of workgroup memory.
func isHalf(p *ir.Program, f *ir.Func, x *ir.Val) bool {
	return x.Op == ir.Ld && x.Type.Bits() == 16 && x.Aux%2 == 0 && x.Flags&(ir.Volatile|ir.Coherent) == 0 && classOf(p, f, x.Args[0]) == workgroup
}

// loadsHalves reports whether a function has such a load.
func loadsHalves(p *ir.Program, f *ir.Func) bool {
	for _, v := range f.Code {
		if isHalf(p, f, f.Val(v)) {
			return true
		}
	}
	return false
}

// halfKey identifies a half of a word.
type halfKey struct {
	handle, offset ir.V
	imm            uint64
	flags          ir.Flags
}

// loadPairer pairs the loads of one function.
type loadPairer struct {
	p     *ir.Program
	f     *ir.Func
	edit  editor
	other map[halfKey]ir.V // the loads of this region since the last write that have no partner
	first map[ir.V]ir.V    // by load: the first load of its pair
	words map[ir.V]ir.V    // by first load: the word
}

// find notes the load v, or its pair.
func (s *loadPairer) find(v ir.V) {
	x := s.f.Val(v)
	if !isHalf(s.p, s.f, x) {
		var w writes
		if w.note(s.p, s.f, x); x.Op.Is(ir.Control) || w.reach(workgroup) {
			clear(s.other)
		}
		return
	}
	// The other half has the same word offset, and bit 1 of its immediate is the opposite.
	key := halfKey{x.Args[0], x.Args[1], x.Aux, x.Flags}
	partner := key
	partner.imm ^= 2
	u, ok := s.other[partner]
	switch {
	case !ok:
		s.other[key] = v
	case s.alignment(x.Args[1], alignmentDepth) >= 2:
		s.first[v], s.first[u] = u, u
		delete(s.other, partner)
	}
}

// alignmentDepth bounds the operations that alignment looks at.
const alignmentDepth = 4

// alignment returns how many low bits of v are proven to be 0, if v is an offset in range. At saturates to an offset that is
// not, and so are all offsets that at computes from it.
func (s *loadPairer) alignment(v ir.V, depth int) int {
	x := s.f.Val(v)
	if x.Op == ir.Const {
		return bits.TrailingZeros64(x.Aux | 1<<32)
	}
	if x.Op != ir.At || depth == 0 {
		return 0
	}
	return min(s.alignment(x.Args[0], depth-1), bits.TrailingZeros64(x.Aux|1<<32))
}

// rewrite appends v to the code. A load of a pair becomes a conversion of half of the word.
func (s *loadPairer) rewrite(v ir.V, code []ir.V) []ir.V {
	first, ok := s.first[v]
	if !ok {
		return append(code, v)
	}
	x := *s.f.Val(v)
	emit := func(op ir.Op, t ir.Type, a, b ir.V) ir.V {
		n := s.edit.float(ir.Val{Op: op, Type: t, Args: [4]ir.V{a, b}, Origin: x.Origin})
		code = append(code, n)
		return n
	}
	// The first load of the pair in the code becomes the word.
	if first == v {
		if s.words == nil {
			s.words = map[ir.V]ir.V{}
		}
		word := x
		word.Type, word.Aux = ir.I32, x.Aux&^2
		n := s.edit.float(word)
		code = append(code, n)
		s.words[v] = n
	}
	// The conversions take the place of the load, so that its uses need no change.
	// Words are little-endian: the half at the higher address has the upper bits.
	half := s.words[first]
	if x.Aux&2 != 0 {
		half = emit(ir.LShr, ir.I32, half, s.edit.constant(ir.I32, 16))
	}
	op := ir.Trunc
	if x.Type == ir.F16 {
		op, half = ir.Bitcast, emit(ir.Trunc, ir.I16, half, 0)
	}
	*s.f.Val(v) = ir.Val{Op: op, Type: x.Type, Args: [4]ir.V{half}, Origin: x.Origin}
	return append(code, v)
}
