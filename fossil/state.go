package fossil

// The states of graphics pipelines, by the members of Vulkan's structs.

type vertexInput struct {
	Bindings []struct {
		Binding uint32 `json:"binding"`
		Stride  uint32 `json:"stride"`
		Rate    uint32 `json:"inputRate"`
	} `json:"bindings"`
	Attributes []struct {
		Location uint32 `json:"location"`
		Binding  uint32 `json:"binding"`
		Offset   uint32 `json:"offset"`
		Format   uint32 `json:"format"`
	} `json:"attributes"`
	Next chain `json:"pNext"`
}

type divisors struct {
	List []struct {
		Binding uint32 `json:"binding"`
		Divisor uint32 `json:"divisor"`
	} `json:"vertexBindingDivisors"`
}

type inputAssembly struct {
	Topology uint32 `json:"topology"`
	Restart  uint32 `json:"primitiveRestartEnable"`
}

type tessellation struct {
	Points uint32 `json:"patchControlPoints"`
	Next   chain  `json:"pNext"`
}

type domainOrigin struct {
	Origin uint32 `json:"domainOrigin"`
}

type viewport struct {
	Viewports uint32 `json:"viewportCount"`
	Scissors  uint32 `json:"scissorCount"`
	Next      chain  `json:"pNext"`
}

type negativeOneToOne struct {
	On uint32 `json:"negativeOneToOne"`
}

type rasterization struct {
	Cull      uint32  `json:"cullMode"`
	LineWidth float32 `json:"lineWidth"`
	Discard   uint32  `json:"rasterizerDiscardEnable"`
	Bias      uint32  `json:"depthBiasEnable"`
	Clamp     uint32  `json:"depthClampEnable"`
	Polygon   uint32  `json:"polygonMode"`
	Front     uint32  `json:"frontFace"`
	Next      chain   `json:"pNext"`
}

type depthClip struct {
	On uint32 `json:"depthClipEnable"`
}

type stream struct {
	Stream uint32 `json:"rasterizationStream"`
}

type conservative struct {
	Mode uint32 `json:"conservativeRasterizationMode"`
}

type lines struct {
	Mode     uint32 `json:"lineRasterizationMode"`
	Stippled uint32 `json:"stippledLineEnable"`
}

type provoking struct {
	Mode uint32 `json:"provokingVertexMode"`
}

type multisample struct {
	Samples         uint32  `json:"rasterizationSamples"`
	SampleShading   uint32  `json:"sampleShadingEnable"`
	MinShading      float32 `json:"minSampleShading"`
	AlphaToCoverage uint32  `json:"alphaToCoverageEnable"`
	AlphaToOne      uint32  `json:"alphaToOneEnable"`
	Next            chain   `json:"pNext"`
}

type depthStencil struct {
	Bounds  uint32      `json:"depthBoundsTestEnable"`
	Compare uint32      `json:"depthCompareOp"`
	Test    uint32      `json:"depthTestEnable"`
	Write   uint32      `json:"depthWriteEnable"`
	Stencil uint32      `json:"stencilTestEnable"`
	Front   stencilFace `json:"front"`
	Back    stencilFace `json:"back"`
}

type stencilFace struct {
	CompareMask uint32 `json:"compareMask"`
	CompareOp   uint32 `json:"compareOp"`
	DepthFailOp uint32 `json:"depthFailOp"`
	PassOp      uint32 `json:"passOp"`
	FailOp      uint32 `json:"failOp"`
	Reference   uint32 `json:"reference"`
	WriteMask   uint32 `json:"writeMask"`
}

type colorBlend struct {
	LogicOp     uint32 `json:"logicOp"`
	Logic       uint32 `json:"logicOpEnable"`
	Attachments []struct {
		Enable   uint32 `json:"blendEnable"`
		Mask     uint32 `json:"colorWriteMask"`
		AlphaOp  uint32 `json:"alphaBlendOp"`
		ColorOp  uint32 `json:"colorBlendOp"`
		SrcColor uint32 `json:"srcColorBlendFactor"`
		DstColor uint32 `json:"dstColorBlendFactor"`
		SrcAlpha uint32 `json:"srcAlphaBlendFactor"`
		DstAlpha uint32 `json:"dstAlphaBlendFactor"`
	} `json:"attachments"`
	Next chain `json:"pNext"`
}

type dynamicState struct {
	States []uint32 `json:"dynamicState"`
}

type rendering struct {
	ViewMask uint32   `json:"viewMask"`
	Color    []uint32 `json:"colorAttachmentFormats"`
	Depth    uint32   `json:"depthAttachmentFormat"`
	Stencil  uint32   `json:"stencilAttachmentFormat"`
}

type locations struct {
	List []uint32 `json:"colorAttachmentLocations"`
}

type inputs struct {
	Color   []uint32 `json:"colorAttachmentInputIndices"`
	Depth   *uint32  `json:"depthInputAttachmentIndex"`
	Stencil *uint32  `json:"stencilInputAttachmentIndex"`
}

type shadingRate struct {
	Size struct {
		Width  uint32 `json:"width"`
		Height uint32 `json:"height"`
	} `json:"fragmentSize"`
	Combiners [2]uint32 `json:"combinerOps"`
}

type robustness struct {
	Storage uint32 `json:"storageBuffers"`
	Uniform uint32 `json:"uniformBuffers"`
	Vertex  uint32 `json:"vertexInputs"`
	Images  uint32 `json:"images"`
}

type flags struct {
	Flags uint64 `json:"flags"`
}

type libraries struct {
	List []string `json:"libraries"`
}

type subgroupSize struct {
	Size uint32 `json:"requiredSubgroupSize"`
}
