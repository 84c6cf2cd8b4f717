package vectorize

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestWalkThrough: a jump stays unless what it jumps over is little, does nothing
// where no lane is in its masks, and stands where lanes leave.
func TestWalkThrough(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}, Parts: 2}
	v, x, left, stay, in := f.NewReg(vcode.Vec), f.NewReg(vcode.Vec), f.NewReg(vcode.Mask), f.NewReg(vcode.Mask), f.NewReg(vcode.Mask)
	g := f.NewReg(vcode.Gen)
	regs := func(r ...vcode.Reg) []vcode.Reg { return r }
	kept := vcode.Inst{Op: vcode.Copy, Defs: regs(v), Uses: regs(x), Masks: regs(left), Merging: true}
	join := vcode.Inst{Op: vcode.Or, Defs: regs(in), Uses: regs(in, left)}
	asks := vcode.Inst{Op: vcode.JumpIfNone, Masks: regs(stay), Target: 3}
	for _, c := range []struct {
		what   string
		over   []vcode.Inst
		behind vcode.Inst
		gone   bool
	}{
		{"a copy", []vcode.Inst{kept}, asks, true},
		{"a copy and lanes that arrive", []vcode.Inst{kept, join}, asks, true},
		{"lanes that are taken away", []vcode.Inst{{Op: vcode.AndNot, Defs: regs(in), Uses: regs(in, left)}}, asks, true},
		{"nobody leaves", []vcode.Inst{kept}, vcode.Inst{Op: vcode.Copy, Defs: regs(v), Uses: regs(x)}, false},
		{"a copy for all lanes", []vcode.Inst{{Op: vcode.Copy, Defs: regs(v), Uses: regs(x)}}, asks, false},
		{"a copy for other lanes", []vcode.Inst{{Op: vcode.Copy, Defs: regs(v), Uses: regs(x), Masks: regs(stay), Merging: true}}, asks, false},
		{"a number for all lanes", []vcode.Inst{{Op: vcode.Copy, Defs: regs(g), Uses: regs(g)}}, asks, false},
		{"other lanes that arrive", []vcode.Inst{{Op: vcode.Or, Defs: regs(in), Uses: regs(stay, left)}}, asks, false},
		{"a jump", []vcode.Inst{{Op: vcode.Jump, Target: 3}}, asks, false},
		{"much", slices.Repeat([]vcode.Inst{kept}, maxShortBranch+1), asks, false},
	} {
		f.Blocks = []vcode.Block{
			{Insts: []vcode.Inst{{Op: vcode.JumpIfNone, Masks: regs(left), Target: 2}}},
			{Insts: c.over},
			{Insts: []vcode.Inst{c.behind}},
			{Insts: []vcode.Inst{{Op: vcode.Return}}},
		}
		removeShortBranches(f)
		if gone := len(f.Blocks[0].Insts) == 0; gone != c.gone {
			t.Errorf("%s: the jump is gone: %v", c.what, gone)
		}
	}
}
