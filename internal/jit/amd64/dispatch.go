package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// dispatcher emits the entry point, which runs ArgCount workgroups from ArgGroup on, and the stubs
// that all functions call.
//
//	entry ─▶ group: poll ─▶ clear workgroup memory ─▶ subgroups ─▶ next group ─┐
//	           ▲                                                              │
//	           └──────────────────────────────────────────────────────────────┘
//	                                         after ArgCount groups: exit Finished
//
// A batch of workgroups runs without a return to Go, since an exit and a reentry take longer than a
// small workgroup.
func (m *machine) dispatcher() {
	m.service, m.barrier, m.yield = m.NewLabel(), m.NewLabel(), m.NewLabel()
	group, asked := m.NewLabel(), m.NewLabel()
	m.GRM(MOV|W, R13, arg(target.ArgHandles))
	m.GRM(MOV|W, R12, arg(target.ArgShared))
	m.GRM(MOV_ST|W, RSP, arg(target.ArgBaseStack))
	if !m.facts.HasBarriers {
		m.GI(SubI, true, RSP, m.outgoing())
	}
	m.Bind(group)
	m.poll(asked)
	if n := m.prog.SharedBytes; n > 0 && m.facts.UsesShared {
		m.GRM(MOV|W, RDI, arg(target.ArgShared))
		m.set.clear(RDI, 0, int(n+63)&^63)
	}
	if m.facts.HasBarriers {
		m.runInterleaved()
	} else {
		m.runInOrder()
	}
	m.nextGroup(group)
	m.storeFence()
	m.EmitExit(target.Finished)

	m.pollBetweenGroups(asked, group)
	m.yieldStub()
	m.serviceStub()
}

// outgoing returns the size in bytes of the argument area of Funcs[0], the entry function.
func (m *machine) outgoing() int32 { return (m.frames[0].outgoing + 63) &^ 63 }

// runInOrder runs the subgroups one after the other on one stack. There are no barriers.
func (m *machine) runInOrder() {
	m.GRM(MOV|W, RBX, arg(target.ArgSubgroups))
	m.GRM(MOV|W, R14, At(RBX, target.SubgroupRecord))
	m.GRM(MOV_ST|W, RBX, arg(target.ArgCurrent))
	next := m.NewLabel()
	m.Bind(next)
	m.subgroup()
	if m.prog.Subgroups() == 1 {
		return
	}
	m.GRM(MOV|W, RBX, arg(target.ArgCurrent))
	m.GI(AddI, true, RBX, target.SubgroupBytes)
	m.GRM(MOV_ST|W, RBX, arg(target.ArgCurrent))
	m.GI(AddI, true, R14, m.record.Size)
	m.GRM(CMP|W, RBX, arg(target.ArgSubgroupsEnd))
	m.Jcc(NotEqual, next)
}

// runInterleaved runs subgroups that synchronize at barriers. Each has a stack of its own, and a
// barrier switches to the next subgroup: cooperative threads, as pocl's fallback for kernels with
// barriers that it cannot turn into loops. The return address on a waiting stack is the resume point.
func (m *machine) runInterleaved() {
	start, next, ended := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.beginGroup(start)
	m.resumeSubgroup()
	m.Bind(start)
	m.GI(SubI, true, RSP, m.outgoing())
	m.subgroup()
	m.GI(AddI, true, RSP, m.outgoing())
	m.GRM(MOV|W, RBX, arg(target.ArgCurrent))
	m.MovMI(true, At(RBX, 0), 0)
	m.GMI(SubI, true, arg(target.ArgLive), 1)
	m.Jcc(Equal, ended)
	m.Jmp(next)

	m.Bind(m.barrier)
	m.Push(R14)
	m.GRM(MOV|W, RBX, arg(target.ArgCurrent))
	m.GRM(MOV_ST|W, RSP, At(RBX, 0))
	m.Bind(next)
	m.nextSubgroup()
	m.resumeSubgroup()

	m.Bind(ended)
	m.GRM(MOV|W, RSP, arg(target.ArgBaseStack))
}

