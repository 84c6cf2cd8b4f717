package vk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// scatteredVertex places a vertex by a hash of its numbers, and has the hash as a flat output. EXTRA is one more number, and PUSH loads %p,
// perhaps from the push constants.
const scatteredVertex = `OpCapability Shader
OpCapability DrawParameters
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %index %instance %attribute %extra %pos %hash
OpDecorate %index BuiltIn VertexIndex
OpDecorate %instance BuiltIn InstanceIndex
OpDecorate %attribute Location 0
OpDecorate %extra BuiltIn EXTRA
OpDecorate %pos BuiltIn Position
OpDecorate %hash Location 0
OpDecorate %hash Flat
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %pushed Block
OpMemberDecorate %pushed 0 Offset 0
OpDecorate %uniform DescriptorSet 0
OpDecorate %uniform Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%block = OpTypeStruct %v4
%pushed = OpTypeStruct %int
%pblock = OpTypePointer Uniform %block
%ppush = OpTypePointer PushConstant %pushed
%pint = OpTypePointer PushConstant %int
%pfloat = OpTypePointer Uniform %float
%pin = OpTypePointer Input %int
%pouti = OpTypePointer Output %int
%pout = OpTypePointer Output %v4
%zero = OpConstant %int 0
%k1 = OpConstant %int 2654435761
%k2 = OpConstant %int 2246822519
%k3 = OpConstant %int 3266489917
%k4 = OpConstant %int 668265263
%s8 = OpConstant %int 25
%s16 = OpConstant %int 15
%mask = OpConstant %int 127
%scale = OpConstant %float 0.015625
%one = OpConstant %float 1
%index = OpVariable %pin Input
%instance = OpVariable %pin Input
%attribute = OpVariable %pin Input
%extra = OpVariable %pin Input
%pos = OpVariable %pout Output
%hash = OpVariable %pouti Output
%uniform = OpVariable %pblock Uniform
%push = OpVariable %ppush PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %int %index
%n = OpLoad %int %instance
%a = OpLoad %int %attribute
%x = OpLoad %int %extra
PUSH
%h1 = OpIMul %int %i %k1
%h2 = OpIMul %int %n %k2
%h3 = OpIMul %int %a %k3
%h4 = OpIMul %int %x %k4
%h5 = OpIAdd %int %h1 %h2
%h6 = OpIAdd %int %h5 %h3
%h7 = OpIAdd %int %h6 %h4
%h8 = OpIAdd %int %h7 %p
%h = OpIMul %int %h8 %k1
%b0 = OpShiftRightLogical %int %h %s8
%b1 = OpShiftRightLogical %int %h %s16
%b2 = OpBitwiseAnd %int %b1 %mask
%f0 = OpConvertUToF %float %b0
%f2 = OpConvertUToF %float %b2
%g0 = OpFMul %float %f0 %scale
%g2 = OpFMul %float %f2 %scale
%pu = OpAccessChain %pfloat %uniform %zero %zero
%u = OpLoad %float %pu
%y0 = OpFSub %float %g0 %one
%y1 = OpFAdd %float %y0 %u
%y2 = OpFSub %float %g2 %one
%half = OpFMul %float %g2 %scale
%r = OpCompositeConstruct %v4 %y1 %y2 %half %one
OpStore %pos %r
OpStore %hash %h
OpReturn
OpFunctionEnd
`

// hashedFragment shows the flat hash, the primitive and the push constant.
const hashedFragment = `OpCapability Shader
OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %hash %primitive %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %hash Location 0
OpDecorate %hash Flat
OpDecorate %primitive BuiltIn PrimitiveId
OpDecorate %primitive Flat
OpDecorate %out Location 0
OpDecorate %pushed Block
OpMemberDecorate %pushed 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%pushed = OpTypeStruct %int
%ppush = OpTypePointer PushConstant %pushed
%pint = OpTypePointer PushConstant %int
%pin = OpTypePointer Input %int
%pout = OpTypePointer Output %v4
%zero = OpConstant %int 0
%k1 = OpConstant %int 40503
%mask = OpConstant %int 255
%s8 = OpConstant %int 8
%s16 = OpConstant %int 16
%scale = OpConstant %float 0.00392156862745098
%hash = OpVariable %pin Input
%primitive = OpVariable %pin Input
%out = OpVariable %pout Output
%push = OpVariable %ppush PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%h = OpLoad %int %hash
%i = OpLoad %int %primitive
PUSH
%a = OpIMul %int %i %k1
%b = OpIAdd %int %a %h
%c = OpIAdd %int %b %p
%r0 = OpBitwiseAnd %int %c %mask
%r1 = OpShiftRightLogical %int %c %s8
%r2 = OpBitwiseAnd %int %r1 %mask
%r3 = OpShiftRightLogical %int %c %s16
%r4 = OpBitwiseAnd %int %r3 %mask
%f0 = OpConvertUToF %float %r0
%f2 = OpConvertUToF %float %r2
%f4 = OpConvertUToF %float %r4
%g0 = OpFMul %float %f0 %scale
%g2 = OpFMul %float %f2 %scale
%g4 = OpFMul %float %f4 %scale
%v = OpCompositeConstruct %v4 %g0 %g2 %g4 %g0
OpStore %out %v
OpReturn
OpFunctionEnd
`

