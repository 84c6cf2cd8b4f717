package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestKnownTests: a test of a comparison of constants is decided if it is true in a lane of the vector or in none, and a test of a constant number always is.
func TestKnownTests(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 8}, Parts: 1}
	none, all := f.NewConst(vcode.Mask, 0), f.NewConst(vcode.Mask, 1)
	bound, low, high, wraps := f.NewConst(vcode.Vec, 8), f.NewSequence(0, 1), f.NewSequence(8, 1), f.NewSequence(1<<32-4, 1)
	middle, active, v, k := f.NewSequence(4, 1), f.NewReg(vcode.Mask), f.NewReg(vcode.Vec), f.NewReg(vcode.Mask)
	rest := f.NewReg(vcode.Mask)
	compare := func(op ir.Op, from ir.Type, merging bool, x, y vcode.Reg) vcode.Inst {
		return vcode.Inst{Op: vcode.Lane, IR: op, Key: ir.Key{Type: ir.B1, From: from}, Defs: []vcode.Reg{k}, Uses: []vcode.Reg{x, y}, Masks: []vcode.Reg{active}, Merging: merging}
	}
	test := vcode.Inst{Op: vcode.JumpIfNone, Masks: []vcode.Reg{k}, Target: 2}
	testRest := vcode.Inst{Op: vcode.JumpIfNone, Masks: []vcode.Reg{rest}, Target: 2}
	number := func(bits uint64) vcode.Inst {
		return vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{f.NewConst(vcode.Gen, bits)}, Target: 2}
	}
	const falls, jumps, both = vcode.Copy, vcode.Jump, vcode.JumpIfNone
	for _, c := range []struct {
		what string
		code []vcode.Inst
		want vcode.Op // the jump that remains; falls without one
	}{
		{"lanes below a bound", []vcode.Inst{compare(ir.ULt, ir.I32, false, low, bound), test}, falls},
		{"lanes from the bound on", []vcode.Inst{compare(ir.ULt, ir.I32, false, high, bound), test}, jumps},
		{"lanes on both sides", []vcode.Inst{compare(ir.ULt, ir.I32, false, middle, bound), test}, falls},
		{"numbers that wrap", []vcode.Inst{compare(ir.ULt, ir.I32, false, wraps, bound), test}, falls},
		{"lanes of which others are on the other side", []vcode.Inst{compare(ir.ULt, ir.I32, false, middle, bound), {Op: vcode.AndNot, Defs: []vcode.Reg{rest}, Uses: []vcode.Reg{all, k}}, testRest}, falls},
		{"some of the active lanes", []vcode.Inst{compare(ir.ULt, ir.I32, false, middle, bound), {Op: vcode.And, Defs: []vcode.Reg{rest}, Uses: []vcode.Reg{active, k}}, testRest}, both},
		{"signed numbers", []vcode.Inst{compare(ir.SLt, ir.I32, false, wraps, bound), test}, falls},
		{"two sequences", []vcode.Inst{compare(ir.Eq, ir.I32, false, low, high), test}, jumps},
		{"other lanes keep their value", []vcode.Inst{compare(ir.ULt, ir.I32, true, high, bound), test}, both},
		{"bytes", []vcode.Inst{compare(ir.ULt, ir.I8, false, low, bound), test}, both},
		{"no constant", []vcode.Inst{compare(ir.ULt, ir.I32, false, v, bound), test}, both},
		{"the number 0", []vcode.Inst{number(0)}, jumps},
		{"the number 1", []vcode.Inst{number(1)}, falls},
		{"constant masks", []vcode.Inst{{Op: vcode.And, Defs: []vcode.Reg{k}, Uses: []vcode.Reg{all, none}}, test}, jumps},
	} {
		f.Blocks = []vcode.Block{{Insts: c.code}, {Insts: []vcode.Inst{{Op: vcode.Copy, Defs: []vcode.Reg{v}, Uses: []vcode.Reg{bound}}}}, {Insts: []vcode.Inst{{Op: vcode.Return}}}}
		propagateMasks(f)
		got := falls
		if list := f.Blocks[0].Insts; len(list) > 0 && list[len(list)-1].Op.Jumps() {
			got = list[len(list)-1].Op
		}
		if got != c.want || (got == jumps) != (len(f.Blocks[1].Insts) == 0) {
			t.Errorf("%s: %v, and the block that it skips has %d instructions; must be %v", c.what, got, len(f.Blocks[1].Insts), c.want)
		}
	}
}

// TestUnmerge: a write that preserves no lane is a plain one, and one that changes no lane disappears.
func TestUnmerge(t *testing.T) {
	for _, op := range []vcode.Op{vcode.Lane, vcode.Copy} {
		for bits := range uint64(2) {
			f := &vcode.Func{Form: vcode.Form{Lanes: 8}, Parts: 1}
			v, mask := f.NewReg(vcode.Vec), f.NewConst(vcode.Mask, bits)
			f.Blocks = []vcode.Block{{Insts: []vcode.Inst{
				{Op: op, IR: ir.Not, Defs: []vcode.Reg{v}, Uses: []vcode.Reg{f.NewReg(vcode.Vec)}, Masks: []vcode.Reg{mask}, Merging: true},
				{Op: vcode.Return},
			}}}
			propagateMasks(f)
			list := f.Blocks[0].Insts
			if bits == 0 && len(list) != 1 || bits == 1 && (len(list) != 2 || list[0].Merging) {
				t.Errorf("%v in lanes %d: %v", op, bits, f)
			}
		}
	}
}
