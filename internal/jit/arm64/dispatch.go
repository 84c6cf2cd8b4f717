package arm64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// dispatcher emits the entry point, which runs ArgCount workgroups from ArgGroup on, and the stubs that all functions call. A batch of
// workgroups runs without a return to Go.
func (m *machine) dispatcher() {
	m.service, m.barrier, m.yield = m.NewLabel(), m.NewLabel(), m.NewLabel()
	group, asked := m.NewLabel(), m.NewLabel()
	m.reloadArgs()
	m.RI(ADDI|W, X0, SP, 0)
	m.storeX(X0, ctxArg(target.ArgBaseStack))
	if !m.facts.HasBarriers {
		m.plus(SP, SP, -int64(m.outgoing()))
	}
	m.Bind(group)
	m.EmitPoll(asked)
	if n := m.prog.SharedBytes; n > 0 && m.facts.UsesShared {
		m.clear(shared, 0, int64(n+63)&^63)
	}
	if m.facts.HasBarriers {
		m.runInterleaved()
	} else {
		m.runInOrder()
	}
	m.nextGroup(group)
	m.EmitExit(target.Finished)

	m.Bind(asked) // between two workgroups, where no register is live
	m.MovI(X0, target.NoSite)
	m.storeX(X0, At(ctx, target.OffService))
	m.EmitExit(target.Polled)
	m.reloadArgs()
	m.B(group)
	m.yieldStub()
	m.serviceStub()
}

// reloadArgs loads the reserved registers that Go may change.
func (m *machine) reloadArgs() {
	m.loadX(handles, ctxArg(target.ArgHandles))
	m.loadX(shared, ctxArg(target.ArgShared))
}

// outgoing returns the size in bytes of the argument area of Funcs[0], the entry function.
func (m *machine) outgoing() int32 { return (m.frames[0].outgoing + 63) &^ 63 }

// runInOrder runs the subgroups one after the other on one stack. There are no barriers.
func (m *machine) runInOrder() {
	m.loadX(X3, ctxArg(target.ArgSubgroups))
	m.loadX(record, At(X3, target.SubgroupRecord))
	m.storeX(X3, ctxArg(target.ArgCurrent))
	next := m.NewLabel()
	m.Bind(next)
	m.subgroup()
	if m.prog.Subgroups() == 1 {
		return
	}
	m.loadX(X3, ctxArg(target.ArgCurrent))
	m.plus(X3, X3, target.SubgroupBytes)
	m.storeX(X3, ctxArg(target.ArgCurrent))
	m.plus(record, record, int64(m.record.Size))
	m.loadX(X0, ctxArg(target.ArgSubgroupsEnd))
	m.R(CMP|W, 0, X3, X0)
	m.BCond(NE, next)
}

// runInterleaved runs subgroups that synchronize at barriers. Each has a stack of its own, and a barrier switches to the next subgroup:
// cooperative threads. A waiting stack has the resume address and the record on top.
func (m *machine) runInterleaved() {
	start, next, ended := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.beginGroup(start)
	m.resumeSubgroup()
	m.Bind(start)
	m.plus(SP, SP, -int64(m.outgoing()))
	m.subgroup()
	m.plus(SP, SP, int64(m.outgoing()))
	m.loadX(X3, ctxArg(target.ArgCurrent))
	m.storeX(ZR, At(X3, 0))
	m.loadX(X0, ctxArg(target.ArgLive))
	m.RI(SUBSI|W, X0, X0, 1)
	m.storeX(X0, ctxArg(target.ArgLive))
	m.BCond(EQ, ended)
	m.B(next)

	m.Bind(m.barrier)
	m.loadX(X3, ctxArg(target.ArgCurrent))
	m.plus(SP, SP, -waitingBytes)
	m.emit(Insn{Op: STPX, D: record, A: LR, N: SP})
	m.RI(ADDI|W, X0, SP, 0)
	m.storeX(X0, At(X3, 0))
	m.Bind(next)
	m.nextSubgroup()
	m.resumeSubgroup()

	m.Bind(ended)
	m.loadX(X0, ctxArg(target.ArgBaseStack))
	m.RI(ADDI|W, SP, X0, 0)
}

// waitingBytes is the stack size of a waiting subgroup: its record and its resume address.
const waitingBytes = 16

