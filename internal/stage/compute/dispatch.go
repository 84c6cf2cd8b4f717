// Package compute dispatches compute programs: it finds the descriptors at the set and
// binding of each resource, has the program compiled for the
// bound images ([Pipeline]), checks the limits of a dispatch, and has an
// engine run the program. All other stages share two parts of it, so that descriptors have
// one meaning: [Args.Bound] resolves a resource, and [Variants] has the compiled programs by
// bound images. It is independent of the engine
// and of the program's work, and owns no descriptor set: it reads slots of sets, or a
// plain map.
//
// It does not use package compose, which puts code of a stage around a program: a compute program is already what engines
// run, and a copy of it without additions would only cost time. Compose is above this package and uses its bindings and
// variants.
package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Binding is the place of a descriptor, or an array of descriptors.
type Binding struct {
	Set, Binding uint32
}

// Args are the arguments of a dispatch.
type Args struct {
	// Groups is the number of workgroups in each dimension, Base is added
	// to WorkgroupId; see exec.Job. Their sum is at most MaxGroups.
	Groups, Base [3]uint32

	// Bindings has the descriptors of each set and binding, by array element. A
	// missing binding or element is the null descriptor; a binding that the
	// program does not use is ignored. A buffer may have bytes after the
	// descriptor's range; Robustness determines whether accesses reach them.
	Bindings map[Binding][]exec.Buffer

	// Inline has the inline uniform blocks: the bytes themselves. A place of it
	// counts before one of Bindings.
	Inline map[Binding][]byte

	// Tensors has the descriptors of tensors, by array element, as Bindings has
	// the descriptors of buffers.
	Tensors map[Binding][]Tensor

	// Images and Samplers have the descriptors of images and samplers, by array
	// element; a combined image sampler is in both. The views of texel
	// buffers are in Images. A nil one is the null descriptor.
	Images   map[Binding][]*texture.View
	Samplers map[Binding][]*texture.Sampler

	// Faults has a word of 32 bits for each descriptor in memory: 0, ir.InvalidDescriptor or ir.AbsentDescriptor. Programs with the
	// sanitizer bounds report them. A binding that is missing has none.
	Faults map[Binding][]byte

	// Heap is the heap of descriptors of resources. The descriptor of a buffer is its
	// address and the length of its range, 64 bits each, at a
	// multiple of ir.HeapDescriptor. It is read when the dispatch begins, and
	// begins at a multiple of 8 in memory. It has MaxHeapBytes at most.
	Heap []byte

	// SamplerHeap is the heap of descriptors of samplers. The descriptor of a
	// sampler, and in Heap of an image, is its index in HeapSamplers or
	// HeapImages and then 0, 64 bits each; a number that is not there is the null
	// descriptor.
	SamplerHeap  []byte
	HeapImages   map[uint64]*texture.View
	HeapSamplers map[uint64]*texture.Sampler

	// HeapView and HeapSampler, not nil, replace HeapImages and HeapSamplers: they return the object of a descriptor,
	// which begins at the first byte of the rest of its heap, or nil. The rest has at least ir.HeapDescriptor bytes.
	HeapView    func(descriptor []byte) *texture.View
	HeapSampler func(descriptor []byte) *texture.Sampler

	// HeapLists, not nil, remembers the objects of the heaps from one command to the next.
	HeapLists *HeapLists

	// Dynamic has the dynamic offsets of descriptors, in bytes, by array
	// element: the distance by which the range of a dynamic buffer is moved up.
	// A missing one is 0.
	Dynamic map[Binding][]uint32

	// Sets has the descriptors by set number; not nil, it replaces the maps Bindings, Inline, Tensors, Images,
	// Samplers and Dynamic.
	Sets []Set

	// StageSets has the stages of graphics with sets of their own; see Of.
	StageSets map[ir.Stage][]Set

	// Shadow returns the shadow of bytes of a buffer, of the same length, or nil; see ir.StorageShadow. Without this function no buffer
	// has a shadow.
	Shadow func(bytes []byte) []byte

	// Robustness is the robustness of the pipeline's stages; all zero is exact. StageRobustness has the
	// stages of graphics with another robustness; see Of.
	Robustness      Robustness
	StageRobustness map[ir.Stage]*Robustness

	// Regions are the allocations that the program may reach by address,
	// sorted by address.
	Regions []exec.Region

	// Rays serves the rays of programs that trace rays.
	Rays exec.RayService

	// Push is the push constants, at most MaxPushBytes, or as many as the program
	// declares: a kernel may have more parameters than a shader. It must have all
	// that the program declares.
	Push []byte

	// Banks are the banks of push constants other than 0, by their numbers.
	Banks map[uint32][]byte

	// Params are the bytes of the resources in OwnSet: the parameters of a program that another stage composed.
	Params []byte

	// Lenient makes a view of another shape than the shader's image the null descriptor. Without it such a view is an error.
	Lenient bool

	Workers int       // see exec.Job
	Budget  uint64    // see exec.Job
	Hook    exec.Hook // see exec.Job
	Log     *exec.Log // see exec.Job

	Schedule func(alternatives int) int // see exec.Job
}

