package vk

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestFullSubgroups makes pipelines that require full subgroups, with a workgroup that is not as wide as a subgroup: the width must be a
// multiple of it (VUID-VkPipelineShaderStageCreateInfo-flags-02759). A tolerant device runs the workgroups as those without the flag.
func TestFullSubgroups(t *testing.T) {
	for _, tolerant := range []bool{false, true} {
		r := newRig(t, DeviceInfo{Tolerant: tolerant}, storage)
		r.dev.checking = None
		module := must(r.dev.NewShaderModule(context.Background(), code(t, saxpy)))(t)
		p, err := r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module, Flags: enum.StageFlagsRequireFullSubgroups}, Layout: r.pipeline})
		if tolerant != (err == nil) {
			t.Errorf("tolerant %v: %v; want an error if the device is not tolerant", tolerant, err)
		}
		if err != nil {
			continue
		}
		if got := r.runSaxpy(t, p); got != 100+3*5 {
			t.Errorf("y[5] is %v; want %v", got, 100+3*5)
		}
	}
}