// beginGroup prepares the stack of every subgroup so that it begins at start.
func (m *machine) beginGroup(start Label) {
	n := m.prog.Subgroups()
	m.Adr(X0, start)
	m.loadX(X3, ctxArg(target.ArgSubgroups))
	m.MovI(X1, uint64(n))
	each := m.NewLabel()
	m.Bind(each)
	m.loadX(X4, At(X3, target.SubgroupStart))
	m.loadX(X5, At(X3, target.SubgroupRecord))
	m.plus(X4, X4, -waitingBytes)
	m.emit(Insn{Op: STPX, D: X5, A: X0, N: X4})
	m.storeX(X4, At(X3, 0))
	m.plus(X3, X3, target.SubgroupBytes)
	m.RI(SUBSI|W, X1, X1, 1)
	m.BCond(NE, each)
	m.loadX(X3, ctxArg(target.ArgSubgroups))
	m.storeX(X3, ctxArg(target.ArgCurrent))
	m.MovI(X0, uint64(n))
	m.storeX(X0, ctxArg(target.ArgLive))
}

// resumeSubgroup continues the subgroup of the entry in X3.
func (m *machine) resumeSubgroup() {
	m.loadX(X0, At(X3, 0))
	m.emit(Insn{Op: LDPX, D: record, A: LR, N: X0})
	m.RI(ADDI|W, SP, X0, waitingBytes)
	m.emit(Insn{Op: RET})
}

// nextSubgroup advances X3, the current subgroup, round robin to the next one that has not ended.
func (m *machine) nextSubgroup() {
	again := m.NewLabel()
	m.loadX(X1, ctxArg(target.ArgSubgroupsEnd))
	m.loadX(X2, ctxArg(target.ArgSubgroups))
	m.Bind(again)
	m.plus(X3, X3, target.SubgroupBytes)
	m.R(CMP|W, 0, X3, X1)
	m.Select(CSEL|W, X3, X2, X3, EQ)
	m.loadX(X0, At(X3, 0))
	m.BZero(CBZ|W, X0, again)
	m.storeX(X3, ctxArg(target.ArgCurrent))
}

// subgroup runs Funcs[0] for the current record. Its private memory starts as zeros, where it matters.
func (m *machine) subgroup() {
	for _, r := range codegen.ClearedBytes(m.prog, int64(m.record.Private), 4*int64(m.record.Lanes)) {
		m.clear(record, r[0], r[1]-r[0])
	}
	if m.facts.Demotes {
		m.clear(record, int64(m.record.Helpers), int64(m.record.Scratch-m.record.Helpers))
	}
	if slices.Contains(m.facts.Steps[:], true) {
		m.loadX(X0, ctxArg(target.ArgBudget))
	}
	for part, steps := range m.facts.Steps {
		if steps {
			m.storeX(X0, m.stepsOf(uint8(part)))
		}
	}
	if codegen.ReadsMaskArgs(m.funcs, 0) {
		for p := range m.funcs[0].Args { // the active lanes of each part
			m.expand(0, At(record, int64(target.RecordInitial+8*p)))
			m.store(0, At(SP, int64(m.frames[0].args[p])))
		}
	}
	m.BL(m.entries[0])
}

// expand sets v to the mask of four bits in memory: lane i is all ones if bit i is set. It clobbers V1 and X0.
func (m *machine) expand(v Reg, at Mem) {
	m.literal(1, quadBits)
	m.loadW(X0, at)
	m.splat(v, X0)
	m.s4(VCMTST, v, v, 1)
}

// nextGroup advances to the next workgroup and jumps to group, unless this was the last one. x is the fastest coordinate.
func (m *machine) nextGroup(group Label) {
	finished, again := m.NewLabel(), m.NewLabel()
	m.loadX(X0, ctxArg(target.ArgCount))
	m.RI(SUBSI|W, X0, X0, 1)
	m.storeX(X0, ctxArg(target.ArgCount))
	m.BCond(EQ, finished)
	for i := range 3 {
		m.loadW(X0, ctxArg(target.ArgGroup+i))
		m.RI(ADDI, X0, X0, 1)
		m.storeW(X0, ctxArg(target.ArgGroup+i))
		m.loadW(X1, ctxArg(target.ArgGroupEnd+i))
		m.R(CMP, 0, X0, X1)
		m.BCond(NE, again)
		m.loadW(X0, ctxArg(target.ArgGroupBase+i))
		m.storeW(X0, ctxArg(target.ArgGroup+i))
	}
	m.Bind(again)
	m.B(group)
	m.Bind(finished)
}

// clear zeros n bytes, a multiple of 64, from base + off on. It clobbers V0, X0 and X1.
func (m *machine) clear(base Reg, off, n int64) {
	const unrolled = 8
	m.zero(0)
	m.addI(X0, base, uint64(off))
	line := func(off int64) {
		m.emit(Insn{Op: STPQ, N: X0, Imm: off})
		m.emit(Insn{Op: STPQ, N: X0, Imm: off + 32})
	}
	if n/64 <= unrolled {
		for i := range n / 64 {
			line(64 * i)
		}
		return
	}
	m.MovI(X1, uint64(n/64))
	again := m.NewLabel()
	m.Bind(again)
	line(0)
	m.RI(ADDI|W, X0, X0, 64)
	m.RI(SUBSI|W, X1, X1, 1)
	m.BCond(NE, again)
}

