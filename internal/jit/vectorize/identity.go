package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// identity makes a built-in that says which of the workgroup's invocations a
// lane is, which is known where all subgroups are one stream, and its index where there
// is but one. It reports whether it did.
func (w *widener) identity(v ir.V) bool {
	x, s := w.src.Val(v), w.shapes.of[v]
	if x.Op == ir.In && w.group == nil && w.over == 0 && w.p.In[x.Aux].Semantic == ir.LocalInvocationIndex && w.p.Subgroups() == 1 {
		w.fixed(v, s, func(part int) uint32 { return uint32(part * w.dst.Form.Lanes) })
		return true
	}
	if x.Op != ir.In || w.group == nil || x.Type != ir.I32 || s.kind > row && w.index == 0 {
		return false
	}
	lanes := uint32(w.dst.Form.Lanes)
	subgroup := uint32(w.first / w.parts)
	index := func(part int) uint32 { return subgroup*w.p.SubgroupSize + uint32(part)*lanes }
	local := func(part, i int) uint32 {
		at, size := index(part), w.p.LocalSize
		return [3]uint32{at % size[0], at / size[0] % size[1], at / size[0] / size[1]}[i]
	}
	sem := w.p.In[x.Aux].Semantic
	switch sem {
	case ir.NumSubgroups, ir.SubgroupLocalInvocationId:
	default:
		if w.index != 0 && sem.Rate() > ir.PerGroup {
			w.identityInTurn(v, s, sem)
			return true
		}
	}
	switch sem {
	case ir.SubgroupId:
		w.fixed(v, s, func(int) uint32 { return subgroup })
	case ir.NumSubgroups:
		w.fixed(v, s, func(int) uint32 { return w.p.Subgroups() })
	case ir.SubgroupLocalInvocationId:
		w.fixed(v, s, func(part int) uint32 { return uint32(part) * lanes })
	case ir.LocalInvocationIndex:
		w.fixed(v, s, index)
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		w.fixed(v, s, func(part int) uint32 { return local(part, int(sem-ir.LocalInvocationIdX)) })
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		w.global(v, s, func(part int) uint32 { return local(part, int(sem-ir.GlobalInvocationIdX)) })
	default:
		return false
	}
	return true
}

// fixed makes v what its first lanes always hold in each part.
func (w *widener) fixed(v ir.V, s shape, first func(part int) uint32) {
	x := w.newValue()
	w.values[v] = x
	for p := range w.parts {
		at := first(p)
		if s.step == 0 {
			x.vec = append(x.vec, w.dst.NewConst(vcode.Vec, uint64(at)))
		} else {
			x.vec = append(x.vec, w.dst.NewSequence(at, s.step))
		}
		x.rows = append(x.rows, w.dst.NewConst(vcode.Gen, uint64(at)))
	}
	if s.kind == uniform {
		x.vec, x.gen, x.rows = w.all(x.vec[0]), x.rows[0], nil
		return
	}
	if s.regular {
		x.rows = w.all(x.rows[0])
	}
	w.words(v, x)
}

// global makes a coordinate among all workgroups of what its first lanes have in
// theirs.
func (w *widener) global(v ir.V, s shape, first func(part int) uint32) {
	x, in := w.value(v), w.src.Val(v)
	start := w.group.start[in.Aux]
	add := func(part int) vcode.Reg {
		at := first(part)
		if at == 0 {
			return start
		}
		r := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{
			Op: vcode.Scalar, IR: ir.Add, Key: ir.Key{Type: ir.I32, From: ir.I32},
			Defs: []vcode.Reg{r}, Uses: []vcode.Reg{start, w.dst.NewConst(vcode.Gen, uint64(at))},
		})
		return r
	}
	if s.kind == uniform {
		x.gen = add(0)
		w.broadcast(v, x)
		return
	}
	for p := range w.apart(s) {
		x.rows[p] = add(p)
	}
	if s.regular {
		x.rows = w.all(x.rows[0])
	}
	w.words(v, x)
	w.lanes(v, vcode.Inst{Op: vcode.Lane, IR: in.Op, Key: w.src.Key(v), Value: v})
}

// starts makes what the first invocation of the workgroup has of the built-ins
// that differ between workgroups.
func (g *workgroup) starts(p *ir.Program) {
	for i, in := range p.In {
		g.start = append(g.start, 0)
		switch in.Semantic {
		case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
			g.start[i] = g.dst.NewReg(vcode.Gen)
			g.emit(vcode.Inst{Op: vcode.InputBase, IR: ir.In, Key: ir.Key{Type: in.Type, Aux: uint64(i)}, Defs: g.start[i:]})
		}
	}
}

// folded returns a register for what a Scalar or RowBase of constants yields.
func (w *widener) folded(in *vcode.Inst) (vcode.Reg, bool) {
	var k [3]uint64
	if len(in.Uses) == 0 || len(in.Uses) > len(k) {
		return 0, false
	}
	for i, u := range in.Uses {
		bits, ok := w.dst.Const(u)
		if !ok {
			return 0, false
		}
		k[i] = bits
	}
	if in.Op == vcode.StridedBase {
		return w.dst.NewConst(vcode.Gen, k[0]+k[1]*uint64(in.Stride)), true
	}
	eval := in.IR.Row().Eval
	if eval == nil || in.Key.Type == ir.H {
		return 0, false
	}
	return w.dst.NewConst(vcode.Gen, eval(in.Key, k[0], k[1], k[2])), true
}
