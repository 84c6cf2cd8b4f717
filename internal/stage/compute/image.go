package compute

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// clipToDeclared returns of a list of descriptors no more than a resource declares.
func clipToDeclared[T any](r ir.Resource, list []T) []T {
	if r.Count > 0 && uint64(len(list)) > uint64(r.Count) {
		return list[:r.Count]
	}
	return list
}

// buffersOf writes the buffers of descriptors to memory and returns them.
func buffersOf[T any](memory *[]exec.Buffer, list []T, of func(T) exec.Buffer) []exec.Buffer {
	*memory = (*memory)[:0]
	for _, x := range list {
		*memory = append(*memory, of(x))
	}
	return *memory
}
