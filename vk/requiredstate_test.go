package vk

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// absentStates are the commands of link's rules for states that a device of Chiaro does not have.
var absentStates = []string{
	"vkCmdSetViewportWScalingEnableNV", "vkCmdSetViewportWScalingNV", "vkCmdSetViewportSwizzleNV",
	"vkCmdSetExclusiveScissorEnableNV", "vkCmdSetExclusiveScissorNV", "vkCmdSetCoverageToColorEnableNV", "vkCmdSetCoverageToColorLocationNV",
	"vkCmdSetCoverageModulationModeNV", "vkCmdSetCoverageModulationTableEnableNV", "vkCmdSetCoverageModulationTableNV", "vkCmdSetCoverageReductionModeNV",
	"vkCmdSetShadingRateImageEnableNV", "vkCmdSetCoarseSampleOrderNV", "vkCmdSetViewportShadingRatePaletteNV", "vkCmdSetRepresentativeFragmentTestEnableNV",
}

// TestNeedsOfLink checks that needs has the commands of link's rules on required states, except those for
// absent states.
func TestNeedsOfLink(t *testing.T) {
	const middle = " precedes a draw with the dynamic state "
	of := map[string]bool{} // by command: whether needs has it
	for r := range link.Rules() {
		if commands, _, ok := strings.Cut(r.Words, middle); ok {
			of[strings.Fields(commands)[0]] = false
		}
	}
	for i := range needs {
		if _, ok := of[needs[i].command]; !ok {
			t.Errorf("%s: no rule of link requires it", needs[i].command)
		}
		of[needs[i].command] = true
	}
	for _, c := range absentStates {
		if has, ok := of[c]; !ok || has {
			t.Errorf("%s is absent, but needs has it, or no rule requires it", c)
		}
		of[c] = true
	}
	for c, has := range of {
		if !has {
			t.Errorf("%s is required by a rule of link, and not in needs", c)
		}
	}
}

// TestNeedsNames finds the dynamic state of each command by its name.
func TestNeedsNames(t *testing.T) {
	for i := range needs {
		n := 0
		for _, s := range commandStates() {
			if needs[i].is(s) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s sets %d dynamic states, want 1", needs[i].command, n)
		}
	}
}

// TestNeedsOfEnables: a state is needless after a command has disabled its use.
func TestNeedsOfEnables(t *testing.T) {
	x := &executor{dev: &Device{needed: 1<<setLineStipple | 1<<haveDiscardRectangles}}
	g := &x.graphics
	g.bound.shaders[StageVertex] = &Shader{}
	g.current = &rendering{}
	s := &state.State{}
	s.Assembly.Topology = enum.TopologyLineList
	for _, c := range []struct {
		what string
		p    *GraphicsPipeline
		off  enabling
		want string
	}{
		{"nothing is set", nil, enabling{}, "vkCmdSetDiscardRectangleEXT vkCmdSetLineStipple"},
		{"both are disabled", nil, enabling{set: 1<<enableStipple | 1<<enableDiscard}, ""},
		{"the stipple is enabled", nil, enabling{set: 1<<enableStipple | 1<<enableDiscard, value: [numEnables]uint32{enableStipple: 1}}, "vkCmdSetLineStipple"},
		{"a pipeline without stipple", &GraphicsPipeline{keeps: 1 << setLineStipple}, enabling{}, ""},
		{"a pipeline with stipple", &GraphicsPipeline{keeps: 1 << setLineStipple, stippled: true}, enabling{set: 1 << enableStipple}, "vkCmdSetLineStipple"},
	} {
		g.bound.enables = c.off
		var got []string
		for _, n := range x.missing(c.p, s, len(needs)) {
			got = append(got, n.command)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v are missing; must be %q", c.what, got, c.want)
		}
	}
}