// beginGroup prepares the stack of every subgroup so that it begins at start.
func (m *machine) beginGroup(start Label) {
	n := m.prog.Subgroups()
	m.GRM(LEA|W, RAX, Relative(start))
	m.GRM(MOV|W, RBX, arg(target.ArgSubgroups))
	m.MovI(RCX, uint64(n))
	each := m.NewLabel()
	m.Bind(each)
	m.GRM(MOV|W, RDX, At(RBX, target.SubgroupStart))
	m.GRM(MOV_ST|W, RAX, At(RDX, -8))
	m.GRM(MOV|W, RSI, At(RBX, target.SubgroupRecord))
	m.GRM(MOV_ST|W, RSI, At(RDX, -16))
	m.GI(SubI, true, RDX, 16)
	m.GRM(MOV_ST|W, RDX, At(RBX, 0))
	m.GI(AddI, true, RBX, target.SubgroupBytes)
	m.GI(SubI, true, RCX, 1)
	m.Jcc(NotEqual, each)
	m.GRM(MOV|W, RBX, arg(target.ArgSubgroups))
	m.GRM(MOV_ST|W, RBX, arg(target.ArgCurrent))
	m.MovMI(true, arg(target.ArgLive), int32(n))
}

// resumeSubgroup continues the subgroup in RBX. Its stack holds its record and the resume address.
func (m *machine) resumeSubgroup() {
	m.GRM(MOV|W, RSP, At(RBX, 0))
	m.Pop(R14)
	m.Ret()
}

// nextSubgroup advances RBX, the current subgroup, round robin to the next one that has not ended.
func (m *machine) nextSubgroup() {
	again := m.NewLabel()
	m.Bind(again)
	m.GI(AddI, true, RBX, target.SubgroupBytes)
	m.GRM(CMP|W, RBX, arg(target.ArgSubgroupsEnd))
	m.GRM(CMOVE|W, RBX, arg(target.ArgSubgroups))
	m.GMI(CmpI, true, At(RBX, 0), 0)
	m.Jcc(Equal, again)
	m.GRM(MOV_ST|W, RBX, arg(target.ArgCurrent))
}

// subgroup runs Funcs[0] for the subgroup with the record in R14. Its private memory starts as zeros, where it matters.
func (m *machine) subgroup() {
	for _, r := range codegen.ClearedBytes(m.prog, int64(m.record.Private), 4*int64(m.record.Lanes)) {
		m.GRR(MOV|W, RDI, R14)
		m.set.clear(RDI, int32(r[0]), int(r[1]-r[0]))
	}
	if m.facts.Demotes {
		m.GRR(MOV|W, RDI, R14)
		m.set.clear(RDI, m.record.Helpers, int(m.record.Scratch-m.record.Helpers))
	}
	if slices.Contains(m.facts.Steps[:], true) {
		m.GRM(MOV|W, RAX, arg(target.ArgBudget))
	}
	for part, steps := range m.facts.Steps {
		if steps {
			m.GRM(MOV_ST|W, RAX, At(R14, m.record.Steps+8*int32(part)))
		}
	}
	if codegen.ReadsMaskArgs(m.funcs, 0) {
		for p := range m.funcs[0].Args { // the active lanes of each part
			m.set.initial(At(RSP, m.frames[0].args[p]), p)
		}
	}
	m.Call(m.entries[0])
}

// nextGroup advances to the next workgroup and jumps to group, unless this was the last one. x is the
// fastest coordinate.
func (m *machine) nextGroup(group Label) {
	m.GMI(SubI, true, arg(target.ArgCount), 1)
	finished, again := m.NewLabel(), m.NewLabel()
	m.Jcc(Equal, finished)
	for i := range 3 {
		m.GRM(MOV, RAX, arg(target.ArgGroup+i))
		m.GI(AddI, false, RAX, 1)
		m.GRM(MOV_ST, RAX, arg(target.ArgGroup+i))
		m.GRM(CMP, RAX, arg(target.ArgGroupEnd+i))
		m.Jcc(NotEqual, again)
		m.GRM(MOV, RAX, arg(target.ArgGroupBase+i))
		m.GRM(MOV_ST, RAX, arg(target.ArgGroup+i))
	}
	m.Bind(again)
	m.Jmp(group)
	m.Bind(finished)
}

// serviceStub exits to Go for the site in EAX. RSP and R12 to R14 are preserved.
func (m *machine) serviceStub() {
	m.Bind(m.service)
	m.GRM(MOV_ST|W, RAX, At(R15, target.OffService))
	m.GRM(LEA|W, RAX, At(RSP, 8)) // the frame of the caller
	m.GRM(MOV_ST|W, RAX, At(R15, target.OffFrame))
	m.Push(R14)
	m.EmitExit(target.Called)
	m.Pop(R14)
	m.GRM(MOV|W, R13, arg(target.ArgHandles))
	m.GRM(MOV|W, R12, arg(target.ArgShared))
	m.Ret()
}
