package pass

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// halves computes on f16 in f32: operands are widened, which is exact, and what
// an operation yields is rounded once more, so that engines without arithmetic
// of 16 bits convert each value once and not for each operation that reads it.
// A sum, product, quotient or root rounded to 24 ≥ 2·11+2 bits and again to 11,
// or fewer where it is denormal, is what one rounding would have given
// (Figueroa 1995); two truncations are one.
//
// Parameters of labels, and what operations without rounding yield, are held as
// f32 where nobody reads the bits of a NaN, which do not survive.
func halves(_ *ir.Program, f *ir.Func) {
	h := &halver{f: f, edit: editor{f: f}, wider: map[ir.V]ir.V{}}
	if !h.any() {
		return
	}
	h.hold()
	h.code = make([]ir.V, 0, len(f.Code))
	to := make([]ir.V, len(f.Vals))
	for _, v := range f.Code {
		if x := f.Val(v); x.Op == ir.FCvt && x.Type == ir.F32 && h.holds(x.Args[0]) {
			to[v] = x.Args[0]
			continue
		}
		rounded := h.value(v)
		if h.code = append(h.code, v); rounded {
			h.wider[v] = h.wide(v, f.Val(v).Origin)
		}
	}
	f.Code = h.code
	for _, v := range f.Code {
		redirect(f, v, to)
	}
}

type halver struct {
	f    *ir.Func
	edit editor
	code []ir.V

	held  []bool        // by value: of f16, and held as f32
	wider map[ir.V]ir.V // what was rounded to f16, as f32
}

// rounds reports whether an operation on floats rounds once, and twice is the
// same.
func rounds(op ir.Op) bool {
	return op.Family() == ir.FloatArithmetic && op != ir.FFma
}

// exact reports whether an operation on numbers of f16 yields one, and the same
// as on f32.
func exact(op ir.Op) bool {
	return op.Is(ir.Selects) && op != ir.FFlush || op.Family() == ir.FloatIntegral
}

// numeric reports whether an operation that reads floats gives the same whatever
// the bits of a NaN are.
func numeric(op ir.Op) bool {
	return rounds(op) || op == ir.FCanon || op.Family() == ir.Comparisons || op.Row().On.Source() == ir.OnFloat
}

// any reports whether there is arithmetic on f16.
func (h *halver) any() bool {
	for _, v := range h.f.Code {
		if x := h.f.Val(v); x.Type == ir.F16 && rounds(x.Op) {
			return true
		}
	}
	return false
}

// holds reports whether v is held as f32.
func (h *halver) holds(v ir.V) bool { return int(v) < len(h.held) && h.held[v] }

// hold finds what can be held as f32: first all that could be, then less what
// somebody reads as it is, and what that reads.
func (h *halver) hold() {
	f := h.f
	h.held = make([]bool, len(f.Vals))
	for _, v := range f.Code {
		switch x := f.Val(v); {
		case x.Op == ir.Block && v != f.Body(), x.Op == ir.Loop:
			for _, p := range f.Params(v) {
				h.held[p] = f.Type(p) == ir.F16
			}
		case x.Type == ir.F16 && exact(x.Op):
			h.held[v] = true
		}
	}
	from := make([][]ir.V, len(f.Vals)) // by what is held: the operands that are held for it
	var gone []ir.V
	read := func(u, by ir.V) {
		switch {
		case !h.held[u]:
		case by != 0:
			from[by] = append(from[by], u)
		default:
			gone = append(gone, u)
		}
	}
	for _, v := range f.Code {
		h.reads(v, read)
	}
	for len(gone) > 0 {
		v := gone[len(gone)-1]
		gone = gone[:len(gone)-1]
		if h.held[v] {
			h.held[v] = false
			gone = append(gone, from[v]...)
		}
	}
	for v := range h.held {
		if h.held[v] {
			f.Vals[v].Type = ir.F32
		}
	}
}

// reads calls yield for all that v reads, and what is held for that: 0 where
// nothing is, unless v reads numbers only.
func (h *halver) reads(v ir.V, yield func(u, by ir.V)) {
	f := h.f
	x := f.Val(v)
	pair := func(list, params []ir.V) {
		for i, u := range list {
			if p := params[i]; h.held[p] {
				yield(u, p)
			} else {
				yield(u, 0)
			}
		}
	}
	switch {
	case numeric(x.Op):
	case h.held[v]:
		for i := range x.Op.Args() {
			yield(x.Args[i], v)
		}
	case x.Op == ir.Loop:
		pair(f.Inits(v), f.Params(v))
	case x.Op == ir.Br:
		pair(f.BrArgs(v), f.Params(x.Args[0]))
	default:
		f.Operands(v, func(u ir.V) { yield(u, 0) })
	}
}

// emit places a new operation before the one that is looked at.
func (h *halver) emit(x ir.Val) ir.V {
	v := h.edit.float(x)
	h.code = append(h.code, v)
	return v
}

// wide returns u as f32.
func (h *halver) wide(u ir.V, origin int32) ir.V {
	x := h.f.Val(u)
	switch {
	case x.Type != ir.F16:
		return u
	case x.Op == ir.Const:
		return h.edit.constant(ir.F32, scalar.FCvt(32, 16, false, x.Aux))
	case h.wider[u] != 0:
		return h.wider[u]
	}
	return h.emit(ir.Val{Op: ir.FCvt, Type: ir.F32, Args: [4]ir.V{u}, Origin: origin})
}

// narrow returns u as f16 where it is held as f32.
func (h *halver) narrow(u ir.V, origin int32) ir.V {
	if !h.holds(u) {
		return u
	}
	return h.emit(ir.Val{Op: ir.FCvt, Type: ir.F16, Args: [4]ir.V{u}, Origin: origin})
}

// value rewrites what v reads, and v, and reports whether that has become the
// rounding of a float of 32 bits.
func (h *halver) value(v ir.V) (rounded bool) {
	f := h.f
	now := *f.Val(v)
	args := now.Args
	n := now.Op.Args()
	switch {
	case now.Op == ir.Loop:
		h.hand(f.Inits(v), f.Params(v), now.Origin)
		return false
	case now.Op == ir.Br:
		h.hand(f.BrArgs(v), f.Params(now.Args[0]), now.Origin)
		return false
	case now.Type == ir.F16 && rounds(now.Op):
		for i := range n {
			args[i] = h.wide(args[i], now.Origin)
		}
		sum := h.emit(ir.Val{Op: now.Op, Type: ir.F32, Flags: now.Flags, Args: args, Origin: now.Origin})
		*f.Val(v) = ir.Val{Op: ir.FCvt, Type: ir.F16, Flags: now.Flags, Args: [4]ir.V{sum}, Origin: now.Origin}
		return true
	case h.holds(v), now.Op == ir.FEq, now.Op == ir.FLt, now.Op == ir.FLe:
		for i := range n {
			args[i] = h.wide(args[i], now.Origin)
		}
	case now.Op == ir.FToS, now.Op == ir.FToU, now.Op == ir.FCvt: // from f32 as from f16
	default:
		for i := range n {
			args[i] = h.narrow(args[i], now.Origin)
		}
	}
	f.Val(v).Args = args
	return false
}

// hand widens what parameters held as f32 are given.
func (h *halver) hand(list, params []ir.V, origin int32) {
	for i, u := range list {
		if p := params[i]; h.holds(p) {
			list[i] = h.wide(u, origin)
		}
	}
}
