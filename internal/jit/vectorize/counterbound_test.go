package vectorize_test

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// counting loads words of workgroup memory in a loop with a first value, a comparison, a bound and a step.
const counting = `program "counting" compute
subgroup 16
local 64 1 1
shared 256
in localindex i32 0
res storage 0 0 count 1
effects barrier writes

func "main"() L1 {
	vi = in.i32 #0
	vS = wg
	vB = res 0:i32, #0
	vo = at 0:i32, vi, #4
	st.f32 vS, vo, 1.0:f32, #0
	barrier
	block L2(vr f32) {
		loop L3(vk i32 = %s:i32, vs f32 = 0.0:f32) {
			vc = %s.i32 vk, %d:i32
			if vc {
				va = at 0:i32, vk, #4
				vx = ld.f32 vS, va, #0
				vt = fadd.f32 vs, vx
			} else {
				br L2(vs)
			}
			vn = add.i32 vk, %s:i32
			br L3(vn, vt)
		}
	}
	vf = fcanon.f32 vr
	st.f32 vB, vo, vf, #0
}
`

// TestCounterBounds: a load at a counter needs no check if the comparison in front of it bounds the counter, and a signed one does so only for
// counters that are never negative.
func TestCounterBounds(t *testing.T) {
	for _, c := range []struct {
		first, compare string
		bound          int
		step           string
		proven         bool
	}{
		{"0", "ult", 64, "1", true}, {"0", "ule", 63, "1", true}, {"0", "slt", 64, "3", true}, {"7", "sle", 63, "1", true},
		{"0", "ult", 65, "1", false}, {"0", "ule", 64, "1", false}, {"0", "slt", 65, "1", false},
		{"4294967295", "ult", 64, "1", true}, {"4294967295", "slt", 64, "1", false}, {"60", "slt", 64, "4294967295", false}, {"60", "ult", 64, "4294967295", true},
	} {
		p, err := ir.Parse(fmt.Sprintf(counting, c.first, c.compare, c.bound, c.step))
		if err != nil {
			t.Fatal(err)
		}
		list, _, _ := vectorize.Workgroup(p, vcode.Form{Lanes: 16})
		if list == nil {
			t.Fatal("no stream for the workgroup")
		}
		f := list[0]
		loads := 0
		f.Each(func(in *vcode.Inst) {
			if in.Op != vcode.BroadcastLoad {
				return
			}
			if loads++; in.Proven != c.proven {
				t.Errorf("%v: proven is %v", c, in.Proven)
			}
		})
		if loads == 0 {
			t.Errorf("%v: no load", c)
		}
	}
}
