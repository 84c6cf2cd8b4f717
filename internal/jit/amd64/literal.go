package amd64

// literal is a constant in the data after the code, of 64 bits if wide.
type literal struct {
	bits uint64
	wide bool
}

// literals are the constants of a program, in the order of their first use, so that the output is
// deterministic.
type literals struct {
	labels   map[literal]Label
	order    []literal
	vectors  map[[16]uint32]Label
	lists    [][16]uint32 // the vectors in the order of first use
	vectors8 map[[8]uint32]Label
	lists8   [][8]uint32 // the octets in the order of first use
	iota     Label       // the numbers 0 to 15, 32 bits each
}

// literal returns the memory of a constant, one for all its uses in the program.
func (m *machine) literal(x literal) Mem {
	l, ok := m.literals.labels[x]
	if !ok {
		l = m.NewLabel()
		m.literals.labels[x] = l
		m.literals.order = append(m.literals.order, x)
	}
	return Relative(l)
}

// word32 returns a 32-bit constant in memory, for an embedded broadcast.
func (m *machine) word32(v uint32) Mem { return m.literal(literal{uint64(v), false}) }

// word64 returns a 64-bit constant in memory, for an embedded broadcast.
func (m *machine) word64(v uint64) Mem { return m.literal(literal{v, true}) }

// iota16 returns the numbers 0 to 15 in memory, 32 bits each.
func (m *machine) iota16() Mem {
	if m.literals.iota == 0 {
		m.literals.iota = m.NewLabel()
	}
	return Relative(m.literals.iota)
}

// vector returns a vector of sixteen 32-bit constants in memory.
func (m *machine) vector(v [16]uint32) Mem {
	l, ok := m.literals.vectors[v]
	if !ok {
		l = m.NewLabel()
		if m.literals.vectors == nil {
			m.literals.vectors = map[[16]uint32]Label{}
		}
		m.literals.vectors[v] = l
		m.literals.lists = append(m.literals.lists, v)
	}
	return Relative(l)
}

// vector8 returns a vector of eight 32-bit constants in memory.
func (m *machine) vector8(v [8]uint32) Mem {
	l, ok := m.literals.vectors8[v]
	if !ok {
		l = m.NewLabel()
		if m.literals.vectors8 == nil {
			m.literals.vectors8 = map[[8]uint32]Label{}
		}
		m.literals.vectors8[v] = l
		m.literals.lists8 = append(m.literals.lists8, v)
	}
	return Relative(l)
}

// sequence returns the vector first + step·lane in memory.
func (m *machine) sequence(first, step uint32) Mem {
	var v [16]uint32
	for lane := range v {
		v[lane] = first + step*uint32(lane)
	}
	return m.vector(v)
}

// emitLiterals emits all constants after the code: vectors first, which the alignment of 64 bytes then serves, so that no load of one
// crosses a cache line.
func (m *machine) emitLiterals() {
	m.Align(64)
	for _, v := range m.literals.lists {
		m.Bind(m.literals.vectors[v])
		for _, x := range v {
			m.Data32(x)
		}
	}
	for _, v := range m.literals.lists8 {
		m.Bind(m.literals.vectors8[v])
		for _, x := range v {
			m.Data32(x)
		}
	}
	if m.literals.iota != 0 {
		m.Bind(m.literals.iota)
		for i := range uint32(16) {
			m.Data32(i)
		}
	}
	for _, wide := range []bool{true, false} {
		for _, x := range m.literals.order {
			if x.wide != wide {
				continue
			}
			m.Bind(m.literals.labels[x])
			if wide {
				m.Data64(x.bits)
			} else {
				m.Data32(uint32(x.bits))
			}
		}
	}
}
