package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// footprintFamily checks OpImageSampleFootprintNV (SPV_NV_shader_image_footprint).
var footprintFamily = family{
	rules: []Rule{
		{Code: "SPV-Footprint-Result", Section: "SPIR-V, SPV_NV_shader_image_footprint", Words: "the result is a struct of a boolean, the anchor and the offset with as many components as the coordinate, a mask of two components, the level and the granularity, all unsigned integers"},
		{Code: "SPV-Footprint-Image", Section: "SPIR-V, SPV_NV_shader_image_footprint", Words: "the image is sampled, 2D or 3D, without layers and samples"},
		{Code: "SPV-Footprint-Operand", Section: "SPIR-V, SPV_NV_shader_image_footprint", Words: "the coordinate is a vector of floats with a component for each axis of the image, the granularity an integer that has a meaning for its dimension, and Coarse a boolean constant"},
		{Code: "SPV-Footprint-ImageOperands", Section: "SPIR-V, SPV_NV_shader_image_footprint", Words: "the image operands are Bias, MinLod, both, Lod, and for 2D images Grad with or without MinLod"},
	},
	insts: map[spirv.Op]judge{spirv.OpImageSampleFootprintNV: imageJudge((*images).footprint)},
}

func (c *images) footprint(i int, in spirv.Inst) {
	v := inst.ImageSampleFootprintNV(in)
	x := c.m.TypeOf(v.Coordinate())
	if x != nil && (!x.IsVector() || !x.Elem.IsFloat()) {
		c.fail(i, "SPV-Footprint-Operand", "the coordinate is %s; must be a vector of floats", c.typeName(x))
		x = nil
	}
	if g := c.m.TypeOf(v.Granularity()); g != nil && !g.IsInt() {
		c.fail(i, "SPV-Footprint-Operand", "the granularity is %s; must be an integer scalar", c.typeName(g))
	}
	if k := c.m.TypeOf(v.Coarse()); k != nil && (!k.IsBool() || c.m.Const(v.Coarse()) == nil) {
		c.fail(i, "SPV-Footprint-Operand", "Coarse is %s; must be a boolean constant", c.name(v.Coarse()))
	}
	if t := c.m.Type(v.Type()); t != nil {
		c.footprintResult(i, t, x)
	}
	t := c.m.TypeOf(v.SampledImage())
	if t == nil {
		return
	}
	if t.Op != spirv.OpTypeSampledImage {
		c.fail(i, "SPV-Footprint-Image", "the image is %s; must be a sampled image", c.typeName(t))
		return
	}
	if t.Elem == nil || t.Elem.Image == nil {
		return
	}
	m := t.Elem.Image
	if m.Dim != spirv.Dim2D && m.Dim != spirv.Dim3D || m.Arrayed || m.MS {
		c.fail(i, "SPV-Footprint-Image", "the image is %s; must be 2D or 3D without layers and samples", c.typeName(t))
		return
	}
	if n := axes(m.Dim); x != nil && x.Components() < n {
		c.fail(i, "SPV-Footprint-Operand", "the coordinate has %s; must have at least %d", components(x.Components()), n)
	}
	c.granularity(i, v.Granularity(), m.Dim)
	mask, _ := v.ImageOperands()
	switch rest := mask &^ spirv.ImageOperandsMinLodMask; {
	case rest == 0, rest == spirv.ImageOperandsBiasMask, mask == spirv.ImageOperandsLodMask:
	case rest == spirv.ImageOperandsGradMask && m.Dim == spirv.Dim2D:
	default:
		c.fail(i, "SPV-Footprint-ImageOperands", "the image operands are %s with an image of dimension %s; must be Bias, MinLod, both, Lod, or Grad with 2D", mask, m.Dim)
		return
	}
	a := imageAccess{i: i, op: in.Op(), how: typing.ImplicitLod, image: t.Elem, mask: mask, operands: v.ImageOperandsWords()}
	if mask&(spirv.ImageOperandsLodMask|spirv.ImageOperandsGradMask) != 0 {
		a.how = typing.ExplicitLod
	}
	c.imageOperands(&a)
}

// granularity checks that a constant granularity has a meaning for images of the dimension 2D or 3D. All others are reserved, and 0 is a
// result only.
func (c *images) granularity(i int, id spirv.ID, d spirv.Dim) {
	k := c.m.Const(id)
	if k == nil || !k.Known || !k.Type.IsInt() {
		return
	}
	ok := k.Bits >= 1 && k.Bits <= 7 || k.Bits >= 11 && k.Bits <= 15
	if d == spirv.Dim3D {
		ok = k.Bits == 1 || k.Bits == 3 || k.Bits >= 10 && k.Bits <= 14
	}
	if !ok {
		c.fail(i, "SPV-Footprint-Operand", "the granularity is %d with an image of dimension %s; must be one of those of the dimension", k.Bits, d)
	}
}

// footprintResult checks the struct that a footprint is returned in.
func (c *images) footprintResult(i int, t, coordinate *facts.Type) {
	const members = 6
	if !t.IsStruct() || len(t.Members) != members {
		c.fail(i, "SPV-Footprint-Result", "the result is %s; must be a struct of 6 members", c.typeName(t))
		return
	}
	for n := range t.Members {
		m := t.Members[n].Type
		if m == nil {
			return
		}
		unsigned := m.Scalar().IsInt() && !m.Scalar().Signed
		ok, want := true, "a boolean"
		switch n {
		case 0:
			ok = m.IsBool()
		case 1, 2:
			ok, want = m.IsVector() && unsigned && (coordinate == nil || m.Components() == coordinate.Components()), "an unsigned vector with as many components as the coordinate"
		case 3:
			ok, want = m.IsVector() && unsigned && m.Components() == 2, "an unsigned vector of two components"
		default:
			ok, want = m.IsInt() && unsigned, "an unsigned scalar"
		}
		if !ok {
			c.fail(i, "SPV-Footprint-Result", "member %d of the result is %s; must be %s", n, c.typeName(m), want)
		}
	}
}
