package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// absentStates are the commands of link's rules for states that a device of Chiaro does not have, or that another command
// of its objects sets.
var absentStates = []string{
	"vkCmdSetDiscardRectangleEnableEXT", "vkCmdSetDiscardRectangleModeEXT", "vkCmdSetLineStippleEnableEXT", // SetDiscardRectangles, SetLineStipple
	"vkCmdSetColorWriteEnableEXT",
	"vkCmdSetAttachmentFeedbackLoopEnableEXT", "vkCmdSetViewportWScalingEnableNV", "vkCmdSetViewportWScalingNV", "vkCmdSetViewportSwizzleNV",
	"vkCmdSetExclusiveScissorEnableNV", "vkCmdSetExclusiveScissorNV", "vkCmdSetCoverageToColorEnableNV", "vkCmdSetCoverageToColorLocationNV",
	"vkCmdSetCoverageModulationModeNV", "vkCmdSetCoverageModulationTableEnableNV", "vkCmdSetCoverageModulationTableNV", "vkCmdSetCoverageReductionModeNV",
	"vkCmdSetShadingRateImageEnableNV", "vkCmdSetCoarseSampleOrderNV", "vkCmdSetViewportShadingRatePaletteNV", "vkCmdSetRepresentativeFragmentTestEnableNV",
}

// TestNeedsOfLink demands that the commands of needs are the commands of link's rules on required states, except those for
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
		for k := range dynamicStates {
			if needs[i].is(dynamicStates[k].state) {
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
