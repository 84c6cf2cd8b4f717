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

// bound is a program and what stands at each of its resources, as far as that is the
// same for all of a draw.
type bound struct {
	program exec.Program
	args    *compute.Args
	fixed   [][]exec.Buffer // by resource
	own     []int           // by resource: the binding of what is not the same; −1 of others
	lists   [][]exec.Buffer // of resources whose descriptors are put together here
}

// bind finds what stands at each resource of a program.
func (b *bound) bind(p exec.Program, a *compute.Args, o *own) error {
	b.program, b.args = p, a
	b.fixed, b.own = b.fixed[:0], b.own[:0]
	for len(b.lists) < len(p.IR().Res) {
		b.lists = append(b.lists, nil)
	}
	for i, x := range p.IR().Res {
		list, changes := b.lists[i][:0], -1
		switch at := (compute.Binding{Set: x.Set, Binding: x.Binding}); {
		case x.Set == ownSet && x.Kind == ir.Texels:
			list = append(list, o.views[x.Binding].Memory())
		case x.Set == ownSet && x.Kind == ir.ImageShape:
			list = append(list, o.views[x.Binding].Shape())
		case x.Set == ownSet && x.Binding < bindDepth:
			changes = int(x.Binding)
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
			b.fixed, b.own = append(b.fixed, bound), append(b.own, -1)
			continue
		}
		b.lists[i] = list
		b.fixed, b.own = append(b.fixed, list), append(b.own, changes)
	}
	return nil
}

// forget lets go of all but memory.
func (b *bound) forget() {
	clear(b.fixed)
	for _, list := range b.lists {
		clear(list)
	}
	b.program, b.args = nil, nil
}

// run is a program's job, used again for each.
type run struct {
	job   exec.Job
	lists [][]exec.Buffer // of the draw's own resources
}

// bind binds what a program finds, for one worker.
func (r *run) bind(b *bound, o *own) {
	for len(r.lists) < len(b.own) {
		r.lists = append(r.lists, nil)
	}
	r.job.Resources = append(r.job.Resources[:0], b.fixed...)
	for i, binding := range b.own {
		if binding >= 0 {
			r.lists[i] = append(r.lists[i][:0], o.buffers[binding])
			r.job.Resources[i] = r.lists[i]
		}
	}
	a := b.args
	r.job.Regions, r.job.Push = a.Regions, a.Push
	r.job.Workers, r.job.Budget, r.job.Log = 1, a.Budget, a.Log
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
func (r *run) groups(ctx context.Context, b *bound, n uint32) error {
	r.job.Groups = [3]uint32{n, 1, 1}
	return b.program.Run(ctx, &r.job)
}
