package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// PipelineKind is the kind of a pipeline.
type PipelineKind uint8

// The kinds.
const (
	ComputePipeline PipelineKind = iota
	GraphicsPipeline
	RayTracingPipeline
	SubpassShadingPipeline
	ExecutionGraphPipeline
)

// pipelineKinds has the names in scripts, in order.
var pipelineKinds = [...]string{"compute", "graphics", "raytracing", "subpass_shading", "execution_graph"}

// String returns the name of the kind, as in messages.
func (k PipelineKind) String() string {
	return [...]string{"compute", "graphics", "ray tracing", "subpass shading", "execution graph"}[k]
}

// Pipeline is a declared pipeline.
type Pipeline struct {
	Name       string
	Kind       PipelineKind
	At         diag.Pos
	Stages     []Attachment
	Bindings   []Binding
	Push       *Buffer // the push constants; nil for none
	Banks      []Bank
	Heaps      Heaps
	Mappings   []vk.Mapping // of resources without descriptor sets
	Robustness *Robustness  // nil for the default
	KernelArgs []KernelArg
	Graphics   Graphics
	RayTracing RayTracing
	MeshNodes  []MeshNode // of an execution graph
}

// MeshNode is a graphics pipeline with a mesh shader as a node of an execution graph.
type MeshNode struct {
	Pipeline *Pipeline
	Node     *link.Node // nil for the one that the shader names
}

// clone returns a copy that shares the immutable parts.
func (p *Pipeline) clone() *Pipeline {
	q := *p
	q.Stages = slices.Clone(p.Stages)
	q.Bindings = slices.Clone(p.Bindings)
	q.Banks = slices.Clone(p.Banks)
	q.Mappings = slices.Clone(p.Mappings)
	q.KernelArgs = slices.Clone(p.KernelArgs)
	q.Graphics.Colors = slices.Clone(p.Graphics.Colors)
	q.Graphics.Resolves = slices.Clone(p.Graphics.Resolves)
	q.Graphics.Vertices = slices.Clone(p.Graphics.Vertices)
	q.Graphics.Feedback = slices.Clone(p.Graphics.Feedback)
	q.MeshNodes = slices.Clone(p.MeshNodes)
	q.RayTracing.Groups = slices.Clone(p.RayTracing.Groups)
	q.RayTracing.Tables = slices.Clone(p.RayTracing.Tables)
	q.RayTracing.Libraries = slices.Clone(p.RayTracing.Libraries)
	return &q
}

// stage returns the attachment of the named shader, or nil.
func (p *Pipeline) stage(shader string) *Attachment {
	for i := range p.Stages {
		if p.Stages[i].Shader.Name == shader {
			return &p.Stages[i]
		}
	}
	return nil
}

// stageOf returns the attachment of a stage, or nil.
func (p *Pipeline) stageOf(s Stage) *Attachment {
	for i := range p.Stages {
		if p.Stages[i].Stage == s {
			return &p.Stages[i]
		}
	}
	return nil
}

// Attachment is a shader in a pipeline.
type Attachment struct {
	Shader         *Shader
	Stage          Stage
	EntryPoint     string
	Specialize     []Specialization
	Optimize       []string // names of optimizer passes; Chiaro runs none
	CompileOptions []string
	Subgroup       Subgroup
	Robustness     *Robustness // nil for the pipeline's
	Node           *link.Node  // its node in an execution graph; nil for the one that the shader names
}

// Specialization sets the value of a specialization constant.
type Specialization struct {
	ID   uint32 // SpecId
	Type Scalar
	Bits uint64 // the representation of the value in Type
}

// Subgroup is the requirements of a stage on its subgroups.
type Subgroup struct {
	FullyPopulated bool
	VaryingSize    bool
	RequiredSize   int // lanes; 0 for any
}

// BindingKind is the kind of a descriptor.
type BindingKind uint8

// The kinds of descriptors.
const (
	Uniform BindingKind = iota
	UniformDynamic
	Storage
	StorageDynamic
	InlineUniform
	UniformTexelBuffer
	StorageTexelBuffer
	SampledImage
	StorageImage
	InputAttachment
	CombinedImageSampler
	SamplerOnly
	AccelerationStructure
	Untyped // OpenCL C decides
)

// bindingKinds has the words of AmberScript, in order.
var bindingKinds = [...]string{"uniform", "uniform_dynamic", "storage", "storage_dynamic", "inline_uniform", "uniform_texel_buffer",
	"storage_texel_buffer", "sampled_image", "storage_image", "input_attachment", "combined_image_sampler", "sampler", "acceleration_structure", "untyped"}

// String returns the word of AmberScript.
func (k BindingKind) String() string { return bindingKinds[k] }

// textured reports whether descriptors of the kind are images or samplers.
func (k BindingKind) textured() bool { return k >= UniformTexelBuffer && k <= SamplerOnly }

