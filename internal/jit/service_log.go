package jit

// log begins a message of each lane that is no helper.
func (c *serviceCall) log() {
	for lane := range c.active.All {
		if !c.isHelper(lane) {
			c.job.Log.Begin(c.group(), c.invocation(lane), uint32(c.site.Key.Aux))
		}
	}
}

// logArg adds a value to the last message of each of them.
func (c *serviceCall) logArg() {
	for lane := range c.active.All {
		if !c.isHelper(lane) {
			c.job.Log.AddArg(c.group(), c.invocation(lane), c.use(0, lane))
		}
	}
}

// invocation returns the number of a lane in its workgroup.
func (c *serviceCall) invocation(lane int) uint32 {
	return uint32(c.subgroupIndex())*c.variant.source.SubgroupSize + uint32(lane)
}
