package vk

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// throughGeometry passes one triangle on.
const throughGeometry = `OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main"
OpExecutionMode %main Triangles
OpExecutionMode %main Invocations 1
OpExecutionMode %main OutputTriangleStrip
OpExecutionMode %main OutputVertices 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`

// shader makes one shader object.
func (r *ruled) shader(t testing.TB, stage ShaderStage, text string, l *PipelineLayout, change func(*ShaderInfo)) *Shader {
	t.Helper()
	info := ShaderInfo{Stage: stage, Code: code(t, text), Layout: l, Next: ^link.Stages(0)}
	if change != nil {
		change(&info)
	}
	return must(r.dev.NewShaders(context.Background(), []ShaderInfo{info}))(t)[0]
}

// drawObjects draws with shader objects after prepare.
func (r *ruled) drawObjects(c *CommandBuffer, info RenderingInfo, objects map[ShaderStage]*Shader, prepare func()) {
	r.paints(c, info, nil, func() {
		r.setAll(c)
		for stage, s := range objects {
			c.BindShaders([]ShaderStage{stage}, []*Shader{s})
		}
		if prepare != nil {
			prepare()
		}
	})
}

// TestObjectRules breaks the rules of draws with shader objects.
func TestObjectRules(t *testing.T) {
	r := newRuled(t)
	vertex, fragment := r.shader(t, StageVertex, positions, r.layout, nil), r.shader(t, StageFragment, pushed, r.layout, nil)
	geometry := r.shader(t, StageGeometry, throughGeometry, r.layout, nil)
	good := map[ShaderStage]*Shader{StageVertex: vertex, StageFragment: fragment}
	with := func(s ...*Shader) map[ShaderStage]*Shader {
		list := map[ShaderStage]*Shader{StageVertex: vertex, StageFragment: fragment}
		for _, x := range s {
			list[x.info.Stage] = x
		}
		return list
	}
	either := func(bad bool, list map[ShaderStage]*Shader) map[ShaderStage]*Shader {
		if bad {
			return list
		}
		return good
	}
	linked := r.objects(t, enum.ObjectFlagsLinkStage)
	geometryLayout := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Push: []link.Range{{Size: 8, Stages: link.AllStages}}}))(t)
	setLayout := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{r.rig.layout}, Push: r.layout.link.Push}))(t)
	deadEnd := r.shader(t, StageVertex, positions, r.layout, func(i *ShaderInfo) { i.Next = StageGeometry.bit() })
	otherPush, otherSets := r.shader(t, StageFragment, pushed, geometryLayout, nil), r.shader(t, StageFragment, pushed, setLayout, nil)
	covered := r.shader(t, StageFragment, alphaless, r.layout, nil)
	rates := r.shader(t, StageVertex, rated, r.layout, nil)
	pass := must(r.dev.NewRenderPass(r.twoPasses()))(t)
	r.check(t, []ruleRow{
		{[]string{"vkCmdDraw-None-08684", "vkCmdDraw-None-08685", "vkCmdDraw-None-08686", "vkCmdDraw-None-08687", "vkCmdDraw-None-08688"}, features(true, "tessellationShader", "geometryShader"), func(c *CommandBuffer, bad bool) {
			list := map[ShaderStage]*Shader{}
			if !bad {
				list = map[ShaderStage]*Shader{StageVertex: vertex, StageFragment: fragment, StageGeometry: nil, StageTessControl: nil, StageTessEvaluation: nil}
			}
			r.drawObjects(c, r.rendering(), list, nil)
		}},
		{[]string{"vkCmdDraw-None-08698"}, nil, func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, r.rendering(), map[ShaderStage]*Shader{StageVertex: linked[0], StageFragment: map[bool]*Shader{true: fragment, false: linked[1]}[bad]}, nil)
		}},
		{[]string{"vkCmdDraw-None-08699"}, nil, func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, r.rendering(), map[ShaderStage]*Shader{StageVertex: linked[0], StageFragment: linked[1]}, func() {
				if bad {
					c.BindShaders([]ShaderStage{StageGeometry}, []*Shader{geometry})
				}
			})
		}},
		{[]string{"vkCmdDraw-nextStage-10745"}, nil, func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, r.rendering(), either(bad, with(deadEnd)), nil)
		}},
		{[]string{"vkCmdDraw-None-08878"}, nil, func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, r.rendering(), either(bad, with(otherPush)), nil)
		}},
		{[]string{"vkCmdDraw-None-08879"}, nil, func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, r.rendering(), either(bad, with(otherSets)), nil)
		}},
		{[]string{"vkCmdDraw-None-10772"}, nil, func(c *CommandBuffer, bad bool) {
			info := r.rendering()
			info.ViewMask = uint32(flag(bad))
			r.drawObjects(c, info, good, nil)
		}},
		{[]string{"vkCmdDraw-alphaToCoverageEnable-08920"}, nil, func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, r.rendering(), with(covered), func() { c.SetAlphaToCoverage(bad) })
		}},
		{[]string{"vkCmdDraw-primitiveFragmentShadingRateWithMultipleViewports-08642"}, limits("primitiveFragmentShadingRateWithMultipleViewports", 0), func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, r.rendering(), with(rates), func() {
				if bad {
					c.SetViewports(slices.Repeat(r.fixed.Viewports, 2))
					c.SetScissors(slices.Repeat(r.fixed.Scissors, 2))
				}
			})
		}},
	})
	_, first := r.target(t, 1, 1)
	_, second := r.target(t, 1, 1)
	f := must(r.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{first, second, r.depth}, Width: 8, Height: 8, Layers: 1}))(t)
	r.check(t, []ruleRow{{[]string{"vkCmdDraw-None-08876"}, nil, func(c *CommandBuffer, bad bool) {
		if !bad {
			r.drawObjects(c, r.rendering(), good, nil)
			return
		}
		c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{opaque, {}, far}}, 0)
		r.setAll(c)
		c.BindShaders([]ShaderStage{StageVertex, StageFragment}, []*Shader{vertex, fragment})
		c.Draw(3, 1, 0, 0)
		c.NextSubpass(0)
		c.EndRenderPass()
	}}})
}

