package vectorize

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Aligned blocks
//
// If lane 0 of a strided value is a multiple of 2ᵃ and no lane is 2ᵃ or more away from it, all lanes have
// the same upper bits: they are in one block of 2ᵃ numbers. Workgroups copy tiles with such values:
//
//	e = local index + 256·i       base: a multiple of 16, as is 1024; 16 lanes
//	e < 1024                      uniform: the bound is between two blocks
//	e >> 4                        uniform
//	e & 15                        strided, step 1, from 0
//	e & 63                        strided, step 1, from base & 63
//
// The scalar operation on lane 0 yields the right result in every case. A shape that does not hold for a strip may
// hold for each part: then e >> 3 is one number in each part.
//
// The proof needs no range of the base: 2ᵃ divides 2³², so that no lane wraps around within a block, and a block lies on one side of
// 2³¹, so that signed and unsigned comparisons agree on it. Inactive lanes do not matter either: lane 0 of a
// strided value is the result of the scalar code, whether or not that lane is active.
//
// Uniform values have an alignment too, for bounds that are not constants, such as 16·n. It follows from the operands in each walk of
// the analysis. Uniform parameters of loops have none: to find it, more loops would need a second walk.

// allZero is the alignment of 0.
const allZero = 32

// zeros returns the alignment of a number.
func zeros(n uint64) uint8 { return uint8(min(bits.TrailingZeros64(n), allZero)) }

// partAlign returns the alignment of lane 0 of any part. The parts of a regular shape are partStep apart, so that this is at most
// the alignment of partStep.
func (x shape) partAlign() uint8 {
	if x.regular {
		return min(x.align, zeros(uint64(x.partStep)))
	}
	return x.align
}

// alignOf returns the alignment of an operand, which is strided or uniform.
func (s *divergence) alignOf(v ir.V) uint8 {
	if x := s.f.Val(v); x.Op == ir.Const {
		return zeros(x.Aux)
	}
	return s.of[v].align
}

// aligned returns the shape of the sum, difference or product x with its alignment.
func (s *divergence) aligned(to shape, x *ir.Val) shape {
	if to.kind != strided {
		return to
	}
	part := func(v ir.V) uint8 {
		if o := s.of[v]; !to.regular && o.kind == strided {
			return o.partAlign()
		}
		return s.alignOf(v)
	}
	a, b := part(x.Args[0]), part(x.Args[1])
	switch x.Op {
	case ir.Add, ir.Sub:
		to.align = min(a, b)
	case ir.Mul:
		to.align = min(a+b, allZero)
	case ir.Shl:
		to.align = min(a+uint8(s.f.Val(x.Args[1]).Aux&31), allZero)
	}
	return to
}

// uniformAlign returns the alignment of an operation on uniform values.
func (s *divergence) uniformAlign(x *ir.Val) uint8 {
	if x.Type != ir.I32 {
		return 0
	}
	switch x.Op {
	case ir.Add, ir.Sub, ir.Or, ir.Xor:
		return min(s.alignOf(x.Args[0]), s.alignOf(x.Args[1]))
	case ir.And:
		return max(s.alignOf(x.Args[0]), s.alignOf(x.Args[1]))
	case ir.Mul:
		return min(s.alignOf(x.Args[0])+s.alignOf(x.Args[1]), allZero)
	case ir.Shl:
		if k := s.f.Val(x.Args[1]); k.Op == ir.Const {
			return min(s.alignOf(x.Args[0])+uint8(k.Aux&31), allZero)
		}
	}
	return 0
}

// inBlock reports whether all lanes of a strided value are in one block of 2ᵏ numbers or less that begins
// with lane 0: all lanes of the strip, and all lanes of each part.
func (s *divergence) inBlock(x shape, k uint8) (strip, part bool) {
	if x.kind != strided || x.step > maxStep || x.partStep > maxStep {
		return false, false
	}
	within := uint64(x.step) * uint64(s.lanes-1)
	parts := (uint64(s.p.SubgroupSize) + uint64(s.lanes) - 1) / uint64(s.lanes)
	strip = x.regular && within+uint64(x.partStep)*(parts-1) < 1<<min(x.align, k)
	return strip, within < 1<<min(x.partAlign(), k)
}

// block returns the shape of an operation on a strided value that keeps or ignores the block of its lanes.
func (s *divergence) block(x *ir.Val) (shape, bool) {
	if x.Op.Args() != 2 || s.f.Type(x.Args[0]) != ir.I32 {
		return shape{}, false
	}
	switch x.Op {
	case ir.LShr, ir.AShr:
		if k := s.f.Val(x.Args[1]); k.Op == ir.Const {
			return uniformIf(s.inBlock(s.of[x.Args[0]], uint8(k.Aux&31)))
		}
	case ir.And:
		for i := range 2 {
			if k := s.f.Val(x.Args[i]); k.Op == ir.Const {
				return s.masked(s.of[x.Args[1-i]], k.Aux&x.Type.Mask())
			}
		}
	case ir.ULt, ir.SLt, ir.ULe, ir.SLe:
		strip, _ := s.comparesBlocks(x)
		return shape{}, strip
	}
	return shape{}, false
}

// uniformIf returns the shape of a value that is the same in all lanes of the strip, or of each part.
func uniformIf(strip, part bool) (shape, bool) {
	if strip {
		return shape{}, true
	}
	return shape{kind: strided}, part
}

// masked returns the shape of a strided value & m.
func (s *divergence) masked(x shape, m uint64) (shape, bool) {
	if low := zeros(m); low > 0 { // the lanes differ only in bits that m removes
		return uniformIf(s.inBlock(x, low))
	}
	if m&(m+1) != 0 {
		return shape{}, false
	}
	k := uint8(bits.Len64(m))
	strip, part := s.inBlock(x, k)
	switch {
	case !strip && !part:
		return shape{}, false
	case !strip:
		x = shape{kind: strided, step: x.step, align: x.partAlign()}
	}
	if x.align >= k {
		x.align = allZero
	}
	return x, true
}

// comparesBlocks reports whether a comparison of a strided with a uniform value has the same result in all
// lanes of the strip, or of each part: the bound is between two blocks.
func (s *divergence) comparesBlocks(x *ir.Val) (strip, part bool) {
	a, b := s.of[x.Args[0]], s.of[x.Args[1]]
	bound, first := x.Args[1], true
	if a.kind == uniform {
		a, b, bound, first = b, a, x.Args[0], false
	}
	if b.kind != uniform {
		return false, false
	}
	align := s.alignOf(bound)
	if first != (x.Op == ir.ULt || x.Op == ir.SLt) { // value <= bound, bound < value: the block after the bound
		k := s.f.Val(bound)
		if k.Op != ir.Const {
			return false, false
		}
		align = zeros(k.Aux + 1)
	}
	return s.inBlock(a, align)
}
