package regalloc

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Alignment is the alignment in bytes of a stack frame, and of every slot of that size.
const Alignment = 64

// None is the register number or slot offset of a virtual register without one.
const None = -1

// Frame is the result of the allocation: registers, and the stack frame of one activation. The frame begins
// with the outgoing area, the arguments and results of callees; then follow the slots.
type Frame struct {
	Regs  []int8  // of each virtual register: its physical register, a number within its class, or None
	Slots []int32 // of each virtual register: the offset of its slot in bytes, or None
	Size  int32   // of the frame in bytes, a multiple of Alignment
	Saves map[*vcode.Inst]Save
}

// Save lists the registers to save and restore around an instruction that preserves no register (a call).
type Save struct {
	Before []vcode.Reg // live before it: to be stored to their slots
	After  []vcode.Reg // live after it: to be loaded from their slots
}

// Machine describes the register file and the properties of instructions that the allocator needs.
type Machine struct {
	Registers [vcode.NumClasses]int // the default number of registers of each class

	// Pools maps a class without registers of its own to the class with which it shares; 0 is none.
	// With AVX2, masks are vectors: Pools[Mask] = Vec.
	Pools [vcode.NumClasses]vcode.Class

	Clobbers func(*vcode.Inst) bool // reports whether the instruction preserves no register

	// SlotOperands calls the function for each register that the instruction accesses in its slot,
	// apart from the registers of Clobbers instructions. May be nil.
	SlotOperands func(*vcode.Inst, func(vcode.Reg))

	// Pinned are the registers with copies of constants. They do not count in SpilledShare: in memory they cost no more than constants.
	Pinned []vcode.Reg

	// Apart returns operands in whose registers the result of the instruction should not be, because the machine
	// overwrites another operand: then a shared register costs a move. May be nil.
	Apart func(*vcode.Inst) []vcode.Reg

	// InternalMentions returns the number of mentions of scratch vectors in the instruction's code.
	// They count in SpilledShare, as mentions that never spill. May be nil.
	InternalMentions func(*vcode.Inst) float32
}

// pool returns the class from which r is assigned a register.
func (a *Analysis) pool(r vcode.Reg) vcode.Class {
	c := a.f.Classes[r]
	if p := a.machine.Pools[c]; p != 0 {
		return p
	}
	return c
}

// Frame lays out the stack frame: a slot for each register that needs one, after an outgoing area of outgoing
// bytes. It returns false if the frame would exceed limit bytes.
func (a *Allocation) Frame(outgoing int32, limit int64) (Frame, bool) {
	a.finishSaves()
	f := Frame{Regs: a.regs, Slots: slices.Repeat([]int32{None}, len(a.regs)), Saves: a.saves}
	at := int64(outgoing)
	for r := 1; r < len(a.f.Classes); r++ {
		if !a.spilled[r] {
			continue
		}
		size := int64(a.f.Form.Size(a.f.Classes[r]))
		align := min(size, Alignment)
		at = (at + align - 1) &^ (align - 1)
		f.Slots[r] = int32(at)
		if at += size; at > limit {
			return f, false
		}
	}
	f.Size = int32((at + Alignment - 1) &^ (Alignment - 1))
	return f, true
}

// Layout lays out values of the given classes in order, from offset start on. It returns their offsets and
// the end of the last one, rounded up to a multiple of Alignment.
func Layout(form vcode.Form, classes []vcode.Class, start int32) (offsets []int32, end int32) {
	offsets = make([]int32, len(classes))
	for i, c := range classes {
		align := min(form.Size(c), Alignment)
		start = (start + align - 1) &^ (align - 1)
		offsets[i] = start
		start += form.Size(c)
	}
	return offsets, (start + Alignment - 1) &^ (Alignment - 1)
}
