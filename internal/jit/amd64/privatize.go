package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Where all that a program does to a resource is one kind of atomic whose results
// nobody reads, a worker may do it to memory of its own, which needs no lock, and
// what it gathered there be added to the resource, or whatever the atomic does,
// when the worker is done.

// TalliesOf returns for each resource the atomic of 32 bits that is all that a
// program does to it, ir.Bad where there is none or its result is read. There is
// none at all where others may know when it is done: where there is what orders
// accesses for others, or may be watched by them.
func PrivatizableAtomics(p *ir.Program) []ir.Op {
	const other = ir.Exit // which is no access
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
			if x.Op == ir.Exit || x.Op == ir.Region || x.Flags&(ir.Volatile|ir.Coherent) != 0 {
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

// Neutral returns the operand with which an atomic of 32 bits changes nothing.
// It returns false for atomics whose order may be told by what they leave.
func NeutralOperand(op ir.Op) (uint32, bool) {
	by := op.Combines()
	if !by.Is(ir.Commute) {
		return 0, false
	}
	return uint32(ir.Identity(by, ir.I32)), true
}

// alone makes the code of an atomic twice where the worker may have what it works
// on for itself, which the handle says.
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

// tallied reports whether a handle is that of a resource that TalliesOf names.
func (m *machine) isPrivatizable(handle int) bool {
	for r, op := range m.privatizable {
		first := m.layout.Resources[r]
		if op != ir.Bad && first <= handle && handle < first+m.layout.Counts[r] {
			return true
		}
	}
	return false
}
