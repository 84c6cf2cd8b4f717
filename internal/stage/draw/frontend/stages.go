package frontend

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// Stages are the programs of a pipeline, as lower makes them. They must not change afterwards.
type Stages struct {
	Vertex      *ir.Program // nil with Mesh
	TessControl *ir.Program // both or neither; with them the topology is PatchList
	TessEval    *ir.Program
	Geometry    *ir.Program // nil: none
	Task        *ir.Program // nil: none; only with Mesh
	Mesh        *ir.Program // nil: none; in place of the stages above Task
	Fragment    *ir.Program // nil: no color outputs, depth of the primitive
}

// Observed reports whether a debugger observes a stage.
func (s *Stages) Observed() bool {
	for _, p := range [...]*ir.Program{s.Vertex, s.TessControl, s.TessEval, s.Geometry, s.Task, s.Mesh, s.Fragment} {
		if p != nil && p.Observed {
			return true
		}
	}
	return false
}

// tellsInstance reports whether a debugger shows the InstanceIndex of a fragment. Only vertices that are rasterized as they are have one:
// outputs of tessellation, geometry and mesh programs have none.
func (s *Stages) tellsInstance() bool {
	return s.Fragment != nil && s.Fragment.Observed && s.Vertex != nil && s.Vertex.Observed && s.TessEval == nil && s.Geometry == nil
}

// wanted reports whether the next stage or the rasterizer reads an output. Other outputs have no
// space in the record. Locations compare by location, not by component: a record has all four
// components of a location.
func wanted(next *ir.Program, o ir.Output) bool {
	switch o.Semantic {
	case ir.Location:
		return slices.ContainsFunc(next.In, func(in ir.Input) bool {
			return in.Semantic == ir.Location && in.Index/4 <= o.Index/4+o.Type.Slots()/2 && in.Index/4+in.Type.Slots()/2 >= o.Index/4
		})
	case ir.ClipDistance, ir.CullDistance, ir.PointSize, ir.Layer, ir.ViewportIndex, ir.PrimitiveId, ir.PrimitiveShadingRate:
		return true
	case ir.PositionPerView, ir.Stored:
		return slices.ContainsFunc(next.In, func(in ir.Input) bool { return in.Semantic == o.Semantic && in.Index == o.Index })
	case ir.ViewportMaskPerView:
		return true
	case ir.ViewportMask: // a second word would be for viewports that do not exist
		return o.Index == 0
	}
	return false
}

// primitiveStage is a stage between vertex program and rasterizer, which reads primitives, or a task or
// mesh stage.
type primitiveStage int

const (
	tessControl primitiveStage = iota
	tessEval
	geometry
	task
	mesh
	numPrimitiveStages
)

// primitiveStages returns the programs of the stages but vertex and fragment, nil for a missing stage.
func (s *Stages) primitiveStages() [numPrimitiveStages]*ir.Program {
	return [numPrimitiveStages]*ir.Program{s.TessControl, s.TessEval, s.Geometry, s.Task, s.Mesh}
}

// readsDraw reports whether results of the stages before the rasterizer depend on more of a draw than the VertexIndex and the
// InstanceIndex of each vertex: on its numbers, on its order of primitives, or on the vertices in a subgroup, which are of one draw
// (Vulkan §"Scope": the invocations of a subgroup are of one command).
func (s *Stages) readsDraw() bool {
	v := s.Vertex
	if v == nil || s.TessEval != nil || s.Geometry != nil || s.Observed() {
		return true
	}
	if e := v.Effects; e.GroupOps || e.Ordered || e.Writes || len(v.Messages) > 0 {
		return true
	}
	return slices.ContainsFunc(v.In, func(in ir.Input) bool {
		switch in.Semantic {
		case ir.BaseVertex, ir.BaseInstance, ir.DrawIndex:
			return true
		}
		return in.Semantic.Engine()
	})
}

// patchVertices returns the output vertices of a patch. Either tessellation program can declare them.
func (s *Stages) patchVertices() uint32 {
	return max(s.TessControl.OutputVertices, s.TessEval.OutputVertices)
}

