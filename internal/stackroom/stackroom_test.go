package stackroom

import (
	"runtime"
	"testing"
	"unsafe"
)

// TestMake grows a new stack: the goroutine's frame moves to a stack of at least half of Size.
func TestMake(t *testing.T) {
	moved := make(chan bool)
	go func() {
		var x byte
		p := uintptr(unsafe.Pointer(&x))
		Make()
		moved <- p != uintptr(unsafe.Pointer(&x))
		runtime.KeepAlive(&x)
	}()
	if !<-moved {
		t.Error("the stack of a new goroutine did not grow")
	}
	if n := testing.AllocsPerRun(100, Make); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
