package pass

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// strength replaces operations on constants by cheaper ones that give the same
// bits, and moves constant distances from the offsets of accesses into their
// immediates.
func strength(_ *ir.Program, f *ir.Func) {
	r := enter()
	defer r.leave()
	s := &strengthener{f: f, edit: editor{f: f}, code: r.values.Alloc(len(f.Code))[:0]}
	for _, v := range f.Code {
		s.value(v)
		s.code = append(s.code, v)
	}
	f.Code = append(f.Code[:0], s.code...)
}

type strengthener struct {
	f    *ir.Func
	edit editor
	code []ir.V
	now  ir.Val // the operation that is replaced
}

// value looks at one operation. What it becomes keeps its number; what that
// needs stands before it.
func (s *strengthener) value(v ir.V) {
	x := s.f.Val(v)
	s.now = *x
	switch x.Op {
	case ir.Mul:
		s.multiply(v)
	case ir.FDiv:
		s.invert(v)
	case ir.NMin, ir.NMax:
		s.bound(v)
	case ir.At:
		s.distance(v)
	case ir.Ld, ir.St:
		s.access(v)
	default:
		switch x.Op.Family() {
		case ir.IntDivision:
			s.divide(v)
		case ir.Atomics:
			s.access(v)
		}
	}
}

// constant returns the bits of an operand, if it is a constant.
func (s *strengthener) constant(v ir.V) (uint64, bool) {
	x := s.f.Val(v)
	return x.Aux, x.Op == ir.Const
}

// emit places a new operation of the type that is replaced.
func (s *strengthener) emit(op ir.Op, x, y ir.V) ir.V {
	v := s.edit.float(ir.Val{Op: op, Type: s.now.Type, Args: [4]ir.V{x, y}, Origin: s.now.Origin})
	s.code = append(s.code, v)
	return v
}

func (s *strengthener) number(n uint64) ir.V { return s.edit.constant(s.now.Type, n) }

// become makes an operation of two operands of v.
func (s *strengthener) become(v ir.V, op ir.Op, x, y ir.V) {
	*s.f.Val(v) = ir.Val{Op: op, Type: s.now.Type, Args: [4]ir.V{x, y}, Origin: s.now.Origin}
}

// multiply: by a power of two it is a shift.
func (s *strengthener) multiply(v ir.V) {
	x, y := s.now.Args[0], s.now.Args[1]
	if _, ok := s.constant(x); ok {
		x, y = y, x
	}
	if n, ok := s.constant(y); ok && bits.OnesCount64(n) == 1 {
		s.become(v, ir.Shl, x, s.number(uint64(bits.TrailingZeros64(n))))
	}
}

// divide: by a power of two it is a shift or a mask; by other constants, where
// 32 bits are enough, a multiplication.
func (s *strengthener) divide(v ir.V) {
	n, ok := s.constant(s.now.Args[1])
	if !ok || n == 0 {
		return
	}
	x, w := s.now.Args[0], s.now.Type.Bits()
	k := uint64(bits.TrailingZeros64(n))
	power := bits.OnesCount64(n) == 1
	positive := n>>(w-1) == 0
	switch op := s.now.Op; {
	case op == ir.UDiv && power:
		s.become(v, ir.LShr, x, s.number(k))
	case op == ir.UMod && power, op == ir.SMod && power && positive:
		s.become(v, ir.And, x, s.number(n-1))
	case op == ir.UDiv && w == 32:
		s.quotient(v, x, n)
	case op == ir.UMod && w == 32:
		q := s.edit.float(ir.Val{})
		s.quotient(q, x, n)
		s.code = append(s.code, q)
		s.become(v, ir.Sub, x, s.emit(ir.Mul, q, s.number(n)))
	case (op == ir.SDiv || op == ir.SRem) && power && positive && k > 0:
		sign := s.emit(ir.AShr, x, s.number(uint64(w)-1))
		up := s.emit(ir.Add, x, s.emit(ir.LShr, sign, s.number(uint64(w)-k))) // n−1 more where x < 0: toward zero
		if op == ir.SDiv {
			s.become(v, ir.AShr, up, s.number(k))
		} else {
			s.become(v, ir.Sub, x, s.emit(ir.And, up, s.number(-n)))
		}
	}
}

// bound: of a number and a constant that is one, the least or greatest by nmin and
// nmax is that by fmin and fmax with the constant first, which a NaN then loses to.
// Not so where the constant is the zero that the other zero would win over.
func (s *strengthener) bound(v ir.V) {
	x, y := s.now.Args[0], s.now.Args[1]
	if _, ok := s.constant(x); ok {
		x, y = y, x
	}
	c, ok := s.constant(y)
	loser, op := uint64(0), ir.FMin
	if s.now.Op == ir.NMax {
		loser, op = 1<<(s.now.Type.Bits()-1), ir.FMax
	}
	if !ok || c == loser || isNaN(s.now.Type, c) {
		return
	}
	if in := s.f.Val(x); in.Op == ir.FCanon { // the bits of a NaN do not matter: it is not what comes out
		x = in.Args[0]
	}
	s.become(v, op, y, x)
}

