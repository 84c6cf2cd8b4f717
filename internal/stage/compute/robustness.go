package compute

import (
	"maps"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Robustness is the behaviour of a pipeline's stage outside the ranges of its
// descriptors (VkPipelineRobustnessCreateInfo): by kind of resource, and by
// binding. In Vulkan it belongs to the pipeline or to a stage of it.
type Robustness struct {
	Storage, Uniform exec.Robustness

	// Images is the behaviour of reads and fetches outside an image: from Robust on the alpha of a format
	// without alpha reads 0, which robustImageAccess permits and robustImageAccess2 does not.
	Images exec.Robustness

	// Vertex is the behaviour of vertex inputs: from Robust on the bytes after a bound range can be read.
	Vertex exec.Robustness

	// Bindings has places that ask for something else.
	Bindings map[Binding]exec.Robustness
}

// Of returns the arguments with the robustness and the sets of a stage. It allocates only if the stage has some of its own.
func (a *Args) Of(s ir.Stage) *Args {
	r, sets := a.StageRobustness[s], a.StageSets[s]
	if r == nil && sets == nil {
		return a
	}
	b := *a
	if r != nil {
		b.Robustness = *r
	}
	if sets != nil {
		b.Sets = sets
	}
	return &b
}

// Of returns the behaviour of a resource of a kind at a set and binding.
func (r *Robustness) Of(at Binding, kind ir.ResourceKind) exec.Robustness {
	if x, ok := r.Bindings[at]; ok {
		return x
	}
	if kind == ir.UniformBuffer {
		return r.Uniform
	}
	return r.Storage
}

// VertexInput returns a vertex buffer with the bytes that the vertex stage can read. All of them are in its range,
// because an attribute is fetched only if it is wholly in the range.
func (a *Args) VertexInput(b exec.Buffer) exec.Buffer {
	r := &a.Robustness
	if own := a.StageRobustness[ir.Vertex]; own != nil {
		r = own
	}
	switch n := b.Range(); {
	case n < 0 || b.Beyond < 0: // Job.Check reports it
		return b
	case r.Vertex < exec.Robust:
		return exec.Buffer{Bytes: b.Bytes[:n:n]}
	}
	return exec.Buffer{Bytes: b.Bytes}
}

// Equal reports whether two stages have the same behaviour.
func (r *Robustness) Equal(o *Robustness) bool {
	return r.Storage == o.Storage && r.Uniform == o.Uniform && r.Images == o.Images && r.Vertex == o.Vertex && maps.Equal(r.Bindings, o.Bindings)
}

// restrict returns the descriptors with the bytes that the program reaches: bound, or a list in memory, which may hold
// bound already.
func (r *Robustness) restrict(at Binding, kind ir.ResourceKind, bound []exec.Buffer, memory *[]exec.Buffer) []exec.Buffer {
	level := r.Of(at, kind)
	for i := range bound {
		if bound[i].Beyond == 0 {
			continue // most often all are such
		}
		*memory = append((*memory)[:0], bound...)
		for k, b := range *memory {
			(*memory)[k] = level.Restrict(b, kind)
		}
		return *memory
	}
	return bound
}
