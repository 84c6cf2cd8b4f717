package vectorize_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// TestEveryJump: an if on a condition of every lane jumps by the masks of the condition. A general register has it only if something else
// reads it, or code is in between.
func TestEveryJump(t *testing.T) {
	const store = "st.i32 vR, vo, vx, #0\n"
	for _, c := range []struct {
		name, body string
		register   bool
	}{
		{"an if", "vd = ult.i32 vl, 100:i32\nvf = every vd\nif vf {\n" + store + "}", false},
		{"its negation", "vd = ult.i32 vl, 100:i32\nvf = every vd\nvn = not.b1 vf\nif vn {\n" + store + "}", false},
		{"code in between", "vd = ult.i32 vl, 100:i32\nvf = every vd\n" + store + "if vf {\n" + store + "}", true},
	} {
		text := ""
		p, err := ir.Parse(strings.Replace(addressed, "BODY", "vl = ld.i32 vR, vo, #0\n"+c.body, 1))
		if err != nil {
			t.Fatal(c.name, err)
		}
		p.StateEffects()
		for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			text += f.String()
		}
		if got := strings.Contains(text, "extract k"); got != c.register {
			t.Errorf("%s: the condition is in a register: %t; must be: %t\n%s", c.name, got, c.register, text)
		}
	}
}
