package link

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
)

// Format is a VkFormat.
type Format uint32

// String returns Vulkan's name without VK_FORMAT_.
func (f Format) String() string {
	if i := format.ByID(uint32(f)); i != nil {
		return i.Name
	}
	if f == 0 {
		return "UNDEFINED"
	}
	return strconv.FormatUint(uint64(f), 10)
}

// UnmarshalText reads Vulkan's name, in any case, with VK_FORMAT_ or without it.
func (f *Format) UnmarshalText(text []byte) error {
	name := strings.TrimPrefix(strings.ToUpper(string(text)), "VK_FORMAT_")
	if name == "UNDEFINED" {
		*f = 0
		return nil
	}
	if strings.HasPrefix(name, "ASTC_") { // the only names with a small letter, as in ASTC_4x4x3_UNORM_BLOCK_EXT
		name = strings.ReplaceAll(strings.ReplaceAll(name, "X", "x"), "ExT", "EXT")
	}
	i := format.InfoByName(name)
	if i == nil {
		return &enum.ValueError{Text: string(text), Want: "the name of a format such as R8G8B8A8_UNORM"}
	}
	*f = Format(i.ID)
	return nil
}

// UnmarshalYAML reads a name.
func (f *Format) UnmarshalYAML(read func(any) error) error { return enum.ReadName(read, f) }

// VertexInput is VkPipelineVertexInputStateCreateInfo with its divisors.
type VertexInput struct {
	Bindings   []VertexBinding `yaml:"bindings"`
	Attributes []Attribute     `yaml:"attributes"`
	Divisors   []Divisor       `yaml:"-"` // of buffers that do not exist; others are in Bindings
}

// Divisor is VkVertexInputBindingDivisorDescription.
type Divisor struct{ Binding, Divisor uint32 }

// VertexBinding is one buffer of vertices.
type VertexBinding struct {
	Binding uint32         `yaml:"binding"`
	Stride  uint32         `yaml:"stride"` // bytes
	Rate    enum.InputRate `yaml:"rate"`
	Divisor *uint32        `yaml:"divisor"` // nil if the description has none
}

// Attribute is a vertex attribute.
type Attribute struct {
	Location uint32 `yaml:"location"`
	Binding  uint32 `yaml:"binding"`
	Format   Format `yaml:"format"`
	Offset   uint32 `yaml:"offset"` // bytes
}

// InputAssembly is VkPipelineInputAssemblyStateCreateInfo.
type InputAssembly struct {
	Topology         enum.Topology `yaml:"topology"`
	PrimitiveRestart bool          `yaml:"primitive_restart"`
}

// Tessellation is VkPipelineTessellationStateCreateInfo.
type Tessellation struct {
	PatchControlPoints uint32            `yaml:"patch_control_points"`
	Origin             enum.DomainOrigin `yaml:"domain_origin"`
}

// Viewport is VkPipelineViewportStateCreateInfo: how many there are.
type Viewport struct {
	Viewports          uint32 `yaml:"viewports"`
	Scissors           uint32 `yaml:"scissors"`
	NegativeOneToOne   bool   `yaml:"depth_clip_negative_one_to_one"`
	ShadingRateNV      bool   `yaml:"shading_rate_image"`
	ExclusiveScissorNV uint32 `yaml:"exclusive_scissors"`
}

// Rasterization is VkPipelineRasterizationStateCreateInfo with the structures of extensions
// in its chain.
type Rasterization struct {
	DepthClamp   bool                  `yaml:"depth_clamp"`
	DepthClip    *bool                 `yaml:"depth_clip"` // nil: the opposite of DepthClamp
	Discard      bool                  `yaml:"discard"`    // of all primitives before rasterization
	Polygon      enum.PolygonMode      `yaml:"polygon_mode"`
	Cull         enum.CullMode         `yaml:"cull_mode"`
	Front        enum.FrontFace        `yaml:"front_face"`
	DepthBias    bool                  `yaml:"depth_bias"`
	LineWidth    float32               `yaml:"line_width"`
	Stream       uint32                `yaml:"stream"` // of transform feedback that is rasterized
	HasStream    bool                  `yaml:"-"`
	Conservative enum.ConservativeMode `yaml:"conservative"`
	Lines        enum.LineMode         `yaml:"line_mode"`
	Stippled     bool                  `yaml:"stippled_lines"`
	Provoking    enum.ProvokingVertex  `yaml:"provoking_vertex"`
}

