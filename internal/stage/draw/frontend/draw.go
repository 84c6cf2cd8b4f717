package frontend

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Draw is a draw's programs before the rasterizer, with all that they read and write.
type Draw struct {
	Pipeline *Pipeline
	state    *state.State
	Args     *state.Args
	MinBatch int // triangles that the set-up program takes at least; 0: it is not used

	vertexKey    vertexKey
	primitiveKey primitiveKey

	heldVertex    *compose.Variant[vertexKey]
	heldPrimitive [numPrimitiveStages]*compose.Variant[primitiveKey]
	heldBatch     *compose.Variant[batchKey] // of the program that sets up triangles; nil: they are too few

	vertexBinding     compose.Binding
	primitiveBindings [numPrimitiveStages]compose.Binding
	batchBinding      compose.Binding
	batchArgs         compute.Args                     // of a program without a budget
	programs          [numPrimitiveStages]exec.Program // of middleBound
}

// Begin begins a draw. Its arguments and state must stay where they are.
func (d *Draw) Begin(p *Pipeline, a *state.Args, s *state.State) {
	d.Pipeline, d.Args, d.state, d.MinBatch = p, a, s, 0
	d.vertexKey = vertexKey{s.Vertex, a.Feedback != nil}
}

// Acquire holds the programs. What it holds release gives back, also where it fails.
func (d *Draw) Acquire(e exec.Engine, o exec.Options) (err error) {
	p, a := d.Pipeline, &d.Args.Shader
	if d.heldVertex, err = p.vertexVariants.Acquire(&d.vertexKey, e, o, a); err != nil {
		return err
	}
	for i, from := range p.stages.primitiveStages() {
		if from == nil {
			continue
		}
		d.primitiveKey.captures = d.Args.Feedback != nil && from == p.stages.last()
		if d.heldPrimitive[i], err = p.primitivePrograms[i].Acquire(&d.primitiveKey, e, o, a); err != nil {
			return err
		}
	}
	if d.MinBatch > 0 {
		d.heldBatch, err = p.batchVariants.Acquire(&batchKey{}, e, exec.Options{}, &d.batchArgs)
	}
	return err
}

// Resolve finds what the programs read and write.
func (d *Draw) Resolve(o *compose.OwnResources) error {
	args := &d.Args.Shader
	if err := d.vertexBinding.Resolve(d.heldVertex.Program, args, o); err != nil {
		return err
	}
	for i, v := range d.heldPrimitive {
		if v == nil {
			continue
		}
		d.programs[i] = v.Program
		if err := d.primitiveBindings[i].Resolve(v.Program, args, o); err != nil {
			return err
		}
	}
	if d.heldBatch != nil {
		return d.batchBinding.Resolve(d.heldBatch.Program, &d.batchArgs, o)
	}
	return nil
}

// Overlaps reports whether what is bound to the programs shares bytes with memory.
func (d *Draw) Overlaps(memory [][]byte) bool {
	if d.vertexBinding.Overlaps(memory) {
		return true
	}
	for i := range d.primitiveBindings {
		if d.programs[i] != nil && d.primitiveBindings[i].Overlaps(memory) {
			return true
		}
	}
	return false
}

// Release gives the programs back, and lets go of all but memory.
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
	d.heldVertex, d.heldPrimitive, d.heldBatch = nil, [numPrimitiveStages]*compose.Variant[primitiveKey]{}, nil
	d.vertexBinding.Release()
	d.batchBinding.Release()
	for i := range d.primitiveBindings {
		d.primitiveBindings[i].Release()
		d.programs[i] = nil
	}
	d.Pipeline, d.Args, d.state, d.vertexKey = nil, nil, nil, vertexKey{}
}
