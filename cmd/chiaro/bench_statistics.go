package main

import (
	"context"
	"encoding/binary"
	"text/tabwriter"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/vk"
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

// The queries of a frame, each of a pool of its own, in the order of their values.
var frameQueries = []vk.QueryPoolInfo{
	{Type: vk.PipelineStatistics, Statistics: vk.InputVertices | vk.InputPrimitives | vk.VertexInvocations | vk.GeometryInvocations |
		vk.GeometryPrimitives | vk.ClippingInvocations | vk.ClippingPrimitives | vk.FragmentInvocations | vk.ControlPatches | vk.EvaluationInvocations},
	{Type: vk.PrimitivesGenerated},
	{Type: vk.Occlusion},
}

// count draws one frame with queries.
func (s *scene) count(ctx context.Context) (*drawStatistics, error) {
	var pools []*vk.QueryPool
	for _, info := range frameQueries {
		info.Count = 1
		p, err := s.bench.device.NewQueryPool(info)
		if err != nil {
			return nil, err
		}
		pools = append(pools, p)
	}
	err := s.bench.once(func(c *vk.CommandBuffer) {
		for _, p := range pools {
			c.ResetQueries(p, 0, 1)
			c.BeginQuery(p, 0, 0)
		}
		s.frame(c)
		for _, p := range pools {
			c.EndQuery(p, 0)
		}
	})
	if err != nil {
		return nil, err
	}
	n := &drawStatistics{}
	into := [][]*uint64{
		{&n.InputVertices, &n.InputPrimitives, &n.VertexInvocations, &n.GeometryInvocations, &n.GeometryPrimitives, &n.ClippingInvocations,
			&n.ClippingPrimitives, &n.FragmentInvocations, &n.ControlPatches, &n.EvaluationInvocations},
		{&n.Generated}, {&n.Passed},
	}
	for i, p := range pools {
		data := make([]byte, 8*len(into[i]))
		if err := p.Results(ctx, 0, 1, data, uint64(len(data)), vk.Query64|vk.QueryWait); err != nil {
			return nil, err
		}
		for k, value := range into[i] {
			*value = binary.LittleEndian.Uint64(data[8*k:])
		}
	}
	return n, nil
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
