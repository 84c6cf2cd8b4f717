package vectorize

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestRemoveShortBranches: a jump is removed only if it skips few instructions that do nothing for empty
// masks, and a test of masks follows.
func TestRemoveShortBranches(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}, Parts: 2}
	v, x, left, stay, in := f.NewReg(vcode.Vec), f.NewReg(vcode.Vec), f.NewReg(vcode.Mask), f.NewReg(vcode.Mask), f.NewReg(vcode.Mask)
	g := f.NewReg(vcode.Gen)
	regs := func(r ...vcode.Reg) []vcode.Reg { return r }
	merging := vcode.Inst{Op: vcode.Copy, Defs: regs(v), Uses: regs(x), Masks: regs(left), Merging: true}
	join := vcode.Inst{Op: vcode.Or, Defs: regs(in), Uses: regs(in, left)}
	test := vcode.Inst{Op: vcode.JumpIfNone, Masks: regs(stay), Target: 3}
	for _, c := range []struct {
		what    string
		over    []vcode.Inst
		after   vcode.Inst
		removed bool
	}{
		{"a copy", []vcode.Inst{merging}, test, true},
		{"a copy and lanes that arrive", []vcode.Inst{merging, join}, test, true},
		{"lanes that are removed", []vcode.Inst{{Op: vcode.AndNot, Defs: regs(in), Uses: regs(in, left)}}, test, true},
		{"no test follows", []vcode.Inst{merging}, vcode.Inst{Op: vcode.Copy, Defs: regs(v), Uses: regs(x)}, false},
		{"a copy for all lanes", []vcode.Inst{{Op: vcode.Copy, Defs: regs(v), Uses: regs(x)}}, test, false},
		{"a copy for other lanes", []vcode.Inst{{Op: vcode.Copy, Defs: regs(v), Uses: regs(x), Masks: regs(stay), Merging: true}}, test, false},
		{"a number for all lanes", []vcode.Inst{{Op: vcode.Copy, Defs: regs(g), Uses: regs(g)}}, test, false},
		{"other lanes that arrive", []vcode.Inst{{Op: vcode.Or, Defs: regs(in), Uses: regs(stay, left)}}, test, false},
		{"a jump", []vcode.Inst{{Op: vcode.Jump, Target: 3}}, test, false},
		{"much", slices.Repeat([]vcode.Inst{merging}, maxShortBranch+1), test, false},
	} {
		f.Blocks = []vcode.Block{
			{Insts: []vcode.Inst{{Op: vcode.JumpIfNone, Masks: regs(left), Target: 2}}},
			{Insts: c.over},
			{Insts: []vcode.Inst{c.after}},
			{Insts: []vcode.Inst{{Op: vcode.Return}}},
		}
		removeShortBranches(f)
		if removed := len(f.Blocks[0].Insts) == 0; removed != c.removed {
			t.Errorf("%s: jump removed: %v", c.what, removed)
		}
	}
}
