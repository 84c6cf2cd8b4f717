package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// stageModes maps the execution modes that become modes of the program.
var stageModes = map[spirv.ExecutionMode]ir.Modes{
	spirv.ExecutionModeEarlyFragmentTests:               ir.EarlyTests,
	spirv.ExecutionModeEarlyAndLateFragmentTestsAMD:     ir.EarlyAndLateTests,
	spirv.ExecutionModeDepthReplacing:                   ir.DepthReplacing,
	spirv.ExecutionModeDepthGreater:                     ir.DepthGreater,
	spirv.ExecutionModeDepthLess:                        ir.DepthLess,
	spirv.ExecutionModeDepthUnchanged:                   ir.DepthUnchanged,
	spirv.ExecutionModeStencilRefReplacingEXT:           ir.StencilReplacing,
	spirv.ExecutionModeStencilRefUnchangedFrontAMD:      ir.StencilUnchangedFront,
	spirv.ExecutionModeStencilRefGreaterFrontAMD:        ir.StencilGreaterFront,
	spirv.ExecutionModeStencilRefLessFrontAMD:           ir.StencilLessFront,
	spirv.ExecutionModeStencilRefUnchangedBackAMD:       ir.StencilUnchangedBack,
	spirv.ExecutionModeStencilRefGreaterBackAMD:         ir.StencilGreaterBack,
	spirv.ExecutionModeStencilRefLessBackAMD:            ir.StencilLessBack,
	spirv.ExecutionModePostDepthCoverage:                ir.PostDepthCoverage,
	spirv.ExecutionModePixelInterlockOrderedEXT:         ir.InterlockPixel,
	spirv.ExecutionModePixelInterlockUnorderedEXT:       ir.InterlockPixel,
	spirv.ExecutionModeSampleInterlockOrderedEXT:        ir.InterlockSample,
	spirv.ExecutionModeSampleInterlockUnorderedEXT:      ir.InterlockSample,
	spirv.ExecutionModeShadingRateInterlockOrderedEXT:   ir.InterlockRate,
	spirv.ExecutionModeShadingRateInterlockUnorderedEXT: ir.InterlockRate,
	spirv.ExecutionModeRequireFullQuadsKHR:              ir.FullQuads,
	spirv.ExecutionModeQuadDerivativesKHR:               ir.QuadDerivatives,
	spirv.ExecutionModeQuads:                            ir.TessQuads,
	spirv.ExecutionModeIsolines:                         ir.TessIsolines,
	spirv.ExecutionModeSpacingEqual:                     ir.SpacingEqual,
	spirv.ExecutionModeSpacingFractionalEven:            ir.SpacingFractionalEven,
	spirv.ExecutionModeSpacingFractionalOdd:             ir.SpacingFractionalOdd,
	spirv.ExecutionModeVertexOrderCw:                    ir.VertexOrderCw,
	spirv.ExecutionModeVertexOrderCcw:                   ir.VertexOrderCcw,
	spirv.ExecutionModePointMode:                        ir.PointMode,
	spirv.ExecutionModeInputPoints:                      ir.InputPoints,
	spirv.ExecutionModeInputLines:                       ir.InputLines,
	spirv.ExecutionModeInputLinesAdjacency:              ir.InputLinesAdjacency,
	spirv.ExecutionModeInputTrianglesAdjacency:          ir.InputTrianglesAdjacency,
	spirv.ExecutionModeOutputPoints:                     ir.OutputPoints,
	spirv.ExecutionModeOutputLineStrip:                  ir.OutputLineStrip,
	spirv.ExecutionModeOutputTriangleStrip:              ir.OutputTriangleStrip,
	spirv.ExecutionModeOutputLinesEXT:                   ir.OutputLines,
	spirv.ExecutionModeOutputTrianglesEXT:               ir.OutputTriangles,
	spirv.ExecutionModeXfb:                              ir.Xfb,
}

// stageModes reads the execution modes of a graphics stage.
func (u *unit) stageModes() {
	p := u.prog
	for _, m := range u.entry.Modes {
		p.Modes |= stageModes[m.Kind]
		switch m.Kind {
		case spirv.ExecutionModeTriangles: // tessellation or geometry
			p.Modes |= ir.TessTriangles
			if p.Stage == ir.Geometry {
				p.Modes = p.Modes&^ir.TessTriangles | ir.InputTriangles
			}
		case spirv.ExecutionModeOutputVertices:
			p.OutputVertices = u.modeNumber(m.Operands)
		case spirv.ExecutionModeOutputPrimitivesEXT:
			p.OutputPrimitives = u.modeNumber(m.Operands)
		case spirv.ExecutionModeInvocations:
			p.Instances = u.modeNumber(m.Operands)
		}
	}
	switch p.Stage {
	case ir.Fragment:
		if slices.ContainsFunc(u.entry.Interface, u.ofSample) {
			p.Modes |= ir.PerSample
		}
	case ir.Geometry:
		p.Instances = max(p.Instances, 1)
	case ir.TessControl:
		p.LocalSize[0] = max(p.OutputVertices, 1)
	}
}

// maxModeNumber bounds the vertices of a patch, the vertices and primitives that a geometry
// or mesh shader emits, and the geometry shader's instances.
const maxModeNumber = 1024

func (u *unit) modeNumber(operands []uint32) uint32 {
	if len(operands) != 1 || operands[0] > maxModeNumber {
		u.unsupported("an execution mode with %d", operands)
	}
	return operands[0]
}

// ofSample reports whether a variable of the interface is a built-in of a sample. It enables per-sample shading even if no
// function uses it (Vulkan, Built-In Variables, SampleId and SamplePosition).
func (u *unit) ofSample(id spirv.ID) bool {
	k, ok := u.facts.BuiltIn(id)
	return ok && (k == spirv.BuiltInSampleId || k == spirv.BuiltInSamplePosition)
}
