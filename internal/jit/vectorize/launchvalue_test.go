package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// launched returns a function of two blocks: the first finds the region of a pointer and its length, both of which the second reads twice.
// A loop repeats the second block, which also adds to a binding.
func launched(words int, searches bool) (f *vcode.Func, handle, binding vcode.Reg) {
	f = &vcode.Func{Form: vcode.Form{Lanes: 8, LaunchWords: words}, Parts: 1}
	scalar := func(op ir.Op, uses ...vcode.Reg) vcode.Inst {
		return vcode.Inst{Op: vcode.Scalar, IR: op, Defs: []vcode.Reg{f.NewReg(vcode.Gen)}, Uses: uses}
	}
	zero := f.NewConst(vcode.Gen, 0)
	push := scalar(ir.Push)
	pointer := scalar(ir.Ld, push.Defs[0], zero)
	region := scalar(ir.Region, pointer.Defs[0])
	if !searches {
		region.IR = ir.Res
		region.Uses = []vcode.Reg{zero}
	}
	length := scalar(ir.Len, region.Defs[0])
	group := scalar(ir.In)
	inside := scalar(ir.ULt, group.Defs[0], length.Defs[0])
	handle = region.Defs[0]
	bound := scalar(ir.Res, zero)
	add := vcode.Inst{Op: vcode.Atomic, IR: ir.AtomAdd, Uses: []vcode.Reg{bound.Defs[0], group.Defs[0], length.Defs[0]}}
	load := vcode.Inst{Op: vcode.BroadcastLoad, IR: ir.Ld, Defs: []vcode.Reg{f.NewReg(vcode.Vec)}, Uses: []vcode.Reg{handle, group.Defs[0]}}
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{push, pointer, region, length, group, bound}},
		{Insts: []vcode.Inst{inside, load, add, {Op: vcode.JumpIfZero, Uses: []vcode.Reg{inside.Defs[0]}, Target: 1}, {Op: vcode.Return}}},
	}
	return f, handle, bound.Defs[0]
}

// TestKeepLaunchValues: the values of a launch are computed in a block of their own, which stores those that other code reads, and all other
// blocks load them; not without a search, nor with too few words.
func TestKeepLaunchValues(t *testing.T) {
	for _, c := range []struct {
		what     string
		words    int
		searches bool
		kept     bool
	}{
		{"the region of a pointer", 8, true, true},
		{"a binding, whose handle is a constant of the machine", 8, false, false},
		{"no words", 0, true, false},
		{"few words", 2, true, false},
	} {
		f, handle, binding := launched(c.words, c.searches)
		keepLaunchValues(f)
		if kept := len(f.Blocks) == 4; kept != c.kept {
			t.Errorf("%s: the values are kept: %t; must be %t\n%v", c.what, kept, c.kept, f)
			continue
		}
		if !c.kept {
			continue
		}
		last := f.Blocks[3].Insts
		stores := 0
		for i := range last {
			if last[i].Op == vcode.LaunchStore {
				stores++
			}
		}
		// The handle, its length, and the flag.
		if jump := last[len(last)-1]; stores != 3 || jump.Op != vcode.Jump || jump.Target != 1 || !f.Blocks[3].Far {
			t.Errorf("%s: the values are not stored, or the block does not return\n%v", c.what, f)
		}
		for b := range 3 {
			for i := range f.Blocks[b].Insts {
				in := &f.Blocks[b].Insts[i]
				if in.IR == ir.Region || in.Op == vcode.BroadcastLoad && in.Uses[0] == handle {
					t.Errorf("%s: block %d searches, or reads the result of the search\n%v", c.what, b, f)
				}
				if in.Op == vcode.Atomic && in.Uses[0] != binding {
					t.Errorf("%s: the atomic does not read the handle of its binding\n%v", c.what, f)
				}
				if in.Op == vcode.JumpIfZero && b == 2 && in.Target != 2 || in.Op == vcode.LaunchLoad && b == 2 {
					t.Errorf("%s: the loop has another target, or loads in each iteration\n%v", c.what, f)
				}
			}
		}
	}
}
