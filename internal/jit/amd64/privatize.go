package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// atomicOrPrivate emits an atomic twice, with and without lock prefix, if the handle's policy decides
// at run time.
func (m *machine) atomicOrPrivate(in *vcode.Inst, do func(lock bool)) {
	h, ok := m.f.Const(in.Uses[0])
	if in.Op == vcode.AtomicLocal || !ok || !m.isPrivatizable(int(h/target.HandleBytes)) {
		do(in.Op == vcode.Atomic)
		return
	}
	locked, done := m.NewLabel(), m.NewLabel()
	m.GMI(CmpI, false, At(R13, int32(h)+target.HandlePolicy), target.HandlePrivate)
	m.Jcc(NotEqual, locked)
	do(false)
	m.Bind(done)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(locked)
		do(true)
		m.Jmp(done)
	})
}

// isPrivatizable reports whether a handle belongs to a resource of PrivatizableAtomics.
func (m *machine) isPrivatizable(handle int) bool {
	for r, t := range m.privatizable {
		first := m.layout.Resources[r]
		if t != (target.Tally{}) && first <= handle && handle < first+m.layout.Counts[r] {
			return true
		}
	}
	return false
}
