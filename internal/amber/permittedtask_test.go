package amber_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// taskShader is a task shader of two workgroups: workgroup w launches w + 1 workgroups of the mesh shader, the first one of number w. Its two invocations store
// the scale of positions for even and odd workgroups.
const taskShader = `SHADER task t SPIRV-ASM TARGET_ENV spv1.6
OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint TaskEXT %main "main" %local %workgroup %payload %turned
OpExecutionMode %main LocalSize 2 1 1
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %workgroup BuiltIn WorkgroupId
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%u3 = OpTypeVector %uint 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%order = OpConstant %uint 264
%pair = OpTypeArray %float %u2
%Payload = OpTypeStruct %pair %uint
%half = OpConstant %float 0.5
%third = OpConstant %float 0.3
%inuint = OpTypePointer Input %uint
%inu3 = OpTypePointer Input %u3
%ppayload = OpTypePointer TaskPayloadWorkgroupEXT %Payload
%pfloat = OpTypePointer TaskPayloadWorkgroupEXT %float
%puint = OpTypePointer TaskPayloadWorkgroupEXT %uint
%wpair = OpTypePointer Workgroup %pair
%wfloat = OpTypePointer Workgroup %float
%local = OpVariable %inuint Input
%workgroup = OpVariable %inu3 Input
%payload = OpVariable %ppayload TaskPayloadWorkgroupEXT
%turned = OpVariable %wpair Workgroup
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %local
%w3 = OpLoad %u3 %workgroup
%w = OpCompositeExtract %uint %w3 0
%f = OpConvertUToF %float %i
%f2 = OpFMul %float %f %third
%s = OpFAdd %float %f2 %half
%ta = OpAccessChain %wfloat %turned %i
OpStore %ta %s
OpControlBarrier %u2 %u2 %order
%other = OpISub %uint %u1 %i
%tb = OpAccessChain %wfloat %turned %other
%s2 = OpLoad %float %tb
%sa = OpAccessChain %pfloat %payload %u0 %STORED
OpStore %sa %s2
%ba = OpAccessChain %puint %payload %u1
OpStore %ba %w
%n = OpIAdd %uint %w %u1
OpEmitMeshTasksEXT %n %u1 %u1 %payload
OpFunctionEnd
END
`

// taskText returns the script of meshText with taskShader as its task stage.
func taskText(kind int, positions string) string {
	return strings.NewReplacer("SHADER mesh m", strings.ReplaceAll(taskShader, "%STORED", "%i")+"SHADER mesh m", "%prims %indices\n", "%prims %indices %payload\n",
		"%inuint =", "%pair = OpTypeArray %float %u2x\n%Payload = OpTypeStruct %pair %uint\n%ppayload = OpTypePointer TaskPayloadWorkgroupEXT %Payload\n"+
			"%pfloat = OpTypePointer TaskPayloadWorkgroupEXT %float\n%puint = OpTypePointer TaskPayloadWorkgroupEXT %uint\n%payload = OpVariable %ppayload TaskPayloadWorkgroupEXT\n%inuint =",
		"%u4 = OpConstant", "%u2x = OpConstant %uint 2\n%u4 = OpConstant",
		"%w = OpCompositeExtract %uint %w3 0\n", "%wx = OpCompositeExtract %uint %w3 0\n%ba = OpAccessChain %puint %payload %u1\n%base = OpLoad %uint %ba\n%w = OpIAdd %uint %wx %base\n",
		"%p = OpLoad %v4 %pa\n", "%p0 = OpLoad %v4 %pa\n%odd = OpUMod %uint %w %u2x\n%fa = OpAccessChain %pfloat %payload %u0 %odd\n%scale = OpLoad %float %fa\n"+
			"%scales = OpCompositeConstruct %v4 %scale %scale %one %one\n%p = OpFMul %v4 %p0 %scales\n",
		"%ba = OpAccessChain %outbool", "%culls = OpAccessChain %outbool", "OpStore %ba %culled", "OpStore %culls %culled",
		"  ATTACH m\n", "  ATTACH t\n  ATTACH m\n").Replace(meshText(kind, positions, 2, 3))
}

