package main

// The structs below are Vulkan's structs as Fossilize writes them, with the names of its
// JSON and in the order of the client (see encode). Members with the tag wire:"-" are only
// for JSON, members with json:"-" only for the client.

// pipeline is one pipeline with all that it is made of.
type pipeline struct {
	Compute bool
	Sets    []setLayout
	Layout  pipelineLayout
	Pass    *renderPass
	Stages  []*stage
	State   *states

	shaders []*shader // the sources of the modules of Stages, until the modules exist
}

type setLayout struct {
	Flags    uint32    `json:"flags"`
	Bindings []binding `json:"bindings"`
	Next     []any     `json:"pNext,omitempty" wire:"-"`
}

type binding struct {
	Binding uint32 `json:"binding"`
	Type    uint32 `json:"descriptorType"`
	Count   uint32 `json:"descriptorCount"`
	Stages  uint32 `json:"stageFlags"`
	Flags   uint32 `json:"-"` // VkDescriptorBindingFlags
}

type pipelineLayout struct {
	Flags uint32   `json:"flags" wire:"-"`
	Push  []push   `json:"pushConstantRanges"`
	Sets  []string `json:"setLayouts" wire:"-"`
}

type push struct {
	Stages uint32 `json:"stageFlags"`
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
}

type renderPass struct {
	Flags       uint32       `json:"flags" wire:"-"`
	Attachments []attachment `json:"attachments"`
	Subpasses   []subpass    `json:"subpasses"`
	Views       uint32       `json:"-"` // the view mask of all subpasses
	Next        []any        `json:"pNext,omitempty" wire:"-"`
}

type attachment struct {
	Format  uint32 `json:"format"`
	Samples uint32 `json:"samples"`
}

type subpass struct {
	Input []reference `json:"inputAttachments,omitempty"`
	Color []reference `json:"colorAttachments"`
	Depth *reference  `json:"depthStencilAttachment,omitempty"`
}

type reference struct {
	Attachment uint32 `json:"attachment"`
	Layout     uint32 `json:"layout"`
}

type stage struct {
	Flags  uint32          `json:"flags"`
	Stage  uint32          `json:"stage"`
	Module string          `json:"module" wire:"-"`
	Name   string          `json:"name"`
	Code   []uint32        `json:"-"`
	Spec   *specialization `json:"specializationInfo,omitempty"`
	Size   uint32          `json:"-"` // required of subgroups
	Next   []any           `json:"pNext,omitempty" wire:"-"`
}

type specialization struct {
	Entries []specEntry `json:"mapEntries"`
	Size    uint32      `json:"dataSize" wire:"-"`
	Data    []byte      `json:"data"`
}

type specEntry struct {
	ID     uint32 `json:"constantID"`
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
}

// states are the states of a graphics pipeline.
type states struct {
	Flags     uint32        `json:"flags"`
	Subpass   uint32        `json:"subpass"`
	Rendering *rendering    `json:"-"`
	Vertex    *vertexInput  `json:"vertexInputState,omitempty"`
	Assembly  *assembly     `json:"inputAssemblyState,omitempty"`
	Tess      *tessellation `json:"tessellationState,omitempty"`
	Viewport  *viewport     `json:"viewportState,omitempty"`
	Raster    *raster       `json:"rasterizationState,omitempty"`
	Samples   *multisample  `json:"multisampleState,omitempty"`
	Depth     *depthStencil `json:"depthStencilState,omitempty"`
	Blend     *colorBlend   `json:"colorBlendState,omitempty"`
	Dynamic   *dynamicState `json:"dynamicState,omitempty"`
}

type rendering struct {
	Type    uint32   `json:"sType" wire:"-"`
	Views   uint32   `json:"viewMask"`
	Color   []uint32 `json:"colorAttachmentFormats"`
	Depth   uint32   `json:"depthAttachmentFormat"`
	Stencil uint32   `json:"stencilAttachmentFormat"`
}

type vertexInput struct {
	Bindings   []vertexBinding `json:"bindings"`
	Attributes []attribute     `json:"attributes"`
	Divisors   []divisor       `json:"-"`
	Next       []any           `json:"pNext,omitempty" wire:"-"`
}

type vertexBinding struct {
	Binding uint32 `json:"binding"`
	Stride  uint32 `json:"stride"`
	Rate    uint32 `json:"inputRate"`
}

type attribute struct {
	Location uint32 `json:"location"`
	Binding  uint32 `json:"binding"`
	Format   uint32 `json:"format"`
	Offset   uint32 `json:"offset"`
}

type divisor struct {
	Binding uint32 `json:"binding"`
	Divisor uint32 `json:"divisor"`
}

type assembly struct {
	Topology uint32 `json:"topology"`
	Restart  uint32 `json:"primitiveRestartEnable"`
}

type tessellation struct {
	Points uint32 `json:"patchControlPoints"`
}

type viewport struct {
	Viewports uint32 `json:"viewportCount"`
	Scissors  uint32 `json:"scissorCount"`
}

type raster struct {
	Clamp     uint32  `json:"depthClampEnable"`
	Discard   uint32  `json:"rasterizerDiscardEnable"`
	Polygon   uint32  `json:"polygonMode"`
	Cull      uint32  `json:"cullMode"`
	Front     uint32  `json:"frontFace"`
	Bias      uint32  `json:"depthBiasEnable"`
	BiasClamp float32 `json:"depthBiasClamp"`
	LineWidth float32 `json:"lineWidth"`
}

type multisample struct {
	Samples   uint32  `json:"rasterizationSamples"`
	Shading   uint32  `json:"sampleShadingEnable"`
	Least     float32 `json:"minSampleShading"`
	Coverage  uint32  `json:"alphaToCoverageEnable"`
	AlphaOnes uint32  `json:"alphaToOneEnable"`
}

type depthStencil struct {
	Test    uint32 `json:"depthTestEnable"`
	Write   uint32 `json:"depthWriteEnable"`
	Compare uint32 `json:"depthCompareOp"`
	Bounds  uint32 `json:"depthBoundsTestEnable"`
	Stencil uint32 `json:"stencilTestEnable"`
}

type colorBlend struct {
	Logic       uint32  `json:"logicOpEnable"`
	LogicOp     uint32  `json:"logicOp"`
	Attachments []blend `json:"attachments"`
}

type blend struct {
	Enable   uint32 `json:"blendEnable"`
	SrcColor uint32 `json:"srcColorBlendFactor"`
	DstColor uint32 `json:"dstColorBlendFactor"`
	ColorOp  uint32 `json:"colorBlendOp"`
	SrcAlpha uint32 `json:"srcAlphaBlendFactor"`
	DstAlpha uint32 `json:"dstAlphaBlendFactor"`
	AlphaOp  uint32 `json:"alphaBlendOp"`
	Mask     uint32 `json:"colorWriteMask"`
}

type dynamicState struct {
	States []uint32 `json:"dynamicState"`
}
