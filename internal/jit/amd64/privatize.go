package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Reduction privatization: if a program accesses a resource by one kind of atomic only, with unused
// results, each worker may apply it to private memory, which needs no lock, and combine that with the
// resource at the end (Rauchwerger & Padua 1995, LRPD test).

// PrivatizableAtomics returns for each resource the 32-bit atomic that is its only access, or ir.Bad.
// It returns none at all if others may observe the order of effects: if an access is volatile or
// coherent, or the program can access memory by address.
func PrivatizableAtomics(p *ir.Program) []ir.Op {
	const other = ir.Ray // no atomic
	none := make([]ir.Op, len(p.Res))
	out := make([]ir.Op, len(p.Res))
	for r, x := range p.Res {
		if x.Kind != ir.StorageBuffer || x.NonWritable {
			out[r] = other
		}
	}
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Op == ir.Region || x.Flags&(ir.Volatile|ir.Coherent) != 0 {
				return none
			}
			if x.Op != ir.Ld && x.Op != ir.St && x.Op.Family() != ir.Atomics {
				continue
			}
			switch h := f.Val(x.Args[0]); h.Op {
			case ir.Push, ir.Table, ir.Wg:
			case ir.Res:
				op := &out[h.Aux]
				if _, tallies := NeutralOperand(x.Op); !tallies || x.Type != ir.I32 || x.Flags&ir.Unused == 0 || *op != ir.Bad && *op != x.Op {
					*op = other
					continue
				}
				*op = x.Op
			default:
				return none
			}
		}
	}
	for r := range out {
		if out[r] == other {
			out[r] = ir.Bad
		}
	}
	return out
}

// NeutralOperand returns the operand with which a 32-bit atomic changes nothing. It returns false for
// atomics that do not commute.
func NeutralOperand(op ir.Op) (uint32, bool) {
	by := op.Combines()
	if !by.Is(ir.Commute) {
		return 0, false
	}
	return uint32(ir.Identity(by, ir.I32)), true
}

// atomicOrPrivate emits an atomic twice, with and without lock prefix, if the handle's policy decides
// at run time.
func (m *machine) atomicOrPrivate(in *vcode.Inst, do func(lock bool)) {
	h, ok := m.f.Const(in.Uses[0])
	if in.Op == vcode.AtomicLocal || !ok || !m.isPrivatizable(int(h/HandleBytes)) {
		do(in.Op == vcode.Atomic)
		return
	}
	locked, done := m.NewLabel(), m.NewLabel()
	m.GMI(CmpI, false, At(R13, int32(h)+handlePolicy), HandlePrivate)
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
	for r, op := range m.privatizable {
		first := m.layout.Resources[r]
		if op != ir.Bad && first <= handle && handle < first+m.layout.Counts[r] {
			return true
		}
	}
	return false
}
