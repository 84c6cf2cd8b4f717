package fossil

// sampler is VkSamplerCreateInfo, as far as pipelines ask for it.
type sampler struct {
	Flags  uint64 `json:"flags"`
	Border uint32 `json:"borderColor"`
	Texels uint32 `json:"unnormalizedCoordinates"`
	Next   chain  `json:"pNext"`
}

type setLayout struct {
	Flags    uint64 `json:"flags"`
	Bindings []struct {
		Type     uint32   `json:"descriptorType"`
		Count    uint32   `json:"descriptorCount"`
		Stages   uint32   `json:"stageFlags"`
		Binding  uint32   `json:"binding"`
		Samplers []string `json:"immutableSamplers"`
	} `json:"bindings"`
	Next chain `json:"pNext"`
}

type bindingFlags struct {
	Flags []uint64 `json:"bindingFlags"`
}

type mutableTypes struct {
	Lists [][]uint32 `json:"mutableDescriptorTypeLists"`
}

type pipelineLayout struct {
	Flags uint64 `json:"flags"`
	Push  []struct {
		Stages uint32 `json:"stageFlags"`
		Size   uint32 `json:"size"`
		Offset uint32 `json:"offset"`
	} `json:"pushConstantRanges"`
	Sets []string `json:"setLayouts"`
}

type attachmentRef struct {
	Attachment uint32 `json:"attachment"`
	Aspects    uint64 `json:"aspectMask"` // of VkAttachmentReference2
}

type renderPass struct {
	Attachments []struct {
		Format  uint32 `json:"format"`
		Samples uint32 `json:"samples"`
	} `json:"attachments"`
	Subpasses []struct {
		Flags    uint64          `json:"flags"`
		Input    []attachmentRef `json:"inputAttachments"`
		Color    []attachmentRef `json:"colorAttachments"`
		Resolve  []attachmentRef `json:"resolveAttachments"`
		Depth    *attachmentRef  `json:"depthStencilAttachment"`
		ViewMask uint32          `json:"viewMask"`
		Next     chain           `json:"pNext"`
	} `json:"subpasses"`
	Next chain `json:"pNext"`
}

type multiview struct {
	Masks []uint32 `json:"viewMasks"`
}

type shadingRateAttachment struct {
	Attachment *attachmentRef `json:"fragmentShadingRateAttachment"`
}

type stage struct {
	Flags  uint64          `json:"flags"`
	Stage  uint32          `json:"stage"`
	Module string          `json:"module"`
	Name   string          `json:"name"`
	Spec   *specialization `json:"specializationInfo"`
	Next   chain           `json:"pNext"`
}

type moduleIdentifier struct {
	Size uint32 `json:"identifierSize"`
}

type specialization struct {
	Size    uint64 `json:"dataSize"`
	Data    string `json:"data"` // base 64
	Entries []struct {
		Offset uint32 `json:"offset"`
		Size   uint64 `json:"size"`
		ID     uint32 `json:"constantID"`
	} `json:"mapEntries"`
}

type computePipeline struct {
	Flags  uint64 `json:"flags"`
	Base   string `json:"basePipelineHandle"`
	Layout string `json:"layout"`
	Stage  stage  `json:"stage"`
	Next   chain  `json:"pNext"`
}

type graphicsPipeline struct {
	Flags         uint64         `json:"flags"`
	Layout        string         `json:"layout"`
	RenderPass    string         `json:"renderPass"`
	Subpass       uint32         `json:"subpass"`
	Stages        []stage        `json:"stages"`
	Vertex        *vertexInput   `json:"vertexInputState"`
	Assembly      *inputAssembly `json:"inputAssemblyState"`
	Tessellation  *tessellation  `json:"tessellationState"`
	Viewport      *viewport      `json:"viewportState"`
	Rasterization *rasterization `json:"rasterizationState"`
	Multisample   *multisample   `json:"multisampleState"`
	DepthStencil  *depthStencil  `json:"depthStencilState"`
	Blend         *colorBlend    `json:"colorBlendState"`
	Dynamic       *dynamicState  `json:"dynamicState"`
	Next          chain          `json:"pNext"`
}

type rayTracingPipeline struct {
	Flags  uint64  `json:"flags"`
	Base   string  `json:"basePipelineHandle"`
	Layout string  `json:"layout"`
	Stages []stage `json:"stages"`
	Groups []struct {
		Type         uint32 `json:"type"`
		General      uint32 `json:"generalShader"`
		ClosestHit   uint32 `json:"closestHitShader"`
		AnyHit       uint32 `json:"anyHitShader"`
		Intersection uint32 `json:"intersectionShader"`
	} `json:"groups"`
	Depth     uint32 `json:"maxPipelineRayRecursionDepth"`
	Interface *struct {
		Payload      uint32 `json:"maxPipelineRayPayloadSize"`
		HitAttribute uint32 `json:"maxPipelineRayHitAttributeSize"`
	} `json:"libraryInterface"`
	Libraries *libraries    `json:"libraryInfo"`
	Dynamic   *dynamicState `json:"dynamicState"`
	Next      chain         `json:"pNext"`
}
