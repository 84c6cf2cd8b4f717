package vectorize_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// sums adds up BOUND words for each of some lanes, in a loop.
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

// TestConvergentLoopExit: the result of a loop that lanes leave all at once is copied in all lanes. If they
// leave in different iterations, the copy preserves inactive lanes.
func TestConvergentLoopExit(t *testing.T) {
	for bound, want := range map[string]bool{"4:i32": false, "vn": false, "vx": true} {
		p, err := ir.Parse(strings.ReplaceAll(sums, "BOUND", bound))
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		merging := false
		for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			for b := range f.Blocks {
				for i := range f.Blocks[b].Insts {
					in := &f.Blocks[b].Insts[i]
					merging = merging || in.Merging && f.Classes[in.Defs[0]] == vcode.Vec
				}
			}
		}
		if merging != want {
			t.Errorf("up to %s: merging writes: %v; must be %v", bound, merging, want)
		}
	}
}

// firstBranch passes a value to the end of a block on two paths; BRANCH has the first one.
const firstBranch = `program "firstBranch" compute
subgroup 16
local 16 1 1
push 4
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vo = at 0:i32, vx, #4
	va = ld.i32 vA, vo, #0
	vb = ld.i32 vA, vo, #64
	vc = ult.i32 va, vb
	block L2(vr i32) {
		BRANCH
		br L2(vb)
	}
	st.i32 vA, vo, vr, #0
}
`

// TestFirstBranch: the argument of the first br to the end of a block is copied in all lanes, since no
// other lane has a value yet. Later ones, and a br in a divergent loop, are copied for the active lanes
// alone.
func TestFirstBranch(t *testing.T) {
	for branch, want := range map[string]int{
		"if vc {\nbr L2(va)\n}": 1,
		"if vc {\nvd = add.i32 va, 1:i32\nve = ult.i32 vd, vb\nif ve {\nbr L2(vd)\n}\nbr L2(va)\n}":                                                                          2,
		"block L5 {\nloop L3(vi i32 = 0:i32) {\nve = ult.i32 vi, va\nif ve {\nbr L2(vi)\n}\nvj = add.i32 vi, 2:i32\nvf = ult.i32 vj, vb\nif vf {\nbr L3(vj)\n}\nbr L5\n}\n}": 2,
	} {
		p, err := ir.Parse(strings.Replace(firstBranch, "BRANCH", branch, 1))
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		merging := 0
		for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			for _, b := range f.Blocks {
				for _, in := range b.Insts {
					if in.Op == vcode.Copy && in.Merging && f.Classes[in.Defs[0]] == vcode.Vec {
						merging++
					}
				}
			}
		}
		if merging != want {
			t.Errorf("%s\n%d merging copies; want %d", branch, merging, want)
		}
	}
}
