package pass

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// reduceStrength is strength reduction of operations with a constant operand: it
// replaces them by cheaper ones with the same bits (Granlund and Montgomery 1994;
// Warren 2013).
//
//	v2 = udiv.i32 v1, 10:i32       v3 = umulhi.i32 v1, 3435973837:i32
//	                               v2 = lshr.i32 v3, 3:i32
//
// It also folds constant parts of offsets into the immediates of accesses, as
// address-mode selection does in other compilers; here before CSE, so that accesses
// to the fields of one struct share an offset.
func reduceStrength(p *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	s := &strengthReducer{p: p, f: f, edit: editor{f: f}, code: r.values.Alloc(len(f.Code))[:0]}
	for _, v := range f.Code {
		s.value(v)
		s.code = append(s.code, v)
	}
	f.Code = append(f.Code[:0], s.code...)
}

// strengthReducer walks the code once.
type strengthReducer struct {
	p    *ir.Program
	f    *ir.Func
	edit editor
	code []ir.V
	now  ir.Val // the operation that is being replaced
}

// value processes one operation. Its replacement has the same number; the operations
// that the replacement needs are placed before it.
func (s *strengthReducer) value(v ir.V) {
	x := s.f.Val(v)
	s.now = *x
	switch x.Op {
	case ir.Mul:
		s.multiply(v)
	case ir.Trunc:
		s.narrow(v)
	case ir.FDiv:
		s.multiplyByReciprocal(v)
	case ir.NMin, ir.NMax:
		s.minMax(v)
	case ir.At:
		s.foldOffset(v)
	case ir.Ld, ir.St:
		s.foldImmediate(v)
	default:
		switch x.Op.Family() {
		case ir.IntDivision:
			s.divide(v)
		case ir.Atomics:
			s.foldImmediate(v)
		}
	}
}

// constant returns the bits of v. ok is false if v is not a constant.
func (s *strengthReducer) constant(v ir.V) (uint64, bool) {
	x := s.f.Val(v)
	return x.Aux, x.Op == ir.Const
}

// emit places a new operation of the current operation's type.
func (s *strengthReducer) emit(op ir.Op, x, y ir.V) ir.V {
	v := s.edit.float(ir.Val{Op: op, Type: s.now.Type, Args: [4]ir.V{x, y}, Origin: s.now.Origin})
	s.code = append(s.code, v)
	return v
}

// number returns a constant of the current operation's type.
func (s *strengthReducer) number(n uint64) ir.V { return s.edit.constant(s.now.Type, n) }

// become turns v into another binary operation.
func (s *strengthReducer) become(v ir.V, op ir.Op, x, y ir.V) {
	*s.f.Val(v) = ir.Val{Op: op, Type: s.now.Type, Args: [4]ir.V{x, y}, Origin: s.now.Origin}
}

// multiply replaces a multiplication by a power of two by a shift. Vector multiplication has a
// latency of 10 cycles on Intel (VPMULLD), a shift has one.
func (s *strengthReducer) multiply(v ir.V) {
	x, y := s.now.Args[0], s.now.Args[1]
	if _, ok := s.constant(x); ok {
		x, y = y, x
	}
	if n, ok := s.constant(y); ok && bits.OnesCount64(n) == 1 {
		s.become(v, ir.Shl, x, s.number(uint64(bits.TrailingZeros64(n))))
	}
}

// narrow computes the low 32 bits of a number of 64 bits from its operands' low bits: a vector of 64-bit lanes takes two registers, and
// the divergence analysis knows the shapes of numbers of 32 bits.
//
//	v2 = zext.i64.i32 v1        v2 = shl.i32 v1, 2:i32
//	v3 = shl.i64 v2, 2:i64      v5 = add.i32 v2, 4:i32
//	v4 = add.i64 v3, 4:i64
//	v5 = trunc.i32.i64 v4
func (s *strengthReducer) narrow(v ir.V) {
	x := s.now.Args[0]
	if s.now.Type != ir.I32 || s.f.Type(x) != ir.I64 {
		return
	}
	const most = 8
	left := most
	if !s.narrows(x, &left) {
		return
	}
	n := s.narrowed(x)
	if y := s.f.Val(n); y.Op != ir.Const && y.Op.Args() > 0 && len(s.code) > 0 && s.code[len(s.code)-1] == n {
		// The last operation takes the place of the truncation.
		s.code = s.code[:len(s.code)-1]
		*s.f.Val(v) = *y
		return
	}
	s.become(v, ir.Or, n, s.number(0))
}

// narrows reports whether the low half of a number is computed by at most left operations that need no truncation.
func (s *strengthReducer) narrows(v ir.V, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	v, _ = s.peel(v)
	switch x := s.f.Val(v); x.Op {
	case ir.Const:
		return true
	case ir.ZExt, ir.SExt:
		return s.f.Type(x.Args[0]) == ir.I32
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		return s.narrows(x.Args[0], left) && s.narrows(x.Args[1], left)
	case ir.Shl:
		n, ok := s.constant(x.Args[1])
		return ok && n < 32 && s.narrows(x.Args[0], left)
	}
	return false
}

// narrowed returns the low half of a number for which narrows is true.
func (s *strengthReducer) narrowed(v ir.V) ir.V {
	base, n := s.peel(v)
	if base != v && uint32(n) == 0 {
		return s.narrowed(base)
	}
	if base != v {
		return s.emit(ir.Add, s.narrowed(base), s.number(n))
	}
	x := *s.f.Val(v)
	switch x.Op {
	case ir.Const:
		return s.number(x.Aux)
	case ir.ZExt, ir.SExt:
		return x.Args[0]
	case ir.Shl:
		n, _ := s.constant(x.Args[1])
		return s.emit(ir.Shl, s.narrowed(x.Args[0]), s.number(n))
	}
	a := s.narrowed(x.Args[0])
	return s.emit(x.Op, a, s.narrowed(x.Args[1]))
}

