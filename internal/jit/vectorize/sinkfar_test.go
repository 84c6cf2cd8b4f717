package vectorize

import (
	"slices"
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

// TestFarUses: the blocks that read a register are listed once each and in order, whatever the order of the reads, so that a search is
// fast in a function of many blocks. Constants, which most blocks read, have no list.
func TestFarUses(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 8}, Parts: 1}
	v, all := f.NewReg(vcode.Vec), f.NewConst(vcode.Mask, 1)
	s := &farSinker{f: f, uses: make([][]blockUses, len(f.Classes))}
	read := &vcode.Inst{Op: vcode.Lane, IR: ir.Not, Uses: []vcode.Reg{v}, Masks: []vcode.Reg{all}}
	for _, block := range []int32{4, 1, 3, 1, 2, 4} {
		s.note(read, block, 1)
	}
	s.note(read, 3, -1)
	s.note(read, 1, -1)
	if want := []blockUses{{1, 1}, {2, 1}, {4, 2}}; !slices.Equal(s.uses[v], want) {
		t.Errorf("reads %v; must be %v", s.uses[v], want)
	}
	if len(s.uses[all]) > 0 {
		t.Errorf("a constant has the reads %v; must have none", s.uses[all])
	}
}
