package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

var sampleRules = rules{
	spirv.OpImageSampleImplicitLod:           sample,
	spirv.OpImageSampleExplicitLod:           sample,
	spirv.OpImageSampleDrefImplicitLod:       sample,
	spirv.OpImageSampleDrefExplicitLod:       sample,
	spirv.OpImageSampleProjImplicitLod:       sample,
	spirv.OpImageSampleProjExplicitLod:       sample,
	spirv.OpImageSampleProjDrefImplicitLod:   sample,
	spirv.OpImageSampleProjDrefExplicitLod:   sample,
	spirv.OpImageSparseSampleImplicitLod:     sample,
	spirv.OpImageSparseSampleExplicitLod:     sample,
	spirv.OpImageSparseSampleDrefImplicitLod: sample,
	spirv.OpImageSparseSampleDrefExplicitLod: sample,
	spirv.OpImageGather:                      gather,
	spirv.OpImageGatherQCOM:                  gatherMode,
	spirv.OpImageSampleFootprintNV:           footprint,
	spirv.OpImageDrefGather:                  gather,
	spirv.OpImageSparseGather:                gather,
	spirv.OpImageSparseDrefGather:            gather,
	spirv.OpImageQueryLod:                    imageQueryLod,
}

// sample lowers the instructions OpImage(Sparse)Sample….
func sample(f *function, in spirv.Inst) {
	traits := typing.TraitsOf(in.Op())
	rest := in[5:]
	var reference ir.V
	if traits.Has(typing.Dref) {
		reference, rest = f.floats32(spirv.ID(in[5]), 1)[0], in[6:]
	}
	o := f.imageOperands(rest)
	c := f.sampled(ir.TextureSample, spirv.ID(in[3]), &o)
	n := c.head.Coordinates()
	if traits.Has(typing.Projective) {
		n = c.head.Dim.Axes() + 1
	}
	if c.at = f.floats32(spirv.ID(in[4]), n); traits.Has(typing.Projective) {
		reference = c.project(reference)
	}
	if traits.Has(typing.Dref) {
		c.with(ir.TextureDref, reference)
	}
	if traits.Has(typing.ImplicitLod) {
		c.implicit(&o)
	} else {
		c.explicit(&o)
	}
	c.offset(&o)
	if o.minLod != 0 {
		c.with(ir.TextureMinLod, f.floats32(o.minLod, 1)...)
	}
	f.texelResult(in, c)
}

// sampled begins a call that samples an image through a sampler.
func (f *function) sampled(op ir.TextureOp, id spirv.ID, o *imageOperands) *textureCall {
	x := f.image(id)
	if x.sampler[0] == 0 {
		f.malformed("%%%d is not a sampled image", id)
	}
	if x.typ.Image.MS || x.typ.Image.Dim == spirv.DimBuffer {
		f.malformed("a sample of an image that is multisampled, or a texel buffer")
	}
	return f.texture(op, x, o)
}

// project divides the coordinates, and the reference if there is one, by the
// last coordinate.
func (c *textureCall) project(reference ir.V) ir.V {
	n := len(c.at) - 1
	q := c.at[n]
	c.at = c.at[:n]
	for i, x := range c.at {
		c.at[i] = c.f.Make(ir.FDiv, ir.F32, ir.F32, x, q, 0)
	}
	if reference != 0 {
		reference = c.f.Make(ir.FDiv, ir.F32, ir.F32, reference, q, 0)
	}
	return reference
}

// implicit adds the derivatives of the coordinates to the call. If invocations
// form no quads, the level of detail is 0.
func (c *textureCall) implicit(o *imageOperands) {
	if c.f.inQuadGroups() {
		c.derivatives()
	} else if o.bias != 0 {
		c.with(ir.TextureLod, c.f.b.Const(ir.F32, 0))
	}
	if o.bias != 0 {
		c.with(ir.TextureBias, c.f.floats32(o.bias, 1)...)
	}
}

// derivatives adds to the call the differences between the coordinates of
// neighbours, without the layer.
func (c *textureCall) derivatives() {
	var grad []ir.V
	for _, direction := range []uint64{acrossX, acrossY} {
		for _, x := range c.at[:c.head.Dim.Axes()] {
			grad = append(grad, c.f.difference(x, direction))
		}
	}
	c.with(ir.TextureGrad, grad...)
}

// explicit adds to the call the level of detail or the derivatives of its
// operands.
func (c *textureCall) explicit(o *imageOperands) {
	switch n := c.head.Dim.Axes(); {
	case o.lod != 0:
		c.with(ir.TextureLod, c.f.floats32(o.lod, 1)...)
	case o.dx != 0:
		c.with(ir.TextureGrad, append(c.f.floats32(o.dx, n), c.f.floats32(o.dy, n)...)...)
	default:
		c.f.malformed("the level of detail is missing")
	}
}

// inQuadGroups reports whether the entry point's invocations form quads.
func (u *unit) inQuadGroups() bool {
	for _, m := range u.entry.Modes {
		if m.Kind == spirv.ExecutionModeDerivativeGroupQuadsKHR || m.Kind == spirv.ExecutionModeDerivativeGroupLinearKHR {
			return true
		}
	}
	return u.entry.Model == spirv.ExecutionModelFragment
}

