package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// copy copies a register, in the lanes of the mask if there is one.
func (m *machine) copy(in *vcode.Inst) {
	d, u := in.Defs[0], in.Uses[0]
	switch m.class(d) {
	case vcode.Mask:
		if !in.Merging {
			m.storeMask(d, m.maskBits(u, 2))
			return
		}
		m.loadMask(2, u)
		m.doneMask(in, 2)
	case vcode.Vec:
		if x, ok := m.phys(d); ok && !in.Merging {
			m.loadVec(x, u)
			return
		} else if ok {
			m.moveMasked(x, u, m.execution(in))
			return
		}
		m.done(in, m.vec(u, 0))
	case vcode.Wide:
		m.copyWide(in)
	case vcode.Gen:
		m.storeGen(d, m.gen(u, RAX))
	}
}

// moveMasked copies u to z in the lanes of k.
func (m *machine) moveMasked(z Reg, u vcode.Reg, k Reg) {
	if bits, ok := m.f.Const(u); ok {
		m.RM(VPBROADCASTD, V512, z, 0, m.word32(uint32(bits)), K(k))
		return
	}
	m.with(VMOVDQA32, z, 0, u, K(k))
}

// copyWide copies a Wide register.
func (m *machine) copyWide(in *vcode.Inst) {
	for i := range 2 {
		m.defineHalf(in, i, m.half(in.Uses[0], i, 0))
	}
}

// halfMask returns the mask for eight lanes of a result with 64 bits per lane, or none if the
// instruction does not merge. It clobbers K1 and K2.
func (m *machine) halfMask(in *vcode.Inst, i int) Opt {
	if !in.Merging {
		return 0
	}
	k := m.execution(in)
	if i == 0 {
		return K(k)
	}
	m.RRI(KSHIFTRW, V128, 2, 0, k, 8, 0)
	return K(2)
}

// maskOp combines two masks in all lanes.
func (m *machine) maskOp(in *vcode.Inst) {
	x, y := m.maskBits(in.Uses[0], 2), m.maskBits(in.Uses[1], 1)
	d := m.destMask(in, 2)
	switch in.Op {
	case vcode.And:
		m.RR(KANDW, V128, d, x, y, 0)
	case vcode.AndNot:
		m.RR(KANDNW, V128, d, y, x, 0)
	case vcode.Or:
		m.RR(KORW, V128, d, x, y, 0)
	}
	m.storeMask(in.Defs[0], d)
}

// testMasks sets the zero flag if all masks are empty.
func (m *machine) testMasks(masks []vcode.Reg) {
	k := m.maskBits(masks[0], 2)
	for i := 1; i+1 < len(masks); i++ {
		m.RR(KORW, V128, 2, k, m.maskBits(masks[i], 1), 0)
		k = 2
	}
	other := k
	if n := len(masks); n > 1 {
		other = m.maskBits(masks[n-1], 1)
	}
	m.RR(KORTESTW, V128, k, 0, other, 0)
}

// call passes arguments and results in the caller's frame, from its lower end on.
func (m *machine) call(in *vcode.Inst) {
	there := &m.frames[in.Target]
	saves := m.frame.Saves[in]
	for _, r := range saves.Before {
		m.set.toMemory(m.slot(r), r)
	}
	for i, u := range in.Uses {
		m.set.toMemory(At(RSP, there.args[i]), u)
	}
	m.Call(m.entries[in.Target])
	for i, d := range in.Defs {
		m.set.fromMemory(d, At(RSP, there.results[i]))
	}
	for _, r := range saves.After {
		if !slices.Contains(in.Defs, r) {
			m.set.fromMemory(r, m.slot(r))
		}
	}
}

// guard bails out unless u0 + Step < u1 (or ≤, or =). The sum is computed in 64 bits, since it may exceed
// 32.
func (m *machine) guard(in *vcode.Inst) {
	out := m.NewLabel()
	x, y := in.Uses[0], in.Uses[1]
	signed := in.IR == ir.SLt || in.IR == ir.SLe
	m.loadGen(RAX, x)
	m.loadGen(RCX, y)
	if signed {
		m.GRR(MOVSXD|W, RAX, RAX)
		m.GRR(MOVSXD|W, RCX, RCX)
	}
	if in.Step > 0 {
		m.GI(AddI, true, RAX, int32(in.Step))
	}
	m.GRR(CMP|W, RAX, RCX)
	fails := map[ir.Op]Cond{ir.ULt: AboveEqual, ir.ULe: Above, ir.SLt: GreaterEqual, ir.SLe: Greater, ir.Eq: NotEqual}
	m.Jcc(fails[in.IR], out)
	m.bailOut(in, out)
}

