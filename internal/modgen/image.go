package modgen

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// Picture is a descriptor of an image, in set 0, with its initial texels.
type Picture struct {
	Binding       uint32
	Storage       bool   // a storage image, which the module writes
	Texels        bool   // a texel buffer
	Format        string // Vulkan's name without VK_FORMAT_
	Width, Height int
	Levels        int
	Linear        bool // filtered so, with a sampler
	Address       int  // of the sampler: VkSamplerAddressMode
	Bytes         []byte
}

// side is how many texels a storage image is wide and high: no dispatch has more
// invocations than it has texels.
const side = 16

const imageCapabilities = "OpCapability SampledBuffer\nOpCapability ImageQuery\nOpCapability SampledImageArrayDynamicIndexing\n"

// pictures declares two images with samplers, a storage image and a texel buffer.
func (g *maker) pictures() {
	g.note("%textures DescriptorSet 0", "%textures Binding 5", "%canvas DescriptorSet 0", "%canvas Binding 6", "%texels DescriptorSet 0", "%texels Binding 7")
	f := g.typeOf(f32)
	g.declare("%Image", "OpTypeImage "+f+" 2D 0 0 0 1 Unknown")
	g.declare("%Sampled", "OpTypeSampledImage %Image")
	g.declare("%Textures", "OpTypeArray %Sampled "+g.constant(u32, "2"))
	g.declare("%Canvas", "OpTypeImage "+g.typeOf(u32)+" 2D 0 0 0 2 R32ui")
	g.declare("%Texels", "OpTypeImage "+f+" Buffer 0 0 0 1 Unknown")
	g.global("%textures", "%Textures", "UniformConstant")
	g.global("%canvas", "%Canvas", "UniformConstant")
	g.global("%texels", "%Texels", "UniformConstant")
}

// bound are the images of the dispatch.
func (g *maker) bound() []Picture {
	format := func() string {
		return choose(g.source, "R8G8B8A8_UNORM", "R32_SFLOAT", "R16G16_SNORM", "R8G8B8A8_SRGB", "R16G16B16A16_SFLOAT", "A2B10G10R10_UNORM_PACK32")
	}
	list := []Picture{{Binding: 6, Storage: true, Format: "R32_UINT", Width: side, Height: side, Levels: 1}, {Binding: 7, Texels: true, Format: format(), Width: inputs, Height: 1}}
	for range 2 {
		list = append(list, Picture{Binding: 5, Format: format(), Width: 1 + g.intn(9), Height: 1 + g.intn(9), Levels: 1, Linear: g.chance(2), Address: g.intn(5)})
	}
	for i := range list {
		p := &list[i]
		if i > 1 && min(p.Width, p.Height) > 1 && g.chance(2) {
			p.Levels = 2
		}
		p.Bytes = g.fill(p.Width*p.Height*4, false) // no texel has more than 16 bytes, and the excess is not read
	}
	return list
}

// picture writes a statement that does something to an image.
func (g *maker) picture() {
	switch g.intn(8) {
	case 0, 1, 2:
		g.sample()
	case 3:
		i := g.at(inputs)
		g.put(vector(typing.Float, 32, 4), false, "OpImageFetch %s "+g.load("%Texels", "%texels")+" "+i.id)
	case 4:
		i := g.need(u32)
		i = g.and(i, "1")
		t := g.load("%Sampled", g.chain("UniformConstant", "%Sampled", "%textures", i.id))
		g.names++
		id := fmt.Sprintf("%%q%d", g.names)
		g.line("%s = OpImage %%Image %s", id, t)
		g.put(vector(typing.Int, 32, 2), false, "OpImageQuerySizeLod %s "+id+" "+g.need(u32).id)
	default:
		g.canvas()
	}
}

// load loads an object and returns its id.
func (g *maker) load(t, from string) string {
	g.names++
	id := fmt.Sprintf("%%q%d", g.names)
	g.line("%s = OpLoad %s %s", id, t, from)
	return id
}

// sample samples one of the images.
func (g *maker) sample() {
	f2, f4 := vector(typing.Float, 32, 2), vector(typing.Float, 32, 4)
	at := g.need(f2)
	i := g.need(u32)
	i = g.and(i, "1")
	t := g.load("%Sampled", g.chain("UniformConstant", "%Sampled", "%textures", i.id))
	switch g.intn(4) {
	case 0:
		dx, dy := g.need(f2), g.need(f2)
		g.put(f4, false, "OpImageSampleExplicitLod %s "+t+" "+at.id+" Grad "+dx.id+" "+dy.id)
	case 1:
		g.put(f4, false, "OpImageGather %s "+t+" "+at.id+" "+g.constant(u32, fmt.Sprint(g.intn(4))))
	default:
		g.put(f4, false, "OpImageSampleExplicitLod %s "+t+" "+at.id+" Lod "+g.need(f32).id)
	}
}

// canvas reads, writes or counts in the storage image: if order matters, the
// texel of this invocation.
func (g *maker) canvas() {
	own := g.plain(u32, false, "OpLoad %s %lin")
	if g.chance(2) {
		own = g.need(u32)
	}
	x := g.plain(u32, false, "OpBitwiseAnd %s "+own.id+" "+g.constant(u32, fmt.Sprint(side-1)))
	y := g.plain(u32, false, "OpShiftRightLogical %s "+own.id+" "+g.constant(u32, "4"))
	at := g.plain(vector(typing.UInt, 32, 2), false, "OpCompositeConstruct %s "+x.id+" "+y.id)
	switch g.intn(3) {
	case 0:
		g.put(vector(typing.UInt, 32, 4), false, "OpImageRead %s "+g.load("%Canvas", "%canvas")+" "+at.id)
	case 1:
		v := g.need(vector(typing.UInt, 32, 4))
		g.line("OpImageWrite %s %s %s", g.load("%Canvas", "%canvas"), at.id, v.id)
	default:
		p := g.pointer("Image", g.typeOf(u32))
		g.names++
		id := fmt.Sprintf("%%q%d", g.names)
		g.line("%s = OpImageTexelPointer %s %%canvas %s %s", id, p, at.id, g.zero())
		op := choose(g.source, "OpAtomicIAdd", "OpAtomicUMax", "OpAtomicXor", "OpAtomicExchange")
		g.put(u32, false, op+" %s "+id+" "+g.constant(u32, "1")+" "+g.zero()+" "+g.need(u32).id)
	}
}
