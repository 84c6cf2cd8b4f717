package link

import (
	"iter"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Kind is the kind of a pipeline.
type Kind uint8

// The kinds. Any means that the stages determine the kind.
const (
	Any Kind = iota
	Graphics
	Compute
	RayTracing
	ShaderObjects  // stages that are no pipeline (VK_EXT_shader_object)
	ExecutionGraph // nodes that send payloads to each other (VK_AMDX_shader_enqueue)
	RayTracingNV   // as VK_NV_ray_tracing has them
	DataGraph      // a graph of operations on tensors (VK_ARM_data_graph)
)

// Description is the description of a pipeline. A nil field is not known, and no rule
// checks it.
type Description struct {
	Name   string // as messages name it
	Path   string // of a library in the description that contains it, with a period: "libraries[0]."
	Kind   Kind
	Flags  enum.PipelineFlags
	Stages []Shader // in any order; the groups of a ray tracing pipeline number them in this order
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
	Dynamic       []enum.DynamicState
	HasDynamic    bool // Dynamic is known, be it empty

	// Pass and Subpass, or Rendering, are the attachments of the draw.
	Pass      *RenderPass
	Subpass   uint32
	Rendering *Rendering

	Graph      *Graph // of a data graph pipeline
	Rays       *Rays
	Robustness *Robustness

	// Library reports that the pipeline is a library, so that stages may be missing; Parts
	// is the set of the state parts it contains, or 0 for all.
	Library bool
	Parts   enum.Parts

	// Libraries are the graphics pipelines that provide the other parts, or the pipelines
	// that provide nodes to an execution graph. One that is Apart is checked by itself
	// elsewhere, so that a fault in it alone is not reported for this one.
	Libraries []*Description
	Apart     bool

	NoLayout bool // it is known that there is no layout

	Commands *Commands // recorded with the pipeline bound, or nil if they are not known

	Call   *Call    // that creates the pipeline, or nil if it is not known
	Queues *[]Queue // the abilities of the queue families of the device, or nil if they are not known

	Base *enum.PipelineFlags // of the pipeline that this one derives from, or nil if it is not known

	Reading facts.Reading // the wording that the description selects

	// Position returns the file, the line and the column of a path in the text of the
	// description; the line is 0 if the text has no such path. It is nil if there is no text.
	Position func(path string) (file string, line, column int)

	Env    *valid.Env    // the environment of the check, or nil if it is not known
	Device *valid.Device // the known features and limits of the device, or nil if none are known

	asked *asked // records the demands of rules on the device; nil unless needs are sought
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
	if d.asked != nil {
		d.asked.features[name] = true
	}
	return d.Device.Feature(name)
}

// lacks reports whether a feature is known to be off.
func (d *Description) lacks(name string) bool {
	on, known := d.feature(name)
	return known && !on
}

// limit returns a limit or a property of the device, and whether it is known.
func (d *Description) limit(name string) (uint64, bool) {
	if d.asked != nil {
		d.asked.limits[name] = true
	}
	return d.Device.Limit(name)
}

// dynamic reports whether a state is set as commands are recorded, or may be,
// for it is not known which are.
func (d *Description) dynamic(s enum.DynamicState) bool {
	return slices.Contains(d.Dynamic, s)
}

// Shader is one stage of a pipeline.
type Shader struct {
	File   string // the source file, as a message names it
	Path   string // of the stage in the description: "stages.vertex"; "" if there is none
	Module *valid.Module
	Entry  *iface.Entry

	// Load reads the module if Module is nil: most rules need only the entry point, so that
	// a caller with many modules need not hold them all.
	Load func() *valid.Module

	// Stage is the stage if Entry is nil, for one of three reasons: its module has no such
	// entry point (Missing), there is no module (NoModule), or the entry point is not
	// known. Identifier is the size in bytes of the identifier of the module, or 0 if there
	// is none; InChain reports that the code is in the pNext chain of the stage and not in
	// a module.
	Stage      Stages
	Missing    *NoEntryError
	NoModule   bool
	Identifier uint32
	InChain    bool

	Flags          enum.StageFlags
	SubgroupSize   uint32 // the required size, or 0 if none is required
	Robustness     *Robustness
	Specialization []SpecEntry
	Node           *Node      // its node in an execution graph, or nil if the description has none
	Mappings       *[]Mapping // of resources to descriptor heaps, or nil if they are not known

	// Object and Next are the flags of a shader object, which it has instead of Flags, and
	// the set of stages that may follow it. HasNext reports that Next is known.
	Object  enum.ObjectFlags
	Next    Stages
	HasNext bool
}

// facts returns the facts of the module, or nil if it can no longer be read.
func (s *Shader) facts() *facts.Module {
	if s.Module == nil && s.Load != nil {
		s.Module = s.Load()
	}
	if s.Module == nil {
		return nil
	}
	return s.Module.Facts()
}

// SpecEntry is VkSpecializationMapEntry: a constant and the position of its value.
type SpecEntry struct {
	ID     uint32 `yaml:"id"`
	Offset uint32 `yaml:"offset"`    // bytes
	Size   uint64 `yaml:"size"`      // bytes
	Data   uint64 `yaml:"data_size"` // the size of all data, in bytes
}

// Layout is a pipeline layout.
type Layout struct {
	Flags enum.LayoutFlags
	Sets  []Set
	Push  []Range
}

// Set is a descriptor set layout. One that is Null is none: a pipeline library
// may leave it out.
type Set struct {
	Number   uint32
	Null     bool
	Flags    enum.SetFlags
	Bindings []Binding

	// Flagged is the length of the list of binding flags, or nil if there is no list or it
	// covers all bindings.
	Flagged *uint32
}

// Binding is one binding of a descriptor set layout.
type Binding struct {
	Binding uint32
	Type    DescriptorType
	Count   uint32 // of descriptors; bytes of an inline uniform block
	Stages  Stages
	Mutable []DescriptorType // the types that a mutable descriptor may have
	Flags   enum.BindingFlags

	// Samplers reports that the binding has immutable samplers, Ycbcr that one of them
	// converts from Y′CbCr. Immutable is all of them, or nil if they are not known.
	Samplers, Ycbcr bool
	Immutable       []Sampler
}

// Sampler is the part of a VkSampler that rules on set layouts need.
type Sampler struct {
	Ycbcr      bool `yaml:"ycbcr"`         // it converts from Y′CbCr
	Subsampled bool `yaml:"subsampled"`    // it reads images that are subsampled
	Border     bool `yaml:"custom_border"` // the color of its border is one of the application's own

	// Unnormalized reports that coordinates are in texels.
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
		return &enum.ValueError{Text: string(text), Want: strings.Join(names, ", ")}
	}
	*t = DescriptorType(text)
	return nil
}

