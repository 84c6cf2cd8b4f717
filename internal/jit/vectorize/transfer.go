package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Transfer functions of the divergence analysis
//
// The shape of a result follows from the shapes of the operands:
//
//	every operation on uniform values, unless lanes communicate or it reads private memory    uniform
//	strided ± strided or uniform, strided · constant, strided << constant                     strided
//	at U, i, #stride with uniform U and strided i; at of an address and a uniform index       address
//	strided >> k, strided & (2ᵏ−1), strided < uniform                                         see block.go
//	ballot, any, all, alleq, reduce of the whole subgroup                                     uniform
//	invocation IDs                                                                            see builtin
//	everything else                                                                           varying

// result returns the shape of the result of operation v.
func (s *divergence) result(v ir.V) shape {
	x := s.f.Val(v)
	if a, ok := s.assumed.clampOperand(v); ok {
		return s.of[a]
	}
	if s.assumed.quotient(v) {
		return shape{}
	}
	all := true
	for i := range x.Op.Args() {
		all = all && s.of[x.Args[i]].kind == uniform
	}
	if !all && s.assumed.remainder(v) {
		return s.remainder(x)
	}
	switch x.Op {
	case ir.In:
		return s.builtin(x)
	case ir.Any, ir.All, ir.AllEq, ir.Ballot, ir.Every:
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
	if !all {
		if c, ok := s.block(x); ok {
			return c
		}
	}
	if !all && x.Type == ir.I32 && s.uniformPartOp(x) {
		return shape{kind: strided}
	}
	if all && !x.Op.Is(ir.Meets) && !x.Op.Is(ir.Writes) && laneInvariant(x.Op) {
		return shape{align: s.uniformAlign(x)}
	}
	return shape{kind: varying}
}

// uniformPartOp reports whether general registers can compute x once for each part: the operands are
// uniform in each part.
func (s *divergence) uniformPartOp(x *ir.Val) bool {
	switch x.Op.Family() {
	case ir.Bitwise, ir.Shifts, ir.IntMinMax:
	default:
		if x.Op != ir.Mul {
			return false
		}
	}
	for i := range x.Op.Args() {
		if !s.of[x.Args[i]].uniformInPart() {
			return false
		}
	}
	return true
}

// laneInvariant reports whether lanes with equal operands get equal results.
func laneInvariant(op ir.Op) bool { return !op.Is(ir.DivergenceSource) }

// affine returns the shape of arithmetic on strided values, or varying.
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
			return shape{kind: address, step: b.step, stride: x.Aux} // each part has its own U
		case a.kind == address && b.kind == uniform && x.Aux <= maxStep:
			return a
		}
		return lost
	case a.kind > strided || b.kind > strided:
		return lost
	case x.Op == ir.Add:
		return s.aligned(a.plus(b, 1), x)
	case x.Op == ir.Sub:
		return s.aligned(a.plus(b, 1<<32-1), x)
	case x.Op == ir.Shl && constant:
		return s.aligned(shape{regular: true}.plus(a, 1<<(k&31)), x)
	case x.Op == ir.Mul && constant:
		return s.aligned(shape{regular: true}.plus(a, uint32(k)), x)
	case x.Op == ir.Mul && s.f.Val(x.Args[0]).Op == ir.Const:
		return s.aligned(shape{regular: true}.plus(b, uint32(s.f.Val(x.Args[0]).Aux)), x)
	}
	return lost
}

// builtin returns the shape of a built-in input. Invocations are numbered x first, so a part has
// one y and z if the width of the workgroup is a multiple of the lanes of a part. In a workgroup of one column y has the place of x.
func (s *divergence) builtin(x *ir.Val) shape {
	sem := s.p.In[x.Aux].Semantic
	if x.Type != ir.I32 {
		return shape{kind: varying}
	}
	strip := s.p.SubgroupSize
	next := shape{kind: strided, step: 1, regular: true, partStep: s.lanes}
	switch sem {
	case ir.SubgroupLocalInvocationId:
		next.align = allZero
		return next
	case ir.LocalInvocationIndex:
		next.align = zeros(uint64(strip)) // strips begin at multiples of their length
		return next
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		return s.coordinate(int(sem-ir.GlobalInvocationIdX), false)
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		return s.coordinate(int(sem-ir.LocalInvocationIdX), true)
	}
	return shape{}
}

// coordinate returns the shape of an invocation ID along an axis.
func (s *divergence) coordinate(axis int, local bool) shape {
	size, strip := s.p.LocalSize, s.p.SubgroupSize
	lead := 0 // the axis along which the invocations are numbered
	for lead < 2 && size[lead] == 1 {
		lead++
	}
	width, height := size[lead], uint32(1)
	if lead < 2 {
		height = size[lead+1]
	}
	runs, strips := width%s.lanes == 0, width%strip == 0
	one := width == s.lanes                                   // each part is one row
	planes := uint64(width)*uint64(height)%uint64(strip) == 0 // each strip is within one plane of rows
	next := shape{kind: strided, step: 1, regular: true, partStep: s.lanes}
	switch axis - lead {
	case 0:
		switch {
		case strips:
			if local {
				next.align = zeros(uint64(strip))
			}
			return next
		case runs:
			x := shape{kind: strided, step: 1, regular: one}
			if local && one {
				x.align = allZero
			} else if local {
				x.align = zeros(uint64(s.lanes))
			}
			return x
		}
	case 1:
		switch {
		case strips:
			return shape{}
		case one && planes:
			return shape{kind: strided, regular: true, partStep: 1}
		case runs:
			return shape{kind: strided}
		}
	case 2:
		switch {
		case strips, planes:
			return shape{}
		case runs:
			return shape{kind: strided}
		}
	default: // one number in the workgroup
		return shape{}
	}
	return shape{kind: varying}
}
