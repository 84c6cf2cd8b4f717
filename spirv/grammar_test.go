package spirv

import (
	"slices"
	"testing"
)

// TestNames looks every row up by its name and its aliases.
func TestNames(t *testing.T) {
	check := func(want *Row, find func(string) *Row) {
		for _, n := range append(want.Aliases(), want.Name()) {
			if got := find(n); got != want {
				t.Errorf("%s: found %v", n, got)
			}
		}
	}
	ops := Ops()
	for i := range ops {
		check(&ops[i], func(n string) *Row {
			o, ok := OpByName(n)
			if p, ok2 := OpByName("Op" + n); !ok || !ok2 || p != o {
				return nil
			}
			return o.Row()
		})
		if Op(ops[i].Value()).Row() != &ops[i] {
			t.Errorf("opcode %d has another row", ops[i].Value())
		}
	}
	for k := KindNone + 1; int(k) < len(kinds); k++ {
		list := k.Enumerants()
		for i := range list {
			check(&list[i], k.EnumerantByName)
			if k.Enumerant(list[i].Value()) != &list[i] {
				t.Errorf("%v %d has another row", k, list[i].Value())
			}
		}
	}
	for s := ExtSetNone + 1; s < ExtSetUnknown; s++ {
		list := s.Insts()
		for i := range list {
			check(&list[i], s.InstByName)
			if s.Inst(list[i].Value()) != &list[i] {
				t.Errorf("%v %d has another row", s, list[i].Value())
			}
		}
	}
	for _, n := range []string{"", "Op", "Nope", "fadd", "OpOpFAdd"} {
		if o, ok := OpByName(n); ok {
			t.Errorf("%q is %v", n, o)
		}
	}
}

// TestFacts pins some rows against the specification (SPIR-V §3).
func TestFacts(t *testing.T) {
	if OpFMod != 141 || OpNop != 0 || OpFMod.String() != "OpFMod" || Op(65535).String() != "Op(65535)" {
		t.Error("opcodes and their names")
	}
	if OpFMod.Class() != ClassArithmetic || ClassArithmetic.String() != "Arithmetic" {
		t.Error("the class of OpFMod")
	}
	if !OpLoad.HasType() || !OpLoad.HasResult() || OpStore.HasResult() || OpTypeVoid.HasType() || !OpTypeVoid.HasResult() {
		t.Error("results and result types")
	}
	if r := OpDPdx.Row(); !slices.Equal(r.Capabilities(), []Capability{CapabilityShader}) || r.Version() != Version10 {
		t.Errorf("OpDPdx needs %v from %v", r.Capabilities(), r.Version())
	}
	if r := OpCopyLogical.Row(); r.Version() != Version14 || r.LastVersion() != 0 {
		t.Errorf("OpCopyLogical is there from %v to %v", r.Version(), r.LastVersion())
	}
	if r := OpTerminateInvocation.Row(); !slices.Contains(r.Extensions(), "SPV_KHR_terminate_invocation") {
		t.Errorf("OpTerminateInvocation comes by %v", r.Extensions())
	}
	var ops []string
	for _, o := range OpAccessChain.Row().Operands() {
		ops = append(ops, o.Name())
	}
	if want := []string{"Type", "Result", "Base", "Indexes"}; !slices.Equal(ops, want) {
		t.Errorf("operands of OpAccessChain: %v; want %v", ops, want)
	}
	last := OpAccessChain.Row().Operands()[3]
	if last.Kind != KindIdRef || last.Quant != Repeated || KindIdRef.Category() != CategoryID {
		t.Errorf("Indexes are %v, %v", last.Kind, last.Quant)
	}
	if a, b := KindPairLiteralIntegerIdRef.Pair(); a != KindLiteralInteger || b != KindIdRef {
		t.Errorf("a pair of %v and %v", a, b)
	}
	if OpDecorateStringGOOGLE != OpDecorateString || CapabilityStorageUniformBufferBlock16 != CapabilityStorageBuffer16BitAccess {
		t.Error("aliases")
	}
}

func TestEnumerantStrings(t *testing.T) {
	cases := map[string]interface{ String() string }{
		"Uniform":                 StorageClassUniform,
		"StorageClass(9999)":      StorageClass(9999),
		"2D":                      Dim2D,
		"GlobalInvocationId":      BuiltInGlobalInvocationId,
		"None":                    FunctionControlMaskNone,
		"Inline|Const":            FunctionControlInlineMask | FunctionControlConstMask,
		"Volatile|Aligned|0x8000": MemoryAccessAlignedMask | MemoryAccessVolatileMask | 0x8000,
		"FMin":                    GLSLFMin,
		"s_abs":                   OpenCLSAbs,
		"GLSL.std.450(999)":       GLSLOp(999),
		"1.6":                     Version16,
		"StorageClass":            KindStorageClass,
	}
	for want, v := range cases {
		if v.String() != want {
			t.Errorf("%s; want %s", v, want)
		}
	}
}

