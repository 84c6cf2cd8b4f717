package widen_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/widen"
)

// rows loads the word above each invocation's own, in a loop that goes on while
// the counter is less than LIMIT, and stores the sum.
const rows = `program "rows" compute
subgroup 16
local LOCAL 1
push 8
in global.x i32 0
in global.y i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vy = in.i32 #1
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vw = ld.i32 vP, 0:i32, #4
	ve = sub.i32 vw, 1:i32
	vm = smin.i32 vx, ve
	block L2(vr i32) {
		loop L3(vs i32 = 0:i32, vj i32 = 0:i32) {
			vc = slt.i32 vj, LIMIT
			if vc {
				vk = add.i32 vy, vj
				vb = mul.i32 vk, vw
				vi = add.i32 vb, vm
				vo = at 0:i32, vi, #4
				va = ld.i32 vA, vo, #0
				vt = add.i32 vs, va
				vu = add.i32 vj, 1:i32
				br L3(vt, vu)
			}
			br L2(vs)
		}
	}
	vq = mul.i32 vy, vw
	vz = add.i32 vq, vx
	vd = at 0:i32, vz, #4
	st.i32 vB, vd, vr, #0
}
`

// What the next workgroup in x loads is known where workgroups have several rows
// and the loop around the load is short, as far as a row is long.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, local, limit string
		want               uint32
	}{
		{"rows", "16 16", "5:i32", 64},
		{"long rows", "64 2", "5:i32", 256},
		{"longer rows", "128 2", "5:i32", 0},
		{"one row", "64 1", "5:i32", 0},
		{"a long loop", "16 16", "100:i32", 0},
		{"nobody knows how long", "16 16", "vn", 0},
	} {
		p, err := ir.Parse(strings.NewReplacer("LOCAL", c.local, "LIMIT", c.limit).Replace(rows))
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		got := map[uint32]bool{}
		for _, f := range widen.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			for b := range f.Blocks {
				for i := range f.Blocks[b].Insts {
					if in := &f.Blocks[b].Insts[i]; in.Op == vcode.RowLoad {
						got[in.Next] = true
					}
				}
			}
		}
		if len(got) != 1 || !got[c.want] {
			t.Errorf("%s: loads of the next workgroup are %v bytes further; want %d", c.name, got, c.want)
		}
	}
}
