package valid

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// firstBuiltIns are the built-ins of the chapter of Vulkan 1.0, and
// LocalInvocationIndex, which it left out.
const firstBuiltIns = "ClipDistance CullDistance FragCoord FragDepth FrontFacing GlobalInvocationId HelperInvocation InvocationId InstanceIndex Layer " +
	"LocalInvocationId LocalInvocationIndex NumWorkgroups PatchVertices PointCoord PointSize Position PrimitiveId SampleId SampleMask SamplePosition " +
	"TessCoord TessLevelOuter TessLevelInner VertexIndex ViewportIndex WorkgroupId WorkgroupSize"

// TestFirstBuiltIns demands that a module for Vulkan 1.0 that declares all its
// capabilities of stages, and no extension, has the built-ins of that version and
// no other.
func TestFirstBuiltIns(t *testing.T) {
	const text = `OpCapability Shader
OpCapability Geometry
OpCapability Tessellation
OpCapability ClipDistance
OpCapability CullDistance
OpCapability MultiViewport
OpCapability SampleRateShading
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %%main "main" %%it
OpDecorate %%it BuiltIn %s
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uint = OpTypeInt 32 0
%%pointer = OpTypePointer Input %%uint
%%it = OpVariable %%pointer Input
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%value = OpLoad %%uint %%it
OpReturn
OpFunctionEnd
`
	first := strings.Fields(firstBuiltIns)
	for _, r := range spirv.KindBuiltIn.Enumerants() {
		codes := strings.Fields(readingOf(t, "vulkan1.0", "", fmt.Appendf(nil, text, r.Name())))
		away := slices.ContainsFunc(codes, func(c string) bool {
			c = strings.TrimSuffix(c, ";")
			return strings.HasSuffix(c, "-Missing") || c == vuid.StandaloneSpirv_BuiltIn_04668 || c == vuid.InstanceId_04254
		})
		if listed := slices.Contains(first, r.Name()); listed == away {
			t.Errorf("%s: finds %q; must be listed: %v", r.Name(), codes, listed)
		}
	}
}