// addedRig draws with random commands between the draws.
type addedRig struct {
	*smallDraws
	layout                      *PipelineLayout
	sets                        []*Set
	pipelines                   []*GraphicsPipeline
	indices, vertices, indirect *Buffer
}

// filled makes a buffer of random bytes.
func (x *addedRig) filled(t *testing.T, r *rand.Rand, size int, usage BufferUsage) (*Buffer, []byte) {
	b := must(x.dev.NewBuffer(BufferInfo{Size: uint64(size), Usage: usage}))(t)
	m := must(x.dev.Allocate(MemoryInfo{Size: uint64(size)}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	for i := range m.Bytes() {
		m.Bytes()[i] = byte(r.Uint32())
	}
	return b, m.Bytes()
}

func newAddedRig(t *testing.T) *addedRig {
	x, r := &addedRig{smallDraws: newSmallDraws(t, placedByOffset)}, rand.New(rand.NewPCG(1, 2))
	d := x.dev
	d.checking = None // else each draw is checked
	var bytes []byte
	x.vertices, _ = x.filled(t, r, 8192, VertexBufferUsage)
	x.indices, bytes = x.filled(t, r, 1024, IndexBuffer)
	for i := range bytes {
		if bytes[i] %= 100; r.IntN(12) == 0 {
			bytes[i] = 255
		}
	}
	x.indirect, bytes = x.filled(t, r, 4096, IndirectBuffer)
	for i := 0; i+20 <= len(bytes); i += 20 {
		for k, most := range []uint32{9, 3, 50, 20, 20} {
			binary.LittleEndian.PutUint32(bytes[i+4*k:], r.Uint32N(most))
		}
	}
	uniform, bytes := x.filled(t, r, smallPlaces*smallDistance, UniformBuffer)
	for i := range smallPlaces {
		binary.LittleEndian.PutUint32(bytes[i*smallDistance:], math.Float32bits(float32(i%7)*0.1-0.3))
	}
	l := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.UniformBufferDynamic, Count: 1, Stages: link.AllStages}}}))(t)
	x.sets = []*Set{must(must(d.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l))(t)}
	if err := x.sets[0].Update(Write{Buffers: []BufferDescriptor{{Buffer: uniform, Range: 16}}}); err != nil {
		t.Fatal(err)
	}
	x.layout = must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l, l, l}, Push: []link.Range{{Size: 4, Stages: link.AllStages}}}))(t)
	for i := range 14 {
		x.addPipeline(t, i)
	}
	return x
}

// addedExtras are the numbers that the vertex shader of a pipeline reads, too.
var addedExtras = []string{"", "", "BaseInstance", "", "DrawIndex", "", "BaseVertex"}

// readsDrawIndex reports whether a pipeline reads DrawIndex.
func readsDrawIndex(pipeline int) bool { return addedExtras[pipeline%len(addedExtras)] == "DrawIndex" }

