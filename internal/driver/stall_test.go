package driver

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestEndless: a program whose shader does not end loses its device after the time in CHIARO_TIMEOUT. A value that is no time does not
// change the time.
func TestEndless(t *testing.T) {
	t.Setenv("CHIARO_REPORT", "")
	t.Setenv("CHIARO_TIMEOUT", "50ms")
	p := newProgram(t)
	b, _ := p.buffer(4)
	pipe, layout, set := p.kernel(strings.Replace(numbers, "OpReturn\n", "OpBranch %loop\n%loop = OpLabel\nOpLoopMerge %end %next None\nOpBranch %next\n%next = OpLabel\nOpBranch %loop\n%end = OpLabel\nOpReturn\n", 1), b)
	_, c := p.commands()
	must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
	do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
	do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &set})
	factor := uint32(1)
	do(abi.CmdCmdPushConstants, &abi.CmdPushConstantsArgs{CommandBuffer: c, Layout: layout, StageFlags: abi.ShaderStageComputeBit, Size: 4, PValues: unsafe.Pointer(&factor)})
	do(abi.CmdCmdDispatch, &abi.CmdDispatchArgs{CommandBuffer: c, GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
	must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &c}})
	if r := do(abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue}); r != abi.ErrorDeviceLost {
		t.Errorf("the wait returned %d; must be VK_ERROR_DEVICE_LOST", r)
	}
	for _, text := range []string{"ten", "-1s", "10"} {
		t.Setenv("CHIARO_TIMEOUT", text)
		if d := stall(instanceOf(p.instance)); d != defaultStall {
			t.Errorf("CHIARO_TIMEOUT=%s: %v; must be %v", text, d, defaultStall)
		}
	}
}
