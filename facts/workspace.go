package facts

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/scratch"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// workspace is memory that only the construction of a module needs. No fact refers to it, so the next module
// reuses it.
type workspace struct {
	annot   []int32 // decoration instructions
	entry   []int32 // OpEntryPoint
	mode    []int32 // OpExecutionMode and OpExecutionModeId
	implied []spirv.Capability
	trees   dominators

	numbers scratch.Slab[int32]
	inside  scratch.Slab[*Construct]
	order   scratch.Slab[*Block]
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// maxRetained is the number of elements of a list that the next module reuses.
const maxRetained = 1 << 18

// reset empties the workspace.
func (w *workspace) reset() {
	for _, list := range [...]*[]int32{&w.annot, &w.entry, &w.mode} {
		*list = emptied(*list)
	}
	w.trees.edges = emptied(w.trees.edges)
	w.trees.solver.Reset(maxRetained)
}

// emptied returns the list without elements, and without its memory if that is large.
func emptied[T any](list []T) []T {
	if cap(list) > maxRetained {
		return nil
	}
	return list[:0]
}
