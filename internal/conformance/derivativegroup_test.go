package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// derivativeGroups is a script that draws two triangles, each of them half of 80×80 pixels: %[1]s are declarations of the
// fragment shader, %[4]s are modes, %[2]s is a part of it, and %[3]s follows it. %side is the column of the quad, and %f a float.
const derivativeGroups = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpCapability DemoteToHelperInvocation
%[1]s
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %%main "main" %%coord %%color %%primitive
OpExecutionMode %%main OriginUpperLeft
%[4]s
OpDecorate %%coord BuiltIn FragCoord
OpDecorate %%primitive BuiltIn PrimitiveId
OpDecorate %%primitive Flat
OpDecorate %%color Location 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%float = OpTypeFloat 32
%%vec4 = OpTypeVector %%float 4
%%fnf = OpTypeFunction %%float %%float
%%pin = OpTypePointer Input %%vec4
%%pii = OpTypePointer Input %%uint
%%po = OpTypePointer Output %%vec4
%%pf = OpTypePointer Function %%uint
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c2 = OpConstant %%uint 2
%%c3 = OpConstant %%uint 3
%%zero = OpConstantNull %%vec4
%%coord = OpVariable %%pin Input
%%primitive = OpVariable %%pii Input
%%color = OpVariable %%po Output
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%i = OpVariable %%pf Function %%c0
%%at = OpLoad %%vec4 %%coord
%%f = OpCompositeExtract %%float %%at 0
%%x = OpConvertFToU %%uint %%f
%%quad = OpShiftRightLogical %%uint %%x %%c1
%%side = OpBitwiseAnd %%uint %%quad %%c1
%%id = OpLoad %%uint %%primitive
%%left = OpIEqual %%bool %%side %%c0
%%first = OpIEqual %%bool %%id %%c0
%[2]s
OpStore %%color %%zero
OpReturn
OpFunctionEnd
%[3]s
END
BUFFER picture FORMAT B8G8R8A8_UNORM
BUFFER position DATA_TYPE vec2<float> DATA -1 -1  1 -1  -1 1  1 -1  1 1  -1 1 END
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 80 80
  BIND BUFFER picture AS color LOCATION 0
  VERTEX_DATA position LOCATION 0
