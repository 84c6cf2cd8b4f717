package irgen

import "github.com/chiaro-gpu/chiaro/internal/ir"

// GroupOp is a group operation on a type; Aux holds the operator and the cluster of a combination.
type GroupOp struct {
	Op   ir.Op
	Type ir.Type // of the operand
	Aux  uint64
}

// Types that group operations work on.
var (
	groupInts   = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}
	groupFloats = []ir.Type{ir.F16, ir.F32, ir.F64}
	groupTypes  = append(append([]ir.Type{ir.B1}, groupInts...), groupFloats...)
)

// GroupOps returns every group operation that a subgroup size permits, on every type.
func GroupOps(size uint32) []GroupOp {
	list := []GroupOp{{ir.Elect, ir.B1, 0}, {ir.Any, ir.B1, 0}, {ir.All, ir.B1, 0}, {ir.Ballot, ir.B1, 0}, {ir.Ballot, ir.B1, 1}}
	for _, t := range groupTypes {
		list = append(list, GroupOp{ir.AllEq, t, 0}, GroupOp{ir.Shuf, t, 0})
		if size >= 4 {
			list = append(list, GroupOp{ir.QuadSwap, t, 1}, GroupOp{ir.QuadSwap, t, 2}, GroupOp{ir.QuadSwap, t, 3})
		}
		for _, by := range []ir.Op{ir.Add, ir.Mul, ir.SMin, ir.SMax, ir.UMin, ir.UMax, ir.And, ir.Or, ir.Xor, ir.FAdd, ir.FMul, ir.NMin, ir.NMax} {
			if !by.Row().On.Has(t) {
				continue
			}
			for _, cluster := range []uint32{0, 1, 2, 4, 8, 16, 32, 64, 128} {
				if cluster > size {
					continue
				}
				for _, op := range []ir.Op{ir.Reduce, ir.ScanI, ir.ScanX} {
					list = append(list, GroupOp{op, t, uint64(by) | uint64(cluster)<<8})
				}
			}
		}
	}
	return list
}

// groupMaker builds a program around one group operation.
type groupMaker struct {
	b       *ir.Builder
	g       GroupOp
	in, out ir.V // handles of the words that the program reads and writes
	lane    ir.V // number of the invocation in the dispatch
	quads   bool // the subgroup has whole quads
	next    uint64
}

// GroupOutputs bounds the words that an invocation of a Group program writes.
const GroupOutputs = 128

// Group returns a program that applies g to operands of each kind (constant, uniform, strided, varying), with
// all lanes and with some of them active. It uses each result in every way that an engine may treat on its own:
// stores it, branches, switches, leaves loops and selects by it, shifts and divides by it, addresses buffers,
// tables and private memory with it, passes it to a function, and combines it again. Resource 0 holds 4 words
// for each invocation; resource 1 receives GroupOutputs words from each.
func Group(g GroupOp, size uint32, local uint32) *ir.Program {
	m := &groupMaker{b: ir.NewFunc("main", nil, nil), g: g, quads: size >= 4}
	p := &ir.Program{
		Name: "group", SubgroupSize: size, LocalSize: [3]uint32{local, 1, 1}, PushBytes: 16,
		In:   []ir.Input{{Semantic: ir.LocalInvocationIndex, Type: ir.I32}},
		Res:  []ir.Resource{{Kind: ir.StorageBuffer, Count: 1, NonWritable: true}, {Kind: ir.StorageBuffer, Binding: 1, Count: 1}},
		Vars: []ir.Var{{Name: "private", Slots: 4, Func: -1}}, Tables: [][]byte{make([]byte, 64)},
	}
	for i := range p.Tables[0] {
		p.Tables[0][i] = byte(37 * i)
	}
	b := m.b
	m.lane = b.OpAux(ir.In, ir.I32, 0)
	m.in, m.out = b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.Res, ir.H, 1, b.I32(0))
	uniform := b.OpAux(ir.Ld, ir.I32, 0, b.Op(ir.Push, ir.H), b.I32(0))
	varying := b.OpAux(ir.Ld, ir.I32, 0, m.in, b.OpAux(ir.At, ir.I32, 16, b.I32(0), m.lane))
	for _, x := range []ir.V{b.I32(3), uniform, m.lane, varying} {
		m.uses(m.operation(x), x)
	}
	b.If(b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, varying, b.I32(3)), b.I32(1)))
	for _, x := range []ir.V{uniform, varying} {
		m.uses(m.operation(x), x)
	}
	b.End()
	p.Funcs = []*ir.Func{b.Finish(), callee()}
	p.StateEffects()
	return p
}

