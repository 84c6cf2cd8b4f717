package jit

// log begins a message of each lane that is no helper.
func (v *visit) log() {
	for lane := range v.set.All {
		if !v.isHelper(lane) {
			v.job.Log.Begin(v.group(), v.invocation(lane), uint32(v.site.Key.Aux))
		}
	}
}

// logArg adds a value to the last message of each of them.
func (v *visit) logArg() {
	for lane := range v.set.All {
		if !v.isHelper(lane) {
			v.job.Log.AddArg(v.group(), v.invocation(lane), v.use(0, lane))
		}
	}
}

// invocation returns the number of a lane in its workgroup.
func (v *visit) invocation(lane int) uint32 {
	return uint32(v.current())*v.p.p.SubgroupSize + uint32(lane)
}
