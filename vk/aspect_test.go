package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

func TestAspectsOfAttachment(t *testing.T) {
	s := newScene(t, 1)
	both := formatOf(t, "D32_SFLOAT_S8_UINT")
	deep := s.image(t, ImageInfo{Type: enum.ImageType2d, Format: both, Extent: [3]int{8, 8, 1}, Usage: ImageDepthStencilAttachment})
	equal := link.StencilFace{Compare: enum.CompareOpEqual, CompareMask: 255, Reference: 5}
	s.fixed.Rendering.Depth, s.fixed.Rendering.Stencil = both, both
	s.fixed.DepthStencil = &link.DepthStencil{StencilTest: true, Front: equal, Back: equal}
	s.build(t)
	for _, aspect := range []Aspect{Depth, Stencil} {
		view := must(s.dev.NewImageView(ImageViewInfo{Image: deep, Type: enum.ViewType2d, Aspect: aspect}))(t)
		for value, want := range map[uint32]byte{5: 255, 4: 0} {
			c := s.record(t, func(c *CommandBuffer) {
				c.BindGraphicsPipeline(s.pipeline)
				c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
				s.paint(c, 1, 0, 0, 1)
				r := s.rendering()
				r.Depth = &AttachmentInfo{View: view, Load: ClearOnLoad}
				r.Stencil = &AttachmentInfo{View: view, Load: ClearOnLoad, Clear: [4]uint32{value}}
				c.BeginRendering(r)
				c.Draw(3, 1, 0, 0)
				c.EndRendering()
			})
			if err := s.submit(t, c); err != nil {
				t.Fatal(err)
			}
			if got := s.shots(t, s.color, 0)[0][0]; got != want {
				t.Errorf("a view of %v, stencil %d: red is %d; must be %d", aspect, value, got, want)
			}
		}
	}
}
