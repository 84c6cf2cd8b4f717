package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var attachmentRules = rules{
	spirv.OpColorAttachmentReadEXT:   colorAttachmentRead,
	spirv.OpDepthAttachmentReadEXT:   depthAttachmentRead,
	spirv.OpStencilAttachmentReadEXT: stencilAttachmentRead,
}

// fromPixel makes the coordinates of an access to an input attachment relative to the
// fragment's pixel (Vulkan §"Fragment Input Attachment Interface"). The layer is the
// framebuffer's. The text of Vulkan 1.1 also permits images with layers: there the
// third coordinate is the layer. In a subpass shader the pixel and the layer are the global invocation
// (VK_HUAWEI_subpass_shading).
func (c *textureCall) fromPixel(coordinate spirv.ID) {
	f := c.f
	if c.head.Op != ir.TextureRead {
		f.unsupported("of an input attachment")
	}
	layered := c.head.Arrayed
	if layered {
		c.at = f.ints32(coordinate, 3)
	} else {
		c.at = f.ints32(coordinate, 2)
	}
	for i := range 2 {
		c.at[i] = f.b.Op(ir.Add, ir.I32, f.pixel(i), c.at[i])
	}
	switch {
	case layered:
	case f.prog.Stage == ir.Compute:
		c.at = append(c.at, f.input32(ir.GlobalInvocationIdZ))
	default:
		layer := f.inputNumber(ir.Input{Semantic: ir.FramebufferLayer, Type: ir.I32})
		c.at = append(c.at, f.b.OpAux(ir.In, ir.I32, layer))
	}
	c.head.Arrayed, c.head.Subpass = true, true
}

// pixel returns a coordinate of the pixel of the fragment, or of the invocation of a subpass shader.
func (f *function) pixel(i int) ir.V {
	if f.prog.Stage == ir.Compute {
		return f.input32(ir.GlobalInvocationIdX + ir.Semantic(i))
	}
	n := f.inputNumber(ir.Input{Semantic: ir.FragCoord, Type: ir.F32, Index: uint32(i)})
	return f.b.Op(ir.FToS, ir.I32, f.b.OpAux(ir.In, ir.F32, n))
}

// Tile images are the color attachments as objects. The value of one is the location of
// its variable, which is known, and an offset in locations from it.

// maxTileLocation bounds the locations of tile images: far more than any device has.
const maxTileLocation = 32

// tileVariable assigns a pointer to a variable in TileImageEXT.
func (u *unit) tileVariable(p *pointer, v *facts.Variable) {
	d, _ := u.facts.Decoration(v.ID, spirv.DecorationLocation)
	n := descriptorCount(v.Type)
	if u.prog.Stage != ir.Fragment || n == 0 || n > maxTileLocation || d.Literal() > maxTileLocation {
		u.unsupported("tile images at location %d", d.Literal())
	}
	p.memory, p.number = tileImage, uint64(d.Literal())
	for k := range n {
		u.tiles |= 1 << (p.number + k)
	}
}

// stepTileImage indexes an array of tile images.
func (f *function) stepTileImage(p *pointer, i operand) {
	if !p.typ.IsArray() || p.typ.Elem == nil {
		f.malformed("the indexed type is not a composite; must be one")
	}
	i = f.bounded(i, p.typ.Count)
	p.typ = p.typ.Elem
	first := p.element
	if first == 0 {
		first = f.b.I32(0)
	}
	p.element = f.b.OpAux(ir.At, ir.I32, descriptorCount(p.typ), first, f.operandValue(i))
}

// colorAttachmentRead lowers OpColorAttachmentReadEXT. With an array index known only
// at run time it selects among the locations that tile images have.
func colorAttachmentRead(f *function, in spirv.Inst) {
	v := inst.ColorAttachmentReadEXT(in)
	x := f.image(v.Attachment())
	if x.typ.Image.Dim != spirv.DimTileImageDataEXT {
		f.malformed("the operand of %s is not a tile image; must be one", in.Op())
	}
	t := f.componentType(x.typ.Elem)
	if t == ir.I64 {
		f.unsupported("%s of 64 bits", in.Op())
	}
	sample := f.sampleOperand(v.Sample())
	read := func(location, component uint32) ir.V {
		return f.tileRead(ir.TileColor, t, 4*location+component, sample)
	}
	var parts []ir.V
	location, known := f.constBits(x.resource)
	index, first := f.constBits(x.index)
	at := f.b.OpAux(ir.At, ir.I32, 1, x.resource, x.index)
	for component := range uint32(4) {
		part := f.b.Const(t, 0)
		for l := range uint32(2 * maxTileLocation) {
			switch {
			case f.tiles>>l&1 == 0:
			case !known || !first:
				part = f.b.Select(f.b.Cmp(ir.Eq, at, f.b.I32(l)), read(l, component), part)
			case location+index == uint64(l):
				part = read(l, component)
			}
		}
		parts = append(parts, part)
	}
	f.defineTexel(in, parts, false)
}

// depthAttachmentRead lowers OpDepthAttachmentReadEXT.
func depthAttachmentRead(f *function, in spirv.Inst) {
	sample := f.sampleOperand(inst.DepthAttachmentReadEXT(in).Sample())
	f.defineTexel(in, []ir.V{f.tileRead(ir.TileDepth, ir.F32, 0, sample)}, false)
}

// stencilAttachmentRead lowers OpStencilAttachmentReadEXT.
func stencilAttachmentRead(f *function, in spirv.Inst) {
	sample := f.sampleOperand(inst.StencilAttachmentReadEXT(in).Sample())
	f.defineInts(in, f.tileRead(ir.TileStencil, ir.I32, 0, sample))
}

// sampleOperand is the sample that is read, by default the first.
func (f *function) sampleOperand(id spirv.ID, named bool) ir.V {
	if !named {
		return f.b.I32(0)
	}
	return f.ints32(id, 1)[0]
}

// tileRead reads a component of an attachment at the fragment's pixel.
func (f *function) tileRead(s ir.Semantic, t ir.Type, index uint32, sample ir.V) ir.V {
	if f.prog.Stage != ir.Fragment {
		f.unsupported("in a %s program", f.prog.Stage)
	}
	return f.b.OpAux(ir.InAt, t, f.inputNumber(ir.Input{Semantic: s, Type: t, Index: index}), sample)
}
