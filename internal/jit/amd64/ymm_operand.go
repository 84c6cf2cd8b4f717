package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// rr emits op d, a, b on whole vectors.
//
// The short names in this file exist because nearly every instruction of AVX2 code has 256 bits and
// no modifiers. VEX instructions have no masks, so that m.RR's options would always be 0.
func (m ymm) rr(op Op, d, a, b Reg) { m.RR(op, V256, d, a, b, 0) }

// rri is rr with an immediate.
func (m ymm) rri(op Op, d, a, b Reg, imm uint8) { m.RRI(op, V256, d, a, b, imm, 0) }

// rm emits op d, a, [at] on whole vectors.
func (m ymm) rm(op Op, d, a Reg, at Mem) { m.RM(op, V256, d, a, at, 0) }

// zero sets y to 0. The 128-bit form clears the upper half too, as all VEX instructions clear the
// bits above their length.
func (m ymm) zero(y Reg) { m.RR(AVX_VPXOR, V128, y, y, y, 0) }

// words returns a constant in eight 32-bit lanes. It occupies 32 bytes of the literals, because AVX2
// arithmetic has no embedded broadcast; AVX-512 stores the constant once, in four bytes.
func (m ymm) words(v uint32) Mem { return m.vector8([8]uint32{v, v, v, v, v, v, v, v}) }

// longs returns a constant in four 64-bit lanes.
func (m ymm) longs(v uint64) Mem {
	lo, hi := uint32(v), uint32(v>>32)
	return m.vector8([8]uint32{lo, hi, lo, hi, lo, hi, lo, hi})
}

// word is d = a op a constant in all 32-bit lanes.
func (m ymm) word(op Op, d, a Reg, v uint32) { m.rm(op, d, a, m.words(v)) }

// long is d = a op a constant in all 64-bit lanes.
func (m ymm) long(op Op, d, a Reg, v uint64) { m.rm(op, d, a, m.longs(v)) }

// fill sets all lanes of y to a constant. Zeros and ones are computed without memory. VPCMPEQD of a
// register with itself is true in all lanes, and most processors recognize that it does not depend
// on the old value.
func (m ymm) fill(y Reg, v uint32) {
	switch v {
	case 0:
		m.zero(y)
	case 1<<32 - 1:
		m.rr(AVX_VPCMPEQD, y, y, y)
	default:
		m.rm(AVX_VMOVUPS, y, 0, m.words(v))
	}
}

// invert is d = not a, of masks. AVX2 has no NOT; the constant of ones is a memory operand, which
// needs no scratch register.
func (m ymm) invert(d, a Reg) { m.word(AVX_VPXOR, d, a, 1<<32-1) }

// blend is d = yes in the lanes of the mask k, no in the others. VBLENDVPS is two or three
// micro-operations on processors of Intel and one on AMD's (uops.info), so code that can use VPAND
// or VPANDN instead does (ymmSelectLanes).
func (m ymm) blend(d, no, yes, k Reg) { m.rri(AVX_VBLENDVPS, d, no, yes, is4(k)) }

// phys returns the physical register of r, a Vec, Mask or Gen; for a Wide see halfPhys.
func (m ymm) phys(r vcode.Reg) (Reg, bool) {
	switch c := m.class(r); {
	case c == vcode.Gen:
		return m.machine.phys(r)
	case c == vcode.Wide, m.frame.Regs[r] == regalloc.None:
		return NoReg, false
	}
	return m.vectorOf(m.frame.Regs[r]), true
}

// constant returns the bits of r, a Vec or Mask, in every lane if it is a constant. The constant of
// a mask has one bit, which the minus spreads: 1 becomes all ones.
func (m ymm) constant(r vcode.Reg) (uint32, bool) {
	bits, ok := m.f.Const(r)
	if ok && m.class(r) == vcode.Mask {
		return -uint32(bits & 1), true
	}
	return uint32(bits), ok
}

// vec returns the physical register of r, a Vec or Mask, or y after loading r into it. The caller
// must not write to the returned register, which may be the home of r.
func (m ymm) vec(r vcode.Reg, y Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	m.loadVec(y, r)
	return y
}

