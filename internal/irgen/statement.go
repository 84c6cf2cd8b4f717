package irgen

import "github.com/chiaro-gpu/chiaro/internal/ir"

func (m *maker) operation() {
	intOps := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Xor, ir.And, ir.Or, ir.Shl, ir.LShr, ir.UDiv, ir.SMod, ir.UMin, ir.SMax, ir.SDiv, ir.UMod, ir.SRem}
	switch m.r.Intn(11) {
	case 0:
		m.note(m.b.Cmp([]ir.Op{ir.ULt, ir.SLe, ir.Eq}[m.r.Intn(3)], m.int(), m.int()))
	case 1:
		m.note(m.b.Op([]ir.Op{ir.And, ir.Or, ir.Xor}[m.r.Intn(3)], ir.B1, m.bool(), m.bool()))
	case 2:
		m.note(m.b.Op([]ir.Op{ir.FAdd, ir.FMul, ir.FMin, ir.FDiv}[m.r.Intn(4)], ir.F32, m.float(), m.float()))
	case 3:
		m.note(m.b.Op(ir.Bitcast, ir.I32, m.b.Op(ir.FCanon, ir.F32, m.float())))
	case 4:
		m.note(m.b.Select(m.bool(), m.int(), m.int()))
	case 5: // with a constant operand
		k := []uint32{0, 1, 2, 3, 7, 8, 10, 64, 641, 1 << 31, ^uint32(0), m.r.Uint32()}[m.r.Intn(12)]
		m.note(m.b.Op(intOps[m.r.Intn(len(intOps))], ir.I32, m.int(), m.b.I32(k)))
	case 6:
		m.note(m.b.Op(ir.FDiv, ir.F32, m.float(), m.b.Const(ir.F32, uint64(m.r.Intn(256)<<23))))
	case 7:
		m.note(m.b.Op(ir.Add, ir.I64, m.of(ir.I64), m.b.Op(ir.ZExt, ir.I64, m.int())))
	case 8:
		m.note(m.b.OpAux(ir.At, ir.I32, uint64(m.r.Intn(5)), m.int(), m.b.I32(uint32(m.r.Intn(5)))))
	case 9:
		m.signs()
	default:
		m.note(m.b.Op(intOps[m.r.Intn(len(intOps))], ir.I32, m.int(), m.int()))
	}
}

// signs makes a choice by the sign of a number or by one bit, or by the exclusive or of such conditions, of which other operations can
// be readers too.
func (m *maker) signs() {
	c := m.sign()
	for m.r.Intn(3) == 0 {
		c = m.b.Op(ir.Xor, ir.B1, c, one(m, m.sign(), m.bool()))
	}
	if m.r.Intn(4) == 0 {
		m.note(c)
	}
	switch x := m.float(); m.r.Intn(4) {
	case 0:
		m.note(m.b.Select(c, m.b.Op(ir.FNeg, ir.F32, x), x))
	case 1:
		m.note(m.b.Select(c, x, m.float()))
	case 2:
		m.note(m.b.Select(c, m.int(), m.b.I32(uint32(m.r.Intn(2)))))
	default:
		m.note(m.b.Select(c, m.int(), m.int()))
	}
}

func (m *maker) sign() ir.V {
	if m.r.Intn(2) == 0 {
		return m.b.Cmp(ir.SLt, m.int(), m.b.I32(0))
	}
	bit := m.b.I32(1 << m.r.Intn(32))
	return m.b.Cmp(ir.Eq, m.b.Op(ir.And, ir.I32, m.int(), bit), bit)
}

// private reads and writes variables, mostly at constant slots.
func (m *maker) private() {
	if m.pointers && m.fn > 0 && m.r.Intn(2) == 0 {
		m.pointer()
		return
	}
	v := m.r.Intn(4)
	if v > 1 {
		v = 2*m.fn + 1 + m.r.Intn(2)
		if m.fn == 0 {
			v = 2
		}
	}
	n := int(m.p.Vars[v].Slots) + 1
	slot := m.b.I32(uint32(m.r.Intn(n)))
	if v == 1 && m.r.Intn(3) == 0 {
		slot = m.b.Op(ir.UMod, ir.I32, m.int(), m.b.I32(11))
	}
	t := ir.I32
	switch k := m.r.Intn(14); {
	case v == 0 && k < 3:
		t = ir.F32
		slot = m.b.I32(3)
	case k == 3 && v == 2:
		t = ir.I64
	case k == 4:
		t = ir.B1
	}
	switch k := m.r.Intn(9); {
	case k < 4:
		m.note(m.b.OpAux(ir.PLd, t, uint64(v), slot))
	case k < 8:
		x := m.of(t)
		if t == ir.F32 {
			x = m.b.Op(ir.FCanon, t, x)
		}
		m.b.OpAux(ir.PSt, t, uint64(v), slot, x)
	case k == 8:
		m.b.OpAux(ir.PClr, ir.None, uint64(v))
	}
}