END
RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 6
`

// TestDerivativeGroups: without QuadDerivativesKHR a derivative group "is equivalent to the primitive scope instance", and "dynamic
// instances of explicit derivative instructions must be executed in control flow that is uniform within a derivative group".
func TestDerivativeGroups(t *testing.T) {
	branch := func(condition, then, otherwise string) string {
		return "OpSelectionMerge %m None\nOpBranchConditional " + condition + " %t %e\n%t = OpLabel\n" + then + "\nOpBranch %m\n%e = OpLabel\n" + otherwise + "\nOpBranch %m\n%m = OpLabel\n"
	}
	// A loop of as many iterations as its bound.
	loop := func(bound, body string) string {
		return "OpBranch %h\n%h = OpLabel\n%n = OpLoad %uint %i\n%more = OpULessThan %bool %n " + bound + "\nOpLoopMerge %done %next None\nOpBranchConditional %more %b %done\n" +
			"%b = OpLabel\n" + body + "\nOpBranch %next\n%next = OpLabel\n%n1 = OpIAdd %uint %n %c1\nOpStore %i %n1\nOpBranch %h\n%done = OpLabel\n"
	}
	inLoop := func(condition, then string) string {
		return "OpSelectionMerge %m None\nOpBranchConditional " + condition + " %t %m\n%t = OpLabel\n" + then + "\nOpBranch %m\n%m = OpLabel\n"
	}
	const (
		d      = "%d = OpDPdx %float %f"
		call   = "%d = OpFunctionCall %float %g %f"
		call2  = "%d2 = OpFunctionCall %float %g %f"
		callee = "%g = OpFunction %float None %fnf\n%p = OpFunctionParameter %float\n%gl = OpLabel\n%gd = OpDPdxFine %float %p\nOpReturnValue %gd\nOpFunctionEnd"
		mode   = "OpCapability QuadControlKHR\nOpExtension \"SPV_KHR_quad_control\"\n"
		demote = "OpDemoteToHelperInvocation"
		end    = "%e = OpFunctionCall %void %k\n"
		ends   = "%k = OpFunction %void None %fn\n%kl = OpLabel\n%ki = OpLoad %uint %primitive\n%kf = OpIEqual %bool %ki %c0\nOpSelectionMerge %km None\nOpBranchConditional %kf %kt %km\n" +
			"%kt = OpLabel\nOpKill\n%km = OpLabel\nOpReturn\nOpFunctionEnd"
		leave    = "OpSelectionMerge %m None\nOpBranchConditional %left %t %m\n%t = OpLabel\nOpKill\n%m = OpLabel\n"
		iterates = "%same = OpIEqual %bool %n %side\n"
	)
	for _, c := range []struct {
		name, body, functions string
		quads, fault          bool
	}{
		{"all", d, "", false, false},
		{"some quads", branch("%left", d, ""), "", false, true},
		{"some quads with QuadDerivativesKHR", branch("%left", d, ""), "", true, false},
		{"one of two primitives", branch("%first", d, ""), "", false, false},
		{"two instructions", branch("%left", d, "%d2 = OpDPdx %float %f"), "", false, true},
		{"after a branch", branch("%left", "", "") + d, "", false, false},
		{"after an end of some", leave + d, "", false, true},
		{"after a demotion of some", branch("%left", demote, "") + d, "", false, false},
		{"a loop", loop("%c3", d), "", false, false},
		{"a loop of another length", loop("%side", d), "", false, true},
		{"after a loop of another length", loop("%side", "") + d, "", false, false},
		{"another iteration", loop("%c2", iterates+inLoop("%same", d)), "", false, true},
		{"an iteration of all", loop("%c3", "%same = OpIEqual %bool %n %c1\n"+inLoop("%same", d)), "", false, false},
		{"a function", call, callee, false, false},
		{"a function from two places", branch("%left", call, call2), callee, false, true},
		{"two calls", call + "\n" + call2, callee, false, false},
		{"calls in a loop", loop("%c3", call), callee, false, false},
		{"after the end of one of two primitives in a function", end + d, ends, false, false},
		{"a call in another iteration", loop("%c2", iterates+inLoop("%same", call)), callee, false, true},
	} {
		capability, execution := "", ""
		if c.quads {
			capability, execution = mode, "OpExecutionMode %main QuadDerivativesKHR"
		}
		text := fmt.Sprintf(derivativeGroups, "OpCapability Geometry\nOpCapability DerivativeControl\nOpExtension \"SPV_EXT_demote_to_helper_invocation\"\n"+capability, c.body, c.functions, execution)
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) { checkDerivatives(t, text, c.fault) })
	}
}

// checkDerivatives runs a script with both engines: its reports are all of derivatives, if it has a fault.
func checkDerivatives(t *testing.T, text string, fault bool) {
	s, err := amber.Parse("derivatives.amber", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []exec.Engine{interp.Engine{}, fastest()} {
		r := amber.Run(context.Background(), s, amber.Options{Engine: e, Workers: 2, Lowering: lower.Options{Sanitize: ir.SanitizeUniform}})
		if len(r.Reports) == 0 && r.Status != amber.Pass {
			t.Fatalf("%s: %s", e.Name(), r.Message)
		}
		const rule = "a derivative in control flow that is not uniform in the primitive, without QuadDerivativesKHR"
		for _, x := range r.Reports {
			if !fault || x.Rule != rule {
				t.Errorf("%s: the report %q", e.Name(), x.Text())
			}
		}
		if fault && len(r.Reports) == 0 {
			t.Errorf("%s: no report", e.Name())
		}
	}
}
