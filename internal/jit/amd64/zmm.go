package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// zmmLanes is the number of 32-bit lanes of a 512-bit vector.
const zmmLanes = 16

// zmm is the selection for AVX-512.
//
// Most methods are promoted from machine, which has the code for AVX-512; the others adapt a
// function to the interface.
type zmm struct{ *machine }

func (z zmm) native(in *vcode.Inst) bool { return native(in) }

func (z zmm) machineFor(f *vcode.Func) *regalloc.Machine { return machineFor(f) }

func (z zmm) roundToHalf(in *vcode.Inst, near bool) {
	if near {
		z.roundSmallSum(in)
	} else {
		z.roundThroughF16(in)
	}
}

func (z zmm) widenHalf(in *vcode.Inst, high bool) {
	x := z.vec(in.Uses[0], 0)
	if high {
		z.RRI(VPSRLD, V512, 0, 0, x, 16, 0)
		x = 0
	}
	z.RR(VPMOVDW, V512, x, 0, 0, 0) // the first operand is the source
	d, o := z.dest(in, 0)
	z.RR(VCVTPH2PS, V512, d, 0, 0, o)
	z.done(in, d)
}

func (z zmm) multiplySubtract(in *vcode.Inst) {
	if in.Fused == fusedMulSub {
		multiplyAddOf(VFMSUB213PS, VFMSUB231PS)(z.machine, in)
	} else {
		multiplyAddOf(VFNMADD213PS, VFNMADD231PS)(z.machine, in)
	}
}

// initial copies the bits of the lanes. A mask in memory is its bits, as in a mask register, so that
// nothing is expanded.
func (z zmm) initial(to Mem, part int) {
	z.GRM(MOV|W, RAX, At(R14, int32(target.RecordInitial+8*part)))
	z.GRM(MOV_ST|W, RAX, to)
}

// clear zeros n bytes, a multiple of 64, from [r] on, and changes r if they are many. It clobbers Z0
// and RCX. VPXORD with 128 bits clears all 512.
func (m *machine) clear(r Reg, off int32, n int) {
	const unrolled = 16
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	if n/64 <= unrolled {
		for i := range n / 64 {
			m.RM(VMOVDQU32_ST, V512, 0, 0, At(r, off+int32(64*i)), 0)
		}
		return
	}
	m.GI(AddI, true, r, off)
	m.MovI(RCX, uint64(n/64))
	again := m.NewLabel()
	m.Bind(again)
	m.RM(VMOVDQU32_ST, V512, 0, 0, At(r, 0), 0)
	m.GI(AddI, true, r, 64)
	m.GI(SubI, true, RCX, 1)
	m.Jcc(NotEqual, again)
}