func (m *maker) memory() {
	shared := m.b.Op(ir.Wg, ir.H)
	off := m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(0x1c))
	imm := uint64(4 * m.r.Intn(2))
	switch m.r.Intn(9) {
	case 0, 1:
		m.note(m.b.OpAux(ir.Ld, ir.I32, imm, shared, off))
	case 2:
		m.b.OpAux(ir.St, ir.I32, imm, shared, off, m.int())
	case 3:
		m.note(m.b.OpAux(ir.AtomAdd, ir.I32, 0, shared, off, m.int()))
	case 4:
		h := m.b.Select(m.bool(), shared, m.b.OpAux(ir.Res, ir.H, 1, m.b.I32(0)))
		m.note(m.b.OpAux(ir.Ld, ir.I32, imm, h, off))
	case 5, 6:
		h := m.b.OpAux(ir.Res, ir.H, uint64(m.r.Intn(3)), m.b.I32(0))
		m.note(m.b.OpAux(ir.Ld, ir.I32, imm, h, off))
	case 7:
		m.note(m.b.OpAux(ir.Ld, ir.I32, imm, m.b.Op(ir.Push, ir.H), off))
	case 8:
		if m.indirect {
			slot := m.b.OpAux(ir.At, ir.I32, 1, m.b.OpAux(ir.PAddr, ir.I32, uint64(m.r.Intn(3))), m.b.I32(uint32(m.r.Intn(3))))
			m.b.Op(ir.PStI, ir.I32, slot, m.int())
			m.note(m.b.Op(ir.PLdI, ir.I32, m.b.Op(ir.UMod, ir.I32, m.int(), m.b.I32(25))))
		}
	}
}

func (m *maker) meeting() {
	switch m.r.Intn(6) {
	case 0:
		m.b.Op(ir.Barrier, ir.None)
	case 1:
		m.note(m.b.OpAux(ir.Ballot, ir.I32, 0, m.bool()))
	case 2:
		m.note(m.b.OpAux(ir.Reduce, ir.I32, uint64(ir.Add), m.int()))
	case 3:
		m.note(m.b.OpAux(ir.ScanX, ir.I32, uint64(ir.UMax), m.int()))
	case 4:
		m.note(m.b.Op(ir.Elect, ir.B1))
	case 5:
		m.note(m.b.Op(ir.Shuf, ir.I32, m.int(), m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(m.p.SubgroupSize-1))))
	}
}

func (m *maker) conditional() bool {
	m.b.If(m.condition())
	m.depth++
	left := m.body()
	if m.r.Intn(2) == 0 {
		m.b.Else()
		left = m.body() && left
	} else {
		left = false
	}
	m.depth--
	m.b.End()
	return left
}

// block makes a block with or without parameters. One with parameters is left by
// branches only.
func (m *maker) block() bool {
	var types []ir.Type
	for range m.r.Intn(3) {
		types = append(types, []ir.Type{ir.I32, ir.B1, ir.F32}[m.r.Intn(3)])
	}
	label := m.b.Block(types...)
	m.labels = append(m.labels, target{label, types, false})
	m.depth++
	left := m.body()
	if !left && len(types) > 0 {
		m.br(len(m.labels) - 1)
	}
	m.depth--
	m.labels = m.labels[:len(m.labels)-1]
	m.b.End()
	if left && !m.used[label] {
		return true // no lane reaches the end
	}
	m.params(label, types)
	return false
}

// loop makes a loop of a few iterations. Its first parameter is the counter.
func (m *maker) loop() {
	types := []ir.Type{ir.I32, ir.I32, ir.I32}
	out := m.b.Block(ir.I32)
	m.labels = append(m.labels, target{out, types[:1], false})
	label := m.b.Loop(m.b.I32(0), m.int(), m.int())
	count := m.b.Param(label, 0)
	m.ints = append(m.ints, m.b.Param(label, 1), m.b.Param(label, 2))
	m.depth += 2
	m.b.If(m.b.Cmp(ir.ULe, m.b.I32(uint32(1+m.r.Intn(6))), count))
	m.b.Br(out, m.int())
	m.b.End()
	m.labels = append(m.labels, target{label, types, true})
	if !m.body() {
		if m.r.Intn(3) == 0 { // exchange the parameters
			m.b.Br(label, m.b.Op(ir.Add, ir.I32, count, m.b.I32(1)), m.b.Param(label, 2), m.b.Param(label, 1))
		} else {
			m.b.Br(label, m.b.Op(ir.Add, ir.I32, count, m.b.I32(1)), m.int(), m.int())
		}
	}
	m.depth -= 2
	m.labels = m.labels[:len(m.labels)-2]
	m.b.End()
	m.ints = m.ints[:len(m.ints)-2]
	m.b.End()
	m.params(out, types[:1])
}

