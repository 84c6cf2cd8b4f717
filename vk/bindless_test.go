package vk

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// moved writes attribute 0 plus the offset in the push constants as the position, and the texture coordinates in its z
// and w.
const moved = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %pos %uv %push
OpDecorate %in Location 0
OpDecorate %pos BuiltIn Position
OpDecorate %uv Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%block = OpTypeStruct %v2 %int
%pblock = OpTypePointer PushConstant %block
%pv2 = OpTypePointer PushConstant %v2
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%pout2 = OpTypePointer Output %v2
%zero = OpConstant %int 0
%half = OpConstant %float 0.5
%one = OpConstant %float 1
%in = OpVariable %pin Input
%pos = OpVariable %pout Output
%uv = OpVariable %pout2 Output
%push = OpVariable %pblock PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %in
%xy = OpVectorShuffle %v2 %x %x 0 1
%zw = OpVectorShuffle %v2 %x %x 2 3
%po = OpAccessChain %pv2 %push %zero
%o = OpLoad %v2 %po
%at = OpFAdd %v2 %xy %o
%p = OpCompositeConstruct %v4 %at %half %one
OpStore %pos %p
OpStore %uv %zw
OpReturn
OpFunctionEnd
`

// textured samples the texture of the push constants in an array of TEXTURES at set 0, binding 0. With one texture it is
// the one that is bound.
const textured = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %uv %out %s %push
OpExecutionMode %main OriginUpperLeft
OpDecorate %uv Location 0
OpDecorate %out Location 0
OpDecorate %s DescriptorSet 0
OpDecorate %s Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%block = OpTypeStruct %v2 %int
%pblock = OpTypePointer PushConstant %block
%pint = OpTypePointer PushConstant %int
%pin = OpTypePointer Input %v2
%pout = OpTypePointer Output %v4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%n = OpConstant %int TEXTURES
%array = OpTypeArray %sampled %n
%parray = OpTypePointer UniformConstant %array
%psampled = OpTypePointer UniformConstant %sampled
%one = OpConstant %int 1
%uv = OpVariable %pin Input
%out = OpVariable %pout Output
%s = OpVariable %parray UniformConstant
%push = OpVariable %pblock PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%pi = OpAccessChain %pint %push %one
%i = OpLoad %int %pi
%last = OpISub %int %n %one
%min = OpExtInst %int %ext UMin %i %last
%ps = OpAccessChain %psampled %s %min
%si = OpLoad %sampled %ps
%at = OpLoad %v2 %uv
%c = OpImageSampleImplicitLod %v4 %si %at
OpStore %out %c
OpReturn
OpFunctionEnd
`

// texturedWith returns the text of textured for an array of n textures.
func texturedWith(n int) string {
	text := strings.ReplaceAll(textured, "TEXTURES", fmt.Sprint(n))
	return strings.Replace(text, "OpMemoryModel", "%ext = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel", 1)
}

// bindlessFormats are the formats of the textures.
var bindlessFormats = [...]string{
	"R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8A8_SRGB", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT",
	"R8_UNORM", "R8G8_UNORM", "A2B10G10R10_UNORM_PACK32", "B10G11R11_UFLOAT_PACK32", "R5G6B5_UNORM_PACK16",
}

// gallery draws patches of triangles, each with a texture of its own.
type gallery struct {
	*rig
	layout   *PipelineLayout
	pipeline *GraphicsPipeline
	sets     []*Set // one for all textures, or one for each
	color    *Image
	view     *ImageView
	vertices *Buffer
	size     int
	images   []*Image
}

// newGallery makes a gallery of size×size pixels with textures of side×side texels, in one array or each in a set of its own.
func newGallery(t testing.TB, size, textures, side int, array bool) *gallery {
	t.Helper()
	if array {
		return newGalleryOf(t, size, textures, side, textures)
	}
	return newGalleryOf(t, size, textures, side, 1)
}

