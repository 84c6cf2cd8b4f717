package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// result is the shape of what an operation yields.
func (s *divergence) result(v ir.V) shape {
	x := s.f.Val(v)
	if a, ok := s.assumed.clampOperand(v); ok {
		return s.of[a]
	}
	all := true
	for i := range x.Op.Args() {
		all = all && s.of[x.Args[i]].kind == uniform
	}
	switch x.Op {
	case ir.In:
		return s.builtin(x)
	case ir.Any, ir.All, ir.AllEq, ir.Ballot:
		return shape{}
	case ir.Reduce:
		if x.Aux>>8 == 0 {
			return shape{}
		}
		return shape{kind: varying}
	case ir.Add, ir.Sub, ir.Mul, ir.Shl, ir.At:
		if all {
			break
		}
		if c := s.affine(x); c.kind != varying {
			return c
		}
	}
	if !all && x.Type == ir.I32 && s.uniformPartOp(x) {
		return shape{kind: strided}
	}
	if all && !x.Op.Is(ir.Meets) && !x.Op.Is(ir.Writes) && laneInvariant(x.Op) {
		return shape{}
	}
	return shape{kind: varying}
}

// uniformPartOp reports whether an operation that general registers compute has
// operands that are the same within each part.
func (s *divergence) uniformPartOp(x *ir.Val) bool {
	switch x.Op {
	case ir.Mul, ir.And, ir.Or, ir.Xor, ir.Not, ir.Shl, ir.LShr, ir.AShr, ir.UMin, ir.UMax, ir.SMin, ir.SMax:
	default:
		return false
	}
	for i := range x.Op.Args() {
		if !s.of[x.Args[i]].uniformInPart() {
			return false
		}
	}
	return true
}

// laneInvariant reports whether the lanes of an operation get the same from the same
// operands.
func laneInvariant(op ir.Op) bool {
	return !op.Is(ir.DivergenceSource) && op != ir.Region && op != ir.RegionOff // which Go computes for each lane
}

// affine is the shape of arithmetic on rows.
func (s *divergence) affine(x *ir.Val) shape {
	lost := shape{kind: varying}
	a, b := s.of[x.Args[0]], s.of[x.Args[1]]
	k, constant := s.f.Val(x.Args[1]).Aux, s.f.Val(x.Args[1]).Op == ir.Const
	switch {
	case x.Type != ir.I32:
		return lost
	case x.Op == ir.At:
		switch {
		case a.kind == uniform && b.kind == strided && b.step <= maxStep && x.Aux > 0 && x.Aux <= maxStep:
			return shape{kind: address, step: b.step, stride: x.Aux, regular: b.regular, partStep: b.partStep}
		case a.uniformInPart() && b.kind == strided && b.step > 0 && b.step <= maxStep && x.Aux > 0 && x.Aux <= maxStep:
			return shape{kind: address, step: b.step, stride: x.Aux} // each part has a U of its own
		case a.kind == address && b.kind == uniform && x.Aux <= maxStep:
			return a
		}
		return lost
	case a.kind > strided || b.kind > strided:
		return lost
	case x.Op == ir.Add:
		return a.plus(b, 1)
	case x.Op == ir.Sub:
		return a.plus(b, 1<<32-1)
	case x.Op == ir.Shl && constant:
		return shape{regular: true}.plus(a, 1<<(k&31))
	case x.Op == ir.Mul && constant:
		return shape{regular: true}.plus(a, uint32(k))
	case x.Op == ir.Mul && s.f.Val(x.Args[0]).Op == ir.Const:
		return shape{regular: true}.plus(b, uint32(s.f.Val(x.Args[0]).Aux))
	}
	return lost
}

// builtin is the shape of a built-in. A part lies within one row of the
// workgroup where the rows' length is a multiple of its lanes.
func (s *divergence) builtin(x *ir.Val) shape {
	sem := s.p.In[x.Aux].Semantic
	if x.Type != ir.I32 {
		return shape{kind: varying}
	}
	width, strip := s.p.LocalSize[0], s.p.SubgroupSize
	rows, strips := width%s.lanes == 0, width%strip == 0
	one := width == s.lanes                                             // each part is a row
	planes := uint64(width)*uint64(s.p.LocalSize[1])%uint64(strip) == 0 // no strip goes on in the next plane
	next := shape{kind: strided, step: 1, regular: true, partStep: s.lanes}
	switch sem {
	case ir.LocalInvocationIndex, ir.SubgroupLocalInvocationId:
		return next
	case ir.GlobalInvocationIdX, ir.LocalInvocationIdX:
		switch {
		case strips:
			return next
		case rows:
			return shape{kind: strided, step: 1, regular: one}
		}
	case ir.GlobalInvocationIdY, ir.LocalInvocationIdY:
		switch {
		case strips:
			return shape{}
		case one && planes:
			return shape{kind: strided, regular: true, partStep: 1}
		case rows:
			return shape{kind: strided}
		}
	case ir.GlobalInvocationIdZ, ir.LocalInvocationIdZ:
		switch {
		case strips, planes:
			return shape{}
		case rows:
			return shape{kind: strided}
		}
	default:
		return shape{}
	}
	return shape{kind: varying}
}
