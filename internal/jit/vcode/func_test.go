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

func TestForm(t *testing.T) {
	for _, c := range []struct {
		form                 vcode.Form
		mask, vec, wide, gen int32
		parts                int // of 20 lanes
	}{
		{vcode.Form{Lanes: 16}, 8, 64, 128, 8, 2},
		{vcode.Form{Lanes: 8, VectorMasks: true}, 32, 32, 64, 8, 3},
	} {
		for class, want := range map[vcode.Class]int32{vcode.Mask: c.mask, vcode.Vec: c.vec, vcode.Wide: c.wide, vcode.Gen: c.gen} {
			if got := c.form.Size(class); got != want {
				t.Errorf("%+v: class %d takes %d bytes, want %d", c.form, class, got, want)
			}
		}
		if got := c.form.Parts(20); got != c.parts {
			t.Errorf("%+v: 20 lanes are %d parts, want %d", c.form, got, c.parts)
		}
	}
}

func TestString(t *testing.T) {
	f := &vcode.Func{Name: "f", Parts: 1}
	k, a, w := f.NewReg(vcode.Mask), f.NewReg(vcode.Vec), f.NewReg(vcode.Wide)
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{
			{Op: vcode.Arg, Defs: []vcode.Reg{k}},
			{Op: vcode.Copy, Defs: []vcode.Reg{a}, Uses: []vcode.Reg{f.NewConst(vcode.Vec, 9)}},
			{Op: vcode.Lane, IR: ir.Add, Key: ir.Key{Type: ir.I32}, Defs: []vcode.Reg{a}, Uses: []vcode.Reg{a, a}, Masks: []vcode.Reg{k}, Merging: true},
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
	v2 = lane add.i32 v2, v2 {k1} merging
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
