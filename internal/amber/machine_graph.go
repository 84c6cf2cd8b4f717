package amber

import (
	"context"
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// graphProgram is an execution graph with scratch memory of the size that it can use.
type graphProgram struct {
	pipeline  *vk.GraphPipeline
	scratch   vk.GraphScratch
	rendering *vk.RenderingInfo // of the draws of mesh nodes; nil without such nodes
}

// graph returns the program of an execution graph, made when it is first needed.
func (m *machine) graph(ctx context.Context, p *Pipeline) (*graphProgram, error) {
	if x := m.graphs[p]; x != nil {
		return x, nil
	}
	info := vk.GraphPipelineInfo{Creation: creationOf(p)}
	for i := range p.Stages {
		a := &p.Stages[i]
		s, err := m.stage(ctx, p, a)
		if err != nil {
			return nil, err
		}
		defer s.Module.Close()
		if a.Node != nil {
			s.Node, s.NodeIndex = a.Node.Name, &a.Node.Index
		}
		info.Stages = append(info.Stages, *s)
	}
	b, err := m.layout(ctx, p)
	if err != nil {
		return nil, err
	}
	info.Layout = b.layout
	x := &graphProgram{}
	if err := m.meshNodes(ctx, p, x, &info); err != nil {
		return nil, err
	}
	for _, l := range info.Meshes {
		defer l.Close()
	}
	if x.pipeline, err = m.device.NewGraphPipeline(ctx, info); err != nil {
		return nil, fmt.Errorf("%s:%s: pipeline %s: %w", m.script.File, p.At, p.Name, host.CompileCause(err))
	}
	m.graphs[p] = x
	x.scratch.Size = x.pipeline.ScratchSize().Max
	buffer, _, err := host.NewBuffer(m.device, x.scratch.Size, vk.DeviceAddress)
	if err != nil {
		return nil, err
	}
	x.scratch.Address = buffer.Address()
	return x, nil
}

// meshNodes makes the pipelines of mesh nodes, which have the layout of the graph, and the rendering of their draws.
func (m *machine) meshNodes(ctx context.Context, p *Pipeline, x *graphProgram, info *vk.GraphPipelineInfo) error {
	for i := range p.MeshNodes {
		n := &p.MeshNodes[i]
		s, err := m.fixedState(&Draw{Step: Step{At: n.Pipeline.At}, Pipeline: n.Pipeline})
		if err != nil {
			return err
		}
		rendering, err := m.rendering(n.Pipeline, s)
		if err != nil {
			return err
		}
		made := vk.GraphicsPipelineInfo{Creation: info.Creation, Layout: info.Layout}
		made.Flags |= enum.PipelineFlagsLibrary | enum.PipelineFlagsExecutionGraph
		l, err := m.buildGraphicsPipeline(ctx, n.Pipeline, s, made, n.Node)
		if err != nil {
			return err
		}
		info.Meshes = append(info.Meshes, l)
		if x.rendering == nil {
			x.rendering = &rendering
		}
	}
	return nil
}

// dispatchGraph runs an execution graph.
func (m *machine) dispatchGraph(ctx context.Context, c *DispatchGraph) error {
	p := c.Pipeline
	x, err := m.graph(ctx, p)
	if err != nil {
		return err
	}
	var starts []vk.GraphStart
	for i := range c.Starts {
		s := &c.Starts[i]
		node, ok := x.pipeline.NodeIndex(s.Node.Name, s.Node.Index)
		if !ok {
			return m.fault(CodeName, c.At, "pipeline %s has no node %s with the index %d", p.Name, s.Node.Name, s.Node.Index)
		}
		start := vk.GraphStart{Node: node, Count: s.Count, Stride: uint64(s.Stride)}
		if s.Buffer != nil {
			data := m.memory[s.Buffer]
			start.Payloads = data[min(s.Offset, len(data)):]
		}
		starts = append(starts, start)
	}
	b, err := m.bind(ctx, p)
	if err != nil {
		return err
	}
	if err := m.commands.Begin(vk.BeginInfo{OneTime: true}); err != nil {
		return err
	}
	m.commands.InitializeGraphScratch(x.pipeline, x.scratch)
	m.commands.BindGraph(x.pipeline)
	b.record(m, p, vk.ExecutionGraph)
	if x.rendering == nil {
		m.commands.DispatchGraph(x.scratch, starts)
		return m.submitted(ctx, p, c.At)
	}
	m.commands.BeginRendering(*x.rendering)
	m.commands.DispatchGraph(x.scratch, starts)
	m.commands.EndRendering()
	if err := m.recordResolves(p.MeshNodes[0].Pipeline); err != nil {
		return err
	}
	defer m.joinAll()
	return m.submitted(ctx, p, c.At)
}
