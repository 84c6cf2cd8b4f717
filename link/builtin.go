package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// builtInRules are the rules on interface values without a location that stages share.
var builtInRules = []Rule{
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00742, "a built-in that one stage reads for each vertex is an output of the stage before it, of the same type"},
	{"SPV-TaskPayload-Type", "the payload of a task stage is the same structure in the mesh stage"},
}

// perVertex are the built-ins that go from stage to stage with each vertex.
var perVertex = []spirv.BuiltIn{spirv.BuiltInPosition, spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance}

// builtIns checks the built-ins between two stages before the fragment stage
// (Vulkan, Interface Matching: all but built-ins of fragment stages have a match).
func (l *linker) builtIns(out, in *Shader) {
	for i := range in.Entry.BuiltIns {
		b := &in.Entry.BuiltIns[i]
		if b.Class != spirv.StorageClassInput || !b.Used || !slices.Contains(perVertex, b.BuiltIn) {
			continue
		}
		k := slices.IndexFunc(out.Entry.BuiltIns, func(o iface.BuiltIn) bool { return o.BuiltIn == b.BuiltIn && o.Class == spirv.StorageClassOutput })
		side := builtInSide(in, b)
		if k < 0 {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00742, []Side{side, entrySide(out)}, "the %s stage reads %s, which is no output of the %s stage; must be one", side.Stage, b.BuiltIn, entrySide(out).Stage)
			return // of one block, as a rule
		}
		if o := &out.Entry.BuiltIns[k]; !slices.Equal(o.Type.Arrays, b.Type.Arrays) {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00742, []Side{side, builtInSide(out, o)}, "%s is %s in the %s stage, and %s in the %s stage before it; must be the same", b.BuiltIn, b.Type, side.Stage, o.Type, entrySide(out).Stage)
		}
	}
}

func builtInSide(s *Shader, b *iface.BuiltIn) Side {
	side := s.at(b.Inst)
	side.Name, side.Type, side.Slot = b.Name, b.Type.String(), b.BuiltIn.String()
	return side
}

// taskPayload checks the payload that a task stage passes to the mesh stage.
func (l *linker) taskPayload() {
	t, m := l.stage(task), l.stage(mesh)
	if t == nil || m == nil {
		return
	}
	of := func(s *Shader) *iface.Payload {
		for i := range s.Entry.Payloads {
			if p := &s.Entry.Payloads[i]; p.Class == spirv.StorageClassTaskPayloadWorkgroupEXT {
				return p
			}
		}
		return nil
	}
	out, in := of(t), of(m)
	if out == nil || in == nil || samePayload(out, in) {
		return
	}
	l.warn("SPV-TaskPayload-Type", []Side{payloadSide(m, in), payloadSide(t, out)}, "the mesh stage has another payload than the task stage: %s there; must be the same structure", differ(in, out))
}
