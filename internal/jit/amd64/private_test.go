package amd64

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// TestSlotRun: accesses to the parts of a slot at one index that is not constant share a bounds check.
func TestSlotRun(t *testing.T) {
	f := &vcode.Func{}
	index, other, constant, value := f.NewReg(vcode.Gen), f.NewReg(vcode.Gen), f.NewConst(vcode.Gen, 3), f.NewReg(vcode.Vec)
	access := func(op vcode.Op, variable uint64, at vcode.Reg, part uint8) vcode.Inst {
		return vcode.Inst{Op: op, Key: ir.Key{Type: ir.I32, Aux: variable}, Uses: []vcode.Reg{at, value}, Part: part}
	}
	first := access(vcode.SlotLoad, 0, index, 0)
	for _, c := range []struct {
		name string
		list []vcode.Inst
		want int
	}{
		{"parts", []vcode.Inst{first, access(vcode.SlotLoad, 0, index, 1), access(vcode.SlotLoad, 0, index, 2)}, 3},
		{"stores", []vcode.Inst{access(vcode.SlotStore, 0, index, 0), access(vcode.SlotStore, 0, index, 1)}, 2},
		{"another operation", []vcode.Inst{first, access(vcode.SlotStore, 0, index, 1)}, 1},
		{"another variable", []vcode.Inst{first, access(vcode.SlotLoad, 1, index, 1)}, 1},
		{"another index", []vcode.Inst{first, access(vcode.SlotLoad, 0, other, 1)}, 1},
		{"a constant", []vcode.Inst{access(vcode.SlotLoad, 0, constant, 0), access(vcode.SlotLoad, 0, constant, 1)}, 1},
		{"no access", []vcode.Inst{{Op: vcode.Undef}, first}, 0},
	} {
		m := &machine{}
		m.f = f
		if n := m.slotRun(c.list); n != c.want {
			t.Errorf("%s: a run of %d accesses; must be %d", c.name, n, c.want)
		}
	}
}
