package vk

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// replayOrder is the order of the creations of ray tracing pipelines with the handles of an earlier run, and without: devices that
// cannot mix them need those with handles first, and the two kinds at different times.
type replayOrder struct {
	mu      sync.Mutex
	earlier [2]bool // whether there was a creation without handles, and one with
	current [2]int  // the creations in progress
}

// begin begins a creation. The function that it returns ends it; it is nil if there is an error.
func (r *replayOrder) begin(d *Device, handles [][]byte) (end func(), err error) {
	given := false
	for _, h := range handles {
		given = given || h != nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.checking > None && !d.mayHave("rayTracingPipelineShaderGroupHandleCaptureReplayMixed") {
		switch {
		case given && r.earlier[0] && !r.earlier[1]:
			return nil, usage(vuid.VkRayTracingShaderGroupCreateInfoKHR_rayTracingPipelineShaderGroupHandleCaptureReplayMixed_03603, "the pipeline has handles for a replay and earlier ones had none; the first one must have them")
		case r.current[flag(!given)] > 0:
			return nil, usage(vuid.VkRayTracingShaderGroupCreateInfoKHR_rayTracingPipelineShaderGroupHandleCaptureReplayMixed_03604, "pipelines with and without handles for a replay are created at the same time; must be at different times")
		}
	}
	kind := flag(given)
	r.earlier[kind] = true
	r.current[kind]++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.current[kind]--
	}, nil
}