// gather lowers the instructions OpImage(Sparse)(Dref)Gather.
func gather(f *function, in spirv.Inst) {
	o := f.imageOperands(in[6:])
	c := f.sampled(ir.TextureGather, spirv.ID(in[3]), &o)
	c.at = f.floats32(spirv.ID(in[4]), c.head.Coordinates())
	if typing.TraitsOf(in.Op()).Has(typing.Dref) {
		c.with(ir.TextureDref, f.floats32(spirv.ID(in[5]), 1)...)
	} else {
		c.head.Component = uint8(f.known(spirv.ID(in[5])) % 4)
	}
	switch { // a level other than the base level (SPV_AMD_texture_gather_bias_lod)
	case o.lod != 0:
		c.explicit(&o)
	case o.bias != 0:
		c.implicit(&o)
	}
	c.offset(&o)
	if id := max(o.offsets, o.constOffsets); id != 0 {
		c.with(ir.TextureOffsets, f.ints32(id, 8)...)
	}
	f.texelResult(in, c)
}

// gatherModes are the offsets of the four texels of OpImageGatherQCOM, by its mode:
// a row and a cross are relative to the texel that contains the coordinates, others
// to (i0,j0) of a linear filter (SPV_QCOM_image_processing3).
var gatherModes = [...]struct {
	nearest bool
	offsets [8]int32
}{
	{true, [8]int32{0, 0, 1, 0, 2, 0, 3, 0}},    // Gather4x1QCOM
	{true, [8]int32{0, 1, 1, 0, 0, -1, -1, 0}},  // GatherDQCOM
	{false, [8]int32{-1, 1, 2, 1, 2, 0, -1, 0}}, // GatherH2QCOM
	{false, [8]int32{0, 2, 1, 2, 1, -1, 0, -1}}, // GatherV2QCOM
}

// gatherMode lowers OpImageGatherQCOM.
func gatherMode(f *function, in spirv.Inst) {
	v := inst.ImageGatherQCOM(in)
	o := f.imageOperands(in[7:])
	c := f.sampled(ir.TextureGather, v.SampledImage(), &o)
	if c.head.Dim != ir.Dim2D {
		f.malformed("a gather in a mode from an image of %s", c.head.Dim)
	}
	if max(o.offsets, o.constOffsets, o.lod, o.bias) != 0 {
		f.unsupported("a gather in a mode with four offsets or a level of detail")
	}
	mode := gatherModes[f.known(v.Mode())%uint64(len(gatherModes))]
	c.head.Component, c.head.Nearest = uint8(f.known(v.Component())%4), mode.nearest
	c.at = f.floats32(v.Coordinate(), c.head.Coordinates())
	offset := []ir.V{f.b.I32(0), f.b.I32(0)}
	if id := max(o.offset, o.constOffset); id != 0 {
		offset = f.ints32(id, 2)
	}
	var four []ir.V
	for i, n := range mode.offsets {
		four = append(four, f.b.Op(ir.Add, ir.I32, offset[i%2], f.b.I32(uint32(n))))
	}
	c.with(ir.TextureOffsets, four...)
	f.texelResult(in, c)
}

// footprint lowers OpImageSampleFootprintNV.
func footprint(f *function, in spirv.Inst) {
	v := inst.ImageSampleFootprintNV(in)
	o := f.imageOperands(in[7:])
	c := f.sampled(ir.TextureFootprint, v.SampledImage(), &o)
	if t := &c.head; t.Dim != ir.Dim2D && t.Dim != ir.Dim3D || t.Arrayed {
		f.malformed("a footprint in an image of %s, arrayed %t", t.Dim, t.Arrayed)
	}
	c.at = f.floats32(v.Coordinate(), c.head.Coordinates())
	if o.lod != 0 || o.dx != 0 {
		c.explicit(&o)
	} else {
		c.implicit(&o)
	}
	if o.minLod != 0 {
		c.with(ir.TextureMinLod, f.floats32(o.minLod, 1)...)
	}
	coarse := f.facts.Const(v.Coarse())
	if coarse == nil || !coarse.Known {
		f.malformed("%%%d is not a constant; must be one", v.Coarse())
	}
	c.head.Coarse = coarse.Bits != 0
	c.texel = f.ints32(v.Granularity(), 1)
	list := c.run()
	types := f.flat(f.facts.Type(in.Type()))
	if len(types) != len(list) {
		f.malformed("the result has %d scalars; must have %d", len(types), len(list))
	}
	list = slices.Clone(list)
	list[0] = f.b.Cmp(ir.Eq, list[0], f.b.I32(1))
	for i, t := range types[1:] {
		list[i+1] = f.toInt(list[i+1], t)
	}
	f.define(in, list...)
}

// imageQueryLod lowers OpImageQueryLod, which without quads is the query of level 0.
func imageQueryLod(f *function, in spirv.Inst) {
	v := inst.ImageQueryLod(in)
	c := f.sampled(ir.TextureQueryLod, v.SampledImage(), &imageOperands{})
	n := c.head.Dim.Axes()
	c.at = f.floats32(v.Coordinate(), n)
	if f.inQuadGroups() {
		c.derivatives()
	}
	if c.head.Coordinates() > n {
		c.at = append(c.at, f.b.Const(ir.F32, 0)) // the layer, which is not asked for
	}
	f.defineTexel(in, c.run(), false)
}