// spare returns a scratch vector besides vec(r, Y0): Y0 unless r is in memory. Y0 is the best one, as the
// others can hold values (vectorFile).
func (m ymm) spare(r vcode.Reg) Reg {
	if _, ok := m.phys(r); ok {
		return 0
	}
	return 1
}

// loadVec copies r, a Vec or Mask, to y. VMOVUPS serves for integers too, and for memory of any
// alignment: one opcode for all copies.
func (m ymm) loadVec(y Reg, r vcode.Reg) {
	if x, ok := m.phys(r); ok {
		m.moveVec(y, x)
		return
	}
	if v, ok := m.constant(r); ok {
		m.hold(y, uint64(v)|uint64(v)<<32, func() { m.fill(y, v) })
		return
	}
	m.rm(AVX_VMOVUPS, y, 0, m.operand(r))
}

// hold sets all 64-bit lanes of y to a constant by load. If y is Y0 and the code before has left the constant there, it needs no instruction:
// the instructions of the parts of a strip often begin with the same one.
func (m ymm) hold(y Reg, v uint64, load func()) {
	if y == 0 && m.holds && m.held == v {
		return
	}
	load()
	if y == 0 {
		m.held, m.holds = v, true
	}
}

func (m ymm) moveVec(d, s Reg) {
	if d != s {
		m.rr(AVX_VMOVUPS, d, 0, s)
	}
}

// with emits op d, a, b with b in a register or in memory. The second source of a VEX instruction
// may be in memory without alignment, so a spilled operand or a constant needs no separate load:
//
//	vpaddd ymm5, ymm6, [rsp + 64]
func (m ymm) with(op Op, d, a Reg, b vcode.Reg) {
	if x, ok := m.phys(b); ok {
		m.rr(op, d, a, x)
		return
	}
	m.rm(op, d, a, m.operand(b))
}

// withImm is with for operations with an immediate.
func (m ymm) withImm(op Op, d, a Reg, b vcode.Reg, imm uint8) {
	if x, ok := m.phys(b); ok {
		m.rri(op, d, a, x, imm)
		return
	}
	m.RMI(op, V256, d, a, m.operand(b), imm, 0)
}

// operand returns the memory of a register without a physical one. A Sequence is a constant that
// differs between lanes: first, first + step, …, as of lane numbers.
func (m ymm) operand(r vcode.Reg) Mem {
	if v, ok := m.constant(r); ok {
		return m.words(v)
	}
	if first, step, ok := m.f.Sequence(r); ok {
		return m.vector8(octetOf(first, step))
	}
	return m.slot(r)
}

// execution returns the register of an instruction's mask, y after loading it if needed.
func (m ymm) execution(in *vcode.Inst, y Reg) Reg { return m.vec(in.Masks[0], y) }

// always reports whether an instruction's mask is known to contain all lanes.
func (m ymm) always(in *vcode.Inst) bool {
	bits, ok := m.f.Const(in.Masks[0])
	return ok && bits&1 != 0
}

// dest returns the register for the last of several instructions that compute a Vec or Mask: the
// result's unless the instruction merges, or y, which must not be Y3 or Y4.
//
// AVX-512 writes under a mask to the result itself; a VEX instruction overwrites all lanes, so a
// merging instruction needs a temporary and a blend afterwards. done uses Y3 for the old value and
// Y4 for the mask, which excludes both.
func (m ymm) dest(in *vcode.Inst, y Reg) Reg {
	if x, ok := m.phys(in.Defs[0]); ok && !in.Merging {
		return x
	}
	return y
}

// done writes the register from dest to the result, in the lanes of the mask if the instruction
// merges. It clobbers Y3 and Y4.
func (m ymm) done(in *vcode.Inst, y Reg) { m.put(in, in.Defs[0], y) }

