package compose

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// OwnResources are the resources that a stage binds itself, by binding number.
type OwnResources struct {
	Buffers [maxOwnBindings]exec.Buffer
	Views   [maxOwnBindings]*texture.View
	PerRun  uint32 // buffers below this binding change from run to run
	Owned   bool   // the memory of views is owned (exec.Buffer)
}

// maxOwnBindings is the number of bindings in a stage's own set.
const maxOwnBindings = 64

// Binding is a program with its resources, as far as they are the same for all of its runs.
type Binding struct {
	Program exec.Program
	args    *compute.Args
	fixed   [][]exec.Buffer // by resource
	perRun  []int           // by resource: the own binding if it changes from run to run; −1 otherwise
	lists   [][]exec.Buffer // by resource: backing memory of fixed

	shared []*exec.List // by resource: see exec.Job
}

// Resolve resolves the resources of a program of a stage: own resources from o, all others from the arguments.
func (b *Binding) Resolve(p exec.Program, stage ir.Stage, a *compute.Args, o *OwnResources) error {
	of := a.Of(stage)
	b.Program, b.args = p, a
	b.fixed, b.perRun, b.shared = b.fixed[:0], b.perRun[:0], b.shared[:0]
	for len(b.lists) < len(p.IR().Res) {
		b.lists = append(b.lists, nil)
	}
	for i, x := range p.IR().Res {
		if x.Set != compute.OwnSet {
			bound, shared, err := of.Bound(x, &b.lists[i])
			if err != nil {
				return err
			}
			b.fixed, b.perRun, b.shared = append(b.fixed, bound), append(b.perRun, -1), append(b.shared, shared)
			continue
		}
		list, changes := b.lists[i][:0], -1
		switch {
		case x.Kind == ir.Texels:
			memory := o.Views[x.Binding].Memory()
			memory.Owned = o.Owned
			list = append(list, memory)
		case x.Kind == ir.ImageShape:
			list = append(list, o.Views[x.Binding].Shape())
		case x.Binding < o.PerRun:
			changes = int(x.Binding)
		default:
			list = append(list, o.Buffers[x.Binding])
		}
		b.lists[i] = list
		b.fixed, b.perRun, b.shared = append(b.fixed, list), append(b.perRun, changes), append(b.shared, nil)
	}
	return nil
}

// Like makes b a binding of the resources of x, with arguments that differ in the push constants alone. The resources are
// valid until the Release of x.
func (b *Binding) Like(x *Binding, a *compute.Args) {
	b.Program, b.args = x.Program, a
	b.fixed, b.perRun, b.shared = append(b.fixed[:0], x.fixed...), append(b.perRun[:0], x.perRun...), append(b.shared[:0], x.shared...)
}

// Fits reports whether another program can take the place of the program: it has the same resources.
func (b *Binding) Fits(p exec.Program) bool {
	return p == b.Program || slices.Equal(p.IR().Res, b.Program.IR().Res)
}

// Rebind makes b a binding of a program that fits x, with the stage's own resources of x and all others from the arguments. The own
// resources are valid until the Release of x.
func (b *Binding) Rebind(x *Binding, p exec.Program, stage ir.Stage, a *compute.Args) error {
	b.Like(x, a)
	b.Program = p
	of, resources := a.Of(stage), b.Program.IR().Res
	for len(b.lists) < len(resources) {
		b.lists = append(b.lists, nil)
	}
	for i := range resources {
		if resources[i].Set == compute.OwnSet {
			continue
		}
		var err error
		if b.fixed[i], b.shared[i], err = of.Bound(resources[i], &b.lists[i]); err != nil {
			return err
		}
	}
	return nil
}

// Keep makes the resources of b its own: they outlive the binding that b is like.
func (b *Binding) Keep() {
	for len(b.lists) < len(b.fixed) {
		b.lists = append(b.lists, nil)
	}
	for i, list := range b.fixed {
		if b.perRun[i] < 0 && b.shared[i] == nil {
			b.lists[i] = append(b.lists[i][:0], list...)
			b.fixed[i] = b.lists[i]
		}
	}
}

// BindsOwn reports whether a program has an own resource of a kind at a binding.
func BindsOwn(p *ir.Program, kind ir.ResourceKind, binding uint32) bool {
	return slices.ContainsFunc(p.Res, func(r ir.Resource) bool {
		return r.Set == compute.OwnSet && r.Kind == kind && r.Binding == binding
	})
}

// Release drops all references. Memory is retained.
func (b *Binding) Release() {
	clear(b.fixed)
	clear(b.shared)
	for _, list := range b.lists {
		clear(list)
	}
	b.Program, b.args = nil, nil
}

// Runner is a reusable job of a program. Each worker has its own.
type Runner struct {
	Job   exec.Job
	lists [][]exec.Buffer // by resource: those that change from run to run

	session exec.Session
}

// Bind completes the resources of the job with those that change from run to run.
func (r *Runner) Bind(b *Binding, o *OwnResources) {
	for len(r.lists) < len(b.perRun) {
		r.lists = append(r.lists, nil)
	}
	r.Job.Resources = append(r.Job.Resources[:0], b.fixed...)
	r.Job.Lists = append(r.Job.Lists[:0], b.shared...)
	for i, binding := range b.perRun {
		if binding >= 0 {
			r.lists[i] = append(r.lists[i][:0], o.Buffers[binding])
			r.Job.Resources[i] = r.lists[i]
		}
	}
	a := b.args
	r.Job.Regions, r.Job.Rays, r.Job.Push = a.Regions, a.Rays, a.Push
	r.Job.Workers, r.Job.Budget, r.Job.Log, r.Job.Hook, r.Job.Schedule = 1, a.Budget, a.Log, a.Hook, a.Schedule
}

// RunGroups runs n workgroups until stop is set. The program and its resources must not be closed before End.
func (r *Runner) RunGroups(ctx context.Context, b *Binding, n uint32, stop *atomic.Bool) error {
	return r.RunGroupsFrom(ctx, b, 0, n, stop)
}

// RunGroupsFrom runs n workgroups, whose numbers begin with first, until stop is set.
func (r *Runner) RunGroupsFrom(ctx context.Context, b *Binding, first, n uint32, stop *atomic.Bool) error {
	r.Job.Base, r.Job.Groups = [3]uint32{first, 0, 0}, [3]uint32{n, 1, 1}
	return r.session.Run(ctx, b.Program, &r.Job, stop)
}

// End drops everything that is retained between runs.
func (r *Runner) End() { r.session.End() }
