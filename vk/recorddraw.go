package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// BindGraphicsPipeline binds a graphics pipeline for the following draws.
func (c *CommandBuffer) BindGraphicsPipeline(p *GraphicsPipeline) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the pipeline", p); err != nil {
		c.fail(err)
		return
	}
	if p.library != nil {
		c.fail(usage("VUID-vkCmdBindPipeline-pipeline-03382", "%v is a library; must be linked", &p.object))
		return
	}
	c.refer(&p.object)
	c.commands = append(c.commands, command{kind: bindGraphics, a: p})
}

// VertexBuffer is a range of a buffer with vertices. A nil Buffer is the null buffer, a Size of 0 is WholeSize.
type VertexBuffer struct {
	Buffer       *Buffer
	Offset, Size uint64
}

// BindVertexBuffers binds buffers from binding first on.
func (c *CommandBuffer) BindVertexBuffers(first int, list []VertexBuffer) {
	if !c.begin() {
		return
	}
	if first < 0 || first > state.MaxBindings || len(list) > state.MaxBindings-first {
		c.fail(usage("VUID-vkCmdBindVertexBuffers-firstBinding-00625", "%d vertex buffers from binding %d on; must be at most %d", len(list), first, state.MaxBindings))
		return
	}
	for i, v := range list {
		k := command{kind: bindVertexBuffers, x: [4]uint64{uint64(first + i), v.Offset, v.Size}}
		if v.Buffer != nil {
			if !c.buffer(v.Buffer, v.Offset, VertexBufferUsage, "VUID-vkCmdBindVertexBuffers-pOffsets-00626") {
				return
			}
			k.a = v.Buffer
		}
		c.commands = append(c.commands, k)
	}
}

// VertexBufferUsage is the usage VertexBuffer of buffers.
const VertexBufferUsage = vertexBufferBit

// buffer reports whether a command may use a buffer from an offset on.
func (c *CommandBuffer) buffer(b *Buffer, offset uint64, use BufferUsage, rule string) bool {
	if err := check(c.dev, "the buffer", b); err != nil {
		c.fail(err)
		return false
	}
	switch {
	case b.memory == nil:
		c.fail(usage("", "%v has no memory; must have some", &b.object))
	case offset > b.size:
		c.fail(usage(rule, "the offset is %d; must be within the %d bytes of %v", offset, b.size, &b.object))
	case c.dev.checking > None && b.usage&use == 0:
		c.fail(usage("", "%v lacks the usage of the command; must have it", &b.object))
	default:
		b.refer(c.each)
		return true
	}
	return false
}

// indirectRules are the rules that keep the arguments of indirect draws inside of their buffers: of one draw, of several, of a counted
// number of draws, and the rule on the count.
type indirectRules struct{ one, several, most, count string }

var (
	indirectDraw = indirectRules{
		"VUID-vkCmdDrawIndirect-drawCount-00487", "VUID-vkCmdDrawIndirect-drawCount-00488",
		"VUID-vkCmdDrawIndirectCount-maxDrawCount-03111", "VUID-vkCmdDrawIndirectCount-countBufferOffset-04129",
	}
	indirectDrawIndexed = indirectRules{
		"VUID-vkCmdDrawIndexedIndirect-drawCount-00539", "VUID-vkCmdDrawIndexedIndirect-drawCount-00540",
		"VUID-vkCmdDrawIndexedIndirectCount-maxDrawCount-03143", "VUID-vkCmdDrawIndexedIndirectCount-countBufferOffset-04129",
	}
)

// indirect checks the buffers of an indirect draw, and refers to them.
func (c *CommandBuffer) indirect(info *IndirectInfo, r *indirectRules) bool {
	rule := r.one
	switch {
	case info.Count != nil:
		rule = r.most
	case info.Draws > 1:
		rule = r.several
	}
	return c.buffer(info.Buffer, info.Offset, IndirectBuffer, rule) &&
		(info.Count == nil || c.buffer(info.Count, info.CountOffset, IndirectBuffer, r.count))
}

// BindIndexBuffer binds indices of 1, 2 or 4 bytes each. Indices outside of the buffer are 0.
func (c *CommandBuffer) BindIndexBuffer(b *Buffer, offset uint64, bytes int) {
	if !c.begin() {
		return
	}
	if bytes != 1 && bytes != 2 && bytes != 4 || offset%uint64(bytes) != 0 {
		c.fail(usage("VUID-vkCmdBindIndexBuffer-offset-08783", "indices of %d bytes at offset %d; must be 1, 2 or 4, and a multiple", bytes, offset))
		return
	}
	if c.buffer(b, offset, IndexBuffer, "VUID-vkCmdBindIndexBuffer-offset-08782") {
		c.commands = append(c.commands, command{kind: bindIndexBuffer, a: b, x: [4]uint64{offset, uint64(bytes)}})
	}
}

// Draw draws vertices.
func (c *CommandBuffer) Draw(vertices, instances, firstVertex, firstInstance uint32) {
	c.draw(vertices, instances, firstVertex, firstInstance, 0, false)
}

// DrawIndexed draws indices of the index buffer; base is added to each.
func (c *CommandBuffer) DrawIndexed(indices, instances, first uint32, base int32, firstInstance uint32) {
	c.draw(indices, instances, first, firstInstance, base, true)
}

func (c *CommandBuffer) draw(n, instances, first, firstInstance uint32, base int32, indexed bool) {
	if c.begin() {
		c.action()
		c.commands = append(c.commands, command{kind: drawVertices, x: [4]uint64{
			uint64(n) | uint64(instances)<<32, uint64(first) | uint64(firstInstance)<<32, uint64(uint32(base)), flag(indexed)}})
	}
}

// IndirectInfo describes draws whose arguments are in a buffer (VkDrawIndirectCommand, VkDrawIndexedIndirectCommand).
type IndirectInfo struct {
	Buffer  *Buffer
	Offset  uint64
	Draws   uint32 // the most, with a Count
	Stride  uint32 // bytes
	Indexed bool

	// Count, if not nil, has the number of draws at CountOffset.
	Count       *Buffer
	CountOffset uint64
}

// DrawIndirect runs draws whose arguments are in a buffer when the command runs. Arguments outside of the buffer make the
// device lost.
func (c *CommandBuffer) DrawIndirect(info IndirectInfo) {
	rules := &indirectDraw
	if info.Indexed {
		rules = &indirectDrawIndexed
	}
	if !c.begin() || !c.indirect(&info, rules) {
		return
	}
	c.action()
	k := command{kind: drawIndirect, a: info.Buffer, x: [4]uint64{info.Offset, uint64(info.Draws) | uint64(info.Stride)<<32, info.CountOffset, flag(info.Indexed)}}
	if info.Count != nil {
		k.b = info.Count
	}
	c.commands = append(c.commands, k)
}
