package frontend

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// vertexKey is everything that the code of a vertex program depends on, apart from the program and
// its records. Formats, strides and divisors are constants of the code, so that a fetch has no
// branches. Buffers and their offsets are not part of it.
type vertexKey struct {
	state.VertexInput
	captures bool // transform feedback is active
}

// primitiveKey is the same for tessellation and geometry programs.
type primitiveKey struct{ captures bool }

// batchKey is the same for the set-up program. The others are words of triangles in place that fragments read: those of the depth
// and the planes of linear weights. Triangles that are copied have all words but Q1C to L2C. With lines, the primitives are lines.
type batchKey struct{ inPlace, depth, linear, lines bool }

// layOut lays out the records between the stages and installs the builders of tessellation and
// geometry programs. Each record has only the outputs that the next existing stage reads:
//
//	vertexRec       vertex → control, geometry or rasterizer
//	controlRec      control → evaluation, by patch vertex
//	patchRec        control → evaluation, by patch
//	evaluationRec   evaluation → geometry or rasterizer
//	Record          the last stage → rasterizer and fragments
func (p *Pipeline) layOut() error {
	s := &p.stages
	if err := s.check(); err != nil {
		return err
	}
	if s.Mesh != nil {
		return p.layOutMesh()
	}
	after := []*ir.Program{s.TessControl, s.TessEval, s.Geometry, s.Fragment}
	lay := func(of *ir.Program, rest []*ir.Program, wanted func(next *ir.Program, o ir.Output) bool) (*layout.Record, error) {
		var next *ir.Program
		for i := len(rest) - 1; i >= 0; i-- {
			if rest[i] != nil {
				next = rest[i]
			}
		}
		r := layout.NewRecord(of.Out, func(o ir.Output) bool { return wanted(next, o) })
		if r.Stride > 4*layout.MaxRecordWords {
			return nil, &exec.LimitError{Quantity: "bytes of a vertex's outputs", Value: uint64(r.Stride), Max: 4 * layout.MaxRecordWords}
		}
		return r, nil
	}
	var err error
	if p.vertexRec, err = lay(s.Vertex, after, wanted); err != nil {
		return err
	}
	if s.tellsInstance() {
		p.vertexRec = withInstance(p.vertexRec, s, wanted)
	}
	p.Record = p.vertexRec
	if s.TessEval != nil {
		// Levels are patch data: the tessellator reads them from the same records.
		patch := func(o ir.Output) bool { return isPatch(o.Semantic, o.Patch) }
		if p.controlRec, err = lay(s.TessControl, after, func(_ *ir.Program, o ir.Output) bool { return !patch(o) }); err != nil {
			return err
		}
		if p.patchRec, err = lay(s.TessControl, after, func(_ *ir.Program, o ir.Output) bool { return patch(o) }); err != nil {
			return err
		}
		if p.evaluationRec, err = lay(s.TessEval, after[2:], wanted); err != nil {
			return err
		}
		p.Record = p.evaluationRec
	}
	before := p.Record
	if s.Geometry != nil {
		stream := p.stream
		if p.Record, err = lay(s.Geometry, after[3:], func(next *ir.Program, o ir.Output) bool { return o.Stream == stream && wanted(next, o) }); err != nil {
			return err
		}
	}
	p.Record.Rasterized = true
	if p.captures, err = newCaptures(s.last()); err != nil {
		return err
	}
	p.installPrograms([numPrimitiveStages]func(*primitiveKey) (*ir.Program, error){
		func(*primitiveKey) (*ir.Program, error) {
			return controlProgram(s.TessControl, s.patchVertices(), p.vertexRec, p.controlRec, p.patchRec)
		},
		func(k *primitiveKey) (*ir.Program, error) {
			return evaluationProgram(s.TessEval, s.patchVertices(), p.controlRec, p.evaluationRec, p.patchRec, p.captured(s.TessEval, k.captures))
		},
		func(k *primitiveKey) (*ir.Program, error) {
			return geometryProgram(s.Geometry, before, p.Record, p.captured(s.Geometry, k.captures))
		},
	})
	return nil
}

// withInstance returns the layout of the records of vertices with their InstanceIndex; that without it if there is no space.
func withInstance(rec *layout.Record, s *Stages, wanted func(next *ir.Program, o ir.Output) bool) *layout.Record {
	out := append(slices.Clone(s.Vertex.Out), ir.Output{Semantic: ir.InstanceIndex, Type: ir.I32})
	r := layout.NewRecord(out, func(o ir.Output) bool { return o.Semantic == ir.InstanceIndex || wanted(s.Fragment, o) })
	if r.Stride > 4*layout.MaxRecordWords {
		return rec
	}
	return r
}

// installPrograms installs the builders of the programs but vertex and fragment.
func (p *Pipeline) installPrograms(builders [numPrimitiveStages]func(*primitiveKey) (*ir.Program, error)) {
	for i, make := range builders {
		p.primitivePrograms[i] = compute.Variants[primitiveKey]{
			Equal: func(x, y *primitiveKey) bool { return *x == *y },
			Copy:  func(x *primitiveKey) primitiveKey { return *x },
			Make:  make,
		}
	}
}

// ReadsPrimitives reports whether a stage reads primitives or patches.
func (p *Pipeline) ReadsPrimitives() bool {
	return p.stages.TessEval != nil || p.stages.Geometry != nil
}

