package amd64

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Constants of terms.
const (
	mulAddScale = 1 << 99        // what a product is multiplied by, so that its greatest sums are infinite
	mulAddSplit = 1<<13 + 1      // that times a product plus the product keeps 11 bits of it
	mulAddLeast = 3. / 4         // that plus a small product keeps those of a denormal f16
	mulAddUlp   = 1. / (1 << 13) // what a sum is of the number that it is taken out of

	mulAddMentions = 16 // of scratch vectors

	wideAddend = 1. / 4 // the least constant beside which nobody sees how a denormal product is rounded
)

// Controls of VRANGEPS: by size, with the sign of the first operand or of the
// one that is chosen; and the table of VFIXUPIMMPS that takes all but NaN.
const (
	rangeMoreAsFirst = 0b0011
	rangeLess        = 0b0110

	unlessNaN = 0x11111100
)

// terms makes the code of fusedTerm, step by step of all that are given, so that
// none waits for what has just begun.
//
// The product p = a·b has 22 bits and is exact. Let T be (2¹³+1)·p rounded, and
// U = T + p rounded: between the two are the 11 first bits of p, rounded to the
// nearest, of two that are as near the even one, since where p is such a number
// T, halfway between two floats, is even. Below 2⁻¹⁴ an f16 has fewer bits; with
// T = ±3/4 the last of U is 2⁻²⁴, as it has to be. All that is multiplied by
// termScale, where U is an infinity if p is at least 65520, which is what becomes
// one as an f16, and U is one and no NaN if p is. The sum x of U − T and c is
// rounded as nearSumHalf does, from S = 2¹³·x; its result, NaN where U is not
// finite, is U there, in size the lesser of the two elsewhere: |U| ≥ 3/4·termScale
// is more than any. Without that bound it takes VFIXUPIMMPS to tell.
func (m *machine) halfMulAdds(list []vcode.Inst) {
	parts := m.mulAddParts(list)
	k := Reg(2 * len(list))
	c, _ := m.f.Const(list[0].Uses[3])
	wide := math.Abs(float64(math.Float32frombits(uint32(c)))) >= wideAddend/mulAddUlp
	for _, p := range parts {
		m.with(VMULPS, p.split, m.vec(p.in.Uses[0], p.rest), p.in.Uses[2], 0)
	}
	if !wide {
		m.broadcast(k, math.Float32bits(mulAddLeast*mulAddScale))
		for _, p := range parts {
			m.RRI(VRANGEPS, V512, p.split, p.split, k, rangeMoreAsFirst, 0)
		}
	}
	for _, p := range parts {
		m.mulAddUpper(p)
	}
	for _, p := range parts {
		m.RR(VSUBPS, V512, p.split, p.upper, p.split, 0)
	}
	m.broadcast(k, math.Float32bits(1/(mulAddScale*mulAddUlp)))
	for _, p := range parts {
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

// termPart is one of several terms that are made together, and its registers:
// for T and all that comes of it, for 2¹³·x less x, and for U.
type mulAddPart struct {
	in                 *vcode.Inst
	split, rest, upper Reg
}

// termParts gives terms their registers: that of the result for U, where it can be
// written before the end.
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

// termUpper puts a·b·termScale + T into p.upper.
func (m *machine) mulAddUpper(p mulAddPart) {
	x, b := m.loadedVec(p.in.Uses[0], p.rest), p.in.Uses[1]
	if r, ok := m.phys(b); ok && r == p.upper && x != r {
		m.RR(VFMADD132PS, V512, r, p.split, x, 0)
		return
	}
	m.moveVec(p.upper, x)
	m.with(VFMADD132PS, p.upper, p.split, b, 0)
}

// have returns the register that vec put r into.
func (m *machine) loadedVec(r vcode.Reg, z Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	return z
}

// sideBySide returns how many instructions at the start of list are best made step
// by step: parts of one operation, of which none reads what another makes, as
// many as there is scratch for.
func (m *machine) batchSize(list []vcode.Inst) int {
	if list[0].Op != vcode.Own || list[0].Fused != fusedHalfMulAdd {
		return 1
	}
	most, each := firstVec, 2
	if m.frame.moreVecs {
		most = firstVecMore
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

// alike reports whether two instructions are parts of one operation.
func (m *machine) sameOperation(x, y *vcode.Inst) bool {
	if y.Op != x.Op || y.Fused != x.Fused || y.Origin != x.Origin {
		return false
	}
	c, _ := m.f.Const(x.Uses[3])
	d, _ := m.f.Const(y.Uses[3])
	return c == d
}

// reads reports whether an instruction reads what one of a list makes.
func dependsOn(in *vcode.Inst, list []vcode.Inst) bool {
	return slices.ContainsFunc(list, func(by vcode.Inst) bool {
		return slices.Contains(in.Uses, by.Defs[0]) || by.Defs[0] == in.Defs[0]
	})
}