// TestIndependentRules breaks the rules on shader objects with independent sets.
func TestIndependentRules(t *testing.T) {
	r := newRuled(t)
	task, _ := link.ParseStage("task")
	sets := func(stages link.Stages) *SetLayout {
		return must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.StorageBuffer), Count: 1, Stages: stages}}}))(t)
	}
	vertexSet, taskSet := sets(vertexStages), sets(task)
	push := []link.Range{{Size: 16, Stages: link.AllStages}}
	layout := func(flags enum.LayoutFlags, list ...*SetLayout) *PipelineLayout {
		return must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Flags: flags, Sets: list, Push: push}))(t)
	}
	const independent = enum.ObjectFlagsIndependentSets
	one := layout(enum.LayoutFlagsIndependentSets|enum.LayoutFlagsNoTaskShader, vertexSet)
	tasks := layout(enum.LayoutFlagsIndependentSets, vertexSet)
	closed := layout(enum.LayoutFlagsNoTaskShader, vertexSet)
	mixed := layout(enum.LayoutFlagsIndependentSets|enum.LayoutFlagsNoTaskShader, vertexSet, taskSet)
	set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(vertexSet))(t)
	build := func(stage ShaderStage, text string, flags enum.ObjectFlags) *Shader {
		return r.shader(t, stage, text, one, func(i *ShaderInfo) { i.Flags = flags })
	}
	vertex, fragment := build(StageVertex, positions, independent|enum.ObjectFlagsNoTaskShader), build(StageFragment, pushed, independent)
	dependent := build(StageFragment, pushed, 0)
	row := func(rule string, bad *PipelineLayout, last *Shader) ruleRow {
		return ruleRow{[]string{rule}, nil, func(c *CommandBuffer, isBad bool) {
			l, f := one, fragment
			if isBad {
				l, f = bad, last
			}
			r.drawObjects(c, r.rendering(), map[ShaderStage]*Shader{StageVertex: vertex, StageFragment: f}, func() {
				c.BindSets(Graphics, l, 0, []*Set{set}, nil)
				c.PushConstants(l, 0, sixteen)
			})
		}}
	}
	r.check(t, []ruleRow{
		row("vkCmdDraw-flags-13361", one, dependent),
		row("vkCmdDraw-flags-13362", closed, fragment),
		row("vkCmdDraw-flags-12491", closed, fragment),
		row("vkCmdDraw-flags-13364", tasks, fragment),
		row("vkCmdDraw-flags-13363", mixed, fragment),
	})
}

