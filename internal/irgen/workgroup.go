package irgen

import (
	"math/rand"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Workgroup makes the program of a seed with interacting invocations, in the form
// that people write: a test that keeps invocations within the data, accesses of all
// widths at an invocation's own position and beside it and, in most programs, phases
// between barriers in uniform control flow, with workgroup memory and group
// operations. WorkgroupJob makes a job for it.
func Workgroup(seed int64) *ir.Program {
	m := &maker{r: rand.New(rand.NewSource(seed)), side: &side{}}
	m.workgroups()
	return m.p
}

func (m *maker) workgroups() {
	m.p = &ir.Program{
		Name: "workgroup", SubgroupSize: 4 << m.r.Intn(6),
		In: []ir.Input{
			{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}, {Semantic: ir.LocalInvocationIndex, Type: ir.I32}, {Semantic: ir.LocalInvocationIdX, Type: ir.I32},
			{Semantic: ir.GlobalInvocationIdY, Type: ir.I32}, {Semantic: ir.LocalInvocationIdY, Type: ir.I32}, {Semantic: ir.SubgroupLocalInvocationId, Type: ir.I32},
			{Semantic: ir.WorkgroupIdX, Type: ir.I32}, {Semantic: ir.NumWorkgroupsX, Type: ir.I32}, {Semantic: ir.SubgroupId, Type: ir.I32},
		},
		Res: []ir.Resource{
			{Kind: ir.StorageBuffer, Count: 1},
			{Kind: ir.StorageBuffer, Binding: 1, Count: 2},
			{Kind: ir.StorageBuffer, Binding: 2, Count: 1, NonWritable: true},
			{Kind: ir.UniformBuffer, Binding: 3, Count: 1},
		},
		Vars:      []ir.Var{{Name: "a", Slots: 4, Func: -1}, {Name: "b", Slots: 9, Func: -1}, {Name: "c", Slots: 3, Func: 0}},
		PushBytes: 16,
	}
	m.p.LocalSize = m.localSize()
	if m.side.meets = m.r.Intn(3) > 0; m.side.meets {
		m.p.SharedBytes = []uint32{4, 64, 250, 256, 1024, 4096}[m.r.Intn(6)]
	} else {
		m.p.In = m.p.In[:8:8]
		if m.side.merged = m.r.Intn(4) > 0; m.side.merged {
			m.p.In[5].Semantic = ir.LocalInvocationIdZ
		}
	}
	m.workgroup()
	m.p.StateEffects()
}

// side is the additional state for Workgroup's programs.
type side struct {
	meets   bool   // the program has barriers
	merged  bool   // nothing depends on the subgroups, so that an engine may merge them
	deep    int    // number of enclosing constructs of uniform control flow
	common  []ir.V // uniform i32 values
	strided []ir.V // strided i32 values: they differ by a constant between neighbouring invocations
	bytes   []ir.V // i32 values that serve as offsets
}

func (m *maker) localSize() [3]uint32 {
	switch m.r.Intn(6) {
	case 0:
		return [3]uint32{uint32(1 + m.r.Intn(70)), uint32(1 + m.r.Intn(3)), 1}
	case 1:
		return [3]uint32{8, uint32(4 << m.r.Intn(3)), 1}
	case 2:
		return [3]uint32{16, uint32(1 + m.r.Intn(8)), uint32(1 + m.r.Intn(2))}
	case 3:
		return [3]uint32{uint32(64 << m.r.Intn(3)), 1, 1}
	}
	return [3]uint32{m.p.SubgroupSize * uint32(1+m.r.Intn(4)), 1, 1}
}

// one chooses an element of a list.
func one[T any](m *maker, list ...T) T { return list[m.r.Intn(len(list))] }

func (m *maker) workgroup() {
	m.b = ir.NewFunc("main", nil, nil)
	s := m.side
	m.labels, m.used = []target{{m.b.Func.Body(), nil, false}}, map[ir.V]bool{}
	for i := range m.p.In {
		v := m.b.OpAux(ir.In, ir.I32, uint64(i))
		if sem := m.p.In[i].Semantic; sem.Rate() <= ir.PerGroup {
			s.common = append(s.common, v)
		} else if sem != ir.SubgroupId {
			s.strided = append(s.strided, v)
		}
		m.ints = append(m.ints, v)
	}
	push := m.b.Op(ir.Push, ir.H)
	for i := range uint64(4) {
		s.common = append(s.common, m.b.OpAux(ir.Ld, ir.I32, 4*i, push, m.b.I32(0)))
	}
	s.common = append(s.common, m.b.I32(uint32(m.r.Intn(9))))
	if m.r.Intn(2) == 0 {
		s.common = append(s.common, m.b.OpAux(ir.Ld, ir.I32, uint64(4*m.r.Intn(8)), m.b.OpAux(ir.Res, ir.H, uint64(2+m.r.Intn(2)), m.b.I32(0)), m.b.I32(0)))
	}
	m.ints = append(m.ints, s.common...)
	m.bools, m.floats, m.longs = []ir.V{m.b.Bool(true)}, []ir.V{m.b.Const(ir.F32, 0x3fc00000)}, []ir.V{m.b.Const(ir.I64, 5)}
	for range 3 {
		m.strided()
	}
	m.budget = 60
	switch k := m.r.Intn(4); {
	case k == 0: // the rest of the program is in the arm
		m.b.If(m.within())
		m.depth++
		m.phases(2 + m.r.Intn(4))
		m.b.End()
	case k < 3 && !s.meets:
		m.b.If(m.within())
		m.b.Br(m.b.Func.Body())
		m.b.End()
		fallthrough
	default:
		m.phases(3 + m.r.Intn(8))
	}
	m.p.Funcs = []*ir.Func{m.b.Finish()}
}

// within makes a comparison of a strided value with a uniform bound, and variations
// of it.
func (m *maker) within() ir.V {
	op := one(m, ir.ULt, ir.ULe, ir.SLt, ir.SLe)
	v, bound := pick(m.r, m.side.strided), pick(m.r, m.side.common)
	if m.r.Intn(2) == 0 {
		bound = m.b.I32(uint32(m.r.Intn(300)))
	}
	c := m.b.Cmp(op, v, bound)
	if m.r.Intn(2) == 0 {
		c = m.b.Cmp(op, bound, v)
	}
	if m.r.Intn(4) == 0 {
		c = m.b.Op(one(m, ir.And, ir.Or), ir.B1, c, m.b.Cmp(ir.ULt, pick(m.r, m.side.strided), m.b.I32(uint32(m.r.Intn(200)))))
	}
	switch m.r.Intn(8) {
	case 0, 1:
		c = m.b.Op(ir.Not, ir.B1, c)
	case 2:
		c = m.b.Select(c, m.b.Cmp(ir.ULe, pick(m.r, m.side.strided), bound), m.b.Bool(m.r.Intn(2) == 0))
	case 3: // the first invocations of a workgroup
		c = m.b.Cmp(one(m, ir.Eq, ir.ULt), m.ints[1], m.b.I32(uint32(m.r.Intn(20))))
	}
	return c
}

// strided makes a value that is strided, or nearly so.
func (m *maker) strided() {
	r := pick(m.r, m.side.strided)
	k := m.b.I32(one(m, 0, 1, 2, 3, 4, 5, 8, 16, 17, 64, ^uint32(0), 1<<31, uint32(m.r.Intn(100))))
	if m.r.Intn(4) == 0 {
		k = pick(m.r, m.side.common)
	}
	op := one(m, ir.Add, ir.Add, ir.Sub, ir.Mul, ir.UDiv, ir.UMod, ir.SMax, ir.SMin, ir.UMin, ir.And, ir.Shl, ir.LShr, ir.Xor)
	if m.r.Intn(6) == 0 { // two dimensions
		k, op = pick(m.r, m.side.strided), ir.Add
	}
	m.side.strided = append(m.side.strided, m.b.Op(op, ir.I32, r, k))
	m.ints = append(m.ints, m.side.strided[len(m.side.strided)-1])
}

// offset makes the offset of an access.
func (m *maker) offset() ir.V {
	if m.r.Intn(2) == 0 && len(m.side.bytes) > 0 {
		return pick(m.r, m.side.bytes)
	}
	index := pick(m.r, m.side.strided)
	if m.r.Intn(8) == 0 {
		index = m.int()
	}
	var off ir.V
	switch m.r.Intn(7) {
	case 0:
		off = m.b.Op(ir.Shl, ir.I32, index, m.b.I32(uint32(m.r.Intn(4))))
	case 1:
		off = index
	case 2:
		off = m.b.OpAux(ir.At, ir.I32, uint64(one(m, 4, 8, 16)), pick(m.r, m.side.common), m.b.I32(uint32(m.r.Intn(9))))
	case 3:
		at := m.b.OpAux(ir.At, ir.I32, uint64(one(m, 4, 8, 64)), m.b.I32(uint32(4*m.r.Intn(3))), pick(m.r, m.side.common))
		off = m.b.OpAux(ir.At, ir.I32, 4, at, index)
	default:
		start := m.b.I32(one[uint32](m, 0, 0, 0, 4, 5, 8, 1<<32-64, 1<<31-32))
		off = m.b.OpAux(ir.At, ir.I32, uint64(one(m, 1, 2, 4, 4, 4, 8, 12, 16, 20, 32)), start, index)
	}
	m.side.bytes = append(m.side.bytes, off)
	return off
}

// access makes a load or a store, or several at adjacent addresses.
func (m *maker) access() {
	h := m.b.OpAux(ir.Res, ir.H, uint64(m.r.Intn(4)), m.b.I32(uint32(m.r.Intn(8)/7)))
	if m.p.SharedBytes > 0 && m.r.Intn(2) == 0 {
		h = m.b.Op(ir.Wg, ir.H)
	}
	off := m.offset()
	imm := one(m, 0, 0, 0, 0, 4, 8, 12, 1, 2, 60, 64, 1<<30, 1<<32-4, 1<<32-1, uint64(m.r.Intn(64)))
	store := m.r.Intn(2) == 0
	atomic := !m.side.merged && m.r.Intn(12) == 0
	for n := one(m, 1, 1, 2, 3, 4); n > 0; n-- {
		t := one(m, ir.I32, ir.I32, ir.I32, ir.F32, ir.F32, ir.I8, ir.I16, ir.I64)
		switch {
		case atomic:
			v := m.b.OpAux(one(m, ir.AtomAdd, ir.AtomUMax, ir.AtomXor, ir.AtomXchg), ir.I32, imm&^3, h, m.b.Op(ir.And, ir.I32, off, m.b.I32(0xfc)), m.int())
			m.note(v)
		case store:
			m.b.OpAux(ir.St, t, imm, h, off, m.narrow(t))
		default:
			v := m.b.OpAux(ir.Ld, t, imm, h, off)
			if t == ir.I8 || t == ir.I16 {
				v = m.b.Op(one(m, ir.ZExt, ir.SExt), ir.I32, v)
			}
			m.note(v)
		}
		imm = (imm + uint64(t.Size())) & (1<<32 - 1)
	}
}

// narrow makes a value of type t to store.
func (m *maker) narrow(t ir.Type) ir.V {
	switch t {
	case ir.I8, ir.I16:
		return m.b.Op(ir.Trunc, t, m.int())
	case ir.F32:
		return m.b.Op(ir.FCanon, t, m.float())
	}
	return m.of(t)
}

// phases makes n statements in uniform control flow.
func (m *maker) phases(n int) {
	s := m.side
	ints, bools, floats, longs, keep := len(m.ints), len(m.bools), len(m.floats), len(m.longs), *s
	for ; n > 0 && m.budget > 0; n-- {
		m.budget--
		switch k := m.r.Intn(16); {
		case k < 5:
			m.access()
		case k < 7:
			m.strided()
		case k == 7 && s.meets:
			m.b.Op(ir.Barrier, ir.None)
		case k == 8 && s.deep < 3:
			m.together()
		case m.quads && (k == 9 || k == 13):
			m.quad()
		case k == 9 && !s.merged:
			m.meeting()
		case k == 10:
			m.b.If(m.within())
			m.depth++
			m.inside(1 + m.r.Intn(4))
			m.depth--
			m.b.End()
		case k == 11 && s.deep < 3:
			m.rounds()
		case k == 12:
			m.each()
		case k == 13:
			m.byte()
		case k == 14:
			m.plain()
		default:
			m.operation()
		}
	}
	m.access()
	m.ints, m.bools, m.floats, m.longs = m.ints[:ints], m.bools[:bools], m.floats[:floats], m.longs[:longs]
	s.common, s.strided, s.bytes = keep.common, keep.strided, keep.bytes
}

// inside makes n statements in divergent control flow.
func (m *maker) inside(n int) {
	meets, deep, s := m.side.meets, m.side.deep, *m.side
	m.side.meets, m.side.deep = false, 3
	m.phases(n)
	s.meets, s.deep = meets, deep
	*m.side = s
}

// plain makes a statement that any program may have.
func (m *maker) plain() {
	switch k := m.r.Intn(10); {
	case k < 5:
		m.private()
	case k == 5:
		m.ternary()
	case k == 6:
		m.chosen()
	case k == 7 && !m.side.merged:
		h := m.b.OpAux(ir.Res, ir.H, 1, m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(3)))
		m.note(m.b.Op(ir.Ld, ir.I32, h, m.offset()))
		m.b.Op(ir.St, ir.I32, h, m.offset(), m.int())
	default: // the arm may leave
		ints, bools, floats, longs := len(m.ints), len(m.bools), len(m.floats), len(m.longs)
		m.b.If(m.bool())
		m.depth++
		if m.depth < 8 && k < 9 {
			m.conditional()
		} else {
			m.block()
		}
		m.depth--
		m.b.End()
		m.ints, m.bools, m.floats, m.longs = m.ints[:ints], m.bools[:bools], m.floats[:floats], m.longs[:longs]
	}
}