// CheckTopology returns an error if the topology does not suit the programs.
func (p *Pipeline) CheckTopology(s *state.State) error {
	a := &s.Assembly
	switch {
	case p.stages.Mesh != nil: // its program determines the topology
	case a.Topology == enum.TopologyPatchList && p.stages.TessEval == nil:
		return state.Errorf("the topology is patches in a pipeline without tessellation; must be another")
	case a.Topology != enum.TopologyPatchList && p.stages.TessEval != nil:
		return state.Errorf("topology %d in a pipeline with tessellation; must be patches", a.Topology)
	case a.Topology == enum.TopologyPatchList:
		if a.PatchPoints < 1 || a.PatchPoints > maxPatch {
			return state.Errorf("patches of %d vertices; must be 1 to %d", a.PatchPoints, maxPatch)
		}
	case p.stages.Geometry != nil:
		// VUID-VkGraphicsPipelineCreateInfo-pStages-00738 demands equal primitive types.
		if n := inputVertices(p.stages.Geometry.Modes); a.Vertices() != n {
			return state.Errorf("primitives of %d vertices for a geometry program; must have %d", a.Vertices(), n)
		}
	}
	return nil
}

// captured returns the capture layout if transform feedback is active and stage is the last one before
// the rasterizer, nil otherwise.
func (p *Pipeline) captured(stage *ir.Program, active bool) *captureLayout {
	if !active || stage != p.stages.last() {
		return nil
	}
	return p.captures
}

// CheckFeedback returns an error if transform feedback is active but not possible.
func (p *Pipeline) CheckFeedback(a *state.Args, s *state.State) error {
	switch {
	case a.Feedback == nil:
	case !p.stages.last().Modes.Has(ir.Xfb): // VUID-vkCmdBeginTransformFeedbackEXT-None-04128
		return state.Errorf("transform feedback of a %s program without the mode Xfb; must have it", p.stages.last().Stage)
	case s.ViewMask != 0: // VUID-vkCmdBeginTransformFeedbackEXT-None-02373
		return state.Errorf("transform feedback with views; must have none")
	}
	return nil
}

// Pipeline has the programs of a pipeline's stages before the rasterizer, and the layout of the
// records between them.
type Pipeline struct {
	stages Stages
	stream uint32         // stream of the geometry program that is rasterized
	Record *layout.Record // of the rasterized vertices

	vertexRec, controlRec, patchRec, evaluationRec *layout.Record // patchRec: of primitives in a mesh pipeline

	captures *captureLayout // of the rasterized vertices
	provoked []wordCopy     // mesh: outputs of a primitive that its provoking vertex holds
	kept     []uint32       // layout.Record.Kept
	perDraw  bool           // readsDraw

	vertexVariants    compute.Variants[vertexKey]
	primitivePrograms [numPrimitiveStages]compute.Variants[primitiveKey]
	batchVariants     compute.Variants[batchKey]
}

// NewPipeline checks the stages and lays out their records.
func NewPipeline(stages Stages, stream uint32) (*Pipeline, error) {
	p := &Pipeline{stages: stages, stream: stream}
	p.perDraw = stages.readsDraw()
	if err := p.layOut(); err != nil {
		return nil, err
	}
	if stages.Fragment != nil {
		p.kept = p.Record.Kept(stages.Fragment)
	}
	p.vertexVariants = compute.Variants[vertexKey]{
		Equal: func(x, y *vertexKey) bool {
			return slices.Equal(x.Bindings, y.Bindings) && slices.Equal(x.Attributes, y.Attributes) && x.captures == y.captures
		},
		Copy: func(x *vertexKey) vertexKey {
			return vertexKey{state.VertexInput{Bindings: slices.Clone(x.Bindings), Attributes: slices.Clone(x.Attributes)}, x.captures}
		},
		Make: func(x *vertexKey) (*ir.Program, error) {
			return vertexProgram(p.stages.Vertex, &x.VertexInput, p.vertexRec, p.captured(p.stages.Vertex, x.captures))
		},
	}
	p.batchVariants = compute.Variants[batchKey]{
		Equal: func(x, y *batchKey) bool { return *x == *y },
		Copy:  func(x *batchKey) batchKey { return *x },
		Make:  func(x *batchKey) (*ir.Program, error) { return setUpProgram(*x, p.kept) },
	}
	return p, nil
}

// AppendVertexPrograms appends the compiled vertex programs.
func (p *Pipeline) AppendVertexPrograms(list []exec.Program) []exec.Program {
	return p.vertexVariants.AppendPrograms(list)
}

// AppendOtherPrograms appends the compiled tessellation, geometry and set-up programs.
func (p *Pipeline) AppendOtherPrograms(list []exec.Program) []exec.Program {
	for i := range p.primitivePrograms {
		list = p.primitivePrograms[i].AppendPrograms(list)
	}
	return p.batchVariants.AppendPrograms(list)
}

// Close closes all programs.
func (p *Pipeline) Close() error {
	err := p.vertexVariants.Close()
	for i := range p.primitivePrograms {
		if e := p.primitivePrograms[i].Close(); err == nil {
			err = e
		}
	}
	if e := p.batchVariants.Close(); err == nil {
		err = e
	}
	return err
}
