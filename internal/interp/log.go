package interp

// log: each lane that is no helper begins a message.
func (s *subgroup) log(in *inst) {
	lanes, p := s.A.Without(s.helper), s.w.p.p
	if p.Messages[in.key.Aux].IsBareEvent() {
		s.w.job.Log.Event(p, s.w.group, s.invocation(0), lanes, uint32(in.key.Aux), nil, nil)
		return
	}
	for lane := range lanes.All {
		s.w.job.Log.Begin(p, s.w.group, s.invocation(lane), uint32(in.key.Aux))
	}
}

// logArg: each of them adds a value to its last message.
func (s *subgroup) logArg(in *inst) {
	x := s.reg(in.x)
	for lane := range s.A.Without(s.helper).All {
		s.w.job.Log.AddArg(s.w.group, s.invocation(lane), x[lane])
	}
}

// logEvent: they log a message with its values.
func (s *subgroup) logEvent(in *inst) {
	lanes := s.A
	if !s.w.p.p.Messages[in.key.Aux].Event.Kind.OfQuads() {
		lanes = lanes.Without(s.helper)
	}
	s.w.job.Log.Event(s.w.p.p, s.w.group, s.invocation(0), lanes, uint32(in.key.Aux), s.reg(in.x), s.reg(in.y))
}

// invocation returns the number of a lane in its workgroup.
func (s *subgroup) invocation(lane int) uint32 { return s.index*uint32(s.w.lanes) + uint32(lane) }
