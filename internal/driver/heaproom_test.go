package driver

import "testing"

// TestHeapRoom frees more than a command needs: there is room in the heap, which asks the system for none of it again.
func TestHeapRoom(t *testing.T) {
	garbage := make([]byte, largeBytes)
	garbage[0] = 1
	garbage = nil
	if !HeapRoom(0) {
		t.Errorf("%d bytes are free, of %d that were allocated", freeHeap(), largeBytes)
	}
	if !HeapRoom(arenaBytes) {
		t.Error("no room with a reserve")
	}
	_ = garbage
}
