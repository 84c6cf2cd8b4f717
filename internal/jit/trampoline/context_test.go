package trampoline

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// TestContextOffsets compares the offsets that generated code has with the struct.
func TestContextOffsets(t *testing.T) {
	var c Context
	for name, o := range map[string][2]uintptr{
		"PC":           {target.OffPC, unsafe.Offsetof(c.PC)},
		"Stack":        {target.OffStack, unsafe.Offsetof(c.Stack)},
		"exitPC":       {target.OffExitPC, unsafe.Offsetof(c.exitPC)},
		"Status":       {target.OffStatus, unsafe.Offsetof(c.Status)},
		"poll":         {target.OffPoll, unsafe.Offsetof(c.poll)},
		"pollExpected": {target.OffPollExpected, unsafe.Offsetof(c.pollExpected)},
		"Service":      {target.OffService, unsafe.Offsetof(c.Service)},
		"Frame":        {target.OffFrame, unsafe.Offsetof(c.Frame)},
		"Args":         {target.OffArgs, unsafe.Offsetof(c.Args)},
	} {
		if o[0] != o[1] {
			t.Errorf("%s is at %d, code was told %d", name, o[1], o[0])
		}
	}
	if target.Faulted != 3 {
		t.Error("the signal handler writes 3 for Faulted")
	}
}
