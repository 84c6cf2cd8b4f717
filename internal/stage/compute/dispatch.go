// Package compute dispatches compute programs: it finds for each resource of
// a program what is bound to its set and binding, checks the limits of a
// dispatch, and has an engine's program run. It knows neither which engine
// that is nor what a program does, and holds no descriptor set: bindings come
// as a plain map.
package compute

import (
	"context"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Binding is the place of a descriptor, or an array of descriptors.
type Binding struct {
	Set, Binding uint32
}

// Args are the arguments of a dispatch.
type Args struct {
	// Groups is the number of workgroups in each dimension, Base what is added
	// to WorkgroupId; see exec.Job.
	Groups, Base [3]uint32

	// Bindings has the descriptors bound to each place, by array element. A
	// place or an element that is missing is the null descriptor; what the
	// program does not use is ignored.
	Bindings map[Binding][]exec.Buffer

	// Regions are the allocations that the program may reach by address,
	// sorted by address.
	Regions []exec.Region

	// Push is the push constants, at most MaxPushBytes. It must have all that
	// the program declares.
	Push []byte

	// Banks are the banks of push constants other than 0, by their numbers.
	Banks map[uint32][]byte

	Workers int       // see exec.Job
	Budget  uint64    // see exec.Job
	Hook    exec.Hook // see exec.Job
	Log     *exec.Log // see exec.Job
}

// MaxPushBytes is the size of push constants (maxPushConstantsSize).
const MaxPushBytes = 256

// MaxGroups is the number of workgroups in each dimension of a dispatch
// (maxComputeWorkGroupCount).
func MaxGroups() [3]uint32 { return [3]uint32{1<<31 - 1, 1<<16 - 1, 1<<16 - 1} }

// Dispatch runs all workgroups of args. It returns an *exec.LimitError where
// args exceed a limit, an *exec.JobError where they do not fit the program,
// and what exec.Program.Run returns.
func Dispatch(ctx context.Context, prog exec.Program, args Args) error {
	p := prog.IR()
	if err := args.check(p); err != nil {
		return err
	}
	job := &exec.Job{
		Groups:    args.Groups,
		Base:      args.Base,
		Resources: make([][]exec.Buffer, len(p.Res)),
		Regions:   args.Regions,
		Push:      args.Push,
		Workers:   args.Workers,
		Budget:    args.Budget,
		Hook:      args.Hook,
		Log:       args.Log,
	}
	for i, r := range p.Res {
		if r.Kind == ir.PushBank {
			job.Resources[i] = []exec.Buffer{{Bytes: args.Banks[r.Binding]}}
			continue
		}
		job.Resources[i] = descriptors(r, args.Bindings[Binding{r.Set, r.Binding}])
	}
	return prog.Run(ctx, job)
}

// descriptors returns those of an array that the program declares: an index
// past its size names the null descriptor, however much is bound.
func descriptors(r ir.Resource, bound []exec.Buffer) []exec.Buffer {
	if r.Count > 0 && uint64(len(bound)) > uint64(r.Count) {
		return bound[:r.Count]
	}
	return bound
}

func (a *Args) check(p *ir.Program) error {
	if p.Stage != ir.Compute {
		return &exec.JobError{What: fmt.Sprintf("%q is a %s program; must be compute", p.Name, p.Stage)}
	}
	for i, most := range MaxGroups() {
		if a.Groups[i] > most {
			return &exec.LimitError{
				What: fmt.Sprintf("workgroups in %c", "xyz"[i]),
				Have: uint64(a.Groups[i]),
				Most: uint64(most),
			}
		}
	}
	if n := len(a.Push); n > MaxPushBytes {
		return &exec.LimitError{What: "bytes of push constants", Have: uint64(n), Most: MaxPushBytes}
	}
	if n := len(a.Push); uint64(n) < uint64(p.PushBytes) {
		return &exec.JobError{What: fmt.Sprintf("%d bytes of push constants; the program declares %d", n, p.PushBytes)}
	}
	return nil
}
