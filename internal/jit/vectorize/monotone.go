package vectorize

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Monotone values
//
// Kernels over tensors and images split an index into coordinates, by divisions, by shifts, or by high products with a reciprocal. The
// index ascends from lane to lane, and so does each quotient, slowly: in nearly all strips it is the same in all lanes, and the
// remainder ascends as the index does. The speculative version assumes that (speculate.go), so that quotients are scalars and
// remainders stay strided.
//
//	vh = umulhi.i32 vi, vm          first = (umulhi(vi.lane0, vm) + vi.lane0) >> vk
//	vs = add.i32 vh, vi        →    last  = the same of vi.lane0 + 15
//	vq = lshr.i32 vs, vk            guard first = last; vq is first, and uniform
//	vr = umod.i32 vi, vn            guard vi.lane0 % vn + 15 < vn; vr is strided, as vi is
//
// A value is monotone if its results never decrease from lane to lane. The first and the last lane of a monotone value then bound all
// lanes. Overflow breaks the order. A guard excludes overflow of an index. A sum may overflow if only right shifts use it, and no sum uses
// the shifts. The sum grows by less than 2³¹ over a strip (maxSpan). So a sum that overflows has bit 31 set in the first lane and clear in the
// last lane. The shifted values then differ, or all lanes hold 0, and the comparison of the two lanes decides. Within a second sum it would
// not: one term can lose as much as the other one gains.

// Limits of monotone values: operations of one value, and the growth from the first to the last lane of an index.
const (
	maxMonotone = 8
	maxSpan     = 1 << 27
)

// likelyShare is the greatest growth of a quotient over a strip that still counts as the same value in nearly all strips: a quotient that
// grows by a quarter differs in the last lane of one strip in four.
const likelyShare = 0.25

// span returns how much more the last lane of a strip holds than the first one, for an ascending value whose parts form one sequence.
func (s *divergence) span(x shape) uint32 {
	parts := (s.p.SubgroupSize + s.lanes - 1) / s.lanes
	return x.step*(s.lanes-1) + x.partStep*(parts-1)
}

// index reports whether v ascends in all lanes of a strip unless it wraps around. The strips of part-major code have so many lanes
// that few have one quotient.
func (s *divergence) index(v ir.V) bool {
	x := s.of[v]
	return s.p.SubgroupSize <= maxMerged && s.f.Type(v) == ir.I32 && x.ascending() && x.regular && s.span(x) < maxSpan
}

// growth returns how much a monotone value grows over a strip if that is known, else 0: an unknown divisor is likely to be great.
// It returns false if v is not known to be monotone. sums allows v to be a sum, because only right shifts follow, or is a term of one;
// budget counts the operations that may still be visited.
func (s *divergence) growth(v ir.V, sums bool, budget *int) (float64, bool) {
	switch {
	case s.of[v].kind == uniform:
		return 0, true
	case s.index(v):
		return float64(s.span(s.of[v])), true
	}
	x := s.f.Val(v)
	if *budget--; *budget < 0 || x.Type != ir.I32 {
		return 0, false
	}
	a, b := x.Args[0], x.Args[1]
	switch x.Op {
	case ir.LShr, ir.UDiv:
		n, ok := s.growth(a, sums && x.Op == ir.LShr, budget)
		return n * s.shrinks(x.Op, b), ok && s.of[b].kind == uniform
	case ir.UMulHi:
		if s.of[a].kind == uniform {
			a, b = b, a
		}
		n, ok := s.growth(a, false, budget)
		return n * s.shrinks(x.Op, b), ok && s.of[b].kind == uniform
	case ir.Sub: // x − umulhi(x, k), as in the division by a constant: the product grows no faster than x
		y := s.f.Val(b)
		n, ok := s.growth(a, false, budget)
		return n, ok && y.Op == ir.UMulHi && (y.Args[0] == a && s.of[y.Args[1]].kind == uniform || y.Args[1] == a && s.of[y.Args[0]].kind == uniform)
	case ir.Add:
		n, first := s.growth(a, s.f.Val(a).Op == ir.Add, budget)
		m, second := s.growth(b, s.f.Val(b).Op == ir.Add, budget)
		return n + m, sums && first && second
	}
	return 0, false
}

