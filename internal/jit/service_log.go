package jit

// log starts a message of each lane that is not a helper. Helper invocations print nothing, since a
// message is an effect on memory.
func (c *serviceCall) log() {
	for lane := range c.active.All {
		if !c.isHelper(lane) {
			c.job.Log.Begin(c.program.source, c.group(), c.invocation(lane), uint32(c.site.Key.Aux))
		}
	}
}

// logArg appends a value to the current message of each lane that is not a helper.
func (c *serviceCall) logArg() {
	for lane := range c.active.All {
		if !c.isHelper(lane) {
			c.job.Log.AddArg(c.group(), c.invocation(lane), c.use(0, lane))
		}
	}
}

// invocation returns the local invocation index of a lane.
func (c *serviceCall) invocation(lane int) uint32 {
	return uint32(c.subgroupIndex())*c.variant.source.SubgroupSize + uint32(lane)
}
