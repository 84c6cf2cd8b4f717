package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// halfOverflow has the bits of 2¹⁶, which is beyond the numbers of .f16.
const halfOverflow = 0x47800000

// cvtStochastic emits cvt.rs of two numbers to a pair of .f16 or .bf16 (PTX ISA, cvt): random bits are added to the bits of the fraction
// that the result lacks, and then these are cut off. The upper half of the random bits is for the first operand. Of 16 bits the lowest 13 are
// for a .f16, which lacks so many.
func (e *emitter) cvtStochastic(to, from string) {
	half := halfKind(to) == pairF16
	if from != ".f32" || len(e.in.Operands) != 4 || !half && halfKind(to) != pairBF {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	lacks := uint32(16)
	if half {
		lacks = 13
	}
	b, random := e.b, e.read(e.operand(3), ir.I32)
	one := func(i int, shift uint32) ir.V {
		bits := e.read(e.operand(i), ir.I32)
		more := b.Op(ir.BitFieldU, ir.I32, random, b.I32(shift), b.I32(lacks))
		magnitude := b.Op(ir.And, ir.I32, bits, b.I32(1<<31-1))
		finite := b.Cmp(ir.ULt, magnitude, b.I32(0x7f800000))
		// The sum of a finite number may carry into the exponent, up to infinity, but not into the sign.
		bits = b.Select(finite, b.Op(ir.And, ir.I32, b.Op(ir.Add, ir.I32, bits, more), b.I32(^uint32(1<<lacks-1))), bits)
		v := e.as(bits, ir.F32)
		if !half {
			return e.limited(e.bfloatOf(e.finish(v)), 0x7f80)
		}
		// A subnormal .f16 lacks more bits, which are cut off as well.
		short := b.Emit(ir.Val{Op: ir.FCvt, Type: ir.F16, Flags: ir.RTZ, Args: [4]ir.V{v}})
		magnitude = b.Op(ir.And, ir.I32, bits, b.I32(1<<31-1))
		short = b.Select(b.Cmp(ir.ULt, magnitude, b.I32(halfOverflow)), short, b.Op(ir.FCvt, ir.F16, v))
		return e.limited(e.as(e.finish(short), ir.I16), 0x7c00)
	}
	e.result(e.pack(one(2, 0), one(1, 16)))
}