// TestNeedsOfEnableCommands: each command of an enable, and of feedback loops, sets the state that a draw needs.
func TestNeedsOfEnableCommands(t *testing.T) {
	all := []struct {
		command string
		run     work
		state   enum.DynamicState
	}{
		{"vkCmdSetColorWriteEnableEXT", &setEnable{enableWrites, 1<<state.MaxColors - 1, 1}, enum.DynamicStateColorWriteEnable},
		{"vkCmdSetDiscardRectangleEnableEXT", &setEnable{enableDiscard, 1, 0}, enum.DynamicStateDiscardRectangleEnable},
		{"vkCmdSetDiscardRectangleModeEXT", &setEnable{exclusiveDiscard, 1, 0}, enum.DynamicStateDiscardRectangleMode},
		{"vkCmdSetLineStippleEnableEXT", &setEnable{enableStipple, 1, 0}, enum.DynamicStateLineStippleEnable},
		{"vkCmdSetAttachmentFeedbackLoopEnableEXT", setLoops(Color), enum.DynamicStateAttachmentFeedbackLoopEnable},
	}
	x := &executor{dev: &Device{needed: 0x1f << haveLoops}}
	g := &x.graphics
	s := &state.State{}
	check := func(what string, p *GraphicsPipeline, want ...string) {
		t.Helper()
		var got []string
		for _, n := range x.missing(p, s, len(needs)) {
			got = append(got, n.command)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v are missing; must be %v", what, got, want)
		}
	}
	fresh := func(stages ...ShaderStage) {
		g.bound, g.current = bound{}, &rendering{}
		for _, s := range stages {
			g.bound.shaders[s] = &Shader{}
		}
		*s = state.State{}
		s.Assembly.Topology = enum.TopologyLineList
	}
	names := func(skip int) (list []string) {
		for i := range all {
			if i != skip {
				list = append(list, all[i].command)
			}
		}
		return list
	}
	for i, c := range all {
		fresh(StageVertex, StageFragment)
		check("nothing is set", nil, names(-1)...)
		if err := c.run.run(x); err != nil {
			t.Fatal(err)
		}
		check("after "+c.command, nil, names(i)...)
		var p GraphicsPipeline
		if err := p.setDynamic([]enum.DynamicState{c.state}); err != nil {
			t.Fatal(err)
		}
		p.stageBits = 1<<StageVertex | 1<<StageFragment
		check(c.command+" with a pipeline", &p)
		g.bindPipeline(&p)
		check(c.command+" before the pipeline", &p)
		var static GraphicsPipeline
		if err := static.setDynamic(nil); err != nil {
			t.Fatal(err)
		}
		g.bindPipeline(&static)
		check("a pipeline with static state", &static)
		g.bindPipeline(&p)
		check("after a pipeline with static state", &p, c.command)
	}
	fresh(StageVertex)
	check("without a fragment stage", nil, names(-1)[1:4]...)
	fresh(StageVertex, StageFragment)
	s.Assembly.Topology = enum.TopologyTriangleList
	check("triangles", nil, names(3)...)
	fresh(StageVertex, StageFragment)
	s.Rasterization.Discard = true
	check("nothing is rasterized", nil)
	fresh(StageVertex, StageFragment)
	(&setEnable{enableDiscard, 0, 0}).run(x)
	check("the discard rectangles are disabled", nil, all[0].command, all[3].command, all[4].command)
}

