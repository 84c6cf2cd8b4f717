package draw

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// own has what the draw itself binds, by binding.
type own struct {
	buffers [bindColor]exec.Buffer
	views   [bindColor + MaxColors]*texture.View
}

// run is a program's job, used again for each.
type run struct {
	job   exec.Job
	lists [][]exec.Buffer // of resources whose descriptors are put together here
}

// bind finds what stands at each resource of a program.
func (r *run) bind(p *ir.Program, a *compute.Args, o *own) error {
	for len(r.lists) < len(p.Res) {
		r.lists = append(r.lists, nil)
		r.job.Resources = append(r.job.Resources, nil)
	}
	r.job.Resources = r.job.Resources[:len(p.Res)]
	for i, x := range p.Res {
		list := r.lists[i][:0]
		switch at := (compute.Binding{Set: x.Set, Binding: x.Binding}); {
		case x.Set == ownSet && x.Kind == ir.Texels:
			list = append(list, o.views[x.Binding].Memory())
		case x.Set == ownSet && x.Kind == ir.ImageShape:
			list = append(list, o.views[x.Binding].Shape())
		case x.Set == ownSet:
			list = append(list, o.buffers[x.Binding])
		case x.Kind == ir.Texels:
			list = appendEach(list, x, a.Images[at], (*texture.View).Memory)
		case x.Kind == ir.ImageShape:
			list = appendEach(list, x, a.Images[at], (*texture.View).Shape)
		case x.Kind == ir.SamplerState:
			list = appendEach(list, x, a.Samplers[at], (*texture.Sampler).State)
		default:
			bound, err := a.Bound(x)
			if err != nil {
				return err
			}
			r.job.Resources[i] = bound
			continue
		}
		r.lists[i], r.job.Resources[i] = list, list
	}
	r.job.Regions, r.job.Push = a.Regions, a.Push
	r.job.Workers, r.job.Budget, r.job.Log = a.Workers, a.Budget, a.Log
	return nil
}

// appendEach appends what a program finds of descriptors, of which a resource has no
// more than it declares.
func appendEach[T any](list []exec.Buffer, r ir.Resource, from []T, of func(T) exec.Buffer) []exec.Buffer {
	if r.Count > 0 && uint64(len(from)) > uint64(r.Count) {
		from = from[:r.Count]
	}
	for _, x := range from {
		list = append(list, of(x))
	}
	return list
}

// groups runs so many workgroups.
func (r *run) groups(ctx context.Context, p exec.Program, n uint32) error {
	r.job.Groups = [3]uint32{n, 1, 1}
	return p.Run(ctx, &r.job)
}
