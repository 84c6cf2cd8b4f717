package irgen

import (
	"math/rand"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// armMaker makes the arms of a program of Arms. Two arms of a template make the same choices by t, and differ in those by m.
type armMaker struct {
	b            *ir.Builder
	t, m         *rand.Rand
	ints, floats []ir.V
	depth        int
	stores       bool // the program writes memory between its arms
}

// Arms makes the program of a seed, for the job of Job: a switch or a chain of ifs with arms that do almost the same. They differ in
// constants, and some in a few operations.
func Arms(seed int64) *ir.Program {
	r := rand.New(rand.NewSource(seed))
	p := &ir.Program{
		Name: "arms", SubgroupSize: 4 << r.Intn(4), LocalSize: [3]uint32{16, 1, 1},
		In: []ir.Input{{Semantic: ir.LocalInvocationIndex, Type: ir.I32}, {Semantic: ir.WorkgroupIdY, Type: ir.I32}},
		Res: []ir.Resource{
			{Kind: ir.StorageBuffer, Count: 1},
			{Kind: ir.StorageBuffer, Binding: 1, Count: 2},
			{Kind: ir.StorageBuffer, Binding: 2, Count: 1, NonWritable: true},
		},
		Vars: []ir.Var{{Name: "a", Slots: 4, Func: -1}}, PushBytes: 8, SharedBytes: 256,
	}
	b := ir.NewFunc("main", nil, nil)
	m := &armMaker{b: b, stores: r.Intn(3) == 0}
	lane, y := b.OpAux(ir.In, ir.I32, 0), b.OpAux(ir.In, ir.I32, 1)
	word := m.load(lane, ir.I32, 0)
	m.ints = []ir.V{b.I32(3), lane, word, y, m.load(lane, ir.I32, 4), b.OpAux(ir.Ld, ir.I32, 4, b.Op(ir.Push, ir.H), b.I32(0))}
	m.floats = []ir.V{b.Const(ir.F32, 0x3fc00000), b.Op(ir.UToF, ir.F32, lane), m.load(lane, ir.F32, 8)}
	templates := []int64{r.Int63(), r.Int63()}
	arms := 2 + r.Intn(6)
	choice := b.Op(ir.UMod, ir.I32, word, b.I32(uint32(arms)))
	if r.Intn(5) == 0 {
		choice = y
	}
	end := b.Block(ir.I32, ir.F32)
	one := func() {
		ints, floats := len(m.ints), len(m.floats)
		m.t, m.m = rand.New(rand.NewSource(templates[r.Intn(8)/7])), r
		for range 20 + m.t.Intn(30) {
			m.statement()
		}
		b.Br(end, m.int(), m.float())
		m.ints, m.floats = m.ints[:ints], m.floats[:floats]
	}
	if r.Intn(2) == 0 {
		m.cases(choice, arms, one)
	} else {
		for i := range arms - 1 {
			b.If(b.Cmp(ir.Eq, choice, b.I32(uint32(i))))
			one()
			b.End()
			if m.stores && r.Intn(3) == 0 {
				m.store(lane, word)
			}
		}
		one()
	}
	b.End()
	m.store(b.Op(ir.Add, ir.I32, lane, b.Op(ir.Mul, ir.I32, b.Op(ir.And, ir.I32, y, b.I32(1)), b.I32(16))), b.Param(end, 0))
	m.store(b.Op(ir.Add, ir.I32, lane, b.I32(40)), b.Op(ir.Bitcast, ir.I32, b.Op(ir.FCanon, ir.F32, b.Param(end, 1))))
	p.Funcs = []*ir.Func{b.Finish()}
	p.StateEffects()
	return p
}

// cases makes a switch with an empty default.
func (m *armMaker) cases(choice ir.V, arms int, one func()) {
	b, labels := m.b, []ir.V(nil)
	for range arms {
		labels = append(labels, b.Block())
	}
	var list []ir.Case
	for i, l := range labels {
		list = append(list, ir.Case{Value: uint64(i), Label: l})
	}
	b.Switch(choice, labels[0], list)
	for range labels {
		b.End()
		one()
	}
}

func (m *armMaker) load(at ir.V, t ir.Type, imm uint64) ir.V {
	b := m.b
	res := uint64(2)
	if m.stores {
		res = 0
	}
	return b.OpAux(ir.Ld, t, imm, b.OpAux(ir.Res, ir.H, res, b.I32(0)), b.OpAux(ir.At, ir.I32, 4, b.I32(0), at))
}

func (m *armMaker) store(at, v ir.V) {
	b := m.b
	b.OpAux(ir.St, ir.I32, 0, b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.At, ir.I32, 4, b.I32(0), at), v)
}

