package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestDiscardSamples draws without rasterization to attachments of four samples: the multisample state is "used when rasterization is enabled"
// (VkGraphicsPipelineCreateInfo), so that it need not suit them. With the discard as a dynamic state the pipeline has the state, and rules on it.
func TestDiscardSamples(t *testing.T) {
	r := newRuled(t)
	view, deep := r.colorView(t, "R8G8B8A8_UNORM", 4, ImageColorAttachment), r.colorView(t, "D32_SFLOAT", 4, ImageDepthStencilAttachment)
	both := RenderingInfo{Area: Rect{Width: 8, Height: 8}, Colors: []AttachmentInfo{{View: view}}, Depth: &AttachmentInfo{View: deep}}
	for name, k := range map[string]struct {
		info    RenderingInfo
		samples *link.Multisample
		dynamic []enum.DynamicState
		finds   bool
	}{
		"one sample":            {both, &link.Multisample{Samples: 1}, nil, false},
		"no state":              {both, nil, nil, false},
		"depth alone":           {RenderingInfo{Area: both.Area, Colors: []AttachmentInfo{{}}, Depth: both.Depth}, nil, nil, false},
		"dynamic":               {both, &link.Multisample{Samples: 1}, []enum.DynamicState{enum.DynamicStateRasterizerDiscardEnable}, true},
		"dynamic, four samples": {both, &link.Multisample{Samples: 4}, []enum.DynamicState{enum.DynamicStateRasterizerDiscardEnable}, false},
	} {
		p := r.pipe(t, func(i *GraphicsPipelineInfo) {
			i.State.Multisample, i.State.Rasterization = k.samples, &link.Rasterization{LineWidth: 1, Discard: true}
		}, k.dynamic...)
		rules, err := r.findings(t, func(c *CommandBuffer) {
			r.paints(c, k.info, p, func() {
				if k.dynamic != nil {
					c.SetRasterizerDiscard(true)
				}
			})
		})
		if !k.finds && err != nil || len(rules) > 0 != k.finds {
			t.Errorf("%s: the findings %q, %v; must be some: %v", name, rules, err, k.finds)
		}
	}
}
