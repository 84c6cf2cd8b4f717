package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var logicRules = rules{
	spirv.OpAny:       anyOf,
	spirv.OpAll:       allOf,
	spirv.OpIsInf:     isInf,
	spirv.OpSelect:    selectOf,
	spirv.OpExpectKHR: expect,
}

func anyOf(f *function, in spirv.Inst) {
	f.define(in, f.combine(ir.Or, f.scalars(inst.Any(in).Vector())))
}
func allOf(f *function, in spirv.Inst) {
	f.define(in, f.combine(ir.And, f.scalars(inst.All(in).Vector())))
}

// combine reduces booleans with an operation.
func (f *function) combine(op ir.Op, parts []ir.V) ir.V {
	if len(parts) == 0 {
		f.malformed("the operand has no components")
	}
	v := parts[0]
	for _, p := range parts[1:] {
		v = f.b.Op(op, ir.B1, v, p)
	}
	return v
}

func isInf(f *function, in spirv.Inst) {
	f.eachComponent(in, f.operands(in[3:]), func(_ ir.Type, a []direct.Operand[ir.V]) ir.V {
		x, t := a[0].Value, a[0].Type
		f.checkFloats(x)
		inf := f.b.Const(t, scalar.FromFloat(t.Bits(), false, math.Inf(1)))
		return f.b.Cmp(ir.FEq, f.b.Op(ir.FAbs, t, x), inf)
	})
}

// selectOf lowers OpSelect, of composites and pointers too.
func selectOf(f *function, in spirv.Inst) {
	v := inst.Select(in)
	c := f.scalars(v.Condition())
	x, y := f.scalars(v.Object1()), f.scalars(v.Object2())
	if len(x) != len(y) || len(c) != 1 && len(c) != len(x) {
		f.malformed("the operands have different sizes")
	}
	parts := make([]ir.V, len(x))
	for i := range x {
		parts[i] = f.b.Select(c[min(i, len(c)-1)], x[i], y[i])
	}
	f.define(in, parts...)
}

func expect(f *function, in spirv.Inst) { f.copyOf(in, inst.ExpectKHR(in).Value()) }
