package oracle

import "testing"

// TestRearranged checks that an expression has the results of its other forms, unless its operations have NoContraction: "Implementations may
// rearrange floating-point operations using any of the mathematical properties governing the expressions in precise arithmetic …
// associativity and distributivity" (Vulkan, "Evaluation of Expressions").
func TestRearranged(t *testing.T) {
	a, b, c := float32(-0.5), float32(2.0275509357452393), float32(0.57823807)
	const exact = "OpDecorate %s NoContraction\nOpDecorate %r NoContraction"
	for _, x := range []struct {
		name, body  string
		form, other float32 // the result of the instructions, and of another form
		separate    bool    // NoContraction forbids the other one
	}{
		{"association of a sum", "%s = OpFAdd %float %a %b\n%r = OpFSub %float %s %c", float32(a+b) - c, a + float32(b-c), true},
		{"association of a product", "%s = OpFMul %float %b %c\n%r = OpFMul %float %s %b", float32(b*c) * b, b * float32(c*b), false},
		{"distribution", "%s = OpFAdd %float %a %c\n%r = OpFMul %float %s %b", float32(a+c) * b, float32(a*b) + float32(c*b), false},
		{"a difference that cancels", "%s = OpFAdd %float %a %b\n%r = OpFSub %float %s %a", float32(a+b) - a, b, false},
		{"a quotient that cancels", "%s = OpFMul %float %b %c\n%r = OpFDiv %float %s %c", float32(b*c) / c, b, false},
	} {
		for _, decorations := range []string{"", exact} {
			p := decorated(t, decorations, x.body, a, b, c)
			within := func(v float32) bool { return p.Any || float64(v) >= p.Low && float64(v) <= p.High }
			if !within(x.form) {
				t.Errorf("%s, %q: permitted %s; must have %g", x.name, decorations, p.String(), x.form)
			}
			if must := decorations == ""; must && !within(x.other) || !must && x.separate && within(x.other) {
				t.Errorf("%s, %q: permitted %s; must have %g, the result of another form: %t", x.name, decorations, p.String(), x.other, must)
			}
		}
	}
	// A sum of a product has no form other than the fused one.
	if p := decorated(t, "", "%s = OpFMul %float %f1 %b\n%r = OpFAdd %float %s %c", a, b, c); p.High-p.Low > 0x1p-22 {
		t.Errorf("a product and a sum: permitted %s; must be two neighbors at most", p.String())
	}
}

// TestZeroAngle checks that the angle of a negative number on the axis has both signs: without SignedZeroInfNanPreserve the sign of a zero is
// not significant (SPIR-V, "FP Fast Math Mode", NSZ).
func TestZeroAngle(t *testing.T) {
	for _, x := range []struct {
		y, x float32
		both bool
	}{{0, -2, true}, {0, 2, false}, {1, -2, false}, {-1, -2, false}} {
		p := decorated(t, "", "%r = OpExtInst %float %glsl Atan2 %a %b", x.y, x.x, 0)
		if both := p.Low < -3.1 && p.High > 3.1; both != x.both {
			t.Errorf("the angle of (%g, %g): permitted %s; must have both signs: %t", x.x, x.y, p.String(), x.both)
		}
	}
}
