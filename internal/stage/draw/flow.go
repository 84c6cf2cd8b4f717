package draw

import (
	"context"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// flow is vertices behind a stage and the primitives that they make.
type flow struct {
	records    *memory
	vertices   uint32
	topology   Topology
	primitives []primitive

	// Of each primitive the number and the vertices: for a stage that reads primitives.
	parts []uint32
	each  uint32 // vertices of one
}

// words of one primitive in parts.
func (f *flow) words() int { return int(f.each) + 1 }

// middle are the stages between the vertices and the rasterizer.
type middle int

const (
	control middle = iota
	evaluation
	geometry
	numMiddle
)

// Words of the parameters of a program in the middle.
const (
	middleCount    = iota // invocations that there are
	middleFirst           // number of the first one
	middleVertices        // of a primitive
	middleView
	middleWords
)

// between is what a draw works with in the middle.
type between struct {
	flows        [numMiddle]flow // before each of the stages
	middleParams memory
	tessellator  tess.Tessellator
	points       []uint32 // of the domains of patches, pointBytes each
	controlled   memory   // records of the vertices of patches
	patches      memory   // records of patches
	evaluated    memory
	shaped       memory // records that the geometry program emits
	marks        memory // and what it says of them
	strip        []uint32
	captured     memory // what transform feedback takes of vertices
	other        flow   // primitives of a stream that is not rasterised
}

// middle returns the programs in the middle, nil where there is none.
func (s *Stages) middle() [numMiddle]*ir.Program {
	return [numMiddle]*ir.Program{s.TessControl, s.TessEval, s.Geometry}
}

// onward takes the chunk's vertices through the stages behind the vertex program.
func (d *drawing) onward(ctx context.Context) error {
	f := &d.flows[control]
	*f = flow{&d.records, d.chunk.vertices(), d.state.Assembly.Topology, d.chunk.primitives, d.chunk.parts, d.chunk.each}
	if d.programs[evaluation] != nil {
		return d.tessellate(ctx, f)
	}
	return d.shape(ctx, f)
}

// shape takes primitives through the geometry program, if there is one.
func (d *drawing) shape(ctx context.Context, f *flow) error {
	if d.programs[geometry] != nil {
		return d.geometry(ctx, f)
	}
	d.handOn(0, f)
	return d.fragments(ctx, f)
}

// runMiddle runs a program in the middle for so many workgroups; what it reads and
// writes but its parameters is bound.
func (d *drawing) runMiddle(ctx context.Context, i middle, groups, count, first, vertices uint32) error {
	d.middleParams.size(4 * middleWords)
	w := d.middleParams.words(middleWords)
	w[middleCount], w[middleFirst], w[middleVertices], w[middleView] = count, first, vertices, d.params.words(vertexWords)[vertexViewIndex]
	d.own.buffers[bindParams] = shared(d.middleParams.bytes(4 * middleWords))
	d.middle[i].bind(&d.middleBound[i], &d.own)
	return d.middle[i].groups(ctx, &d.middleBound[i], groups)
}

// layMiddle lays out the records behind each stage, and says how the programs in the
// middle are made.
func (p *Pipeline) layMiddle() error {
	s := &p.stages
	if err := s.check(); err != nil {
		return err
	}
	behind := []*ir.Program{s.TessControl, s.TessEval, s.Geometry, s.Fragment}
	lay := func(of *ir.Program, rest []*ir.Program, wanted func(next *ir.Program, o ir.Output) bool) (*record, error) {
		var next *ir.Program
		for i := len(rest) - 1; i >= 0; i-- {
			if rest[i] != nil {
				next = rest[i]
			}
		}
		r := newRecord(of.Out, func(o ir.Output) bool { return wanted(next, o) })
		if r.stride > 4*recordWords {
			return nil, &exec.LimitError{Quantity: "bytes of a vertex's outputs", Value: uint64(r.stride), Max: 4 * recordWords}
		}
		return r, nil
	}
	var err error
	if p.vertexRec, err = lay(s.Vertex, behind, wanted); err != nil {
		return err
	}
	p.rec = p.vertexRec
	if s.TessEval != nil {
		patch := func(o ir.Output) bool { return ofPatch(o.Semantic, o.Patch) }
		if p.controlRec, err = lay(s.TessControl, behind, func(_ *ir.Program, o ir.Output) bool { return !patch(o) }); err != nil {
			return err
		}
		if p.patchRec, err = lay(s.TessControl, behind, func(_ *ir.Program, o ir.Output) bool { return patch(o) }); err != nil {
			return err
		}
		if p.evaluationRec, err = lay(s.TessEval, behind[2:], wanted); err != nil {
			return err
		}
		p.rec = p.evaluationRec
	}
	before := p.rec
	if s.Geometry != nil {
		stream := p.state.Rasterization.Stream
		if p.rec, err = lay(s.Geometry, behind[3:], func(next *ir.Program, o ir.Output) bool { return o.Stream == stream && wanted(next, o) }); err != nil {
			return err
		}
	}
	p.rec.last = true
	if p.captures, err = newCaptures(s.last()); err != nil {
		return err
	}
	for i, make := range [numMiddle]func(*middleKey) (*ir.Program, error){
		func(*middleKey) (*ir.Program, error) {
			return controlProgram(s.TessControl, s.patchVertices(), p.vertexRec, p.controlRec, p.patchRec)
		},
		func(k *middleKey) (*ir.Program, error) {
			return evaluationProgram(s.TessEval, s.patchVertices(), p.controlRec, p.evaluationRec, p.patchRec, p.captured(s.TessEval, k.captures))
		},
		func(k *middleKey) (*ir.Program, error) {
			return geometryProgram(s.Geometry, before, p.rec, p.captured(s.Geometry, k.captures))
		},
	} {
		p.middle[i] = variants[middleKey]{
			equal: func(x, y *middleKey) bool { return *x == *y },
			copy:  func(x *middleKey) middleKey { return *x },
			make:  make,
		}
	}
	return nil
}

// patchVertices is how many vertices a patch has behind the control program: either
// of the two programs may say it.
func (s *Stages) patchVertices() uint32 {
	return max(s.TessControl.OutputVertices, s.TessEval.OutputVertices)
}

// check returns an error where the programs in the middle are no pipeline.
func (s *Stages) check() error {
	for i, stage := range [numMiddle]ir.Stage{ir.TessControl, ir.TessEval, ir.Geometry} {
		x := s.middle()[i]
		if x == nil {
			continue
		}
		if x.Stage != stage {
			return wrong("a %s program where one of stage %s must be", x.Stage, stage)
		}
		if err := x.Verify(); err != nil {
			return fmt.Errorf("draw: the %s program: %w", stage, err)
		}
	}
	if (s.TessControl == nil) != (s.TessEval == nil) {
		return wrong("one of two tessellation programs; must be both or neither")
	}
	if s.TessEval != nil {
		if n := s.patchVertices(); n < 1 || n > maxPatch {
			return wrong("a tessellation control program that makes patches of %d vertices; must be 1 to %d", n, maxPatch)
		}
	}
	if g := s.Geometry; g != nil {
		if g.OutputVertices > maxEmitted || g.Instances > maxInstances {
			return wrong("a geometry program with %d vertices and %d instances; must be at most %d and %d", g.OutputVertices, g.Instances, maxEmitted, maxInstances)
		}
		if s.TessEval != nil {
			if n := tessMode(s.TessControl.Modes | s.TessEval.Modes).Vertices(); uint32(n) != inputVertices(g.Modes) {
				return wrong("tessellated primitives of %d vertices for a geometry program that reads %d", n, inputVertices(g.Modes))
			}
		}
	}
	return nil
}

// reads reports whether a stage reads primitives, or patches.
func (p *Pipeline) reads() bool { return p.stages.TessEval != nil || p.stages.Geometry != nil }

// fits returns an error where the topology is none for the programs.
func (p *Pipeline) fits(s *State) error {
	a := &s.Assembly
	switch {
	case a.Topology == PatchList && p.stages.TessEval == nil:
		return wrong("patches; a pipeline without tessellation draws none")
	case a.Topology != PatchList && p.stages.TessEval != nil:
		return wrong("topology %d; a pipeline with tessellation draws patches", a.Topology)
	case a.Topology == PatchList:
		if a.PatchPoints < 1 || a.PatchPoints > maxPatch {
			return wrong("patches of %d vertices; must be 1 to %d", a.PatchPoints, maxPatch)
		}
	case p.stages.Geometry != nil:
		if n := inputVertices(p.stages.Geometry.Modes); a.vertices() != n {
			return wrong("primitives of %d vertices for a geometry program that reads %d", a.vertices(), n)
		}
	}
	return nil
}
