package interp

// log: each lane that is no helper begins a message.
func (s *subgroup) log(in *inst) {
	for lane := range s.A.Without(s.helper).All {
		s.w.job.Log.Begin(s.w.p.p, s.w.group, s.invocation(lane), uint32(in.key.Aux))
	}
}

// logArg: each of them adds a value to its last message.
func (s *subgroup) logArg(in *inst) {
	x := s.reg(in.x)
	for lane := range s.A.Without(s.helper).All {
		s.w.job.Log.AddArg(s.w.group, s.invocation(lane), x[lane])
	}
}

// invocation returns the number of a lane in its workgroup.
func (s *subgroup) invocation(lane int) uint32 { return s.index*uint32(s.w.lanes) + uint32(lane) }