// counted makes a loop in the form that compilers emit for a "for" statement: the
// continue target is a block, and a sum is read after the loop.
func (m *maker) counted() {
	merge := m.b.Block()
	label := m.b.Loop(m.b.I32(0), m.int())
	i, sum := m.b.Param(label, 0), m.b.Param(label, 1)
	ints := len(m.ints)
	m.ints = append(m.ints, i, sum)
	m.depth += 3
	next := m.b.Block()
	m.b.If(m.b.Cmp(ir.SLt, i, m.b.I32(uint32(m.r.Intn(5)))))
	m.labels = append(m.labels, target{next, nil, false})
	if m.r.Intn(4) == 0 {
		m.labels = append(m.labels, target{merge, nil, false})
	}
	labels := len(m.labels)
	left := m.body()
	m.labels = m.labels[:labels]
	for m.labels[len(m.labels)-1].label != next {
		m.labels = m.labels[:len(m.labels)-1]
	}
	m.labels = m.labels[:len(m.labels)-1]
	m.b.Else()
	m.b.Br(merge)
	m.b.End()
	m.b.End()
	if !left || m.used[next] {
		m.b.Br(label, m.b.Op(ir.Add, ir.I32, i, m.b.I32(1)), m.b.Op(ir.Xor, ir.I32, m.b.Op(ir.Mul, ir.I32, sum, m.b.I32(5)), i))
	}
	m.depth -= 3
	m.b.End()
	m.b.End()
	m.ints = append(m.ints[:ints], sum)
}

// ternary makes a selection between cheap values.
func (m *maker) ternary() {
	label := m.b.Block(ir.I32, ir.F32)
	ints := len(m.ints)
	for range 1 + m.r.Intn(2) {
		m.b.If(m.bool())
		for range m.r.Intn(3) {
			m.ints = append(m.ints, m.b.Op([]ir.Op{ir.Add, ir.Xor, ir.UDiv}[m.r.Intn(3)], ir.I32, m.int(), m.int()))
		}
		m.b.Br(label, m.int(), m.float())
		m.ints = m.ints[:ints]
		m.b.End()
	}
	m.ints = append(m.ints, m.b.Op(ir.Sub, ir.I32, m.int(), m.int()))
	m.b.Br(label, m.int(), m.float())
	m.ints = m.ints[:ints]
	m.b.End()
	m.params(label, []ir.Type{ir.I32, ir.F32})
}

func (m *maker) params(label ir.V, types []ir.Type) {
	for i := range types {
		m.note(m.b.Param(label, i))
	}
}

func (m *maker) call() {
	slot := func() ir.V {
		k := m.r.Intn(8)
		switch {
		case !m.pointers || k == 0 && m.r.Intn(4) == 0:
			return m.b.I32(0)
		case k < 4 && m.fn > 0: // pass an argument on
			return m.b.Func.Args[2+k%2]
		case k < 2:
			return m.b.OpAux(ir.At, ir.I32, 1, m.b.OpAux(ir.PAddr, ir.I32, 1), m.b.I32(uint32(m.r.Intn(4))))
		}
		return m.b.OpAux(ir.PAddr, ir.I32, uint64(2+m.fn))
	}
	for _, v := range m.b.Call(m.fn+1+m.r.Intn(2-m.fn), []ir.Type{ir.I32, ir.F32}, m.int(), m.bool(), slot(), slot()) {
		m.note(v)
	}
}

// pointer accesses a variable through an argument.
func (m *maker) pointer() {
	slot := m.b.Func.Args[2+m.r.Intn(2)]
	if k := m.r.Intn(4); k < 3 {
		slot = m.b.OpAux(ir.At, ir.I32, 1, slot, m.b.I32(uint32(k)))
	}
	if m.r.Intn(3) == 0 {
		m.b.Op(ir.PStI, ir.I32, slot, m.int())
	} else {
		m.note(m.b.Op(ir.PLdI, ir.I32, slot))
	}
}

// leave makes a branch, a switch or, rarely, a kill.
func (m *maker) leave() bool {
	switch m.r.Intn(4) {
	case 0:
		var plain []ir.V
		for _, s := range m.labels {
			if len(s.types) == 0 {
				plain = append(plain, s.label)
			}
		}
		if len(plain) == 0 {
			return false
		}
		to := [3]ir.V{pick(m.r, plain), pick(m.r, plain), pick(m.r, plain)}
		for _, l := range to {
			m.used[l] = true
		}
		m.b.Switch(m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(3)), to[0], []ir.Case{{Value: 0, Label: to[1]}, {Value: 2, Label: to[2]}})
	case 1:
		if m.side != nil || m.r.Intn(4) > 0 {
			return false
		}
		m.b.Op(ir.Kill, ir.None)
	default:
		m.br(m.r.Intn(len(m.labels)))
	}
	return true
}

// br branches to an open label. A branch to a loop increases its counter.
func (m *maker) br(n int) {
	s := m.labels[n]
	var args []ir.V
	for i, t := range s.types {
		if s.loop && i == 0 {
			args = append(args, m.b.Op(ir.Add, ir.I32, m.b.Param(s.label, 0), m.b.I32(1)))
			continue
		}
		args = append(args, m.of(t))
	}
	m.used[s.label] = true
	m.b.Br(s.label, args...)
}