// MaxPushBytes is the size of push constants (maxPushConstantsSize).
const MaxPushBytes = 256

// MaxInlineBytes is the size of an inline uniform block
// (maxInlineUniformBlockSize).
const MaxInlineBytes = 1 << 16

// MaxHeapBytes is the size of a heap of descriptors of resources
// (maxResourceHeapSize): 2²⁰ of the largest descriptors; Vulkan requires 2¹⁵ fewer.
// A dispatch creates a buffer for each slot of it.
const MaxHeapBytes = 1 << 20 * 32

// MaxGroups is the number of workgroups in each dimension of a dispatch
// (maxComputeWorkGroupCount).
func MaxGroups() [3]uint32 { return [3]uint32{1<<31 - 1, 1<<16 - 1, 1<<16 - 1} }

// CheckGroups returns an *exec.LimitError if a dispatch has too many workgroups, counted from 0 and not from base:
// WorkgroupId is below the limit too (VUID-vkCmdDispatchBase-groupCountX-00424).
func CheckGroups(base, groups [3]uint32) error {
	for i, most := range MaxGroups() {
		if n := uint64(base[i]) + uint64(groups[i]); n > uint64(most) {
			return &exec.LimitError{Quantity: fmt.Sprintf("workgroups in %c", "xyz"[i]), Value: n, Max: uint64(most)}
		}
	}
	return nil
}

// Dispatch runs all workgroups of args. It returns an *exec.LimitError if
// args exceed a limit, an *exec.JobError if they do not fit the program,
// and otherwise the result of exec.Program.Run.
func Dispatch(ctx context.Context, prog exec.Program, args Args) error {
	p := prog.IR()
	if err := args.check(p); err != nil {
		return err
	}
	s := idle.Get()
	if s == nil {
		s = &scratch{}
	}
	defer s.recycle()
	s.resize(len(p.Res))
	for i, r := range p.Res {
		bound, shared, err := args.Bound(r, &s.lists[i])
		if err != nil {
			return err
		}
		s.resources[i], s.shared[i] = bound, shared
	}
	s.job = exec.Job{
		Groups:    args.Groups,
		Base:      args.Base,
		Resources: s.resources,
		Lists:     s.shared,
		Regions:   args.Regions,
		Rays:      args.Rays,
		Push:      args.Push,
		Workers:   args.Workers,
		Budget:    args.Budget,
		Hook:      args.Hook,
		Log:       args.Log,
		Schedule:  args.Schedule,
	}
	return prog.Run(ctx, &s.job)
}

// scratch is the memory of a dispatch. It is reused: a dispatch in the steady state allocates nothing.
type scratch struct {
	job       exec.Job
	resources [][]exec.Buffer
	shared    []*exec.List
	lists     [][]exec.Buffer // for Bound, by resource
}

// idle holds at most maxIdle scratches for reuse.
var idle exec.FreeList[scratch]

const maxIdle = 64

// resize makes the lists n long.
func (s *scratch) resize(n int) {
	s.resources = slices.Grow(s.resources[:0], n)[:n]
	s.shared = slices.Grow(s.shared[:0], n)[:n]
	s.lists = slices.Grow(s.lists[:0], n)[:n]
}

// recycle drops all references to descriptors and returns s to the free list.
func (s *scratch) recycle() {
	s.job = exec.Job{}
	clear(s.resources)
	clear(s.shared)
	for i := range s.lists {
		clear(s.lists[i])
	}
	idle.Put(s, maxIdle)
}

func (a *Args) check(p *ir.Program) error {
	if p.Stage != ir.Compute {
		return &exec.JobError{Problem: fmt.Sprintf("%q is a %s program; must be compute", p.Name, p.Stage)}
	}
	if err := CheckGroups(a.Base, a.Groups); err != nil {
		return err
	}
	if n, most := uint64(len(a.Push)), uint64(max(MaxPushBytes, p.PushBytes)); n > most {
		return &exec.LimitError{Quantity: "bytes of push constants", Value: n, Max: most}
	}
	if n := max(len(a.Heap), len(a.SamplerHeap)); n > MaxHeapBytes {
		return &exec.LimitError{Quantity: "bytes of a heap of descriptors", Value: uint64(n), Max: MaxHeapBytes}
	}
	if n := len(a.Push); uint64(n) < uint64(p.PushBytes) {
		return &exec.JobError{Problem: fmt.Sprintf("%d bytes of push constants; must be at least the %d that the program declares", n, p.PushBytes)}
	}
	return nil
}
