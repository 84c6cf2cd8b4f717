package vk

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestBindPoints is row F06: the table of Vulkan, Binding Shaders, for the 16 stages.
func TestBindPoints(t *testing.T) {
	const draws, dispatches, rays, subpass, graphs = "all drawing commands", "all dispatch commands",
		"vkCmdTraceRaysNV, vkCmdTraceRaysKHR and vkCmdTraceRaysIndirectKHR", "vkCmdSubpassShadingHUAWEI", "all execution graph commands"
	table := []struct {
		stage    string
		bit      uint32
		points   []BindPoint
		controls []string
	}{
		{"vertex", 1, []BindPoint{Graphics}, []string{draws}},
		{"tessellation control", 2, []BindPoint{Graphics}, []string{draws}},
		{"tessellation evaluation", 4, []BindPoint{Graphics}, []string{draws}},
		{"geometry", 8, []BindPoint{Graphics}, []string{draws}},
		{"fragment", 0x10, []BindPoint{Graphics}, []string{draws}},
		{"compute", 0x20, []BindPoint{Compute, ExecutionGraph}, []string{dispatches, graphs}},
		{"task", 0x40, []BindPoint{Graphics}, []string{draws}},
		{"mesh", 0x80, []BindPoint{Graphics}, []string{draws}},
		{"ray generation", 0x100, []BindPoint{RayTracing}, []string{rays}},
		{"any hit", 0x200, []BindPoint{RayTracing}, []string{rays}},
		{"closest hit", 0x400, []BindPoint{RayTracing}, []string{rays}},
		{"miss", 0x800, []BindPoint{RayTracing}, []string{rays}},
		{"intersection", 0x1000, []BindPoint{RayTracing}, []string{rays}},
		{"callable", 0x2000, []BindPoint{RayTracing}, []string{rays}},
		{"subpass shading", 0x4000, []BindPoint{SubpassShading}, []string{subpass}},
		{"cluster culling", 0x80000, []BindPoint{SubpassShading}, []string{subpass}},
	}
	all := uint32(0)
	for _, c := range table {
		all |= c.bit
		if got := BindPoints(c.bit); !slices.Equal(got, c.points) {
			t.Errorf("the stage %s is of %v, want %v", c.stage, got, c.points)
			continue
		}
		for i, p := range c.points {
			if got := p.Controls(); got != c.controls[i] {
				t.Errorf("the stage %s at %v controls %q, want %q", c.stage, p, got, c.controls[i])
			}
		}
	}
	stages := uint32(0)
	for p := range numBindPoints {
		stages |= p.Stages()
	}
	if stages != all || len(table) != 16 {
		t.Errorf("the bind points have the stages %#x, want %#x", stages, all)
	}
	if none := numBindPoints; none.Stages() != 0 || none.Controls() != "" || none.String() != "bind point 5" || BindPoints(0) != nil || BindPoints(3) == nil || BindPoints(0x21) != nil {
		t.Error("there is a bind point of no stage or of stages of two")
	}
}

// TestBindPointsControl binds a pipeline at the compute and at the graphics bind point (row F06): dispatches use the first, draws
// the second, and a bind at one point does not change the other. A bind point that does not exist is refused.
func TestBindPointsControl(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	object := must(s.dev.NewShaders(t.Context(), []ShaderInfo{{Stage: StageCompute, Code: code(t, saxpy), Layout: s.rig.pipeline}}))(t)
	for i := range 8 {
		s.put(64, i, 100)
	}
	picture := s.shot(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.BindShaders([]ShaderStage{StageCompute}, object)
		c.BindPipeline(s.saxpy) // of the other bind point
		s.paint(c, 1, 0, 0, 1)
		c.Draw(3, 1, 0, 0)
	})
	if got, want := picture[8*2+2], [4]byte{255, 0, 0, 255}; got != want {
		t.Errorf("the draw after binds of compute: %v, want %v", got, want)
	}
	if err := s.submit(t, s.record(t, func(c *CommandBuffer) {
		c.BindPipeline(s.saxpy)
		c.BindGraphicsPipeline(s.pipeline)
		c.BindShaders([]ShaderStage{StageVertex, StageFragment}, nil)
		c.BindSets(Compute, s.rig.pipeline, 0, []*Set{s.set}, nil)
		c.PushConstants(s.rig.pipeline, 0, push(3))
		c.Dispatch(2, 1, 1)
	})); err != nil {
		t.Fatal(err)
	}
	if got := s.get(64, 5); got != 115 {
		t.Errorf("the dispatch after binds of graphics: y[5] is %v, want 115", got)
	}
	c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	c.Begin(BeginInfo{})
	c.BindSets(numBindPoints, s.rig.pipeline, 0, []*Set{s.set}, nil)
	var unsupported *UnsupportedError
	if err := c.End(); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), numBindPoints.String()) {
		t.Errorf("sets at a bind point that does not exist: %v", err)
	}
}

