package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// pairStores is memory access coalescing of stores (Davidson and Jinturkar 1994): of both halves of a word of workgroup memory, as of
// tiles of f16vec2: one store of 32 bits replaces two of 16.
//
//	                              v4 = bitcast.i16 v2;  v5 = zext.i32 v4
//	st.f16 vW, v1, v2, #0         v6 = bitcast.i16 v3;  v7 = zext.i32 v6;  v8 = shl.i32 v7, 16:i32
//	st.f16 vW, v1, v3, #2         v9 = or.i32 v5, v8
//	                              st.i32 vW, v1, v9, #0
//
// Both are in range or neither is, as for pairLoads. No operation between the two stores may access the memory or begin a region. The
// lanes of one store write other halves than the lanes of the other, so that their order does not matter.
func pairStores(p *ir.Program, f *ir.Func) {
	if p.SharedBytes == 0 || p.SharedBytes%4 != 0 {
		return
	}
	s := &storePairer{p: p, f: f, loads: loadPairer{p: p, f: f}, edit: editor{f: f}, open: map[halfKey]ir.V{}, first: map[ir.V]ir.V{}}
	for _, v := range f.Code {
		s.find(v)
	}
	if len(s.first) == 0 {
		return
	}
	gone := map[ir.V]bool{}
	for _, u := range s.first {
		gone[u] = true
	}
	var code []ir.V
	for _, v := range f.Code {
		switch u, ok := s.first[v]; {
		case ok:
			code = s.join(u, v, code)
		case !gone[v]:
			code = append(code, v)
		}
	}
	f.Code = code
}

// storePairer pairs the stores of one function.
type storePairer struct {
	p     *ir.Program
	f     *ir.Func
	loads loadPairer // for alignments
	edit  editor
	open  map[halfKey]ir.V // the stores of this region since the last access that have no partner
	first map[ir.V]ir.V    // by second store of a pair: the first one
}

// find notes the store v, or its pair.
func (s *storePairer) find(v ir.V) {
	x := s.f.Val(v)
	if x.Op != ir.St || x.Type.Bits() != 16 || x.Aux%2 != 0 || x.Flags&(ir.Volatile|ir.Coherent) != 0 || s.f.Val(x.Args[0]).Op != ir.Wg {
		if x.Op == ir.Ld {
			if h := s.f.Val(x.Args[0]).Op; h == ir.Res || h == ir.Push {
				return
			}
		}
		if x.Op.Is(ir.Control) || x.Op.Is(ir.Reads) || x.Op.Is(ir.Writes) || x.Op.Is(ir.Meets) {
			clear(s.open)
		}
		return
	}
	key := halfKey{x.Args[0], x.Args[1], x.Aux, x.Flags}
	partner := key
	partner.imm ^= 2
	u, ok := s.open[partner]
	if ok && s.loads.alignment(x.Args[1], alignmentDepth) >= 2 {
		s.first[v] = u
		clear(s.open)
		return
	}
	// Stores to other words may overlap with this one.
	clear(s.open)
	s.open[key] = v
}

// join appends the store of a word to the code, in place of the stores u and v.
func (s *storePairer) join(u, v ir.V, code []ir.V) []ir.V {
	x := *s.f.Val(v)
	low, high := s.f.Val(u).Args[2], x.Args[2]
	if x.Aux&2 == 0 {
		low, high = high, low
	}
	emit := func(op ir.Op, t ir.Type, a, b ir.V) ir.V {
		n := s.edit.float(ir.Val{Op: op, Type: t, Args: [4]ir.V{a, b}, Origin: x.Origin})
		code = append(code, n)
		return n
	}
	word := func(a ir.V, shift uint64) ir.V {
		h := s.f.Val(a)
		if h.Op == ir.Const {
			return s.edit.constant(ir.I32, h.Aux&0xffff<<shift)
		}
		if h.Type == ir.F16 {
			a = emit(ir.Bitcast, ir.I16, a, 0)
		}
		if a = emit(ir.ZExt, ir.I32, a, 0); shift > 0 {
			a = emit(ir.Shl, ir.I32, a, s.edit.constant(ir.I32, shift))
		}
		return a
	}
	lower, upper := word(low, 0), word(high, 16)
	both := lower
	switch l, h := s.f.Val(lower), s.f.Val(upper); {
	case l.Op == ir.Const && h.Op == ir.Const:
		both = s.edit.constant(ir.I32, l.Aux|h.Aux)
	case l.Op == ir.Const && l.Aux == 0:
		both = upper
	case h.Op != ir.Const || h.Aux != 0:
		both = emit(ir.Or, ir.I32, lower, upper)
	}
	y := s.f.Val(v)
	y.Type, y.Aux, y.Args[2] = ir.I32, x.Aux&^2, both
	return append(code, v)
}
