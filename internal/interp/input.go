package interp

import "github.com/chiaro-gpu/chiaro/internal/ir"

// input #k reads Program.In[k].
func (s *subgroup) input(in *inst) {
	dst := s.reg(in.dst)
	from := s.inputs[int(in.key.Aux)*s.w.lanes:]
	for lane := range s.A.All {
		dst[lane] = from[lane]
	}
}

// fillInputs computes the inputs of all lanes.
func (s *subgroup) fillInputs() {
	for k, x := range s.w.p.p.In {
		for lane := range s.w.lanes {
			s.inputs[k*s.w.lanes+lane] = uint64(s.builtIn(x.Semantic, uint32(lane))) & x.Type.Mask()
		}
	}
}

// local returns a lane's LocalInvocationId: x is fastest.
func (s *subgroup) local(lane uint32) [3]uint32 {
	size := s.w.p.p.LocalSize
	i := s.index*s.w.p.p.SubgroupSize + lane
	return [3]uint32{i % size[0], i / size[0] % size[1], i / size[0] / size[1]}
}

func (s *subgroup) builtIn(x ir.Semantic, lane uint32) uint32 {
	p, group, local := s.w.p.p, s.w.group, s.local(lane)
	switch x {
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := x - ir.GlobalInvocationIdX
		return group[i]*p.LocalSize[i] + local[i]
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		return local[x-ir.LocalInvocationIdX]
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		return group[x-ir.WorkgroupIdX]
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		return s.w.job.Groups[x-ir.NumWorkgroupsX]
	case ir.LocalInvocationIndex:
		return s.index*p.SubgroupSize + lane
	case ir.SubgroupLocalInvocationId:
		return lane
	case ir.SubgroupId:
		return s.index
	case ir.NumSubgroups:
		return p.Subgroups()
	}
	return 0
}