// shows reports whether descriptors of the kind show images.
func (k BindingKind) shows() bool { return k >= SampledImage && k <= CombinedImageSampler }

// Binding is the content of one binding number, or of some of its elements: one descriptor, or an array of them.
type Binding struct {
	Kind           BindingKind
	Set, Binding   uint32
	Element        uint32        // of the first descriptor
	Placed         bool          // Element is in the script
	Mutable        []BindingKind // the types of a mutable descriptor; nil if it is not mutable
	Buffers        []*Buffer     // nil ones are null descriptors
	Samplers       []*Sampler
	Structure      *Structure
	DynamicOffsets []int64 // bytes, given when a pipeline is bound; by descriptor, absent ones are 0
	Offsets        []int64 // in bytes, of each descriptor in its buffer
	Ranges         []int64 // bytes; WholeBuffer and absent ones reach to the end
	BaseMip        int
	At             diag.Pos
}

// WholeBuffer is the range that reaches to a buffer's end.
const WholeBuffer = -1

// count returns the number of descriptors.
func (b *Binding) count() int { return max(len(b.Buffers), len(b.Samplers), 1) }

// bind adds b. It replaces the previous binding of its number: all of it, or the one from its element on.
func (p *Pipeline) bind(b Binding) {
	at := slices.IndexFunc(p.Bindings, func(o Binding) bool { return b.replaces(&o) })
	if at < 0 {
		p.Bindings = append(p.Bindings, b)
		return
	}
	p.Bindings[at] = b
	rest := slices.DeleteFunc(p.Bindings[at+1:], func(o Binding) bool { return b.replaces(&o) })
	p.Bindings = p.Bindings[:at+1+len(rest)]
}

// replaces reports whether b overrides an earlier binding.
func (b *Binding) replaces(o *Binding) bool {
	return b.sharesNumber(o) && (!b.Placed || o.Element == b.Element)
}

// sharesNumber reports whether two bindings have the same set and number.
func (b *Binding) sharesNumber(o *Binding) bool { return o.Set == b.Set && o.Binding == b.Binding }

// KernelArg is an argument of an OpenCL C kernel: a buffer, a sampler or a
// number.
type KernelArg struct {
	Name    string // or "" and Number
	Number  int
	Kind    BindingKind
	Buffer  *Buffer
	Sampler *Sampler
	Type    Type
	Value   Number
}

// Graphics is the state of a graphics pipeline.
type Graphics struct {
	Width, Height      int // of the framebuffer in pixels; 250×250 by default
	Colors, Resolves   []ColorAttachment
	DepthStencil       *Buffer
	Rates              *RateAttachment // nil: none
	Feedback           []FeedbackBuffer
	Vertices           []VertexInput
	Indices            *Buffer
	Viewport           *Viewport
	PatchControlPoints int // 3 by default
	// State holds the words of the fixed-function blocks, such as
	// "DEPTH COMPARE_OP" → "less", checked against the grammar.
	State    map[string][]string
	Settings []setting // of STATE blocks, in order
}

// ColorAttachment is a color or resolve attachment.
type ColorAttachment struct {
	Location int
	Buffer   *Buffer
	BaseMip  int
}

// VertexInput is a vertex attribute.
type VertexInput struct {
	Location       int
	Buffer         *Buffer
	PerInstance    bool
	Format         *format.Format // nil for the format of the buffer
	Offset, Stride int            // bytes; a stride of 0 is the size of the elements
	Range          int            // bound bytes; 0 is all
}

// Viewport is a viewport in pixels.
type Viewport struct {
	X, Y, Width, Height float64
	MinDepth, MaxDepth  float64
}

// RayTracing is the state of a ray tracing pipeline.
type RayTracing struct {
	Groups                                  []ShaderGroup
	Tables                                  []BindingTable
	Libraries                               []*Pipeline
	Library                                 bool
	MaxPayload, MaxHitAttribute, MaxRecurse int // bytes, bytes, levels; 0 if not set
}

// ShaderGroup is a named group of shaders.
type ShaderGroup struct {
	Name    string
	Shaders []*Shader
}

// BindingTable is a shader binding table: names of groups in order.
type BindingTable struct {
	Name   string
	Groups []string
}

// Structure is an acceleration structure.
type Structure struct {
	Name       string
	At         diag.Pos
	Top        bool
	Primitives []Primitives // of a bottom level
	Instances  []Instance   // of a top level
}

// Primitives is a set of triangles (9 numbers each) or boxes (6 numbers each).
type Primitives struct {
	Boxes    bool
	Vertices []float64
	Flags    []string
}

// Instance is a placed bottom level.
type Instance struct {
	Bottom              *Structure
	Transform           []float64 // 12 numbers, row by row; nil for identity
	Mask, Index, Offset uint32
	Flags               []string
}
