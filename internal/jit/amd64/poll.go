package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/target"

// poll jumps to away if the polled word has changed. It clobbers RAX.
func (m *machine) poll(away Label) { m.EmitPoll(away) }

// EmitPoll emits a jump to away, taken if the polled word has changed. It clobbers RAX.
func (a *Asm) EmitPoll(away Label) {
	a.GRM(MOV|W, RAX, At(R15, target.OffPoll))
	a.GRM(MOV, RAX, At(RAX, 0))
	a.GRM(CMP, RAX, At(R15, target.OffPollExpected))
	a.Jcc(NotEqual, away)
}

// ProbeCode returns the code for ProbePreemption. It exits as Polled if requested within some tenths
// of a second, else as Finished.
func (Target) ProbeCode() []byte {
	var a Asm
	again, asked := a.NewLabel(), a.NewLabel()
	a.MovI(RCX, 1<<27)
	a.Bind(again)
	a.EmitPoll(asked)
	a.GI(SubI, true, RCX, 1)
	a.Jcc(NotEqual, again)
	a.EmitExit(target.Finished)
	a.Bind(asked)
	a.EmitExit(target.Polled)
	a.EmitExit(target.Finished)
	return a.Finish()
}

// pollBetweenGroups exits as Polled at label asked, where no register is live, and resumes with the
// workgroup.
func (m *machine) pollBetweenGroups(asked, group Label) {
	m.Bind(asked)
	m.MovMI(true, At(R15, target.OffService), -1) // NoSite
	m.EmitExit(target.Polled)
	m.GRM(MOV|W, R13, arg(target.ArgHandles))
	m.GRM(MOV|W, R12, arg(target.ArgShared))
	m.Jmp(group)
}

// yielding are the general registers that the yield stub saves: all but RSP and R15, which the exit
// preserves, and RAX.
var yielding = [...]Reg{RCX, RDX, RBX, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14}

// vectorBytes is the stack size in bytes of all saved vectors and masks.
const vectorBytes = 32*64 + 8*8

// yieldBytes is the stack size in bytes of the yield stub.
const yieldBytes = vectorBytes + 8*(int64(len(yielding))+2)

// yieldStub exits as Polled for the site in EAX and preserves all registers. It is rare, so that a
// safepoint saves everything here instead of making the allocator spill around each loop.
func (m *machine) yieldStub() {
	m.Bind(m.yield)
	m.GRM(MOV_ST|W, RAX, At(R15, target.OffService))
	m.GRM(LEA|W, RAX, At(RSP, 8)) // the frame of the caller
	m.GRM(MOV_ST|W, RAX, At(R15, target.OffFrame))
	for _, r := range yielding {
		m.Push(r)
	}
	m.GI(SubI, true, RSP, vectorBytes)
	m.saveVectors(true)
	m.EmitExit(target.Polled)
	m.saveVectors(false)
	m.GI(AddI, true, RSP, vectorBytes)
	for i := len(yielding) - 1; i >= 0; i-- {
		m.Pop(yielding[i])
	}
	m.Ret()
}

// saveVectors stores all vectors and masks at [RSP], or loads them from there.
func (m *machine) saveVectors(store bool) {
	if m.level == target.AVX2 {
		op := AVX_VMOVUPS
		if store {
			op = AVX_VMOVUPS_ST
		}
		for r := range Reg(16) {
			m.RM(op, V256, r, 0, At(RSP, 32*int32(r)), 0)
		}
		return
	}
	vec, mask := VMOVDQU32, KMOVQ
	if store {
		vec, mask = VMOVDQU32_ST, KMOVQ_ST
	}
	for r := range Reg(32) {
		m.RM(vec, V512, r, 0, At(RSP, 64*int32(r)), 0)
	}
	for r := range Reg(8) {
		m.RM(mask, V128, r, 0, At(RSP, 32*64+8*int32(r)), 0)
	}
}