func TestExtSetByName(t *testing.T) {
	cases := map[string]ExtSet{
		"GLSL.std.450":                     ExtSetGLSL,
		"OpenCL.std":                       ExtSetOpenCL,
		"NonSemantic.Shader.DebugInfo.100": ExtSetNonSemanticShaderDebugInfo,
		"NonSemantic.ClspvReflection.5":    ExtSetNonSemanticClspvReflection,
		"NonSemantic.DebugPrintf":          ExtSetNonSemanticDebugPrintf,
		"NonSemantic.DebugPrintf2":         ExtSetUnknown,
		"SPV_AMD_shader_trinary_minmax":    ExtSetAMDShaderTrinaryMinmax,
		"GLSL.std.45":                      ExtSetNone,
		"GLSL.std.4500":                    ExtSetNone,
		"":                                 ExtSetNone,
		"SPV_AMD_shader_explicit_vertex_parameter":     ExtSetAMDShaderExplicitVertexParameter,
		"SPV_AMD_shader_explicit_vertex_parameter and": ExtSetNone,
	}
	for name, want := range cases {
		got, ok := ExtSetByName(name)
		if got != want || ok != (want != ExtSetNone) {
			t.Errorf("%q: %v, %v; want %v", name, got, ok, want)
		}
		if got := importedSet(words(name)); got != want {
			t.Errorf("words of %q: %v; want %v", name, got, want)
		}
	}
	if ExtSetGLSL.NonSemantic() || !ExtSetUnknown.NonSemantic() || !ExtSetNonSemanticVkspReflection.NonSemantic() || ExtSetTOSA.NonSemantic() {
		t.Error("which sets are non-semantic")
	}
}

// TestSetNamesFit demands that the bytes importedSet reads are enough to tell
// every name from a longer one.
func TestSetNamesFit(t *testing.T) {
	for s := ExtSetNone + 1; s < ExtSetUnknown; s++ {
		if len(s.String()) >= 64 {
			t.Errorf("%v is too long", s)
		}
	}
}

func TestMaskParameters(t *testing.T) {
	// Bias has one word, Grad two, Offset one: in order of the bits.
	mask := uint32(ImageOperandsBiasMask | ImageOperandsGradMask | ImageOperandsOffsetMask)
	list := []uint32{10, 20, 21, 30}
	cases := []struct {
		bit  ImageOperands
		want []uint32
	}{
		{ImageOperandsBiasMask, list[:1]},
		{ImageOperandsGradMask, list[1:3]},
		{ImageOperandsOffsetMask, list[3:]},
		{ImageOperandsLodMask, nil},
	}
	for _, c := range cases {
		if got := KindImageOperands.MaskParameters(mask, uint32(c.bit), list); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v; want %v", c.bit, got, c.want)
		}
	}
	if got := KindImageOperands.MaskParameters(mask, uint32(ImageOperandsOffsetMask), list[:2]); got != nil {
		t.Errorf("of too few words: %v", got)
	}
}

func TestSpan(t *testing.T) {
	cases := []struct {
		kind  Kind
		words []uint32
		want  int
	}{
		{KindIdRef, []uint32{1, 2}, 1},
		{KindIdRef, nil, 0},
		{KindLiteralString, append(words("abcd"), 9), 2},
		{KindLiteralString, []uint32{0x61616161}, 1},
		{KindPairIdRefIdRef, []uint32{1, 2, 3}, 2},
		{KindMemoryAccess, []uint32{uint32(MemoryAccessAlignedMask), 4, 9}, 2},
		{KindMemoryAccess, []uint32{uint32(MemoryAccessVolatileMask), 4, 9}, 1},
		{KindDecoration, append([]uint32{uint32(DecorationLinkageAttributes)}, append(words("f"), 1, 9)...), 3},
		{KindExecutionMode, []uint32{uint32(ExecutionModeLocalSize), 8, 8, 1, 9}, 4},
		{KindExecutionMode, []uint32{uint32(ExecutionModeLocalSize), 8}, 2},
	}
	for _, c := range cases {
		if got := c.kind.Span(c.words); got != c.want {
			t.Errorf("%v %v: %d words; want %d", c.kind, c.words, got, c.want)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, s := range []string{"", "a", "abc", "abcd", "main", "prefix/größe"} {
		w := AppendString(nil, s)
		if len(w) != len(s)/4+1 || StringWords(append(w, 0x61616161)) != len(w) || String(w) != s {
			t.Errorf("%q: %x, read as %q", s, w, String(w))
		}
	}
	if w := AppendString(nil, "abcdefg"); !slices.Equal(w, []uint32{0x64636261, 0x00676665}) {
		t.Errorf("%x", w)
	}
	if String(AppendString(nil, "a\x00b")) != "a" {
		t.Error("a zero byte must end the string")
	}
}
