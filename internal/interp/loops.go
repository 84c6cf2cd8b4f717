package interp

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// The handlers of operations that have a value function. The frequent ones are loops over the
// active lanes into which the compiler inlines the function of package scalar that is in the
// row of package ir too. All others call the row's function for each lane.

// valueHandler returns the handler of an operation with a value function.
func valueHandler(k ir.Key) handler {
	t := k.Type
	if t == ir.B1 {
		t = k.From // a comparison
	}
	switch {
	case t == ir.I32:
		return (*subgroup).words
	case t == ir.F32 && k.Flags&ir.RTZ == 0:
		return (*subgroup).floats
	}
	return (*subgroup).anyWidth
}

// words runs operations on integers of 32 bits.
func (s *subgroup) words(in *inst) {
	dst, x, y := s.reg(in.dst), s.reg(in.x), s.reg(in.y)
	switch in.op {
	case ir.Add:
		for _, i := range s.active() {
			dst[i] = scalar.Add(32, x[i], y[i])
		}
	case ir.Sub:
		for _, i := range s.active() {
			dst[i] = scalar.Sub(32, x[i], y[i])
		}
	case ir.Mul:
		for _, i := range s.active() {
			dst[i] = scalar.Mul(32, x[i], y[i])
		}
	case ir.Not:
		for _, i := range s.active() {
			dst[i] = scalar.Not(32, x[i])
		}
	case ir.Shl:
		for _, i := range s.active() {
			dst[i] = scalar.Shl(32, x[i], y[i])
		}
	case ir.LShr:
		for _, i := range s.active() {
			dst[i] = scalar.LShr(32, x[i], y[i])
		}
	case ir.AShr:
		for _, i := range s.active() {
			dst[i] = scalar.AShr(32, x[i], y[i])
		}
	case ir.SMin:
		for _, i := range s.active() {
			dst[i] = scalar.SMin(32, x[i], y[i])
		}
	case ir.SMax:
		for _, i := range s.active() {
			dst[i] = scalar.SMax(32, x[i], y[i])
		}
	case ir.SLt:
		for _, i := range s.active() {
			dst[i] = truth(scalar.SLt(32, x[i], y[i]))
		}
	case ir.SLe:
		for _, i := range s.active() {
			dst[i] = truth(scalar.SLe(32, x[i], y[i]))
		}
	default:
		s.anyWidth(in)
	}
}

// floats runs operations on floats of 32 bits that round to nearest.
func (s *subgroup) floats(in *inst) {
	dst, x, y := s.reg(in.dst), s.reg(in.x), s.reg(in.y)
	switch in.op {
	case ir.FAdd:
		for _, i := range s.active() {
			dst[i] = scalar.Bits32(scalar.F32(x[i]) + scalar.F32(y[i]))
		}
	case ir.FSub:
		for _, i := range s.active() {
			dst[i] = scalar.Bits32(scalar.F32(x[i]) - scalar.F32(y[i]))
		}
	case ir.FMul:
		for _, i := range s.active() {
			dst[i] = scalar.Bits32(scalar.F32(x[i]) * scalar.F32(y[i]))
		}
	case ir.FDiv:
		for _, i := range s.active() {
			dst[i] = scalar.Bits32(scalar.F32(x[i]) / scalar.F32(y[i]))
		}
	case ir.FFma:
		z := s.reg(in.z)
		for _, i := range s.active() {
			dst[i] = scalar.FFma(32, false, x[i], y[i], z[i])
		}
	case ir.FNeg:
		for _, i := range s.active() {
			dst[i] = scalar.FNeg(32, x[i])
		}
	case ir.FAbs:
		for _, i := range s.active() {
			dst[i] = scalar.FAbs(32, x[i])
		}
	case ir.FMin:
		for _, i := range s.active() {
			dst[i] = x[i]
			if scalar.F32(y[i]) < scalar.F32(x[i]) {
				dst[i] = y[i]
			}
		}
	case ir.FMax:
		for _, i := range s.active() {
			dst[i] = x[i]
			if scalar.F32(x[i]) < scalar.F32(y[i]) {
				dst[i] = y[i]
			}
		}
	case ir.FEq:
		for _, i := range s.active() {
			dst[i] = truth(scalar.F32(x[i]) == scalar.F32(y[i]))
		}
	case ir.FLt:
		for _, i := range s.active() {
			dst[i] = truth(scalar.F32(x[i]) < scalar.F32(y[i]))
		}
	case ir.FLe:
		for _, i := range s.active() {
			dst[i] = truth(scalar.F32(x[i]) <= scalar.F32(y[i]))
		}
	default:
		s.anyWidth(in)
	}
}

// anyWidth runs operations in which the number of bits has no part: operands are zero-extended.
func (s *subgroup) anyWidth(in *inst) {
	dst, x, y := s.reg(in.dst), s.reg(in.x), s.reg(in.y)
	switch in.op {
	case ir.And:
		for _, i := range s.active() {
			dst[i] = x[i] & y[i]
		}
	case ir.Or:
		for _, i := range s.active() {
			dst[i] = x[i] | y[i]
		}
	case ir.Xor:
		for _, i := range s.active() {
			dst[i] = x[i] ^ y[i]
		}
	case ir.Eq:
		for _, i := range s.active() {
			dst[i] = truth(x[i] == y[i])
		}
	case ir.ULt:
		for _, i := range s.active() {
			dst[i] = truth(x[i] < y[i])
		}
	case ir.ULe:
		for _, i := range s.active() {
			dst[i] = truth(x[i] <= y[i])
		}
	case ir.UMin:
		for _, i := range s.active() {
			dst[i] = min(x[i], y[i])
		}
	case ir.UMax:
		for _, i := range s.active() {
			dst[i] = max(x[i], y[i])
		}
	case ir.Bitcast:
		for _, i := range s.active() {
			dst[i] = x[i]
		}
	case ir.Select:
		z := s.reg(in.z)
		for _, i := range s.active() {
			if x[i] != 0 {
				dst[i] = y[i]
			} else {
				dst[i] = z[i]
			}
		}
	case ir.At:
		for _, i := range s.active() {
			dst[i] = scalar.At(x[i], y[i], in.key.Aux)
		}
	default:
		s.eval(in)
	}
}

// eval runs an operation lane by lane. Many operands are uniform or equal in neighbouring
// lanes. A lane with the operands of the lane before it has its value: the function depends on
// its arguments alone.
func (s *subgroup) eval(in *inst) {
	dst, x, y, z := s.reg(in.dst), s.reg(in.x), s.reg(in.y), s.reg(in.z)
	first := s.A.First()
	if first >= uint32(len(dst)) {
		return
	}
	a, b, c := x[first], y[first], z[first]
	value := in.eval(in.key, a, b, c)
	for _, lane := range s.active() {
		if x[lane] != a || y[lane] != b || z[lane] != c {
			a, b, c = x[lane], y[lane], z[lane]
			value = in.eval(in.key, a, b, c)
		}
		dst[lane] = value
	}
}
