package vk

import (
	"context"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/graph"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// GraphStage is a shader of an execution graph: a compute shader.
type GraphStage struct {
	StageInfo
	Node string  // the name of the node, "" for that of the entry point
	At   *uint32 // the index of the node, nil for that of the shader (VK_SHADER_INDEX_UNUSED_AMDX)
}

// GraphPipelineInfo describes an execution graph (VkExecutionGraphPipelineCreateInfoAMDX). With the flag Library it is a library.
type GraphPipelineInfo struct {
	Creation
	Stages    []GraphStage
	Libraries []*GraphPipeline
	Layout    *PipelineLayout // nil with the flag DescriptorHeap
}

// GraphPipeline is a pipeline of nodes that send payloads to each other (VK_AMDX_shader_enqueue).
type GraphPipeline struct {
	object
	built
	layout *PipelineLayout
	nodes  []*graphNode // those of the libraries at the end
	graph  *graph.Graph
	serial uint64 // of no other graph of the process
}

// graphSerials counts the graphs.
var graphSerials atomic.Uint64

// graphNode is a node of a graph.
type graphNode struct {
	name       ir.NodeName
	node       *ir.Node
	source     *stageCreation
	stage      *shader.Stage // before its composition
	composed   *shader.Stage
	pipeline   *compute.Pipeline
	robustness compute.Robustness
	mappings   []compute.Mapping // with descriptor heaps
}

// NewGraphPipeline makes an execution graph; errors are those of NewComputePipeline (vkCreateExecutionGraphPipelinesAMDX). The
// libraries may be closed afterwards.
func (d *Device) NewGraphPipeline(ctx context.Context, info GraphPipelineInfo) (_ *GraphPipeline, err error) {
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	layout, err := layoutOf(d, info.Layout, info.heaps(), "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-11363")
	if err != nil {
		return nil, err
	}
	if err := checkLibraries(d, info.Libraries); err != nil {
		return nil, err
	}
	if info.Flags&InstrumentShaders != 0 {
		return nil, &UnsupportedError{Feature: "shader instrumentation of execution graphs"}
	}
	defer info.Cache.unuse()
	if err := info.Cache.use(vuid.VkCreateExecutionGraphPipelinesAMDX_pipelineCache_09127); err != nil {
		return nil, err
	}
	c, err := d.newCreation(&info.Creation)
	if err != nil {
		return nil, err
	}
	for i := range info.Stages {
		if err := c.add(ctx, &info.Stages[i].StageInfo, spirv.ExecutionModelGLCompute); err != nil {
			return nil, err
		}
	}
	if d.checking > None {
		if err := linked(info.describe(c)); err != nil {
			return nil, err
		}
	}
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	p := &GraphPipeline{layout: layout, serial: graphSerials.Add(1)}
	if err := p.assemble(ctx, d, c, &info); err != nil {
		p.close()
		return nil, err
	}
	p.built = c.finish()
	d.adopt(&p.object, "execution graph", p.close)
	return p, nil
}

// NewGraphPipelines makes execution graphs, as NewComputePipelines makes pipelines.
func (d *Device) NewGraphPipelines(ctx context.Context, infos []GraphPipelineInfo) ([]*GraphPipeline, error) {
	return batch(infos, func(i *GraphPipelineInfo) *Creation { return &i.Creation }, func(i *GraphPipelineInfo) (*GraphPipeline, error) {
		return d.NewGraphPipeline(ctx, *i)
	})
}

// close frees the programs of the nodes.
func (p *GraphPipeline) close() {
	for _, n := range p.nodes {
		if n.pipeline != nil {
			n.pipeline.Close()
		}
	}
}

// describe returns the graph in the form of package link.
func (info *GraphPipelineInfo) describe(c *creation) *link.Description {
	d := c.description(&link.Description{NoLayout: info.heaps(), Library: info.Flags&enum.PipelineFlagsLibrary != 0}, link.ExecutionGraph, info.Layout)
	for i := range info.Stages {
		if n, name, err := info.Stages[i].node(&d.Stages[i]); err == nil && n != nil {
			d.Stages[i].Node = &link.Node{Name: name.Name, Index: name.Index}
		}
	}
	for _, l := range info.Libraries {
		d.Libraries = append(d.Libraries, l.describe())
	}
	return d
}

// describe returns a library in the form of package link.
func (p *GraphPipeline) describe() *link.Description {
	l := p.layout.link
	d := &link.Description{Name: "library", Kind: link.ExecutionGraph, Flags: p.flags, Library: true, Layout: &l, Env: p.dev.env, Device: p.dev.env.Device, Apart: true}
	for _, n := range p.nodes {
		s := p.dev.describe(n.source)
		s.Node = &link.Node{Name: n.name.Name, Index: n.name.Index}
		d.Stages = append(d.Stages, s)
	}
	return d
}

// assemble makes the nodes, of which those of libraries have programs of their own.
func (p *GraphPipeline) assemble(ctx context.Context, d *Device, c *creation, info *GraphPipelineInfo) error {
	for i, s := range c.stages {
		n, err := d.graphNode(ctx, s, &info.Stages[i])
		if err != nil {
			return err
		}
		p.nodes = append(p.nodes, n)
		if r := c.robustnessOf(s.info); r != nil {
			n.robustness = *r.inside()
		}
		if info.heaps() {
			if n.mappings, err = d.mappings(s.info.Mappings, n.stage.Program); err != nil {
				return err
			}
		}
	}
	for _, l := range info.Libraries {
		for _, n := range l.nodes {
			p.nodes = append(p.nodes, &graphNode{name: n.name, node: n.node, source: n.source, stage: n.stage, robustness: n.robustness, mappings: n.mappings})
		}
	}
	create := compute.NewPipeline
	if info.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired != 0 {
		create = compute.NewDeferred // no machine code before the first dispatch
	}
	var list []graph.Node
	for _, n := range p.nodes {
		composed, err := graph.Compose(n.stage.Program)
		if err == nil {
			n.composed, err = shader.Composed(ctx, composed)
		}
		if err == nil {
			n.composed.Facts = n.stage.Facts
			n.pipeline, err = create(n.composed.Program, d.engine, exec.Options{Stop: ctx.Err})
		}
		if err != nil {
			return compileError(err)
		}
		list = append(list, graph.Node{NodeName: n.name, Node: n.node})
	}
	var err error
	if p.graph, err = graph.New(list, info.Flags&enum.PipelineFlagsLibrary != 0); err != nil {
		return usage("", "%v", err)
	}
	return nil
}

// graphNode makes a node of a compiled stage.
func (d *Device) graphNode(ctx context.Context, s *stageCreation, info *GraphStage) (*graphNode, error) {
	n := &graphNode{source: s.kept(), stage: s.stage()}
	found := s.shader
	if found == nil {
		var err error
		if found, err = d.stageOf(ctx, s); err != nil {
			return nil, err
		}
	}
	var err error
	n.node, n.name, err = info.node(found)
	if err == nil && n.node == nil {
		err = &UnsupportedError{Feature: "a node of an execution graph without its module"}
	}
	if err != nil {
		return nil, compileError(err)
	}
	return n, nil
}

// node returns the description of a node and its name; nil if the module is not known.
func (info *GraphStage) node(s *link.Shader) (n *ir.Node, name ir.NodeName, err error) {
	if s.Module == nil {
		return nil, name, nil
	}
	m := s.Module.Facts()
	e := m.EntryPoint(entryName(&info.StageInfo), spirv.ExecutionModelGLCompute)
	if e == nil {
		return nil, name, nil
	}
	if n, err = lower.NodeOf(m, e); err != nil {
		return nil, name, err
	}
	name = ir.NodeName{Name: n.Name, Index: n.Index}
	if info.Node != "" {
		name.Name = info.Node
	}
	if info.At != nil {
		name.Index = *info.At
	}
	return n, name, nil
}

// NodeIndex returns the number that commands dispatch a node by, and whether there is one with a name and an index
// (vkGetExecutionGraphPipelineNodeIndexAMDX).
func (p *GraphPipeline) NodeIndex(name string, index uint32) (uint32, bool) {
	if p == nil || p.graph == nil {
		return 0, false
	}
	return p.graph.Find(ir.NodeName{Name: name, Index: index})
}

// PayloadSize returns the size of the payloads that a node reads; 0 if there is no such node, or if it reads none.
func (p *GraphPipeline) PayloadSize(node uint32) uint64 {
	if p == nil || p.graph == nil {
		return 0
	}
	n := p.graph.Node(node)
	if n == nil || !n.Input {
		return 0
	}
	return uint64(n.Bytes)
}

// ScratchSize is the memory that a graph uses (VkExecutionGraphPipelineScratchSizeAMDX).
type ScratchSize struct {
	Min, Max, Granularity uint64
}

// ScratchSize returns the memory that commands need to run the graph, and can use (vkGetExecutionGraphPipelineScratchSizeAMDX).
func (p *GraphPipeline) ScratchSize() (s ScratchSize) {
	if p != nil && p.graph != nil {
		s.Min, s.Max, s.Granularity = p.graph.ScratchSize()
	}
	return s
}
