package jit

// ray serves the rays of the active lanes at slots of a variable.
func (c *serviceCall) ray() {
	base, slots := c.variable()
	c.serveRays(uint32(base), uint32(slots))
}

// indirectRay serves the rays of the active lanes at addresses.
func (c *serviceCall) indirectRay() { c.serveRays(0, c.variant.source.PrivateSlots()) }

// serveRays calls the service once for the whole strip.
func (c *serviceCall) serveRays(base, limit uint32) {
	rays := &c.rays
	rays.Begin(c.private(), int(c.variant.code.Record.Lanes))
	for lane := range c.active.All {
		rays.Add(lane, base, limit, c.use(0, lane), c.use(1, lane))
	}
	c.job.Rays.ServeRays(rays)
}
