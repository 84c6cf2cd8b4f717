package amd64

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestRecordRunResults: a run has no two results in one register or one slot, since it defines them in the order of the words and parts. A
// result that nothing reads has its place only up to the next instruction.
func TestRecordRunResults(t *testing.T) {
	load := func(word uint64, defs ...vcode.Reg) vcode.Inst {
		in := vcode.Inst{Op: vcode.StridedLoad, Step: 1, Stride: 8, Defs: defs, Uses: []vcode.Reg{4, 5, 6, 7}, Masks: []vcode.Reg{8, 9}}
		in.Key.Aux = 4 * word
		return in
	}
	list := []vcode.Inst{load(1, 0, 1), load(0, 2, 3)}
	for _, c := range []struct {
		name  string
		regs  []int8
		slots []int32
		want  int
	}{
		{"four registers", []int8{0, 1, 2, 3}, []int32{-1, -1, -1, -1}, 2},
		{"a register of two results", []int8{0, 1, 1, 2}, []int32{-1, -1, -1, -1}, 1},
		{"four slots", []int8{-1, -1, -1, -1}, []int32{0, 64, 128, 192}, 2},
		{"a slot of two results", []int8{0, -1, 1, -1}, []int32{-1, 64, -1, 64}, 1},
	} {
		m := ymm{&machine{}}
		m.frame.Regs, m.frame.Slots = c.regs, c.slots
		if n := m.recordRun(list); n != c.want {
			t.Errorf("%s: a run of %d loads; must be %d", c.name, n, c.want)
		}
	}
}
