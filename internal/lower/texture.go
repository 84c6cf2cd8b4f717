package lower

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// An image instruction is a call of a texture function. The function's head describes
// the access.

// maxChoices bounds the pairs of image and sampler that one instruction may choose
// among at run time.
const maxChoices = 1 << 10

// textureCall is a call of a texture function that is being put together.
type textureCall struct {
	f        *function
	on       image
	head     ir.Texture
	at       []ir.V     // the coordinates
	operands [16][]ir.V // by the bits of TextureOperands
	texel    []ir.V     // of a write the components; of image processing the arguments after the coordinates
	other    *image     // the second image of image processing
}

// texture begins a call on an image; its operands' flags are the flags of the access.
func (f *function) texture(op ir.TextureOp, x image, o *imageOperands) *textureCall {
	im := x.typ.Image
	t := ir.Texture{Op: op, Arrayed: im.Arrayed, Multisampled: im.MS, Type: f.componentType(x.typ.Elem), Sampler: -1, Flags: x.flags | o.flags}
	switch im.Dim {
	case spirv.Dim1D:
		t.Dim = ir.Dim1D
	case spirv.Dim2D, spirv.DimSubpassData:
		t.Dim = ir.Dim2D
	case spirv.Dim3D:
		t.Dim = ir.Dim3D
	case spirv.DimCube:
		t.Dim = ir.DimCube
	case spirv.DimBuffer:
		t.Dim = ir.DimBuffer
	default:
		f.unsupported("an image of dimension %s", im.Dim)
	}
	f.checkDescriptor(x.resource, x.index)
	f.checkPassed(x.resource, x.index, 0, func() ir.V { return f.part(x, 1) }, "image")
	if x.sampler != [2]ir.V{} {
		f.checkDescriptor(x.sampler[0], x.sampler[1])
		f.checkPassed(x.sampler[0], x.sampler[1], ir.SamplerHeap, func() ir.V { return f.samplerHandle(x) }, "sampler")
	}
	return &textureCall{f: f, on: x, head: t}
}

// componentType returns the type that texels have in the IR: floats of 16 bits are
// converted on arrival (SPV_AMD_gpu_shader_half_float_fetch).
func (f *function) componentType(t *facts.Type) ir.Type {
	switch s := f.scalar(t); s {
	case ir.F32, ir.I32, ir.I64:
		return s
	case ir.F16:
		return ir.F32
	}
	f.unsupported("an image of %s %d", t.Op, t.Width)
	return 0
}

// with adds an operand to the call.
func (c *textureCall) with(o ir.TextureOperands, parts ...ir.V) {
	c.head.Operands |= o
	c.operands[bits.TrailingZeros16(uint16(o))] = parts
}

// offset adds the offset of its operands to the call.
func (c *textureCall) offset(o *imageOperands) {
	id := o.offset
	if id == 0 {
		id = o.constOffset
	}
	switch {
	case id == 0:
	case c.head.Dim == ir.DimCube:
		c.f.malformed("an offset in a cube")
	default:
		c.with(ir.TextureOffset, c.f.ints32(id, c.head.Dim.Axes())...)
	}
}

// run appends the call, or the choice among several, and returns its results.
func (c *textureCall) run() []ir.V {
	f := c.f
	sampled := c.on.sampler[0] != 0 && (!c.head.Integral() || c.head.Matches())
	var args []ir.V
	if args = append(args, c.on.index); sampled {
		args = append(args, c.on.sampler[1])
	}
	args = append(args, c.at...)
	for _, parts := range c.operands {
		args = append(args, parts...)
	}
	args = append(args, c.texel...)
	images, samplers, others := f.imageResources(c.on), []int{-1}, []int{0}
	if sampled {
		samplers = f.samplers(c.on)
	}
	if c.other != nil {
		others = f.imageResources(*c.other)
	}
	switch n := len(images) * len(samplers) * len(others); {
	case n == 1:
		c.head.Other = others[0]
		return c.call(images[0], samplers[0], args)
	case n > maxChoices:
		f.tooLarge("a selection from %d images and %d samplers, with %d second images; at most %d combinations", len(images), len(samplers), len(others), maxChoices)
	}
	return c.choose(images, samplers, others, args)
}

// call appends the call that works on one image through one sampler.
func (c *textureCall) call(image, sampler int, args []ir.V) []ir.V {
	c.head.Image, c.head.Sampler = image, sampler
	_, results := c.head.Signature()
	return c.f.b.Call(c.f.textures.Number(c.head), results, args...)
}

// choose appends a call for each image, sampler and second image that it may be; if
// it is none, the results are the results of the null descriptor.
func (c *textureCall) choose(images, samplers, others []int, args []ir.V) []ir.V {
	b := c.f.b
	_, types := c.head.Signature()
	done := b.Block(types...)
	each := func(list []int, resource func() ir.V, body func(n int)) {
		for _, n := range list {
			if len(list) == 1 {
				body(n)
				continue
			}
			b.If(b.Cmp(ir.Eq, resource(), b.I32(uint32(n))))
			body(n)
			b.End()
		}
	}
	for _, n := range images {
		b.If(b.Cmp(ir.Eq, c.on.resource, b.I32(uint32(n))))
		each(samplers, func() ir.V { return c.on.sampler[0] }, func(s int) {
			each(others, func() ir.V { return c.other.resource }, func(o int) {
				c.head.Other = o
				b.Br(done, c.call(n, s, args)...)
			})
		})
		b.End()
	}
	var none []ir.V
	for _, t := range types {
		v := b.Const(t, 0)
		if c.head.Op == ir.TextureTexel {
			v = b.I32(farAway)
		}
		none = append(none, v)
	}
	b.Br(done, none...)
	b.End()
	return c.f.b.Func.Params(done)
}

// appendTextures appends the texture functions to the program, and marks the images that do not change during the run.
func (u *unit) appendTextures() {
	u.textures.Append(u.prog)
	u.freeze()
}

// freeze marks images that no invocation writes, provided the program writes no image
// and no access requires visibility of other workers' writes. The memory of a texel
// buffer may also be the memory of a buffer that the program writes.
func (u *unit) freeze() {
	writes := u.prog.Effects.Writes
	moving := map[int]bool{}
	for i := range u.textures.Heads {
		t := &u.textures.Heads[i]
		if t.Op == ir.TextureWrite || t.Op == ir.TextureTexel {
			return
		}
		if t.Flags&(ir.Volatile|ir.Coherent) != 0 || writes && t.Dim == ir.DimBuffer {
			moving[t.Image] = true
		}
	}
	for i := range u.prog.Res {
		if u.prog.Res[i].Kind == ir.Texels && !moving[i] {
			u.prog.Res[i].NonWritable = true
		}
	}
}
