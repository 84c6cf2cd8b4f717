package arm64

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Registers within one vcode instruction: V0 to V5 and X0 to X2 are scratch, X16 and X17 hold addresses and constants. The others are
// allocatable: vectors for values and masks alike. A mask is a vector with all ones or all zeros in each 32-bit lane. Values with 64 bits
// per lane are in memory.
const (
	lanes       = 4
	vectorBytes = 16
	firstVector = 6
	lastVector  = 31
)

// generals are the allocatable general registers.
var generals = [...]Reg{X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15, X23, X24, X25, X26, X27}

// scratchBytes is the size in bytes of a record's scratch memory.
const scratchBytes = 3 * rowBytes

// form is the register model.
var form = vcode.Form{Lanes: lanes, Vectors: lastVector - firstVector + 1, VectorMasks: true, RowStrips: true, Strided16: true, Fuse: fuse}

// recordOf lays out the record of a program's subgroups.
func recordOf(p *ir.Program) target.Record { return target.RecordOf(p, form, scratchBytes) }

func machineFor() *regalloc.Machine {
	r := &regalloc.Machine{Clobbers: clobbers, SlotOperands: slotOperands, Apart: overwritten}
	r.Registers[vcode.Vec] = lastVector - firstVector + 1
	r.Registers[vcode.Gen] = len(generals)
	r.Pools[vcode.Mask] = vcode.Vec
	return r
}

// slotOperands calls want for the registers that a service reads from memory although the instruction preserves registers on its usual
// path.
func slotOperands(in *vcode.Inst, want func(vcode.Reg)) {
	if in.Op == vcode.Step {
		for _, r := range slices.Concat(in.Masks, in.Uses) {
			want(r)
		}
	}
}

// class returns the class of a register of the current function.
func (m *machine) class(r vcode.Reg) vcode.Class { return m.f.Classes[r] }

// phys returns the physical register of r, and false if r is in memory or constant.
func (m *machine) phys(r vcode.Reg) (Reg, bool) {
	n := m.frame.Regs[r]
	switch {
	case n == regalloc.None:
		return NoReg, false
	case m.class(r) == vcode.Gen:
		return generals[n], true
	}
	return firstVector + Reg(n), true
}

// slot returns the stack slot of a register.
func (m *machine) slot(r vcode.Reg) Mem { return At(SP, int64(m.frame.Slots[r])) }

// ctxArg returns an argument of the dispatch.
func ctxArg(i int) Mem { return At(ctx, int64(target.OffArgs+8*i)) }

// load loads a vector, store stores it.
func (m *machine) load(v Reg, at Mem) { m.Access(LDRQ, v, at, address) }

func (m *machine) store(v Reg, at Mem) { m.Access(STRQ, v, at, address) }

// loadX loads 64 bits into a general register, loadW 32 bits; storeX and storeW store them.
func (m *machine) loadX(x Reg, at Mem) { m.Access(LDRX, x, at, address) }

func (m *machine) loadW(x Reg, at Mem) { m.Access(LDRW, x, at, address) }

func (m *machine) storeX(x Reg, at Mem) { m.Access(STRX, x, at, address) }

func (m *machine) storeW(x Reg, at Mem) { m.Access(STRW, x, at, address) }

// s4 emits op d, a, b on four lanes of 32 bits, bits on 128 bits.
func (m *machine) s4(op Op, d, a, b Reg) { m.V(op, S4, d, a, b) }

func (m *machine) bits(op Op, d, a, b Reg) { m.V(op, B16, d, a, b) }

// zero sets v to 0.
func (m *machine) zero(v Reg) { m.emit(Insn{Op: VZERO, Arr: D2, D: v}) }

