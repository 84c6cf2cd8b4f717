package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// PackSnorm4x8 returns four f32, clamped to [−1, 1], as bytes, the first lowest.
func PackSnorm4x8(b *ir.Builder, x []ir.V) ir.V { return pack(b, x, 8, -1, 127) }

// PackUnorm4x8 returns four f32, clamped to [0, 1], as bytes, the first lowest.
func PackUnorm4x8(b *ir.Builder, x []ir.V) ir.V { return pack(b, x, 8, 0, 255) }

// PackSnorm2x16 returns two f32, clamped to [−1, 1], in 16 bits each.
func PackSnorm2x16(b *ir.Builder, x []ir.V) ir.V { return pack(b, x, 16, -1, 32767) }

// PackUnorm2x16 returns two f32, clamped to [0, 1], in 16 bits each.
func PackUnorm2x16(b *ir.Builder, x []ir.V) ir.V { return pack(b, x, 16, 0, 65535) }

// pack scales each component after clamping, rounds it to even and puts it into
// its field. A NaN survives the clamp and converts to 0.
func pack(b *ir.Builder, x []ir.V, width uint32, least, scale float64) ir.V {
	e := single(b)
	var out ir.V
	for i, v := range x {
		v = e.near(e.mul(e.clamp(v, least, 1), e.num(scale)))
		n := e.and(b.Op(ir.FToS, ir.I32, v), 1<<width-1)
		out = into(b, out, n, uint32(i)*width)
	}
	return out
}

// into ors n, shifted to its position, into the bits so far.
func into(b *ir.Builder, out, n ir.V, at uint32) ir.V {
	if at == 0 {
		return n
	}
	return b.Op(ir.Or, ir.I32, out, b.Op(ir.Shl, ir.I32, n, b.I32(at)))
}

// UnpackSnorm4x8 is the inverse of PackSnorm4x8: each byte divided by 127, not
// below −1.
func UnpackSnorm4x8(b *ir.Builder, x ir.V) []ir.V { return unpack(b, x, 8, true, 127) }

// UnpackUnorm4x8 is the inverse of PackUnorm4x8: each byte divided by 255.
func UnpackUnorm4x8(b *ir.Builder, x ir.V) []ir.V { return unpack(b, x, 8, false, 255) }

// UnpackSnorm2x16 is the inverse of PackSnorm2x16.
func UnpackSnorm2x16(b *ir.Builder, x ir.V) []ir.V { return unpack(b, x, 16, true, 32767) }

// UnpackUnorm2x16 is the inverse of PackUnorm2x16.
func UnpackUnorm2x16(b *ir.Builder, x ir.V) []ir.V { return unpack(b, x, 16, false, 65535) }

func unpack(b *ir.Builder, x ir.V, width uint32, signed bool, scale float64) []ir.V {
	e := single(b)
	field, convert := ir.BitFieldU, ir.UToF
	if signed {
		field, convert = ir.BitFieldS, ir.SToF
	}
	var out []ir.V
	for at := uint32(0); at < 32; at += width {
		n := b.Op(field, ir.I32, x, b.I32(at), b.I32(width))
		v := e.div(b.Op(convert, ir.F32, n), e.num(scale))
		if signed {
			v = e.max(v, e.num(-1))
		}
		out = append(out, v)
	}
	return out
}

// PackHalf2x16 returns two f32 rounded to 16 bits, the first lower.
func PackHalf2x16(b *ir.Builder, x []ir.V) ir.V {
	var out ir.V
	for i, v := range x {
		h := b.Op(ir.FCanon, ir.F16, b.Op(ir.FCvt, ir.F16, v))
		n := b.Op(ir.ZExt, ir.I32, b.Op(ir.Bitcast, ir.I16, h))
		out = into(b, out, n, uint32(i)*16)
	}
	return out
}

// UnpackHalf2x16 returns the two halves of x as f32.
func UnpackHalf2x16(b *ir.Builder, x ir.V) []ir.V {
	half := func(n ir.V) ir.V {
		h := b.Op(ir.Bitcast, ir.F16, b.Op(ir.Trunc, ir.I16, n))
		return b.Op(ir.FCvt, ir.F32, h)
	}
	return []ir.V{half(x), half(b.Op(ir.LShr, ir.I32, x, b.I32(16)))}
}

// PackDouble2x32 returns the f64 with the first i32 as its low half.
func PackDouble2x32(b *ir.Builder, x []ir.V) ir.V {
	hi := b.Op(ir.Shl, ir.I64, b.Op(ir.ZExt, ir.I64, x[1]), b.Const(ir.I64, 32))
	return b.Op(ir.Bitcast, ir.F64, b.Op(ir.Or, ir.I64, b.Op(ir.ZExt, ir.I64, x[0]), hi))
}

// UnpackDouble2x32 returns the halves of the bits of an f64, the low one first.
// The caller makes a computed NaN canonical before.
func UnpackDouble2x32(b *ir.Builder, x ir.V) []ir.V {
	n := b.Op(ir.Bitcast, ir.I64, x)
	hi := b.Op(ir.LShr, ir.I64, n, b.Const(ir.I64, 32))
	return []ir.V{b.Op(ir.Trunc, ir.I32, n), b.Op(ir.Trunc, ir.I32, hi)}
}
