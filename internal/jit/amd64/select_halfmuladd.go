package amd64

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Constants of halfMulAdds.
const (
	// The scale 2⁹⁹ times 2¹³ moves 65520 = 2¹⁶·(1 − 2⁻¹²) to the limit of f32, just below 2¹²⁸.
	mulAddScale = 1 << 99        // scale of products: sums beyond the range of f16 overflow to infinity in f32
	mulAddSplit = 1<<13 + 1      // Veltkamp's factor: splits off the upper 11 bits of a product
	mulAddLeast = 3. / 4         // in place of a small split product, for the precision of a denormal f16
	mulAddUlp   = 1. / (1 << 13) // last place of a number relative to it, after scaling

	mulAddMentions = 16 // mentions of scratch vectors

	wideAddend = 1. / 4 // addends from here on hide the rounding of a denormal product
)

// Immediates of VRANGEPS: greater magnitude with the sign of the first operand, lesser magnitude with
// its own sign; and the table of VFIXUPIMMPS that replaces everything but NaN.
const (
	rangeMoreAsFirst = 0b0011
	rangeLess        = 0b0110

	unlessNaN = 0x11111100
)

// halfMulAdds emits fusedHalfMulAdd for several instructions, interleaved step by step, to hide the
// latency of the steps.
//
// The product p = a·b has 22 bits and is exact in f32. Let T = (2¹³+1)·p rounded, and U = T + p
// rounded: then U − T is p rounded to 11 bits, ties to even (Veltkamp splitting, Dekker 1971). Below
// 2⁻¹⁴ an f16 has fewer bits; with T = ±3/4 the last place of U is 2⁻²⁴, as required. Everything is
// scaled by mulAddScale, so that U is infinite exactly if p ≥ 65520, which overflows in f16, and U
// is infinite, not NaN, if p is. The sum x of U − T and c is rounded as in roundSmallSum, from S =
// 2¹³·x. If U is not finite the result, NaN there, must be U; otherwise it is the one of lesser
// magnitude, because |U| ≥ 3/4·mulAddScale exceeds every sum. Without that lower bound of |U|,
// VFIXUPIMMPS distinguishes the cases. Each part has eight dependent steps of several cycles;
// four interleaved parts hide most of that latency.
func (m *machine) halfMulAdds(list []vcode.Inst) {
	parts := m.mulAddParts(list)
	k := Reg(2 * len(list))
	c, _ := m.f.Const(list[0].Uses[3])
	wide := math.Abs(float64(math.Float32frombits(uint32(c)))) >= wideAddend/mulAddUlp
	for _, p := range parts {
		// T = b·scale·(2¹³+1) · a: the factor is precomputed outside the loop (fuser.factor), so
		// that one multiplication suffices.
		m.with(VMULPS, p.split, m.vec(p.in.Uses[0], p.rest), p.in.Uses[2], 0)
	}
	if !wide {
		m.broadcast(k, math.Float32bits(mulAddLeast*mulAddScale))
		for _, p := range parts {
			//	T| is at least 3/4, scaled, with the sign of T: the lower bound that yields denormal precision.
			m.RRI(VRANGEPS, V512, p.split, p.split, k, rangeMoreAsFirst, 0)
		}
	}
	for _, p := range parts {
		// U = a·b·scale + T, rounded once by the fused operation.
		m.mulAddUpper(p)
	}
	for _, p := range parts {
		// U − T, the rounded product, exact.
		m.RR(VSUBPS, V512, p.split, p.upper, p.split, 0)
	}
	m.broadcast(k, math.Float32bits(1/(mulAddScale*mulAddUlp)))
	for _, p := range parts {
		// Unscale it by 2⁻⁹⁹·2¹³ and add c·2¹³: x times 2¹³.
		m.with(VFMADD213PS, p.split, k, p.in.Uses[3], 0)
	}
	m.broadcast(k, math.Float32bits(1-mulAddUlp))
	for _, p := range parts {
		m.RR(VMULPS, V512, p.rest, p.split, k, 0)
	}
	for _, p := range parts {
		m.RR(VSUBPS, V512, p.split, p.split, p.rest, 0)
	}
	for _, p := range parts {
		if wide {
			m.RMI(VFIXUPIMMPS, V512, p.upper, p.split, m.word32(unlessNaN), 0, BC)
			m.define(p.in, p.upper)
			continue
		}
		d, o := m.dest(p.in, p.split)
		m.RRI(VRANGEPS, V512, d, p.upper, p.split, rangeLess, o)
		m.done(p.in, d)
	}
}

