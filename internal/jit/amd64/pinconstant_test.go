package amd64

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// pinLoop returns a function with the blocks: entry, loop, exit. The loop multiplies by each constant as often as mentions says.
func pinLoop(mentions map[uint64]int, order ...uint64) (f *vcode.Func, loop *vcode.Block) {
	f = &vcode.Func{Parts: 1, Form: Target{}.Form(target.AVX2)}
	all, n := f.NewConst(vcode.Mask, 1), f.NewReg(vcode.Gen)
	v := f.NewReg(vcode.Vec)
	f.Blocks = make([]vcode.Block, 3)
	f.Blocks[0].Insts = []vcode.Inst{{Op: vcode.Undef, Defs: []vcode.Reg{v}}, {Op: vcode.Undef, Defs: []vcode.Reg{n}}}
	loop = &f.Blocks[1]
	for _, bits := range order {
		for range mentions[bits] {
			loop.Insts = append(loop.Insts, vcode.Inst{Op: vcode.Lane, IR: ir.FMul, Key: ir.Key{Type: ir.F32, From: ir.F32}, Masks: []vcode.Reg{all},
				Defs: []vcode.Reg{v}, Uses: []vcode.Reg{v, f.NewConst(vcode.Vec, bits)}})
		}
	}
	loop.Insts = append(loop.Insts, vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{n}, Target: 2}, vcode.Inst{Op: vcode.Jump, Target: 1})
	f.Blocks[2].Insts = []vcode.Inst{{Op: vcode.Return}}
	return f, loop
}

// constants returns how many operands of a block are constants.
func constants(f *vcode.Func, b *vcode.Block) (n int) {
	for i := range b.Insts {
		for _, r := range b.Insts[i].Uses {
			if f.IsConst(r) && f.Classes[r] == vcode.Vec {
				n++
			}
		}
	}
	return n
}

// TestPinConstants requires that a loop reads its frequent constants from registers that the block before it sets, and the others as constants.
func TestPinConstants(t *testing.T) {
	f, loop := pinLoop(map[uint64]int{5: minMentions, 6: minMentions - 1, 7: minMentions + 1, 0: minMentions}, 5, 6, 7, 0)
	pinned := pinConstants(f)
	if len(pinned) != 2 {
		t.Fatalf("%d constants are in registers; must be 2", len(pinned))
	}
	if got, want := constants(f, loop), minMentions-1+minMentions; got != want {
		t.Errorf("the loop has %d constant operands; must be %d, the rare ones and the zeros", got, want)
	}
	var bits []uint64
	for _, in := range f.Blocks[0].Insts {
		if in.Op == vcode.Copy {
			n, _ := f.Const(in.Uses[0])
			bits = append(bits, n)
			if !slices.Contains(pinned, in.Defs[0]) {
				t.Errorf("register %d is a copy of %d, but not in the list", in.Defs[0], n)
			}
		}
	}
	if !slices.Equal(bits, []uint64{7, 5}) {
		t.Errorf("the block before the loop copies %d; must be 7, 5", bits)
	}
}

// TestPinConstantsMost requires that at most maxPinned constants of a loop are in registers: those with the most mentions.
func TestPinConstantsMost(t *testing.T) {
	mentions, order := map[uint64]int{}, []uint64(nil)
	for i := range uint64(2 * maxPinned) {
		mentions[i+1] = minMentions + int(i)
		order = append(order, i+1)
	}
	f, _ := pinLoop(mentions, order...)
	if n := len(pinConstants(f)); n != maxPinned {
		t.Fatalf("%d constants are in registers; must be %d", n, maxPinned)
	}
	for _, in := range f.Blocks[0].Insts {
		if in.Op != vcode.Copy {
			continue
		}
		if n, _ := f.Const(in.Uses[0]); n <= maxPinned {
			t.Errorf("constant %d is in a register, with fewer mentions than others", n)
		}
	}
}

// TestPinConstantsApart requires that loops stay as they are if another block enters them, if lanes leave them in different iterations, or if
// they have a loop inside.
func TestPinConstantsApart(t *testing.T) {
	change := map[string]func(f *vcode.Func){
		"a second entry": func(f *vcode.Func) {
			f.Blocks[2].Insts = slices.Insert(f.Blocks[2].Insts, 0, vcode.Inst{Op: vcode.Jump, Target: 1})
			f.Blocks[0].Insts = append(f.Blocks[0].Insts, vcode.Inst{Op: vcode.Jump, Target: 1})
		},
		"lanes leave": func(f *vcode.Func) {
			list := f.Blocks[1].Insts
			list[len(list)-2] = vcode.Inst{Op: vcode.JumpIfNone, Masks: []vcode.Reg{f.NewReg(vcode.Mask)}, Target: 2}
		},
		"a loop inside": func(f *vcode.Func) {
			list := f.Blocks[1].Insts
			f.Blocks[1].Insts = list[:len(list)-2]
			f.Blocks[2].Insts = []vcode.Inst{{Op: vcode.Jump, Target: 2}}
			f.Blocks = append(f.Blocks, vcode.Block{Insts: []vcode.Inst{{Op: vcode.Jump, Target: 1}}})
		},
	}
	for name, do := range change {
		f, loop := pinLoop(map[uint64]int{5: minMentions}, 5)
		before := constants(f, loop)
		do(f)
		if pinned := pinConstants(f); len(pinned) > 0 || constants(f, &f.Blocks[1]) != before {
			t.Errorf("%s: %d constants are in registers; must be none", name, len(pinned))
		}
	}
}
