package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
)

// TestNoneStoreRaces renders with the store operation NONE and copies the attachment: "If values are written during the render pass, this behaves
// identically to VK_ATTACHMENT_STORE_OP_DONT_CARE and with matching access semantics" (VkAttachmentStoreOp). Draws and clears write values, in
// any subpass; a draw without fragments, without a component to write or without depth writes has none.
func TestNoneStoreRaces(t *testing.T) {
	const copying, output, late = 1 << 32, 1 << 10, 1 << 9
	const read, colorWrite, depthWrite = transferRead, 1 << 8, 1 << 10
	draw := func(s *scene, c *CommandBuffer) { c.Draw(3, 1, 0, 0) }
	fill := func(_ *scene, c *CommandBuffer) {
		c.ClearAttachments(Clears{Colors: map[int][4]uint32{0: {}}})
	}
	indirect := func(draws, vertices byte) func(s *scene, c *CommandBuffer) {
		return func(s *scene, c *CommandBuffer) {
			b := s.arguments(t)
			copy(s.memory.Bytes()[3584:], []byte{0: vertices, 16: vertices, 20: 1, 31: 0})
			c.DrawIndirect(IndirectInfo{Buffer: b, Draws: uint32(draws), Stride: 16})
		}
	}
	noColor := func(s *scene) { s.fixed.Blend = &link.ColorBlend{Attachments: []link.Blend{{Mask: new(uint32)}}} }
	noDepth := func(s *scene) { s.fixed.DepthStencil.DepthWrite = false }
	discards := func(s *scene) { s.fixed.Rasterization.Discard = true }
	colors := MemoryDependency{SourceStages: output, SourceAccess: colorWrite, TargetStages: copying, TargetAccess: read}
	depths := MemoryDependency{SourceStages: late, SourceAccess: depthWrite, TargetStages: copying, TargetAccess: read}
	for _, k := range []struct {
		name    string
		prepare func(s *scene)
		work    func(s *scene, c *CommandBuffer)
		barrier MemoryDependency
		depth   bool // the copy is of depth
		races   bool
	}{
		{"a draw", nil, draw, MemoryDependency{}, false, true},
		{"a draw in order", nil, draw, colors, false, false},
		{"a draw in order of other accesses", nil, draw, depths, false, true},
		{"no draw", nil, func(*scene, *CommandBuffer) {}, MemoryDependency{}, false, false},
		{"a draw of nothing", nil, func(_ *scene, c *CommandBuffer) { c.Draw(0, 1, 0, 0) }, MemoryDependency{}, false, false},
		{"an indirect draw", nil, indirect(2, 3), MemoryDependency{}, false, true},
		{"no indirect draw", nil, indirect(0, 3), MemoryDependency{}, false, false},
		{"indirect draws of nothing", nil, indirect(2, 0), MemoryDependency{}, false, false},
		{"a draw without a component", noColor, draw, MemoryDependency{}, false, false},
		{"a draw without fragments", discards, draw, MemoryDependency{}, false, false},
		{"a clear", nil, fill, MemoryDependency{}, false, true},
		{"a clear in order", nil, fill, colors, false, false},
		{"a draw, of depth", nil, draw, MemoryDependency{}, true, true},
		{"a draw, of depth in order", nil, draw, depths, true, false},
		{"a draw without depth writes", noDepth, draw, MemoryDependency{}, true, false},
		{"a clear of colors, and depth", nil, fill, MemoryDependency{}, true, false},
	} {
		for _, subpasses := range []bool{false, true} {
			var reports []Report
			s := newSceneOn(t, 1, DeviceInfo{Sanitize: SanitizeRace, Reports: func(r Report) { reports = append(reports, r) }})
			if k.prepare != nil {
				k.prepare(s)
			}
			pass, frame := s.storesNone(t)
			if subpasses {
				s.stages.RenderPass, s.fixed.Rendering = pass, link.Rendering{}
			}
			s.build(t)
			err := s.submit(t, s.record(t, func(c *CommandBuffer) {
				if subpasses {
					c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: frame, Area: Rect{Width: 8, Height: 8}}, Inline)
				} else {
					c.BeginRendering(RenderingInfo{
						Area:   Rect{Width: 8, Height: 8},
						Colors: []AttachmentInfo{{View: s.view, Load: LoadNone, Store: StoreNone}}, Depth: &AttachmentInfo{View: s.depth, Load: LoadNone, Store: StoreNone},
					})
				}
				c.BindGraphicsPipeline(s.pipeline)
				c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
				s.paint(c, 1, 0, 0, 1)
				if k.work(s, c); subpasses {
					c.NextSubpass(Inline)
					c.EndRenderPass()
				} else {
					c.EndRendering()
				}
				if k.barrier != (MemoryDependency{}) {
					c.Barrier(k.barrier)
				}
				if from := s.color; k.depth {
					s.copyOut(c, s.depth.image)
				} else {
					s.copyOut(c, from)
				}
			}))
			if err != nil {
				t.Fatal(k.name, err)
			}
			if is := len(reports) > 0; is != k.races {
				t.Errorf("%s, in subpasses %v: the reports %+v; must be a race: %v", k.name, subpasses, reports, k.races)
			}
		}
	}
}

// storesNone returns a render pass of two subpasses with the attachments of the scene, neither loaded nor stored, and a framebuffer for it.
func (s *scene) storesNone(t *testing.T) (*RenderPass, *Framebuffer) {
	t.Helper()
	one := Subpass{Colors: []uint32{0}, Depth: new(uint32(1))}
	pass := must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{
			{Format: s.color.info.Format, Load: LoadNone, Store: StoreNone},
			{Format: s.depth.image.info.Format, Load: LoadNone, Store: StoreNone},
		},
		Subpasses: []Subpass{one, one},
	}))(t)
	return pass, must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{s.view, s.depth}, Width: 8, Height: 8, Layers: 1}))(t)
}