// bailOut emits at label out a tail call of the function that an instruction names: it pops the frame
// and jumps, so that the callee finds the same arguments.
func (m *machine) bailOut(in *vcode.Inst, out Label) {
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(out)
		m.GI(AddI, true, RSP, m.frame.Size+56)
		m.Jmp(m.entries[in.Target])
	})
}

// waitAtBarrier switches to the next subgroup (runInterleaved) and returns when all have arrived.
func (m *machine) waitAtBarrier(in *vcode.Inst) {
	saves := m.frame.Saves[in]
	for _, r := range saves.Before {
		m.set.toMemory(m.slot(r), r)
	}
	m.Call(m.barrier)
	for _, r := range saves.After {
		m.set.fromMemory(r, m.slot(r))
	}
}

// safepoint exits as Polled if the job was stopped or the Go runtime requests the processor. Then it
// counts one step of the subgroup, unless the instruction is Proven, and reports to Go if the budget is exhausted.
func (m *machine) safepoint(in *vcode.Inst) {
	asked, calm, over := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.poll(asked)
	m.Bind(calm)
	if !in.Proven {
		m.GMI(SubI, true, m.stepsOf(in), 1)
		m.Jcc(Below, over)
	}
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(asked)
		m.spillMasks(in)
		m.sites = append(m.sites, target.SiteOf(m.f, m.frame.Slots, in))
		m.MovI(RAX, uint64(len(m.sites)-1))
		m.Call(m.yield)
		m.Jmp(calm)
		if in.Proven {
			return
		}
		m.Bind(over)
		m.spillMasks(in)
		m.callService(in) // no return: Go ends the run
	})
}

// stepsOf returns the step counter of the subgroup that a step belongs to. In a work-item loop u0 is the first lane of the subgroup. It
// clobbers RAX.
func (m *machine) stepsOf(in *vcode.Inst) Mem {
	if len(in.Uses) == 0 {
		return At(R14, m.record.Steps+8*int32(in.Part))
	}
	if m.f.Form.Lanes == 8 { // a counter has 8 bytes for each part
		return Indexed(R14, m.gen(in.Uses[0], RAX), 1, m.record.Steps)
	}
	m.loadGen(RAX, in.Uses[0])
	m.ShiftI(ShrI, true, RAX, 1) // parts of 16 lanes
	return Indexed(R14, RAX, 1, m.record.Steps)
}

// budget resets the step counter of the subgroup that a part belongs to.
func budget(m *machine, in *vcode.Inst) {
	if m.facts.Steps[in.Part] {
		m.GRM(MOV|W, RAX, arg(target.ArgBudget))
		m.GRM(MOV_ST|W, RAX, At(R14, m.record.Steps+8*int32(in.Part)))
	}
}

// spillMasks writes the masks of an instruction, and the first lane of its subgroup, to their stack slots, for Go to read.
func (m *machine) spillMasks(in *vcode.Inst) {
	for _, r := range slices.Concat(in.Masks, in.Uses) {
		if _, ok := m.f.Const(r); !ok {
			m.set.toMemory(m.slot(r), r)
		}
	}
}

// callService exits to Go for an instruction without machine code and resumes after it. Live registers
// are in their stack slots during the exit, because Go preserves none.
func (m *machine) callService(in *vcode.Inst) {
	saves := m.frame.Saves[in]
	for _, r := range saves.Before {
		m.set.toMemory(m.slot(r), r)
	}
	m.sites = append(m.sites, target.SiteOf(m.f, m.frame.Slots, in))
	m.MovI(RAX, uint64(len(m.sites)-1))
	m.Call(m.service)
	for _, r := range saves.After {
		m.set.fromMemory(r, m.slot(r))
	}
}

// skipUnheeded jumps over the exit of an event that has no effect, such as a load of memory that nothing writes: Go clears
// the word of its message in the run.
func (m *machine) skipUnheeded(in *vcode.Inst, skip Label) {
	if in.IR == ir.LogEvent {
		m.GRM(MOV|W, RAX, arg(target.ArgHeeded))
		m.GMI(CmpI, false, At(RAX, 4*int32(in.Key.Aux)), 0)
		m.Jcc(Equal, skip)
	}
}

// clobbers reports whether an instruction preserves no register.
func clobbers(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Call, vcode.Barrier, vcode.Strip:
		return true
	case vcode.Lane:
		return !native(in)
	}
	return false
}

// slotOperands calls want for the registers that a service reads from memory although the instruction
// preserves registers on its usual path.
func slotOperands(in *vcode.Inst, want func(vcode.Reg)) {
	if in.Op == vcode.Step {
		for _, r := range slices.Concat(in.Masks, in.Uses) {
			want(r)
		}
	}
}
