package widen_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/widen"
)

// sums adds up words of some lanes, BOUND of them, in a loop.
const sums = `program "sums" compute
subgroup 16
local 16 1 1
push 4
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vout = ule.i32 vn, vx
	if vout {
		br L1
	}
	vo = at 0:i32, vx, #4
	block L2(vr i32) {
		loop L3(vs i32 = 0:i32, vi i32 = 0:i32) {
			vend = ule.i32 BOUND, vi
			if vend {
				br L2(vs)
			}
			va = at vo, vi, #64
			vw = ld.i32 vA, va, #0
			vt = add.i32 vs, vw
			vj = add.i32 vi, 1:i32
			br L3(vt, vj)
		}
	}
	st.i32 vA, vo, vr, #0
}
`

// What a loop gives that lanes leave all at once is copied for all lanes; where they
// leave it one by one, those that left keep what they have.
func TestLeaveTogether(t *testing.T) {
	for bound, want := range map[string]bool{"4:i32": false, "vn": false, "vx": true} {
		p, err := ir.Parse(strings.ReplaceAll(sums, "BOUND", bound))
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		kept := false
		for _, f := range widen.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			for b := range f.Blocks {
				for i := range f.Blocks[b].Insts {
					in := &f.Blocks[b].Insts[i]
					kept = kept || in.Keep && f.Classes[in.Defs[0]] == vcode.Vec
				}
			}
		}
		if kept != want {
			t.Errorf("up to %s: lanes keep values: %v; must be %v", bound, kept, want)
		}
	}
}