// operation emits the group operation on an integer that is converted to its type.
func (m *groupMaker) operation(x ir.V) ir.V {
	b, t := m.b, m.g.Type
	if m.g.Op == ir.Elect {
		return b.Op(ir.Elect, ir.B1)
	}
	v := m.to(t, x)
	switch m.g.Op {
	case ir.Any, ir.All, ir.AllEq:
		return b.Op(m.g.Op, ir.B1, v)
	case ir.Ballot:
		return b.OpAux(ir.Ballot, ir.I32, m.g.Aux, v)
	case ir.Shuf:
		return b.Op(ir.Shuf, t, v, b.Op(ir.And, ir.I32, b.Op(ir.Add, ir.I32, x, b.I32(1)), b.I32(63)))
	}
	return b.OpAux(m.g.Op, t, m.g.Aux, v)
}

// to converts an integer to type t.
func (m *groupMaker) to(t ir.Type, x ir.V) ir.V {
	b := m.b
	switch t {
	case ir.B1:
		return b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, x, b.I32(1)), b.I32(1))
	case ir.I8, ir.I16:
		return b.Op(ir.Trunc, t, x)
	case ir.I64:
		return b.Op(ir.Mul, t, b.Op(ir.SExt, t, x), b.Const(t, 0x1_0000_0001))
	case ir.F16, ir.F32, ir.F64:
		return b.Op(ir.SToF, t, b.Op(ir.And, ir.I32, x, b.I32(0x800000ff)))
	}
	return x
}

// bits converts a result to the integer that represents it.
func (m *groupMaker) bits(v ir.V) ir.V {
	b := m.b
	switch t := b.Func.Type(v); t {
	case ir.B1, ir.I8, ir.I16:
		return b.Op(ir.ZExt, ir.I32, v)
	case ir.F16:
		return b.Op(ir.ZExt, ir.I32, b.Op(ir.Bitcast, ir.I16, b.Op(ir.FCanon, t, v)))
	case ir.F32:
		return b.Op(ir.Bitcast, ir.I32, b.Op(ir.FCanon, t, v))
	case ir.F64:
		v = b.Op(ir.Bitcast, ir.I64, b.Op(ir.FCanon, t, v))
		fallthrough
	case ir.I64:
		return b.Op(ir.Trunc, ir.I32, b.Op(ir.Xor, ir.I64, v, b.Op(ir.LShr, ir.I64, v, b.Const(ir.I64, 31))))
	}
	return v
}

// condition compares a result with 3 of its type, in the order that makes the identities of minimum and
// maximum differ from the values.
func (m *groupMaker) condition(v ir.V, above bool) ir.V {
	b := m.b
	t := b.Func.Type(v)
	x, y := m.to(t, b.I32(3)), v
	if above {
		x, y = y, x
	}
	switch {
	case t == ir.B1:
		return v
	case t == ir.F16 || t == ir.F32 || t == ir.F64:
		return b.Cmp(ir.FLt, x, y)
	}
	return b.Cmp(ir.SLt, x, y)
}

// store writes a word to the next output of the invocation.
func (m *groupMaker) store(v ir.V) {
	b := m.b
	b.OpAux(ir.St, ir.I32, 4*m.next, m.out, b.OpAux(ir.At, ir.I32, 4*GroupOutputs, b.I32(0), m.lane), v)
	m.next++
}

// uses consumes a result in every way; x is the operand it was made of.
func (m *groupMaker) uses(v, x ir.V) {
	b := m.b
	bits := m.bits(v)
	m.store(bits)
	for _, above := range []bool{false, true} {
		c := m.condition(v, above)
		b.If(c)
		m.store(b.I32(7))
		b.Else()
		m.next--
		m.store(b.I32(9))
		b.End()
		m.store(b.Select(c, x, bits))
		m.store(b.OpAux(ir.Ballot, ir.I32, 0, c))
	}
	m.selector(bits)
	m.loop(x)
	m.nested(v, bits)
	m.store(b.OpAux(ir.Ld, ir.I32, 4, m.in, b.Op(ir.And, ir.I32, bits, b.I32(0x3c))))
	m.store(b.OpAux(ir.Ld, ir.I32, 0, b.OpAux(ir.Table, ir.H, 0), b.OpAux(ir.At, ir.I32, 4, b.I32(0), b.Op(ir.And, ir.I32, bits, b.I32(15)))))
	b.OpAux(ir.PSt, ir.I32, 0, b.Op(ir.And, ir.I32, bits, b.I32(3)), x)
	m.store(b.OpAux(ir.PLd, ir.I32, 0, b.Op(ir.And, ir.I32, bits, b.I32(7)))) // slots 4 to 7 do not exist
	m.store(b.Op(ir.Shl, ir.I32, x, bits))
	m.store(b.Op(ir.UDiv, ir.I32, x, bits))
	if t := b.Func.Type(v); t.IsInt() {
		m.store(m.bits(b.Op(ir.SDiv, t, m.to(t, x), v)))
	}
	m.store(b.Call(1, []ir.Type{ir.I32}, bits, x)[0])
	if m.quads {
		m.store(b.OpAux(ir.QuadSwap, ir.I32, 1, bits))
	}
}

