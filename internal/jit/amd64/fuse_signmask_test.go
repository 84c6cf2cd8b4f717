package amd64

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// TestSignMasks: a mask of which a choice reads the signs alone needs no comparison; every other reader gets all bits of it.
func TestSignMasks(t *testing.T) {
	for _, c := range []struct {
		name, code                 string
		comparisons, ands, shifted int
	}{
		{"a sign", "vc = slt.i32 vx, 0:i32\nvr = select.i32 vc, vx, vy", 0, 0, 0},
		{"a bit", "vb = and.i32 vx, 4:i32\nvc = eq.i32 vb, 4:i32\nvr = select.i32 vc, vx, vy", 0, 0, 1},
		{"both", "vb = and.i32 vx, 1:i32\nve = eq.i32 vb, 1:i32\nvd = slt.i32 vy, 0:i32\nvc = xor.b1 vd, ve\nvr = select.i32 vc, vx, vy", 0, 0, 1},
		{"zero is chosen", "vc = slt.i32 vx, 0:i32\nvr = select.i32 vc, vy, 0:i32", 1, 0, 0},
		{"another reader", "vc = slt.i32 vx, 0:i32\nvs = select.i32 vc, vx, vy\nvr = select.i32 vc, vy, vs", 1, 0, 0},
		{"two bits", "vb = and.i32 vx, 6:i32\nvc = eq.i32 vb, 6:i32\nvr = select.i32 vc, vx, vy", 1, 1, 0},
		{"no bit", "vb = and.i32 vx, 4:i32\nvc = eq.i32 vb, 0:i32\nvr = select.i32 vc, vx, vy", 1, 1, 0},
		{"less than one", "vc = slt.i32 vx, 1:i32\nvr = select.i32 vc, vx, vy", 1, 0, 0},
	} {
		p, err := ir.Parse("program \"t\" compute\nsubgroup 8\nlocal 8 1 1\nin localindex i32 0\nres storage 0 0 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
			"vi = in.i32 #0\nvB = res 0:i32, #0\nvo = at 0:i32, vi, #8\nvx = ld.i32 vB, vo, #0\nvy = ld.i32 vB, vo, #4\n" + c.code + "\nst.i32 vB, vo, vr, #0\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		comparisons, ands, shifted := 0, 0, 0
		vectorize.Program(p, Target{}.Form(target.AVX2), []int{0})[0].Each(func(in *vcode.Inst) {
			switch {
			case in.Op == vcode.Own && in.Fused == fusedSignOfBit:
				shifted++
			case in.Op != vcode.Lane:
			case in.Key.Type == ir.B1 && (in.IR == ir.SLt || in.IR == ir.Eq):
				comparisons++
			case in.Key.Type == ir.I32 && in.IR == ir.And:
				ands++
			}
		})
		if comparisons != c.comparisons || ands != c.ands || shifted != c.shifted {
			t.Errorf("%s: %d comparisons, %d conjunctions, %d shifts; must be %d, %d, %d", c.name, comparisons, ands, shifted, c.comparisons, c.ands, c.shifted)
		}
	}
}

// TestHeldConstant: Y0 holds a constant until an instruction writes it or a label is bound.
func TestHeldConstant(t *testing.T) {
	a := &Asm{}
	held := func(name string, want bool, do func()) {
		a.Reset()
		a.RM(AVX_VMOVUPS, V256, 0, 0, At(RAX, 0), 0)
		a.held, a.holds = 1, true
		if do(); a.holds != want {
			t.Errorf("%s: Y0 holds a constant: %t; must be %t", name, a.holds, want)
		}
	}
	held("a read", true, func() { a.RR(AVX_VADDPS, V256, 1, 0, 1, 0) })
	held("a read of memory", true, func() { a.RM(AVX_VADDPS, V256, 1, 0, At(RAX, 0), 0) })
	held("a store", true, func() { a.RM(AVX_VMOVUPS_ST, V256, 0, 0, At(RAX, 0), 0) })
	held("a write", false, func() { a.RR(AVX_VADDPS, V256, 0, 1, 1, 0) })
	held("a write with an immediate", false, func() { a.RRI(AVX_VPSLLD, V256, 0, 0, 1, 3, 0) })
	held("a load", false, func() { a.RM(AVX_VMOVUPS, V256, 0, 0, At(RAX, 0), 0) })
	held("a half", false, func() { a.RRI(AVX_VEXTRACTF128, V256, 1, 0, 0, 1, 0) })
	held("the mask of a gather", false, func() { a.RM(AVX_VPGATHERDD, V256, 1, 0, Indexed(RAX, 2, 4, 0), 0) })
	held("a label", false, func() { a.Bind(a.NewLabel()) })
	held("a call", false, func() { a.Call(a.NewLabel()) })
	held("a call of a register", false, func() { a.CallReg(RAX) })
}
