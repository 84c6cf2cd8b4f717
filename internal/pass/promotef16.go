package pass

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// promoteF16 is type promotion of f16 arithmetic to f32, as LLVM's type legalization
// does: operands are widened, which is exact, and the f32 result is rounded to f16.
// Engines without 16-bit arithmetic then convert each value once, and not at each
// use.
//
//	v3 = fmul.f16 v1, v2       v4 = fcvt.f32.f16 v1
//	                           v5 = fcvt.f32.f16 v2
//	                           v6 = fmul.f32 v4, v5
//	                           v3 = fcvt.f16.f32 v6
//
// Double rounding is harmless for sums, products, quotients and square roots:
// rounding to 24 ≥ 2·11+2 bits and then to 11 bits, or fewer for denormals, equals
// one rounding (Figueroa 1995). Two truncations equal one.
//
// Parameters of labels, and results of operations that do not round, are carried as
// f32 if no use sees the bits of a NaN, because conversions do not preserve them.
func promoteF16(_ *ir.Program, f *ir.Func) {
	h := &f16Promoter{f: f, edit: editor{f: f}, wider: map[ir.V]ir.V{}}
	if !h.any() {
		return
	}
	h.chooseHeld()
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

// f16Promoter is the state for one function.
type f16Promoter struct {
	f    *ir.Func
	edit editor
	code []ir.V

	held  []bool        // by value: an f16 that is carried as f32
	wider map[ir.V]ir.V // by f16 value: its f32 form
}

// rounds reports whether an operation rounds once and tolerates double rounding.
func rounds(op ir.Op) bool {
	return op.Family() == ir.FloatArithmetic && op != ir.FFma
}

// exact reports whether an operation on f16 numbers has the same result on f32, and
// that result is an f16 number.
func exact(op ir.Op) bool {
	return op.Is(ir.Selects) && op != ir.FFlush || op.Family() == ir.FloatIntegral
}

// numeric reports whether the result of an operation does not depend on the payload
// or sign of a NaN operand.
func numeric(op ir.Op) bool {
	return rounds(op) || op == ir.FCanon || op.Family() == ir.Comparisons || op.Row().On.Source() == ir.OnFloat
}

// any reports whether there is rounding arithmetic on f16.
func (h *f16Promoter) any() bool {
	for _, v := range h.f.Code {
		if x := h.f.Val(v); x.Type == ir.F16 && rounds(x.Op) {
			return true
		}
	}
	return false
}

// holds reports whether v is carried as f32.
func (h *f16Promoter) holds(v ir.V) bool { return int(v) < len(h.held) && h.held[v] }

// chooseHeld selects the values that are carried as f32. It is optimistic: all
// candidates, less those with a use that sees NaN bits, less the operands of those.
func (h *f16Promoter) chooseHeld() {
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
	from := make([][]ir.V, len(f.Vals)) // by carried value: the operands that must be carried for it
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

// reads calls yield for each operand u of v that v may see the bits of. by is the
// value that must be carried for u to be carried, or 0 if u cannot be.
func (h *f16Promoter) reads(v ir.V, yield func(u, by ir.V)) {
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

// emit places a new operation before the current one.
func (h *f16Promoter) emit(x ir.Val) ir.V {
	v := h.edit.float(x)
	h.code = append(h.code, v)
	return v
}

// wide returns u as f32.
func (h *f16Promoter) wide(u ir.V, origin int32) ir.V {
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

// narrow returns u as f16 if it is carried as f32.
func (h *f16Promoter) narrow(u ir.V, origin int32) ir.V {
	if !h.holds(u) {
		return u
	}
	return h.emit(ir.Val{Op: ir.FCvt, Type: ir.F16, Args: [4]ir.V{u}, Origin: origin})
}

// value rewrites v and its operands. It reports whether v has become the rounding of
// an f32.
func (h *f16Promoter) value(v ir.V) (rounded bool) {
	f := h.f
	now := *f.Val(v)
	args := now.Args
	n := now.Op.Args()
	switch {
	case now.Op == ir.Loop:
		h.widenArgs(f.Inits(v), f.Params(v), now.Origin)
		return false
	case now.Op == ir.Br:
		h.widenArgs(f.BrArgs(v), f.Params(now.Args[0]), now.Origin)
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
	case now.Op == ir.FToS, now.Op == ir.FToU, now.Op == ir.FCvt: // f32 operands are fine
	default:
		for i := range n {
			args[i] = h.narrow(args[i], now.Origin)
		}
	}
	f.Val(v).Args = args
	return false
}

// widenArgs widens the arguments of parameters that are carried as f32.
func (h *f16Promoter) widenArgs(list, params []ir.V, origin int32) {
	for i, u := range list {
		if p := params[i]; h.holds(p) {
			list[i] = h.wide(u, origin)
		}
	}
}
