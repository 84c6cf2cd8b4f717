package vk

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// stored writes the first four floats of the storage buffer at binding 1 of set 1 as the color.
const stored = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out %buffer
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %content Block
OpMemberDecorate %content 0 Offset 0
OpDecorate %buffer DescriptorSet 1
OpDecorate %buffer Binding 1
OpDecorate %buffer NonWritable
` + wayTypes + `%content = OpTypeStruct %v4
%pcontent = OpTypePointer StorageBuffer %content
%pv4 = OpTypePointer StorageBuffer %v4
%buffer = OpVariable %pcontent StorageBuffer
%out = OpVariable %po4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%p = OpAccessChain %pv4 %buffer %i0
%x = OpLoad %v4 %p
OpStore %out %x
OpReturn
OpFunctionEnd
`

// TestIndependentSets links two shader parts whose layouts each lack a set of the other.
func TestIndependentSets(t *testing.T) {
	s := newScene(t, 1)
	d, ctx := s.dev, context.Background()
	layout := func(sets ...*SetLayout) *PipelineLayout {
		return must(d.NewPipelineLayout(PipelineLayoutInfo{Flags: enum.LayoutFlagsIndependentSets, Sets: sets}))(t)
	}
	sets := func(stage string) *SetLayout { // a set that is null in the other part has bindings for one part alone
		stages, _ := link.ParseStage(stage)
		return must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Binding: 1, Type: storage, Count: 1, Stages: stages}}}))(t)
	}
	first, second := sets("vertex"), sets("fragment")
	raster, fragment := layout(first, nil), layout(nil, second)
	set := must(s.pool.Allocate(second))(t)
	if err := set.Update(Write{Binding: 1, Buffers: []BufferDescriptor{{s.y, 0, 32}}}); err != nil {
		t.Fatal(err)
	}
	whole := GraphicsPipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsLibrary}, State: s.fixed, Vertex: s.stages.Vertex,
		Fragment: &StageInfo{Module: must(d.NewShaderModule(ctx, code(t, stored)))(t)},
	}
	var list []*GraphicsPipeline
	for _, p := range []struct {
		parts  enum.Parts
		layout *PipelineLayout
	}{{inputPart | outputPart, nil}, {rasterPart, raster}, {fragmentPart, fragment}} {
		info := whole
		info.Parts, info.Layout = p.parts, p.layout
		list = append(list, must(d.NewGraphicsPipeline(ctx, info))(t))
	}
	for i, v := range []float32{1, 0, .5, 1} {
		s.put(64, i, v)
	}
	for name, l := range map[string]*PipelineLayout{"own layout": layout(first, second), "union": nil} {
		p, err := d.NewGraphicsPipeline(ctx, GraphicsPipelineInfo{Libraries: list, Layout: l})
		if err != nil {
			t.Fatal(name, err)
		}
		all := layout(first, second)
		s.picture(t, func(c *CommandBuffer) {
			c.PushConstants(s.layout, 0, make([]byte, 16))
			c.BindGraphicsPipeline(p)
			c.BindSets(Graphics, all, 1, []*Set{set}, nil)
		})
		if got := s.pixel(1, 1); got != [4]byte{255, 0, 128, 255} {
			t.Errorf("%s: the color is %v", name, got)
		}
	}
}

// TestLibraryRules breaks each rule of libraries.
func TestLibraryRules(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	d, ctx := s.dev, context.Background()
	const library, retain, optimize = enum.PipelineFlagsLibrary, enum.PipelineFlagsRetainLinkTimeOptimizationInfo, enum.PipelineFlagsLinkTimeOptimization
	part := func(parts enum.Parts, flags enum.PipelineFlags) *GraphicsPipeline {
		info := s.stages
		info.Parts, info.Flags = parts, library|flags
		return must(d.NewGraphicsPipeline(ctx, info))(t)
	}
	input, rest := part(inputPart, 0), part(rasterPart|fragmentPart|outputPart, retain)
	for _, c := range []struct {
		info GraphicsPipelineInfo
		rule string
	}{
		{GraphicsPipelineInfo{Libraries: []*GraphicsPipeline{input, s.pipeline}}, "VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-03381"},
		{GraphicsPipelineInfo{Creation: Creation{Flags: optimize}, Libraries: []*GraphicsPipeline{input, rest}}, "VUID-VkGraphicsPipelineCreateInfo-flags-06609"},
		{GraphicsPipelineInfo{Creation: Creation{Flags: library | retain}, Libraries: []*GraphicsPipeline{input}}, "VUID-VkGraphicsPipelineCreateInfo-flags-06610"},
		{GraphicsPipelineInfo{Creation: Creation{Flags: library}, Libraries: []*GraphicsPipeline{input, rest}}, "VUID-VkGraphicsPipelineCreateInfo-flags-06608"},
		{GraphicsPipelineInfo{Libraries: []*GraphicsPipeline{input, input}}, ""},
		{GraphicsPipelineInfo{Libraries: []*GraphicsPipeline{input}}, "VUID-VkGraphicsPipelineCreateInfo-stage-02096"},
		{GraphicsPipelineInfo{Libraries: []*GraphicsPipeline{nil}}, ""},
	} {
		if p, err := d.NewGraphicsPipeline(ctx, c.info); err == nil || p != nil || ruleOf(err) != c.rule {
			t.Errorf("flags %v, %d libraries: %v; want %q", c.info.Flags, len(c.info.Libraries), err, c.rule)
		}
	}
	// Linking compiles nothing, so that it does not fail if a compilation is not allowed; a library of libraries is one.
	both := must(d.NewGraphicsPipeline(ctx, GraphicsPipelineInfo{Creation: Creation{Flags: library}, Libraries: []*GraphicsPipeline{part(rasterPart, 0), part(fragmentPart, 0)}, Layout: s.layout}))(t)
	if _, err := d.NewGraphicsPipeline(ctx, GraphicsPipelineInfo{Creation: Creation{Flags: failOnCompile}, Libraries: []*GraphicsPipeline{input, both, part(outputPart, 0)}, Layout: s.layout}); err != nil {
		t.Errorf("linked without a compilation: %v", err)
	}
	c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.BindGraphicsPipeline(input)
	if err := c.End(); ruleOf(err) != "VUID-vkCmdBindPipeline-pipeline-03382" {
		t.Errorf("a library is bound: %v", err)
	}
}

// TestLibraryDynamic: a dynamic state of a library is one of the pipeline if its part has it, and else ignored.
func TestLibraryDynamic(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.Dynamic = []enum.DynamicState{enum.DynamicStateCullMode, enum.DynamicStateDepthTestEnable, enum.DynamicStateColorWriteMask, enum.DynamicStatePrimitiveTopology}
	s.stages.State = s.fixed
	var list []*GraphicsPipeline
	for _, part := range []enum.Parts{inputPart, rasterPart, fragmentPart, outputPart} {
		info := s.stages
		info.Parts, info.Flags = part, enum.PipelineFlagsLibrary
		l := must(s.dev.NewGraphicsPipeline(context.Background(), info))(t)
		if n := len(l.library.state.Dynamic); n != 1 {
			t.Errorf("%v: dynamic states %v", part, l.library.state.Dynamic)
		}
		list = append(list, l)
	}
	p := must(s.dev.NewGraphicsPipeline(context.Background(), GraphicsPipelineInfo{Libraries: list, Layout: s.layout}))(t)
	if len(p.dynamic) != 4 {
		t.Errorf("%d dynamic states, want 4", len(p.dynamic))
	}
}
