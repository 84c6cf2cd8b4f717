package lower

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestPayloadShadow: a shader for rays has the shadow of private memory with the sanitizer uninit alone: no other run pays for it.
func TestPayloadShadow(t *testing.T) {
	const text = `OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint ClosestHitKHR %main "main" %payload
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%pointer = OpTypePointer IncomingRayPayloadKHR %uint
%payload = OpVariable %pointer IncomingRayPayloadKHR
%main = OpFunction %void None %fn
%entry = OpLabel
%old = OpLoad %uint %payload
%new = OpIAdd %uint %old %old
OpStore %payload %new
OpReturn
OpFunctionEnd
`
	for _, of := range []ir.Sanitizers{0, ir.SanitizeUninit} {
		p, err := stage(t, []byte(text), nil, Options{Sanitize: of})
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(p.In, func(in ir.Input) bool { return in.Semantic == ir.RayShadow })
		if want := of != 0; has != want {
			t.Errorf("sanitizers %v: the shadow is an input: %v; want %v", of, has, want)
		}
	}
}