// Multisample is VkPipelineMultisampleStateCreateInfo.
type Multisample struct {
	Samples         uint32  `yaml:"samples"` // 0 means 1
	SampleShading   bool    `yaml:"sample_shading"`
	MinShading      float32 `yaml:"min_sample_shading"`
	AlphaToCoverage bool    `yaml:"alpha_to_coverage"`
	AlphaToOne      bool    `yaml:"alpha_to_one"`
	Locations       bool    `yaml:"sample_locations"` // samples have locations of the application's own
}

// DepthStencil is VkPipelineDepthStencilStateCreateInfo.
type DepthStencil struct {
	DepthTest   bool           `yaml:"depth_test"`
	DepthWrite  bool           `yaml:"depth_write"`
	Compare     enum.CompareOp `yaml:"depth_compare"`
	BoundsTest  bool           `yaml:"depth_bounds_test"`
	StencilTest bool           `yaml:"stencil_test"`
	Front       StencilFace    `yaml:"front"`
	Back        StencilFace    `yaml:"back"`
	Ordered     bool           `yaml:"rasterization_order_access"` // depth or stencil is read in the order of rasterization
}

// StencilFace is VkStencilOpState.
type StencilFace struct {
	Fail        enum.StencilOp `yaml:"fail"`
	Pass        enum.StencilOp `yaml:"pass"`
	DepthFail   enum.StencilOp `yaml:"depth_fail"`
	Compare     enum.CompareOp `yaml:"compare"`
	CompareMask uint32         `yaml:"compare_mask"`
	WriteMask   uint32         `yaml:"write_mask"`
	Reference   uint32         `yaml:"reference"`
}

// ColorBlend is VkPipelineColorBlendStateCreateInfo.
type ColorBlend struct {
	Logic       bool         `yaml:"logic"`
	LogicOp     enum.LogicOp `yaml:"logic_op"`
	Attachments []Blend      `yaml:"attachments"`
}

// Blend is VkPipelineColorBlendAttachmentState.
type Blend struct {
	Enable   bool             `yaml:"enable"`
	SrcColor enum.BlendFactor `yaml:"src_color"`
	DstColor enum.BlendFactor `yaml:"dst_color"`
	ColorOp  enum.BlendOp     `yaml:"color_op"`
	SrcAlpha enum.BlendFactor `yaml:"src_alpha"`
	DstAlpha enum.BlendFactor `yaml:"dst_alpha"`
	AlphaOp  enum.BlendOp     `yaml:"alpha_op"`
	Mask     *uint32          `yaml:"write_mask"` // bits 0 to 3 for R to A; nil is all
}

// Writes returns the components that are written.
func (b *Blend) Writes() uint32 {
	if b.Mask == nil {
		return 0xf
	}
	return *b.Mask & 0xf
}

// Ref is the number of an attachment or of a stage.
type Ref uint32

// Unused is the attachment or the stage that is none: VK_ATTACHMENT_UNUSED,
// VK_SHADER_UNUSED_KHR.
const Unused = ^Ref(0)

// String returns the number.
func (r Ref) String() string {
	if r == Unused {
		return "unused"
	}
	return strconv.FormatUint(uint64(r), 10)
}

// UnmarshalYAML reads a number, or "unused".
func (r *Ref) UnmarshalYAML(read func(any) error) error {
	err := read((*uint32)(r))
	if err == nil {
		return nil
	}
	var word string
	if read(&word) != nil || word != "unused" {
		return err
	}
	*r = Unused
	return nil
}

// RenderPass is the part of VkRenderPassCreateInfo that rules on pipelines need.
type RenderPass struct {
	Attachments []PassAttachment `yaml:"attachments"`
	Subpasses   []Subpass        `yaml:"subpasses"`
}