// callee returns a function of a result and its operand. It branches and loops by the result.
func callee() *ir.Func {
	b := ir.NewFunc("callee", []ir.Type{ir.I32, ir.I32}, []ir.Type{ir.I32})
	v, x := b.Func.Args[0], b.Func.Args[1]
	b.If(b.Cmp(ir.SLt, v, b.I32(3)))
	b.Return(b.Op(ir.Mul, ir.I32, v, x))
	b.End()
	iteration := b.Loop(b.I32(0), x)
	count, value := b.Param(iteration, 0), b.Param(iteration, 1)
	b.If(b.Cmp(ir.ULe, b.Op(ir.And, ir.I32, v, b.I32(3)), count))
	b.Return(value)
	b.End()
	b.Br(iteration, b.Op(ir.Add, ir.I32, count, b.I32(1)), b.Op(ir.Sub, ir.I32, value, v))
	return b.Finish()
}

// nested emits two nested loops. A result determines the number of iterations of the inner one, and its
// condition may leave the outer one.
func (m *groupMaker) nested(v, bits ir.V) {
	b := m.b
	end := b.Block(ir.I32)
	outer := b.Loop(b.I32(0), bits)
	i, sum := b.Param(outer, 0), b.Param(outer, 1)
	b.If(b.Cmp(ir.ULe, b.I32(2), i))
	b.Br(end, sum)
	b.End()
	inside := b.Block(ir.I32)
	inner := b.Loop(i, sum)
	j, part := b.Param(inner, 0), b.Param(inner, 1)
	b.If(b.Cmp(ir.ULe, b.Op(ir.And, ir.I32, bits, b.I32(3)), j))
	b.Br(inside, part)
	b.End()
	b.Br(inner, b.Op(ir.Add, ir.I32, j, b.I32(1)), b.Op(ir.Add, ir.I32, part, bits))
	b.End()
	b.End()
	b.If(m.condition(v, false))
	b.Br(end, b.Op(ir.Xor, ir.I32, b.Param(inside, 0), i))
	b.End()
	b.Br(outer, b.Op(ir.Add, ir.I32, i, b.I32(1)), b.Op(ir.Mul, ir.I32, b.Param(inside, 0), b.I32(3)))
	b.End()
	b.End()
	m.store(b.Param(end, 0))
}

// selector switches on the low bits of a result.
func (m *groupMaker) selector(bits ir.V) {
	b := m.b
	end := b.Block(ir.I32)
	other, one := b.Block(), b.Block()
	b.Switch(b.Op(ir.And, ir.I32, bits, b.I32(3)), other, []ir.Case{{Value: 1, Label: one}})
	b.End()
	b.Br(end, b.I32(1))
	b.End()
	b.Br(end, b.I32(2))
	b.End()
	m.store(b.Param(end, 0))
}

// loop repeats the operation until its result or the count ends it.
func (m *groupMaker) loop(x ir.V) {
	b := m.b
	end := b.Block(ir.I32)
	iteration := b.Loop(b.I32(0), x)
	count, value := b.Param(iteration, 0), b.Param(iteration, 1)
	b.If(m.condition(m.operation(value), true))
	b.Br(end, count)
	b.End()
	b.If(b.Cmp(ir.ULe, b.I32(4), count))
	b.Br(end, b.I32(99))
	b.End()
	b.Br(iteration, b.Op(ir.Add, ir.I32, count, b.I32(1)), b.Op(ir.Add, ir.I32, value, b.I32(1)))
	b.End()
	b.End()
	m.store(b.Param(end, 0))
}
