package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		if got := (&job{file: "d/a.frag"}).messages("cc", said); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", said, got, want)
		}
	}
}

// TestMessagesOfIncluded checks that an error in an included file has its name, as the compilers write it.
func TestMessagesOfIncluded(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("d", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d/a.frag", "d/b.glsl"} {
		if err := os.WriteFile(filepath.FromSlash(name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, included := filepath.FromSlash("d/a.frag"), filepath.FromSlash("d/b.glsl")
	for said, want := range map[string]string{
		"b.glsl:2: error: 'x' : undeclared\n":      included + ":2:1: error: 'x' : undeclared",
		"d/b.glsl:2: error: 'x' : undeclared\n":    included + ":2:1: error: 'x' : undeclared",
		"ERROR: ./d/b.glsl:2: 'x' : undeclared\n":  included + ":2:1: error: 'x' : undeclared",
		"ERROR: 0:2: 'x' : undeclared\n":           file + ":2:1: error: 'x' : undeclared",
		"nosuch.glsl:2: error: 'x' : undeclared\n": file + ":2:1: error: 'x' : undeclared",
	} {
		if got := (&job{file: file}).messages("cc", said); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", said, got, want)
		}
	}
}

// TestLineDirectives demands positions in the source for lines that #line renumbers or
// moves to a file that does not exist, and positions in a file that exists.
func TestLineDirectives(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "a.comp"), filepath.Join(dir, "real.glsl")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	text := "#version 450\nx\n#line 100 \"nowhere.glsl\"\ny\ny\n#line 7 \"real.glsl\"\nz\n#line 50 3\nv\n#line 20 0\nw\n"
	for said, want := range map[string]string{
		"a.comp:2: error: m":           "a.comp:2:1: error: m",
		"nowhere.glsl:101:4: error: m": file + ":5:4: error: m",
		"real.glsl:7: error: m":        other + ":7:1: error: m",
		"ERROR: 3:50: m":               file + ":9:1: error: m",
		"ERROR: 0:20: m":               file + ":11:1: error: m",
		"ERROR: nowhere.glsl:100: m":   file + ":4:1: error: m",
		"nowhere.glsl:999: error: m":   file + ":999:1: error: m",
	} {
		if got := (&job{file: file, text: text}).messages("cc", said); got != want && got != filepath.Join(dir, want) {
			t.Errorf("%q: %q; want %q", said, got, want)
		}
	}
}

// TestTargets checks the versions of SPIR-V that compilers make for environments.
func TestTargets(t *testing.T) {
	for env, want := range map[string][3]string{ // of GLSL, of HLSL by glslc, of HLSL by dxc
		"spv1.0": {"vulkan1.0", "vulkan1.0", "vulkan1.0"}, "spv1.2": {"vulkan1.1 spv1.2", "vulkan1.1 spv1.2", "vulkan1.0"},
		"spv1.4": {"vulkan1.1 spv1.4", "vulkan1.1 spv1.3", "vulkan1.1spirv1.4"}, "vulkan1.1": {"vulkan1.1", "vulkan1.1", "vulkan1.1"},
		"vulkan1.4": {"vulkan1.3", "vulkan1.3 spv1.3", "vulkan1.3"}, "": {"vulkan1.3", "vulkan1.3 spv1.3", "vulkan1.3"},
		"opencl2.0": {"vulkan1.3", "vulkan1.3 spv1.3", "vulkan1.3"}, "spv1.6": {"vulkan1.3", "vulkan1.3 spv1.3", "vulkan1.3"},
	} {
		var got [3]string
		for i, l := range []Language{GLSL, HLSL, HLSL} {
			args := glslc
			if i == 2 {
				args = dxc
			}
			for _, a := range args(&job{language: l, stage: "comp", entry: "main", target: targetOf(env)}, "in", "out") {
				for _, flag := range []string{"--target-env=", "-fspv-target-env=", "--target-spv="} {
					if v, ok := strings.CutPrefix(a, flag); ok {
						got[i] = strings.TrimSpace(got[i] + " " + v)
					}
				}
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", env, got, want)
		}
	}
}