// chosen makes a number and, selected for unusual operands, one of several others, as
// math functions do.
func (m *maker) chosen() {
	x := m.float()
	way := m.b.Const(ir.F32, uint64(m.r.Uint32()>>1))
	for range 2 + m.r.Intn(4) {
		c := m.b.Cmp(one(m, ir.FEq, ir.FLt, ir.FLe), m.float(), m.b.Const(ir.F32, uint64(m.r.Intn(512)<<23)))
		if m.r.Intn(2) == 0 {
			c = m.b.Op(ir.And, ir.B1, c, m.bool())
		}
		way = m.b.Select(c, m.b.Const(ir.F32, one[uint64](m, 0, 0x7f800000, 0x7fc00000, 0x3f800000)), way)
	}
	c := m.b.Cmp(ir.FLt, m.b.Op(ir.FAbs, ir.F32, m.float()), m.b.Const(ir.F32, 0x40000000))
	if m.r.Intn(2) == 0 {
		x, way = way, x
	}
	m.floats = append(m.floats, m.b.Select(c, x, way))
	m.ints = append(m.ints, m.b.Op(ir.Bitcast, ir.I32, m.b.Op(ir.FCanon, ir.F32, m.floats[len(m.floats)-1])))
}

// byte unpacks a byte and divides it by a constant.
func (m *maker) byte() {
	x := m.int()
	switch m.r.Intn(3) {
	case 0:
		x = m.b.Op(ir.And, ir.I32, x, m.b.I32(uint32(m.r.Intn(256))))
	case 1:
		x = m.b.Op(ir.LShr, ir.I32, x, m.b.I32(uint32(23+m.r.Intn(9))))
	default:
		x = m.b.Op(ir.BitFieldU, ir.I32, x, m.b.I32(uint32(m.r.Intn(32))), m.b.I32(uint32(m.r.Intn(9))))
	}
	x = m.b.Op(one(m, ir.UToF, ir.SToF), ir.F32, x)
	by := one(m, 0x437f0000, 0x40400000, 0x3dcccccd, uint64(m.r.Uint32()))
	x = m.b.Op(ir.FDiv, ir.F32, x, m.b.Const(ir.F32, by))
	m.floats = append(m.floats, x)
	m.ints = append(m.ints, m.b.Op(ir.Bitcast, ir.I32, m.b.Op(ir.FCanon, ir.F32, x)))
}

