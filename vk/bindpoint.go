package vk

// BindPoint is the kind of pipelines that a command binds, and that bound sets are for (VkPipelineBindPoint).
type BindPoint uint8

// The bind points.
const (
	Graphics BindPoint = iota
	Compute
	RayTracing
	SubpassShading
	ExecutionGraph
	numBindPoints
)

// bindPoints are the bind points by their stages, bits of VkShaderStageFlagBits, and the commands that a bind controls
// (Vulkan, Binding Shaders).
var bindPoints = [numBindPoints]struct {
	name     string
	stages   uint32
	controls string
}{
	Graphics:       {"graphics", 0xdf, "all drawing commands"},
	Compute:        {"compute", 0x20, "all dispatch commands"},
	RayTracing:     {"ray tracing", 0x3f00, "vkCmdTraceRaysNV, vkCmdTraceRaysKHR and vkCmdTraceRaysIndirectKHR"},
	SubpassShading: {"subpass shading", 0x84000, "vkCmdSubpassShadingHUAWEI"},
	ExecutionGraph: {"execution graph", 0x20, "all execution graph commands"},
}

// String returns the name of the bind point.
func (p BindPoint) String() string {
	if p >= numBindPoints {
		return "bind point " + uintText(uint64(p))
	}
	return bindPoints[p].name
}

// Stages returns the stages that a bind to the bind point affects: bits of VkShaderStageFlagBits.
func (p BindPoint) Stages() uint32 {
	if p >= numBindPoints {
		return 0
	}
	return bindPoints[p].stages
}

// Controls returns the commands that use the stages of the bind point, in words.
func (p BindPoint) Controls() string {
	if p >= numBindPoints {
		return ""
	}
	return bindPoints[p].controls
}

// BindPoints returns the bind points of a stage: bits of VkShaderStageFlagBits.
func BindPoints(stage uint32) (list []BindPoint) {
	for p := range numBindPoints {
		if stage != 0 && bindPoints[p].stages&stage == stage {
			list = append(list, p)
		}
	}
	return list
}

// check returns an *UnsupportedError for a bind point that does not exist.
func (p BindPoint) check() error {
	if p < numBindPoints {
		return nil
	}
	return &UnsupportedError{Feature: "the " + p.String()}
}

// bindPoint returns the bind point of a stage of shader objects.
func (s ShaderStage) bindPoint() BindPoint {
	if s == StageCompute {
		return Compute
	}
	return Graphics
}
