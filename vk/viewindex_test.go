package vk

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// viewColor has a quarter of the view's number in all components.
const viewColor = `OpCapability Shader
OpCapability MultiView
OpExtension "SPV_KHR_multiview"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %view %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %view BuiltIn ViewIndex
OpDecorate %view Flat
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%quarter = OpConstant %float 0.25
%pin = OpTypePointer Input %int
%pout = OpTypePointer Output %v4
%view = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %int %view
%f = OpConvertSToF %float %i
%x = OpFMul %float %f %quarter
%c = OpCompositeConstruct %v4 %x %x %x %x
OpStore %out %c
OpReturn
OpFunctionEnd
`

// TestViewIndexFromDeviceIndex reads ViewIndex in the views 1 and 2: their numbers, or with the flag the index of the device,
// which is 0. The views have layers of their own in both cases.
func TestViewIndexFromDeviceIndex(t *testing.T) {
	s := newScene(t, 1)
	m, view := s.target(t, 1, 3)
	s.fixed.DepthStencil = &link.DepthStencil{}
	s.fixed.Rendering = link.Rendering{Color: s.fixed.Rendering.Color, ViewMask: 6}
	s.stages.Fragment = &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, viewColor)))(t)}
	for flags, want := range map[enum.PipelineFlags][3]byte{0: {0, 64, 128}, enum.PipelineFlagsViewIndexFromDeviceIndex: {0, 0, 0}} {
		s.stages.Flags = flags
		s.build(t)
		c := s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, ViewMask: 6, Colors: []AttachmentInfo{{View: view, Load: ClearOnLoad, Clear: [4]uint32{0x3f800000}}}})
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		for layer := 1; layer < 3; layer++ {
			if got := s.shots(t, m, layer)[9][0]; got != want[layer] {
				t.Errorf("flags %v: view %d has red %d, want %d", flags, layer, got, want[layer])
			}
		}
	}
}
