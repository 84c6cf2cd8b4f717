package facts

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

const calls = `
OpCapability Shader
OpCapability StorageImageExtendedFormats
OpExtension "SPV_KHR_16bit_storage"
%glsl = OpExtInstImport "GLSL.std.450"
%debug = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %u %v
OpEntryPoint GLCompute %second "second"
OpEntryPoint GLCompute %missing "missing"
OpExecutionMode %main LocalSize 4 2 1
OpExecutionModeId %second LocalSizeId %n %one %n
OpExecutionMode %second LocalSize 9 9 9
%fmt = OpString "x"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%fn = OpTypeFunction %void
%pp = OpTypePointer Private %int
%pf = OpTypePointer Function %int
OpDecorate %n SpecId 0
%n = OpSpecConstant %int 8
%one = OpConstant %int 1
%i = OpVariable %pp Private
%u = OpVariable %pp Private
%v = OpVariable %pp Private %i
%w = OpVariable %pp Private
%x = OpVariable %pp Private
%unused = OpVariable %pp Private
%main = OpFunction %void None %fn
%l1 = OpLabel
%local = OpVariable %pf Function
%r1 = OpLoad %int %v
OpStore %local %r1
%c1 = OpFunctionCall %void %helper
%c2 = OpFunctionCall %void %leaf
%c3 = OpFunctionCall %void %helper
%c4 = OpExtInst %void %debug 1 %fmt %unused
OpReturn
OpFunctionEnd
%leaf = OpFunction %void None %fn
%l2 = OpLabel
%r2 = OpCopyObject %pp %w
OpReturn
OpFunctionEnd
%helper = OpFunction %void None %fn
%l3 = OpLabel
%r3 = OpExtInst %int %glsl ModfStruct %x
%c5 = OpFunctionCall %void %leaf
OpReturn
OpFunctionEnd
%second = OpFunction %void None %fn
%l4 = OpLabel
%c6 = OpFunctionCall %void %odd
OpReturn
OpFunctionEnd
%odd = OpFunction %void None %fn
%l5 = OpLabel
%c7 = OpFunctionCall %void %even
OpReturn
OpFunctionEnd
%even = OpFunction %void None %fn
%l6 = OpLabel
%c8 = OpFunctionCall %void %odd
%c9 = OpFunctionCall %void %leaf
OpReturn
OpFunctionEnd
%itself = OpFunction %void None %fn
%l7 = OpLabel
%c10 = OpFunctionCall %void %itself
OpReturn
OpFunctionEnd
`

