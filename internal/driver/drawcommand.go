package driver

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var drawCommands = map[int]recorder{
	abi.CmdCmdDraw: rec(func(c *commandBuffer, a *abi.CmdDrawArgs) {
		c.vk.Draw(a.VertexCount, a.InstanceCount, a.FirstVertex, a.FirstInstance)
	}),
	abi.CmdCmdDrawIndexed: rec(func(c *commandBuffer, a *abi.CmdDrawIndexedArgs) {
		c.vk.DrawIndexed(a.IndexCount, a.InstanceCount, a.FirstIndex, a.VertexOffset, a.FirstInstance)
	}),
	abi.CmdCmdDrawIndirect: rec(func(c *commandBuffer, a *abi.CmdDrawIndirectArgs) {
		c.vk.DrawIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.DrawCount, Stride: a.Stride})
	}),
	abi.CmdCmdDrawIndexedIndirect: rec(func(c *commandBuffer, a *abi.CmdDrawIndexedIndirectArgs) {
		c.vk.DrawIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.DrawCount, Stride: a.Stride, Indexed: true})
	}),
	abi.CmdCmdDrawIndirectCount: rec(func(c *commandBuffer, a *abi.CmdDrawIndirectCountArgs) {
		c.vk.DrawIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.MaxDrawCount, Stride: a.Stride, Count: namedBuffer(a.CountBuffer), CountOffset: a.CountBufferOffset})
	}),
	abi.CmdCmdDrawIndexedIndirectCount: rec(func(c *commandBuffer, a *abi.CmdDrawIndexedIndirectCountArgs) {
		c.vk.DrawIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.MaxDrawCount, Stride: a.Stride, Indexed: true, Count: namedBuffer(a.CountBuffer), CountOffset: a.CountBufferOffset})
	}),
	abi.CmdCmdBindVertexBuffers: rec(func(c *commandBuffer, a *abi.CmdBindVertexBuffersArgs) {
		c.vk.BindVertexBuffers(int(a.FirstBinding), c.vertexBuffers(a.BindingCount, a.PBuffers, a.POffsets, nil))
	}),
	abi.CmdCmdBindVertexBuffers2: rec(func(c *commandBuffer, a *abi.CmdBindVertexBuffers2Args) {
		list := c.vertexBuffers(a.BindingCount, a.PBuffers, a.POffsets, a.PSizes)
		c.strides = c.strides[:0]
		for _, s := range array(a.PStrides, a.BindingCount) {
			c.strides = append(c.strides, uint32(s))
		}
		if a.PStrides == nil {
			c.vk.BindVertexBuffers2(int(a.FirstBinding), list, nil)
			return
		}
		c.vk.BindVertexBuffers2(int(a.FirstBinding), list, c.strides)
	}),
	abi.CmdCmdBindIndexBuffer: rec(func(c *commandBuffer, a *abi.CmdBindIndexBufferArgs) {
		c.vk.BindIndexBuffer2(buffers.get(uint64(a.Buffer)), a.Offset, vk.WholeSize, indexBytes(a.IndexType)) // it may be null
	}),
	abi.CmdCmdBindIndexBuffer2: rec(func(c *commandBuffer, a *abi.CmdBindIndexBuffer2Args) {
		c.vk.BindIndexBuffer2(buffers.get(uint64(a.Buffer)), a.Offset, a.Size, indexBytes(a.IndexType))
	}),
	abi.CmdCmdClearAttachments: rec(clearAttachments),
}

// namedBuffer returns the buffer of a handle. For a stale handle it returns a buffer that every command refuses, because nil is a
// valid choice.
func namedBuffer(h abi.Buffer) *vk.Buffer {
	if b := buffers.get(uint64(h)); b != nil {
		return b
	}
	return &vk.Buffer{}
}

// indexBytes returns the size of an index of a VkIndexType; 0 of an unknown one.
func indexBytes(t uint32) int {
	switch t {
	case abi.IndexTypeUint8:
		return 1
	case abi.IndexTypeUint16:
		return 2
	case abi.IndexTypeUint32:
		return 4
	}
	return 0
}

// vertexBuffers returns ranges of vertex buffers; the next call overwrites them.
func (c *commandBuffer) vertexBuffers(n uint32, list *abi.Buffer, offsets, sizes *uint64) []vk.VertexBuffer {
	c.vertex = c.vertex[:0]
	for i, h := range array(list, n) {
		v := vk.VertexBuffer{Buffer: buffers.get(uint64(h))}
		if offsets != nil {
			v.Offset = array(offsets, n)[i]
		}
		if v.Size = vk.WholeSize; sizes != nil {
			v.Size = array(sizes, n)[i]
		}
		c.vertex = append(c.vertex, v)
	}
	return c.vertex
}

// clearAttachments clears rectangles of attachments. A list of attachments with several rectangles is several clears.
func clearAttachments(c *commandBuffer, a *abi.CmdClearAttachmentsArgs) {
	for _, r := range array(a.PRects, a.RectCount) {
		x := vk.Clears{Area: rect(r.Rect), Base: r.BaseArrayLayer, Layers: r.LayerCount, Colors: map[int][4]uint32{}}
		for _, k := range array(a.PAttachments, a.AttachmentCount) {
			if k.AspectMask&abi.ImageAspectColorBit != 0 && k.ColorAttachment != math.MaxUint32 {
				x.Colors[int(k.ColorAttachment)] = k.ClearValue
			}
			if k.AspectMask&abi.ImageAspectDepthBit != 0 {
				depth := k.ClearValue[0]
				x.Depth = &depth
			}
			if k.AspectMask&abi.ImageAspectStencilBit != 0 {
				stencil := k.ClearValue[1]
				x.Stencil = &stencil
			}
		}
		c.vk.ClearAttachments(x)
	}
}

func rect(r abi.Rect2D) vk.Rect {
	return vk.Rect{X: r.Offset.X, Y: r.Offset.Y, Width: r.Extent.Width, Height: r.Extent.Height}
}
