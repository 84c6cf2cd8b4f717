package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// chains is a function with a loop of a block: n sums, to each of which the block adds three times, in turn. Another instruction reads the
// first sum after its second update, and a copy writes the second one at the end.
func chains(n int) (f *vcode.Func, sums []vcode.Reg) {
	f = &vcode.Func{Form: vcode.Form{Lanes: 8, Vectors: 15}, Parts: 1}
	a, b := f.NewReg(vcode.Vec), f.NewReg(vcode.Vec)
	for range n {
		sums = append(sums, f.NewReg(vcode.Vec))
	}
	var list []vcode.Inst
	lane := func(d vcode.Reg, uses ...vcode.Reg) {
		list = append(list, vcode.Inst{Op: vcode.Lane, IR: ir.Add, Key: ir.Key{Type: ir.I32}, Defs: []vcode.Reg{d}, Uses: uses})
	}
	for turn := range 3 {
		for i, s := range sums {
			if lane(s, s, a); turn == 1 && i == 0 {
				lane(b, s, a)
			}
		}
	}
	list = append(list, vcode.Inst{Op: vcode.Copy, Defs: sums[1:2], Uses: []vcode.Reg{b}}, vcode.Inst{Op: vcode.Jump, Target: 1})
	f.Blocks = []vcode.Block{{Insts: []vcode.Inst{{Op: vcode.Lane, IR: ir.In, Defs: []vcode.Reg{a}}}}, {Insts: list}}
	return f, sums
}

// TestSplitChains runs the block with additions of 1 before and after the split: all sums have the same values at its end. Without an
// instruction that reads a sum between its updates, one instruction reads it and one writes it.
func TestSplitChains(t *testing.T) {
	const n = 20
	// values returns the value of each register at the end, if all are 0 at the start.
	values := func(f *vcode.Func) map[vcode.Reg]int {
		now := map[vcode.Reg]int{}
		for _, in := range f.Blocks[1].Insts {
			switch in.Op {
			case vcode.Copy:
				now[in.Defs[0]] = now[in.Uses[0]]
			case vcode.Lane:
				now[in.Defs[0]] = now[in.Uses[0]] + 1
			}
		}
		return now
	}
	before, _ := chains(n)
	want := values(before)
	f, sums := chains(n)
	splitChains(f)
	got := values(f)
	for i, s := range sums {
		reads, writes := 0, 0
		for _, in := range f.Blocks[1].Insts {
			for _, u := range in.Uses {
				if u == s {
					reads++
				}
			}
			if len(in.Defs) > 0 && in.Defs[0] == s {
				writes++
			}
		}
		mustReads, mustWrites := 1, 1
		switch i {
		case 0: // the chain ends at the other read: it has two updates
			mustReads, mustWrites = 4, 3
		case 1:
			mustWrites = 2
		}
		if got[s] != want[s] || reads != mustReads || writes != mustWrites {
			t.Errorf("sum %d is %d, with %d reads and %d writes; must be %d, with %d and %d\n%v", i, got[s], reads, writes, want[s], mustReads, mustWrites, f)
		}
	}
}

// TestSplitManyChains: a walk over the code of each chain would take minutes.
func TestSplitManyChains(t *testing.T) {
	const n = 1 << 16
	f, _ := chains(n)
	before := len(f.Blocks[1].Insts)
	if splitChains(f); len(f.Blocks[1].Insts) != before+n-1 {
		t.Errorf("%d instructions of %d; must have %d more", len(f.Blocks[1].Insts), before, n-1)
	}
}