func TestEntryPoints(t *testing.T) {
	m := gather(t, calls, Spec{0: 16})
	funcs := func(list []*Function) string {
		var out []string
		for _, f := range list {
			out = append(out, m.Name(f.ID))
		}
		return strings.Join(out, " ")
	}
	globals := func(list []*Variable) string {
		var out []string
		for _, v := range list {
			out = append(out, m.Name(v.ID))
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name, tree, globals string
		size                [3]uint32
	}{
		{"main", "main helper leaf", "i v w x", [3]uint32{4, 2, 1}},
		{"second", "second odd even leaf", "w", [3]uint32{16, 1, 16}},
		{"missing", "", "", [3]uint32{}},
	} {
		e := m.entry(c.name)
		if got := funcs(m.CallTree(e)); got != c.tree {
			t.Errorf("%s calls %q, want %q", c.name, got, c.tree)
		}
		if got := globals(m.Globals(e)); got != c.globals {
			t.Errorf("%s uses %q, want %q", c.name, got, c.globals)
		}
		if e.LocalSize != c.size || e.HasLocalSize != (c.name != "missing") {
			t.Errorf("%s: size %v, want %v", c.name, e.LocalSize, c.size)
		}
	}
	e := m.EntryPoint("main", spirv.ExecutionModelGLCompute)
	if e != m.entry("main") || len(e.Interface) != 2 || e.Interface[1] != m.ids["v"] || e.Func != m.fn("main") {
		t.Errorf("entry point: %+v", e)
	}
	if !e.HasMode(spirv.ExecutionModeLocalSize) || e.HasMode(spirv.ExecutionModeLocalSizeId) {
		t.Errorf("modes: %+v", e.Modes)
	}
	if m.EntryPoint("main", spirv.ExecutionModelVertex) != nil {
		t.Error("no such entry point")
	}
	for name, want := range map[string]bool{"main": false, "second": false, "odd": true, "even": true, "itself": true, "leaf": false} {
		if m.fn(name).Recursive != want {
			t.Errorf("%s: recursive is %v", name, !want)
		}
	}
	if got := funcs(m.fn("main").Calls); got != "helper leaf" {
		t.Errorf("main calls %q", got)
	}
	if v := m.Variable(m.ids["local"]); v.Func != m.fn("main") || v.Type != m.typ("int") || v.Storage != spirv.StorageClassFunction {
		t.Errorf("local variable: %+v", v)
	}
	if v := m.Variable(m.ids["v"]); v.Func != nil || v.Init != m.ids["i"] {
		t.Errorf("variable: %+v", v)
	}
}

func TestModuleFacts(t *testing.T) {
	m := gather(t, calls, nil)
	for c, want := range map[spirv.Capability]bool{
		spirv.CapabilityShader: true, spirv.CapabilityMatrix: true, // Shader implies Matrix
		spirv.CapabilityStorageImageExtendedFormats: true, spirv.CapabilityGeometry: false,
	} {
		if m.Capable(c) != want {
			t.Errorf("%v: %v", c, !want)
		}
	}
	if len(m.Capabilities) != 2 || !m.Extension("SPV_KHR_16bit_storage") || m.Extension("SPV_KHR_8bit_storage") {
		t.Errorf("capabilities %v, extensions %v", m.Capabilities, m.Extensions)
	}
	if !m.HasMemory || m.Addressing != spirv.AddressingModelLogical || m.Memory != spirv.MemoryModelGLSL450 {
		t.Error("memory model")
	}
	if m.ExtSet(m.ids["glsl"]) != spirv.ExtSetGLSL || m.ExtSet(m.ids["main"]) != spirv.ExtSetNone {
		t.Error("extended instruction sets")
	}
	if m.TypeOf(m.ids["n"]) != m.typ("int") || m.TypeOf(m.ids["int"]) != nil || m.Const(m.ids["int"]) != nil || m.Type(m.ids["n"]) != nil {
		t.Error("facts of another kind")
	}
}

// TestWorkgroupSize: the decorated constant overrides the modes.
func TestWorkgroupSize(t *testing.T) {
	m := gather(t, `
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %x SpecId 1
%int = OpTypeInt 32 0
%v3 = OpTypeVector %int 3
%x = OpSpecConstant %int 3
%y = OpConstant %int 4
%size = OpSpecConstantComposite %v3 %x %y %y
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd`, Spec{1: 32})
	if e := m.entry("main"); e.LocalSize != [3]uint32{32, 4, 4} || !e.HasLocalSize {
		t.Errorf("size %v", e.LocalSize)
	}
}

func TestLines(t *testing.T) {
	m := gather(t, `
%dbg = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%file = OpString "a.frag"
%other = OpString "b.frag"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%n7 = OpConstant %int 7
%n2 = OpConstant %int 2
%src = OpExtInst %void %dbg DebugSource %other
%fn = OpTypeFunction %void
OpLine %file 10 1
%main = OpFunction %void None %fn
%l = OpLabel
%a = OpUndef %int
OpLine %file 11 4
%b = OpUndef %int
OpNoLine
%c = OpUndef %int
%line = OpExtInst %void %dbg DebugLine %src %n7 %n7 %n2 %n2
%d = OpUndef %int
OpBranch %l2
%l2 = OpLabel
%e = OpUndef %int
OpLine %file 0 0
%z = OpUndef %int
OpReturn
OpFunctionEnd`, nil)
	for name, want := range map[string]Position{
		"int":  {},
		"main": {"a.frag", 10, 1},
		"a":    {"a.frag", 10, 1},
		"b":    {"a.frag", 11, 4},
		"c":    {},
		"d":    {"b.frag", 7, 2},
		"e":    {},
		"z":    {}, // lines begin at 1
	} {
		got, ok := m.Line(m.Def(m.ids[name]))
		if got != want || ok != (want.Line != 0) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestGlobalsOfTerminators: a terminator may name a variable, the payload.
func TestGlobalsOfTerminators(t *testing.T) {
	m := gather(t, `
OpCapability Shader
OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint TaskEXT %main "main" %payload
OpExecutionMode %main LocalSize 1 1 1
OpName %payload "payload"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u1 = OpConstant %u32 1
%pointer = OpTypePointer TaskPayloadWorkgroupEXT %u32
%payload = OpVariable %pointer TaskPayloadWorkgroupEXT
%main = OpFunction %void None %fn
%start = OpLabel
OpEmitMeshTasksEXT %u1 %u1 %u1 %payload
OpFunctionEnd
`, nil)
	if got := m.Globals(m.entry("main")); len(got) != 1 || m.Name(got[0].ID) != "payload" {
		t.Errorf("main uses %v, want the payload", got)
	}
}