// fill sets all lanes of v to a constant: with an immediate of eight bits if it has this form, else from the literals.
func (m *machine) fill(v Reg, k uint32) {
	all := [4]uint32{k, k, k, k}
	if m.holds(v, all) {
		return
	}
	defer m.remember(v, all)
	for shift := uint8(0); shift < 32; shift += 8 {
		if b := k >> shift & 0xff; b<<shift == k {
			m.emit(Insn{Op: VMOVI, Arr: S4, D: v, Imm: int64(b), Index: shift})
			return
		}
		if b := ^k >> shift & 0xff; b<<shift == ^k {
			m.emit(Insn{Op: VMVNI, Arr: S4, D: v, Imm: int64(b), Index: shift})
			return
		}
	}
	if _, ok := float8(k); ok {
		m.emit(Insn{Op: VFMOVI, Arr: S4, D: v, Imm: int64(k)})
		return
	}
	m.literal(v, all)
}

// constant returns the bits of r, a Vec or Mask, in every lane if it is a constant. The minus spreads the one bit of a mask.
func (m *machine) constant(r vcode.Reg) (uint32, bool) {
	bits, ok := m.f.Const(r)
	if ok && m.class(r) == vcode.Mask {
		return -uint32(bits & 1), true
	}
	return uint32(bits), ok
}

// vec returns the physical register of r, a Vec or Mask, or v after loading r into it. The caller must not write to the returned
// register, which may be the home of r.
func (m *machine) vec(r vcode.Reg, v Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	m.loadVec(v, r)
	return v
}

// loadVec copies r, a Vec or Mask, to v. A sequence is a constant that differs between lanes: first, first + step, …
func (m *machine) loadVec(v Reg, r vcode.Reg) {
	if x, ok := m.phys(r); ok {
		m.moveVec(v, x)
		return
	}
	if k, ok := m.constant(r); ok {
		m.fill(v, k)
		return
	}
	if first, step, ok := m.f.Sequence(r); ok {
		m.literal(v, quartet(first, step))
		return
	}
	m.load(v, m.slot(r))
}

// quartet returns the numbers first, first+step, …
func quartet(first, step uint32) (v [4]uint32) {
	for i := range v {
		v[i] = first + step*uint32(i)
	}
	return v
}

func (m *machine) moveVec(d, s Reg) {
	if d != s {
		m.emit(Insn{Op: VMOV, Arr: B16, D: d, N: s})
	}
}

// execution returns the register of an instruction's mask, v after loading it if needed.
func (m *machine) execution(in *vcode.Inst, v Reg) Reg { return m.vec(in.Masks[0], v) }

// always reports whether an instruction's mask is known to contain all lanes.
func (m *machine) always(in *vcode.Inst) bool {
	bits, ok := m.f.Const(in.Masks[0])
	return ok && bits&1 != 0
}

// dest returns the register for the last of several instructions that compute a Vec or Mask: the result's unless the instruction merges,
// or v, which must not be V4 or V5.
func (m *machine) dest(in *vcode.Inst, v Reg) Reg {
	if x, ok := m.phys(in.Defs[0]); ok && !in.Merging {
		return x
	}
	return v
}

// done writes the register from dest to the result, in the lanes of the mask if the instruction merges. It clobbers V4 and V5.
func (m *machine) done(in *vcode.Inst, v Reg) { m.put(in, in.Defs[0], v) }

// put writes v to d. BIT inserts the bits of v where the mask has ones.
func (m *machine) put(in *vcode.Inst, d vcode.Reg, v Reg) {
	x, ok := m.phys(d)
	switch {
	case !in.Merging && ok:
		m.moveVec(x, v)
		return
	case in.Merging && ok:
		m.bits(VBIT, x, v, m.execution(in, 5))
		return
	case in.Merging:
		k := m.execution(in, 5)
		m.load(4, m.slot(d))
		m.bits(VBIT, 4, v, k)
		v = 4
	}
	m.store(v, m.slot(d))
}