// TestEachNeed leaves out each state of the section "Setting State" in turn (row E07), of draws with shader objects that enable all
// that makes a state required: its command alone is missing, if the stages and the primitives of the draw are those of the rule.
func TestEachNeed(t *testing.T) {
	enabled := state.State{}
	enabled.DepthStencil = state.DepthStencil{Test: true, Bounds: true, Stencil: true}
	enabled.Rasterization.DepthBias, enabled.Rasterization.DepthClamp, enabled.Rasterization.Conservative = true, true, 1
	enabled.Multisample.Located, enabled.Blend.Logic = true, true
	enabled.Blend.Attachments = []state.BlendAttachment{{Enable: true, DstAlpha: enum.BlendFactorOneMinusConstantAlpha}}
	lines := []string{"vkCmdSetLineWidth", "vkCmdSetLineRasterizationModeEXT", "vkCmdSetLineStippleEnableEXT"}
	patches := []string{"vkCmdSetPatchControlPointsEXT", "vkCmdSetTessellationDomainOriginEXT"}
	stream, provoking := "vkCmdSetRasterizationStreamEXT", "vkCmdSetProvokingVertexModeEXT"
	vertex := []string{"vkCmdSetVertexInputEXT", "vkCmdSetPrimitiveTopology", "vkCmdSetPrimitiveRestartEnable", provoking}
	fragment := []string{"vkCmdSetLogicOpEnableEXT", "vkCmdSetLogicOpEXT", "vkCmdSetColorBlendEnableEXT", "vkCmdSetColorWriteMaskEXT", "vkCmdSetColorWriteEnableEXT",
		"vkCmdSetColorBlendEquationEXT", "vkCmdSetBlendConstants", "vkCmdSetAttachmentFeedbackLoopEnableEXT"}
	// Without rasterization: the stages before it, the viewports, and the states without that condition.
	discarded := []string{"vkCmdSetViewportWithCount", "vkCmdSetScissorWithCount", "vkCmdSetRasterizerDiscardEnable", "vkCmdSetDepthClampRangeEXT",
		"vkCmdSetDepthClipEnableEXT", "vkCmdSetDepthClipNegativeOneToOneEXT"}
	for _, c := range []struct {
		name     string
		topology enum.Topology
		modes    [StageCompute]ir.Modes
		stages   []ShaderStage
		discard  bool
		needless []string // commands that the draw does not need
		only     []string // if not nil, the commands that it needs
	}{
		{name: "lines", topology: enum.TopologyLineStrip, stages: []ShaderStage{StageVertex, StageFragment}, needless: append(patches, stream)},
		{name: "triangles", topology: enum.TopologyTriangleList, stages: []ShaderStage{StageVertex, StageFragment}, needless: slices.Concat(patches, lines, []string{stream})},
		{name: "no fragment shader", topology: enum.TopologyLineList, stages: []ShaderStage{StageVertex}, needless: slices.Concat(patches, fragment, []string{stream})},
		{name: "triangles of patches", topology: enum.TopologyPatchList, stages: []ShaderStage{StageVertex, StageTessControl, StageTessEvaluation, StageFragment}, needless: append(lines, stream)},
		{name: "isolines", topology: enum.TopologyPatchList, stages: []ShaderStage{StageVertex, StageTessControl, StageTessEvaluation, StageFragment},
			modes: [StageCompute]ir.Modes{StageTessEvaluation: ir.TessIsolines}, needless: []string{stream}},
		{name: "points of isolines", topology: enum.TopologyPatchList, stages: []ShaderStage{StageVertex, StageTessControl, StageTessEvaluation, StageFragment},
			modes: [StageCompute]ir.Modes{StageTessEvaluation: ir.TessIsolines | ir.PointMode}, needless: append(lines, stream)},
		{name: "lines of a geometry shader", topology: enum.TopologyTriangleList, stages: []ShaderStage{StageVertex, StageGeometry, StageFragment},
			modes: [StageCompute]ir.Modes{StageGeometry: ir.OutputLineStrip}, needless: patches},
		{name: "triangles of a geometry shader", topology: enum.TopologyLineList, stages: []ShaderStage{StageVertex, StageGeometry, StageFragment}, needless: append(patches, lines...)},
		{name: "lines of a mesh shader", topology: enum.TopologyTriangleList, stages: []ShaderStage{StageMesh, StageFragment},
			modes: [StageCompute]ir.Modes{StageMesh: ir.OutputLines}, needless: slices.Concat(patches, vertex, []string{stream})},
		{name: "no rasterization", topology: enum.TopologyLineList, stages: []ShaderStage{StageVertex, StageFragment}, discard: true, only: append(discarded, vertex[:3]...)},
	} {
		s := enabled
		s.Assembly.Topology, s.Rasterization.Discard = c.topology, c.discard
		x := &executor{dev: &Device{needed: statesOfNeeds}}
		g := &x.graphics
		g.current = &rendering{info: RenderingInfo{Colors: make([]AttachmentInfo, 1)}}
		g.bound.enables.set, g.bound.enables.value = 1<<numEnables-1, [numEnables]uint32{1, 1, 1, 1}
		for _, stage := range c.stages {
			g.bound.shaders[stage] = &Shader{stage: &shader.Stage{Program: &ir.Program{Modes: c.modes[stage]}}}
		}
		for i := range needs {
			n := &needs[i]
			g.bound.have = statesOfNeeds &^ (1 << n.set)
			var got []string
			for _, m := range x.missing(nil, &s, len(needs)) {
				got = append(got, m.command)
			}
			needed := !slices.Contains(c.needless, n.command)
			if c.only != nil {
				needed = slices.Contains(c.only, n.command)
			}
			if needed && !slices.Equal(got, []string{n.command}) || !needed && got != nil {
				t.Errorf("%s without %s: %v are missing; needed: %v", c.name, n.command, got, needed)
			}
		}
	}
}