// isNaN reports whether the bits of a float are no number.
func isNaN(t ir.Type, bits uint64) bool {
	inf := map[ir.Type]uint64{ir.F16: 0x7c00, ir.F32: 0x7f800000, ir.F64: 0x7ff0000000000000}[t]
	return bits&^(1<<(t.Bits()-1)) > inf
}

// quotient makes v = x/d, for a d that is no power of two.
//
// With m = ⌈2^(32+k)/d⌉ the high part of x·m, shifted by k, is ⌊x/d⌋ for all x
// below 2³² if m·d − 2^(32+k) ≤ 2^k (Granlund and Montgomery, Division by
// Invariant Integers using Multiplication, theorem 4.2). Where m needs 33 bits,
// its highest is added by hand: (t + x)/2 as t + (x−t)/2, which does not
// overflow since t ≤ x.
func (s *strengthener) quotient(v, x ir.V, d uint64) {
	if d > 1<<31 {
		once := s.edit.float(ir.Val{Op: ir.ULe, Type: ir.B1, Args: [4]ir.V{s.number(d), x}, Origin: s.now.Origin})
		s.code = append(s.code, once)
		*s.f.Val(v) = ir.Val{Op: ir.ZExt, Type: ir.I32, Args: [4]ir.V{once}, Origin: s.now.Origin}
		return
	}
	for k := uint64(0); ; k++ { // up to the k with 2^k ≥ d > 2^(k−1) at most: there m·d is less than d too large
		m := (1<<(32+k) + d - 1) / d
		if m*d-1<<(32+k) > 1<<k {
			continue
		}
		if m < 1<<32 {
			s.become(v, ir.LShr, s.emit(ir.UMulHi, x, s.number(m)), s.number(k))
			return
		}
		t := s.emit(ir.UMulHi, x, s.number(m-1<<32))
		half := s.emit(ir.LShr, s.emit(ir.Sub, x, t), s.number(1))
		s.become(v, ir.LShr, s.emit(ir.Add, t, half), s.number(k-1))
		return
	}
}

// invert: to divide by a power of two is to multiply by its inverse, where that
// is no denormal: both round the same exact number.
func (s *strengthener) invert(v ir.V) {
	x := s.f.Val(v)
	n, ok := s.constant(x.Args[1])
	if !ok {
		return
	}
	fraction := map[ir.Type]uint{ir.F16: 10, ir.F32: 23, ir.F64: 52}[x.Type]
	top := uint64(1)<<(uint(x.Type.Bits())-1-fraction) - 1 // the exponent of infinity
	e := n >> fraction & top
	if n&(1<<fraction-1) != 0 || e == 0 || e >= top-1 {
		return
	}
	sign := n >> (x.Type.Bits() - 1) << (x.Type.Bits() - 1)
	inverse := s.number(sign | (top-1-e)<<fraction)
	x = s.f.Val(v)
	x.Op, x.Args[1] = ir.FMul, inverse
}

// sum returns the base and the distance of an offset that is a constant
// distance from another; base 0 is 0.
func (s *strengthener) sum(off ir.V) (base ir.V, distance uint64, ok bool) {
	if n, ok := s.constant(off); ok {
		return 0, n, true
	}
	x := s.f.Val(off)
	if x.Op != ir.At {
		return 0, 0, false
	}
	i, ok := s.constant(x.Args[1])
	hi, lo := bits.Mul64(i, x.Aux)
	return x.Args[0], lo, ok && hi == 0 && lo < 1<<32
}

// distance makes one sum of two. Sums saturate, so that a sum of sums does so
// where the sum of all does.
func (s *strengthener) distance(v ir.V) {
	x := s.f.Val(v)
	i, ok := s.constant(x.Args[1])
	if !ok || i*x.Aux >= 1<<32 || i >= 1<<32 || x.Aux >= 1<<32 {
		return
	}
	base, more, ok := s.sum(x.Args[0])
	if n := i*x.Aux + more; ok && base != 0 && n < 1<<32 {
		far := s.edit.constant(ir.I32, n)
		x = s.f.Val(v)
		x.Args[0], x.Args[1], x.Aux = base, far, 1
	}
}

// access adds a constant distance to the immediate. Their sum is exact: where
// the offset alone saturates, the access is out of range either way.
func (s *strengthener) access(v ir.V) {
	x := s.f.Val(v)
	base, n, ok := s.sum(x.Args[1])
	if !ok || n == 0 || x.Aux+n >= 1<<32 {
		return
	}
	if base == 0 {
		base = s.edit.constant(ir.I32, 0)
		x = s.f.Val(v)
	}
	x.Args[1] = base
	x.Aux += n
}