// PassAttachment is an attachment of a render pass.
type PassAttachment struct {
	Format  Format `yaml:"format"`
	Samples uint32 `yaml:"samples"` // 0 means 1
}

// Subpass is VkSubpassDescription: numbers of attachments, Unused if there is none.
type Subpass struct {
	Input          []Ref     `yaml:"input"`
	Color          []Ref     `yaml:"color"`
	Resolve        []Ref     `yaml:"resolve"`
	Depth          *Ref      `yaml:"depth_stencil"`
	Aspects        []Aspects `yaml:"input_aspects"` // that may be read from each of Input; 0 if not specified
	External       bool      `yaml:"external_format_resolve"`
	ViewMask       uint32    `yaml:"view_mask"`
	ShadingRate    bool      `yaml:"shading_rate_attachment"`
	FragmentRegion bool      `yaml:"fragment_region"` // fragments of a subpass depend on each other by region
	DensityMap     bool      `yaml:"fragment_density_map"`
}

// Rendering is VkPipelineRenderingCreateInfo with the remapping of local reads.
type Rendering struct {
	ViewMask uint32   `yaml:"view_mask"`
	Color    []Format `yaml:"color"`
	Depth    Format   `yaml:"depth"`
	Stencil  Format   `yaml:"stencil"`
	External bool     `yaml:"external_format"`

	// Locations is the output location that is written to each color attachment
	// (VkRenderingAttachmentLocationInfo), Inputs the InputAttachmentIndex that reads it
	// (VkRenderingInputAttachmentIndexInfo); nil if they are not specified.
	Locations    []Ref `yaml:"color_locations"`
	Inputs       []Ref `yaml:"color_input_indices"`
	DepthInput   *Ref  `yaml:"depth_input_index"`
	StencilInput *Ref  `yaml:"stencil_input_index"`
}

// ShadingRate is VkPipelineFragmentShadingRateStateCreateInfoKHR.
type ShadingRate struct {
	Width     uint32               `yaml:"width"`
	Height    uint32               `yaml:"height"`
	Combiners [2]enum.RateCombiner `yaml:"combiners"`
}

// Group is VkRayTracingShaderGroupCreateInfoKHR: numbers of stages, nil or Unused if there
// is none.
type Group struct {
	Type         enum.GroupType `yaml:"type"`
	General      *Ref           `yaml:"general"`
	ClosestHit   *Ref           `yaml:"closest_hit"`
	AnyHit       *Ref           `yaml:"any_hit"`
	Intersection *Ref           `yaml:"intersection"`
}

// Rays is the ray tracing state of a pipeline.
type Rays struct {
	Groups    []Group       `yaml:"groups"`
	Depth     uint32        `yaml:"max_recursion_depth"`
	Interface *RayInterface `yaml:"interface"` // nil if there is none
	Libraries []RayLibrary  `yaml:"libraries"`
}

// RayLibrary is a ray tracing pipeline that another one links in.
type RayLibrary struct {
	Flags     enum.PipelineFlags `yaml:"flags"`
	Depth     *uint32            `yaml:"max_recursion_depth"` // nil if not specified
	Interface *RayInterface      `yaml:"interface"`           // likewise
	Stages    []Stages           `yaml:"stages"`              // one per stage, in the order of the group indices: after the stages of the pipeline
}

// RayInterface is VkRayTracingPipelineInterfaceCreateInfoKHR, in bytes.
type RayInterface struct {
	Payload      uint32 `yaml:"max_payload_size"`
	HitAttribute uint32 `yaml:"max_hit_attribute_size"`
}

// Robustness is VkPipelineRobustnessCreateInfo.
type Robustness struct {
	StorageBuffers enum.BufferRobustness `yaml:"storage_buffers"`
	UniformBuffers enum.BufferRobustness `yaml:"uniform_buffers"`
	VertexInputs   enum.BufferRobustness `yaml:"vertex_inputs"`
	Images         enum.ImageRobustness  `yaml:"images"`
}
