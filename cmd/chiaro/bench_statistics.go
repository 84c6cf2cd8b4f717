package main

import (
	"text/tabwriter"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// drawStatistics are the counts of a frame, named as Vulkan's queries name them.
type drawStatistics struct {
	InputVertices         uint64 `json:"inputAssemblyVertices"`
	InputPrimitives       uint64 `json:"inputAssemblyPrimitives"`
	VertexInvocations     uint64 `json:"vertexShaderInvocations"`
	ControlPatches        uint64 `json:"tessellationControlShaderPatches"`
	EvaluationInvocations uint64 `json:"tessellationEvaluationShaderInvocations"`
	GeometryInvocations   uint64 `json:"geometryShaderInvocations"`
	GeometryPrimitives    uint64 `json:"geometryShaderPrimitives"`
	ClippingInvocations   uint64 `json:"clippingInvocations"`
	ClippingPrimitives    uint64 `json:"clippingPrimitives"`
	FragmentInvocations   uint64 `json:"fragmentShaderInvocations"`
	Generated             uint64 `json:"primitivesGenerated"`
	Passed                uint64 `json:"samplesPassed"`
}

// count draws one frame with pipeline statistics enabled.
func (s *scene) count() (*drawStatistics, error) {
	var n state.Statistics
	var passed uint64
	s.args.Statistics, s.args.Passed = &n, &passed
	defer func() { s.args.Statistics, s.args.Passed = nil, nil }()
	if err := s.frame(); err != nil {
		return nil, err
	}
	return &drawStatistics{
		n.InputVertices, n.InputPrimitives, n.VertexInvocations, n.ControlPatches, n.EvaluationInvocations, n.GeometryInvocations,
		n.GeometryPrimitives, n.ClippingInvocations, n.ClippingPrimitives, n.FragmentInvocations, n.Generated[0], passed,
	}, nil
}

// print writes the counts that are not 0.
func (s *drawStatistics) print(c console) error {
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, x := range []struct {
		name string
		n    uint64
	}{
		{"input assembly vertices", s.InputVertices}, {"input assembly primitives", s.InputPrimitives},
		{"vertex shader invocations", s.VertexInvocations},
		{"tessellation control patches", s.ControlPatches}, {"tessellation evaluation invocations", s.EvaluationInvocations},
		{"geometry shader invocations", s.GeometryInvocations}, {"geometry shader primitives", s.GeometryPrimitives},
		{"primitives generated", s.Generated},
		{"clipping invocations", s.ClippingInvocations}, {"clipping primitives", s.ClippingPrimitives},
		{"fragment shader invocations", s.FragmentInvocations}, {"samples passed", s.Passed},
	} {
		if x.n > 0 {
			plain.Fprintf(t, "%s\t%d\t\n", x.name, x.n)
		}
	}
	return t.Flush()
}