// addPipeline adds pipeline i: its topology, rate of attributes, blending and numbers depend on i, and which sets of the layout its shaders
// read: the vertex shader set 0, the fragment shader set 1, neither set 2.
func (x *addedRig) addPipeline(t *testing.T, i int) {
	module := func(text string, push bool) *StageInfo {
		load := "%p = OpBitwiseAnd %int %zero %zero"
		if push {
			load = "%pp = OpAccessChain %pint %push %zero\n%p = OpLoad %int %pp"
		}
		return &StageInfo{Module: must(x.dev.NewShaderModule(t.Context(), code(t, strings.Replace(text, "PUSH", load, 1))))(t)}
	}
	vertex, extra := scatteredVertex, addedExtras[i%len(addedExtras)]
	if extra == "" {
		vertex = strings.NewReplacer("OpDecorate %extra BuiltIn EXTRA\n", "", "%extra %pos", "%pos", "%extra = OpVariable %pin Input\n", "", "%x = OpLoad %int %extra", "%x = OpLoad %int %index").Replace(vertex)
	}
	vertex = strings.Replace(vertex, "EXTRA", extra, 1)
	if i%4 > 1 {
		vertex = strings.NewReplacer("%pu = OpAccessChain %pfloat %uniform %zero %zero\n", "", "%u = OpLoad %float %pu", "%u = OpFSub %float %scale %scale").Replace(vertex)
	}
	fragment := hashedFragment
	if i%2 == 1 {
		fragment = strings.NewReplacer("OpDecorate %out", `OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %uniform DescriptorSet 1
OpDecorate %uniform Binding 0
OpDecorate %out`, "%zero = ", `%block = OpTypeStruct %v4
%pblock = OpTypePointer Uniform %block
%pfloat = OpTypePointer Uniform %float
%uniform = OpVariable %pblock Uniform
%zero = `, "%v = OpCompositeConstruct %v4 %g0", `%pu = OpAccessChain %pfloat %uniform %zero %zero
%u = OpLoad %float %pu
%gu = OpFAdd %float %g0 %u
%v = OpCompositeConstruct %v4 %gu`).Replace(fragment)
	}
	binding, divisor := link.VertexBinding{Stride: 4}, uint32(i/2%3)
	if i%2 == 1 {
		binding.Rate, binding.Divisor = enum.InputRateInstance, &divisor
	}
	blend, provoking := link.Blend{}, enum.ProvokingVertexFirstVertex
	if i%5 < 3 {
		blend = link.Blend{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorOne}
	}
	if i%3 == 0 {
		provoking = enum.ProvokingVertexLastVertex
	}
	topology := []enum.Topology{enum.TopologyTriangleList, enum.TopologyTriangleStrip, enum.TopologyTriangleFan, enum.TopologyLineStrip, enum.TopologyPointList, enum.TopologyLineList}[i%6]
	rgba := formatOf(t, "R8G8B8A8_UNORM")
	p := must(x.dev.NewGraphicsPipeline(t.Context(), GraphicsPipelineInfo{Vertex: module(vertex, i%3 == 1), Fragment: module(fragment, i%4 == 1), Layout: x.layout, State: FixedState{
		Vertex:        &link.VertexInput{Bindings: []link.VertexBinding{binding}, Attributes: []link.Attribute{{Format: formatOf(t, "R32_UINT")}}},
		Assembly:      &link.InputAssembly{Topology: topology, PrimitiveRestart: i%2 == 0},
		Rasterization: &link.Rasterization{LineWidth: 1, Provoking: provoking}, Multisample: &link.Multisample{Samples: 1},
		Blend: &link.ColorBlend{Attachments: []link.Blend{blend}}, Rendering: link.Rendering{Color: []link.Format{rgba}},
		Viewports: []Viewport{{Width: smallSize, Height: smallSize, MaxDepth: 1}}, Scissors: []Rect{{Width: smallSize, Height: smallSize}},
		Dynamic: []enum.DynamicState{enum.DynamicStateScissor, enum.DynamicStateViewport, enum.DynamicStateCullMode},
	}}))(t)
	x.pipelines = append(x.pipelines, p)
}

// addedStream records random commands. apart ends the repetition of states before each draw.
type addedStream struct {
	*addedRig
	*rand.Rand
	c     *CommandBuffer
	q     *QueryPool
	apart bool
	open  int // query, or -1
	next  int // query
	bound int // pipeline
}

// bindBuffers binds vertices and indices.
func (s *addedStream) bindBuffers() {
	s.c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices, Offset: uint64(4 * s.IntN(200))}})
	s.c.BindIndexBuffer(s.indices, uint64(s.IntN(20)), 1)
}

// begin begins a rendering.
func (s *addedStream) begin(load LoadOp) {
	s.c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: s.view, Load: load}}})
}

// query begins or ends a query.
func (s *addedStream) query() {
	switch {
	case s.open >= 0:
		s.c.EndQuery(s.q, s.open)
		s.open = -1
	case s.next < 4:
		s.open = s.next
		s.next++
		s.c.BeginQuery(s.q, s.open, QueryPrecise)
	}
}

