package vectorize_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// addressed is a program with device addresses. BODY accesses memory at the address vg, which the region vA has, or at va of the invocation.
const addressed = `program "addressed" compute
subgroup 16
local 256 1 1
push 8
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vP = push
	vg = ld.i64 vP, 0:i32, #0
	vR = res 0:i32, #0
	vA = region vg, #1
	vh = regionoff vA, vg
	vo = at vh, vx, #4
	vw = zext.i64.i32 vx
	va = add.i64 vg, vw
	vB = region va, #4
	vp = regionoff vB, va
	vc = ult.i32 vx, 100:i32
	ve = every vc
	BODY
}
`

// TestMergeAddressed: strips may have another width than subgroups if the only access that depends on an order is one store.
func TestMergeAddressed(t *testing.T) {
	const alternatives = "block L2 {\nif CONDITION {\nst.i32 vA, vo, vx, #0\nbr L2\n}\nst.i32 vB, vp, vx, #0\n}"
	for _, c := range []struct {
		name, body string
		merges     bool
	}{
		{"one store", "st.i32 vA, vo, vx, #0", true},
		{"a store at any address", "st.i32 vB, vp, vx, #0", true},
		{"a store under a condition", "if vc {\nst.i32 vB, vp, vx, #0\n}", true},
		{"two stores of which a strip executes one", strings.Replace(alternatives, "CONDITION", "ve", 1), true},
		{"two stores, each of some lanes", strings.Replace(alternatives, "CONDITION", "vc", 1), false},
		{"a store after another one", "if ve {\nst.i32 vA, vo, vx, #0\n}\nst.i32 vB, vp, vx, #0", false},
		{"a store after the block of another one", "block L2 {\nif ve {\nst.i32 vA, vo, vx, #0\nbr L2\n}\n}\nst.i32 vB, vp, vx, #0", false},
		{"two stores", "st.i32 vA, vo, vx, #0\nst.i32 vA, vo, vx, #4", false},
		{"three stores", strings.Replace(alternatives, "CONDITION", "ve", 1) + "\nst.i32 vB, vp, vx, #0", false},
		{"a load and a store", "vl = ld.i32 vB, vp, #0\nst.i32 vA, vo, vl, #0", false},
		{"a load and a store to a resource", "vl = ld.i32 vB, vp, #0\nst.i32 vR, vo, vl, #0", false},
		{"a load of a resource and a store", "vl = ld.i32 vR, vo, #0\nst.i32 vB, vp, vl, #0", false},
		{"two stores to different memory", "st.i32 vR, vo, vx, #0\nst.i32 vB, vp, vx, #0", false},
		{"an atomic", "vl = atomadd.i32 vB, vp, vx, #0", false},
		{"a store in a loop", "block L2 {\nloop L3(vi i32 = 0:i32) {\nst.i32 vB, vp, vi, #0\nvj = add.i32 vi, 1:i32\nvk = ult.i32 vj, vx\nif vk {\nbr L3(vj)\n}\nbr L2\n}\n}", false},
	} {
		p, err := ir.Parse(strings.Replace(addressed, "BODY", c.body, 1))
		if err != nil {
			t.Fatal(c.name, err)
		}
		p.StateEffects()
		if err := p.Verify(); err != nil {
			t.Fatal(c.name, err)
		}
		m := vectorize.MergeOf(p, vcode.Form{Lanes: 8})
		if merges := m.Widest == 64 && m.Narrowest == 8; merges != c.merges || !merges && m.Widest >= m.Narrowest {
			t.Errorf("%s: strips of %d to %d lanes; other ones than subgroups: must be %v", c.name, m.Narrowest, m.Widest, c.merges)
		}
	}
}
