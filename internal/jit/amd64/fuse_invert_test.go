package amd64

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// TestInvertedComparisons: a comparison that AVX2 would invert is replaced by its inverse if all readers can read that.
func TestInvertedComparisons(t *testing.T) {
	for _, c := range []struct {
		name, code string
		inverted   int
	}{
		{"choice", "vc = ult.i32 vx, vy\nvr = select.i32 vc, vx, vy", 1},
		{"signed choice", "vc = sle.i32 vx, vy\nvr = select.i32 vc, vx, vy", 1},
		{"no inversion", "vc = ule.i32 vx, vy\nvr = select.i32 vc, vx, vy", 0},
		{"constant", "vc = ult.i32 vx, 9:i32\nvr = select.i32 vc, vx, vy", 0},
		{"signed constant", "vc = sle.i32 vx, 9:i32\nvr = select.i32 vc, vx, vy", 1},
		{"two choices", "vc = ult.i32 vx, vy\nvs = select.i32 vc, vx, vy\nvr = select.i32 vc, vs, vx", 1},
		{"conjunction", "ve = eq.i32 vx, 7:i32\nvc = ult.i32 vx, vy\nva = and.b1 vc, ve\nvr = select.i32 va, vx, vy", 1},
		{"conjunction of two", "vd = ult.i32 vy, vi\nvc = ult.i32 vx, vy\nva = and.b1 vc, vd\nvr = select.i32 va, vx, vy", 1},
		{"disjunction", "ve = eq.i32 vx, 7:i32\nvc = ult.i32 vx, vy\nva = or.b1 vc, ve\nvr = select.i32 va, vx, vy", 0},
		{"another reader", "ve = eq.i32 vx, 7:i32\nvc = ult.i32 vx, vy\nva = or.b1 vc, ve\nvs = select.i32 vc, vx, vy\nvr = select.i32 va, vs, vy", 0},
		{"branch of all lanes", "block L2(vr i32) {\nvc = ult.i32 vx, vy\nif vc {\nst.i32 vB, vo, vy, #4\nbr L2(vx)\n}\nst.i32 vB, vo, vx, #4\nbr L2(vy)\n}", 0},
		{"branch of some lanes", "block L2(vr i32) {\nve = eq.i32 vx, 7:i32\nif ve {\nvc = ult.i32 vx, vy\nif vc {\nst.i32 vB, vo, vy, #4\nbr L2(vx)\n}\nst.i32 vB, vo, vx, #4\n}\nbr L2(vy)\n}", 1},
	} {
		p, err := ir.Parse("program \"t\" compute\nsubgroup 8\nlocal 8 1 1\nin localindex i32 0\nres storage 0 0 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
			"vi = in.i32 #0\nvB = res 0:i32, #0\nvo = at 0:i32, vi, #8\nvx = ld.i32 vB, vo, #0\nvy = ld.i32 vB, vo, #4\n" + c.code + "\nst.i32 vB, vo, vr, #0\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		form := Target{}.Form(target.AVX2)
		wide := Target{}.Form(target.AVX512)
		count := func(form vcode.Form, ops ...ir.Op) (n int) {
			vectorize.Program(p, form, []int{0})[0].Each(func(in *vcode.Inst) {
				if in.Op == vcode.Lane && in.Key.Type == ir.B1 && in.Key.From == ir.I32 && (in.IR == ops[0] || in.IR == ops[1]) {
					n++
				}
			})
			return n
		}
		wide.Fuse = nil
		inverted := count(wide, ir.ULt, ir.SLe) - count(form, ir.ULt, ir.SLe)
		if inverted != c.inverted {
			t.Errorf("%s: %d comparisons are inverted; must be %d", c.name, inverted, c.inverted)
		}
	}
}
