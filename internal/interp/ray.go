package interp

// ray slot, request, #var: no effect unless the ray is inside var.
func (s *subgroup) ray(in *inst) {
	v := in.key.Aux
	s.serveRays(in, s.w.bases[v], s.w.p.p.Vars[v].Slots)
}

// rayi addr, request: checked against the whole private memory of the lane.
func (s *subgroup) rayi(in *inst) { s.serveRays(in, 0, s.slots()) }

func (s *subgroup) serveRays(in *inst, base, limit uint32) {
	slot, request := s.reg(in.x), s.reg(in.y)
	c := &s.w.rays
	c.Begin(s.private, s.w.lanes)
	for _, lane := range s.active() {
		c.Add(lane, base, limit, slot[lane], request[lane])
	}
	s.w.job.Rays.ServeRays(c)
}
