package driver

import (
	"runtime"
	"runtime/metrics"
	"sync"
)

// commandBytes is the space that one command may need in Go's heap. largeBytes has in addition one of the areas in which the heap
// grows, arenaBytes.
const (
	commandBytes = 16 << 20
	arenaBytes   = 64 << 20
	largeBytes   = commandBytes + arenaBytes
)

// heapCollection is held by the call that collects.
var heapCollection sync.Mutex

// HeapRoom reports whether Go's heap has free space for a command without more memory of the system than reserve, in bytes. The C side
// asks when the system refuses memory: objects that the application has destroyed leave space in the heap, after a collection.
func HeapRoom(reserve uint64) bool {
	need := uint64(commandBytes)
	if reserve < arenaBytes {
		need = largeBytes
	}
	if freeHeap() >= need {
		return true
	}
	heapCollection.Lock()
	defer heapCollection.Unlock()
	if freeHeap() >= need {
		return true
	}
	runtime.GC()
	return freeHeap() >= need
}

// freeHeap returns the bytes of Go's heap in free spans, with those that were given back to the system and still have their addresses.
func freeHeap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}