// TestShaderInfo is row E02: a stage with each of its flags and next stages, and those that it must not have.
func TestShaderInfo(t *testing.T) {
	s := newScene(t, 1)
	stage := func(names ...string) (set link.Stages) {
		for _, n := range names {
			x, ok := link.ParseStage(n)
			if !ok {
				t.Fatal(n)
			}
			set |= x
		}
		return set
	}
	const rule = "VUID-VkShaderCreateInfoEXT-"
	for _, c := range []struct {
		stage ShaderStage
		next  link.Stages
		flags enum.ObjectFlags
		rule  string // that it breaks; "" for none
	}{
		{StageVertex, 0, 0, ""},
		{StageVertex, stage("fragment", "geometry", "tessellation_control"), 0, ""},
		{StageVertex, stage("tessellation_evaluation"), 0, "nextStage-08427"},
		{StageVertex, stage("compute"), 0, "nextStage-08427"},
		{StageVertex, stage("mesh"), 0, "nextStage-08427"},
		{StageFragment, 0, 0, ""},
		{StageFragment, stage("fragment"), 0, "nextStage-08434"},
		{StageCompute, stage("compute"), 0, "nextStage-08434"},
		{StageVertex, 0, enum.ObjectFlagsAllowVaryingSubgroupSize, ""},
		{StageCompute, 0, enum.ObjectFlagsAllowVaryingSubgroupSize, ""},
		{StageVertex, 0, enum.ObjectFlagsRequireFullSubgroups, "flags-08992"},
		{StageFragment, 0, enum.ObjectFlagsRequireFullSubgroups, "flags-08992"},
		{StageVertex, 0, enum.ObjectFlagsNoTaskShader, "flags-08414"},
		{StageCompute, 0, enum.ObjectFlagsNoTaskShader, "flags-08414"},
		{StageCompute, 0, enum.ObjectFlagsDispatchBase, ""},
		{StageVertex, 0, enum.ObjectFlagsDispatchBase, "flags-08485"},
		{StageFragment, 0, enum.ObjectFlagsDispatchBase, "flags-08485"},
		{StageFragment, 0, enum.ObjectFlagsFragmentShadingRateAttachment, ""},
		{StageVertex, 0, enum.ObjectFlagsFragmentShadingRateAttachment, "flags-08486"},
		{StageVertex, 0, enum.ObjectFlagsFragmentDensityMapAttachment, "flags-08488"},
		{StageVertex, 0, enum.ObjectFlagsLinkStage, ""},
		{StageCompute, 0, enum.ObjectFlagsLinkStage, "flags-08412"},
		{StageCompute, 0, enum.ObjectFlagsDescriptorHeap, "flags-11291"},
	} {
		info := ShaderInfo{Stage: c.stage, Next: c.next, Flags: c.flags, Layout: s.layout}
		switch c.stage {
		case StageVertex:
			info.Code = code(t, positions)
		case StageFragment:
			info.Code = code(t, pushed)
		default:
			info.Code, info.Layout = code(t, saxpy), s.rig.pipeline
		}
		list, err := s.dev.NewShaders(t.Context(), []ShaderInfo{info})
		var failed *ShaderError
		switch {
		case c.rule == "" && err != nil:
			t.Errorf("%v with the next stages %v and the flags %v: %v", c.stage, c.next, c.flags, err)
		case c.rule != "" && (!errors.As(err, &failed) || failed.Index != 0 || list[0] != nil || !isRule(err, rule+c.rule) && !strings.Contains(err.Error(), rule+c.rule)):
			t.Errorf("%v with the next stages %v and the flags %v: %v, want %s", c.stage, c.next, c.flags, err, c.rule)
		}
		for _, x := range list {
			if x != nil {
				x.Close()
			}
		}
	}
	_, err := s.dev.NewShaders(t.Context(), []ShaderInfo{{Stage: StageVertex, Code: code(t, positions)[:21], Layout: s.layout}})
	broke(t, "code of 21 bytes", err, rule+"codeSize-08735")
	var unsupported *UnsupportedError
	for stage := numStages; stage < numStages+2; stage++ {
		if _, err := s.dev.NewShaders(t.Context(), []ShaderInfo{{Stage: stage, Code: code(t, positions), Layout: s.layout}}); !errors.As(err, &unsupported) {
			t.Errorf("%v: %v; want an *UnsupportedError", stage, err)
		}
	}
}