// several records draws of one command.
func (s *addedStream) several() {
	alone := s.apart && !readsDrawIndex(s.bound)
	if s.IntN(2) == 0 {
		info := IndirectInfo{Buffer: s.indirect, Offset: uint64(20 * s.IntN(100)), Draws: s.Uint32N(8), Stride: 20, Indexed: s.IntN(2) == 0}
		if !alone {
			s.c.DrawIndirect(info)
			return
		}
		n := info.Draws
		for info.Draws = 1; n > 0; n, info.Offset = n-1, info.Offset+20 {
			s.c.DrawIndirect(info)
		}
		return
	}
	list, n, first := make([]MultiDraw, s.IntN(6)), s.Uint32N(3), s.Uint32N(9)
	for i := range list {
		list[i] = MultiDraw{First: s.Uint32N(50), Count: s.Uint32N(8)}
	}
	if !alone {
		s.c.DrawMulti(list, n, first)
		return
	}
	for _, x := range list {
		s.c.DrawMulti([]MultiDraw{x}, n, first)
	}
}

// step records a command.
func (s *addedStream) step() {
	c := s.c
	switch n := s.IntN(60); {
	case n < 3:
		s.bound = s.IntN(len(s.pipelines))
		c.BindGraphicsPipeline(s.pipelines[s.bound])
	case n < 6:
		c.BindSets(Graphics, s.layout, s.IntN(3), s.sets, []uint32{uint32(s.IntN(20) * smallDistance)})
	case n < 11:
		c.PushConstants(s.layout, 0, []byte{byte(s.IntN(2)), 0, 0, 0})
	case n < 12:
		c.SetScissor(0, []Rect{{X: s.Int32N(20), Y: s.Int32N(20), Width: 30, Height: 40}})
	case n < 13:
		c.SetCullMode(enum.CullMode(s.IntN(3)))
	case n < 14:
		s.bindBuffers()
	case n < 15:
		s.query()
	case n < 19:
		s.several()
	case n < 40:
		c.Draw(s.Uint32N(9), s.Uint32N(4), s.Uint32N(60), s.Uint32N(20))
	default:
		c.DrawIndexed(s.Uint32N(12), s.Uint32N(3), s.Uint32N(60), s.Int32N(30)-10, s.Uint32N(20))
	}
}

// picture runs random commands, and returns the picture and the results of the queries.
func (x *addedRig) picture(t *testing.T, seed uint64, apart bool) (pixels []byte, results [4]uint64) {
	s := &addedStream{addedRig: x, Rand: rand.New(rand.NewPCG(3, seed)), apart: apart, open: -1}
	s.c, s.q = must(x.dev.NewCommandBuffer(CommandBufferInfo{}))(t), must(x.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 4}))(t)
	defer s.q.Close()
	defer s.c.Close()
	s.c.Begin(BeginInfo{})
	s.c.ResetQueries(s.q, 0, 4)
	s.begin(ClearOnLoad)
	s.c.BindGraphicsPipeline(x.pipelines[0])
	for set := range 3 {
		s.c.BindSets(Graphics, x.layout, set, x.sets, []uint32{0})
	}
	s.c.PushConstants(x.layout, 0, []byte{1, 0, 0, 0})
	s.c.SetScissor(0, []Rect{{Width: smallSize, Height: smallSize}})
	s.c.SetViewport(0, []Viewport{{Width: smallSize, Height: smallSize, MaxDepth: 1}})
	s.c.SetCullMode(0)
	s.bindBuffers()
	for range 300 {
		if apart && s.open < 0 {
			s.c.EndRendering()
			s.begin(Load)
		}
		if apart {
			s.c.SetViewport(0, []Viewport{{Width: smallSize, Height: smallSize, MaxDepth: 1}})
		}
		s.step()
	}
	if s.open >= 0 {
		s.query()
	}
	s.c.EndRendering()
	if err := s.c.End(); err != nil {
		t.Fatal(err)
	}
	if err := x.submit(t, s.c); err != nil {
		t.Fatal(err)
	}
	for i := range s.next {
		results[i], _ = s.q.Result(i)
	}
	return bytes.Clone(x.pixels.Bytes()), results
}

// TestRandomAdded: random draws in one rendering, whose states most of the next draws repeat, give the picture and the numbers of samples of
// the same draws with a rendering or a viewport before each (Vulkan §"Drawing Commands": each has its own numbers of vertices and
// instances; §"Built-In Variables": PrimitiveId begins at 0 in each). CHIARO_SEEDS=from-to runs others.
func TestRandomAdded(t *testing.T) {
	x := newAddedRig(t)
	from, to, drawn := uint64(0), uint64(60), 0
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	for seed := from; seed < to; seed++ {
		pixels, results := x.picture(t, seed, false)
		want, samples := x.picture(t, seed, true)
		if !bytes.Equal(pixels, want) || results != samples {
			t.Fatalf("seed %d: another picture, or %d samples; want %d", seed, results, samples)
		}
		drawn += len(want) - bytes.Count(want, []byte{0})
	}
	if drawn == 0 {
		t.Error("nothing is drawn")
	}
}
