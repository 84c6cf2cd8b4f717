package source

import "testing"

func TestOf(t *testing.T) {
	for name, want := range map[string]struct {
		l     Language
		stage string
	}{
		"a.frag": {GLSL, "frag"}, "d/a.comp": {GLSL, "comp"}, "a.vert.glsl": {GLSL, "vert"}, "a.glsl": {GLSL, ""},
		"a.frag.hlsl": {HLSL, "frag"}, "a.wgsl": {WGSL, ""}, "a.slang": {Slang, ""},
		"a.frag.spv": {"", ""}, "a.spvasm": {"", ""}, "frag": {"", ""}, "": {"", ""},
	} {
		if l, stage, ok := Of(name); l != want.l || ok != (want.l != "") || ok && stage != want.stage {
			t.Errorf("%q: %q %q %v", name, l, stage, ok)
		}
	}
}

// TestMessages has output of each compiler.
func TestMessages(t *testing.T) {
	for said, want := range map[string]string{
		"d/a.frag:2: error: 'x' : undeclared\n1 error generated.\n":                      "d/a.frag:2:1: error: 'x' : undeclared",
		"d/a.frag\nERROR: d/a.frag:2: 'x' : undeclared \nERROR: 1 compilation errors.\n": "d/a.frag:2:1: error: 'x' : undeclared",
		"d/a.frag:3:7: error: use of undeclared identifier\n  float y = x;\n":            "d/a.frag:3:7: error: use of undeclared identifier",
		"d/a.frag:1:18 error: unresolved value 'y'\nfn a()\n":                            "d/a.frag:1:18: error: unresolved value 'y'",
		"Could not parse WGSL:\nerror: no definition\n  ┌─ d/a.frag:1:18\n  │\n":         "d/a.frag:1:18: error: no definition",
		"d/a.frag(4): error 30015: undefined identifier 'x'.\n":                          "d/a.frag:4:1: error: 30015: undefined identifier 'x'.",
		"out of memory\n": "d/a.frag: error: cc fails: out of memory",
		"":                "d/a.frag: error: cc fails: no message",
	} {
		if got := messages("d/a.frag", "cc", said); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", said, got, want)
		}
	}
}
