package interp

import "github.com/chiaro-gpu/chiaro/internal/exec"

// count adds the number of active lanes of each group to the counter, and 1 for each group with one to the next.
func (s *subgroup) count(in *inst) {
	s.eachGroup(in, s.A, func(n, _ uint64) [3]uint64 { return [3]uint64{n, 1} })
}

// countEdge adds to the three counters of ir.CountEdge for each group.
func (s *subgroup) countEdge(in *inst) {
	s.eachGroup(in, s.ones(in.y), func(n, others uint64) [3]uint64 {
		switch {
		case n == 0:
			return [3]uint64{}
		case others > 0:
			return [3]uint64{1, n, 0}
		}
		return [3]uint64{0, n, 1}
	})
}

// eachGroup adds to the counters of an operation for each of its groups of lanes with an active one: amounts has the numbers of
// active lanes in a set, and of the others. A subgroup is one group unless the operation states fewer lanes.
func (s *subgroup) eachGroup(in *inst, set exec.Lanes, amounts func(n, others uint64) [3]uint64) {
	h := s.reg(in.x)
	size := int(in.key.Aux >> 32)
	if size == 0 {
		size = int(s.w.p.p.SubgroupSize)
	}
	lanes := s.active()
	for len(lanes) > 0 {
		group, n, others := int(lanes[0])/size, uint64(0), uint64(0)
		to := s.w.handles[h[lanes[0]]].bytes
		for len(lanes) > 0 && int(lanes[0])/size == group {
			if set.Has(uint32(lanes[0])) {
				n++
			} else {
				others++
			}
			lanes = lanes[1:]
		}
		for k, by := range amounts(n, others) {
			if b := at(to, 0, in.key.Aux&(1<<32-1)+uint64(8*k), 8); b != nil && by > 0 {
				update(b, func(old uint64) uint64 { return old + by })
			}
		}
	}
}