// share makes a uniform condition.
func (m *maker) share() ir.V {
	return m.b.Cmp(one(m, ir.ULt, ir.Eq, ir.SLe), pick(m.r, m.side.common), m.b.Op(ir.And, ir.I32, pick(m.r, m.side.common), m.b.I32(uint32(m.r.Intn(7)))))
}

// together makes a uniform if.
func (m *maker) together() {
	m.side.deep++
	m.depth++
	m.b.If(m.share())
	m.phases(1 + m.r.Intn(5))
	if m.r.Intn(2) == 0 {
		m.b.Else()
		m.phases(1 + m.r.Intn(4))
	}
	m.b.End()
	m.depth--
	m.side.deep--
}

// rounds makes a convergent loop, with an exit at its start or in the middle.
func (m *maker) rounds() {
	s := m.side
	s.deep++
	m.depth += 2
	merge := m.b.Block(ir.I32)
	label := m.b.Loop(one(m, m.b.I32(uint32(m.r.Intn(3))), m.b.I32(0)), m.int(), pick(m.r, s.strided))
	i, own, row := m.b.Param(label, 0), m.b.Param(label, 1), m.b.Param(label, 2)
	common, rows, ints := slices.Clip(s.common), slices.Clip(s.strided), len(m.ints)
	s.common, s.strided = append(common, i), append(rows, row)
	m.ints = append(m.ints, i, own, row)
	m.b.If(m.b.Cmp(ir.ULe, m.b.I32(uint32(1+m.r.Intn(4))), i))
	m.b.Br(merge, own)
	m.b.End()
	m.phases(1 + m.r.Intn(4))
	if m.r.Intn(3) == 0 {
		m.b.If(m.share())
		m.b.Br(merge, m.int())
		m.b.End()
		m.phases(1)
	}
	step := m.b.I32(one[uint32](m, 0, 1, 4, 16, 64))
	m.b.Br(label, m.b.Op(ir.Add, ir.I32, i, m.b.I32(1)), m.int(), m.b.Op(ir.Add, ir.I32, row, step))
	m.b.End()
	m.b.End()
	m.depth -= 2
	s.deep--
	s.common, s.strided = common, rows
	m.ints = append(m.ints[:ints], m.b.Param(merge, 0))
}

