package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// regions are the rules of device addresses.
func regions() map[codegen.Rule]emitter {
	return map[codegen.Rule]emitter{{ir.Region, ir.H, ir.I64}: regionOf, {ir.RegionOff, ir.I32, ir.H}: regionOffset}
}

// entryShift is log₂ of the bytes of an entry of the region table.
const entryShift = target.RegionShift + 3

// regionOf is the handle of the region that contains the Aux bytes at the address u0, or null: a binary search for each active lane (Knuth
// 1998, vol. 3, 6.2.1, uniform binary search) finds the last region that begins at or before the address. Registers of a lane:
//
//	X1   position      X2   step, in bytes of the table
//	X17  address       LR   a word of the table
func regionOf(m *machine, in *vcode.Inst) {
	m.maskBits(X0, m.execution(in, 2))
	m.zero(0)
	m.eachLane(func(lane uint8) {
		loop, next, found, skip := m.NewLabel(), m.NewLabel(), m.NewLabel(), m.NewLabel()
		m.laneGen(scratch, in.Uses[0], lane)
		m.loadX(X1, ctxArg(target.ArgRegions))
		m.loadX(X2, ctxArg(target.ArgRegionStep))
		m.BZero(CBZ|W, X2, found)
		m.RI(LSLI|W, X2, X2, entryShift)
		m.Bind(loop)
		m.loadX(LR, Mem{Base: X1, Index: X2})
		m.R(CMP|W, 0, scratch, LR)
		m.BCond(LO, next)
		m.R(ADD|W, X1, X1, X2)
		m.Bind(next)
		m.RI(LSRI|W, X2, X2, 1)
		m.RI(CMPI|W, 0, X2, 1<<entryShift)
		m.BCond(HS, loop)
		m.Bind(found)
		// In range: 0 <= offset <= size − Aux. Signed, the comparison fails if the size is less than Aux.
		m.loadX(LR, At(X1, 0))
		m.R(SUBS|W, X2, scratch, LR)
		m.BCond(MI, skip)
		m.loadX(LR, At(X1, target.RegionSize))
		m.MovI(scratch, in.Key.Aux)
		m.R(SUB|W, LR, LR, scratch)
		m.R(CMP|W, 0, X2, LR)
		m.BCond(GT, skip)
		m.loadX(X2, ctxArg(target.ArgRegions))
		m.R(SUB|W, X1, X1, X2)
		m.RI(LSRI|W, X1, X1, entryShift)
		m.loadX(X2, ctxArg(target.ArgRegionFirst))
		m.R(ADD, X1, X1, X2)
		m.VE(VINSW, S2, 0, X1, lane)
		m.Bind(skip)
	})
	m.done(in, 0)
}

// regionOffset is u1 − the address of the region u0, modulo 2³², and 0 for the null handle.
func regionOffset(m *machine, in *vcode.Inst) {
	h := m.vec(in.Uses[0], 2)
	m.maskBits(X0, m.execution(in, 3))
	m.zero(0)
	m.eachLane(func(lane uint8) {
		null := m.NewLabel()
		m.VE(VGETW, S2, X1, h, lane)
		m.BZero(CBZ, X1, null)
		m.loadX(X2, ctxArg(target.ArgRegionFirst))
		m.R(SUB, X1, X1, X2)
		m.loadX(X2, ctxArg(target.ArgRegions))
		m.RL(ADD|W, X1, X2, X1, entryShift)
		m.loadW(X1, At(X1, 0))
		m.laneGen(X2, in.Uses[1], lane)
		m.R(SUB, X2, X2, X1)
		m.VE(VINSW, S2, 0, X2, lane)
		m.Bind(null)
	})
	m.done(in, 0)
}
