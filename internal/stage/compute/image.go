package compute

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// clipToDeclared returns of a list of descriptors no more than a resource declares.
func clipToDeclared[T any](r ir.Resource, list []T) []T {
	if r.Count > 0 && uint64(len(list)) > uint64(r.Count) {
		return list[:r.Count]
	}
	return list
}

// textures returns the views and samplers at each resource.
func (a *Args) textures(p *ir.Program) []texture.Bound {
	bound := make([]texture.Bound, len(p.Res))
	for i, r := range p.Res {
		switch r.Kind {
		case ir.Texels:
			bound[i].Views = a.ViewsAt(r)
		case ir.SamplerState:
			bound[i].Samplers = a.SamplersAt(r)
		}
	}
	return bound
}

// resolveAll returns the descriptors that the resources of a program reach.
func resolveAll[T any](list []T, of func(T) exec.Buffer) []exec.Buffer {
	out := make([]exec.Buffer, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}