// EmitExit emits an exit to Go with the given status. Code that exits as Called or Polled resumes after the exit, with only the stack
// pointer and the Context preserved.
func (a *Asm) EmitExit(s target.Status) {
	resume := a.NewLabel()
	if s == target.Called || s == target.Polled {
		a.Adr(X0, resume)
		a.Access(STRX, X0, At(ctx, target.OffPC), address)
		a.RI(ADDI|W, X0, SP, 0)
		a.Access(STRX, X0, At(ctx, target.OffStack), address)
	}
	a.MovI(X0, uint64(s))
	a.Access(STRW, X0, At(ctx, target.OffStatus), address)
	a.Access(LDRX, X0, At(ctx, target.OffExitPC), address)
	a.R(BR, 0, X0, 0)
	a.Bind(resume)
}

// EmitPoll emits a jump to away, taken if the polled word has changed. It clobbers X0 and X1.
func (a *Asm) EmitPoll(away Label) {
	a.Access(LDRX, X0, At(ctx, target.OffPoll), address)
	a.Access(LDRW, X0, At(X0, 0), address)
	a.Access(LDRW, X1, At(ctx, target.OffPollExpected), address)
	a.R(CMP, 0, X0, X1)
	a.BCond(NE, away)
}

// stubBytes is the stack size in bytes of the stubs.
const stubBytes = 32*vectorBytes + yieldGenerals*8 + waitingBytes

// yieldGenerals is the number of general registers that the yield stub saves, with the return address: an even number.
const yieldGenerals = 24

// yielding are these registers: all that code uses but the Context, SP, and X0, X16 and X17, which the caller does not need.
var yielding = [yieldGenerals]Reg{X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15, X20, X21, X22, X23, X24, X25, X26, X27, LR}

// siteExit stores the site in X0 and the caller's frame for an exit.
func (m *machine) siteExit() {
	m.storeX(X0, At(ctx, target.OffService))
	m.RI(ADDI|W, X0, SP, 0)
	m.storeX(X0, At(ctx, target.OffFrame))
}

// yieldStub exits as Polled for the site in X0 and preserves all registers. It is rare, so that a safepoint saves everything here instead
// of making the allocator spill around each loop.
func (m *machine) yieldStub() {
	m.Bind(m.yield)
	m.siteExit()
	m.plus(SP, SP, -(stubBytes - waitingBytes))
	each := func(vectors, general Op) {
		for i := Reg(0); i < 32; i += 2 {
			m.emit(Insn{Op: vectors, D: i, A: i + 1, N: SP, Imm: int64(i) * vectorBytes})
		}
		m.RI(ADDI|W, X0, SP, 32*vectorBytes)
		for i := 0; i < yieldGenerals; i += 2 {
			m.emit(Insn{Op: general, D: yielding[i], A: yielding[i+1], N: X0, Imm: int64(8 * i)})
		}
	}
	each(STPQ, STPX)
	m.EmitExit(target.Polled)
	each(LDPQ, LDPX)
	m.plus(SP, SP, stubBytes-waitingBytes)
	m.emit(Insn{Op: RET})
}

// serviceStub exits to Go for the site in X0. The reserved registers are preserved.
func (m *machine) serviceStub() {
	m.Bind(m.service)
	m.siteExit()
	m.plus(SP, SP, -waitingBytes)
	m.emit(Insn{Op: STPX, D: record, A: LR, N: SP})
	m.EmitExit(target.Called)
	m.emit(Insn{Op: LDPX, D: record, A: LR, N: SP})
	m.plus(SP, SP, waitingBytes)
	m.reloadArgs()
	m.emit(Insn{Op: RET})
}

// probeCode returns the code for trampoline.ProbePreemption. It exits as Polled if requested within some tenths of a second, else as
// Finished.
func probeCode() []byte {
	var a Asm
	again, asked := a.NewLabel(), a.NewLabel()
	a.MovI(X3, 1<<27)
	a.Bind(again)
	a.EmitPoll(asked)
	a.RI(SUBSI|W, X3, X3, 1)
	a.BCond(NE, again)
	a.EmitExit(target.Finished)
	a.Bind(asked)
	a.EmitExit(target.Polled)
	a.EmitExit(target.Finished)
	return a.Finish()
}
