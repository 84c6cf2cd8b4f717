package vectorize_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// TestFar: the rest of a block that all lanes have left if a condition is true in every lane rarely runs, and nothing else does.
func TestFar(t *testing.T) {
	const store = "st.i32 vA, vo, vx, #0\n"
	for _, c := range []struct {
		name, body string
		far        int
	}{
		{"two versions", "block L2 {\nif ve {\n" + store + "br L2\n}\nst.i32 vB, vp, vx, #0\n}", 1},
		{"code after both", "block L2 {\nif ve {\n" + store + "br L2\n}\nst.i32 vB, vp, vx, #0\n}\nst.i32 vR, vo, vx, #0", 1},
		{"the condition of each lane", "block L2 {\nif vc {\n" + store + "br L2\n}\nst.i32 vB, vp, vx, #0\n}", 0},
		{"an arm that lanes do not leave", "block L2 {\nif ve {\n" + store + "}\nst.i32 vB, vp, vx, #0\n}", 0},
		{"two arms", "block L2 {\nif ve {\n" + store + "br L2\n} else {\nst.i32 vB, vp, vx, #0\n}\nst.i32 vR, vo, vx, #0\n}", 0},
	} {
		text := ""
		p, err := ir.Parse(strings.Replace(addressed, "BODY", c.body, 1))
		if err != nil {
			t.Fatal(c.name, err)
		}
		p.StateEffects()
		for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			text += f.String()
		}
		blocks := strings.Split(text, "\nb")
		far := 0
		for _, b := range blocks {
			if label, code, _ := strings.Cut(b, "\n"); strings.HasSuffix(label, " far") {
				far++
				if strings.Contains(code, "return") {
					t.Errorf("%s: the end of the function is far\n%s", c.name, text)
				}
			}
		}
		if (far > 0) != (c.far > 0) {
			t.Errorf("%s: %d far blocks; must have some: %t\n%s", c.name, far, c.far > 0, text)
		}
	}
}

// TestFarReports: the arm of a report, and one with such arms alone, rarely run; the shader's own messages and stores usually do.
func TestFarReports(t *testing.T) {
	const store = "st.i32 vA, vo, vx, #0\n"
	for _, c := range []struct {
		name, body string
		kind       ir.MessageKind
		far        bool
	}{
		{"a report", "if vc {\nlog #0\n}\n" + store, ir.Undefined, true},
		{"a report in an arm", "if vc {\nvd = not.b1 vc\nif vd {\nlog #0\n}\n}\n" + store, ir.Undefined, true},
		{"a message of the shader", "if vc {\nlog #0\n}\n" + store, ir.Print, false},
		{"a report beside a store", "if vc {\nlog #0\n" + store + "}\n", ir.Undefined, false},
	} {
		text := strings.Replace(strings.Replace(addressed, "BODY", c.body, 1), "res storage 0 0 count 1\n", "res storage 0 0 count 1\nmessage print \"\"\n", 1)
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatal(c.name, err)
		}
		p.Messages[0].Kind = c.kind
		p.StateEffects()
		far, list := false, ""
		for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			list += f.String()
			for _, b := range f.Blocks {
				far = far || b.Far
			}
		}
		if far != c.far {
			t.Errorf("%s: a far block: %t; want %t\n%s", c.name, far, c.far, list)
		}
	}
}
