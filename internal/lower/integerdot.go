package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var integerDotRules = rules{
	spirv.OpSDot:        integerDot(signedDot),
	spirv.OpUDot:        integerDot(unsignedDot),
	spirv.OpSUDot:       integerDot(mixedDot),
	spirv.OpSDotAccSat:  integerDot(signedDot),
	spirv.OpUDotAccSat:  integerDot(unsignedDot),
	spirv.OpSUDotAccSat: integerDot(mixedDot),
}

// signs has the operations that extend the components of the two vectors of an integer
// dot product.
type signs [2]ir.Op

var (
	signedDot   = signs{ir.SExt, ir.SExt}
	unsignedDot = signs{ir.ZExt, ir.ZExt}
	mixedDot    = signs{ir.SExt, ir.ZExt}
)

// integerDot lowers OpSDot and its variants: the low bits of the exact dot product, or
// the exact dot product plus an accumulator, saturated.
func integerDot(s signs) rule {
	return func(f *function, in spirv.Inst) {
		t := f.flat(f.facts.Type(in.Type()))
		if len(t) != 1 || !t[0].IsInt() {
			f.malformed("the result of the dot product is not an integer; must be one")
		}
		operands := 2
		if saturates(in.Op()) {
			operands = 3
		}
		wide := t[0]
		if operands == 3 {
			wide = ir.I64 // in which the sum of narrower products is exact
		}
		packed := len(in) > 3+operands
		if packed && t[0] == ir.I32 {
			sum := f.bytesDot(s, f.typed(spirv.ID(in[3]), ir.I32), f.typed(spirv.ID(in[4]), ir.I32))
			switch {
			case operands == 2:
			case s[0] == ir.ZExt:
				sum = addSatU(f.b, ir.I32, sum, f.typed(spirv.ID(in[5]), ir.I32))
			default:
				sum = addSatS(f.b, ir.I32, sum, f.typed(spirv.ID(in[5]), ir.I32))
			}
			f.define(in, sum)
			return
		}
		x := f.extendedVector(spirv.ID(in[3]), packed, s[0], wide)
		y := f.extendedVector(spirv.ID(in[4]), packed, s[1], wide)
		if len(x) != len(y) {
			f.malformed("the vectors have different sizes")
		}
		sum := f.b.Const(wide, 0)
		for i := range x {
			sum = f.b.Op(ir.Add, wide, sum, f.b.Op(ir.Mul, wide, x[i], y[i]))
		}
		if operands == 3 {
			sum = f.saturate(s, t[0], sum, f.extend(f.typed(spirv.ID(in[5]), t[0]), s[0], wide))
		}
		f.define(in, sum)
	}
}

func saturates(op spirv.Op) bool {
	return op == spirv.OpSDotAccSat || op == spirv.OpUDotAccSat || op == spirv.OpSUDotAccSat
}

// extendedVector returns the components of a vector, or the four bytes of a packed one,
// extended to a type.
func (f *function) extendedVector(id spirv.ID, packed bool, by ir.Op, t ir.Type) []ir.V {
	parts := f.scalars(id)
	if packed {
		word := f.typed(id, ir.I32)
		parts = nil
		for i := range uint32(4) {
			parts = append(parts, f.b.Op(ir.Trunc, ir.I8, f.b.Op(ir.LShr, ir.I32, word, f.b.I32(8*i))))
		}
	}
	out := make([]ir.V, len(parts))
	for i, p := range parts {
		out[i] = f.extend(p, by, t)
	}
	return out
}

// extend converts an integer to a type that is not narrower.
func (f *function) extend(v ir.V, by ir.Op, t ir.Type) ir.V {
	from := f.b.Func.Type(v)
	if !from.IsInt() || from.Bits() > t.Bits() {
		f.malformed("a component of type %s; the result is %s", from, t)
	}
	if from == t {
		return v
	}
	return f.b.Op(by, t, v)
}

// bytesDot is the dot product of the four bytes of two words, which fits into 32 bits.
// ir.Dot4 treats its first bytes as unsigned and its second ones as signed (x86
// VPDPBUSD). Bytes of the other signedness are biased by 128 (a flip of the top bit),
// and 128 times the sum of the other operand's bytes is subtracted.
func (f *function) bytesDot(s signs, x, y ir.V) ir.V {
	zero, top := f.b.I32(0), f.b.I32(0x80808080)
	dot := func(x, y, z ir.V) ir.V { return f.b.Op(ir.Dot4, ir.I32, x, y, z) }
	flip := func(x ir.V) ir.V { return f.b.Op(ir.Xor, ir.I32, x, top) }
	switch s {
	case mixedDot:
		return dot(y, x, zero)
	case signedDot:
		return dot(flip(x), y, f.b.Op(ir.Sub, ir.I32, zero, dot(top, y, zero)))
	}
	return dot(x, flip(y), f.b.Op(ir.Sub, ir.I32, zero, dot(x, top, zero)))
}

// saturate adds two i64 and saturates the sum to a type.
func (f *function) saturate(s signs, t ir.Type, x, acc ir.V) ir.V {
	switch {
	case t == ir.I64 && s[0] == ir.ZExt:
		return addSatU(f.b, t, x, acc)
	case t == ir.I64:
		return addSatS(f.b, t, x, acc)
	}
	sum := f.b.Op(ir.Add, ir.I64, x, acc)
	if s[0] == ir.ZExt {
		return f.b.Op(ir.Trunc, t, f.b.Op(ir.UMin, ir.I64, sum, f.b.Const(ir.I64, t.Mask())))
	}
	most := t.Mask() >> 1
	sum = f.b.Op(ir.SMin, ir.I64, sum, f.b.Const(ir.I64, most))
	return f.b.Op(ir.Trunc, t, f.b.Op(ir.SMax, ir.I64, sum, f.b.Const(ir.I64, ^most)))
}