// divide replaces a division by a power of two by a shift or mask, and other 32-bit
// unsigned divisions by multiplications.
func (s *strengthReducer) divide(v ir.V) {
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
	// Example: −7/4 is −1, but −7 >> 2 is −2; adding 3 to negative numbers first yields −4 >> 2 =
	// −1.
	case (op == ir.SDiv || op == ir.SRem) && power && positive && k > 0:
		sign := s.emit(ir.AShr, x, s.number(uint64(w)-1))
		up := s.emit(ir.Add, x, s.emit(ir.LShr, sign, s.number(uint64(w)-k))) // n−1 more if x < 0, to round toward zero
		if op == ir.SDiv {
			s.become(v, ir.AShr, up, s.number(k))
		} else {
			s.become(v, ir.Sub, x, s.emit(ir.And, up, s.number(-n)))
		}
	}
}

// minMax replaces nmin(x, c) by fmin(c, x), and nmax by fmax, which are one machine
// instruction. A NaN x loses to a c in the first position. If c is +0 for nmin, or
// −0 for nmax, the result could be the other zero, so the operation stays.
func (s *strengthReducer) minMax(v ir.V) {
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
	if in := s.f.Val(x); in.Op == ir.FCanon { // a NaN is never the result, so its bits do not matter
		x = in.Args[0]
	}
	s.become(v, op, y, x)
}

// isNaN reports whether the bits of a float of type t are a NaN.
func isNaN(t ir.Type, bits uint64) bool {
	inf := map[ir.Type]uint64{ir.F16: 0x7c00, ir.F32: 0x7f800000, ir.F64: 0x7ff0000000000000}[t]
	return bits&^(1<<(t.Bits()-1)) > inf
}

// quotient makes v = x/d for a d that is not a power of two.
//
// With m = ⌈2^(32+k)/d⌉ the high half of x·m, shifted right by k, is ⌊x/d⌋ for all
// x < 2³² if m·d − 2^(32+k) ≤ 2^k (Granlund and Montgomery 1994, theorem 4.2). If m
// needs 33 bits, t is the high half of x·(m − 2³²), and (t + x)/2 is computed as
// t + (x−t)/2, which does not overflow because t ≤ x.
func (s *strengthReducer) quotient(v, x ir.V, d uint64) {
	if d > 1<<31 {
		once := s.edit.float(ir.Val{Op: ir.ULe, Type: ir.B1, Args: [4]ir.V{s.number(d), x}, Origin: s.now.Origin})
		s.code = append(s.code, once)
		*s.f.Val(v) = ir.Val{Op: ir.ZExt, Type: ir.I32, Args: [4]ir.V{once}, Origin: s.now.Origin}
		return
	}
	for k := uint64(0); ; k++ { // ends at the latest at the k with 2^(k−1) < d ≤ 2^k, since m·d − 2^(32+k) < d
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

// multiplyByReciprocal replaces a division by a power of two by a multiplication, if the reciprocal
// is not denormal. Both round the same exact number. For example x/8 becomes x·0.125. The reciprocal
// of another number is rounded, and the product would round a second time.
func (s *strengthReducer) multiplyByReciprocal(v ir.V) {
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
	// 2^(e−bias) has the reciprocal 2^(bias−e); with bias = (top−1)/2 its exponent field is top − 1
	// − e.
	inverse := s.number(sign | (top-1-e)<<fraction)
	x = s.f.Val(v)
	x.Op, x.Args[1] = ir.FMul, inverse
}

// sum splits an offset into a base and a constant distance. Base 0 means that the
// whole offset is constant. ok is false if there is no constant part.
func (s *strengthReducer) sum(off ir.V) (base ir.V, distance uint64, ok bool) {
	if n, ok := s.constant(off); ok {
		return 0, n, true
	}
	// A sum that does not wrap is in range exactly if the access with the constant as immediate is.
	if base, n := s.peel(off); base != off && uint64(numberBound(s.p, s.f, base, boundDepth))+uint64(uint32(n)) <= math.MaxUint32 {
		return base, uint64(uint32(n)), true
	}
	x := s.f.Val(off)
	if x.Op != ir.At {
		return 0, 0, false
	}
	i, ok := s.constant(x.Args[1])
	hi, lo := bits.Mul64(i, x.Aux)
	return x.Args[0], lo, ok && hi == 0 && lo < 1<<32
}

// maxPeeled bounds the additions of one sum.
const maxPeeled = 64

// peel splits a number into another one and a constant that is added to it, modulo 2ⁿ.
func (s *strengthReducer) peel(v ir.V) (base ir.V, n uint64) {
	for range maxPeeled {
		x := s.f.Val(v)
		if x.Op != ir.Add {
			break
		}
		if k, ok := s.constant(x.Args[1]); ok {
			v, n = x.Args[0], n+k
		} else if k, ok := s.constant(x.Args[0]); ok {
			v, n = x.Args[1], n+k
		} else {
			break
		}
	}
	return v, n
}

// foldOffset merges two nested at operations. Both saturate, so they saturate
// together if and only if the merged one does.
func (s *strengthReducer) foldOffset(v ir.V) {
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

// foldImmediate moves a constant distance from the offset to the immediate, which is added without
// saturation. If the offset saturates, the access is out of range either way.
//
//	v2 = at v1, 3, #4        v1 + 12
//	v3 = ld b, v2, #0   →    ld b, v1, #12
func (s *strengthReducer) foldImmediate(v ir.V) {
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
