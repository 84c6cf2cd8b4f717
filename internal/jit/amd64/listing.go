package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// mark attributes the following code to an instruction of a function, or to the function itself.
func (m *machine) mark(fn int, in *vcode.Inst) {
	m.marks = append(m.marks, target.MarkAt(len(m.Code), fn, in))
}

// slowPathOwner is the instruction that a slow path belongs to, the first of n that were emitted as one.
type slowPathOwner struct {
	in    *vcode.Inst
	at, n int // at is the number of the instruction in the function
}

// attribute records the owner of the new slow paths, and the scratch vectors of the code since the last call.
func (m *machine) attribute(o slowPathOwner) {
	for len(m.slowPathOwners) < len(m.slowPaths) {
		m.slowPathOwners = append(m.slowPathOwners, o)
	}
	m.noteScratch(o.at, o.n)
}
