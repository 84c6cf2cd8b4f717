package vk

import (
	"context"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/link"
)

// The bits of VkShaderStageFlags.
const (
	bitFragment   = 0x10
	bitCompute    = 0x20
	bitMesh       = 0x80
	bitRayGen     = 0x100
	bitClosestHit = 0x400
	bitMiss       = 0x800
)

// invocations are the executions of the first basic block of each shader, in the order of the blocks.
type invocations struct {
	index, part, stages uint32
	n                   uint64
}

func firstBlocks(t testing.TB, s *ShaderInstrumentation) (out []invocations) {
	t.Helper()
	for _, b := range must(s.Blocks())(t) {
		if b.BasicBlock == 0 {
			out = append(out, invocations{b.ResultIndex, b.ResultSubIndex, b.Stages, b.Values[0]})
		}
	}
	return out
}

// TestInstrumentedRays counts launches of two hits and two misses: a launch has one result index, and its shaders the number of their
// first group as the sub-index, in the order of results, groups and stages. Only instrumented shaders count, those of libraries by the
// flags of the library; each form of the command does.
func TestInstrumentedRays(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newRayScene(t, info)
		plain := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
		stages := append(rayStages(t), rayStages(t)[1])
		stages[3].Specialization = facts.Spec{3: 9}
		// Groups 3 and 4 have the second miss shader, group 5 the closest-hit shader of group 2.
		groups := append(rayGroups(), link.Group{Type: enum.GroupTypeGeneral, General: ref(3)}, link.Group{Type: enum.GroupTypeGeneral, General: ref(3)}, rayGroups()[2])
		whole := r.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: InstrumentShaders}, Stages: stages, Groups: groups, Depth: 1})
		payload := &link.RayInterface{Payload: 4, HitAttribute: 8}
		part := r.pipeline(t, RayTracingPipelineInfo{
			Creation: Creation{Flags: enum.PipelineFlagsLibrary | InstrumentShaders}, Interface: payload, Depth: 1,
			Stages: rayStages(t)[1:], Groups: []link.Group{{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: ref(1)}, {Type: enum.GroupTypeGeneral, General: ref(0)}},
		})
		linked := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t)[:1], Groups: rayGroups()[:1], Depth: 1, Interface: payload, Libraries: []*RayTracingPipeline{part}})

		s := must(r.dev.NewShaderInstrumentation())(t)
		launch := func(p *RayTracingPipeline, forms func(c *CommandBuffer, tables ShaderTables), groups ...int) {
			tables := r.tables(t, p, groups...)
			r.arguments(tables, [3]uint32{4, 1, 1})
			r.run(t, func(c *CommandBuffer) {
				r.bind(c, p)
				c.BeginShaderInstrumentation(s)
				forms(c, tables)
				c.EndShaderInstrumentation()
				c.TraceRays(tables, 4, 1, 1) // nothing is active
			})
		}
		direct := func(c *CommandBuffer, tables ShaderTables) { c.TraceRays(tables, 4, 1, 1) }
		launch(plain, direct, 0, 1, 2)
		launch(whole, direct, 0, 1, 2)
		r.expect(t, "instrumented")
		launch(whole, func(c *CommandBuffer, tables ShaderTables) {
			second, first := r.arguments(tables, [3]uint32{4, 1, 1})
			c.TraceRaysIndirect(tables, first)
			c.TraceRaysIndirect2(second)
		}, 0, 4, 5)
		if got := r.word(rayOutput + 4); got != 10014 {
			t.Errorf("the second miss shader has the result %d; must be 10014", got)
		}
		launch(linked, direct, 0, 2, 1)
		want := []invocations{
			{1, 0, bitRayGen, 4}, {1, 1, bitMiss, 2}, {1, 2, bitClosestHit, 2}, {1, 3, bitMiss, 0},
			{2, 0, bitRayGen, 4}, {2, 1, bitMiss, 0}, {2, 2, bitClosestHit, 2}, {2, 3, bitMiss, 2},
			{3, 0, bitRayGen, 4}, {3, 1, bitMiss, 0}, {3, 2, bitClosestHit, 2}, {3, 3, bitMiss, 2},
			{4, 1, bitClosestHit, 2}, {4, 2, bitMiss, 2},
		}
		if got := firstBlocks(t, s); !slices.Equal(got, want) {
			t.Errorf("the launches have the metrics\n%v, want\n%v", got, want)
		}
	})
}

