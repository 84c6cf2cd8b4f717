package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// halfOverflow has the bits of 2¹⁶, which is beyond the numbers of .f16.
const halfOverflow = 0x47800000

// cvtStochastic emits cvt.rs of two numbers to a pair of .f16 or .bf16 (PTX ISA, cvt): random bits are added to the bits of the fraction
// that the result lacks, and then these are cut off. The upper half of the random bits is for the first operand. Of 16 bits the lowest 13 are
// for a .f16, which lacks so many.
func (e *emitter) cvtStochastic(to, from string) {
	if m, ok := minifloats[quads[to]]; ok {
		e.cvtQuad(m)
		return
	}
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

// quads are the formats of which cvt.rs makes four elements.
var quads = map[string]string{".e4m3x4": ".e4m3", ".e5m2x4": ".e5m2", ".e2m3x4": ".e2m3", ".e3m2x4": ".e3m2", ".e2m1x4": ".e2m1"}

// cvtQuad emits cvt.rs of four numbers to a format of at most 8 bits. The upper half of the random bits is for the first two operands, the
// lower half for the others; of elements with four bits the first two use the upper bytes of the upper and the lower half, and the others
// the lower bytes.
func (e *emitter) cvtQuad(m minifloat) {
	vector := e.operand(1)
	if e.types[1] != ".f32" || len(e.in.Operands) != 3 || vector.Kind != ptx.Vector || len(vector.Elems) != 4 || !e.in.Has(".satfinite") {
		malformed(e.in.Pos, "%s has no vector of four .f32, no random bits or no .satfinite; must have them", e.in.Name())
	}
	at, bits := [4]uint32{16, 16, 0, 0}, uint32(16)
	if m.bits == 4 {
		at, bits = [4]uint32{24, 8, 16, 0}, 8
	}
	b, random := e.b, e.read(e.operand(2), ir.I32)
	v := b.I32(0)
	for k, o := range vector.Elems {
		more := b.Op(ir.BitFieldU, ir.I32, random, b.I32(at[k]), b.I32(bits))
		x := e.stochastic(e.finish(e.read(o, ir.F32)), more, bits, m)
		v = b.Op(ir.Or, ir.I32, b.Op(ir.Shl, ir.I32, v, b.I32(m.step())), x)
	}
	if t := bitsType(ptx.TypeSize(e.types[0])); t != ir.I32 {
		v = b.Op(ir.Trunc, t, v)
	}
	e.result(v)
}

// stochastic returns the bits of a float of 32 bits in a format: n random bits are added to the highest of those that a normal number
// loses, then all that the format lacks is cut off.
func (e *emitter) stochastic(x, random ir.V, n uint32, m minifloat) ir.V {
	b := e.b
	op := func(o ir.Op, list ...ir.V) ir.V { return b.Op(o, ir.I32, list...) }
	word := e.as(x, ir.I32)
	drop := 23 - m.fraction
	magnitude := op(ir.And, word, b.I32(1<<31-1))
	sum := op(ir.Add, magnitude, op(ir.Shl, random, b.I32(drop-n)))
	sum = b.Select(b.Cmp(ir.ULt, magnitude, b.I32(0x7f800000)), op(ir.And, sum, b.I32(^uint32(1<<drop-1))), magnitude)
	normal := op(ir.Sub, op(ir.LShr, sum, b.I32(drop)), b.I32((127-m.bias)<<m.fraction))
	// A subnormal number counts in units of the last place.
	unit := b.Const(ir.F32, uint64(127+m.bias-1+m.fraction)<<23)
	small := b.Op(ir.FToU, ir.I32, b.Op(ir.FMul, ir.F32, e.as(sum, ir.F32), unit))
	v := b.Select(b.Cmp(ir.ULt, sum, b.I32((128-m.bias)<<23)), small, normal)
	return e.signedMinifloat(x, v, m)
}
