package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestRetargetLoads: a strided load of two words writes the registers that its words are copied to; not if it would write one register
// twice, of which the value would be open.
func TestRetargetLoads(t *testing.T) {
	for _, twice := range []bool{false, true} {
		f := &vcode.Func{Form: vcode.Form{Lanes: 8}, Parts: 1}
		handle, base, d, u, v := f.NewReg(vcode.Gen), f.NewReg(vcode.Gen), f.NewReg(vcode.Vec), f.NewReg(vcode.Vec), f.NewReg(vcode.Vec)
		mask, zero := f.NewConst(vcode.Mask, 1), f.NewConst(vcode.Gen, 0)
		first := v
		if twice {
			first = d
		}
		f.Blocks = []vcode.Block{{Insts: []vcode.Inst{
			{Op: vcode.Scalar, IR: ir.In, Defs: []vcode.Reg{handle}},
			{Op: vcode.StridedBase, Defs: []vcode.Reg{base}, Uses: []vcode.Reg{zero, zero}, Stride: 8},
			{Op: vcode.StridedLoad, IR: ir.Ld, Defs: []vcode.Reg{first, u}, Uses: []vcode.Reg{handle, base, zero, zero}, Masks: []vcode.Reg{mask}, Step: 1, Stride: 8},
			{Op: vcode.Copy, Defs: []vcode.Reg{d}, Uses: []vcode.Reg{u}},
			{Op: vcode.SetResult, Uses: []vcode.Reg{d}},
			{Op: vcode.Return},
		}}}
		coalesce(f)
		load, copies := vcode.Inst{}, 0
		f.Each(func(in *vcode.Inst) {
			switch in.Op {
			case vcode.StridedLoad:
				load = *in
			case vcode.Copy:
				copies++
			}
		})
		want := d
		if twice {
			want = u
		}
		if load.Defs[0] != first || load.Defs[1] != want || (copies == 1) != twice {
			t.Errorf("a register twice %t:\n%v", twice, f)
		}
	}
}
