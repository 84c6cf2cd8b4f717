package amber

import "testing"

// TestScriptLine checks that positions of compilers and reports become lines of the script.
func TestScriptLine(t *testing.T) {
	a := &Shader{Name: "a", Stage: Compute, Format: GLSL, Line: 3, Source: "#version 450\nx\n#line 50\ny\n"}
	b := &Shader{Name: "b/c", Stage: Fragment, Format: GLSL, Line: 10, Source: "1\n2\n"}
	text := &Shader{Name: "t", Format: SPIRVAssembly, Line: 20, Source: "1\n2\n"}
	for _, c := range []struct {
		shader *Shader
		file   string
		line   int
		want   int
	}{
		{a, "a.comp", 1, 3}, {a, "", 2, 4}, {a, "<stdin>", 50, 6}, {a, "stdin", 3, 0}, {a, "other.comp", 1, 0}, {a, "a.comp", -1, 0},
		{b, "shader_b_c_10.frag", 2, 11}, {b, "b/c.frag", 2, 0}, {text, "<stdin>", 1, 0},
	} {
		if got := c.shader.scriptLine(c.shader.Stage, c.file, c.line); got != c.want {
			t.Errorf("%s %s:%d: line %d, want %d", c.shader.Name, c.file, c.line, got, c.want)
		}
	}
	s := &Script{File: "x.amber", Shaders: []*Shader{a, b, text}}
	for report, want := range map[string]string{
		"a.comp:50: OpUDiv %3: a division by 0": "x.amber:6: OpUDiv %3: a division by 0",
		"<stdin>:50: OpUDiv":                    "x.amber:6: OpUDiv",
		"<stdin>:2: OpUDiv":                     "<stdin>:2: OpUDiv", // of a or of b
		"OpUDiv %3: a division by 0":            "OpUDiv %3: a division by 0",
		"":                                      "",
	} {
		if got := s.located(report); got != want {
			t.Errorf("%q becomes %q, want %q", report, got, want)
		}
	}
}
