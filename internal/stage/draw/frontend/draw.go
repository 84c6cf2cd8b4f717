package frontend

import (
	"context"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Draw is a draw's share of the front end: its compiled programs and their resources. It belongs to
// a recorded draw and outlives its recording: all workers that bin the draw read it at the same time
// and do not change it.
type Draw struct {
	Pipeline *Pipeline
	state    *state.State
	Args     *state.Args
	MinBatch int // minimum for the set-up program; 0 disables it

	// InPlace makes the triangles of the set-up program the primitives of fragments. The draw has at most
	// MaxInPlace triangles and passes CanBeInPlace.
	InPlace bool
	// Depth and Linear: fragments of triangles in place read the depth, and weights of linear interpolation.
	Depth, Linear bool

	// PerDraw: the vertices of the draw cannot share a chunk with the vertices of another draw, even one with the same resources.
	PerDraw bool

	vertexKey    vertexKey
	primitiveKey primitiveKey
	batchKey     batchKey

	heldVertex    *compute.Variant[vertexKey]
	heldPrimitive [numPrimitiveStages]*compute.Variant[primitiveKey]
	heldBatch     *compute.Variant[batchKey] // set-up program of triangles or lines; nil if there are too few of them

	vertexBinding     compose.Binding
	primitiveBindings [numPrimitiveStages]compose.Binding
	batchBinding      compose.Binding
	batchArgs         compute.Args                     // the set-up program has no instruction budget
	programs          [numPrimitiveStages]exec.Program // of primitiveBindings
}

// Begin begins a draw. It holds pointers to the arguments and the state.
func (d *Draw) Begin(p *Pipeline, a *state.Args, s *state.State) {
	d.Pipeline, d.Args, d.state, d.MinBatch = p, a, s, 0
	d.InPlace, d.Depth, d.Linear = false, false, false
	d.vertexKey = vertexKey{s.Vertex, a.Feedback != nil}
	// Other divisors count instances from the first one of the draw.
	d.PerDraw = p.perDraw || a.Feedback != nil || slices.ContainsFunc(s.Vertex.Bindings, func(b state.VertexBinding) bool { return b.Instance && b.Divisor != 1 })
}

// Acquire compiles or finds the programs. Release must follow, even after an error. The caller holds
// the pipeline's lock. A missing program is compiled here, at the first draw with its key, because
// vertex formats are known only now.
func (d *Draw) Acquire(ctx context.Context, e exec.Engine, o exec.Options) (err error) {
	p, a := d.Pipeline, &d.Args.Shader
	if p.stages.Mesh == nil {
		d.heldVertex, err = p.vertexVariants.Acquire(ctx, &d.vertexKey, e, o, a.Of(ir.Vertex))
	}
	if err != nil {
		return err
	}
	for i, from := range p.stages.primitiveStages() {
		if from == nil {
			continue
		}
		d.primitiveKey.captures = d.Args.Feedback != nil && from == p.stages.last()
		if d.heldPrimitive[i], err = p.primitivePrograms[i].Acquire(ctx, &d.primitiveKey, e, o, a.Of(from.Stage)); err != nil {
			return err
		}
	}
	if d.MinBatch > 0 {
		return d.acquireBatch(ctx, e)
	}
	return nil
}

// acquireBatch is Acquire for the set-up program.
func (d *Draw) acquireBatch(ctx context.Context, e exec.Engine) (err error) {
	d.batchKey = batchKey{d.InPlace, d.InPlace && d.Depth, d.InPlace && d.Linear, d.setsUpLines()}
	// The set-up program is Chiaro's own and has no loop, so that limits for shaders do not
	// apply to it.
	d.heldBatch, err = d.Pipeline.batchVariants.Acquire(ctx, &d.batchKey, e, exec.Options{}, &d.batchArgs)
	return err
}

// setsUpLines reports whether the set-up program is for lines.
func (d *Draw) setsUpLines() bool {
	return state.Corners(d.state.Assembly.Topology) == 2 && !d.Pipeline.ReadsPrimitives()
}

// AddBatch adds the set-up program, for chunks of at least n triangles, to a draw with bound programs. The caller holds the
// pipeline's lock.
func (d *Draw) AddBatch(ctx context.Context, e exec.Engine, n int, o *compose.OwnResources) error {
	if err := d.acquireBatch(ctx, e); err != nil {
		return err
	}
	d.MinBatch = n
	return d.batchBinding.Resolve(d.heldBatch.Program, ir.Compute, &d.batchArgs, o)
}

// PushBytes returns the size of the push constants that the vertex program reads.
func (d *Draw) PushBytes() uint32 { return d.heldVertex.Program.IR().PushBytes }

// Resolve resolves the resources of the programs.
func (d *Draw) Resolve(o *compose.OwnResources) error {
	args, stages := &d.Args.Shader, d.Pipeline.stages.primitiveStages()
	if d.heldVertex != nil {
		if err := d.vertexBinding.Resolve(d.heldVertex.Program, ir.Vertex, args, o); err != nil {
			return err
		}
	}
	for i, v := range d.heldPrimitive {
		if v == nil {
			continue
		}
		d.programs[i] = v.Program
		if err := d.primitiveBindings[i].Resolve(v.Program, stages[i].Stage, args, o); err != nil {
			return err
		}
	}
	if d.heldBatch != nil {
		return d.batchBinding.Resolve(d.heldBatch.Program, ir.Compute, &d.batchArgs, o)
	}
	return nil
}

// Like makes d a draw like x, whose arguments differ in push constants and numbers of vertices and instances alone. Release must
// follow before the Release of x.
func (d *Draw) Like(x *Draw, a *state.Args, s *state.State) {
	d.Pipeline, d.Args, d.state, d.MinBatch, d.InPlace, d.vertexKey = x.Pipeline, a, s, x.MinBatch, x.InPlace, vertexKey{}
	d.PerDraw = x.PerDraw
	d.heldVertex = x.heldVertex.Use()
	d.vertexBinding.Like(&x.vertexBinding, &a.Shader)
	for i, v := range x.heldPrimitive {
		if v != nil {
			d.heldPrimitive[i], d.programs[i] = v.Use(), x.programs[i]
			d.primitiveBindings[i].Like(&x.primitiveBindings[i], &a.Shader)
		}
	}
	if x.heldBatch != nil {
		d.heldBatch = x.heldBatch.Use()
		d.batchBinding.Like(&x.batchBinding, &d.batchArgs)
	}
}

// LikeState makes d a draw like x, with other sets of descriptors, too. Release must follow before the Release of x,
// even after an error. The caller holds the pipeline's lock. It reports whether x has the same programs: then Rebind finds their
// resources, else Resolve.
func (d *Draw) LikeState(ctx context.Context, x *Draw, a *state.Args, s *state.State, e exec.Engine, o exec.Options) (equal bool, err error) {
	d.Like(x, a, s)
	equal = true
	if d.heldVertex != nil {
		v, err := d.Pipeline.vertexVariants.AcquireLike(ctx, x.heldVertex, e, o, a.Shader.Of(ir.Vertex))
		if err != nil {
			return false, err
		}
		d.heldVertex.Release()
		d.heldVertex, equal = v, v == x.heldVertex
	}
	for i, held := range x.heldPrimitive {
		if held == nil {
			continue
		}
		v, err := d.Pipeline.primitivePrograms[i].AcquireLike(ctx, held, e, o, a.Shader.Of(d.Pipeline.stages.primitiveStages()[i].Stage))
		if err != nil {
			return false, err
		}
		d.heldPrimitive[i].Release()
		d.heldPrimitive[i], equal = v, equal && v == held
	}
	return equal, nil
}

// Rebind resolves the resources of descriptor sets, and has all others from x, which has the same programs.
func (d *Draw) Rebind(x *Draw) error {
	args := &d.Args.Shader
	if d.heldVertex != nil {
		if err := d.vertexBinding.Rebind(&x.vertexBinding, x.vertexBinding.Program, ir.Vertex, args); err != nil {
			return err
		}
	}
	for i, v := range d.heldPrimitive {
		if v == nil {
			continue
		}
		if err := d.primitiveBindings[i].Rebind(&x.primitiveBindings[i], v.Program, d.Pipeline.stages.primitiveStages()[i].Stage, args); err != nil {
			return err
		}
	}
	return nil
}

// Keep makes the resources of the programs the draw's own: they outlive the draw that it is like. A chain of draws that are like
// each other has the lists of the first one, and the release of the first one empties them.
func (d *Draw) Keep() {
	if d.heldVertex != nil {
		d.vertexBinding.Keep()
	}
	for i, v := range d.heldPrimitive {
		if v != nil {
			d.primitiveBindings[i].Keep()
		}
	}
	if d.heldBatch != nil {
		d.batchBinding.Keep()
	}
}

// Overlaps reports whether a resource of the programs shares bytes with memory. The pass then
// finishes all earlier draws, because tiles that are not shaded yet would show old texels.
func (d *Draw) Overlaps(memory [][]byte) bool {
	if d.heldVertex != nil && d.vertexBinding.Overlaps(memory) {
		return true
	}
	for i := range d.primitiveBindings {
		if d.programs[i] != nil && d.primitiveBindings[i].Overlaps(memory) {
			return true
		}
	}
	return false
}

// Release releases the programs. Memory is retained for the next draw.
func (d *Draw) Release() {
	if d.heldVertex != nil {
		d.heldVertex.Release()
	}
	for _, v := range d.heldPrimitive {
		if v != nil {
			v.Release()
		}
	}
	if d.heldBatch != nil {
		d.heldBatch.Release()
	}
	d.heldVertex, d.heldPrimitive, d.heldBatch = nil, [numPrimitiveStages]*compute.Variant[primitiveKey]{}, nil
	d.vertexBinding.Release()
	d.batchBinding.Release()
	for i := range d.primitiveBindings {
		d.primitiveBindings[i].Release()
		d.programs[i] = nil
	}
	d.Pipeline, d.Args, d.state, d.vertexKey = nil, nil, nil, vertexKey{}
}