// newGalleryOf is newGallery with the length of the array; with 1 each texture has a set of its own.
func newGalleryOf(t testing.TB, size, textures, side, count int) *gallery {
	t.Helper()
	g := &gallery{rig: newRig(t, DeviceInfo{}, storage), size: size}
	d := g.dev
	rgba := formatOf(t, "R8G8B8A8_UNORM")
	g.color = must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: rgba, Extent: [3]int{size, size, 1}, Usage: ImageColorAttachment | ImageTransferSource}))(t)
	n, _ := g.color.Requirements()
	if err := g.color.Bind(must(d.Allocate(MemoryInfo{Size: n}))(t), 0); err != nil {
		t.Fatal(err)
	}
	g.view = must(d.NewImageView(ImageViewInfo{Image: g.color, Type: enum.ViewType2d}))(t)
	g.vertices = must(d.NewBuffer(BufferInfo{Size: 300 * 16, Usage: VertexBufferUsage}))(t)
	memory := must(d.Allocate(MemoryInfo{Size: 300 * 16}))(t)
	if err := g.vertices.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	l := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.CombinedImageSampler), Count: uint32(count), Stages: link.AllStages}}}))(t)
	g.layout = must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}, Push: []link.Range{{Size: 12, Stages: link.AllStages}}}))(t)
	pool := must(d.NewPool(PoolInfo{MaxSets: textures}))(t)
	sampler := must(d.NewSampler(SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MaxLod: LodClampNone}))(t)
	for i := range textures {
		if i == 0 || count == 1 {
			g.sets = append(g.sets, must(pool.Allocate(l))(t))
		}
		view := g.texture(t, i, side)
		w := Write{Images: []ImageDescriptor{{View: view, Sampler: sampler}}}
		if count > 1 {
			w.Element = uint32(i)
		}
		if err := g.sets[len(g.sets)-1].Update(w); err != nil {
			t.Fatal(err)
		}
	}
	g.pipeline = g.newPipeline(t, g.layout, texturedWith(count))
	g.patch(memory.Bytes(), 20)
	return g
}

// newPipeline makes a pipeline that draws patches with a fragment shader.
func (g *gallery) newPipeline(t testing.TB, layout *PipelineLayout, fragment string) *GraphicsPipeline {
	t.Helper()
	module := func(text string) *StageInfo {
		return &StageInfo{Module: must(g.dev.NewShaderModule(t.Context(), code(t, text)))(t)}
	}
	size := uint32(g.size)
	return must(g.dev.NewGraphicsPipeline(t.Context(), GraphicsPipelineInfo{Vertex: module(moved), Fragment: module(fragment), Layout: layout, State: FixedState{
		Vertex:        &link.VertexInput{Bindings: []link.VertexBinding{{Stride: 16}}, Attributes: []link.Attribute{{Format: formatOf(t, "R32G32B32A32_SFLOAT")}}},
		Assembly:      &link.InputAssembly{Topology: enum.TopologyTriangleList},
		Rasterization: &link.Rasterization{LineWidth: 1}, Multisample: &link.Multisample{Samples: 1},
		Blend:     &link.ColorBlend{Attachments: []link.Blend{{}}},
		Rendering: link.Rendering{Color: []link.Format{formatOf(t, "R8G8B8A8_UNORM")}},
		Viewports: []Viewport{{Width: float32(size), Height: float32(size), MaxDepth: 1}}, Scissors: []Rect{{Width: size, Height: size}},
	}}))(t)
}

// patch writes 50 squares of two triangles that together cover 20×10 pixels at the upper left corner, with all of the
// texture.
func (g *gallery) patch(to []byte, pixels int) {
	const columns, rows = 10, 5
	scale := 2 / float32(g.size)
	at := 0
	for y := range rows {
		for x := range columns {
			for _, c := range [...][2]int{{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}} {
				u, v := float32(x+c[0])/columns, float32(y+c[1])/rows
				for _, f := range [...]float32{-1 + u*float32(pixels)*scale, -1 + v*float32(pixels)/2*scale, u, v} {
					binary.LittleEndian.PutUint32(to[at:], math.Float32bits(f))
					at += 4
				}
			}
		}
	}
}

// one records a frame, submits it and waits for it.
func (g *gallery) one(t testing.TB, c *CommandBuffer, draws, textures int) {
	t.Helper()
	c.Begin(BeginInfo{})
	g.frame(c, draws, textures)
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	if err := g.submit(t, c); err != nil {
		t.Fatal(err)
	}
}

