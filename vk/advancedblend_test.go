package vk

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestColorBlendAdvanced blends (¼, ½, 1, ½) over (½, ½, 0, 1) by operations of pipelines and of commands. With premultiplied
// colors and no correlation, multiplication is s′·d′·As·Ad + s′·As·(1−Ad) + d′·Ad·(1−As), that is s·d + s·(1−Ad) + d·(1−As).
func TestColorBlendAdvanced(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil.Compare = enum.CompareOpAlways
	blend := func(op enum.BlendOp) *link.ColorBlend {
		return &link.ColorBlend{Attachments: []link.Blend{{Enable: true, SrcColor: enum.BlendFactorOne, ColorOp: op, AlphaOp: op}}}
	}
	advanced, equation := []enum.DynamicState{enum.DynamicStateColorBlendAdvanced}, []enum.DynamicState{enum.DynamicStateColorBlendEquation}
	both := []enum.DynamicState{enum.DynamicStateColorBlendAdvanced, enum.DynamicStateColorBlendEquation}
	pre := BlendAdvanced{SrcPremultiplied: true, DstPremultiplied: true}
	multiply := [4]byte{96, 128, 0, 255} // ⅛ + 0 + ¼ = 0.375, ¼ + ¼ = ½, 0
	for _, x := range []struct {
		name    string
		op      enum.BlendOp
		params  *BlendAdvanced
		dynamic []enum.DynamicState
		set     func(*CommandBuffer)
		want    [4]byte
	}{
		{"multiply", enum.BlendOpMultiply, nil, nil, nil, multiply},
		{"premultiplied", enum.BlendOpMultiply, &pre, nil, nil, multiply},
		// s′ = (¼, ½, 1), d′ = (½, ½, 0): p₀ = ½, p₁ = 0, p₂ = ½, alpha 1
		{"straight", enum.BlendOpMultiply, &BlendAdvanced{}, nil, nil, [4]byte{80, 96, 0, 255}},
		{"red", enum.BlendOpRed, nil, nil, nil, [4]byte{64, 128, 0, 255}},
		{"dynamic", enum.BlendOpAdd, nil, advanced, func(c *CommandBuffer) {
			c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpMultiply, BlendAdvanced: pre})
		}, multiply},
		{"dynamic over static", enum.BlendOpScreen, &BlendAdvanced{}, both, func(c *CommandBuffer) {
			c.SetBlendEquation(0, link.Blend{})
			c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpMultiply, BlendAdvanced: pre, ClampResults: true})
		}, multiply},
		// one · source − ½ does not exist: the equation replaces the operation
		{"equation", enum.BlendOpScreen, nil, equation, func(c *CommandBuffer) {
			c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpMultiply})
			c.SetBlendEquation(0, link.Blend{SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorOne, SrcAlpha: enum.BlendFactorOne})
		}, [4]byte{191, 255, 255, 128}},
	} {
		s.fixed.Blend, s.fixed.BlendAdvanced, s.fixed.Dynamic = blend(x.op), x.params, x.dynamic
		s.build(t)
		c := s.record(t, func(c *CommandBuffer) {
			r := s.rendering()
			r.Colors[0].Clear = [4]uint32{0x3f000000, 0x3f000000, 0, 0x3f800000}
			c.BeginRendering(r)
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 0.25, 0.5, 1, 0.5)
			if x.set != nil {
				x.set(c)
			}
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
			s.copyOut(c, s.color)
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		for i, got := range s.pixel(7, 7) {
			if d := int(got) - int(x.want[i]); d < -1 || d > 1 { // the destination is 128/255
				t.Errorf("%s: %v, want %v", x.name, s.pixel(7, 7), x.want)
				break
			}
		}
	}
}

// TestColorBlendAdvancedErrors has operations and parameters that Vulkan forbids.
func TestColorBlendAdvancedErrors(t *testing.T) {
	s := newScene(t, 1)
	for rule, x := range map[string]ColorBlendAdvanced{
		"VUID-VkColorBlendAdvancedEXT-advancedBlendOp-parameter": {Op: enum.BlendOpAdd},
		"VUID-VkColorBlendAdvancedEXT-blendOverlap-parameter":    {Op: enum.BlendOpSrc, BlendAdvanced: BlendAdvanced{Overlap: 3}},
	} {
		s.refuses(t, rule, func(c *CommandBuffer) { c.SetColorBlendAdvanced(0, x) })
	}
	s.refuses(t, "VUID-VkColorBlendAdvancedEXT-advancedBlendOp-parameter", func(c *CommandBuffer) {
		c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpBlue + 1})
	})
	s.refuses(t, "VUID-VkColorBlendEquationEXT-colorBlendOp-07361", func(c *CommandBuffer) { c.SetBlendEquation(0, link.Blend{ColorOp: enum.BlendOpSrc}) })
	for rule, change := range map[string]func(*FixedState){
		"VUID-VkPipelineColorBlendAttachmentState-colorBlendOp-01406": func(f *FixedState) {
			f.Blend = &link.ColorBlend{Attachments: []link.Blend{{ColorOp: enum.BlendOpSrc, AlphaOp: enum.BlendOpDst}}}
		},
		"VUID-VkPipelineColorBlendAdvancedStateCreateInfoEXT-blendOverlap-parameter": func(f *FixedState) { f.BlendAdvanced = &BlendAdvanced{Overlap: 77} },
	} {
		info := s.stages
		info.State = s.fixed
		change(&info.State)
		_, err := s.dev.NewGraphicsPipeline(context.Background(), info)
		wantRule(t, err, rule)
	}
	if p := Chiaro().BlendAdvancedProperties(); !p.AllOperations || p.MaxColorAttachments != 8 {
		t.Errorf("properties %+v", p)
	}
}
