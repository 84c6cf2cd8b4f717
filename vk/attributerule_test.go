package vk

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
)

// TestAttributeRules draws with vertex attributes at addresses that are no multiples of the size of their format, if it is packed, or
// of a component (Vulkan, Vertex Input Calculation).
func TestAttributeRules(t *testing.T) {
	r := newRuled(t)
	pipe := func(format string, stride, offset uint32) *GraphicsPipeline {
		return r.pipe(t, func(i *GraphicsPipelineInfo) {
			i.State.Vertex = &link.VertexInput{
				Bindings:   []link.VertexBinding{{Stride: stride}},
				Attributes: []link.Attribute{{Format: formatOf(t, format), Offset: offset}},
			}
		})
	}
	old := features(false, "legacyVertexAttributes")
	const packed, component = "vkCmdDraw-format-10389", "vkCmdDraw-format-10390"
	at := func(offset uint64) func(c *CommandBuffer) {
		return func(c *CommandBuffer) { c.BindVertexBuffers(0, []VertexBuffer{{Buffer: r.vertices, Offset: offset}}) }
	}
	row := func(rule string, bad, good *GraphicsPipeline, badBind, goodBind func(*CommandBuffer)) ruleRow {
		return ruleRow{[]string{rule}, old, func(c *CommandBuffer, wrong bool) {
			p, bind := good, goodBind
			if wrong {
				p, bind = bad, badBind
			}
			r.paints(c, r.rendering(), p, func() { bind(c) })
		}}
	}
	whole := pipe("A2B10G10R10_UNORM_PACK32", 4, 0)
	floats, halves := pipe("R32G32B32A32_SFLOAT", 16, 0), pipe("R16G16B16A16_SFLOAT", 8, 0)
	r.check(t, []ruleRow{
		row(packed, whole, whole, at(2), at(4)),
		row(packed, pipe("A2B10G10R10_UNORM_PACK32", 6, 0), pipe("A2B10G10R10_UNORM_PACK32", 8, 4), at(0), at(0)),
		row(component, floats, floats, at(2), at(4)),
		row(component, floats, halves, at(6), at(6)),
		row(component, pipe("R16G16B16A16_SFLOAT", 8, 1), pipe("R8G8B8A8_UNORM", 7, 1), at(0), at(1)),
		// Indices 0 and 2 are of aligned elements, 1 is not.
		{[]string{"vkCmdDrawIndexed-format-10390"}, old, func(c *CommandBuffer, wrong bool) {
			list := []byte{0, 2, 4}
			if wrong {
				list[1] = 1
			}
			copy(r.memory.Bytes()[1024+512:], list)
			c.BeginRendering(r.rendering())
			c.BindGraphicsPipeline(pipe("R16G16B16A16_SFLOAT", 9, 0))
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: r.vertices}})
			c.BindIndexBuffer(r.vertices, 512, 1)
			r.paint(c, 1, 1, 1, 1)
			c.DrawIndexed(3, 1, 0, 0, 0)
			c.EndRendering()
		}},
	})
	r.on(old)
	// An indirect draw without vertices reads no attribute. In two draws the second element of the second one is misaligned.
	for _, x := range []struct {
		vertices, draws uint32
		finds           bool
	}{{0, 1, false}, {1, 1, false}, {1, 2, true}} {
		got, err := r.findings(t, func(c *CommandBuffer) {
			arguments := r.memory.Bytes()[1024+512:]
			for i, word := range []uint32{x.vertices, 1, 0, 0, 1, 1, 1, 0} {
				binary.LittleEndian.PutUint32(arguments[4*i:], word)
			}
			c.BeginRendering(r.rendering())
			c.BindGraphicsPipeline(pipe("R16G16B16A16_SFLOAT", 9, 0))
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: r.vertices}})
			r.paint(c, 1, 1, 1, 1)
			c.DrawIndirect(IndirectInfo{Buffer: r.vertices, Offset: 512, Draws: x.draws, Stride: 16})
			c.EndRendering()
		})
		if want := []string{"VUID-vkCmdDrawIndirect-format-10390"}; err == nil == x.finds || x.finds != slices.Equal(got, want) {
			t.Errorf("%d vertices, %d draws: the findings %q, the error %v", x.vertices, x.draws, got, err)
		}
	}
	// With the feature each address will do.
	r.on(features(true, "legacyVertexAttributes"))
	if got, err := r.findings(t, func(c *CommandBuffer) { r.paints(c, r.rendering(), floats, func() { at(2)(c) }) }); len(got) > 0 || err != nil {
		t.Errorf("with legacyVertexAttributes there are the findings %q, and the error %v", got, err)
	}
}
