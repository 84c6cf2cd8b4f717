package arm64

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
	case vcode.Gen:
		m.storeGen(d, m.gen(u, X0))
	case vcode.Wide:
		for i := range 2 {
			m.loadHalf(0, u, i)
			m.doneHalf(in, i, 0)
		}
	default:
		if x, ok := m.phys(d); ok && !in.Merging {
			m.loadVec(x, u)
			return
		}
		m.done(in, m.vec(u, 0))
	}
}

// maskOp combines two masks in all lanes.
func (m *machine) maskOp(in *vcode.Inst) {
	op := map[vcode.Op]Op{vcode.And: VAND, vcode.AndNot: VBIC, vcode.Or: VORR}[in.Op]
	if all, ok := m.constant(in.Uses[0]); in.Op == vcode.AndNot && ok && all != 0 {
		unaryOp(VNOT, B16)(m, &vcode.Inst{Defs: in.Defs, Uses: in.Uses[1:], Masks: in.Masks, Merging: in.Merging})
		return
	}
	x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
	d := m.dest(in, 0)
	m.bits(op, d, x, y)
	m.done(in, d)
}

// maskBits sets x to 16 bits for each lane of a mask. It clobbers V1.
func (m *machine) maskBits(x, k Reg) {
	m.V2(VXTN, H4, 1, k)
	m.emit(Insn{Op: FMOVXD, D: x, N: 1})
}

// jumpIfNone jumps to away if all masks are empty. It clobbers V0, V1 and X0.
func (m *machine) jumpIfNone(masks []vcode.Reg, away Label) {
	k := m.vec(masks[0], 0)
	for _, r := range masks[1:] {
		m.bits(VORR, 0, k, m.vec(r, 1))
		k = 0
	}
	m.maskBits(X0, k)
	m.BZero(CBZ|W, X0, away)
}

// saving stores the live registers of an instruction that preserves none, and loads them again after do.
func (m *machine) saving(in *vcode.Inst, do func()) {
	saves := m.frame.Saves[in]
	for _, r := range saves.Before {
		m.toMemory(m.slot(r), r)
	}
	do()
	for _, r := range saves.After {
		if in.Op != vcode.Call || !slices.Contains(in.Defs, r) {
			m.fromMemory(r, m.slot(r))
		}
	}
}

// call passes arguments and results in the caller's frame, from its lower end on.
func (m *machine) call(in *vcode.Inst) {
	there := &m.frames[in.Target]
	m.saving(in, func() {
		for i, u := range in.Uses {
			m.toMemory(At(SP, int64(there.args[i])), u)
		}
		m.BL(m.entries[in.Target])
		for i, d := range in.Defs {
			m.fromMemory(d, At(SP, int64(there.results[i])))
		}
	})
}

// guard bails out unless u0 + Step < u1 (or ≤). The sum is computed in 64 bits, since it may exceed 32.
func (m *machine) guard(in *vcode.Inst) {
	out := m.NewLabel()
	m.loadGen(X0, in.Uses[0])
	m.loadGen(X1, in.Uses[1])
	if in.IR == ir.SLt || in.IR == ir.SLe {
		m.R(SXTW, X0, X0, 0)
		m.R(SXTW, X1, X1, 0)
	}
	m.addI(X0, X0, uint64(in.Step))
	m.R(CMP|W, 0, X0, X1)
	m.BCond(conditions[in.IR].Not(), out)
	m.bailOut(in, out)
}

// bailOut emits at label out a tail call of the function that an instruction names: it pops the frame and jumps, so that the callee finds
// the same arguments.
func (m *machine) bailOut(in *vcode.Inst, out Label) {
	m.outOfLine(in, func() {
		m.Bind(out)
		m.leave()
		m.B(m.entries[in.Target])
	})
}

// waitAtBarrier switches to the next subgroup (runInterleaved) and returns when all have arrived.
func (m *machine) waitAtBarrier(in *vcode.Inst) {
	m.saving(in, func() { m.BL(m.barrier) })
}

