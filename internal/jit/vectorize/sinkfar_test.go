package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestSinkFarCopies: a computation that two far blocks read is in both, with a register for each; one that another block reads as well stays.
func TestSinkFarCopies(t *testing.T) {
	for _, near := range []bool{false, true} {
		f := &vcode.Func{Form: vcode.Form{Lanes: 8}, Parts: 1}
		g, v, w := f.NewReg(vcode.Gen), f.NewReg(vcode.Vec), f.NewReg(vcode.Vec)
		all := f.NewConst(vcode.Mask, 1)
		add := vcode.Inst{Op: vcode.Lane, IR: ir.Add, Defs: []vcode.Reg{w}, Uses: []vcode.Reg{v, v}, Masks: []vcode.Reg{all}}
		use := vcode.Inst{Op: vcode.SetResult, Uses: []vcode.Reg{w}}
		back := vcode.Inst{Op: vcode.Jump, Target: 1}
		first := []vcode.Inst{{Op: vcode.Scalar, IR: ir.In, Defs: []vcode.Reg{g}}, {Op: vcode.Broadcast, Defs: []vcode.Reg{v}, Uses: []vcode.Reg{g}}, add}
		if near {
			first = append(first, use)
		}
		f.Blocks = []vcode.Block{{Insts: first}, {Insts: []vcode.Inst{{Op: vcode.Return}}}, {Insts: []vcode.Inst{use, back}, Far: true}, {Insts: []vcode.Inst{use, back}, Far: true}}
		sinkFar(f)
		defs := map[vcode.Reg]int{}
		f.Each(func(in *vcode.Inst) {
			if in.IR == ir.Add {
				defs[in.Defs[0]]++
			}
		})
		want := map[bool]int{false: 2, true: 1}[near]
		if len(defs) != want || len(f.Blocks[0].Insts) != map[bool]int{false: 1, true: 4}[near] {
			t.Errorf("with a use nearby %t: %d registers have the sum; must be %d\n%v", near, len(defs), want, f)
		}
		for b := 2; b < 4 && !near; b++ {
			list := f.Blocks[b].Insts
			if len(list) != 4 || list[0].Op != vcode.Broadcast || list[1].Uses[0] != list[0].Defs[0] || list[2].Uses[0] != list[1].Defs[0] {
				t.Errorf("block %d does not compute what it reads\n%v", b, f)
			}
		}
	}
}
