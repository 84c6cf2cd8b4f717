package vk

import (
	"context"
	"slices"
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

// GraphPipelineInfo describes an execution graph (VkExecutionGraphPipelineCreateInfoAMDX). With the flag Library it is a library.
type GraphPipelineInfo struct {
	Creation
	Stages    []StageInfo // compute shaders
	Libraries []*GraphPipeline

	// Libraries of one node each: compute pipelines, and graphics pipelines with all parts, a mesh stage and the flag ExecutionGraph.
	Computes []*ComputePipeline
	Meshes   []*GraphicsPipeline

	Layout *PipelineLayout // nil with the flag DescriptorHeap
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
	meshes     *assembly         // of a mesh node, which has no stages of its own
	drawn      *GraphicsPipeline // of a mesh node
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
	if err := info.checkLibraries(d); err != nil {
		return nil, err
	}
	defer info.Cache.unuse()
	if err := info.Cache.use(vuid.VkCreateExecutionGraphPipelinesAMDX_pipelineCache_09127); err != nil {
		return nil, err
	}
	c, err := d.newCreation(&info.Creation)
	if err != nil {
		return nil, err
	}
	c.debugged = d.debugger != nil
	for i := range info.Stages {
		if err := c.add(ctx, &info.Stages[i], spirv.ExecutionModelGLCompute); err != nil {
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

// checkLibraries checks the libraries of a graph.
func (info *GraphPipelineInfo) checkLibraries(d *Device) error {
	err := checkLibraries(d, info.Libraries)
	if err == nil {
		err = checkLibraries(d, info.Computes)
	}
	if err == nil {
		err = checkLibraries(d, info.Meshes)
	}
	for _, l := range info.Meshes {
		switch {
		case err != nil:
		case l.library.node == nil:
			err = usage("", "%v is no node of an execution graph; must have a mesh stage and the flag %v", &l.object, enum.PipelineFlagsExecutionGraph)
		case l.library.parts != allParts:
			err = usage("", "%v has the parts %v; must have all", &l.object, l.library.parts)
		}
	}
	return err
}

// close frees the programs of the nodes.
func (p *GraphPipeline) close() {
	for _, n := range p.nodes {
		if n.pipeline != nil {
			n.pipeline.Close()
		}
		if n.drawn != nil {
			n.drawn.free()
		}
	}
}

// describe returns the graph in the form of package link.
func (info *GraphPipelineInfo) describe(c *creation) *link.Description {
	d := c.description(&link.Description{NoLayout: info.heaps(), Library: info.Flags&enum.PipelineFlagsLibrary != 0}, link.ExecutionGraph, info.Layout)
	for i := range info.Stages {
		if n, name, err := info.Stages[i].node(&d.Stages[i], spirv.ExecutionModelGLCompute); err == nil && n != nil {
			d.Stages[i].Node = linkNode(name)
		}
	}
	for _, l := range info.Libraries {
		d.Libraries = append(d.Libraries, l.describe())
	}
	for _, l := range info.Computes {
		d.Libraries = append(d.Libraries, describeNodes(l.dev, link.Compute, l.flags, l.layout, []*graphNode{l.node}))
	}
	for _, l := range info.Meshes {
		x := *l.library.description
		x.Apart, x.Stages = true, slices.Clone(x.Stages)
		for i := range x.Stages {
			if s := &x.Stages[i]; s.Entry != nil && s.Entry.Model == spirv.ExecutionModelMeshEXT {
				s.Node = linkNode(l.library.node.name)
			}
		}
		d.Libraries = append(d.Libraries, &x)
	}
	return d
}

// describe returns a library in the form of package link.
func (p *GraphPipeline) describe() *link.Description {
	return describeNodes(p.dev, link.ExecutionGraph, p.flags, p.layout, p.nodes)
}

// describeNodes returns a library of compute nodes in the form of package link.
func describeNodes(dev *Device, kind link.Kind, flags enum.PipelineFlags, layout *PipelineLayout, nodes []*graphNode) *link.Description {
	l := layout.link
	d := &link.Description{Name: "library", Kind: kind, Flags: flags, Library: true, Layout: &l, Env: dev.env, Device: dev.env.Device, Apart: true}
	for _, n := range nodes {
		s := dev.describe(n.source)
		s.Node = linkNode(n.name)
		d.Stages = append(d.Stages, s)
	}
	return d
}

// assemble makes the nodes, of which those of libraries have programs of their own.
func (p *GraphPipeline) assemble(ctx context.Context, d *Device, c *creation, info *GraphPipelineInfo) error {
	for _, s := range c.stages {
		n, err := d.graphNode(ctx, s)
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
			p.nodes = append(p.nodes, n.shared())
		}
	}
	for _, l := range info.Computes {
		p.nodes = append(p.nodes, l.node.shared())
	}
	for _, l := range info.Meshes {
		n := l.library.node.shared()
		n.meshes = l.library
		p.nodes = append(p.nodes, n)
	}
	return p.compile(ctx, d, info.Flags)
}

// shared returns the node of a library for a graph.
func (n *graphNode) shared() *graphNode {
	return &graphNode{name: n.name, node: n.node, source: n.source, stage: n.stage, robustness: n.robustness, mappings: n.mappings, meshes: n.meshes}
}

// compile makes the programs of the nodes.
func (p *GraphPipeline) compile(ctx context.Context, d *Device, flags enum.PipelineFlags) error {
	create := compute.NewPipeline
	if flags&enum.PipelineFlagsFailOnPipelineCompileRequired != 0 {
		create = compute.NewDeferred // no machine code before the first dispatch
	}
	var list []graph.Node
	for _, n := range p.nodes {
		node := graph.Node{NodeName: n.name, Node: n.node, Draws: n.meshes != nil}
		if n.meshes != nil {
			node.Views = n.meshes.views()
		}
		list = append(list, node)
		if n.meshes != nil {
			if err := n.draws(ctx, d); err != nil {
				return err
			}
			continue
		}
		composed, err := graph.Compose(n.stage.Program)
		if err == nil {
			n.composed, err = shader.Composed(ctx, composed)
		}
		if err == nil {
			n.composed.Facts, n.composed.Symbols = n.stage.Facts, n.stage.Symbols
			n.pipeline, err = create(n.composed.Program, d.engine, exec.Options{Stop: ctx.Err})
		}
		if err != nil {
			return compileError(err)
		}
	}
	var err error
	if p.graph, err = graph.New(list, flags&enum.PipelineFlagsLibrary != 0); err != nil {
		return usage("", "%v", err)
	}
	p.graph.Limit = MaxGraphPayloads
	return nil
}

// linkNode returns the name of a node in the form of package link.
func linkNode(n ir.NodeName) *link.Node { return &link.Node{Name: n.Name, Index: n.Index} }

// draws makes the pipeline of a mesh node, which has its own copy of the state.
func (n *graphNode) draws(ctx context.Context, d *Device) error {
	p := &GraphicsPipeline{object: object{dev: d, kind: "mesh node"}, built: built{flags: n.meshes.flags}}
	a, mesh := *n.meshes, *n.meshes.stages[StageMesh]
	stage, program := *mesh.stage, *mesh.stage.Program
	program.Modes |= ir.MeshNode
	stage.Program, mesh.stage, a.stages[StageMesh] = &program, &stage, &mesh
	if err := p.link(ctx, d, &a); err != nil {
		return err
	}
	p.free, n.drawn = func() { p.pipeline.Close() }, p
	return nil
}

// graphNode makes a node of a compiled stage.
func (d *Device) graphNode(ctx context.Context, s *stageCreation) (*graphNode, error) {
	n := &graphNode{source: s.kept(), stage: s.stage()}
	found := s.shader
	if found == nil {
		var err error
		if found, err = d.stageOf(ctx, s); err != nil {
			return nil, err
		}
	}
	var err error
	n.node, n.name, err = s.info.node(found, s.model)
	if err == nil && n.node == nil {
		err = &UnsupportedError{Feature: "a node of an execution graph without its module"}
	}
	if err != nil {
		return nil, compileError(err)
	}
	return n, nil
}

// node returns the description of a node and its name; nil if the module is not known.
func (info *StageInfo) node(s *link.Shader, model spirv.ExecutionModel) (n *ir.Node, name ir.NodeName, err error) {
	if s.Module == nil {
		return nil, name, nil
	}
	m := s.Module.Facts()
	e := m.EntryPoint(entryName(info), model)
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
	if info.NodeIndex != nil {
		name.Index = *info.NodeIndex
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