// UnmarshalYAML reads a name.
func (t *DescriptorType) UnmarshalYAML(read func(any) error) error { return enum.ReadName(read, t) }

// The types. SamplerDescriptor is VK_DESCRIPTOR_TYPE_SAMPLER.
const (
	SamplerDescriptor     DescriptorType = DescriptorType(iface.Sampler)
	CombinedImageSampler  DescriptorType = DescriptorType(iface.CombinedImageSampler)
	SampledImage          DescriptorType = DescriptorType(iface.SampledImage)
	StorageImage          DescriptorType = DescriptorType(iface.StorageImage)
	UniformTexelBuffer    DescriptorType = DescriptorType(iface.UniformTexelBuffer)
	StorageTexelBuffer    DescriptorType = DescriptorType(iface.StorageTexelBuffer)
	UniformBuffer         DescriptorType = DescriptorType(iface.UniformBuffer)
	StorageBuffer         DescriptorType = DescriptorType(iface.StorageBuffer)
	InputAttachment       DescriptorType = DescriptorType(iface.InputAttachment)
	AccelerationStructure DescriptorType = DescriptorType(iface.AccelerationStructure)
	StorageTensor         DescriptorType = DescriptorType(iface.StorageTensor)
)

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
		SamplerDescriptor, CombinedImageSampler, SampledImage, StorageImage, UniformTexelBuffer, StorageTexelBuffer,
		UniformBuffer, StorageBuffer, UniformBufferDynamic, StorageBufferDynamic, InputAttachment, InlineUniformBlock,
		AccelerationStructure, Mutable, SampleWeightImage, BlockMatchImage, StorageTensor, AccelerationStructureNV,
	}
}

// Range is a push constant range, in bytes.
type Range struct {
	Offset, Size uint32
	Stages       Stages
}

// Stages is a set of shader stages; bit k is the stage stageOrder[k].
type Stages uint32

// AllStages has every stage.
const AllStages = Stages(1<<len(stageOrder) - 1)

// The stages, each as a set of one.
const (
	StageClusterCulling Stages = 1 << iota
	StageVertex
	StageTessControl
	StageTessEvaluation
	StageGeometry
	StageTask
	StageMesh
	StageFragment
	StageCompute
	StageRaygen
	StageAnyHit
	StageClosestHit
	StageMiss
	StageIntersection
	StageCallable
)

// stageOrder is the stages in the order of a pipeline, with the execution
// models that they have and their names.
var stageOrder = [...]struct {
	name   string
	models []spirv.ExecutionModel
}{
	{"cluster_culling", []spirv.ExecutionModel{spirv.ExecutionModelClusterCullingHUAWEI}},
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
	clusterCulling = iota
	vertex
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

// StageOf returns the index of an execution model in the order of stages, or -1 if no
// Vulkan pipeline has it.
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
		return &enum.ValueError{Text: string(text), Want: strings.Join(StageNames(), ", ")}
	}
	*s = k
	return nil
}

// UnmarshalYAML reads a name.
func (s *Stages) UnmarshalYAML(read func(any) error) error { return enum.ReadName(read, s) }

// StageNames returns the names that ParseStage accepts.
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