var sixteen = make([]byte, 16)

// TestLocalInputRules reads input attachments by shader objects, with and without an index that an attachment has.
func TestLocalInputRules(t *testing.T) {
	r := newRuled(t)
	_, view := r.target(t, 1, 1)
	_, layout, set := r.reader(t, view, func(i *GraphicsPipelineInfo) {})
	vertex, fragment := r.shader(t, StageVertex, positions, layout, nil), r.shader(t, StageFragment, inverse, layout, nil)
	bare := r.shader(t, StageFragment, strings.Replace(inverse, "OpDecorate %in InputAttachmentIndex 0\n", "", 1), layout, nil)
	info := r.rendering()
	info.Colors[0].View = view
	zero, one := uint32(5), uint32(6)
	row := func(rule string, f *Shader, indices InputIndices) ruleRow {
		return ruleRow{[]string{rule}, nil, func(c *CommandBuffer, bad bool) {
			r.drawObjects(c, info, map[ShaderStage]*Shader{StageVertex: vertex, StageFragment: map[bool]*Shader{true: f, false: fragment}[bad]}, func() {
				c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
				if bad {
					c.SetRenderingInputAttachmentIndices(indices)
				}
			})
		}}
	}
	_, other := r.target(t, 1, 1)
	reads, reader, wrong := r.reader(t, other, func(i *GraphicsPipelineInfo) {})
	right := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(wrong.layout))(t)
	if err := right.Update(Write{Images: []ImageDescriptor{{View: view}}}); err != nil {
		t.Fatal(err)
	}
	r.check(t, []ruleRow{
		{[]string{"vkCmdDraw-pDepthInputAttachmentIndex-09595"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info, reads, func() {
				c.SetRenderingInputAttachmentIndices(InputIndices{Colors: []uint32{0}})
				c.BindSets(Graphics, reader, 0, []*Set{map[bool]*Set{true: wrong, false: right}[bad]}, nil)
			})
		}},
		row("vkCmdDraw-InputAttachmentIndex-09597", fragment, InputIndices{Colors: []uint32{7}}),
		row("vkCmdDraw-pDepthInputAttachmentIndex-09596", bare, InputIndices{Depth: &zero, Stencil: &one}),
	})
}

// TestNeedRules finds each missing state in a state that needs it, with the rule that package link has for its command.
func TestNeedRules(t *testing.T) {
	all := &valid.Device{AllOthers: true, Others: true}
	r := newRuled(t)
	r.on(all)
	info := RenderingInfo{Colors: make([]AttachmentInfo, 1)}
	var full, rest state.State
	full.Assembly.Topology, rest.Assembly.Topology = enum.TopologyLineList, enum.TopologyPatchList
	full.DepthStencil = state.DepthStencil{Test: true, Bounds: true, Stencil: true}
	full.Rasterization = state.Rasterization{DepthBias: true, DepthClamp: true, Conservative: 1}
	full.Multisample.Located = true
	full.Blend = state.Blend{Logic: true, Attachments: []state.BlendAttachment{{Enable: true, SrcColor: enum.BlendFactorConstantColor}}}
	for i := range needs {
		n, found := &needs[i], false
		for stages := range 1 << StageCompute {
			x := &executor{dev: r.dev}
			x.graphics.current = &rendering{info: info}
			x.graphics.bound.have = statesOfNeeds &^ (1 << n.set)
			for k := range StageCompute {
				if stages>>k&1 != 0 {
					x.graphics.bound.shaders[k] = &Shader{}
				}
			}
			for _, s := range []*state.State{&full, &rest} {
				if found {
					break
				}
				if u, ok := x.checkState(nil, s).(*UsageError); ok {
					found = true
					if rule, ok := link.RuleOf(u.Rule); !ok || !strings.Contains(strings.SplitN(rule.Words, " precedes ", 2)[0], n.command) || len(x.findings) != 1 {
						t.Errorf("%s: %v; must be the rule of the command", n.command, u)
					}
				}
				x.findings = nil
			}
		}
		if !found {
			t.Errorf("no state needs %s", n.command)
		}
	}
}
