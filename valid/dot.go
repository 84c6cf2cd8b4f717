package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// dotFamily checks dot products, as far as the typing table does not: of integers
// (SPIR-V §3.3.13) and of floats with an accumulator of another width
// (SPV_VALVE_mixed_float_dot_product). OpDot of BFloat16 is in encoding.go.
var dotFamily = family{
	rules: []Rule{
		{Code: "SPV-Dot-Capability", Section: "SPIR-V 3.3.13", Words: "an integer dot product needs the capability for its operands: packed words, vectors of four bytes, or any vectors; a float dot product needs the capability for its encoding and the width of the sum"},
		{Code: "SPV-Dot-Unsigned", Section: "SPIR-V 3.3.13", Words: "the vectors of OpUDot, and the second one of OpSUDot, have unsigned integers"},
		{Code: "SPV-Dot-Packed", Section: "SPIR-V 3.3.13", Words: "a dot product of scalars has 32-bit words and a Packed Vector Format"},
		{Code: "SPV-Dot-Width", Section: "SPIR-V 3.3.13", Words: "the result of an integer dot product is at least as wide as a component"},
		{Code: "SPV-Dot-Vector", Section: "SPIR-V, SPV_VALVE_mixed_float_dot_product", Words: "the vectors of a dot product have the length and the component type of the instruction; 16-bit floats have one encoding"},
		{Code: "SPV-Dot-Accumulator", Section: "SPIR-V, SPV_VALVE_mixed_float_dot_product", Words: "the sum of a dot product is a float of the width of the instruction, and the accumulator has its type"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpFDot2MixAcc32VALVE: (*checker).mixedDot,
		spirv.OpFDot2MixAcc16VALVE: (*checker).mixedDot,
		spirv.OpFDot4MixAcc32VALVE: (*checker).mixedDot,
	},
	ops: []group{
		{(*checker).integerDot, []spirv.Op{spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat}},
	},
}

// integerDot checks the operands of an integer dot product and their capability.
func (c *checker) integerDot(i int, in spirv.Inst) {
	v := inst.SDot(in) // all share the first operands
	t, u := c.m.TypeOf(v.Vector1()), c.m.TypeOf(v.Vector2())
	if t == nil || t.Scalar() == nil {
		return
	}
	switch {
	case t.IsScalar():
		if !c.capable(spirv.CapabilityDotProductInput4x8BitPacked) {
			c.fail(i, "SPV-Dot-Capability", "%s on packed words; needs the capability DotProductInput4x8BitPacked", in.Op())
		}
	case t.Components() == 4 && t.Scalar().Width == 8:
		if !c.anyCapable(spirv.CapabilityDotProductInput4x8Bit, spirv.CapabilityDotProductInputAll) {
			c.fail(i, "SPV-Dot-Capability", "%s on vectors of 4 integers of 8 bits; needs the capability DotProductInput4x8Bit or DotProductInputAll", in.Op())
		}
	default:
		if !c.capable(spirv.CapabilityDotProductInputAll) {
			c.fail(i, "SPV-Dot-Capability", "%s on %s; needs the capability DotProductInputAll", in.Op(), c.typeName(t))
		}
	}
	c.dotWidths(i, in, t)
	switch op := in.Op(); op {
	case spirv.OpUDot, spirv.OpUDotAccSat:
		c.unsignedVector(i, op, "first", t)
		fallthrough
	case spirv.OpSUDot, spirv.OpSUDotAccSat:
		c.unsignedVector(i, op, "second", u)
	}
}

// unsignedVector checks the Signedness of the components of a vector. Packed words may have either.
func (c *checker) unsignedVector(i int, op spirv.Op, which string, t *facts.Type) {
	if t.IsVector() && t.Scalar() != nil && t.Scalar().Signed {
		c.fail(i, "SPV-Dot-Unsigned", "the %s vector of %s is %s; must have unsigned integers", which, op, c.typeName(t))
	}
}

// dotWidths checks the widths of components and result, and that packed words have
// a Packed Vector Format.
func (c *checker) dotWidths(i int, in spirv.Inst, t *facts.Type) {
	op := in.Op()
	_, packed := inst.SDot(in).PackedVectorFormat()
	switch op {
	case spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		_, packed = inst.SDotAccSat(in).PackedVectorFormat()
	}
	width := t.Scalar().Width
	if t.IsScalar() {
		width = 8
		switch {
		case !isWord(t):
			c.fail(i, "SPV-Dot-Packed", "%s of %s; must have packed words of 32 bits", op, c.typeName(t))
		case !packed:
			c.fail(i, "SPV-Dot-Packed", "%s of packed words has no packing; must have a Packed Vector Format", op)
		}
	}
	if r := c.m.Type(in.Type()); r.IsInt() && r.Width < width {
		c.fail(i, "SPV-Dot-Width", "%s of components of %d bits yields %s; must be at least as wide", op, width, c.typeName(r))
	}
}

// mixedDot checks a dot product of floats with an accumulator of its own width.
func (c *checker) mixedDot(i int, in spirv.Inst) {
	v := inst.FDot2MixAcc32VALVE(in) // all have the same operands
	op := in.Op()
	if c.mixedVectors(i, op, c.m.TypeOf(v.Vector1()), c.m.TypeOf(v.Vector2())) {
		return
	}
	t, sum := c.m.Type(v.Type()), c.m.TypeOf(v.Accumulator())
	if t == nil {
		return
	}
	if op == spirv.OpFDot2MixAcc16VALVE {
		x := c.m.TypeOf(v.Vector1())
		if x != nil && t != x.Scalar() {
			c.fail(i, "SPV-Dot-Accumulator", "%s of %s yields %s; must yield the component type of the vectors", op, c.typeName(x), c.typeName(t))
			return
		}
	} else if !t.IsFloat() || t.Width != 32 || t.Encoded {
		c.fail(i, "SPV-Dot-Accumulator", "%s yields %s; must yield a float of 32 bits", op, c.typeName(t))
		return
	}
	if sum != nil && sum != t {
		c.fail(i, "SPV-Dot-Accumulator", "the accumulator of %s is %s; must be %s, like the result", op, c.typeName(sum), c.typeName(t))
	}
}

// mixedVectors checks the vectors of such a dot product. It returns true if it has
// reported them, or if they are not known.
func (c *checker) mixedVectors(i int, op spirv.Op, x, y *facts.Type) bool {
	count, width, kind := uint64(2), uint32(16), "2 floats of 16 bits"
	if op == spirv.OpFDot4MixAcc32VALVE {
		count, width, kind = 4, 8, "4 floats of 8 bits"
	}
	for _, t := range [...]*facts.Type{x, y} {
		if t == nil || t.IsVector() && t.Elem == nil {
			return true
		}
		if !t.IsVector() || lengthOf(t) != 0 && t.Count != count || !t.Elem.IsFloat() || t.Elem.Width != width || width == 8 && !c.contains(t.Elem, holdsFP8) {
			c.fail(i, "SPV-Dot-Vector", "%s of %s; must be of vectors of %s", op, c.typeName(t), kind)
			return true
		}
	}
	if width == 8 {
		return false // their encodings may differ
	}
	if x.Elem != y.Elem {
		c.fail(i, "SPV-Dot-Vector", "%s of %s and %s; must have one encoding", op, c.typeName(x), c.typeName(y))
		return true
	}
	need := spirv.CapabilityDotProductFloat16AccFloat32VALVE
	switch {
	case c.contains(x.Elem, holdsBF16):
		need = spirv.CapabilityDotProductBFloat16AccVALVE
	case op == spirv.OpFDot2MixAcc16VALVE:
		need = spirv.CapabilityDotProductFloat16AccFloat16VALVE
	}
	if !c.capable(need) {
		c.fail(i, "SPV-Dot-Capability", "%s of %s; needs the capability %s", op, c.typeName(x), need)
		return true
	}
	return false
}

// lengthOf returns the number of components of a vector; 0 if it is not known
// before specialization.
func lengthOf(t *facts.Type) uint64 {
	if t.Op == spirv.OpTypeVectorIdEXT && (t.Length == nil || !t.Length.Known || t.Length.Spec) {
		return 0
	}
	return t.Count
}
