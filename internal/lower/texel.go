package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

var texelRules = rules{
	spirv.OpImageRead:                   imageRead,
	spirv.OpImageSparseRead:             imageRead,
	spirv.OpImageWrite:                  imageWrite,
	spirv.OpImageTexelPointer:           imageTexelPointer,
	spirv.OpImageFetch:                  imageFetch,
	spirv.OpImageSparseFetch:            imageFetch,
	spirv.OpUntypedImageTexelPointerEXT: untypedTexelPointer,
	spirv.OpImageSparseTexelsResident:   texelsResident,
}

// texel begins a call that names one texel: its coordinates, its level and its sample.
// Storage images have levels too (SPV_AMD_shader_image_load_store_lod).
func (f *function) texel(op ir.TextureOp, image, coordinate spirv.ID, o *imageOperands) *textureCall {
	c := f.texture(op, f.image(image), o)
	if c.on.typ.Image.Dim == spirv.DimSubpassData {
		c.fromPixel(coordinate)
	} else {
		c.at = f.ints32(coordinate, c.head.Coordinates())
	}
	if c.on.typ.Image.Dim != spirv.DimSubpassData {
		c.checkTexel(o.lod)
		c.checkTile()
	}
	if o.lod != 0 {
		c.with(ir.TextureLod, f.ints32(o.lod, 1)...)
	}
	switch {
	case !c.head.Multisampled:
	case o.sample == 0:
		c.with(ir.TextureSampleI, f.b.I32(0))
	default:
		c.with(ir.TextureSampleI, f.ints32(o.sample, 1)...)
	}
	return c
}

// imageRead lowers OpImageRead and its sparse form. A format itself defines whether
// its integers have a sign, which the operands SignExtend and ZeroExtend only
// repeat (VUID-StandaloneSpirv-Image-04965).
func imageRead(f *function, in spirv.Inst) {
	v := inst.ImageRead(in)
	o := f.imageOperands(in[5:])
	c := f.texel(ir.TextureRead, v.Image(), v.Coordinate(), &o)
	f.traceTexel(c.tracedTexel(o.lod), ir.Event{Read: true, Private: f.privateTexel(&o)})
	f.texelResult(in, c)
}

// imageFetch lowers OpImageFetch and its sparse form.
func imageFetch(f *function, in spirv.Inst) {
	v := inst.ImageFetch(in)
	o := f.imageOperands(in[5:])
	c := f.texel(ir.TextureFetch, v.Image(), v.Coordinate(), &o)
	if c.offset(&o); o.offset == 0 && o.constOffset == 0 { // an offset moves the texel
		f.traceTexel(c.tracedTexel(o.lod), ir.Event{Read: true, Private: f.privateTexel(&o)})
	}
	f.texelResult(in, c)
}

// texelResult runs a call and defines the instruction's result: the texel, after
// a residency code if the instruction is sparse. Without one, the shader cannot know
// that a texel has no memory, which is a finding.
func (f *function) texelResult(in spirv.Inst, c *textureCall) {
	sparse := typing.TraitsOf(in.Op()).Has(typing.Sparse)
	checked := hasSparseForm(in.Op()) && f.sanitizes(ir.SanitizeBounds)
	if sparse || checked {
		c.with(ir.TextureSparse)
	}
	parts := c.run()
	if checked {
		f.report(withoutMemory, f.not(f.b.Cmp(ir.Eq, parts[0], f.b.I32(0))), "a read of texels of a sparse image without memory")
		parts = parts[1:]
	}
	f.defineTexel(in, parts, sparse)
}

// checkMemory reports a change of a texel of a sparse image without memory, which is discarded. The residency code of a read of the texel
// tells it.
func (c *textureCall) checkMemory(change string) {
	f := c.f
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	read := *c
	read.head.Op, read.texel = ir.TextureRead, nil
	read.with(ir.TextureSparse)
	code := read.run()[0]
	f.report(withoutMemory, f.not(f.b.Cmp(ir.Eq, code, f.b.I32(0))), change+" of a texel of a sparse image without memory")
}

// hasSparseForm reports whether there is an instruction with the same result and a residency code.
func hasSparseForm(op spirv.Op) bool {
	switch op {
	case spirv.OpImageSampleImplicitLod, spirv.OpImageSampleExplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod,
		spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod,
		spirv.OpImageGather, spirv.OpImageDrefGather, spirv.OpImageFetch, spirv.OpImageRead:
		return true
	}
	return false
}

