package regalloc

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Alignment is that of a frame and of everything in it that is as large.
const Alignment = 64

// None is the place of a register that has none.
const None = -1

// Frame is where the registers of a function live. Its memory is that of one
// activation, in bytes from its start: first the arguments and results of the
// functions that it calls, then the slots.
type Frame struct {
	Regs  []int8  // number of the machine's register within its class, or None
	Slots []int32 // offset in the frame, or None
	Size  int32   // a multiple of Alignment
	Saves map[*vcode.Inst]Save
}

// Save is what moves between registers and slots around an instruction that
// keeps no register.
type Save struct {
	Before []vcode.Reg // have registers and hold something
	After  []vcode.Reg // have registers and are wanted
}

// Machine is what there is to give out.
type Machine struct {
	Registers [vcode.NumClasses]int              // of each class, to begin with
	Pools     [vcode.NumClasses]vcode.Class      // the class whose registers a class takes, where they are not its own
	Clobbers  func(*vcode.Inst) bool             // whether it keeps no register
	InMemory  func(*vcode.Inst, func(vcode.Reg)) // names the registers that it wants in slots, beside what Clobbers implies; may be nil
	Inside    func(*vcode.Inst) float32          // how often its code mentions vectors that no other instruction has; may be nil
}

// pool is the class whose registers r takes.
func (a *Analysis) pool(r vcode.Reg) vcode.Class {
	c := a.f.Classes[r]
	if p := a.machine.Pools[c]; p != 0 {
		return p
	}
	return c
}

// Frame lays out the memory of the function: a slot for each register that wants
// one, behind the first outgoing bytes. It returns false where it would exceed
// limit.
func (a *Allocation) Frame(outgoing int32, limit int64) (Frame, bool) {
	a.trim()
	f := Frame{Regs: a.regs, Slots: slices.Repeat([]int32{None}, len(a.regs)), Saves: a.saves}
	at := int64(outgoing)
	for r := 1; r < len(a.f.Classes); r++ {
		if !a.inMemory[r] {
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

// Sequence lays values of the given classes out one behind the other and
// returns their offsets from start and the end, a multiple of Alignment.
func Sequence(form vcode.Form, classes []vcode.Class, start int32) (offsets []int32, end int32) {
	offsets = make([]int32, len(classes))
	for i, c := range classes {
		align := min(form.Size(c), Alignment)
		start = (start + align - 1) &^ (align - 1)
		offsets[i] = start
		start += form.Size(c)
	}
	return offsets, (start + Alignment - 1) &^ (Alignment - 1)
}