// check returns an error if the programs do not form a pipeline.
func (s *Stages) check() error {
	for i, stage := range [numPrimitiveStages]ir.Stage{ir.TessControl, ir.TessEval, ir.Geometry, ir.Task, ir.Mesh} {
		x := s.primitiveStages()[i]
		if x == nil {
			continue
		}
		if x.Stage != stage {
			return state.Errorf("a %s program in the place of a %s program; must be of that stage", x.Stage, stage)
		}
		if err := x.Verify(); err != nil {
			return fmt.Errorf("draw: the %s program: %w", stage, err)
		}
	}
	if err := s.checkMesh(); err != nil {
		return err
	}
	if (s.TessControl == nil) != (s.TessEval == nil) {
		return state.Errorf("one of the two tessellation programs; must be both or neither")
	}
	if s.TessEval != nil {
		// A patch is a workgroup of this many invocations.
		if n := s.patchVertices(); n < 1 || n > maxPatch {
			return state.Errorf("a tessellation control program with output patches of %d vertices; must have 1 to %d", n, maxPatch)
		}
	}
	if g := s.Geometry; g != nil {
		if g.OutputVertices > state.MaxEmitted || g.Instances > maxInstances {
			return state.Errorf("a geometry program with %d vertices and %d instances; must have at most %d and %d", g.OutputVertices, g.Instances, state.MaxEmitted, maxInstances)
		}
		if s.TessEval != nil {
			if n := tessMode(s.TessControl.Modes | s.TessEval.Modes).Vertices(); uint32(n) != inputVertices(g.Modes) {
				return state.Errorf("tessellated primitives of %d vertices for a geometry program; must have %d", n, inputVertices(g.Modes))
			}
		}
	}
	return nil
}

// checkMesh returns an error if the task and mesh programs do not form a pipeline.
func (s *Stages) checkMesh() error {
	m := s.Mesh
	if m == nil {
		if s.Task != nil {
			return state.Errorf("a task program without a mesh program; must have one")
		}
		return nil
	}
	if s.Vertex != nil || s.TessControl != nil || s.TessEval != nil || s.Geometry != nil {
		return state.Errorf("a mesh program beside a vertex, tessellation or geometry program; must have none of them")
	}
	if m.OutputVertices > state.MaxEmitted || m.OutputPrimitives > state.MaxEmitted {
		return state.Errorf("a mesh program with %d vertices and %d primitives; must have at most %d of each", m.OutputVertices, m.OutputPrimitives, state.MaxEmitted)
	}
	if t := s.Task; t != nil && t.PayloadBytes > maxPayload {
		return &exec.LimitError{Quantity: "bytes of a task's payload", Value: uint64(t.PayloadBytes), Max: maxPayload}
	}
	return nil
}

// last returns the program of the last stage before the rasterizer.
func (s *Stages) last() *ir.Program {
	switch {
	case s.Mesh != nil:
		return s.Mesh
	case s.Geometry != nil:
		return s.Geometry
	case s.TessEval != nil:
		return s.TessEval
	}
	return s.Vertex
}

// Limits of geometry, task and mesh programs.
const (
	maxPayload   = 1 << 16 // bytes, at least maxTaskPayloadSize
	maxInstances = 1024    // invocations of a primitive, at least maxGeometryShaderInvocations
)

// inputVertices returns the vertices of a primitive that a geometry program reads.
func inputVertices(m ir.Modes) uint32 {
	switch {
	case m.Has(ir.InputPoints):
		return 1
	case m.Has(ir.InputLines):
		return 2
	case m.Has(ir.InputLinesAdjacency):
		return 4
	case m.Has(ir.InputTrianglesAdjacency):
		return 6
	}
	return 3
}

// maxPatch is the maximum number of vertices in a patch (maxTessellationPatchSize).
const maxPatch = 32

// tessMode returns the tessellation mode that both programs declare together. The origin of the domain
// is at the upper left, so that v points down and the declared vertex order is reversed
// (VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT).
func tessMode(m ir.Modes) (t tess.Mode) {
	switch {
	case m.Has(ir.TessQuads):
		t.Domain = tess.Quads
	case m.Has(ir.TessIsolines):
		t.Domain = tess.Isolines
	}
	switch {
	case m.Has(ir.SpacingFractionalEven):
		t.Spacing = tess.FractionalEven
	case m.Has(ir.SpacingFractionalOdd):
		t.Spacing = tess.FractionalOdd
	}
	t.Clockwise, t.PointMode = !m.Has(ir.VertexOrderCw), m.Has(ir.PointMode)
	return t
}
