package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var integerFunctionRules = rules{
	spirv.OpUCountLeadingZerosINTEL:  integerFunction(leadingZeros),
	spirv.OpUCountTrailingZerosINTEL: integerFunction(trailingZeros),
	spirv.OpAbsISubINTEL:             integerFunction(absSubS),
	spirv.OpAbsUSubINTEL:             integerFunction(absSubU),
	spirv.OpIAddSatINTEL:             integerFunction(addSatS),
	spirv.OpUAddSatINTEL:             integerFunction(addSatU),
	spirv.OpISubSatINTEL:             integerFunction(subSatS),
	spirv.OpUSubSatINTEL:             integerFunction(subSatU),
	spirv.OpIAverageINTEL:            integerFunction(average(ir.AShr, false)),
	spirv.OpUAverageINTEL:            integerFunction(average(ir.LShr, false)),
	spirv.OpIAverageRoundedINTEL:     integerFunction(average(ir.AShr, true)),
	spirv.OpUAverageRoundedINTEL:     integerFunction(average(ir.LShr, true)),
	spirv.OpIMul32x16INTEL:           integerFunction(mul32x16(ir.SExt)),
	spirv.OpUMul32x16INTEL:           integerFunction(mul32x16(ir.ZExt)),
}

// The instructions of SPV_INTEL_shader_integer_functions2; Vulkan's capability is
// IntegerFunctions2INTEL. Each is branch-free code per component; the overflow tests and
// averages are from Warren, Hacker's Delight, chapter 2.

// integerFunction lowers an instruction that g expands, for one or two integers of the
// result's type.
func integerFunction(g func(b *ir.Builder, t ir.Type, x, y ir.V) ir.V) rule {
	return func(f *function, in spirv.Inst) {
		f.eachComponent(in, f.operands(in[3:]), func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
			for _, o := range a {
				if o.Type != t || !t.IsInt() {
					f.malformed("the operand is %s; must be an integer of the result's type", o.Type)
				}
			}
			return g(f.b, t, a[0].Value, a[len(a)-1].Value)
		})
	}
}

// leadingZeros counts the zeros above the highest one; the width if x is 0.
func leadingZeros(b *ir.Builder, t ir.Type, x, _ ir.V) ir.V {
	return b.Op(ir.Sub, t, b.Const(t, uint64(t.Bits())-1), b.Op(ir.FindUMsb, t, x))
}

// trailingZeros counts the zeros below the lowest one; the width if x is 0.
func trailingZeros(b *ir.Builder, t ir.Type, x, _ ir.V) ir.V {
	below := b.Op(ir.And, t, b.Op(ir.Not, t, x), b.Op(ir.Sub, t, x, b.Const(t, 1)))
	return b.Op(ir.BitCount, t, below)
}

func absSubS(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
	return b.Op(ir.Sub, t, b.Op(ir.SMax, t, x, y), b.Op(ir.SMin, t, x, y))
}

func absSubU(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
	return b.Op(ir.Sub, t, b.Op(ir.UMax, t, x, y), b.Op(ir.UMin, t, x, y))
}

func addSatU(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
	return b.Op(ir.Add, t, x, b.Op(ir.UMin, t, y, b.Op(ir.Not, t, x)))
}

func subSatU(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
	return b.Op(ir.Sub, t, b.Op(ir.UMax, t, x, y), y)
}

// addSatS overflows if the sign of the sum differs from the signs of both operands.
func addSatS(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
	sum := b.Op(ir.Add, t, x, y)
	over := b.Op(ir.And, t, b.Op(ir.Xor, t, sum, x), b.Op(ir.Xor, t, sum, y))
	return saturateOverflow(b, t, sum, over, x)
}

// subSatS overflows if the operands have different signs and the difference has the
// sign of the second.
func subSatS(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
	d := b.Op(ir.Sub, t, x, y)
	over := b.Op(ir.And, t, b.Op(ir.Xor, t, x, y), b.Op(ir.Xor, t, x, d))
	return saturateOverflow(b, t, d, over, x)
}

// saturateOverflow returns result, or if over is negative the extreme value with the sign
// of x.
func saturateOverflow(b *ir.Builder, t ir.Type, result, over, x ir.V) ir.V {
	sign := b.Op(ir.AShr, t, x, b.Const(t, uint64(t.Bits())-1))
	far := b.Op(ir.Xor, t, sign, b.Const(t, t.Mask()>>1))
	return b.Select(b.Cmp(ir.SLt, over, b.Const(t, 0)), far, result)
}

// average returns half of the exact sum, rounded down: (x and y) + (x xor y)/2; rounded
// up: (x or y) − (x xor y)/2.
func average(shift ir.Op, up bool) func(*ir.Builder, ir.Type, ir.V, ir.V) ir.V {
	return func(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
		half := b.Op(shift, t, b.Op(ir.Xor, t, x, y), b.Const(t, 1))
		if up {
			return b.Op(ir.Sub, t, b.Op(ir.Or, t, x, y), half)
		}
		return b.Op(ir.Add, t, b.Op(ir.And, t, x, y), half)
	}
}

// mul32x16 multiplies by the low 16 bits of the second operand.
func mul32x16(extend ir.Op) func(*ir.Builder, ir.Type, ir.V, ir.V) ir.V {
	return func(b *ir.Builder, t ir.Type, x, y ir.V) ir.V {
		if t.Bits() > 16 {
			y = b.Op(extend, t, b.Op(ir.Trunc, ir.I16, y))
		}
		return b.Op(ir.Mul, t, x, y)
	}
}
