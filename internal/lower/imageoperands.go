package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// imageOperands are the optional operands of an image instruction; 0 is none.
type imageOperands struct {
	bias, lod, sample, minLod  spirv.ID
	dx, dy                     spirv.ID
	constOffset, offset        spirv.ID
	constOffsets, offsets      spirv.ID
	makeAvailable, makeVisible spirv.ID // scopes
	flags                      ir.Flags
	shared                     bool // not private, in the Vulkan memory model
}

// imageOperands reads the mask and the words after it.
func (f *function) imageOperands(words []uint32) (o imageOperands) {
	if len(words) == 0 {
		return o
	}
	mask := spirv.ImageOperands(words[0])
	words = words[1:]
	for bit := spirv.ImageOperands(1); bit != 0; bit <<= 1 {
		if mask&bit == 0 {
			continue
		}
		for _, to := range o.destinations(bit) {
			if len(words) == 0 {
				f.malformed("the image operand lacks its value")
			}
			*to = spirv.ID(words[0])
			words = words[1:]
		}
		switch bit {
		case spirv.ImageOperandsMakeTexelAvailableMask, spirv.ImageOperandsMakeTexelVisibleMask:
			o.flags |= ir.Coherent
		case spirv.ImageOperandsVolatileTexelMask:
			o.flags |= ir.Volatile
		}
		const shared = spirv.ImageOperandsNonPrivateTexelMask | spirv.ImageOperandsMakeTexelAvailableMask | spirv.ImageOperandsMakeTexelVisibleMask | spirv.ImageOperandsVolatileTexelMask
		o.shared = o.shared || bit&shared != 0
	}
	return o
}

// destinations returns the destinations of the values of an operand.
func (o *imageOperands) destinations(bit spirv.ImageOperands) []*spirv.ID {
	switch bit {
	case spirv.ImageOperandsBiasMask:
		return []*spirv.ID{&o.bias}
	case spirv.ImageOperandsLodMask:
		return []*spirv.ID{&o.lod}
	case spirv.ImageOperandsGradMask:
		return []*spirv.ID{&o.dx, &o.dy}
	case spirv.ImageOperandsConstOffsetMask:
		return []*spirv.ID{&o.constOffset}
	case spirv.ImageOperandsOffsetMask:
		return []*spirv.ID{&o.offset}
	case spirv.ImageOperandsConstOffsetsMask:
		return []*spirv.ID{&o.constOffsets}
	case spirv.ImageOperandsOffsetsMask:
		return []*spirv.ID{&o.offsets}
	case spirv.ImageOperandsSampleMask:
		return []*spirv.ID{&o.sample}
	case spirv.ImageOperandsMinLodMask:
		return []*spirv.ID{&o.minLod}
	case spirv.ImageOperandsMakeTexelAvailableMask:
		return []*spirv.ID{&o.makeAvailable}
	case spirv.ImageOperandsMakeTexelVisibleMask:
		return []*spirv.ID{&o.makeVisible}
	}
	return nil
}

// floats32 returns the first n components of an operand as floats of 32 bits.
func (f *function) floats32(id spirv.ID, n int) []ir.V {
	parts := f.scalars(id)
	if len(parts) < n {
		f.malformed("%%%d has %d components; must have %d", id, len(parts), n)
	}
	out := make([]ir.V, n)
	for i, v := range parts[:n] {
		switch f.b.Func.Type(v) {
		case ir.F32:
		case ir.F16:
			v = f.b.Op(ir.FCvt, ir.F32, v)
		default:
			f.malformed("%%%d is %s; must be a 16-bit or 32-bit float", id, f.b.Func.Type(v))
		}
		out[i] = v
	}
	return out
}

// ints32 returns the first n components of an operand as integers of 32 bits. A wider
// component that does not fit becomes far out of range.
func (f *function) ints32(id spirv.ID, n int) []ir.V {
	parts := f.scalars(id)
	if len(parts) < n {
		f.malformed("%%%d has %d components; must have %d", id, len(parts), n)
	}
	wider := ir.ZExt
	if t := f.typeOf(id).Scalar(); t != nil && t.Signed {
		wider = ir.SExt
	}
	out := make([]ir.V, n)
	for i, v := range parts[:n] {
		switch t := f.b.Func.Type(v); {
		case t.IsFloat(): // SPIR-V allows floats as coordinates, Vulkan requires integers
			v = f.b.Op(ir.FToS, ir.I32, v)
		case !t.IsInt():
			f.malformed("%%%d is %s; must be an integer", id, t)
		case t.Bits() < 32:
			v = f.b.Op(wider, ir.I32, v)
		case t.Bits() > 32:
			v = f.b.Op(ir.Trunc, ir.I32, f.b.Op(ir.UMin, ir.I64, v, f.b.Const(ir.I64, farAway)))
		}
		out[i] = v
	}
	return out
}
