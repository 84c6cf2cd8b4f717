package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// TestBesideTiles reads an attachment as an image that is no tile attachment, and writes it as a tile attachment, by one dispatch and by
// two in both orders. It is an error if both are the same subresource and the same subpass: "If any recorded command in the current
// subpass will write to an image subresource as a tile attachment, this command must not read from the memory backing that image
// subresource in any other way than as a tile attachment" (vkCmdDispatch).
func TestBesideTiles(t *testing.T) {
	const rule, reads, writes = "VUID-vkCmdDispatch-None-10676", "%q = OpImageRead %v4 %o %p\n", "OpImageWrite %i %p %texel"
	for name, x := range map[string]struct {
		rule   string
		other  bool // the image beside is another attachment
		passes bool // each command has a rendering of its own
		draws  bool // the write is that of a draw
		access []string
		groups uint32 // of each dispatch
	}{
		"write, then read":     {rule, false, false, false, []string{writes, reads}, 1},
		"read, then write":     {rule, false, false, false, []string{reads, writes}, 1},
		"both":                 {rule, false, false, false, []string{reads + writes}, 1},
		"a draw writes":        {rule, false, false, true, []string{reads}, 1},
		"reads":                {"", false, false, false, []string{reads, reads}, 1},
		"another image":        {"", true, false, false, []string{writes, reads}, 1},
		"another image, both":  {"", true, false, false, []string{reads + writes}, 1},
		"in two renderings":    {"", false, true, false, []string{writes, reads}, 1},
		"in two, read first":   {"", false, true, false, []string{reads, writes}, 1},
		"no invocations":       {"", false, false, false, []string{reads + writes, "OpImageWrite %o %p %texel"}, 0},
		"another image, write": {"VUID-vkCmdDispatch-None-10675", true, false, false, []string{"OpImageWrite %o %p %texel"}, 1},
	} {
		h := newTileScene(t, DeviceInfo{Engine: interp.Engine{}, Checking: All})
		var list []*ComputePipeline
		for _, a := range x.access {
			list = append(list, h.both(t, strings.Replace(besideTile, "ACCESS", a, 1)))
		}
		info := h.rendering(TileShading{Enable: true})
		if x.other {
			m := must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{20, 12, 1}, Usage: ImageColorAttachment | ImageStorage}))(t)
			if err := m.Bind(must(h.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t), 0); err != nil {
				t.Fatal(err)
			}
			other := must(h.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
			info.Colors = append(info.Colors, AttachmentInfo{View: other, Load: ClearOnLoad})
			if err := h.set.Update(Write{Binding: 1, Images: []ImageDescriptor{{View: other}}}); err != nil {
				t.Fatal(err)
			}
		}
		var draws *GraphicsPipeline
		var vertices *Buffer
		if x.draws {
			draws, vertices = h.shaded(t, strings.NewReplacer("OFFSET", "0", "OpReturn", "OpImageWrite %i %p %t\nOpReturn").Replace(readsTile), 20)
		}
		err := h.submit(t, h.record(t, func(c *CommandBuffer) {
			for _, point := range []BindPoint{Compute, Graphics} {
				c.BindSets(point, h.layout, 0, []*Set{h.set}, nil)
			}
			begin := func() {
				c.BeginRendering(info)
				c.BeginPerTile()
			}
			end := func() {
				c.EndPerTile()
				c.EndRendering()
			}
			begin()
			if x.draws {
				c.BindVertexBuffers(0, []VertexBuffer{{Buffer: vertices}})
				c.BindGraphicsPipeline(draws)
				c.Draw(3, 1, 0, 0)
			}
			for i, p := range list {
				if i > 0 && x.passes {
					end()
					begin()
				}
				c.BindPipeline(p)
				c.Dispatch(x.groups, 1, 1)
			}
			end()
		}))
		if ruleOf(err) != x.rule || x.rule == "" && err != nil {
			t.Errorf("%s: %v; must have the rule %q", name, err, x.rule)
		}
	}
}