// texture makes texture i. Its first component is the same in all texels: 0 or 1, by the bits of i.
func (g *gallery) texture(t testing.TB, i, side int) *ImageView {
	t.Helper()
	m := must(g.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, bindlessFormats[i%len(bindlessFormats)]), Extent: [3]int{side, side, 1}, Usage: ImageSampled | ImageTransferTarget}))(t)
	n, _ := m.Requirements()
	if err := m.Bind(must(g.dev.Allocate(MemoryInfo{Size: n}))(t), 0); err != nil {
		t.Fatal(err)
	}
	c := g.record(t, func(c *CommandBuffer) {
		c.ClearColorImage(m, [4]uint32{math.Float32bits(float32(i / len(bindlessFormats) & 1))}, []ImageRange{{}})
	})
	if err := g.submit(t, c); err != nil {
		t.Fatal(err)
	}
	c.Close()
	g.images = append(g.images, m)
	return must(g.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
}

// frame records draws: patch n is in row n / 20 of a grid of 20×20 places, with texture n modulo the textures.
func (g *gallery) frame(c *CommandBuffer, draws, textures int) {
	c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: g.view, Load: ClearOnLoad}}})
	c.BindGraphicsPipeline(g.pipeline)
	c.BindVertexBuffers(0, []VertexBuffer{{Buffer: g.vertices}})
	for n := range draws {
		texture := n * 7 % textures
		if len(g.sets) == 1 {
			if n == 0 {
				c.BindSets(Graphics, g.layout, 0, g.sets, nil)
			}
		} else {
			c.BindSets(Graphics, g.layout, 0, g.sets[texture:texture+1], nil)
		}
		g.place(c, n, texture)
		c.Draw(300, 1, 0, 0)
	}
	c.EndRendering()
}

// place sets the place of patch n and its texture.
func (g *gallery) place(c *CommandBuffer, n, texture int) {
	var data [12]byte
	across := g.size / 20
	x, y := n%across, n/across%(g.size/10)
	binary.LittleEndian.PutUint32(data[:], math.Float32bits(float32(x*40)/float32(g.size)))
	binary.LittleEndian.PutUint32(data[4:], math.Float32bits(float32(y*20)/float32(g.size)))
	binary.LittleEndian.PutUint32(data[8:], uint32(texture))
	c.PushConstants(g.layout, 0, data[:])
}

// TestBindless draws patches with textures of ten formats, in an array and in sets of their own, and checks each patch.
func TestBindless(t *testing.T) {
	for _, array := range []bool{false, true} {
		const size, textures, draws = 100, 30, 40
		g := newGallery(t, size, textures, 2, array)
		pixels := must(g.dev.NewBuffer(BufferInfo{Size: size * size * 4, Usage: TransferTarget}))(t)
		memory := must(g.dev.Allocate(MemoryInfo{Size: size * size * 4}))(t)
		if err := pixels.Bind(memory, 0); err != nil {
			t.Fatal(err)
		}
		c := g.record(t, func(c *CommandBuffer) {
			g.frame(c, draws, textures)
			c.CopyImageToBuffer(g.color, pixels, []BufferImageCopy{{Extent: [3]int{size, size, 1}}})
		})
		for frame := range 2 {
			if err := g.submit(t, c); err != nil {
				t.Fatal(err)
			}
			for n := range draws {
				x, y, texture := n%5*20+10, n/5*10+5, n*7%textures
				if got, want := memory.Bytes()[4*(size*y+x)], byte(255*(texture/len(bindlessFormats)&1)); got != want {
					t.Errorf("array %v, frame %d: patch %d with texture %d has %d, want %d", array, frame, n, texture, got, want)
				}
			}
		}
	}
}

