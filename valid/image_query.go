package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// imageQueryFamily checks the queries of images and pointers to texels (SPIR-V
// §3.3.10).
var imageQueryFamily = family{
	rules: []Rule{
		{Code: "SPV-ImageQuery-Result", Section: "SPIR-V 3.3.10", Words: "a query yields one integer for each dimension and layer of the image, OpImageQueryLod two floats"},
		{Code: "SPV-ImageQuery-Operand", Section: "SPIR-V 3.3.10", Words: "the operand of a query is an image, of OpImageQueryLod a sampled image, and a level is an integer of 32 bits"},
		{Code: "SPV-ImageQuery-Kind", Section: "SPIR-V 3.3.10", Words: "the image of a query has the queried property: a size, levels or samples"},
		{Code: "SPV-TexelPointer-Result", Section: "SPIR-V 3.3.8", Words: "a texel pointer points to the sampled type in Image"},
		{Code: "SPV-TexelPointer-Image", Section: "SPIR-V 3.3.8", Words: "the image of a texel pointer is a pointer to an image, but to no subpass and no tile, and only 1D, 2D and cube images have layers"},
		{Code: "SPV-TexelPointer-Coordinate", Section: "SPIR-V 3.3.8", Words: "the coordinate of a texel pointer has an integer of 32 bits for each dimension and layer"},
		{Code: "SPV-TexelPointer-Sample", Section: "SPIR-V 3.3.8", Words: "the sample of a texel pointer is an integer, and the constant 0 if the image has one sample"},
		{Code: "SPV-TexelPointer-Use", Section: "SPIR-V 3.3.10", Words: "only atomic instructions use a texel pointer; no instruction loads, stores or copies through it"},
		{Code: vuid.StandaloneSpirv_OpImageQuerySizeLod_04659, Section: environment, Words: "the image of OpImageQuerySizeLod, OpImageQueryLod and OpImageQueryLevels has Sampled 1"},
		{Code: vuid.StandaloneSpirv_OpImageTexelPointer_04658, Section: environment, Words: "a texel pointer refers to an image of the format R64i, R64ui, R32f, R32i or R32ui"},
		{Code: vuid.StandaloneSpirv_OpUntypedImageTexelPointerEXT_11416, Section: environment, Words: "an untyped texel pointer refers to an image of the format R64i, R64ui, R32f, R32i or R32ui"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpImageQuerySizeLod:           imageJudge((*images).querySize),
		spirv.OpImageQuerySize:              imageJudge((*images).querySize),
		spirv.OpImageQueryFormat:            imageJudge((*images).queryNumber),
		spirv.OpImageQueryOrder:             imageJudge((*images).queryNumber),
		spirv.OpImageQueryLevels:            imageJudge((*images).queryNumber),
		spirv.OpImageQuerySamples:           imageJudge((*images).queryNumber),
		spirv.OpImageQueryLod:               imageJudge((*images).queryLod),
		spirv.OpImageTexelPointer:           imageJudge((*images).texelPointer),
		spirv.OpUntypedImageTexelPointerEXT: imageJudge((*images).untypedTexelPointer),
	},
	ops: []group{{imageJudge((*images).throughTexel), []spirv.Op{spirv.OpLoad, spirv.OpStore, spirv.OpCopyMemory, spirv.OpCopyMemorySized}}},
}

// throughTexel checks that memory is not reached by a pointer to a texel.
func (c *images) throughTexel(i int, in spirv.Inst) {
	if !c.content.texels {
		return
	}
	var ids [2]spirv.ID
	switch in.Op() {
	case spirv.OpLoad:
		ids[0] = inst.Load(in).Pointer()
	case spirv.OpStore:
		ids[0] = inst.Store(in).Pointer()
	default: // the operands of both copies begin alike
		v := inst.CopyMemory(in)
		ids = [2]spirv.ID{v.Target(), v.Source()}
	}
	for _, id := range ids {
		if t := c.m.TypeOf(id); t != nil && t.IsPointer() && t.Storage == spirv.StorageClassImage {
			c.fail(i, "SPV-TexelPointer-Use", "%s uses %s, a texel pointer; must be an atomic instruction", in.Op(), c.name(id))
			return
		}
	}
}

// queried returns the type of the image operand of a query.
func (c *images) queried(i int, op spirv.Op, id spirv.ID) *facts.Type {
	t := c.m.TypeOf(id)
	if t != nil && t.Image == nil {
		c.fail(i, "SPV-ImageQuery-Operand", "%s of %s; must be of an image", op, c.name(id))
		return nil
	}
	return t
}

// unsuitedQuery reports an image that does not have the property of a query.
func (c *images) unsuitedQuery(i int, op spirv.Op, t *facts.Type, want string) {
	m := t.Image
	c.fail(i, "SPV-ImageQuery-Kind", "%s of an image of dimension %s, sampled %d, multisampled %t; must be %s", op, m.Dim, m.Sampled, m.MS, want).also(c, t.Index, "the image")
}

// queriesSampled checks that the image in a query of levels is a sampled one.
func (c *images) queriesSampled(i int, op spirv.Op, t *facts.Type) {
	if c.vulkan && t.Image.Sampled != 1 {
		c.fail(i, vuid.StandaloneSpirv_OpImageQuerySizeLod_04659, "%s of an image with sampled %d; must be 1", op, t.Image.Sampled).also(c, t.Index, "the image")
	}
}

// querySize checks OpImageQuerySize and OpImageQuerySizeLod.
func (c *images) querySize(i int, in spirv.Inst) {
	op, v := in.Op(), inst.ImageQuerySizeLod(in)
	t := c.m.Type(in.Type())
	if t == nil {
		return
	}
	if !isInts(t) {
		c.fail(i, "SPV-ImageQuery-Result", "%s yields %s; must yield integers", op, c.typeName(t))
		return
	}
	image := c.queried(i, op, v.Image())
	if image == nil {
		return
	}
	m := image.Image
	n := axes(m.Dim)
	if m.Dim == spirv.DimCube {
		n = 2
	}
	if m.Arrayed {
		n++
	}
	switch m.Dim {
	case spirv.Dim1D, spirv.Dim2D, spirv.Dim3D, spirv.DimCube:
		if op == spirv.OpImageQuerySizeLod && m.MS {
			c.unsuitedQuery(i, op, image, "of one sample")
		}
		if op == spirv.OpImageQuerySize && !m.MS && m.Sampled == 1 {
			c.unsuitedQuery(i, op, image, "multisampled, or have sampled 0 or 2")
		}
	case spirv.DimBuffer, spirv.DimRect:
		if op == spirv.OpImageQuerySizeLod {
			c.unsuitedQuery(i, op, image, "1D, 2D, 3D or Cube")
			return
		}
	default:
		c.unsuitedQuery(i, op, image, "of another dimension")
		return
	}
	if t.Components() != n {
		c.fail(i, "SPV-ImageQuery-Result", "%s yields %s; must yield %d", op, components(t.Components()), n).also(c, image.Index, "the image")
	}
	if op == spirv.OpImageQuerySizeLod {
		if l := c.m.TypeOf(v.LevelOfDetail()); l != nil && !isWord(l) {
			c.fail(i, "SPV-ImageQuery-Operand", "the level of %s is %s; must be an integer of 32 bits", op, c.typeName(l))
		}
		c.queriesSampled(i, op, image)
	}
}

// queryNumber checks the queries that yield one integer.
func (c *images) queryNumber(i int, in spirv.Inst) {
	op := in.Op()
	if t := c.m.Type(in.Type()); t != nil && !t.IsInt() {
		c.fail(i, "SPV-ImageQuery-Result", "%s yields %s; must yield an integer", op, c.typeName(t))
		return
	}
	image := c.queried(i, op, inst.ImageQueryLevels(in).Image())
	if image == nil {
		return
	}
	m := image.Image
	switch op {
	case spirv.OpImageQueryLevels:
		if m.Dim != spirv.Dim1D && m.Dim != spirv.Dim2D && m.Dim != spirv.Dim3D && m.Dim != spirv.DimCube {
			c.unsuitedQuery(i, op, image, "1D, 2D, 3D or Cube")
			return
		}
		c.queriesSampled(i, op, image)
	case spirv.OpImageQuerySamples:
		if m.Dim != spirv.Dim2D || !m.MS {
			c.unsuitedQuery(i, op, image, "2D and multisampled")
		}
	default:
		if m.Dim == spirv.DimTileImageDataEXT {
			c.unsuitedQuery(i, op, image, "of another dimension")
		}
	}
}

// queryLod checks OpImageQueryLod.
func (c *images) queryLod(i int, in spirv.Inst) {
	op, v := in.Op(), inst.ImageQueryLod(in)
	c.implicitLod(i, op)
	if t := c.m.Type(in.Type()); t != nil && (!t.IsVector() || !t.Scalar().IsFloat() || t.Components() != 2) {
		c.fail(i, "SPV-ImageQuery-Result", "OpImageQueryLod yields %s; must yield a vector of 2 floats", c.typeName(t))
		return
	}
	a := imageAccess{i: i, op: op, how: typing.ImplicitLod}
	s := c.m.TypeOf(v.SampledImage())
	switch {
	case s != nil && s.Op != spirv.OpTypeSampledImage:
		c.fail(i, "SPV-ImageQuery-Operand", "OpImageQueryLod of %s; must be of a sampled image", c.name(v.SampledImage()))
		return
	case s == nil || s.Elem == nil || s.Elem.Image == nil:
		return
	}
	a.image = s.Elem
	if m := a.image.Image; m.Dim != spirv.Dim1D && m.Dim != spirv.Dim2D && m.Dim != spirv.Dim3D && m.Dim != spirv.DimCube {
		c.unsuitedQuery(i, op, a.image, "1D, 2D, 3D or Cube")
		return
	}
	t := c.m.TypeOf(v.Coordinate())
	if t == nil {
		return
	}
	n := axes(a.image.Image.Dim)
	switch {
	case t.IsMatrix() || t.Scalar() == nil || !isSingle(t.Scalar()) && !(c.capable(spirv.CapabilityKernel) && isWord(t.Scalar())):
		c.fail(i, "SPV-Image-Coordinate", "the coordinate of %s is %s; must be of floats of 32 bits", op, c.typeName(t))
	case t.Components() < n:
		c.fail(i, "SPV-Image-Coordinate", "the coordinate of %s has %s; must have at least %d", op, components(t.Components()), n)
	}
	c.queriesSampled(i, op, a.image)
}

func (c *images) texelPointer(i int, in spirv.Inst) {
	v := inst.ImageTexelPointer(in)
	t, p := c.m.Type(in.Type()), c.m.TypeOf(v.Image())
	if t == nil {
		return
	}
	if !t.IsPointer() || t.Storage != spirv.StorageClassImage {
		c.fail(i, "SPV-TexelPointer-Result", "OpImageTexelPointer yields %s; must yield a pointer into Image", c.typeName(t))
		return
	}
	if e := t.Elem; e != nil && !numbers(e) && !e.IsVoid() || e.IsVector() && !c.capable(spirv.CapabilityAtomicFloat16VectorNV) {
		c.fail(i, "SPV-TexelPointer-Result", "OpImageTexelPointer yields a pointer to %s; must point to a scalar number", c.typeName(t.Elem))
		return
	}
	if p == nil {
		return
	}
	if !p.IsPointer() || p.Op == spirv.OpTypePointer && p.Elem != nil && p.Elem.Image == nil {
		c.fail(i, "SPV-TexelPointer-Image", "the image of OpImageTexelPointer is %s; must be a pointer to an image", c.typeName(p))
		return
	}
	if p.Elem == nil || p.Elem.Image == nil {
		return
	}
	if s := p.Elem.Elem; s != nil && t.Elem != nil && s != t.Elem && !(t.Elem.IsVector() && s.IsFloat()) {
		c.fail(i, "SPV-TexelPointer-Result", "OpImageTexelPointer yields a pointer to %s; must point to the sampled type, %s", c.typeName(t.Elem), c.typeName(s))
	}
	c.texelAddress(i, in.Op(), p.Elem, v.Coordinate(), v.Sample())
	c.texelFormat(i, in.Op(), vuid.StandaloneSpirv_OpImageTexelPointer_04658, p.Elem)
	c.imageSign(i, in.Op(), p.Elem, 0)
}

func (c *images) untypedTexelPointer(i int, in spirv.Inst) {
	v := inst.UntypedImageTexelPointerEXT(in)
	t, image, p := c.m.Type(in.Type()), c.m.Type(v.ImageType()), c.m.TypeOf(v.Image())
	switch {
	case t == nil || image == nil:
	case t.Op != spirv.OpTypeUntypedPointerKHR || t.Storage != spirv.StorageClassImage:
		c.fail(i, "SPV-TexelPointer-Result", "%s yields %s; must yield an untyped pointer into Image", in.Op(), c.typeName(t))
	case image.Image == nil:
		c.fail(i, "SPV-TexelPointer-Image", "the type of the image is %s; must be an image", c.typeName(image))
	case p != nil && p.Op != spirv.OpTypeUntypedPointerKHR:
		c.fail(i, "SPV-TexelPointer-Image", "the image of %s is %s; must be an untyped pointer", in.Op(), c.typeName(p))
	default:
		c.texelAddress(i, in.Op(), image, v.Coordinate(), v.Sample())
		c.texelFormat(i, in.Op(), vuid.StandaloneSpirv_OpUntypedImageTexelPointerEXT_11416, image)
	}
}

// texelAddress checks the coordinate and the sample of a pointer to a texel.
func (c *images) texelAddress(i int, op spirv.Op, image *facts.Type, coordinate, sample spirv.ID) {
	m := image.Image
	if m.Dim == spirv.DimSubpassData || m.Dim == spirv.DimTileImageDataEXT {
		c.fail(i, "SPV-TexelPointer-Image", "%s of an image of dimension %s; must be another", op, m.Dim).also(c, image.Index, "the image")
		return
	}
	n := axes(m.Dim)
	switch {
	case !m.Arrayed || m.Dim == spirv.DimCube:
	case m.Dim == spirv.Dim1D || m.Dim == spirv.Dim2D:
		n++
	default:
		c.fail(i, "SPV-TexelPointer-Image", "%s of an image of dimension %s with layers; must be 1D, 2D or Cube", op, m.Dim).also(c, image.Index, "the image")
		return
	}
	if t := c.m.TypeOf(coordinate); t != nil && (!isInts(t) || t.Scalar().Width != 32 || t.Components() != n) {
		c.fail(i, "SPV-TexelPointer-Coordinate", "the coordinate of %s is %s; must have %d integers of 32 bits", op, c.typeName(t), n)
	}
	t := c.m.TypeOf(sample)
	if t == nil {
		return
	}
	if !t.IsInt() {
		c.fail(i, "SPV-TexelPointer-Sample", "the sample of %s is %s; must be an integer", op, c.typeName(t))
		return
	}
	if k := c.declaredConstant(sample); !m.MS && (k == nil || k.Known && k.Bits != 0) {
		c.fail(i, "SPV-TexelPointer-Sample", "the sample of %s is %s; must be the constant 0 of an image with one sample", op, c.name(sample))
	}
}

// texelFormat checks the format of the image of a texel pointer.
func (c *images) texelFormat(i int, op spirv.Op, code string, image *facts.Type) {
	if !c.vulkan {
		return
	}
	switch f := image.Image.Format; f {
	case spirv.ImageFormatR32f:
		if c.older() && !c.anyCapable(spirv.CapabilityAtomicFloat32AddEXT, spirv.CapabilityAtomicFloat32MinMaxEXT) {
			c.fail(i, code, "%s of an image of the format R32f; must be R32i or R32ui in %s, or have a capability of float atomics", op, text11).also(c, image.Index, "the image")
		}
	case spirv.ImageFormatR64i, spirv.ImageFormatR64ui, spirv.ImageFormatR32i, spirv.ImageFormatR32ui:
	case spirv.ImageFormatRg16f, spirv.ImageFormatRgba16f:
		if c.capable(spirv.CapabilityAtomicFloat16VectorNV) {
			return
		}
		fallthrough
	default:
		c.fail(i, code, "%s of an image of the format %s; must be R64i, R64ui, R32f, R32i or R32ui", op, f).also(c, image.Index, "the image")
	}
}
