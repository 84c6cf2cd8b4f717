package interp

import "github.com/chiaro-gpu/chiaro/internal/ir"

// input #k reads Program.In[k].
func (s *subgroup) input(in *inst) {
	dst := s.reg(in.dst)
	from := s.inputs[int(in.key.Aux)*s.w.lanes:]
	for _, lane := range s.active() {
		dst[lane] = from[lane]
	}
}

// fillInputs computes the inputs of all lanes.
func (s *subgroup) fillInputs() {
	n := s.w.lanes
	for k, x := range s.w.p.p.In {
		to, mask := s.inputs[k*n:k*n+n], x.Type.Mask()
		switch i := x.Semantic; i {
		case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
			axis := i - ir.GlobalInvocationIdX
			s.fillIDs(to, int(axis), s.w.group[axis]*s.w.p.p.LocalSize[axis], mask)
		case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
			s.fillIDs(to, int(i-ir.LocalInvocationIdX), 0, mask)
		case ir.LocalInvocationIndex:
			for lane := range to {
				to[lane] = uint64(s.invocation(lane)) & mask
			}
		case ir.SubgroupLocalInvocationId:
			for lane := range to {
				to[lane] = uint64(lane) & mask
			}
		default:
			bits := uint64(s.uniform(i)) & mask
			for lane := range to {
				to[lane] = bits
			}
		}
	}
}

// fillIDs writes a coordinate of LocalInvocationId, plus base, of all lanes.
func (s *subgroup) fillIDs(to []uint64, axis int, base uint32, mask uint64) {
	size, id := s.w.p.p.LocalSize, s.local(0)
	for lane := range to {
		to[lane] = uint64(base+id[axis]) & mask
		if id[0]++; id[0] == size[0] {
			id[0] = 0
			if id[1]++; id[1] == size[1] {
				id[1] = 0
				id[2]++
			}
		}
	}
}

// local returns a lane's LocalInvocationId: x is fastest.
func (s *subgroup) local(lane uint32) [3]uint32 {
	size := s.w.p.p.LocalSize
	i := s.index*s.w.p.p.SubgroupSize + lane
	return [3]uint32{i % size[0], i / size[0] % size[1], i / size[0] / size[1]}
}

// uniform returns a built-in input that is equal in all lanes.
func (s *subgroup) uniform(x ir.Semantic) uint32 {
	switch x {
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		return s.w.group[x-ir.WorkgroupIdX]
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		return s.w.job.Groups[x-ir.NumWorkgroupsX]
	case ir.SubgroupId:
		return s.index
	case ir.NumSubgroups:
		return s.w.p.p.Subgroups()
	}
	return 0
}
