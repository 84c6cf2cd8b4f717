package vcode_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

func TestClassOf(t *testing.T) {
	for typ, want := range map[ir.Type]vcode.Class{
		ir.B1: vcode.Mask, ir.I8: vcode.Vec, ir.I16: vcode.Vec, ir.I32: vcode.Vec, ir.F16: vcode.Vec, ir.F32: vcode.Vec,
		ir.H: vcode.Vec, ir.I64: vcode.Wide, ir.F64: vcode.Wide,
	} {
		if got := vcode.ClassOf(typ); got != want {
			t.Errorf("%s is of class %d, want %d", typ, got, want)
		}
	}
}

// A register holds 16 lanes.
func TestSize(t *testing.T) {
	if vcode.Vec.Size() != 4*vcode.PartLanes || vcode.Wide.Size() != 8*vcode.PartLanes || vcode.Mask.Size() < vcode.PartLanes/8 {
		t.Errorf("sizes %d, %d, %d", vcode.Mask.Size(), vcode.Vec.Size(), vcode.Wide.Size())
	}
}

func TestString(t *testing.T) {
	f := &vcode.Func{Name: "f", Parts: 1}
	k, a, w := f.NewReg(vcode.Mask), f.NewReg(vcode.Vec), f.NewReg(vcode.Wide)
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{
			{Op: vcode.Arg, Defs: []vcode.Reg{k}},
			{Op: vcode.Copy, Defs: []vcode.Reg{a}, Uses: []vcode.Reg{f.NewConst(vcode.Vec, 9)}},
			{Op: vcode.Lane, IR: ir.Add, Key: ir.Key{Type: ir.I32}, Defs: []vcode.Reg{a}, Uses: []vcode.Reg{a, a}, Masks: []vcode.Reg{k}, Keep: true},
			{Op: vcode.Copy, Defs: []vcode.Reg{w}, Uses: []vcode.Reg{w}},
			{Op: vcode.JumpIfNone, Masks: []vcode.Reg{k}, Target: 1},
			{Op: vcode.Call, Uses: []vcode.Reg{k}, Target: 2},
		}},
		{Insts: []vcode.Inst{{Op: vcode.Return}}},
	}
	const want = `func "f" parts 1
b0:
	k1 = arg #0
	v2 = copy 0x9
	v2 = lane add.i32 v2, v2 {k1} keep
	w3 = copy w3
	jumpifnone b1 {k1}
	call f2 k1
b1:
	return
`
	if got := f.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
