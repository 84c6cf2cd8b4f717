package vk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Message is a finding on a command: the rule that it breaks (VkDebugUtilsMessengerCallbackDataEXT).
type Message struct {
	Finding *UsageError
	Buffer  string   // the command buffer: its kind, and its name if it has one
	Command string   // such as "draw"; "" if the finding is of its recording
	Index   int      // of the command in its command buffer, see [CommandBuffer.Count]
	Labels  []string // open labels of the command, the outermost first
}

// maxFindings bounds the findings on one command.
const maxFindings = 64

// find adds a finding on the current draw or dispatch. The rule is a rule of vkCmdDraw, or of vkCmdDispatch if draws do not have it:
// ofCommand replaces it by the rule of the command.
func (x *executor) find(rule, format string, args ...any) {
	if len(x.findings) < maxFindings {
		x.findings = append(x.findings, &UsageError{Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
}

// found returns the first finding on the current command.
func (x *executor) found() error {
	if len(x.findings) == 0 {
		return nil
	}
	return x.findings[0]
}

// report sends the findings on a command to the callback of the device, and drops them. It returns the error of the command with the
// rule of the command.
func (x *executor) report(c *CommandBuffer, i int, err error) error {
	k := &c.commands[i]
	name := k.api()
	list := x.findings
	x.findings = nil
	if len(list) == 0 || list[0] != err {
		if u, ok := err.(*UsageError); ok {
			list = append([]*UsageError{u}, list...)
		}
	}
	if x.dev.messages != nil && x.dev.checking == All { // the loss of the device reports the others
		for _, f := range list {
			x.dev.messages(Message{Finding: ofCommand(f, name), Buffer: c.object.String(), Command: k.name(), Index: i, Labels: x.labels.all()})
		}
	}
	if u, ok := err.(*UsageError); ok {
		return ofCommand(u, name)
	}
	return err
}

// ofCommand returns a finding on a draw, a dispatch or a launch with the rule that Vulkan has for the command: the rules on all draws
// have one identifier for each command, such as VUID-vkCmdDrawIndexed-None-07842.
func ofCommand(f *UsageError, command string) *UsageError {
	if command == "" {
		return f
	}
	rule := commandRule(f.Rule, command)
	if rule == f.Rule {
		return f
	}
	x := *f
	x.Rule = rule
	return &x
}

// commandRule returns the rule of a command for that of the first command of its kind.
func commandRule(rule, command string) string {
	for _, general := range [...]string{"VUID-vkCmdDraw-", "VUID-vkCmdDispatch-"} {
		if rest, ok := strings.CutPrefix(rule, general); ok {
			if _, common := slices.BinarySearch(vuid.Common[:], rule); !common && strings.HasPrefix(command, "vkCmdDispatchGraph") && general == "VUID-vkCmdDraw-" {
				return rule // of the draw of a mesh node
			}
			return "VUID-" + command + "-" + rest
		}
	}
	if rest, ok := strings.CutPrefix(rule, "VUID-vkCmdTraceRaysKHR-"); ok {
		return traceRule(command, rest)
	}
	if model := meshModelRules[command]; model != "" && (rule == vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087 || rule == vuid.VkCmdDrawMeshTasksNV_MeshNV_07080) {
		return model
	}
	if rest, ok := strings.CutPrefix(rule, "VUID-vkCmdDrawMeshTasksEXT-"); ok && strings.HasPrefix(command, "vkCmdDrawMeshTasks") {
		return "VUID-" + command + "-" + rest
	}
	return rule
}

// api returns Vulkan's name of a command that docs/pipelines.md has rules on; "" of other commands.
func (k *command) api() string {
	indexed := k.x[3] == 1
	switch k.kind {
	case bindShader:
		return "vkCmdBindShadersEXT"
	case pushConstants:
		return "vkCmdPushConstants"
	case setVertexInput:
		return "vkCmdSetVertexInputEXT"
	case setState:
		return setKind(k.x[0]).command()
	case dispatch:
		if uint32(k.x[0])|uint32(k.x[0]>>32)|uint32(k.x[1]) != 0 {
			return "vkCmdDispatchBase"
		}
		return "vkCmdDispatch"
	case dispatchIndirect:
		return "vkCmdDispatchIndirect"
	case drawVertices:
		return drawName("", indexed)
	case drawIndirect:
		if k.b != nil {
			return drawName("IndirectCount", indexed)
		}
		return drawName("Indirect", indexed)
	case runWork:
		switch w := k.a.(type) {
		case *traceRays:
			return traceNames[w.form]
		case *setStackSize:
			return "vkCmdSetRayTracingPipelineStackSizeKHR"
		case *multiDraw:
			if w.indexed {
				return "vkCmdDrawMultiIndexedEXT"
			}
			return "vkCmdDrawMultiEXT"
		case *generated:
			return "vkCmdExecuteGeneratedCommandsEXT"
		case *executeStreams:
			return "vkCmdExecuteGeneratedCommandsNV"
		case *meshDraw:
			switch {
			case w.ranged && w.indirect.Buffer == nil:
				return "vkCmdDrawMeshTasksNV"
			case w.ranged && w.indirect.Count == nil:
				return "vkCmdDrawMeshTasksIndirectNV"
			case w.ranged:
				return "vkCmdDrawMeshTasksIndirectCountNV"
			case w.indirect.Buffer == nil:
				return "vkCmdDrawMeshTasksEXT"
			case w.indirect.Count == nil:
				return "vkCmdDrawMeshTasksIndirectEXT"
			}
			return "vkCmdDrawMeshTasksIndirectCountEXT"
		case dispatchTile:
			return "vkCmdDispatchTileQCOM"
		case *bindTile:
			return "vkCmdBindTileMemoryQCOM"
		case subpassShading:
			return "vkCmdSubpassShadingHUAWEI"
		case *dispatchGraph:
			return graphNames[w.form]
		case *drawByteCount:
			return "vkCmdDrawIndirectByteCountEXT"
		case *clusterDraw:
			return w.api()
		case *pushData:
			return "vkCmdPushDataEXT"
		case *setLocations:
			return "vkCmdSetRenderingAttachmentLocations"
		case *setInputs:
			return "vkCmdSetRenderingInputAttachmentIndices"
		case *matrixWork:
			return "vkCmdConvertCooperativeVectorMatrixNV"
		}
	}
	return ""
}

func drawName(end string, indexed bool) string {
	if indexed {
		return "vkCmdDrawIndexed" + end
	}
	return "vkCmdDraw" + end
}

// checkDispatch returns the first finding on a dispatch of full checking.
func (x *executor) checkDispatch(p *ComputePipeline, point BindPoint, groups [3]uint32) error {
	idle := groups[0] == 0 || groups[1] == 0 || groups[2] == 0
	x.checkTileDispatch(p, idle)
	if x.graphics.current != nil && point == Compute && !x.graphics.perTile {
		x.find(vuid.VkCmdDispatch_None_10672, "the dispatch is in a rendering; must be outside")
	}
	mappings := map[ir.Stage][]compute.Mapping{ir.Compute: p.mappings}
	mixes := unmixed(p.flags)
	if x.pipeline == nil {
		mixes = x.shader.unmixed()
	}
	(&descriptorCheck{
		executor: x, point: point, unmixed: mixes, layout: p.layout, buffers: p.flags&enum.PipelineFlagsDescriptorBuffer != 0, objects: point == Compute && x.pipeline == nil, mappings: mappings,
		idle: idle,
	}).uses(p.uses.of(p.stage))
	return x.found()
}
