package regalloc_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// A value has a shared register only if no instruction from its definition to its last use, both included,
// overwrites that register.
func TestShared(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 8, VectorMasks: true}}
	a, b := f.NewReg(vcode.Vec), f.NewReg(vcode.Vec)
	f.Blocks = []vcode.Block{{Insts: []vcode.Inst{
		inst(vcode.Arg, a), inst(vcode.Lane, 0), inst(vcode.SetResult, 0, a),
		inst(vcode.Arg, b), inst(vcode.Lane, 0), inst(vcode.SetResult, 0, b),
		{Op: vcode.Return},
	}}}
	m := machine
	m.Registers = [vcode.NumClasses]int{vcode.Mask: 1, vcode.Vec: 1}
	const shared = 1 // its number follows that of the only other register
	for overwriting := range 7 {
		busy := make([]uint8, 7)
		busy[overwriting] = 1
		x := regalloc.Analyze(f, &m).AllocateShared(m.Registers, regalloc.Shared{Count: 1, Busy: busy})
		occupied := x.Occupied()
		frame, _ := x.Frame(0, 1<<20)
		if got, want := frame.Regs[a] == shared, overwriting > 2; got != want {
			t.Errorf("instruction %d overwrites the register: the first value has it: %t, want %t", overwriting, got, want)
		}
		if got, want := frame.Regs[b] == shared, overwriting < 3 || overwriting > 5; got != want {
			t.Errorf("instruction %d overwrites the register: the second value has it: %t, want %t", overwriting, got, want)
		}
		if occupied[overwriting] != 0 {
			t.Errorf("instruction %d overwrites the register while it holds a value", overwriting)
		}
	}
}

// A value that is live around a loop has no shared register that an instruction of the loop overwrites, and a
// value takes no shared register from another one that it may not have.
func TestSharedInLoop(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 8, VectorMasks: true}}
	kept, short := f.NewReg(vcode.Vec), f.NewReg(vcode.Vec)
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{inst(vcode.Arg, kept)}},
		{Insts: []vcode.Inst{
			inst(vcode.Lane, 0, kept),
			inst(vcode.Arg, short), inst(vcode.Lane, 0, short), inst(vcode.Lane, 0, short), inst(vcode.Lane, 0, short),
			inst(vcode.Lane, 0),
			{Op: vcode.Jump, Target: 1},
		}},
		{Insts: []vcode.Inst{{Op: vcode.Return}}},
	}
	m := machine
	m.Registers = [vcode.NumClasses]int{vcode.Mask: 1}
	m.Registers[vcode.Vec] = 1
	const shared = 1
	last := make([]uint8, 8)
	last[6] = 1 // after all mentions, but in the loop
	frame, _ := regalloc.Analyze(f, &m).AllocateShared(m.Registers, regalloc.Shared{Count: 1, Busy: last}).Frame(0, 1<<20)
	if frame.Regs[kept] == shared {
		t.Error("a value of before the loop is in a register that the loop overwrites")
	}
	if frame.Regs[short] != shared {
		t.Errorf("the short value is in %d", frame.Regs[short])
	}
}
