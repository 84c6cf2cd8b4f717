package amber

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Described is a pipeline of a script for package link, except for its modules, which are
// in Modules in the order of its stages.
type Described struct {
	Name        string // of the pipeline, and the topology that it draws
	At          diag.Pos
	Description *link.Description
	Stages      []DescribedStage
	Libraries   []Described // mesh nodes of an execution graph
}

// DescribedStage is a stage of a described pipeline.
type DescribedStage struct {
	Shader string
	At     diag.Pos // of the shader in the script; zero for one that the script does not contain
	Stage  link.Stages
	Entry  string
	Code   []byte // SPIR-V
	Spec   facts.Spec
	Flags  enum.StageFlags
	Size   uint32 // of subgroups that is required, 0 for any

	inputs     []shader.InputVariable // of a fragment shader
	source     *Shader
	stage      Stage  // of the shader
	target     string // the environment of the module
	assembled  bool   // starts is known
	starts     []int  // the offsets of instructions in the text of source if that is assembly and is the module
	Robustness *link.Robustness
	Node       *link.Node
	Mappings   *[]link.Mapping // nil if the pipeline has descriptor sets
}

// Describe returns the pipelines that the commands of a script run: one for each primitive
// topology of its draws. It omits pipelines that only clear, because no shader of theirs
// runs. The error reports a shader that cannot be compiled to a module.
func Describe(ctx context.Context, s *Script, o Options) ([]Described, error) {
	r := &runner{script: s, options: o}
	var out []Described
	seen := map[string]bool{}
	g := usage{entryPoints: map[entryKey]string{}}
	g.commands(s.Commands)
	for _, u := range g.uses {
		r.entryPoints = u.entryPoints
		name := u.pipeline.Name
		if u.topology != "" {
			name += " " + u.topology
		}
		if u.node {
			name += " node"
		}
		for _, k := range u.pipeline.Stages {
			if entry, ok := u.entryPoints[entryKey{u.pipeline, k.Stage}]; ok {
				name += " " + entry
			}
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		d, err := r.describe(ctx, u, name)
		if err != nil {
			return nil, err
		}
		out = append(out, *d)
	}
	return out, nil
}

// use is a pipeline that a command runs.
type use struct {
	pipeline    *Pipeline
	topology    string
	node        bool                // a node of an execution graph
	entryPoints map[entryKey]string // that were set before
}

// usage follows the commands of a script.
type usage struct {
	uses        []use
	entryPoints map[entryKey]string
}

func (g *usage) add(p *Pipeline, topology string) {
	g.uses = append(g.uses, use{pipeline: p, topology: topology, entryPoints: g.entryPoints})
}

// commands adds the pipelines that commands run.
func (g *usage) commands(list []Command) {
	for _, c := range list {
		switch c := c.(type) {
		case *SetEntryPoint:
			g.entryPoints = maps.Clone(g.entryPoints)
			g.entryPoints[entryKey{c.Pipeline, c.Stage}] = c.Name
		case *Dispatch:
			g.add(c.Pipeline, "")
		case *Draw:
			t := strings.ToLower(c.Topology)
			switch {
			case c.Patch:
				t = "patch_list"
			case t == "" && c.Kind < DrawArray:
				t = "triangle_list"
			}
			g.add(c.Pipeline, t)
		case *Trace:
			g.add(c.Pipeline, "")
		case *Shade:
			g.add(c.Pipeline, "")
		case *DispatchGraph:
			g.add(c.Pipeline, "")
			for _, n := range c.Pipeline.MeshNodes {
				g.uses = append(g.uses, use{pipeline: n.Pipeline, node: true, entryPoints: g.entryPoints})
			}
		case *Repeat:
			g.commands(c.Commands)
		case *RenderPass:
			g.commands(c.Commands)
		}
	}
}

// descriptorTypes are the descriptor types by the kinds of bindings.
var descriptorTypes = [...]link.DescriptorType{
	Uniform: link.DescriptorType(iface.UniformBuffer), UniformDynamic: link.UniformBufferDynamic,
	Storage: link.DescriptorType(iface.StorageBuffer), StorageDynamic: link.StorageBufferDynamic,
	UniformTexelBuffer: link.DescriptorType(iface.UniformTexelBuffer), StorageTexelBuffer: link.DescriptorType(iface.StorageTexelBuffer),
	InlineUniform: link.InlineUniformBlock,
	SampledImage:  link.DescriptorType(iface.SampledImage), StorageImage: link.DescriptorType(iface.StorageImage),
	InputAttachment:      link.DescriptorType(iface.InputAttachment),
	CombinedImageSampler: link.DescriptorType(iface.CombinedImageSampler), SamplerOnly: link.DescriptorType(iface.Sampler),
	AccelerationStructure: link.DescriptorType(iface.AccelerationStructure),
}

func (r *runner) describe(ctx context.Context, u use, name string) (*Described, error) {
	p := u.pipeline
	d := &link.Description{Name: name, Layout: &link.Layout{}, Robustness: p.Robustness.link()}
	d.Kind = [...]link.Kind{ComputePipeline: link.Compute, GraphicsPipeline: link.Graphics, RayTracingPipeline: link.RayTracing, SubpassShadingPipeline: link.Compute, ExecutionGraphPipeline: link.ExecutionGraph}[p.Kind]
	out := &Described{Name: name, At: p.At, Description: d}
	for i := range p.Stages {
		s, err := r.describeStage(ctx, p, &p.Stages[i])
		if err != nil {
			return nil, err
		}
		out.Stages = append(out.Stages, *s)
	}
	if p.heaped() {
		d.Flags |= enum.PipelineFlagsDescriptorHeap
		d.Layout = nil // VUID-VkComputePipelineCreateInfo-flags-11311
	} else {
		r.describeLayout(p, d.Layout)
	}
	for i := range p.MeshNodes {
		n := &p.MeshNodes[i]
		x, err := r.describe(ctx, use{pipeline: n.Pipeline, node: true}, n.Pipeline.Name)
		if err != nil {
			return nil, err
		}
		x.Description.Apart = true
		for k := range x.Stages {
			if n.Node != nil && x.Stages[k].stage == Mesh {
				x.Stages[k].Node = n.Node
			}
		}
		out.Libraries = append(out.Libraries, *x)
	}
	if p.Kind == RayTracingPipeline {
		d.Rays = p.linkRays()
	}
	if p.RayTracing.Library {
		d.Flags |= enum.PipelineFlagsLibrary
	}
	if u.node {
		d.Flags |= enum.PipelineFlagsLibrary | enum.PipelineFlagsExecutionGraph
	}
	if p.Kind != GraphicsPipeline {
		return out, nil
	}
	if err := describeGraphics(p, u.topology, d); err != nil {
		return nil, err
	}
	return out, describeInputs(out, p)
}

// layout returns the binding in the layout of a descriptor set of a pipeline.
func (b *Binding) layout(kind PipelineKind) link.Binding {
	x := link.Binding{Binding: b.Binding, Type: descriptorTypes[b.Kind], Count: b.Element + uint32(b.count()), Stages: link.AllStages}
	switch {
	case b.Kind == InputAttachment && kind == SubpassShadingPipeline:
		x.Stages = link.StageCompute
	case b.Kind == InputAttachment: // VUID-VkDescriptorSetLayoutBinding-descriptorType-01510
		x.Stages = fragmentStage
	case b.Kind == InlineUniform:
		x.Count = uint32(len(b.Buffers[0].Data))
		if len(b.Offsets) > 0 {
			x.Count -= uint32(min(b.Offsets[0], int64(x.Count)))
		}
		if len(b.Ranges) > 0 && b.Ranges[0] >= 0 {
			x.Count = uint32(b.Ranges[0])
		}
	case b.Mutable != nil:
		x.Type = link.Mutable
		for _, k := range b.Mutable {
			x.Mutable = append(x.Mutable, descriptorTypes[k])
		}
	}
	return x
}

// describeLayout is the pipeline layout that a script's pipeline has: every
// binding is for all stages.
func (r *runner) describeLayout(p *Pipeline, l *link.Layout) {
	sets := map[uint32]int{}
	for i := range p.Bindings {
		b := &p.Bindings[i]
		if b.Kind == Untyped {
			continue
		}
		i, ok := sets[b.Set]
		if !ok {
			i = len(l.Sets)
			sets[b.Set] = i
			l.Sets = append(l.Sets, link.Set{Number: b.Set})
		}
		list := &l.Sets[i].Bindings
		x := b.layout(p.Kind)
		if k := slices.IndexFunc(*list, func(o link.Binding) bool { return o.Binding == b.Binding }); k >= 0 { // other elements of it
			(*list)[k].Count = max((*list)[k].Count, x.Count)
			continue
		}
		*list = append(*list, x)
	}
	if p.Push != nil {
		l.Push = []link.Range{{Size: uint32(len(p.Push.Data)+3) &^ 3, Stages: link.AllStages}} // whole words, as Amber has it
	}
}

// describeStage makes the module of a stage.
func (r *runner) describeStage(ctx context.Context, p *Pipeline, a *Attachment) (*DescribedStage, error) {
	name := strings.Replace(strings.ToLower(a.Stage.String()), "ray_generation", "raygen", 1)
	stage, ok := link.ParseStage(name)
	if !ok {
		return nil, r.unsupported(p.At, "a shader of the stage "+a.Stage.String())
	}
	code, err := r.stageModule(ctx, p, a)
	if err != nil {
		return nil, err
	}
	out := &DescribedStage{source: a.Shader, stage: a.Stage, target: r.targetEnv(a.Shader), Mappings: p.linkMappings(), Shader: a.Shader.Name, At: a.Shader.At, Stage: stage, Entry: r.entryPoint(p, a), Code: code, Size: uint32(a.Subgroup.RequiredSize), Robustness: a.Robustness.link(), Node: a.Node}
	if a.Stage == Fragment {
		if f, e, err := r.stageFacts(code, a, out.Entry, spirv.ExecutionModelFragment); err == nil { // rules cover errors
			out.inputs = shader.InputVariables(f, e)
		}
	}
	out.Spec = a.specialization()
	if a.Subgroup.VaryingSize {
		out.Flags |= enum.StageFlagsAllowVaryingSubgroupSize
	}
	if a.Subgroup.FullyPopulated {
		out.Flags |= enum.StageFlagsRequireFullSubgroups
	}
	return out, nil
}

// passthrough is the vertex shader that scripts need not write.
const passthrough = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out
OpDecorate %in Location 0
OpDecorate %out BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %in
OpStore %out %x
OpReturn
OpFunctionEnd
`

// describeGraphics adds the states of a graphics pipeline. HasDynamic stays false: a state
// that is not set here is not known, because Amber chooses it.
func describeGraphics(p *Pipeline, topology string, d *link.Description) error {
	g := &p.Graphics
	d.Rasterization = &link.Rasterization{LineWidth: 1}
	d.Assembly = &link.InputAssembly{}
	if err := d.Assembly.Topology.UnmarshalText([]byte(topology)); err != nil {
		d.Assembly = nil // another rule of the script covers it
	}
	d.Tessellation = &link.Tessellation{PatchControlPoints: uint32(g.PatchControlPoints)}
	d.Viewport = &link.Viewport{Viewports: 1, Scissors: 1}
	if len(g.Vertices) > 0 {
		d.Vertex = &link.VertexInput{}
	}
	for i, v := range g.Vertices {
		a := link.Attribute{Location: uint32(v.Location), Binding: uint32(i), Offset: uint32(v.Offset)}
		f := v.Format
		if f == nil {
			f = v.Buffer.Texel
		}
		if f == nil {
			d.Vertex = nil // its elements have no format: nothing is known of its attributes
			break
		}
		if err := a.Format.UnmarshalText([]byte(f.Name)); err != nil {
			return fmt.Errorf("vertex data at location %d: %w", v.Location, err)
		}
		d.Vertex.Attributes = append(d.Vertex.Attributes, a)
		b := link.VertexBinding{Binding: uint32(i), Stride: uint32(v.Stride)}
		if b.Stride == 0 {
			b.Stride = uint32(v.Buffer.Shape.Stride)
		}
		if v.PerInstance {
			b.Rate = enum.InputRateInstance
		}
		d.Vertex.Bindings = append(d.Vertex.Bindings, b)
	}
	describeSettings(g, d)
	if p.stageOf(Mesh) != nil {
		d.Vertex, d.Assembly, d.Tessellation = nil, nil, nil
	}
	return describePass(g, d)
}

// describePass adds the render pass: color attachments by location, and depth
// and stencil.
func describePass(g *Graphics, d *link.Description) error {
	pass := &link.RenderPass{}
	var sub link.Subpass
	attach := func(b *Buffer) (link.Ref, error) {
		a := link.PassAttachment{}
		if b.Image != nil {
			a.Samples = uint32(b.Image.Samples)
		}
		if b.Texel != nil {
			if err := a.Format.UnmarshalText([]byte(b.Texel.Name)); err != nil {
				return 0, err
			}
		}
		pass.Attachments = append(pass.Attachments, a)
		return link.Ref(len(pass.Attachments) - 1), nil
	}
	for _, c := range g.Colors {
		for len(sub.Color) <= c.Location {
			sub.Color = append(sub.Color, link.Unused)
		}
		n, err := attach(c.Buffer)
		if err != nil {
			return err
		}
		sub.Color[c.Location] = n
	}
	if g.DepthStencil != nil {
		n, err := attach(g.DepthStencil)
		if err != nil {
			return err
		}
		sub.Depth = &n
	}
	sub.ViewMask, sub.ShadingRate = g.settings().Rendering.ViewMask, g.Rates != nil
	pass.Subpasses = []link.Subpass{sub}
	d.Pass = pass
	return nil
}
