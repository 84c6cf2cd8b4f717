package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// class returns the class of a register of the function being made.
func (m *machine) class(r vcode.Reg) vcode.Class { return m.f.Classes[r] }

// loadVec loads a register of 32 bits a lane.
func (m *machine) loadVec(z Reg, r vcode.Reg) { m.RM(VMOVDQA32, V512, z, 0, m.slot(r), 0) }

// loadMask loads a mask.
func (m *machine) loadMask(k Reg, r vcode.Reg) { m.RM(KMOVW, V128, k, 0, m.slot(r), 0) }

// storeMask writes a whole mask.
func (m *machine) storeMask(r vcode.Reg, k Reg) { m.RM(KMOVW_ST, V128, k, 0, m.slot(r), 0) }

// execution loads the mask of an instruction into K1.
func (m *machine) execution(in *vcode.Inst) { m.loadMask(1, in.Masks[0]) }

// define writes z to the result for the lanes of K1.
func (m *machine) define(in *vcode.Inst, z Reg) {
	m.RM(VMOVDQA32_ST, V512, z, 0, m.slot(in.Defs[0]), K(1))
}

// defineMask writes k, which has no lane outside K1, to the result for the
// lanes of K1. It uses K7.
func (m *machine) defineMask(in *vcode.Inst, k Reg) {
	m.loadMask(7, in.Defs[0])
	m.RR(KANDNW, V128, 7, 1, 7, 0)
	m.RR(KORW, V128, 7, 7, k, 0)
	m.storeMask(in.Defs[0], 7)
}

// constant puts a constant into all lanes.
func (m *machine) constant(in *vcode.Inst) {
	d, bits := in.Defs[0], in.Key.Aux
	switch m.class(d) {
	case vcode.Mask:
		m.MovMI(true, m.slot(d), -int32(bits&1)&0xffff)
	case vcode.Vec:
		m.RM(VPBROADCASTD, V512, 0, 0, m.word32(uint32(bits)), 0)
		m.RM(VMOVDQA32_ST, V512, 0, 0, m.slot(d), 0)
	case vcode.Wide:
		m.RM(VPBROADCASTQ, V512, 0, 0, m.word64(bits), 0)
		m.RM(VMOVDQA64_ST, V512, 0, 0, m.slot(d), 0)
		m.RM(VMOVDQA64_ST, V512, 0, 0, upper(m.slot(d)), 0)
	}
}

// upper is the second half of a Wide register.
func upper(at Mem) Mem {
	at.Disp += 64
	return at
}

// copy copies a register, for the lanes of the mask where there is one.
func (m *machine) copy(in *vcode.Inst) {
	d, u := in.Defs[0], in.Uses[0]
	if len(in.Masks) == 0 {
		m.move(m.class(d), m.slot(d), m.slot(u))
		return
	}
	m.execution(in)
	switch m.class(d) {
	case vcode.Mask:
		m.loadMask(2, u)
		m.RR(KANDW, V128, 2, 1, 2, 0)
		m.defineMask(in, 2)
	case vcode.Vec:
		m.loadVec(0, u)
		m.define(in, 0)
	case vcode.Wide:
		m.copyWide(m.slot(d), m.slot(u), 1)
	}
}

// copyWide copies a Wide register for the lanes of k. It uses K7.
func (m *machine) copyWide(to, from Mem, k Reg) {
	m.RM(VMOVDQA64, V512, 0, 0, from, 0)
	m.RM(VMOVDQA64_ST, V512, 0, 0, to, K(k))
	m.RRI(KSHIFTRW, V128, 7, 0, k, 8, 0)
	m.RM(VMOVDQA64, V512, 0, 0, upper(from), 0)
	m.RM(VMOVDQA64_ST, V512, 0, 0, upper(to), K(7))
}

// move copies all lanes from memory to memory.
func (m *machine) move(c vcode.Class, to, from Mem) {
	switch c {
	case vcode.Mask:
		m.GRM(MOV|W, RAX, from)
		m.GRM(MOV_ST|W, RAX, to)
		return
	case vcode.Wide:
		m.RM(VMOVDQA64, V512, 0, 0, upper(from), 0)
		m.RM(VMOVDQA64_ST, V512, 0, 0, upper(to), 0)
	}
	m.RM(VMOVDQA64, V512, 0, 0, from, 0)
	m.RM(VMOVDQA64_ST, V512, 0, 0, to, 0)
}

// maskOp combines two masks, all lanes.
func (m *machine) maskOp(in *vcode.Inst) {
	m.loadMask(2, in.Uses[0])
	m.loadMask(3, in.Uses[1])
	switch in.Op {
	case vcode.And:
		m.RR(KANDW, V128, 2, 2, 3, 0)
	case vcode.AndNot:
		m.RR(KANDNW, V128, 2, 3, 2, 0)
	case vcode.Or:
		m.RR(KORW, V128, 2, 2, 3, 0)
	}
	m.storeMask(in.Defs[0], 2)
}

// testMasks sets the zero flag where no lane is in any of the masks.
func (m *machine) testMasks(masks []vcode.Reg) {
	m.GRM(MOVZXW, RAX, m.slot(masks[0]))
	for _, r := range masks[1:] {
		m.GRM(MOVZXW, RCX, m.slot(r))
		m.GRR(OR, RAX, RCX)
	}
	m.GRR(TEST, RAX, RAX)
}

// call passes arguments and results in the caller's frame, from its start on.
func (m *machine) call(in *vcode.Inst) {
	callee := m.funcs[in.Target]
	there := &m.frames[in.Target]
	for i, u := range in.Uses {
		m.move(callee.Args[i], At(RSP, there.args[i]), m.slot(u))
	}
	m.Call(m.entries[in.Target])
	for i, d := range in.Defs {
		m.move(callee.Results[i], m.slot(d), At(RSP, there.results[i]))
	}
}

// step leaves where the job was stopped, counts a step for each lane of the
// masks, and leaves where one of them has taken more than the budget.
func (m *machine) step(in *vcode.Inst) {
	m.pollStop()
	m.RM(VPBROADCASTD, V512, 1, 0, m.word32(1), 0)
	m.RR(KXORW, V128, 3, 3, 3, 0)
	for p, r := range in.Masks {
		steps := At(R14, m.record.Steps+int32(64*p))
		m.loadMask(1, r)
		m.RM(VPADDD, V512, 0, 1, steps, 0)
		m.RM(VMOVDQU32_ST, V512, 0, 0, steps, K(1))
		m.RMI(VPCMPUD, V512, 2, 0, arg(ArgBudget), compareGT, K(1)|BC)
		m.RR(KORW, V128, 3, 3, 2, 0)
	}
	within := m.NewLabel()
	m.RR(KORTESTW, V128, 3, 0, 3, 0)
	m.Jcc(Equal, within)
	m.leave(in)
	m.Bind(within)
}

// pollStop leaves for good where the stop word is set.
func (m *machine) pollStop() {
	m.GRM(MOV|W, RAX, At(R15, OffStop))
	m.GMI(CmpI, false, At(RAX, 0), 0)
	m.Jcc(NotEqual, m.stopped)
}

// leave calls a service of Go and goes on behind it.
func (m *machine) leave(in *vcode.Inst) {
	m.sites = append(m.sites, Site{m.f, in, m.frame.Slots})
	m.MovI(RAX, uint64(len(m.sites)-1))
	m.Call(m.service)
}
