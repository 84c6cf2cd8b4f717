package interp

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The operations at which the active lanes of a subgroup meet.

// elect: 1 for the lowest active lane.
func (s *subgroup) elect(in *inst) {
	var first exec.Lanes
	lane := s.A.First()
	first[lane>>6] = 1 << (lane & 63)
	s.setBool(in, first)
}

// any: whether the operand is 1 in an active lane.
func (s *subgroup) any(in *inst) { s.setAll(in, truth(!s.ones(in.x).Empty())) }

// all: whether the operand is 1 in all active lanes.
func (s *subgroup) all(in *inst) { s.setAll(in, truth(s.ones(in.x) == s.A)) }

// alleq: whether the operand is the same in all active lanes; floats by feq,
// so that a NaN is not the same as itself.
func (s *subgroup) allEq(in *inst) {
	equal := ir.Eq
	if in.key.From.IsFloat() {
		equal = ir.FEq
	}
	x := s.reg(in.x)
	first := x[s.A.First()]
	same := true
	for _, lane := range s.active() {
		same = same && equal.Row().Eval(in.key, first, x[lane], 0) != 0
	}
	s.setAll(in, truth(same))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// ballot #i: the operand of the lanes 32·i to 32·i+31, as bits.
func (s *subgroup) ballot(in *inst) {
	set := s.ones(in.x)
	i := in.key.Aux
	s.setAll(in, set[i>>1]>>(32*(i&1))&0xffffffff)
}

// shuf x, i: x of lane i; 0 if it is not active.
func (s *subgroup) shuf(in *inst) {
	x, dst := s.copyReg(in.x), s.reg(in.dst)
	i := s.reg(in.y)
	for _, lane := range s.active() {
		from := i[lane]
		dst[lane] = 0
		if s.A.Has(uint32(from)) {
			dst[lane] = x[from]
		}
	}
}

// quadswap x, #imm: x of the lane of the quad that is beside it, below, or both; the
// lane's own if that lane is not active.
func (s *subgroup) quadSwap(in *inst) {
	x, dst := s.copyReg(in.x), s.reg(in.dst)
	across := int(s.w.p.p.QuadLane(in.key.Aux))
	for _, lane := range s.active() {
		from := lane ^ across
		if !s.A.Has(uint32(from)) {
			from = lane
		}
		dst[lane] = x[from]
	}
}

// laneValues is a value in all lanes of the largest subgroup.
type laneValues [128]uint64

// copyReg returns a register that does not change as others are written.
func (s *subgroup) copyReg(reg int) (x laneValues) {
	copy(x[:], s.reg(reg))
	return x
}

// operands returns a register in which the lanes that are not active hold the
// identity.
func (s *subgroup) operands(in *inst) (x laneValues, identity uint64) {
	identity = ir.Identity(operator(in), in.key.Type)
	x = s.copyReg(in.x)
	for lane := range s.w.lanes {
		if !s.A.Has(uint32(lane)) {
			x[lane] = identity
		}
	}
	return x, identity
}

func operator(in *inst) ir.Op { return ir.Op(in.key.Aux & 0xff) }

// cluster returns how many lanes combine.
func (s *subgroup) cluster(in *inst) int {
	if n := int(in.key.Aux >> 8); n > 0 {
		return n
	}
	return s.w.lanes
}

// reduce: for k = 1, 2, 4, …: x[i] ← op(x[i], x[i+k]) for i ≡ 0 mod 2k, then a
// broadcast within each cluster.
func (s *subgroup) reduce(in *inst) {
	x, _ := s.operands(in)
	n := s.cluster(in)
	for k := 1; k < n; k *= 2 {
		for i := 0; i < s.w.lanes; i += 2 * k {
			x[i] = in.eval(in.key, x[i], x[i+k], 0)
		}
	}
	dst := s.reg(in.dst)
	for _, lane := range s.active() {
		dst[lane] = x[lane&^(n-1)]
	}
}

// scan: for k = 1, 2, 4, …: x[i] ← op(x[i−k], x[i]) if i−k is in the
// cluster. Lanes descend so that all read the values of the previous step.
func (s *subgroup) scan(in *inst) (x laneValues, identity uint64) {
	x, identity = s.operands(in)
	n := s.cluster(in)
	for k := 1; k < n; k *= 2 {
		for i := s.w.lanes - 1; i >= 0; i-- {
			if i&(n-1) >= k {
				x[i] = in.eval(in.key, x[i-k], x[i], 0)
			}
		}
	}
	return x, identity
}

// scani: the inclusive scan.
func (s *subgroup) scanInclusive(in *inst) {
	x, _ := s.scan(in)
	dst := s.reg(in.dst)
	for _, lane := range s.active() {
		dst[lane] = x[lane]
	}
}

// scanx: the inclusive scan shifted up by one active lane; each cluster begins
// with the identity.
func (s *subgroup) scanExclusive(in *inst) {
	x, identity := s.scan(in)
	n := s.cluster(in)
	dst := s.reg(in.dst)
	previous, cluster := 0, -1
	for _, lane := range s.active() {
		if lane/n != cluster {
			dst[lane] = identity
		} else {
			dst[lane] = x[previous]
		}
		previous, cluster = lane, lane/n
	}
}
