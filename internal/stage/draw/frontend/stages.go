package frontend

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// Stages are the programs of a pipeline, as lower makes them. They must not change
// afterwards.
type Stages struct {
	Vertex      *ir.Program
	TessControl *ir.Program // both or neither, and then patches are drawn
	TessEval    *ir.Program
	Geometry    *ir.Program // nil: none
	Fragment    *ir.Program // nil: fragments have no color, and the depth of their primitive
}

// wanted reports whether the stage that comes next, or the rasterizer, reads an output.
func wanted(next *ir.Program, o ir.Output) bool {
	switch o.Semantic {
	case ir.Location:
		return slices.ContainsFunc(next.In, func(in ir.Input) bool {
			return in.Semantic == ir.Location && in.Index/4 <= o.Index/4+o.Type.Slots()/2 && in.Index/4+in.Type.Slots()/2 >= o.Index/4
		})
	case ir.ClipDistance, ir.CullDistance, ir.PointSize, ir.Layer, ir.ViewportIndex, ir.PrimitiveId, ir.PrimitiveShadingRate:
		return true
	case ir.PositionPerView:
		return slices.ContainsFunc(next.In, func(in ir.Input) bool { return in.Semantic == o.Semantic && in.Index == o.Index })
	case ir.ViewportMaskPerView:
		return true
	case ir.ViewportMask: // there are no viewports for a second word
		return o.Index == 0
	}
	return false
}

// primitiveStage are the stages between the vertices and the rasterizer.
type primitiveStage int

const (
	tessControl primitiveStage = iota
	tessEval
	geometry
	numPrimitiveStages
)

// primitiveStages returns the programs in the middle, nil where there is none.
func (s *Stages) primitiveStages() [numPrimitiveStages]*ir.Program {
	return [numPrimitiveStages]*ir.Program{s.TessControl, s.TessEval, s.Geometry}
}

// patchVertices is how many vertices a patch has behind the control program: either
// of the two programs may say it.
func (s *Stages) patchVertices() uint32 {
	return max(s.TessControl.OutputVertices, s.TessEval.OutputVertices)
}

// check returns an error where the programs in the middle are no pipeline.
func (s *Stages) check() error {
	for i, stage := range [numPrimitiveStages]ir.Stage{ir.TessControl, ir.TessEval, ir.Geometry} {
		x := s.primitiveStages()[i]
		if x == nil {
			continue
		}
		if x.Stage != stage {
			return state.Errorf("a %s program where one of stage %s must be", x.Stage, stage)
		}
		if err := x.Verify(); err != nil {
			return fmt.Errorf("draw: the %s program: %w", stage, err)
		}
	}
	if (s.TessControl == nil) != (s.TessEval == nil) {
		return state.Errorf("one of two tessellation programs; must be both or neither")
	}
	if s.TessEval != nil {
		if n := s.patchVertices(); n < 1 || n > maxPatch {
			return state.Errorf("a tessellation control program that makes patches of %d vertices; must be 1 to %d", n, maxPatch)
		}
	}
	if g := s.Geometry; g != nil {
		if g.OutputVertices > maxEmitted || g.Instances > maxInstances {
			return state.Errorf("a geometry program with %d vertices and %d instances; must be at most %d and %d", g.OutputVertices, g.Instances, maxEmitted, maxInstances)
		}
		if s.TessEval != nil {
			if n := tessMode(s.TessControl.Modes | s.TessEval.Modes).Vertices(); uint32(n) != inputVertices(g.Modes) {
				return state.Errorf("tessellated primitives of %d vertices for a geometry program that reads %d", n, inputVertices(g.Modes))
			}
		}
	}
	return nil
}

// last is the program of the stage before the rasterizer.
func (s *Stages) last() *ir.Program {
	switch {
	case s.Geometry != nil:
		return s.Geometry
	case s.TessEval != nil:
		return s.TessEval
	}
	return s.Vertex
}

// Limits of a geometry program.
const (
	maxEmitted   = 1024 // vertices of an invocation (maxGeometryOutputVertices)
	maxInstances = 1024 // invocations of a primitive: no less than maxGeometryShaderInvocations
)

// inputVertices returns how many vertices the primitives have that a geometry
// program reads.
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

// maxPatch is how many vertices a patch may have (maxTessellationPatchSize).
const maxPatch = 32

// tessMode is how patches are subdivided: what the two programs say together. Their
// domain has its origin at the upper left, so that v points down where they say how
// triangles turn (VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT).
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