// toMemory stores a register. It serves spills, and arguments and results of calls.
func (m *machine) toMemory(to Mem, r vcode.Reg) {
	switch m.class(r) {
	case vcode.Gen:
		m.storeX(m.gen(r, X0), to)
	case vcode.Wide:
		for i := range 2 {
			m.loadHalf(0, r, i)
			m.store(0, plusBytes(to, int64(vectorBytes*i)))
		}
	default:
		m.store(m.vec(r, 0), to)
	}
}

// fromMemory loads a register.
func (m *machine) fromMemory(r vcode.Reg, from Mem) {
	x, ok := m.phys(r)
	switch c := m.class(r); {
	case c == vcode.Gen:
		if !ok {
			x = X0
		}
		m.loadX(x, from)
		m.storeGen(r, x)
	case ok:
		m.load(x, from)
	default:
		for i := range int64(form.Size(c) / vectorBytes) {
			m.load(0, plusBytes(from, vectorBytes*i))
			m.store(0, plusBytes(m.slot(r), vectorBytes*i))
		}
	}
}

// plusBytes returns the memory n bytes later.
func plusBytes(at Mem, n int64) Mem {
	at.Disp += n
	return at
}

// loadHalf copies two lanes of a Wide register, lanes 2i and 2i + 1, to v.
func (m *machine) loadHalf(v Reg, r vcode.Reg, i int) {
	if k, ok := m.f.Const(r); ok {
		lo, hi := uint32(k), uint32(k>>32)
		m.literal(v, [4]uint32{lo, hi, lo, hi})
		return
	}
	m.load(v, plusBytes(m.slot(r), int64(vectorBytes*i)))
}

// doneHalf writes v to two lanes of a Wide result, in the lanes of the mask if the instruction merges. It clobbers V4 and V5.
func (m *machine) doneHalf(in *vcode.Inst, i int, v Reg) {
	to := plusBytes(m.slot(in.Defs[0]), int64(vectorBytes*i))
	if in.Merging {
		m.longMask(5, m.execution(in, 5), i)
		m.load(4, to)
		m.bits(VBIT, 4, v, 5)
		v = 4
	}
	m.store(v, to)
}

// longMask sets d to two lanes of a mask, widened to 64 bits per lane.
func (m *machine) longMask(d, k Reg, i int) {
	zip := [2]Op{VZIP1, VZIP2}[i]
	m.s4(zip, d, k, k)
}

// gen returns the general register that holds r, or g after loading r into it.
func (m *machine) gen(r vcode.Reg, g Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	m.loadGen(g, r)
	return g
}

// loadGen copies r to g.
func (m *machine) loadGen(g Reg, r vcode.Reg) {
	if x, ok := m.phys(r); ok {
		m.Move(g, x)
		return
	}
	if bits, ok := m.f.Const(r); ok {
		m.MovI(g, bits)
		return
	}
	m.loadX(g, m.slot(r))
}

// storeGen copies g to r.
func (m *machine) storeGen(r vcode.Reg, g Reg) {
	if x, ok := m.phys(r); ok {
		m.Move(x, g)
		return
	}
	m.storeX(g, m.slot(r))
}

// destGen returns the register for the result r: its physical register, or g.
func (m *machine) destGen(r vcode.Reg, g Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	return g
}

// addI is d = n + v in 64 bits. It clobbers X17.
func (m *machine) addI(d, n Reg, v uint64) {
	if v <= math.MaxInt64 {
		m.plus(d, n, int64(v))
		return
	}
	m.MovI(scratch, v)
	m.R(ADD|W, d, n, scratch)
}

// cmpI compares n with a constant, in 32 bits or, with W, in 64. It clobbers X17.
func (m *machine) cmpI(w Op, n Reg, v uint64) {
	if v < 1<<12 || v < 1<<24 && v&0xfff == 0 {
		m.RI(CMPI|w, 0, n, int64(v))
		return
	}
	m.MovI(scratch, v)
	m.R(CMP|w, 0, n, scratch)
}
