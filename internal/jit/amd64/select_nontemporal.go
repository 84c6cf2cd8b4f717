package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Nontemporal stores bypass the cache, which saves reading the lines that they overwrite completely
// (Intel optimization manual, 248966). They are weakly ordered, so a program uses none
// if others may observe the order of its effects while it runs.

// streamable reports whether the stores of an instruction may be nontemporal: whole vectors to a
// resource that is not read. Reads of the resource would miss in the cache after such stores, and
// nontemporal stores of incomplete lines are slower than cached ones.
func (m *machine) streamable(in *vcode.Inst) bool {
	h, ok := m.f.Const(in.Uses[0])
	if !ok {
		return false
	}
	for r, unread := range m.writeOnly {
		first := m.layout.Resources[r]
		if n := int(h / target.HandleBytes); !unread || n < first || n >= first+m.layout.Counts[r] {
			continue
		}
		return !slices.ContainsFunc(in.Masks, func(k vcode.Reg) bool {
			all, ok := m.f.Const(k)
			return !ok || all == 0 || m.facts.Demotes
		})
	}
	return false
}

// storeParts stores the vectors of a strided access: nontemporally if the handle's policy permits it
// and the address is aligned to a cache line. It clobbers RAX.
//
// The low six bits of the policy are 0 if it permits nontemporal stores, and 1 otherwise, as of an
// unaligned address:
//
//	lea  rax, [address]
//	or   eax, [handle + policy]
//	and  eax, 63
//	jne  usual
func (m *machine) storeParts(in *vcode.Inst, at Mem) {
	store := func(op Op) {
		for part := range in.Masks {
			one := partOf(in, part)
			m.RM(op, V512, m.vec(one.Uses[4], 0), 0, plusVectors(at, int32(part)), m.storeOpt(&one))
		}
	}
	if !m.streamable(in) {
		store(VMOVDQU32_ST)
		return
	}
	usual, done := m.NewLabel(), m.NewLabel()
	h, _ := m.f.Const(in.Uses[0])
	m.GRM(LEA|W, RAX, at)
	m.GRM(OR, RAX, At(R13, int32(h)+target.HandlePolicy))
	m.GI(AndI, false, RAX, 63)
	m.Jcc(NotEqual, usual)
	store(VMOVNTPS_ST)
	m.Bind(done)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(usual)
		store(VMOVDQU32_ST)
		m.Jmp(done)
	})
}

// storeFence makes nontemporal stores visible before all later effects: sfence. It precedes the
// final exit: other threads may read the memory only after that.
func (m *machine) storeFence() {
	if slices.Contains(m.writeOnly, true) {
		m.Code = append(m.Code, 0x0f, 0xae, 0xf8)
	}
}
