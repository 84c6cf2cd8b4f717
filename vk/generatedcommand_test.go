package vk

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// pokes stores the second push constant to the word of y with the number in the first one.
const pokes = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %push %y
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %list ArrayStride 4
OpDecorate %words Block
OpMemberDecorate %words 0 Offset 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
ADD
%block = OpTypeStruct %uint %uint
%list = OpTypeRuntimeArray %uint
%words = OpTypeStruct %list
%pblock = OpTypePointer PushConstant %block
%puint = OpTypePointer PushConstant %uint
%pwords = OpTypePointer StorageBuffer %words
%pword = OpTypePointer StorageBuffer %uint
%push = OpVariable %pblock PushConstant
%y = OpVariable %pwords StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%pi = OpAccessChain %puint %push %zero
%i = OpLoad %uint %pi
%pv = OpAccessChain %puint %push %one
%v = OpLoad %uint %pv
%sum = OpIAdd %uint %v %add
%at = OpAccessChain %pword %y %zero %i
OpStore %at %sum
OpReturn
OpFunctionEnd
`

// addressed makes a buffer of words with a device address.
func (r *rig) addressed(t testing.TB, list ...uint32) (*Buffer, []byte) {
	t.Helper()
	b := must(r.dev.NewBuffer(BufferInfo{Size: uint64(4 * len(list)), Usage: DeviceAddress | IndirectBuffer | VertexBufferUsage | IndexBuffer}))(t)
	m := must(r.dev.Allocate(MemoryInfo{Size: uint64(4 * len(list)), DeviceAddress: true}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	for i, w := range list {
		binary.LittleEndian.PutUint32(m.Bytes()[4*i:], w)
	}
	return b, m.Bytes()
}

// poker returns a pipeline that adds a number to what it stores.
func (r *rig) poker(t testing.TB, l *PipelineLayout, add string) *ComputePipeline {
	t.Helper()
	return must(r.dev.NewComputePipeline(context.Background(), r.pokerInfo(t, l, add)))(t)
}

// pokerInfo describes the pipeline of poker.
func (r *rig) pokerInfo(t testing.TB, l *PipelineLayout, add string) ComputePipelineInfo {
	t.Helper()
	module := must(r.dev.NewShaderModule(context.Background(), code(t, strings.Replace(pokes, "ADD", "%add = OpConstant %uint "+add, 1))))(t)
	return ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: l}
}

// everyEngine runs a test on both engines, with one worker and with two.
func everyEngine(t *testing.T, run func(t *testing.T, info DeviceInfo)) {
	for name, e := range map[string]exec.Engine{"default": nil, "interp": interp.Engine{}} {
		for _, workers := range []int{1, 2} {
			t.Run(name, func(t *testing.T) { run(t, DeviceInfo{Engine: e, Workers: workers}) })
		}
	}
}

// TestGeneratedDispatches runs sequences that select a pipeline, set push constants and dispatch, as many as the command and
// a count in memory permit.
func TestGeneratedDispatches(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newRig(t, info, storage)
		l := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{r.layout}, Push: []link.Range{{Size: 8, Stages: link.AllStages}}}))(t)
		plain, more := r.poker(t, l, "0"), r.poker(t, l, "100")
		set := must(r.dev.NewIndirectExecutionSet(3, plain))(t)
		if err := set.Update(2, more); err != nil {
			t.Fatal(err)
		}
		layout := must(r.dev.NewIndirectCommandsLayout(IndirectCommandsLayoutInfo{Layout: l, Stride: 24, Tokens: []Token{
			{Kind: TokenExecutionSet},
			{Kind: TokenSequenceIndex, Push: link.Range{Offset: 0, Size: 4}},
			{Kind: TokenPushConstant, Offset: 4, Push: link.Range{Offset: 4, Size: 4}},
			{Kind: TokenDispatch, Offset: 8},
		}}))(t)
		// The number of the pipeline, the push constant, workgroups and a gap; the count of sequences.
		b, _ := r.addressed(t, 0, 11, 1, 1, 1, 99, 2, 22, 1, 1, 1, 99, 1, 33, 0, 1, 1, 99, 2, 44, 1, 1, 1, 99, 2)
		for _, x := range []struct {
			most  uint32
			count uint64
			want  []uint32
		}{
			{4, 0, []uint32{11, 122, 7, 144, 7}},
			{2, 0, []uint32{11, 122, 7, 7, 7}},
			{4, 96, []uint32{11, 122, 7, 7, 7}},
			{1, 96, []uint32{11, 7, 7, 7, 7}},
			{0, 0, []uint32{7, 7, 7, 7, 7}},
		} {
			for i := range 8 {
				binary.LittleEndian.PutUint32(r.memory.Bytes()[64+4*i:], 7)
			}
			g := GeneratedCommands{Layout: layout, Set: set, Address: b.Address(), Size: 96, MaxSequences: x.most}
			if x.count > 0 {
				g.CountAddress = b.Address() + x.count
			}
			c := r.record(t, func(c *CommandBuffer) {
				c.BindPipeline(plain)
				c.BindSets(Compute, l, 0, []*Set{r.set}, nil)
				c.PushConstants(l, 0, []byte{4, 0, 0, 0, 5, 0, 0, 0})
				c.PreprocessGenerated(g)
				c.ExecuteGenerated(g)
				c.Dispatch(1, 1, 1) // with the pipeline and the push constants that were bound before
			})
			if err := r.submit(t, c); err != nil {
				t.Fatal(err)
			}
			x.want[4] = 5
			for i, want := range x.want {
				if got := binary.LittleEndian.Uint32(r.memory.Bytes()[64+4*i:]); got != want {
					t.Errorf("%d sequences, count at %d: word %d is %d; want %d", x.most, x.count, i, got, want)
				}
			}
		}
	})
}

// TestGeneratedPushData runs sequences that store their number and a word to the push data of a kernel with its descriptor in a heap; then
// the push data from before are back.
func TestGeneratedPushData(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newRig(t, info, storage)
		target, memory := r.addressed(t, make([]uint32, 8)...)
		place, heap := r.addressed(t, make([]uint32, 64)...)
		if err := r.dev.WriteDescriptor(heap, DescriptorInfo{Type: storage, Address: target.Address(), Range: 32}); err != nil {
			t.Fatal(err)
		}
		create := r.pokerInfo(t, nil, "0")
		create.Flags = enum.PipelineFlagsDescriptorHeap
		create.Stage.Mappings = []Mapping{{Mapping: link.Mapping{First: 1, Source: enum.MappingSourceHeapWithConstantOffset}}}
		kernel := must(r.dev.NewComputePipeline(context.Background(), create))(t)
		layout := must(r.dev.NewIndirectCommandsLayout(IndirectCommandsLayoutInfo{Stride: 20, Tokens: []Token{
			{Kind: TokenPushDataSequenceIndex, Push: link.Range{Size: 4, Stages: link.AllStages}},
			{Kind: TokenPushData, Offset: 4, Push: link.Range{Offset: 4, Size: 4, Stages: link.AllStages}},
			{Kind: TokenDispatch, Offset: 8},
		}}))(t)
		stream := must(r.dev.NewStreamLayout(StreamLayoutInfo{Bind: Compute, Strides: []uint32{20}, Tokens: []StreamToken{
			{Token: Token{Kind: TokenPushData, Push: link.Range{Size: 8}}}, {Token: Token{Kind: TokenDispatch, Offset: 8}},
		}}))(t)
		b, _ := r.addressed(t, 3, 11, 1, 1, 1, 2, 22, 1, 1, 1)
		for what, x := range map[string]struct {
			execute func(c *CommandBuffer)
			want    []uint32
		}{
			"sequences": {func(c *CommandBuffer) {
				c.ExecuteGenerated(GeneratedCommands{Layout: layout, Address: b.Address(), Size: 40, MaxSequences: 2})
			}, []uint32{11, 22, 7, 7, 5}},
			"streams": {func(c *CommandBuffer) {
				c.ExecuteStreams(StreamCommands{Pipeline: kernel, Layout: stream, Streams: []BufferPlace{{b, 0}}, Sequences: 2})
			}, []uint32{7, 7, 22, 11, 5}},
		} {
			for i := range 8 {
				binary.LittleEndian.PutUint32(memory[4*i:], 7)
			}
			c := r.record(t, func(c *CommandBuffer) {
				c.BindPipeline(kernel)
				c.BindResourceHeap(HeapRange{place.Address(), 256})
				c.PushData(0, []byte{4, 0, 0, 0, 5, 0, 0, 0})
				x.execute(c)
				c.Dispatch(1, 1, 1)
			})
			if err := r.submit(t, c); err != nil {
				t.Fatal(err)
			}
			for i, want := range x.want {
				if got := binary.LittleEndian.Uint32(memory[4*i:]); got != want {
					t.Errorf("%s: word %d is %d; must be %d", what, i, got, want)
				}
			}
		}
	})
}

// floatWords returns the words of numbers.
func floatWords(list ...float32) (out []uint32) {
	for _, f := range list {
		out = append(out, math.Float32bits(f))
	}
	return out
}

// inSequence sets the offsets of tokens that are one after the other, and returns the size of a sequence.
func inSequence(tokens []Token) (size uint32) {
	for i := range tokens {
		tokens[i].Offset = size
		size += tokens[i].bytes()
	}
	return size
}

// TestGeneratedDraws draws two triangles of different colors and depths by sequences that bind vertices, indices and a pipeline,
// and by numbers of draws.
func TestGeneratedDraws(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		s := newSceneOn(t, 1, info)
		s.build(t)
		first := s.pipeline
		s.fixed.Rasterization = &link.Rasterization{LineWidth: 1, Cull: enum.CullModeFront | enum.CullModeBack}
		s.build(t)
		set := must(s.dev.NewIndirectExecutionSet(2, first))(t)
		if err := set.Update(1, s.pipeline); err != nil {
			t.Fatal(err)
		}
		// 96 bytes of the triangle over everything, 96 of the one in the corner; then indices, then draws.
		corners, _ := s.addressed(t, slices.Concat(floatWords(-1, -1, .5, 1, 3, -1, .5, 1, -1, 3, .5, 1), floatWords(-1, -1, .25, 1, 1, -1, .25, 1, -1, 1, .25, 1),
			[]uint32{0, 1, 2, 0x0001_0000, 0x0000_0002}, []uint32{3, 1, 0, 0, 3, 1, 3, 0})...)
		at := corners.Address()
		low, high := uint32(at), uint32(at>>32)
		red, green := floatWords(1, 0, 0, 1), floatWords(0, 1, 0, 1)
		push := Token{Kind: TokenPushConstant, Push: link.Range{Size: 16}}
		blank, redPixel, greenPixel := [4]byte{0, 0, 0, 255}, [4]byte{255, 0, 0, 255}, [4]byte{0, 255, 0, 255}
		for _, x := range []struct {
			name           string
			tokens         []Token
			words          []uint32
			n              int
			corner, middle [4]byte
		}{
			{"vertices", []Token{{Kind: TokenVertexBuffer}, push, {Kind: TokenDraw}},
				slices.Concat([]uint32{low, high, 48, 16}, red, []uint32{3, 1, 0, 0}, []uint32{low + 48, high, 48, 16}, green, []uint32{3, 1, 0, 0}), 2, greenPixel, redPixel},
			{"indices", []Token{{Kind: TokenIndexBuffer}, {Kind: TokenVertexBuffer}, push, {Kind: TokenDrawIndexed}},
				slices.Concat([]uint32{low + 96, high, 12, 1}, []uint32{low, high, 96, 16}, red, []uint32{3, 1, 0, 0, 0},
					[]uint32{low + 108, high, 6, 0}, []uint32{low, high, 96, 16}, green, []uint32{3, 1, 0, 3, 0}), 2, greenPixel, redPixel},
			{"pipelines", []Token{{Kind: TokenExecutionSet}, {Kind: TokenVertexBuffer}, push, {Kind: TokenDraw}},
				slices.Concat([]uint32{0}, []uint32{low, high, 48, 16}, red, []uint32{3, 1, 0, 0}, []uint32{1}, []uint32{low + 48, high, 48, 16}, green, []uint32{3, 1, 0, 0}), 2, redPixel, redPixel},
			{"count", []Token{{Kind: TokenVertexBuffer}, push, {Kind: TokenDrawCount}},
				slices.Concat([]uint32{low, high, 96, 16}, red, []uint32{low + 116, high, 16, 2}), 1, redPixel, redPixel},
			{"bounded count", []Token{{Kind: TokenVertexBuffer}, push, {Kind: TokenDrawCount}},
				slices.Concat([]uint32{low + 48, high, 48, 16}, green, []uint32{low + 116, high, 16, 1 << 31}), 1, greenPixel, blank},
			{"no draws", []Token{{Kind: TokenVertexBuffer}, push, {Kind: TokenDrawCount}},
				slices.Concat([]uint32{low, high, 96, 16}, red, []uint32{0, 0, 16, 0}), 1, blank, blank},
		} {
			layout := must(s.dev.NewIndirectCommandsLayout(IndirectCommandsLayoutInfo{Tokens: x.tokens, Stride: inSequence(x.tokens), Layout: s.layout}))(t)
			b, _ := s.addressed(t, x.words...)
			g := GeneratedCommands{Layout: layout, Address: b.Address(), Size: uint64(4 * len(x.words)), MaxSequences: uint32(x.n), MaxDraws: 2}
			if x.name == "bounded count" {
				g.MaxDraws = 1
			}
			if x.tokens[0].Kind == TokenExecutionSet {
				g.Set = set
			}
			c := s.record(t, func(c *CommandBuffer) {
				c.BeginRendering(s.rendering())
				c.BindGraphicsPipeline(first)
				c.ExecuteGenerated(g)
				c.EndRendering()
				s.copyOut(c, s.color)
			})
			if err := s.submit(t, c); err != nil {
				t.Fatal(x.name, err)
			}
			if corner, middle := s.pixel(0, 0), s.pixel(7, 7); corner != x.corner || middle != x.middle {
				t.Errorf("%s: pixels %v and %v; want %v and %v", x.name, corner, middle, x.corner, x.middle)
			}
		}
	})
}

// TestGeneratedMeshes draws workgroups of mesh shaders of both extensions by sequences.
func TestGeneratedMeshes(t *testing.T) {
	s := newScene(t, 1)
	tiles, tasks := s.meshesOf(t, "tiles"), s.meshesOf(t, "tasks")
	b, _ := s.addressed(t, 2, 1, 1, 3, 1)
	counted, _ := s.addressed(t, uint32(b.Address()+12), uint32(b.Address()>>32), 8, 1)
	for _, x := range []struct {
		p       *GraphicsPipeline
		kind    TokenKind
		address uint64
		check   func()
	}{
		{tiles, TokenDrawMeshTasks, b.Address(), func() { s.checkTiles(t) }},
		{tasks, TokenDrawTaskRange, b.Address() + 12, func() { s.checkTasks(t, "range", 1, 2, 3) }},
		{tasks, TokenDrawTaskRangeCount, counted.Address(), func() { s.checkTasks(t, "count", 1, 2, 3) }},
	} {
		layout := must(s.dev.NewIndirectCommandsLayout(IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: x.kind}}}))(t)
		c := s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(s.rendering())
			c.BindGraphicsPipeline(x.p)
			c.ExecuteGenerated(GeneratedCommands{Layout: layout, Address: x.address, Size: 16, MaxSequences: 1, MaxDraws: 1})
			c.EndRendering()
			s.copyOut(c, s.color)
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		x.check()
	}
}

// drawSequence describes sequences of a draw each.
func drawSequence() IndirectCommandsLayoutInfo {
	return IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenDraw}}, Stride: 16}
}

// TestGeneratedShaders runs sequences that select a shader object.
func TestGeneratedShaders(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	l := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{r.layout}, Push: []link.Range{{Size: 8, Stages: link.AllStages}}}))(t)
	var objects []Object
	for _, add := range []string{"0", "100"} {
		text := strings.Replace(pokes, "ADD", "%add = OpConstant %uint "+add, 1)
		objects = append(objects, must(r.dev.NewShaders(context.Background(), []ShaderInfo{{Stage: StageCompute, Code: code(t, text), Layout: l}}))(t)[0])
	}
	set := must(r.dev.NewIndirectExecutionSet(3, objects...))(t)
	layout := must(r.dev.NewIndirectCommandsLayout(IndirectCommandsLayoutInfo{Layout: l, Stride: 24, Tokens: []Token{
		{Kind: TokenExecutionSet, Shaders: []ShaderStage{StageCompute}},
		{Kind: TokenPushConstant, Offset: 4, Push: link.Range{Size: 8}},
		{Kind: TokenDispatch, Offset: 12},
	}}))(t)
	b, _ := r.addressed(t, 1, 0, 11, 1, 1, 1, 0, 1, 22, 1, 1, 1)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindSets(Compute, l, 0, []*Set{r.set}, nil)
		c.ExecuteGenerated(GeneratedCommands{Layout: layout, Set: set, Address: b.Address(), Size: 48, MaxSequences: 2})
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{111, 22} {
		if got := binary.LittleEndian.Uint32(r.memory.Bytes()[64+4*i:]); got != want {
			t.Errorf("word %d is %d; want %d", i, got, want)
		}
	}
}

// TestGeneratedLayoutErrors makes layouts and sets that break rules.
func TestGeneratedLayoutErrors(t *testing.T) {
	s := newScene(t, 1)
	s.stages.Flags = enum.PipelineFlagsIndirectBindableBitExt
	s.build(t)
	const layout, token = "VkIndirectCommandsLayoutCreateInfoEXT-", "VkIndirectCommandsLayoutTokenEXT-"
	const pushToken = "VkIndirectCommandsPushConstantTokenEXT-"
	push := func(r link.Range) []Token { return []Token{{Kind: TokenPushConstant, Push: r}, {Kind: TokenDraw}} }
	data := func(r link.Range) []Token { return []Token{{Kind: TokenPushData, Push: r}, {Kind: TokenDraw}} }
	index := Token{Kind: TokenSequenceIndex, Push: link.Range{Size: 4}}
	number := Token{Kind: TokenPushDataSequenceIndex, Push: link.Range{Offset: 4, Size: 4, Stages: link.AllStages}}
	for _, x := range []struct {
		rule string
		info IndirectCommandsLayoutInfo
	}{
		{layout + "tokenCount-arraylength", IndirectCommandsLayoutInfo{}},
		{layout + "tokenCount-11092", IndirectCommandsLayoutInfo{Tokens: make([]Token, MaxIndirectTokens+1)}},
		{layout + "pTokens-11100", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenVertexBuffer}}}},
		{layout + "pTokens-11100", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenDraw}, {Kind: TokenDraw}}}},
		{token + "type-parameter", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: 200}}}},
		{layout + "indirectStride-11090", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenDraw}}, Stride: MaxSequenceStride + 4}},
		{token + "offset-11125", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenDraw, Offset: 2}}}},
		{token + "offset-11124", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenDraw, Offset: 1 << 31}}}},
		{"VkIndirectCommandsVertexBufferTokenEXT-vertexBindingUnit-11134", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenVertexBuffer, Binding: 32}, {Kind: TokenDraw}}}},
		{layout + "pTokens-11139", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenVertexBuffer}, {Kind: TokenExecutionSet}, {Kind: TokenDraw}}}},
		{"VkIndirectCommandsExecutionSetTokenEXT-shaderStages-11137", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenExecutionSet, Shaders: []ShaderStage{99}}, {Kind: TokenDraw}}}},
		{layout + "pTokens-11102", IndirectCommandsLayoutInfo{Tokens: push(link.Range{Size: 4})}},
		{pushToken + "updateRange-11132", IndirectCommandsLayoutInfo{Tokens: push(link.Range{Offset: s.layout.push, Size: 4}), Layout: s.layout}},
		{pushToken + "updateRange-11132", IndirectCommandsLayoutInfo{Tokens: push(link.Range{Offset: math.MaxUint32 - 3, Size: 8}), Layout: s.layout}},
		{pushToken + "size-11133", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenSequenceIndex, Push: link.Range{Size: 8}}, {Kind: TokenDraw}}, Layout: s.layout}},
		{layout + "pTokens-11099", IndirectCommandsLayoutInfo{Tokens: []Token{index, {Kind: TokenPushConstant, Push: link.Range{Size: 8}}, {Kind: TokenDraw}}, Layout: s.layout}},
		{layout + "pTokens-11094", IndirectCommandsLayoutInfo{Tokens: []Token{index, number, {Kind: TokenDraw}}, Layout: s.layout}},
		{layout + "pTokens-11094", IndirectCommandsLayoutInfo{Tokens: []Token{number, number, {Kind: TokenDraw}}}},
		{token + "type-11333", IndirectCommandsLayoutInfo{Tokens: data(link.Range{Size: 4, Stages: 1})}},
		{"VkPushDataInfoEXT-offset-11418", IndirectCommandsLayoutInfo{Tokens: data(link.Range{Offset: 2, Size: 4})}},
		{"VkPushDataInfoEXT-data-11419", IndirectCommandsLayoutInfo{Tokens: data(link.Range{Size: 6})}},
		{"VkPushDataInfoEXT-offset-11243", IndirectCommandsLayoutInfo{Tokens: data(link.Range{Offset: MaxPushBytes - 4, Size: 8})}},
		{"VkPushDataInfoEXT-offset-11243", IndirectCommandsLayoutInfo{Tokens: data(link.Range{Offset: math.MaxUint32 - 3, Size: 8})}},
		{pushToken + "size-11133", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenPushDataSequenceIndex, Push: link.Range{Size: 8}}, {Kind: TokenDraw}}}},
		{layout + "pTokens-11145", IndirectCommandsLayoutInfo{Tokens: []Token{index, index, {Kind: TokenDraw}}, Layout: s.layout}},
		{layout + "pTokens-11095", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenIndexBuffer}, {Kind: TokenDraw, Offset: 16}}}},
		{layout + "pTokens-11096", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenVertexBuffer}, {Kind: TokenDrawMeshTasks, Offset: 16}}}},
		{layout + "pTokens-11097", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenVertexBuffer}, {Kind: TokenVertexBuffer, Offset: 16}, {Kind: TokenDraw, Offset: 32}}}},
		{layout + "pTokens-11103", IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenVertexBuffer, Offset: 16}, {Kind: TokenDraw}}}},
	} {
		_, err := s.dev.NewIndirectCommandsLayout(x.info)
		broke(t, "a layout", err, "VUID-"+x.rule)
	}
	s.dev.checking = All
	set := must(s.dev.NewIndirectExecutionSet(2, s.pipeline))(t)
	bindable := s.objects(t, enum.ObjectFlagsIndirectBindable)
	shaders := must(s.dev.NewIndirectExecutionSet(2, bindable[0]))(t)
	other := s.objects(t, 0)[0]
	s.stages.Flags = 0
	bound := s.pipeline
	s.build(t)
	for rule, err := range map[string]error{
		"VkWriteIndirectExecutionSetPipelineEXT-index-11026":                 set.Update(2, bound),
		"VkWriteIndirectExecutionSetShaderEXT-index-11031":                   shaders.Update(-1, bindable[0]),
		"vkUpdateIndirectExecutionSetShaderEXT-indirectExecutionSet-11041":   set.Update(0, bindable[0]),
		"vkUpdateIndirectExecutionSetPipelineEXT-indirectExecutionSet-11035": shaders.Update(0, bound),
		"VkWriteIndirectExecutionSetPipelineEXT-pipeline-11027":              set.Update(0, s.pipeline),
		"VkWriteIndirectExecutionSetShaderEXT-shader-11032":                  shaders.Update(0, other),
	} {
		broke(t, "an update", err, "VUID-"+rule)
	}
	for _, x := range []Object{(*GraphicsPipeline)(nil), (*Shader)(nil), nil, s.vertices} {
		if err := set.Update(0, x); err == nil {
			t.Errorf("an update by %v: no error", x)
		}
	}
	for _, x := range []struct {
		rule string
		n    int
		of   Object
	}{
		{"VkIndirectExecutionSetPipelineInfoEXT-maxPipelineCount-11018", 0, bound}, {"VkIndirectExecutionSetPipelineInfoEXT-maxPipelineCount-11018", math.MaxInt, bound},
		{"VkIndirectExecutionSetShaderInfoEXT-maxShaderCount-11036", -1, bindable[0]},
		{"VkIndirectExecutionSetPipelineInfoEXT-initialPipeline-11153", 1, s.pipeline}, {"VkIndirectExecutionSetShaderInfoEXT-pInitialShaders-11154", 1, other},
	} {
		_, err := s.dev.NewIndirectExecutionSet(x.n, x.of)
		broke(t, "a set", err, "VUID-"+x.rule)
	}
}

// TestGeneratedErrors executes sequences with hostile numbers and addresses: each is an error, and nothing outside of the
// memory is used.
func TestGeneratedErrors(t *testing.T) {
	vertices, indices := Token{Kind: TokenVertexBuffer}, Token{Kind: TokenIndexBuffer}
	rules := map[string]string{
		"odd address": "indirectAddress-11074", "odd address of the count": "sequenceCountAddress-11073", "many sequences": "maxSequenceCount-11067",
		"no sequence": "maxSequenceCount-10246", "no bytes": "indirectAddressSize-11077", "no set": "indirectCommandsLayout-11083",
		"shader objects": "indirectCommandsLayout-11002", "set without a token": "indirectCommandsLayout-10241",
	}
	for _, x := range []struct {
		name   string
		tokens []Token
		words  []uint32
		change func(g *GeneratedCommands, d *Device)
	}{
		{"address", nil, nil, func(g *GeneratedCommands, _ *Device) { g.Address = 4 }},
		{"odd address", nil, nil, func(g *GeneratedCommands, _ *Device) { g.Address += 2 }},
		{"last sequence", nil, nil, func(g *GeneratedCommands, _ *Device) { g.MaxSequences = 2 }},
		{"memory of the last sequence", nil, nil, func(g *GeneratedCommands, _ *Device) { g.MaxSequences, g.Size = 2, 1<<40 }},
		{"many sequences", nil, nil, func(g *GeneratedCommands, _ *Device) { g.MaxSequences = math.MaxUint32 }},
		{"address of the count", nil, nil, func(g *GeneratedCommands, _ *Device) { g.CountAddress = 8 }},
		{"odd address of the count", nil, nil, func(g *GeneratedCommands, _ *Device) { g.CountAddress = g.Address + 2 }},
		{"no sequence", nil, nil, func(g *GeneratedCommands, _ *Device) { g.MaxSequences = 0 }},
		{"no bytes", nil, nil, func(g *GeneratedCommands, _ *Device) { g.Size = 0 }},
		{"set without a token", nil, nil, func(g *GeneratedCommands, d *Device) { g.Set = d.twoOf(t) }},
		{"no layout", nil, nil, func(g *GeneratedCommands, _ *Device) { g.Layout = nil }},
		{"closed layout", nil, nil, func(g *GeneratedCommands, _ *Device) { g.Layout.Close() }},
		{"no set", []Token{{Kind: TokenExecutionSet}}, []uint32{0}, nil},
		{"element of the set", []Token{{Kind: TokenExecutionSet}}, []uint32{2}, func(g *GeneratedCommands, d *Device) {
			g.Set = d.twoOf(t)
		}},
		{"shader objects", []Token{{Kind: TokenExecutionSet, Shaders: []ShaderStage{StageCompute}}}, []uint32{0}, func(g *GeneratedCommands, d *Device) {
			g.Set = d.twoOf(t)
		}},
		{"address of vertices", []Token{vertices}, []uint32{12, 0, 16, 16}, nil},
		{"size of vertices", []Token{vertices}, []uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32, 16}, nil},
		{"type of indices", []Token{indices}, []uint32{0, 0, 0, 7}, nil},
		{"DXGI type of indices", []Token{{Kind: TokenIndexBuffer, DXGI: true}}, []uint32{0, 0, 0, 1}, nil},
	} {
		s := newScene(t, 1)
		s.build(t)
		tokens := append(x.tokens, Token{Kind: TokenDraw})
		if tokens[0].Kind == TokenIndexBuffer {
			tokens[1].Kind = TokenDrawIndexed
		}
		size := inSequence(tokens)
		b, _ := s.addressed(t, append(x.words, 3, 1, 0, 0, 0)...)
		g := GeneratedCommands{
			Layout:  must(s.dev.NewIndirectCommandsLayout(IndirectCommandsLayoutInfo{Tokens: tokens, Stride: size}))(t),
			Address: b.Address(), Size: uint64(size), MaxSequences: 1,
		}
		if x.change != nil {
			x.change(&g, s.dev)
		}
		s.dev.checking = All
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BeginRendering(s.rendering())
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.ExecuteGenerated(g)
		c.EndRendering()
		err := c.End()
		if err == nil {
			err = s.submit(t, c)
		}
		if rule := rules[x.name]; err == nil || rule != "" && !isRule(err, "VUID-VkGeneratedCommandsInfoEXT-"+rule) {
			t.Errorf("%s: %v; must be an error of the rule %q", x.name, err, rule)
		}
	}
	r := newRig(t, DeviceInfo{}, storage)
	layout := must(r.dev.NewIndirectCommandsLayout(IndirectCommandsLayoutInfo{Tokens: []Token{{Kind: TokenDispatch}}}))(t)
	b, _ := r.addressed(t, math.MaxUint32, math.MaxUint32, math.MaxUint32)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.ExecuteGenerated(GeneratedCommands{Layout: layout, Address: b.Address(), Size: 12, MaxSequences: 1})
	})
	if err := r.submit(t, c); err == nil {
		t.Error("more workgroups than the limit: no error")
	}
}

// twoOf returns a set of two compute pipelines.
func (d *Device) twoOf(t *testing.T) *IndirectExecutionSet {
	t.Helper()
	module := must(d.NewShaderModule(context.Background(), code(t, emptyCompute)))(t)
	p := must(d.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: must(d.NewPipelineLayout(PipelineLayoutInfo{}))(t)}))(t)
	return must(d.NewIndirectExecutionSet(2, p))(t)
}

const emptyCompute = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`