// each makes a divergent loop.
func (m *maker) each() {
	s := m.side
	out := m.b.Block(ir.I32)
	label := m.b.Loop(m.b.I32(0), m.int())
	i, own := m.b.Param(label, 0), m.b.Param(label, 1)
	m.depth += 2
	m.b.If(m.b.Cmp(ir.ULe, m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(7)), i))
	m.b.Br(out, own)
	m.b.End()
	common, rows, ints := slices.Clip(s.common), slices.Clip(s.strided), len(m.ints)
	s.strided = append(rows, i)
	m.ints = append(m.ints, i, own)
	m.inside(1 + m.r.Intn(3))
	m.b.Br(label, m.b.Op(ir.Add, ir.I32, i, m.b.I32(1)), m.b.Op(ir.Xor, ir.I32, own, m.int()))
	m.b.End()
	m.b.End()
	m.depth -= 2
	s.common, s.strided = common, rows
	m.ints = append(m.ints[:ints], m.b.Param(out, 0))
}

// WorkgroupJob makes a job for a program of Workgroup. The buffers have random bytes
// and often odd sizes, and some are equal or overlap. With an even seed no read-only
// buffer overlaps another, which passes rely on. All are in the returned memory, with
// bytes around them that belong to no buffer.
func WorkgroupJob(seed int64) (job *exec.Job, memory []byte) {
	r := rand.New(rand.NewSource(^seed))
	memory = make([]byte, 1<<14)
	r.Read(memory)
	at := 64
	buffer := func() exec.Buffer {
		n := []int{0, 1, 3, 4, 63, 64, 200, 255, 256, 1000, 1024, 2051}[r.Intn(12)]
		b := memory[at:][:n:n]
		align := 8 << (3 * r.Intn(2)) // with and without alignment to a line
		at = (at + n + 64) &^ (align - 1)
		return exec.Buffer{Bytes: b}
	}
	list := []exec.Buffer{buffer(), buffer(), buffer(), buffer(), buffer()}
	sharing := 5 - 2*int(1-seed&1)
	switch r.Intn(4) {
	case 0: // an equal buffer
		list[r.Intn(sharing)] = list[r.Intn(3)]
	case 1: // an overlapping buffer
		i := r.Intn(3)
		b := list[i].Bytes
		if from := 8 * r.Intn(20); from < len(b) {
			list[r.Intn(sharing)] = exec.Buffer{Bytes: b[from:len(b):len(b)]}
		}
	}
	push := make([]byte, 16)
	for i := range 4 {
		push[4*i] = byte(r.Intn(64))
		push[4*i+1] = byte(r.Intn(8) / 7)
	}
	return &exec.Job{
		Groups: [3]uint32{uint32(1 + r.Intn(3)), uint32(1 + r.Intn(2)), 1}, Base: [3]uint32{uint32(r.Intn(2)), 0, 0}, Workers: 1, Push: push[:r.Intn(17)],
		Resources: [][]exec.Buffer{{list[0]}, {list[1], list[2]}, {list[3]}, {list[4]}},
	}, memory
}