// TestInstrumentedGraph counts the nodes of execution graphs, with the number of the node as the sub-index. The initialization of scratch
// memory is no dispatch, and has no result index.
func TestInstrumentedGraph(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newGraphRig(t, info)
		graph := GraphPipelineInfo{Layout: r.layout, Creation: Creation{Flags: InstrumentShaders}}
		for _, e := range []string{"root", "leaf"} {
			graph.Stages = append(graph.Stages, StageInfo{Code: code(t, twoNodes), Entry: e})
		}
		p := must(r.dev.NewGraphPipeline(context.Background(), graph))(t)
		root, _ := p.NodeIndex("root", 0)
		leaf, _ := p.NodeIndex("leaf", 0)
		s := must(r.dev.NewShaderInstrumentation())(t)
		err := r.run(t, p, func(c *CommandBuffer) {
			c.BeginShaderInstrumentation(s)
			c.InitializeGraphScratch(p, r.scratch)
			c.DispatchGraph(r.scratch, []GraphStart{{Node: root, Count: 3, Payloads: payloadWords(0, 1, 3), Stride: 4}})
		})
		if err != nil {
			t.Fatal(err)
		}
		r.want(t, "instrumented", map[int]uint32{0: 2, 1: 2, 2: 2, 10: 2, 11: 2, 12: 2, 30: 2, 31: 2, 32: 2})
		// Each of 3 roots has 4 invocations, and sends payloads with 1 and 2 workgroups to the leaf, which has 2.
		want := []invocations{{0, root, bitCompute, 12}, {0, leaf, bitCompute, 18}}
		slices.SortFunc(want, func(x, y invocations) int { return int(x.part) - int(y.part) })
		if got := firstBlocks(t, s); !slices.Equal(got, want) {
			t.Errorf("the graph has the metrics %v, want %v", got, want)
		}
	})
}

// TestInstrumentedMeshNode counts a mesh node: only its library is instrumented.
func TestInstrumentedMeshNode(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		info.Checking = All
		s := newSceneOn(t, 1, info)
		ctx := context.Background()
		root := must(s.dev.NewComputePipeline(ctx, ComputePipelineInfo{
			Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Stage: StageInfo{Code: code(t, twoNodes), Entry: "root"}, Layout: must(s.dev.NewPipelineLayout(PipelineLayoutInfo{}))(t),
		}))(t)
		node := s.meshNode(t, meshLeaf)
		node.Flags |= InstrumentShaders
		leaf := must(s.dev.NewGraphicsPipeline(ctx, node))(t)
		p := must(s.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: s.layout, Computes: []*ComputePipeline{root}, Meshes: []*GraphicsPipeline{leaf}}))(t)
		scratch := s.graphScratch(t, p)
		first, _ := p.NodeIndex("root", 0)
		second, _ := p.NodeIndex("leaf", 0)
		s.build(t)
		counted := must(s.dev.NewShaderInstrumentation())(t)
		s.shot(t, func(c *CommandBuffer) {
			c.BindGraph(p)
			c.BeginShaderInstrumentation(counted)
			c.DispatchGraph(scratch, []GraphStart{
				{Node: first, Count: 1, Payloads: payloadWords(0), Stride: 4},
				{Node: second, Count: 2, Payloads: payloadWords(3, 5, 2, 7), Stride: 8},
			})
		})
		// The root sends payloads with 1 and 2 workgroups, the command some with 3 and 2; each draws a point, of one pixel.
		want := []invocations{{0, second, bitFragment, 8}, {0, second, bitMesh, 8}}
		if got := firstBlocks(t, counted); !slices.Equal(got, want) {
			t.Errorf("the graph has the metrics %v, want %v", got, want)
		}
	})
}