// The cases of the result x, the temporary y and the mask k:
//
//	vmovups   x, y                not merging, x in a register
//	vmovups   [slot], y           not merging, x in memory
//	vblendvps x, x, y, k          merging, x in a register
//	vmovups   ymm3, [slot]        merging, x in memory
//	vblendvps ymm3, ymm3, y, k
//	vmovups   [slot], ymm3
func (m ymm) put(in *vcode.Inst, d vcode.Reg, y Reg) {
	x, ok := m.phys(d)
	switch {
	case !in.Merging && ok:
		m.moveVec(x, y)
		return
	case in.Merging && ok:
		m.blend(x, x, y, m.execution(in, 4))
		return
	case in.Merging:
		k := m.execution(in, 4)
		m.rm(AVX_VMOVUPS, 3, 0, m.slot(d))
		m.blend(3, 3, y, k)
		y = 3
	}
	m.rm(AVX_VMOVUPS_ST, y, 0, m.slot(d))
}

// toMemory stores a register. It serves spills, and arguments and results of calls. The layout of a value with
// 64 bits per lane is its two halves, lanes 0 to 3 first.
func (m ymm) toMemory(to Mem, r vcode.Reg) {
	switch m.class(r) {
	case vcode.Gen:
		m.GRM(MOV_ST|W, m.gen(r, RAX), to)
	case vcode.Wide:
		for i := range 2 {
			m.rm(AVX_VMOVUPS_ST, m.halfVec(r, i, 0), 0, At(to.Base, to.Disp+int32(32*i)))
		}
	default:
		m.rm(AVX_VMOVUPS_ST, m.vec(r, 0), 0, to)
	}
}

// fromMemory loads a register. The source and the destination may both be memory; then the value
// passes through RAX or Y0, 32 bytes at a time.
func (m ymm) fromMemory(r vcode.Reg, from Mem) {
	x, ok := m.phys(r)
	low, pair := m.halfPhys(r, 0)
	switch c := m.class(r); {
	case pair:
		m.rm(AVX_VMOVUPS, low, 0, from)
		m.rm(AVX_VMOVUPS, low+1, 0, At(from.Base, from.Disp+ymmBytes))
	case c == vcode.Gen && ok:
		m.GRM(MOV|W, x, from)
	case c == vcode.Gen:
		m.GRM(MOV|W, RAX, from)
		m.GRM(MOV_ST|W, RAX, m.slot(r))
	case ok:
		m.rm(AVX_VMOVUPS, x, 0, from)
	default:
		for i := range m.f.Form.Size(c) / 32 {
			m.rm(AVX_VMOVUPS, 0, 0, At(from.Base, from.Disp+32*i))
			m.rm(AVX_VMOVUPS_ST, 0, 0, At(m.slot(r).Base, m.slot(r).Disp+32*i))
		}
	}
}

// halfOf returns the memory of four lanes of a Wide register without a physical one. Half 0 has the lanes 0 to 3, half 1
// the lanes 4 to 7. All lanes of a constant are equal, so both halves are the same literal.
func (m ymm) halfOf(r vcode.Reg, i int) Mem {
	if bits, ok := m.f.Const(r); ok {
		return m.longs(bits)
	}
	at := m.slot(r)
	at.Disp += int32(32 * i)
	return at
}

// halfPhys returns the physical register of four lanes of r, and false if r is no Wide, or in memory or
// constant. Pair n is the registers 14 − 2n and 15 − 2n.
func (m ymm) halfPhys(r vcode.Reg, i int) (Reg, bool) {
	n := m.frame.Regs[r]
	if m.class(r) != vcode.Wide || n == regalloc.None {
		return NoReg, false
	}
	return Reg(14 - 2*int(n) + i), true
}

// halfVec returns the physical register of four lanes of a Wide register, or y after loading them into it.
func (m ymm) halfVec(r vcode.Reg, i int, y Reg) Reg {
	if x, ok := m.halfPhys(r, i); ok {
		return x
	}
	m.loadHalf(y, r, i)
	return y
}

// loadHalf copies four lanes of a Wide register to y.
func (m ymm) loadHalf(y Reg, r vcode.Reg, i int) {
	if x, ok := m.halfPhys(r, i); ok {
		m.moveVec(y, x)
		return
	}
	bits, ok := m.f.Const(r)
	switch {
	case ok && bits == 0:
		m.zero(y)
	case ok:
		m.hold(y, bits, func() { m.rm(AVX_VMOVUPS, y, 0, m.longs(bits)) })
	default:
		m.rm(AVX_VMOVUPS, y, 0, m.halfOf(r, i))
	}
}

