package oracle

import (
	"math"
	"strings"
	"testing"
)

// TestOpenComparison checks that a comparison is open if an implementation may flush an operand to zero, or may assume that it is
// finite: "Any denormalized value input into a shader … may be flushed to 0", "… assume that arguments and results are not NaNs or
// infinities."
func TestOpenComparison(t *testing.T) {
	const body = "%t = OpFOrdGreaterThan %bool %a %b\n%r = OpSelect %float %t %f1 %f3"
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		a, b    float32
		yes, no []float32
	}{
		{0x1p-140, 0, []float32{1, 3}, nil},
		{0x1p-140, 0x1p-130, []float32{1, 3}, nil}, // one of them may be flushed
		{0x1p-126, 0, []float32{1}, []float32{3}},  // not denormal
		{0x1p-140, -1, []float32{1}, []float32{3}},
		{inf, 1, []float32{1, 3}, nil},
	} {
		in := []float32{c.a, c.b, 0}
		r := runBody(t, body, 1, in...)
		for _, v := range c.yes {
			if list := r.Judge(map[Place][]byte{{0, 1}: floats(v)}); len(list) > 0 {
				t.Errorf("%v > %v: %v is not permitted", c.a, c.b, v)
			}
		}
		for _, v := range c.no {
			if list := r.Judge(map[Place][]byte{{0, 1}: floats(v)}); len(list) == 0 {
				t.Errorf("%v > %v: %v is permitted", c.a, c.b, v)
			}
		}
	}
}

// decorated runs a body with more decorations and an extension, and returns the permitted result.
func decorated(t *testing.T, decorations, body string, in ...float32) Permitted {
	t.Helper()
	result := runText(t, strings.Replace(head, "OpDecorate %id", decorations+"\nOpDecorate %id", 1)+body+tail, 1, 1, in...)
	list, open := result.Permitted(Place{0, 1})
	if open || len(list) != 1 {
		t.Fatalf("%s: any content is permitted: %q; must have one number", decorations, result.Undecided)
	}
	return list[0]
}

// TestLooseResults checks the decorations that permit more results. The bounds of "Precision and Operation of SPIR-V Instructions"
// hold "unless decorated with RelaxedPrecision"; SPIR-V permits transformed and reassociated results with the fast-math modes
// AllowTransform and AllowReassoc.
func TestLooseResults(t *testing.T) {
	for _, c := range []struct {
		name, decorations, body string
		any                     bool
	}{
		{"a sum without decorations", "", "%r = OpFAdd %float %a %b", false},
		{"a relaxed sum", "OpDecorate %r RelaxedPrecision", "%r = OpFAdd %float %a %b", true},
		{"a sum of a relaxed variable", "OpDecorate %v RelaxedPrecision", "OpStore %v %a\n%w = OpLoad %float %v\n%r = OpFAdd %float %w %b", true},
		{"a relaxed comparison", "OpDecorate %t RelaxedPrecision", "%t = OpFOrdLessThan %bool %a %b\n%r = OpSelect %float %t %f1 %f3", false},
		{"a relaxed sum of small integers", "OpDecorate %n RelaxedPrecision", "%n = OpIAdd %uint %u1 %u2\n%r = OpConvertUToF %float %n", false},
		{"a relaxed sum of great integers", "OpDecorate %n RelaxedPrecision", "%m = OpBitcast %uint %a\n%n = OpIAdd %uint %m %u2\n%r = OpConvertUToF %float %n", true},
		{"a contracted sum", "OpDecorate %r FPFastMathMode AllowContract", "%r = OpFAdd %float %a %b", false},
		{"a transformed sum", "OpDecorate %r FPFastMathMode AllowContract|AllowReassoc|AllowTransform", "%r = OpFAdd %float %a %b", true},
	} {
		if p := decorated(t, c.decorations, c.body, 0.1, 0.7, 0); p.Any != c.any {
			t.Errorf("%s: permitted %s; must be any value: %v", c.name, p.String(), c.any)
		}
	}
	// Of an open comparison the selection has both values.
	if p := decorated(t, "OpDecorate %t RelaxedPrecision", "%t = OpFOrdLessThan %bool %a %b\n%r = OpSelect %float %t %f1 %f3", 0.1, 0.7, 0); p.Low != 1 || p.High != 3 {
		t.Errorf("a selection by a relaxed comparison: permitted %s; must be 1 to 3", p.String())
	}
}

// TestNonSemantic checks that instructions of sets without semantics change nothing: "Non-semantic instructions … can be removed without
// changing the semantics of the module."
func TestNonSemantic(t *testing.T) {
	text := strings.Replace(head, "OpMemoryModel", "%info = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\nOpMemoryModel", 1)
	r := runText(t, text+"%none = OpExtInst %void %info DebugNoScope\n%r = OpFAdd %float %f1 %f3"+tail, 1, 1, 0, 0, 0)
	if list := r.Judge(map[Place][]byte{{0, 1}: floats(5)}); r.Undecided != "" || len(list) != 1 {
		t.Errorf("undecided %q, %d violations; must have one", r.Undecided, len(list))
	}
}
