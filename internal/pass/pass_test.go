package pass

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestOrder checks Passes against the reasons in order.
func TestOrder(t *testing.T) {
	at := func(name string) int {
		return slices.IndexFunc(Passes, func(p Pass) bool { return p.Name == name })
	}
	for _, o := range order {
		if a, b := at(o[0]), at(o[1]); a < 0 || b < 0 || a >= b {
			t.Errorf("%s is at %d, %s at %d; must be in the other order", o[0], a, o[1], b)
		}
	}
}

const head = "program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nres storage 0 0 count 1\n\nfunc \"main\"() L1 {\n"

// TestRun runs all passes on small programs.
func TestRun(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"fold", `v1 = res 0:i32, #0
v2 = add.i32 2:i32, 3:i32
v3 = mul.i32 v2, 4:i32
st.i32 v1, 0:i32, v3, #0`, `v1 = res 0:i32, #0
st.i32 v1, 0:i32, 20:i32, #0`},
		{"copies", `v1 = res 0:i32, #0
v2 = in.i32 #0
v3 = add.i32 v2, 0:i32
v4 = select.i32 true, v3, 9:i32
v5 = fadd.f32 0.0:f32, 1.0:f32
v6 = bitcast.i32.f32 v5
v7 = at v4, v6, #0
st.i32 v1, v7, v6, #0`, `v1 = res 0:i32, #0
v2 = in.i32 #0
st.i32 v1, v2, 1065353216:i32, #0`},
		{"dead", `v1 = res 0:i32, #0
v2 = ld.i32 v1, 0:i32, #0
v3 = ld.i32 v1, 0:i32, #4 !vol
v4 = atomadd.i32 v1, 0:i32, 1:i32, #0`, `v1 = res 0:i32, #0
v2 = ld.i32 v1, 0:i32, #4 !vol
v3 = atomadd.i32 v1, 0:i32, 1:i32, #0 !unused`},
		{"thenArm", `v1 = res 0:i32, #0
block L2 {
if true {
br L2
} else {
v2 = in.i32 #0
}
st.i32 v1, 0:i32, v2, #0
}
st.i32 v1, 4:i32, 1:i32, #0`, `v1 = res 0:i32, #0
st.i32 v1, 0:i32, 1:i32, #4`},
		{"elseArm", `v1 = res 0:i32, #0
block L2 {
if false {
br L2
} else {
v2 = in.i32 #0
}
st.i32 v1, 0:i32, v2, #0
}`, `v1 = res 0:i32, #0
v2 = in.i32 #0
st.i32 v1, 0:i32, v2, #0`},
		{"resetbudget", `v1 = res 0:i32, #0
loop L2(v2 i32 = 0:i32) {
resetbudget
v3 = at 0:i32, v2, #4
st.i32 v1, v3, 9:i32, #0
v4 = add.i32 v2, 1:i32
v5 = ult.i32 v4, 3:i32
if v5 {
br L2(v4)
}
br L1
}`, `v1 = res 0:i32, #0
loop L2(v2 i32 = 0:i32) {
resetbudget
v3 = at 0:i32, v2, #4
st.i32 v1, v3, 9:i32, #0
v4 = add.i32 v2, 1:i32
v5 = ult.i32 v4, 3:i32
if v5 {
br L2(v4)
}
br L1
}`},
		{"switch", `v1 = res 0:i32, #0
block L2 {
block L3 {
switch 4:i32 {3:i32 -> L3, 4:i32 -> L2, L3}
}
st.i32 v1, 0:i32, 7:i32, #0
}
st.i32 v1, 0:i32, 8:i32, #0`, `v1 = res 0:i32, #0
st.i32 v1, 0:i32, 8:i32, #0`},
		{"nested", `v1 = res 0:i32, #0
if false {
loop L2 {
if true {
br L1
}
br L2
}
}
st.i32 v1, 0:i32, 8:i32, #0`, `v1 = res 0:i32, #0
st.i32 v1, 0:i32, 8:i32, #0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ir.Parse(head + c.body + "\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Verify(); err != nil {
				t.Fatal(err)
			}
			Run(p)
			if err := p.Verify(); err != nil {
				t.Error(err)
			}
			_, text, _ := strings.Cut(p.String(), "L1 {\n")
			got := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(text), "}"), "\t", "")
			if got = strings.TrimSpace(got); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestTerms checks that each pass has a standard term and a source, and that the
// comment of its file NAME.go names both.
func TestTerms(t *testing.T) {
	for _, p := range Passes {
		if p.Term == "" || p.Source == "" {
			t.Errorf("%s: has no term or no source", p.Name)
			continue
		}
		text, err := os.ReadFile(p.Name + ".go")
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		comment := comments(string(text))
		term, _, _ := strings.Cut(p.Term, " (")
		if !strings.Contains(comment, term) {
			t.Errorf("%s.go: no comment names the term %q", p.Name, term)
		}
		author := strings.FieldsFunc(p.Source, func(r rune) bool { return r == ' ' || r == ',' || r == '\'' })[0]
		if !strings.Contains(comment, author) {
			t.Errorf("%s.go: no comment names the source %q", p.Name, author)
		}
	}
}

// comments returns the comments of a file, joined to one line.
func comments(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		if _, c, ok := strings.Cut(line, "//"); ok {
			words = append(words, strings.Fields(c)...)
		}
	}
	return strings.Join(words, " ")
}
