package vectorize

import (
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestAccessGroups: accesses share a bounds check as long as neither the handle nor the base is written.
func TestAccessGroups(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}, Parts: 1}
	h, a, b := f.NewReg(vcode.Gen), f.NewReg(vcode.Gen), f.NewReg(vcode.Gen)
	load := func(base vcode.Reg) vcode.Inst {
		return vcode.Inst{Op: vcode.StridedLoad, Defs: []vcode.Reg{f.NewReg(vcode.Vec)}, Uses: []vcode.Reg{h, base, a, a}, Step: 4, Stride: 1}
	}
	write := func(r vcode.Reg) vcode.Inst {
		return vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{r}, Uses: []vcode.Reg{b}}
	}
	list := []vcode.Inst{load(a), load(b), load(a), write(a), load(a), load(b), load(a), write(h), load(a), load(b)}
	checks := [...]int{1, 1, 0, 1, 0, 0, 0, 0} // made before each access
	got := hoistBoundsChecksIn(f, list, nil)
	at := 0
	for i := range got {
		if got[i].Op != vcode.StridedLoad {
			continue
		}
		n := 0
		for j := i - 1; j >= 0 && got[j].Op == vcode.BoundsCheck; j-- {
			n++
		}
		if checked := at < 6; n != checks[at] || got[i].Checked != checked {
			t.Errorf("access %d: %d bounds checks before it, want %d; checked %v, want %v", at, n, checks[at], got[i].Checked, checked)
		}
		at++
	}
}

// TestManyAccessGroups: the time is linear in the code, with as many bases as instructions.
func TestManyAccessGroups(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}, Parts: 1}
	h := f.NewReg(vcode.Gen)
	const n = 40000
	var list []vcode.Inst
	for i := range 2 * n {
		if i < n {
			f.NewReg(vcode.Gen)
		}
		base := vcode.Reg(2 + i%n)
		list = append(list, vcode.Inst{Op: vcode.BroadcastLoad, Uses: []vcode.Reg{h, base}})
	}
	begin := time.Now()
	got := hoistBoundsChecksIn(f, list, nil)
	if d := time.Since(begin); len(got) != 3*n || d > 5*time.Second {
		t.Errorf("%d instructions in %v; want %d in linear time", len(got), d, 3*n)
	}
}