func (m *armMaker) int() ir.V   { return pick(m.t, m.ints) }
func (m *armMaker) float() ir.V { return pick(m.t, m.floats) }

// statement appends an operation, an if or a loop to the arm.
func (m *armMaker) statement() {
	b := m.b
	switch k := m.t.Intn(16); {
	case k < 5:
		m.operation(&m.floats, []ir.Op{ir.FAdd, ir.FSub, ir.FMul, ir.FMax, ir.FMin})
	case k < 11:
		m.operation(&m.ints, []ir.Op{ir.Add, ir.Sub, ir.Xor, ir.Mul, ir.UMin, ir.LShr})
	case k == 11:
		m.ints = append(m.ints, m.load(m.int(), ir.I32, uint64(m.t.Intn(8))))
	case k == 12:
		b.Op(ir.PSt, ir.I32, b.Op(ir.And, ir.I32, m.int(), b.I32(3)), m.int())
		m.ints = append(m.ints, b.Op(ir.PLd, ir.I32, b.I32(uint32(m.t.Intn(4)))))
	case k == 13 && m.depth < 2:
		m.conditional()
	case k == 14 && m.depth < 2:
		m.loop()
	default:
		x, y := m.int(), m.int()
		m.ints = append(m.ints, b.Select(b.Cmp(ir.SLt, x, y), y, x))
	}
}

// operation appends an operation. In few arms it is missing, or another one comes before it.
func (m *armMaker) operation(list *[]ir.V, ops []ir.Op) {
	b := m.b
	op, x, y := ops[m.t.Intn(len(ops))], pick(m.t, *list), pick(m.t, *list)
	t := b.Func.Type(x)
	if m.t.Intn(2) == 0 {
		bits := m.t.Uint64()
		if m.m.Intn(2) == 0 {
			bits = m.m.Uint64()
		}
		if t == ir.F32 { // numbers of usual size
			bits = bits&0x007fffff | 0x3f800000
		}
		y = b.Const(t, bits)
	}
	switch m.m.Intn(80) {
	case 0:
		*list = append(*list, x)
		return
	case 1:
		x = b.Op(op, t, x, y)
	}
	*list = append(*list, b.Op(op, t, x, y))
}

// conditional appends an if with one or two arms.
func (m *armMaker) conditional() {
	b := m.b
	label := b.Block(ir.I32, ir.F32)
	b.If(b.Cmp(ir.ULt, m.int(), m.int()))
	m.inner(label)
	two := m.t.Intn(2) == 0
	if two {
		b.Else()
	} else {
		b.End()
	}
	m.inner(label)
	if two {
		b.End()
	}
	b.End()
	m.ints, m.floats = append(m.ints, b.Param(label, 0)), append(m.floats, b.Param(label, 1))
}

// inner appends a few statements and a branch.
func (m *armMaker) inner(label ir.V) {
	ints, floats := len(m.ints), len(m.floats)
	m.depth++
	for range m.t.Intn(6) {
		m.statement()
	}
	m.b.Br(label, m.int(), m.float())
	m.depth--
	m.ints, m.floats = m.ints[:ints], m.floats[:floats]
}

// loop appends a loop of at most four iterations.
func (m *armMaker) loop() {
	b := m.b
	n := b.Op(ir.And, ir.I32, m.int(), b.I32(3))
	out := b.Block(ir.I32, ir.F32)
	l := b.Loop(n, m.int())
	ints, floats := len(m.ints), len(m.floats)
	m.ints = append(m.ints, b.Param(l, 1))
	m.depth++
	for range m.t.Intn(6) {
		m.statement()
	}
	m.depth--
	b.If(b.Cmp(ir.Eq, b.Param(l, 0), b.I32(0)))
	b.Br(out, m.int(), m.float())
	b.End()
	b.Br(l, b.Op(ir.Sub, ir.I32, b.Param(l, 0), b.I32(1)), m.int())
	m.ints, m.floats = m.ints[:ints], m.floats[:floats]
	b.End()
	b.End()
	m.ints, m.floats = append(m.ints, b.Param(out, 0)), append(m.floats, b.Param(out, 1))
}