// randomTask returns a script with random positions.
func randomTask(random *rand.Rand, kind int) string {
	var positions strings.Builder
	for range 12 {
		fmt.Fprintf(&positions, "%g %g %g 1\n", random.Float32()*2-1, random.Float32()*2-1, random.Float32())
	}
	return taskText(kind, positions.String())
}

// TestPermittedTask: a workgroup of a task shader launches the numbers of workgroups of OpEmitMeshTasksEXT, which load its payload ("Task Shading").
func TestPermittedTask(t *testing.T) {
	random := rand.New(rand.NewSource(27))
	drawn, found, known := 0, 0, 0
	const rounds = 18
	for round := range rounds {
		p, r := permit(t, "task.amber", randomTask(random, round%3))
		x, right := p.Pictures[0], r.Contents["picture"]
		if x.Undecided != "" || len(right) == 0 {
			t.Fatalf("round %d: undecided %q, %v", round, x.Undecided, r.Message)
		}
		list, any := x.Judge(right)
		if len(list) > 0 {
			t.Errorf("round %d: %d components are not permitted, the first %+v", round, len(list), list[0])
		}
		drawn += drawnPixels(right, [4]byte{})
		known += len(right) - any
		if findsSeeded(x, right) {
			found++
		}
	}
	if drawn < 300 || found < rounds/2 || known < rounds*16*16*2 {
		t.Errorf("%d pixels are drawn, %d of %d seeded values are found, %d components are known", drawn, found, rounds, known)
	}
}

// TestPermittedTaskPayload: another scale in the payload makes another picture, and the mesh shader's workgroups have the numbers of the task shader.
func TestPermittedTaskPayload(t *testing.T) {
	const square, none = "-1 -1 0 1\n1 -1 0 1\n1 1 0 1\n-1 1 0 1\n", "3 3 0 1\n3 3 0 1\n3 3 0 1\n3 3 0 1\n"
	text := taskText(2, none+none+square)
	p, _ := permit(t, "task.amber", text)
	for _, c := range []struct {
		from, to string
		right    bool
	}{
		{"%half = OpConstant %float 0.5", "%half = OpConstant %float 0.5", true},
		{"%half = OpConstant %float 0.5", "%half = OpConstant %float 0.1", false},
		{"%n = OpIAdd %uint %w %u1\nOpEmit", "%n = OpCopyObject %uint %w\nOpEmit", false},
	} {
		_, r := permit(t, "task.amber", strings.Replace(text, c.from, c.to, 1))
		if list, _ := p.Pictures[0].Judge(r.Contents["picture"]); len(r.Contents["picture"]) == 0 || (len(list) == 0) != c.right {
			t.Errorf("%s: %d components are not permitted, %v", c.to, len(list), r.Message)
		}
	}
}

// TestPermittedTaskFaults: open cases of the specification permit everything.
func TestPermittedTaskFaults(t *testing.T) {
	text := taskText(2, strings.Repeat("0 0 0 1\n", 12))
	for _, c := range []struct{ from, to, want string }{
		{"OpEmitMeshTasksEXT %n", "%ni = OpIAdd %uint %n %i\nOpEmitMeshTasksEXT %ni", "several permitted values"},
		{"OpStore %ba %w\n", "", "position is not known"},
		{"%fn\n%l = OpLabel\n%i =", "%fn\n%l = OpLabel\nOpReturn\n%l2 = OpLabel\n%i =", "not all invocations"},
	} {
		p, _ := permit(t, "task.amber", strings.Replace(text, c.from, c.to, 1))
		if why := p.Pictures[0].Undecided; !strings.Contains(why, c.want) {
			t.Errorf("%s: %q; must say %q", c.to, why, c.want)
		}
	}
}
