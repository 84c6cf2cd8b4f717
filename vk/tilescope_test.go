package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestTileScopes breaks each rule on command buffers with tile shading: a buffer that may be submitted while it is pending, parts that
// do not end, and secondary buffers in a rendering with another tile shading.
func TestTileScopes(t *testing.T) {
	on, apron := TileShading{Enable: true}, TileShading{Enable: true, Apron: [2]uint32{1, 1}}
	h := newTileScene(t, DeviceInfo{Engine: interp.Engine{}})
	pass := must(h.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: formatOf(t, "R32_UINT")}}, Subpasses: []Subpass{{Colors: []uint32{0}}}, Tiles: on,
	}))(t)
	f := must(h.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{h.view}, Width: 20, Height: 12, Layers: 1}))(t)
	begin := func(info BeginInfo, secondary bool) *CommandBuffer {
		c := must(h.dev.NewCommandBuffer(CommandBufferInfo{Secondary: secondary}))(t)
		if err := c.Begin(info); err != nil {
			t.Fatal(err)
		}
		return c
	}
	second := func(tiles TileShading, record func(c *CommandBuffer)) (*CommandBuffer, error) {
		c := begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, Rendering: &link.Rendering{Color: []link.Format{formatOf(t, "R32_UINT")}}, Tiles: tiles}}, true)
		record(c)
		return c, c.End()
	}
	executed := func(render, inherits TileShading) func() error {
		return func() error {
			s, err := second(inherits, func(*CommandBuffer) {})
			if err != nil {
				return err
			}
			c := begin(BeginInfo{}, false)
			info := h.rendering(render)
			info.Flags = SecondaryContents
			c.BeginRendering(info)
			c.Execute(s)
			c.EndRendering()
			return c.End()
		}
	}
	for _, x := range []struct {
		want string // in the error
		run  func() error
	}{
		{"VUID-vkCmdBeginRendering-flags-10641", func() error {
			c := begin(BeginInfo{Simultaneous: true}, false)
			c.BeginRendering(h.rendering(on))
			c.EndRendering()
			return c.End()
		}},
		{"VUID-vkCmdBeginRenderPass2-flags-10652", func() error {
			c := begin(BeginInfo{Simultaneous: true}, false)
			c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f}, Inline)
			c.EndRenderPass()
			return c.End()
		}},
		{"", func() error {
			c := begin(BeginInfo{Simultaneous: true}, false)
			c.BeginRendering(h.rendering(TileShading{}))
			c.EndRendering()
			return c.End()
		}},
		{"commands run for each tile at the end", func() error {
			_, err := second(on, func(c *CommandBuffer) { c.BeginPerTile() })
			return err
		}},
		{"", func() error {
			_, err := second(on, func(c *CommandBuffer) { c.BeginPerTile(); c.EndPerTile() })
			return err
		}},
		{"commands run for each tile already", func() error {
			_, err := second(on, func(c *CommandBuffer) { c.BeginPerTile(); c.BeginPerTile() })
			return err
		}},
		{"", executed(apron, apron)},
		{"VUID-vkCmdExecuteCommands-pCommandBuffers-10620", executed(on, TileShading{})},
		{"VUID-vkCmdExecuteCommands-tileApronSize-10622", executed(on, apron)},
		{"VUID-vkCmdExecuteCommands-tileApronSize-10622", executed(apron, on)},
		{"VUID-vkCmdExecuteCommands-pCommandBuffers-10623", executed(TileShading{}, on)},
	} {
		if err := x.run(); err == nil && x.want != "" || err != nil && (x.want == "" || !strings.Contains(ruleOf(err)+" "+err.Error(), x.want)) {
			t.Errorf("%v; must have %q", err, x.want)
		}
	}
}
