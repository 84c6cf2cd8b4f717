package compute

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Robustness is the behaviour of a pipeline's stage outside the ranges of its
// descriptors (VkPipelineRobustnessCreateInfo): by kind of resource, and by
// binding. In Vulkan it belongs to the pipeline; it does not change the compiled
// program.
type Robustness struct {
	Storage, Uniform exec.Robustness

	// Bindings has places that ask for something else.
	Bindings map[Binding]exec.Robustness
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

// restrict returns the descriptors with the bytes that the program reaches.
func (r *Robustness) restrict(at Binding, kind ir.ResourceKind, bound []exec.Buffer) []exec.Buffer {
	level := r.Of(at, kind)
	for i := range bound {
		if bound[i].Beyond == 0 {
			continue // most often all are such
		}
		reached := make([]exec.Buffer, len(bound))
		for k, b := range bound {
			reached[k] = level.Restrict(b, kind)
		}
		return reached
	}
	return bound
}