// stepsOf returns the step counter of a part's subgroup.
func (m *machine) stepsOf(part uint8) Mem {
	return At(record, int64(m.record.Steps)+8*int64(part))
}

// safepoint exits as Polled if the job was stopped or the Go runtime requests the processor. Then it counts one step of the subgroup, unless
// the instruction is Proven, and reports to Go if the budget is exhausted.
func (m *machine) safepoint(in *vcode.Inst) {
	asked, calm, over := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.EmitPoll(asked)
	m.Bind(calm)
	if !in.Proven {
		at := m.stepsOf(in.Part)
		if len(in.Uses) > 0 { // the first lane of the subgroup in a work-item loop; a counter has 8 bytes for each part of 4 lanes
			m.multiplyAdd(X1, m.gen(in.Uses[0], X0), 2, record)
			at = At(X1, int64(m.record.Steps))
		}
		m.loadX(X0, at)
		m.RI(SUBSI|W, X0, X0, 1)
		m.storeX(X0, at)
		m.BCond(LO, over)
	}
	m.outOfLine(in, func() {
		m.Bind(asked)
		m.spillMasks(in)
		m.MovI(X0, m.site(in))
		m.BL(m.yield)
		m.B(calm)
		if in.Proven {
			return
		}
		m.Bind(over)
		m.spillMasks(in)
		m.callService(in) // no return: Go ends the run
	})
}

// spillMasks writes the masks of an instruction, and the first lane of its subgroup, to their stack slots, for Go to read. It preserves the
// allocatable registers.
func (m *machine) spillMasks(in *vcode.Inst) {
	for _, r := range slices.Concat(in.Masks, in.Uses) {
		if !m.f.IsConst(r) {
			m.toMemory(m.slot(r), r)
		}
	}
}

// site adds the site of an instruction and returns its index.
func (m *machine) site(in *vcode.Inst) uint64 {
	m.sites = append(m.sites, target.SiteOf(m.f, m.frame.Slots, in))
	return uint64(len(m.sites) - 1)
}

// callService exits to Go for an instruction without machine code and resumes after it. Live registers are in their stack slots during
// the exit, because Go preserves none.
func (m *machine) callService(in *vcode.Inst) {
	m.saving(in, func() {
		m.MovI(X0, m.site(in))
		m.BL(m.service)
	})
}

// broadcast copies a general register to all lanes. A Gen with a truth value is 0 or 1, and its negation is 0 or all ones: a lane of a
// mask. A handle in a Gen is a byte offset in the handle table, in a lane it is the handle's number.
func (m *machine) broadcast(in *vcode.Inst) {
	g := m.gen(in.Uses[0], X0)
	switch {
	case m.class(in.Defs[0]) == vcode.Mask:
		m.R(NEG, X0, 0, g)
		g = X0
	case in.Key.Type == ir.H:
		m.RI(LSRI|W, X0, g, target.HandleShift)
		g = X0
	}
	d := m.dest(in, 0)
	m.splat(d, g)
	m.done(in, d)
}

// splat copies 32 bits of a general register to all lanes of v.
func (m *machine) splat(v, g Reg) { m.V2(VDUPW, S4, v, g) }

// extract reads a value that is the same in all lanes.
func (m *machine) extract(in *vcode.Inst) {
	u, d := in.Uses[0], m.destGen(in.Defs[0], X0)
	m.emit(Insn{Op: FMOVWS, D: d, N: m.vec(u, 0)})
	switch {
	case m.class(u) == vcode.Mask:
		m.RI(ANDI, d, d, 1)
	case in.Key.Type == ir.H:
		m.RI(LSLI|W, d, d, target.HandleShift)
	}
	m.storeGen(in.Defs[0], d)
}

// jumpIfZero jumps if a general register is 0, or if a fused comparison is false.
func (m *machine) jumpIfZero(in *vcode.Inst) {
	if len(in.Uses) == 2 {
		m.compareFlags(in)
		m.BCond(conditions[in.IR].Not(), m.blocks[in.Target])
		return
	}
	m.BZero(CBZ|W, m.gen(in.Uses[0], X0), m.blocks[in.Target])
}
