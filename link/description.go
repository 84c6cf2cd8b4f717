package link

import (
	"iter"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Kind is the kind of a pipeline.
type Kind uint8

// The kinds. Any is that of the stages.
const (
	Any Kind = iota
	Graphics
	Compute
	RayTracing
	ShaderObjects  // stages that are no pipeline (VK_EXT_shader_object)
	ExecutionGraph // nodes that hand payloads to each other (VK_AMDX_shader_enqueue)
	RayTracingNV   // as VK_NV_ray_tracing has them
	DataGraph      // a graph of operations on tensors (VK_ARM_data_graph)
)

// Description is a pipeline as it is put together. What is nil is not known, and
// no rule judges it.
type Description struct {
	Name   string // as messages name it
	Kind   Kind
	Flags  PipelineFlags
	Stages []Shader // in any order; of ray tracing pipelines in that which groups count
	Layout *Layout

	Vertex        *VertexInput
	Assembly      *InputAssembly
	Tessellation  *Tessellation
	Viewport      *Viewport
	Rasterization *Rasterization
	Multisample   *Multisample
	DepthStencil  *DepthStencil
	Blend         *ColorBlend
	ShadingRate   *ShadingRate
	Dynamic       []DynamicState
	HasDynamic    bool // Dynamic is known, be it empty

	// Pass and Subpass, or Rendering, are what is drawn to.
	Pass      *RenderPass
	Subpass   uint32
	Rendering *Rendering

	Graph      *Graph // of a data graph pipeline
	Rays       *Rays
	Robustness *Robustness

	// Library says that the pipeline is a part of one, so that stages may be
	// missing; Parts which parts of the state it has, 0 where all.
	Library bool
	Parts   Parts

	// Libraries are the graphics pipelines that give the other parts, or the
	// pipelines that give nodes to an execution graph. One that
	// is Apart is judged by itself elsewhere, so that what is wrong in it alone
	// is not reported of this one.
	Libraries []*Description
	Apart     bool

	NoLayout bool // it is known that there is no layout

	Base *PipelineFlags // of the pipeline that this one derives from, nil where it is not known

	Env    *valid.Env    // what is judged for, nil where it is not known
	Device *valid.Device // what is known of the device, nil where nothing is
}

// Shaders yields the stages of the pipeline and of its libraries, and the module of
// its graph.
func (d *Description) Shaders() iter.Seq[*Shader] {
	return func(yield func(*Shader) bool) {
		for _, g := range d.givers(0) {
			for i := range g.Stages {
				if !yield(&g.Stages[i]) {
					return
				}
			}
			if g.Graph != nil && !yield(&g.Graph.Shader) {
				return
			}
		}
	}
}

// feature returns whether a feature is enabled, and whether that is known.
func (d *Description) feature(name string) (on, known bool) {
	return d.Device.Feature(name)
}

// lacks reports whether a feature is known to be off.
func (d *Description) lacks(name string) bool {
	on, known := d.feature(name)
	return known && !on
}

// limit returns a limit or a property of the device, and whether it is known.
func (d *Description) limit(name string) (uint64, bool) {
	return d.Device.Limit(name)
}

// dynamic reports whether a state is set as commands are recorded, or may be,
// for it is not known which are.
func (d *Description) dynamic(s DynamicState) bool {
	return slices.Contains(d.Dynamic, s)
}

// Shader is one stage of a pipeline.
type Shader struct {
	File   string // where it comes from, as a message names it
	Module *valid.Module
	Entry  *iface.Entry

	// Load reads the module where Module is nil: most rules ask for the entry
	// point alone, so that a caller with many modules need not keep them.
	Load func() *valid.Module

	// Stage is the stage where Entry is nil: its module has no such entry point,
	// which Missing says, or there is none, which NoModule says, or it is not
	// known. Identifier is how many bytes an identifier of the module has, 0
	// where there is none; InChain says that the code stands in the chain of the
	// stage and not in a module.
	Stage      Stages
	Missing    *NoEntryError
	NoModule   bool
	Identifier uint32
	InChain    bool

	Flags          StageFlags
	SubgroupSize   uint32 // that is required, 0 where none is
	Robustness     *Robustness
	Specialization []SpecEntry
	Node           *Node      // what it is in an execution graph, nil where that is not said
	Mappings       *[]Mapping // of resources to descriptor heaps, nil where they are not known

	// Object and Next are what a shader object has in place of Flags: how it is
	// made, and which stages may be behind it, where HasNext says that they are
	// known.
	Object  ObjectFlags
	Next    Stages
	HasNext bool
}

// facts returns what is true of the module, nil where it cannot be read any
// more.
func (s *Shader) facts() *facts.Module {
	if s.Module == nil && s.Load != nil {
		s.Module = s.Load()
	}
	if s.Module == nil {
		return nil
	}
	return s.Module.Facts()
}

// SpecEntry is VkSpecializationMapEntry: a constant and where its value stands.
type SpecEntry struct {
	ID     uint32 `yaml:"id"`
	Offset uint32 `yaml:"offset"`    // bytes
	Size   uint64 `yaml:"size"`      // bytes
	Data   uint64 `yaml:"data_size"` // the size of all data, in bytes
}

// Layout is a pipeline layout.
type Layout struct {
	Flags LayoutFlags
	Sets  []Set
	Push  []Range
}

// Set is a descriptor set layout. One that is Null is none: a pipeline library
// may leave it out.
type Set struct {
	Number   uint32
	Null     bool
	Flags    SetFlags
	Bindings []Binding

	// Flagged is how many bindings the list of their flags is for, nil where it
	// is all of them, or none.
	Flagged *uint32
}

// Binding is one binding of a descriptor set layout.
type Binding struct {
	Binding uint32
	Type    DescriptorType
	Count   uint32 // of descriptors; bytes of an inline uniform block
	Stages  Stages
	Mutable []DescriptorType // what a mutable descriptor may be
	Flags   BindingFlags

	// Samplers says that the binding has immutable samplers, Ycbcr that one of
	// them converts from Y′CbCr. Immutable is all of them, nil where it is not
	// known what they are.
	Samplers, Ycbcr bool
	Immutable       []Sampler
}

// Sampler is a VkSampler as far as set layouts ask for it.
type Sampler struct {
	Ycbcr      bool `yaml:"ycbcr"`         // it converts from Y′CbCr
	Subsampled bool `yaml:"subsampled"`    // it reads images that are subsampled
	Border     bool `yaml:"custom_border"` // the color of its border is one of the application's own

	// Unnormalized says that coordinates are texels.
	Unnormalized bool `yaml:"unnormalized_coordinates"`
}

// DescriptorType is a VkDescriptorType by the middle of its name in lower case:
// "uniform_buffer_dynamic".
type DescriptorType string

// UnmarshalText reads a name.
func (t *DescriptorType) UnmarshalText(text []byte) error {
	if !slices.Contains(DescriptorTypes(), DescriptorType(text)) {
		var names []string
		for _, k := range DescriptorTypes() {
			names = append(names, string(k))
		}
		return &ValueError{string(text), strings.Join(names, ", ")}
	}
	*t = DescriptorType(text)
	return nil
}

// The types that no iface.Descriptor has.
const (
	UniformBufferDynamic DescriptorType = "uniform_buffer_dynamic"
	StorageBufferDynamic DescriptorType = "storage_buffer_dynamic"
	InlineUniformBlock   DescriptorType = "inline_uniform_block"
	Mutable              DescriptorType = "mutable"
	SampleWeightImage    DescriptorType = "sample_weight_image"
	BlockMatchImage      DescriptorType = "block_match_image"

	AccelerationStructureNV DescriptorType = "acceleration_structure_nv"
)

// DescriptorTypes returns the names of all descriptor types.
func DescriptorTypes() []DescriptorType {
	return []DescriptorType{
		DescriptorType(iface.Sampler), DescriptorType(iface.CombinedImageSampler), DescriptorType(iface.SampledImage),
		DescriptorType(iface.StorageImage), DescriptorType(iface.UniformTexelBuffer), DescriptorType(iface.StorageTexelBuffer),
		DescriptorType(iface.UniformBuffer), DescriptorType(iface.StorageBuffer), UniformBufferDynamic, StorageBufferDynamic,
		DescriptorType(iface.InputAttachment), InlineUniformBlock, DescriptorType(iface.AccelerationStructure), Mutable,
		SampleWeightImage, BlockMatchImage, DescriptorType(iface.StorageTensor), AccelerationStructureNV,
	}
}

// Range is a push constant range, in bytes.
type Range struct {
	Offset, Size uint32
	Stages       Stages
}

// Stages is a set of shader stages; bit k is that of stageOrder[k].
type Stages uint32

// AllStages has every stage.
const AllStages = Stages(1<<len(stageOrder) - 1)

// stageOrder is the stages in the order of a pipeline, with the execution
// models that they have and their names.
var stageOrder = [...]struct {
	name   string
	models []spirv.ExecutionModel
}{
	{"vertex", []spirv.ExecutionModel{spirv.ExecutionModelVertex}},
	{"tessellation_control", []spirv.ExecutionModel{spirv.ExecutionModelTessellationControl}},
	{"tessellation_evaluation", []spirv.ExecutionModel{spirv.ExecutionModelTessellationEvaluation}},
	{"geometry", []spirv.ExecutionModel{spirv.ExecutionModelGeometry}},
	{"task", []spirv.ExecutionModel{spirv.ExecutionModelTaskEXT, spirv.ExecutionModelTaskNV}},
	{"mesh", []spirv.ExecutionModel{spirv.ExecutionModelMeshEXT, spirv.ExecutionModelMeshNV}},
	{"fragment", []spirv.ExecutionModel{spirv.ExecutionModelFragment}},
	{"compute", []spirv.ExecutionModel{spirv.ExecutionModelGLCompute}},
	{"raygen", []spirv.ExecutionModel{spirv.ExecutionModelRayGenerationKHR}},
	{"any_hit", []spirv.ExecutionModel{spirv.ExecutionModelAnyHitKHR}},
	{"closest_hit", []spirv.ExecutionModel{spirv.ExecutionModelClosestHitKHR}},
	{"miss", []spirv.ExecutionModel{spirv.ExecutionModelMissKHR}},
	{"intersection", []spirv.ExecutionModel{spirv.ExecutionModelIntersectionKHR}},
	{"callable", []spirv.ExecutionModel{spirv.ExecutionModelCallableKHR}},
}

// The places of stages in stageOrder.
const (
	vertex = iota
	tessellationControl
	tessellationEvaluation
	geometry
	task
	mesh
	fragment
	compute
	raygen
	anyHit
	closestHit
	miss
	intersection
	callable
)

// StageOf returns the place of an execution model in the order of stages, -1
// where no Vulkan pipeline has it.
func StageOf(m spirv.ExecutionModel) int {
	for i, s := range stageOrder {
		for _, k := range s.models {
			if k == m {
				return i
			}
		}
	}
	return -1
}

// ParseStage returns the set of one stage by its name, or of "all", "all_graphics".
func ParseStage(name string) (Stages, bool) {
	switch name {
	case "all":
		return AllStages, true
	case "all_graphics":
		return 1<<(fragment+1) - 1, true
	}
	for i, s := range stageOrder {
		if s.name == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// Names returns the names that a description may have.
func (Stages) Names() []string { return StageNames() }

// UnmarshalText reads the name of one stage.
func (s *Stages) UnmarshalText(text []byte) error {
	k, ok := ParseStage(string(text))
	if !ok {
		return &ValueError{string(text), strings.Join(StageNames(), ", ")}
	}
	*s = k
	return nil
}

// StageNames returns the names that ParseStage takes.
func StageNames() []string {
	out := []string{"all", "all_graphics"}
	for _, s := range stageOrder {
		out = append(out, s.name)
	}
	return out
}

// String returns the names of the stages.
func (s Stages) String() string {
	out := ""
	for i, k := range stageOrder {
		if s>>i&1 != 0 {
			if out != "" {
				out += ", "
			}
			out += k.name
		}
	}
	if out == "" {
		return "no stage"
	}
	return out
}