// shrinks returns the factor by which a shift, quotient or high product with a constant reduces a growth; it is 0 for an unknown operand.
func (s *divergence) shrinks(op ir.Op, by ir.V) float64 {
	x := s.f.Val(by)
	if x.Op != ir.Const {
		return 0
	}
	switch op {
	case ir.LShr:
		return 1 / float64(uint64(1)<<(x.Aux&31))
	case ir.UMulHi:
		return float64(x.Aux) / (math.MaxUint32 + 1)
	}
	return 1 / float64(max(x.Aux, 1))
}

// likelyUniform reports whether v is a quotient that is the same in all lanes of nearly all strips, as one comparison shows.
func (s *divergence) likelyUniform(v ir.V) bool {
	x := s.f.Val(v)
	switch {
	case x.Type != ir.I32 || s.of[v].kind != varying:
		return false
	case x.Op == ir.SDiv: // of numbers that are not negative
		return s.index(x.Args[0]) && s.of[x.Args[1]].kind == uniform && s.likelyDivisor(x)
	case x.Op == ir.UMulHi: // with a constant: a reciprocal without its shift says nothing about the divisor
		if s.f.Val(x.Args[0]).Op != ir.Const && s.f.Val(x.Args[1]).Op != ir.Const {
			return false
		}
	case x.Op != ir.LShr && x.Op != ir.UDiv:
		return false
	}
	budget := maxMonotone
	n, ok := s.growth(v, true, &budget)
	return ok && n <= likelyShare
}

// likelyStrided reports whether v is a remainder of an index that ascends as the index does in nearly all strips, or a shift of one by
// bits that no lane changes.
func (s *divergence) likelyStrided(v ir.V) bool {
	x := s.f.Val(v)
	if x.Type != ir.I32 || s.of[v].kind != varying {
		return false
	}
	switch x.Op {
	case ir.UMod, ir.SRem, ir.SMod:
		return s.index(x.Args[0]) && s.of[x.Args[1]].kind == uniform && s.likelyDivisor(x)
	case ir.And: // with an unknown number: the remainder of a division by one more, which is a power of two
		index, by := s.maskedIndex(x)
		return s.index(index) && s.of[index].step > 0 && s.of[by].kind == uniform && s.f.Val(by).Op != ir.Const
	case ir.LShr:
		by := s.f.Val(x.Args[1])
		from := s.of[x.Args[0]]
		return by.Op == ir.Const && s.index(x.Args[0]) && from.step > 0 && (from.step|from.partStep)&(1<<(by.Aux&31)-1) == 0
	}
	return false
}

// remainder returns the shape of a value that likelyStrided reports.
func (s *divergence) remainder(x *ir.Val) shape {
	index, _ := s.maskedIndex(x)
	to := s.of[index]
	to.align = 0
	if x.Op == ir.LShr {
		k := s.f.Val(x.Args[1]).Aux & 31
		to.step, to.partStep = to.step>>k, to.partStep>>k
	}
	return to
}

// maskedIndex returns the index and the other operand of an operation that likelyStrided reports. And has them in either order.
func (s *divergence) maskedIndex(x *ir.Val) (index, by ir.V) {
	if x.Op == ir.And && s.of[x.Args[0]].kind == uniform {
		return x.Args[1], x.Args[0]
	}
	return x.Args[0], x.Args[1]
}

// likelyDivisor reports whether the divisor of an index is unknown, or great enough for nearly all strips to have one quotient.
func (s *divergence) likelyDivisor(x *ir.Val) bool {
	return float64(s.span(s.of[x.Args[0]]))*s.shrinks(ir.UDiv, x.Args[1]) <= likelyShare
}
