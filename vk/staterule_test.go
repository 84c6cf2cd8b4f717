package vk

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// alphaless writes the first three components of location 0 alone.
const alphaless = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%pout = OpTypePointer Output %v3
%one = OpConstant %float 1
%ones = OpConstantComposite %v3 %one %one %one
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
OpStore %out %ones
OpReturn
OpFunctionEnd
`

// rated writes a position and the shading rate of its primitive.
const rated = `OpCapability Shader
OpCapability FragmentShadingRateKHR
OpExtension "SPV_KHR_fragment_shading_rate"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %pos %rate
OpDecorate %pos BuiltIn Position
OpDecorate %rate BuiltIn PrimitiveShadingRateKHR
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%ppos = OpTypePointer Output %v4
%prate = OpTypePointer Output %int
%one = OpConstant %float 1
%zero = OpConstant %int 0
%ones = OpConstantComposite %v4 %one %one %one %one
%pos = OpVariable %ppos Output
%rate = OpVariable %prate Output
%main = OpFunction %void None %fn
%l = OpLabel
OpStore %pos %ones
OpStore %rate %zero
OpReturn
OpFunctionEnd
`

// tiled reads the depth and the stencil of its pixel with early tests.
const tiled = `OpCapability Shader
OpCapability TileImageDepthReadAccessEXT
OpCapability TileImageStencilReadAccessEXT
OpExtension "SPV_EXT_shader_tile_image"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpExecutionMode %main EarlyFragmentTests
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%pout = OpTypePointer Output %v4
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%d = OpDepthAttachmentReadEXT %float
%s = OpStencilAttachmentReadEXT %int
%f = OpConvertUToF %float %s
%c = OpCompositeConstruct %v4 %d %f %d %f
OpStore %out %c
OpReturn
OpFunctionEnd
`

// module makes a stage of a text.
func (r *ruled) module(t testing.TB, text string) *StageInfo {
	t.Helper()
	return &StageInfo{Module: must(r.dev.NewShaderModule(context.Background(), code(t, text)))(t)}
}

// TestStateRules breaks the rules of draws with pipelines on dynamic states and on vertex buffers.
func TestStateRules(t *testing.T) {
	r := newRuled(t)
	plain := r.pipe(t, nil)
	culls := r.pipe(t, nil, enum.DynamicStateCullMode)
	shapes := r.pipe(t, nil, enum.DynamicStatePrimitiveTopology)
	strides := r.pipe(t, nil, enum.DynamicStateVertexInputBindingStride)
	counts := r.pipe(t, nil, enum.DynamicStateViewportWithCount, enum.DynamicStateScissorWithCount)
	rates := r.pipe(t, func(i *GraphicsPipelineInfo) { i.Vertex, i.State.Vertex = r.module(t, rated), nil }, enum.DynamicStateViewportWithCount)
	covers := r.pipe(t, func(i *GraphicsPipelineInfo) { i.Fragment = r.module(t, alphaless) }, enum.DynamicStateAlphaToCoverageEnable)
	conservative := r.pipe(t, nil, enum.DynamicStatePrimitiveTopology, enum.DynamicStateConservativeRasterizationMode)
	lines := r.pipe(t, func(i *GraphicsPipelineInfo) { i.State.Assembly = &link.InputAssembly{Topology: enum.TopologyLineList} }, enum.DynamicStateLineRasterizationMode, enum.DynamicStateAlphaToOneEnable)
	tiles := r.pipe(t, func(i *GraphicsPipelineInfo) {
		i.Fragment, i.State.Rendering.Stencil = r.module(t, tiled), formatOf(t, "S8_UINT")
	}, enum.DynamicStateDepthWriteEnable, enum.DynamicStateStencilWriteMask)
	stencil := r.colorView(t, "S8_UINT", 1, ImageDepthStencilAttachment)
	one := []Viewport{{Width: 8, Height: 8, MaxDepth: 1}}
	scissor := []Rect{{Width: 8, Height: 8}}
	either := func(bad bool, x, y []Viewport) []Viewport {
		if bad {
			return x
		}
		return y
	}
	two := append(one, one...)
	r.check(t, []ruleRow{
		{[]string{"vkCmdDraw-None-08608"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), map[bool]*GraphicsPipeline{true: plain, false: culls}[bad], func() { c.SetCullMode(enum.CullModeNone) })
		}},
		{[]string{"vkCmdDraw-dynamicPrimitiveTopologyUnrestricted-07500"}, limits("dynamicPrimitiveTopologyUnrestricted", 0), func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), shapes, func() {
				if c.SetTopology(enum.TopologyTriangleStrip); bad {
					c.SetTopology(enum.TopologyLineStrip)
				}
			})
		}},
		{[]string{"vkCmdDraw-pStrides-04913"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), strides, func() {
				if !bad {
					c.BindVertexBuffers2(0, []VertexBuffer{{Buffer: r.vertices}}, []uint32{16})
				}
			})
		}},
		{[]string{"vkCmdDraw-None-13118"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), plain, func() {
				c.BindVertexBuffers3(0, []VertexBind{{VertexBuffer{Buffer: r.vertices}, bad, 16}})
			})
		}},
		{[]string{"vkCmdDraw-None-13118"}, nil, func(c *CommandBuffer, bad bool) { // another bind replaces that of the stride
			r.paints(c, r.rendering(), plain, func() {
				c.BindVertexBuffers3(0, []VertexBind{{VertexBuffer{Buffer: r.vertices}, true, 16}})
				if !bad {
					c.BindVertexBuffers3(0, []VertexBind{{VertexBuffer: VertexBuffer{Buffer: r.vertices}}})
				}
			})
		}},
		{[]string{"vkCmdDraw-None-13118"}, nil, func(c *CommandBuffer, bad bool) { // a pipeline that takes them
			r.paints(c, r.rendering(), map[bool]*GraphicsPipeline{true: plain, false: strides}[bad], func() {
				c.BindVertexBuffers3(0, []VertexBind{{VertexBuffer{Buffer: r.vertices}, true, 16}})
			})
		}},
		{[]string{"vkCmdDraw-pStrides-04913"}, nil, func(c *CommandBuffer, bad bool) { // a pipeline with static strides invalidates them
			r.paints(c, r.rendering(), strides, func() {
				c.BindVertexBuffers2(0, []VertexBuffer{{Buffer: r.vertices}}, []uint32{16})
				if bad {
					c.BindGraphicsPipeline(plain)
				}
				c.BindGraphicsPipeline(strides)
				c.BindVertexBuffers(0, []VertexBuffer{{Buffer: r.vertices}})
			})
		}},
		{[]string{"vkCmdDraw-viewportCount-03419"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), counts, func() {
				c.SetViewports(either(bad, two, one))
				c.SetScissors(scissor)
			})
		}},
		{[]string{"vkCmdDraw-primitiveFragmentShadingRateWithMultipleViewports-04552"}, limits("primitiveFragmentShadingRateWithMultipleViewports", 0), func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), rates, func() { c.SetViewports(either(bad, two, one)) })
		}},
		{[]string{"vkCmdDraw-alphaToCoverageEnable-08919"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), covers, func() { c.SetAlphaToCoverage(bad) })
		}},
		{[]string{"vkCmdDraw-conservativePointAndLineRasterization-07499"},
			&valid.Device{Limits: map[string]uint64{"conservativePointAndLineRasterization": 0}, Extensions: map[string]bool{"VK_EXT_conservative_rasterization": true}}, func(c *CommandBuffer, bad bool) {
				r.paints(c, r.rendering(), conservative, func() {
					c.SetTopology(map[bool]enum.Topology{true: enum.TopologyLineList, false: enum.TopologyTriangleList}[bad])
					c.SetConservativeMode(enum.ConservativeModeOverestimate)
				})
			}},
		{[]string{"vkCmdDraw-None-10608"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), lines, func() {
				c.SetLineMode(enum.LineModeBresenham)
				c.SetAlphaToOne(bad)
			})
		}},
		{[]string{"vkCmdDraw-pDynamicStates-08715", "vkCmdDraw-pDynamicStates-08716"}, nil, func(c *CommandBuffer, bad bool) {
			info := r.rendering()
			info.Stencil = &AttachmentInfo{View: stencil}
			r.paints(c, info, tiles, func() {
				c.SetDepthWrite(bad)
				c.SetStencilWriteMask(FrontFace|BackFace, uint32(flag(bad)))
			})
		}},
		{[]string{"vkCmdDraw-None-04007"}, nil, func(c *CommandBuffer, bad bool) {
			c.BeginRendering(r.rendering())
			c.BindGraphicsPipeline(plain)
			r.paint(c, 1, 1, 1, 1)
			if !bad {
				c.BindVertexBuffers(0, []VertexBuffer{{}})
			}
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		}},
		{[]string{"vkCmdDraw-None-04008"}, features(false, "nullDescriptor"), func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), plain, func() {
				if bad {
					c.BindVertexBuffers(0, []VertexBuffer{{}})
				}
			})
		}},
	})
}

// TestColorRules breaks the rules of draws on the states of color attachments.
func TestColorRules(t *testing.T) {
	r := newRuled(t)
	const usage = ImageColorAttachment
	integers, shared, second := r.colorView(t, "R8G8B8A8_UINT", 1, usage), r.colorView(t, "E5B9G9R9_UFLOAT_PACK32", 1, usage), r.colorView(t, "R8G8B8A8_UNORM", 1, usage)
	pipe := func(dynamic enum.DynamicState, formats ...string) *GraphicsPipeline {
		return r.pipe(t, func(i *GraphicsPipelineInfo) {
			i.State.Rendering.Color, i.State.Blend = nil, &link.ColorBlend{}
			for _, f := range formats {
				i.State.Rendering.Color = append(i.State.Rendering.Color, formatOf(t, f))
				i.State.Blend.Attachments = append(i.State.Blend.Attachments, link.Blend{})
			}
		}, dynamic)
	}
	info := func(views ...*ImageView) RenderingInfo {
		i := r.rendering()
		i.Colors = nil
		for _, v := range views {
			i.Colors = append(i.Colors, AttachmentInfo{View: v, Load: ClearOnLoad})
		}
		return i
	}
	const rgba = "R8G8B8A8_UNORM"
	blends, uints := pipe(enum.DynamicStateColorBlendEnable, rgba), pipe(enum.DynamicStateColorBlendEnable, "R8G8B8A8_UINT")
	sharedMasks, masks2 := pipe(enum.DynamicStateColorWriteMask, "E5B9G9R9_UFLOAT_PACK32"), pipe(enum.DynamicStateColorWriteMask, rgba, rgba)
	blends2, writes2 := pipe(enum.DynamicStateColorBlendEnable, rgba, rgba), pipe(enum.DynamicStateColorWriteEnable, rgba, rgba)
	r.check(t, []ruleRow{
		{[]string{"vkCmdDraw-blendEnable-04727"}, nil, func(c *CommandBuffer, bad bool) {
			if bad {
				r.paints(c, info(integers), uints, func() { c.SetBlendEnable(0, true) })
				return
			}
			r.paints(c, info(r.view), blends, func() { c.SetBlendEnable(0, true) })
		}},
		{[]string{"vkCmdDraw-None-09116"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info(shared), sharedMasks, func() { c.SetColorWriteMask(0, 15-uint32(flag(bad))) })
		}},
		{[]string{"vkCmdDraw-firstAttachment-07476"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info(r.view, second), blends2, func() {
				if c.SetBlendEnable(0, false); !bad {
					c.SetBlendEnable(1, false)
				}
			})
		}},
		{[]string{"vkCmdDraw-firstAttachment-07478"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info(r.view, second), masks2, func() {
				if c.SetColorWriteMask(1, 15); !bad {
					c.SetColorWriteMask(0, 15)
				}
			})
		}},
		{[]string{"vkCmdDraw-firstAttachment-07476"}, nil, func(c *CommandBuffer, bad bool) { // masks2 has static blend enables
			r.paints(c, info(r.view, second), blends2, func() {
				c.SetBlendEnable(1, false)
				if bad {
					c.BindGraphicsPipeline(masks2)
				}
				c.BindGraphicsPipeline(blends2)
				c.SetBlendEnable(0, false)
			})
		}},
		{[]string{"vkCmdDraw-firstAttachment-07478"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info(r.view, second), masks2, func() {
				c.SetColorWriteMask(1, 15)
				if bad {
					c.BindGraphicsPipeline(blends2)
				}
				c.BindGraphicsPipeline(masks2)
				c.SetColorWriteMask(0, 15)
			})
		}},
		{[]string{"vkCmdDraw-attachmentCount-07750"}, features(true, "colorWriteEnable"), func(c *CommandBuffer, bad bool) {
			r.paints(c, info(r.view, second), writes2, func() {
				if c.SetColorWriteEnable(true); !bad {
					c.SetColorWriteEnable(true, false)
				}
			})
		}},
	})
}

// TestDispatchRules dispatches without a pipeline, and in a rendering.
func TestDispatchRules(t *testing.T) {
	r := newRuled(t)
	dispatch := func(c *CommandBuffer, bind bool) {
		if bind {
			c.BindPipeline(r.saxpy)
		}
		c.BindSets(Compute, r.rig.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.rig.pipeline, 0, push(1))
		c.Dispatch(1, 1, 1)
	}
	r.check(t, []ruleRow{
		{[]string{"vkCmdDispatch-None-08606", "vkCmdDispatch-None-10743"}, nil, func(c *CommandBuffer, bad bool) { dispatch(c, !bad) }},
		{[]string{"vkCmdDispatch-None-10672"}, nil, func(c *CommandBuffer, bad bool) {
			if bad {
				c.BeginRendering(r.rendering())
			}
			if dispatch(c, true); bad {
				c.EndRendering()
			}
		}},
	})
}

// atSample interpolates an input at sample 0.
const atSample = `OpCapability Shader
OpCapability InterpolationFunction
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out %in
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %in Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%zero = OpConstant %uint 0
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpExtInst %v4 %glsl InterpolateAtSample %in %zero
OpStore %out %x
OpReturn
OpFunctionEnd
`

// spare has the instruction of atSample in a function that its entry point does not call.
var spare = strings.Replace(atSample, `%x = OpExtInst %v4 %glsl InterpolateAtSample %in %zero
OpStore %out %x
`, `%y = OpLoad %v4 %in
OpStore %out %y
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%m = OpLabel
%x = OpExtInst %v4 %glsl InterpolateAtSample %in %zero
`, 1)

// TestLocatedRules breaks the rules on sample locations and on advanced blend operations that commands set.
func TestLocatedRules(t *testing.T) {
	r := newRuled(t)
	located := r.pipe(t, nil, enum.DynamicStateSampleLocations, enum.DynamicStateSampleLocationsEnable)
	between := r.pipe(t, func(i *GraphicsPipelineInfo) { i.Fragment = r.module(t, atSample) }, enum.DynamicStateSampleLocations, enum.DynamicStateSampleLocationsEnable)
	uncalled := r.pipe(t, func(i *GraphicsPipelineInfo) { i.Fragment = r.module(t, spare) }, enum.DynamicStateSampleLocations, enum.DynamicStateSampleLocationsEnable)
	const rgba = "R8G8B8A8_UNORM"
	second := r.colorView(t, rgba, 1, ImageColorAttachment)
	blends := r.pipe(t, func(i *GraphicsPipelineInfo) {
		i.State.Rendering.Color = []link.Format{formatOf(t, rgba), formatOf(t, rgba)}
		i.State.Blend = &link.ColorBlend{Attachments: make([]link.Blend, 2)}
	}, enum.DynamicStateColorBlendEnable, enum.DynamicStateColorBlendAdvanced)
	image := r.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "D32_SFLOAT"), Extent: [3]int{8, 8, 1}, Usage: ImageDepthStencilAttachment, Flags: ImageSampleLocationsDepth})
	deep := must(r.dev.NewImageView(ImageViewInfo{Image: image, Type: enum.ViewType2d, Aspect: Depth}))(t)
	info := func(v *ImageView) RenderingInfo {
		i := r.rendering()
		i.Depth.View = v
		return i
	}
	center := SampleLocations{Samples: 1, Width: 1, Height: 1, Points: [][2]float32{{.5, .5}}}
	r.check(t, []ruleRow{
		{[]string{"vkCmdDraw-sampleLocationsEnable-07484"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info(map[bool]*ImageView{true: r.depth, false: deep}[bad]), located, func() {
				c.SetSampleLocations(center)
				c.SetSampleLocationsEnable(true)
			})
		}},
		{[]string{"vkCmdDraw-sampleLocationsEnable-07487"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info(deep), map[bool]*GraphicsPipeline{true: between, false: uncalled}[bad], func() {
				c.SetSampleLocations(center)
				c.SetSampleLocationsEnable(true)
			})
		}},
		{[]string{"vkCmdDraw-advancedBlendMaxColorAttachments-07480"}, limits("advancedBlendMaxColorAttachments", 1), func(c *CommandBuffer, bad bool) {
			info := r.rendering()
			info.Colors = append(info.Colors, AttachmentInfo{View: second})
			r.paints(c, info, blends, func() {
				c.SetBlendEnable(0, bad, false)
				c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpZero}, ColorBlendAdvanced{Op: enum.BlendOpZero})
			})
		}},
	})
}