// TestBindlessLevels draws the same patches with black textures of one level, then with textures of three levels, of which the
// first one is red and the others are black. The first frames find that the triangles have few pixels, and that no derivative
// is needed. A patch magnifies its texture by 5 and 2.5, so that the level of detail is below 0 and all of the picture is of
// the first level (Vulkan, Level-of-Detail Operation).
func TestBindlessLevels(t *testing.T) {
	const size, textures, draws, side = 100, 4, 40, 4
	g := newGallery(t, size, textures, side, false)
	pixels := must(g.dev.NewBuffer(BufferInfo{Size: size * size * 4, Usage: TransferTarget}))(t)
	memory := must(g.dev.Allocate(MemoryInfo{Size: size * size * 4}))(t)
	if err := pixels.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	for frame := range 6 {
		want := byte(0)
		if frame == 4 { // all draws before have textures of one level
			want = 255
			m := must(g.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, bindlessFormats[0]), Extent: [3]int{side, side, 1}, Levels: 3, Usage: ImageSampled | ImageTransferTarget}))(t)
			n, _ := m.Requirements()
			if err := m.Bind(must(g.dev.Allocate(MemoryInfo{Size: n}))(t), 0); err != nil {
				t.Fatal(err)
			}
			c := g.record(t, func(c *CommandBuffer) {
				c.ClearColorImage(m, [4]uint32{math.Float32bits(1)}, []ImageRange{{Levels: 1}})
				c.ClearColorImage(m, [4]uint32{}, []ImageRange{{BaseLevel: 1, Levels: 2}})
			})
			if err := g.submit(t, c); err != nil {
				t.Fatal(err)
			}
			view := must(g.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
			sampler := must(g.dev.NewSampler(SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MaxLod: LodClampNone}))(t)
			for _, s := range g.sets {
				if err := s.Update(Write{Images: []ImageDescriptor{{View: view, Sampler: sampler}}}); err != nil {
					t.Fatal(err)
				}
			}
		} else if frame == 5 {
			want = 255
		}
		c := g.record(t, func(c *CommandBuffer) {
			g.frame(c, draws, textures)
			c.CopyImageToBuffer(g.color, pixels, []BufferImageCopy{{Extent: [3]int{size, size, 1}}})
		})
		if err := g.submit(t, c); err != nil {
			t.Fatal(err)
		}
		for n := range draws {
			for at := range 200 {
				x, y := n%5*20+at%20, n/5*10+at/20
				if got := memory.Bytes()[4*(size*y+x)]; got != want {
					t.Fatalf("frame %d: pixel (%d, %d) of patch %d has %d, want %d", frame, x, y, n, got, want)
				}
			}
		}
	}
}

// TestBindlessSubsets draws with 60 sets of four textures, in formats that are different for each set: no more programs are
// compiled than there are formats. The first draws find that the triangles are small. Later ones have programs for packs of
// quads, again no more than there are formats, and the third frame compiles none. One worker begins with packs in the first
// frame, more workers in the second one.
func TestBindlessSubsets(t *testing.T) {
	const size, each, draws = 100, 4, 40
	g := newGallery(t, size, each, 2, true)
	views := make([]*ImageView, 3*len(bindlessFormats))
	for i := range views {
		views[i] = g.texture(t, i, 2)
	}
	pool := must(g.dev.NewPool(PoolInfo{MaxSets: 60}))(t)
	sampler := must(g.dev.NewSampler(SamplerInfo{}))(t)
	random := rand.New(rand.NewPCG(3, 4))
	var texture [60]int // the first of each set
	g.sets = nil
	for n := range texture {
		s := must(pool.Allocate(g.layout.sets[0]))(t)
		w := Write{}
		for i := range each {
			k := random.IntN(len(views))
			if i == 0 {
				texture[n] = k
			}
			w.Images = append(w.Images, ImageDescriptor{View: views[k], Sampler: sampler})
		}
		if err := s.Update(w); err != nil {
			t.Fatal(err)
		}
		g.sets = append(g.sets, s)
	}
	pixels := must(g.dev.NewBuffer(BufferInfo{Size: size * size * 4, Usage: TransferTarget}))(t)
	memory := must(g.dev.Allocate(MemoryInfo{Size: size * size * 4}))(t)
	if err := pixels.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	var programs [3]int
	for frame := range programs {
		c := g.record(t, func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: g.view, Load: ClearOnLoad}}})
			c.BindGraphicsPipeline(g.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: g.vertices}})
			for n := range draws {
				c.BindSets(Graphics, g.layout, 0, g.sets[n:n+1], nil)
				g.place(c, n, 0)
				c.Draw(300, 1, 0, 0)
			}
			c.EndRendering()
			c.CopyImageToBuffer(g.color, pixels, []BufferImageCopy{{Extent: [3]int{size, size, 1}}})
		})
		if err := g.submit(t, c); err != nil {
			t.Fatal(err)
		}
		for n := range draws {
			x, y := n%5*20+10, n/5*10+5
			if got, want := memory.Bytes()[4*(size*y+x)], byte(255*(texture[n]/len(bindlessFormats)&1)); got != want {
				t.Errorf("frame %d: patch %d with texture %d has %d, want %d", frame, n, texture[n], got, want)
			}
		}
		programs[frame] = len(g.pipeline.pipeline.Programs())
	}
	if n := len(bindlessFormats); programs[1] > 2*n+2 || programs[2] != programs[1] {
		t.Errorf("%v programs after each frame with %d formats", programs, n)
	}
}
