package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// boundsCheckHalfs is boundsCheck for consecutive elements of 16 or 32 bits of all lanes, of which an access reads 16. at is the memory of
// the first element, high reports whether the 16 bits are its upper half.
func (m *machine) boundsCheckHalfs(in *vcode.Inst, field int64, slow Label) (at Mem, high bool) {
	whole, bytes := *in, int64(2*lanes)
	if in.Step*in.Stride == 4 {
		bytes = 4 * lanes
		if high = in.Key.Aux%4 == 2; high {
			whole.Key.Aux -= 2
		}
	}
	at, _ = m.boundsCheck(&whole, bytes, field, slow)
	return at, high
}

// loadHalfs loads 16 bits for each lane with one instruction if all elements are in range, else lane by lane.
func (m *machine) loadHalfs(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, high := m.boundsCheckHalfs(in, target.HandleLength, slow)
	d := m.dest(in, 0)
	switch {
	case in.Step*in.Stride == 2:
		m.Access(LDRD, d, at, address)
		m.V2(VUXTL, H4, d, d)
	case high:
		m.load(d, at)
		m.VI(VUSHR, S4, d, d, 16)
	default:
		m.load(d, at)
		m.shiftLeft(d, d, 16)
		m.VI(VUSHR, S4, d, d, 16)
	}
	m.done(in, d)
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(slow)
		m.handleLanes(in)
		m.zero(0)
		m.eachAccessAt(in, m.execution(in, 4), 2, 3, target.HandleLength, func(lane uint8, at Mem) {
			m.Access(LDRH, X2, at, address)
			m.VE(VINSW, S2, 0, X2, lane)
		})
		m.done(in, 0)
		m.B(resume)
	})
}

// storeHalfs stores the low 16 bits of each lane: with one instruction if all lanes store and are in range.
func (m *machine) storeHalfs(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	if !m.always(in) || m.facts.Demotes {
		m.jumpUnlessEach(m.storingLanes(in, 2), slow)
	}
	at, _ := m.boundsCheckHalfs(in, target.HandleWrites, slow)
	m.V2(VXTN, H4, 0, m.vec(in.Uses[4], 0))
	m.Access(STRD, 0, at, address)
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(slow)
		k := m.storingLanes(in, 4) // clobbers V3
		m.handleLanes(in)
		m.eachAccessAt(in, k, 2, 3, target.HandleWrites, func(lane uint8, at Mem) {
			m.laneGen(X2, in.Uses[4], lane)
			m.Access(STRH, X2, at, address)
		})
		m.B(resume)
	})
}

// handleLanes puts the handle of a strided access into all lanes of V2, and the offsets of its lanes into V3.
func (m *machine) handleLanes(in *vcode.Inst) {
	m.stridedOffsets(in, 0)
	m.RI(LSRI|W, X0, m.gen(in.Uses[0], X0), target.HandleShift)
	m.splat(2, X0)
}