// mulAddPart is one of several interleaved instructions with its registers: for T and its successors,
// for 2¹³·x − x, and for U.
type mulAddPart struct {
	in                 *vcode.Inst
	split, rest, upper Reg
}

// mulAddParts assigns the registers: U uses the result's, if that may be written early. n parts use
// the registers 0 to n−1, n to 2n−1, a constant in 2n, and 2n+1 to 3n for U if the result's register
// may not be written early:
//
//	n = 2    split 0 1   rest 2 3   constant 4   upper 5 6
func (m *machine) mulAddParts(list []vcode.Inst) []mulAddPart {
	n := Reg(len(list))
	parts := make([]mulAddPart, n)
	for i := range parts {
		in, at := &list[i], Reg(i)
		parts[i] = mulAddPart{in: in, split: at, rest: n + at, upper: 2*n + 1 + at}
		if d, ok := m.phys(in.Defs[0]); ok && !in.Merging {
			parts[i].upper = d
		}
	}
	return parts
}

// mulAddUpper puts a·b·mulAddScale + T into p.upper.
func (m *machine) mulAddUpper(p mulAddPart) {
	x, b := m.loadedVec(p.in.Uses[0], p.rest), p.in.Uses[1]
	if r, ok := m.phys(b); ok && r == p.upper && x != r {
		m.RR(VFMADD132PS, V512, r, p.split, x, 0)
		return
	}
	m.moveVec(p.upper, x)
	m.with(VFMADD132PS, p.upper, p.split, b, 0)
}

// loadedVec returns the register into which vec has put r.
func (m *machine) loadedVec(r vcode.Reg, z Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	return z
}

// batchSize returns the number of instructions at the start of list to interleave: parts of one
// operation without dependences, as many as scratch registers permit. With nine scratch registers it
// is four parts of two registers each and a constant, or two parts of three; in a function with shared
// vectors two or one.
func (m *machine) batchSize(list []vcode.Inst) int {
	if list[0].Op != vcode.Own || list[0].Fused != fusedHalfMulAdd {
		return 1
	}
	most, each := int(zmmFile.first), 2
	if m.frame.sharing.occupied != nil {
		most = int(zmmFile.shared)
	}
	n := 0
	for ; n < len(list); n++ {
		in := &list[n]
		if !m.sameOperation(&list[0], in) || dependsOn(in, list[:n]) {
			break
		}
		if _, ok := m.phys(in.Defs[0]); !ok || in.Merging {
			each = 3
		}
		if n > 0 && each*(n+1)+1 > most {
			break
		}
	}
	return n
}

// sameOperation reports whether two instructions are parts of one operation.
func (m *machine) sameOperation(x, y *vcode.Inst) bool {
	if y.Op != x.Op || y.Fused != x.Fused || y.Origin != x.Origin {
		return false
	}
	c, _ := m.f.Const(x.Uses[3])
	d, _ := m.f.Const(y.Uses[3])
	return c == d
}

// dependsOn reports whether an instruction reads or overwrites the result of one in a list. An
// interleaved instruction must not read a result of the batch, since that is defined last.
func dependsOn(in *vcode.Inst, list []vcode.Inst) bool {
	return slices.ContainsFunc(list, func(by vcode.Inst) bool {
		return slices.Contains(in.Uses, by.Defs[0]) || by.Defs[0] == in.Defs[0]
	})
}