// defineTexel defines the result of an image instruction: the components of
// its type, preceded by the residency code if it is sparse.
func (f *function) defineTexel(in spirv.Inst, parts []ir.V, sparse bool) {
	types := f.flat(f.facts.Type(in.Type()))
	if len(types) == 0 || len(types) > len(parts) {
		f.malformed("the result has %d scalars; must have %d", len(types), len(parts))
	}
	out := make([]ir.V, len(types))
	for i, t := range types {
		v := parts[i]
		switch {
		case i == 0 && sparse:
			v = f.toInt(v, t)
		case t == ir.F16 && f.b.Func.Type(v) == ir.F32:
			v = f.Make(ir.FCvt, ir.F16, ir.F32, v, 0, 0)
		}
		out[i] = v
	}
	f.define(in, out...)
}

// imageWrite lowers OpImageWrite. Components that the texel does not have are 0, those after the fourth are unused.
func imageWrite(f *function, in spirv.Inst) {
	v := inst.ImageWrite(in)
	o := f.imageOperands(in[4:])
	c := f.texel(ir.TextureWrite, v.Image(), v.Coordinate(), &o)
	f.traceTexel(c.tracedTexel(o.lod), ir.Event{Write: true, Private: f.privateTexel(&o)})
	c.checkMemory("a store")
	n := min(len(f.scalars(v.Texel())), 4) // a long vector has components that no texel has
	parts := f.scalars(v.Texel())
	if c.head.Type == ir.F32 {
		parts = f.floats32(v.Texel(), n)
	}
	for i := range 4 {
		x := f.b.Const(c.head.Type, 0)
		if i < n {
			f.checkSameType(x, parts[i])
			x = parts[i]
		}
		c.texel = append(c.texel, x)
	}
	c.run()
}

// imageTexelPointer lowers OpImageTexelPointer: a pointer into the image's memory, for
// atomics.
func imageTexelPointer(f *function, in spirv.Inst) {
	v := inst.ImageTexelPointer(in)
	p := f.pointer(v.Image())
	if p.memory != object || p.typ.Op != spirv.OpTypeImage {
		f.malformed("%%%d is not a pointer to an image", v.Image())
	}
	f.texelPointer(in, p, p.typ, f.objectParts(p), v.Coordinate(), v.Sample())
}

// untypedTexelPointer lowers OpUntypedImageTexelPointerEXT: the same for an image operand
// of the instruction, in a heap of descriptors or not. The atomic determines the texel type.
func untypedTexelPointer(f *function, in spirv.Inst) {
	v := inst.UntypedImageTexelPointerEXT(in)
	t := f.facts.Type(v.ImageType())
	if t == nil || t.Op != spirv.OpTypeImage {
		f.malformed("%%%d is not an image type", v.ImageType())
	}
	p := f.typedPointer(v.Image(), t)
	switch {
	case p.heap && p.memory == inBuffer:
		f.texelPointer(in, p, t, f.eitherObject(p, t), v.Coordinate(), v.Sample())
	case p.memory == object && p.typ == t:
		f.texelPointer(in, p, t, f.objectParts(p), v.Coordinate(), v.Sample())
	default:
		f.malformed("%%%d is not a pointer to an image", v.Image())
	}
}

// texelPointer defines a pointer to a texel of the image that p leads to.
func (f *function) texelPointer(in spirv.Inst, p *pointer, t *facts.Type, parts []ir.V, coordinate, sample spirv.ID) {
	to := f.facts.Type(in.Type())
	if to == nil || !to.IsPointer() && to.Op != spirv.OpTypeUntypedPointerKHR {
		f.malformed("the result is not a pointer; must be one")
	}
	x := image{typ: t, flags: p.flags, resource: parts[0], index: parts[1]}
	c := f.texture(ir.TextureTexel, x, &imageOperands{})
	c.head.Flags = 0
	c.at = f.ints32(coordinate, c.head.Coordinates())
	if c.head.Multisampled {
		c.with(ir.TextureSampleI, f.ints32(sample, 1)...)
	}
	c.checkTile()
	traced := c.tracedTexel(0)
	c.checkMemory("an atomic")
	at := c.run()[0]
	f.definePointer(in, &pointer{texel: traced, memory: inBuffer, typ: to.Elem, class: to.Storage, flags: p.flags, handle: f.part(x, 0), offset: offset{dyn: at}})
}

// texelsResident lowers OpImageSparseTexelsResident: the code is 0 if all are.
func texelsResident(f *function, in spirv.Inst) {
	code := f.one(inst.ImageSparseTexelsResident(in).ResidentCode())
	f.define(in, f.b.Cmp(ir.Eq, code, f.b.Const(f.b.Func.Type(code), 0)))
}
