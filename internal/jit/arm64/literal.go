package arm64

// literals are the constants of a program, vectors of four words, in the order of their first use, so that the output is deterministic.
type literals struct {
	labels map[[4]uint32]Label
	order  [][4]uint32
}

// maxNear is the greatest length in bytes of code in which all conditional jumps and literals are in reach, of 2²⁰ bytes.
const maxNear = 1<<20 - 1<<12

// literal loads a constant vector. In long code it is made of two general registers.
func (m *machine) literal(v Reg, k [4]uint32) {
	if m.holds(v, k) {
		return
	}
	defer m.remember(v, k)
	if m.far {
		for i := range uint8(2) {
			m.MovI(scratch, uint64(k[2*i])|uint64(k[2*i+1])<<32)
			m.VE(VINSX, D1, v, scratch, i)
		}
		return
	}
	l, ok := m.literals.labels[k]
	if !ok {
		l = m.NewLabel()
		m.literals.labels[k] = l
		m.literals.order = append(m.literals.order, k)
	}
	m.LoadLiteral(v, l)
}

func (m *machine) emitLiterals() {
	for _, k := range m.literals.order {
		m.Bind(m.literals.labels[k])
		for _, w := range k {
			m.Data32(w)
		}
	}
}