// withHalf emits op d, a, b with four lanes of a Wide register b.
func (m ymm) withHalf(op Op, d, a Reg, b vcode.Reg, i int) {
	if x, ok := m.halfPhys(b, i); ok {
		m.rr(op, d, a, x)
		return
	}
	m.rm(op, d, a, m.halfOf(b, i))
}

// withHalfImm is withHalf for operations with an immediate.
func (m ymm) withHalfImm(op Op, d, a Reg, b vcode.Reg, i int, imm uint8) {
	if x, ok := m.halfPhys(b, i); ok {
		m.rri(op, d, a, x, imm)
		return
	}
	m.RMI(op, V256, d, a, m.halfOf(b, i), imm, 0)
}

// destHalf is dest for four lanes of a Wide result.
func (m ymm) destHalf(in *vcode.Inst, i int, y Reg) Reg {
	if x, ok := m.halfPhys(in.Defs[0], i); ok && !in.Merging {
		return x
	}
	return y
}

// doneHalf writes y to four lanes of a Wide result, in the lanes of the mask if the instruction
// merges. It clobbers Y3 and Y4. VBLENDVPD reads the sign bit of each 64-bit lane, hence the widened
// mask.
func (m ymm) doneHalf(in *vcode.Inst, i int, y Reg) {
	x, ok := m.halfPhys(in.Defs[0], i)
	if in.Merging {
		m.longMask(4, in.Masks[0], i)
	}
	switch {
	case ok && in.Merging:
		m.rri(AVX_VBLENDVPD, x, x, y, is4(4))
		return
	case ok:
		m.moveVec(x, y)
		return
	case in.Merging:
		m.rm(AVX_VMOVUPS, 3, 0, m.halfOf(in.Defs[0], i))
		m.rri(AVX_VBLENDVPD, 3, 3, y, is4(4))
		y = 3
	}
	m.rm(AVX_VMOVUPS_ST, y, 0, m.halfOf(in.Defs[0], i))
}

// longMask sets y to four lanes of a mask, widened to 64 bits per lane.
//
// Sign extension preserves both values of a mask: −1 and 0. It turns
//
//	k3 k2 k1 k0              32 bits each
//	k3 k3 k2 k2 k1 k1 k0 k0  64 bits per lane
func (m ymm) longMask(y Reg, k vcode.Reg, i int) {
	m.fourLanes(y, k, i)
	m.rr(AVX_VPMOVSXDQ, y, 0, y)
}

// fourLanes puts lanes 4i to 4i+3 of a Vec or Mask into the lower half of y. A memory operand needs
// no shuffle: lane 4 is 16 bytes after lane 0. The upper half of y is unspecified.
func (m ymm) fourLanes(y Reg, r vcode.Reg, i int) {
	x, ok := m.phys(r)
	switch {
	case ok && i == 1:
		m.highHalf(y, x)
	case ok:
		m.moveVec(y, x)
	default:
		at := m.operand(r)
		at.Disp += int32(16 * i)
		m.RM(AVX_VMOVUPS, V128, y, 0, at, 0)
	}
}

// highHalf copies the upper half of s to the lower half of d.
func (m ymm) highHalf(d, s Reg) { m.rri(AVX_VEXTRACTF128, s, 0, d, 1) }

// join concatenates the lower halves of lo and hi.
func (m ymm) join(d, lo, hi Reg) { m.rri(AVX_VINSERTF128, d, lo, hi, 1) }

// lowWords puts the low 32 bits of the 64-bit lanes of lo and hi into d.
//
// VSHUFPS works in each 128-bit half separately, so that its result has the quarters in the wrong
// order; VPERMQ exchanges the inner two.
//
//	lo          l3 | l2 | l1 | l0         64-bit lanes
//	vshufps     h3 h2 | l3 l2 | h1 h0 | l1 l0
//	vpermq      h3 h2 | h1 h0 | l3 l2 | l1 l0
func (m ymm) lowWords(d, lo, hi Reg) {
	m.rri(AVX_VSHUFPS, d, lo, hi, 0x88)
	m.rri(AVX_VPERMQ, d, 0, d, 0xd8)
}
