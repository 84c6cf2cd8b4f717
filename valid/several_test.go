package valid

import (
	"context"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestCheckSeveral checks that a finding names the devices for which it holds,
// and that a finding that does not depend on devices is reported once.
func TestCheckSeveral(t *testing.T) {
	code := asmtest.Module(t, `
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %main Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`, spirv.Version10)
	m := facts.Gather(code, nil)
	var envs []*Env
	for _, d := range []struct{ name, kind string }{{"min", "min"}, {"max", "max"}, {"other", "min"}} {
		e, _ := ParseEnv("vulkan1.1")
		e.Device, _ = BuiltinDevice(d.kind, e.Version)
		e.Device.Name = d.name
		envs = append(envs, e)
	}
	r, err := CheckSeveral(t.Context(), m, envs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, f := range r.Findings {
		if found[f.Code] != nil {
			t.Errorf("%s is found twice", f.Code)
		}
		found[f.Code] = f.Profiles
	}
	if got := found["VUID-VkShaderModuleCreateInfo-pCode-08740"]; !slices.Equal(got, []string{"min", "other"}) {
		t.Errorf("Int64 is missed on %q; want min and other: %v", got, found)
	}
	every := 0
	for _, profiles := range found {
		if slices.Equal(profiles, []string{"min", "max", "other"}) {
			every++
		}
	}
	if every == 0 || r.Clean() {
		t.Errorf("no finding stands on all devices: %v", found)
	}

	one, err := Check(t.Context(), m, envs[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Findings) != every || one.Findings[0].Profiles != nil {
		t.Errorf("%d findings on max alone; want %d", len(one.Findings), every)
	}

	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := CheckSeveral(ctx, m, envs, Options{}); err == nil {
		t.Error("no error of a context that ended")
	}
}
