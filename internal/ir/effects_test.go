package ir_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestStateEffects has one line of code for each effect, and the cases in
// which the order of lanes is or is not observable.
func TestStateEffects(t *testing.T) {
	const r = "v1 = res 0:i32, #0\n"
	for _, c := range []struct {
		name, body string
		want       ir.Effects
	}{
		{"none", r + "v2 = ld.i32 v1, 0:i32, #0 !vol\n", ir.Effects{}},
		{"barrier", "barrier\n", ir.Effects{Barrier: true}},
		{"kill", "if true {\nkill\n}\n", ir.Effects{Discards: true}},
		{"group", "v1 = elect\n", ir.Effects{GroupOps: true}},
		{"quad", "v1 = quadswap.i32 1:i32, #1\n", ir.Effects{Quads: true}},
		{"store", r + "st.i32 v1, 0:i32, 0:i32, #0\n", ir.Effects{Writes: true}},
		{"counts", r + "v2 = atomadd.i32 v1, 0:i32, 1:i32, #0 !unused\nv3 = atomadd.i32 v1, 4:i32, 1:i32, #0 !unused\n", ir.Effects{Writes: true}},
		{"used", r + "v2 = atomadd.i32 v1, 0:i32, 1:i32, #0\n", ir.Effects{Writes: true, Ordered: true}},
		{"mixed", r + "v2 = atomadd.i32 v1, 0:i32, 1:i32, #0 !unused\nv3 = atomumin.i32 v1, 0:i32, 1:i32, #0 !unused\n", ir.Effects{Writes: true, Ordered: true}},
		{"watched", r + "v2 = atomadd.i32 v1, 0:i32, 1:i32, #0 !unused\nv3 = ld.i32 v1, 0:i32, #0 !coh\n", ir.Effects{Writes: true, Ordered: true}},
		{"shared", "v1 = wg\nv2 = atomadd.i32 v1, 0:i32, 1:i32, #0\n", ir.Effects{InGroup: true}},
		{"sharedstore", "v1 = wg\nst.i32 v1, 0:i32, 0:i32, #0\n", ir.Effects{}},
		{"sharedandstore", r + "v2 = wg\nst.i32 v1, 0:i32, 0:i32, #0\nv3 = atomadd.i32 v2, 0:i32, 1:i32, #0\n", ir.Effects{Writes: true, InGroup: true}},
		{"grouped", r + "v2 = atomadd.i32 v1, 0:i32, 1:i32, #0 !grouped\n", ir.Effects{Writes: true, InGroup: true}},
		{"floats", r + "v2 = atomfadd.f32 v1, 0:i32, 1.0:f32, #0 !unused\n", ir.Effects{Writes: true, Ordered: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ir.Parse("program \"p\" compute\nres storage 0 0 count 1\n\nfunc \"main\"() L1 {\n" + c.body + "}\n")
			if err != nil {
				t.Fatal(err)
			}
			p.StateEffects()
			if p.Effects != c.want {
				t.Errorf("%+v; want %+v", p.Effects, c.want)
			}
		})
	}
}
