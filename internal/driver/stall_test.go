package driver

import (
	"strings"
	"testing"

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
	p.launch(pipe, layout, set, 1)
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
