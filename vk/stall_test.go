package vk

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestProgress: a dispatch may run for longer than a stall while its workgroups end. Each of them adds to a number so often that all
// together take some tenths of a second or more.
func TestProgress(t *testing.T) {
	const groups, adds = 200, 1 << 16
	r := newRig(t, DeviceInfo{Stall: 100 * time.Millisecond, Workers: 1}, storage)
	text := strings.NewReplacer(
		"%begun = OpConstant %uint 7\n", "%adds = OpConstant %uint 65536\n%bool = OpTypeBool\n%pf = OpTypePointer Function %uint\n",
		"%l = OpLabel\n", "%l = OpLabel\n%n = OpVariable %pf Function %zero\n",
		"OpAtomicStore %px %device %zero %begun\n", "",
		"OpLoopMerge %end %continue None\nOpBranch %continue\n", "%i = OpLoad %uint %n\n%more = OpULessThan %bool %i %adds\nOpLoopMerge %end %continue None\nOpBranchConditional %more %continue %end\n",
		"%continue = OpLabel\n", "%continue = OpLabel\n%old = OpAtomicIAdd %uint %px %device %zero %device\n%next = OpIAdd %uint %i %device\nOpStore %n %next\n",
	).Replace(endless)
	module := must(r.dev.NewShaderModule(context.Background(), code(t, text)))(t)
	p := must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: r.pipeline}))(t)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.Dispatch(groups, 1, 1)
	})
	before := r.dev.Queue().ctx.Progress()
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if n := r.dev.Queue().ctx.Progress() - before; n < 2 {
		t.Errorf("%d parts of the dispatch have ended; must be several", n)
	}
}
