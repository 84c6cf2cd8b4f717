package driver

import (
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// commandPool is a VkCommandPool.
type commandPool struct {
	device *device
	family int
	list   map[*commandBuffer]bool
}

// Close frees the command buffers of the pool.
func (p *commandPool) Close() error {
	for c := range p.list {
		c.close()
	}
	p.list = nil
	return nil
}

// commandBuffer is a VkCommandBuffer. C records commands into the memory of its handle; drain passes them on to vk.
type commandBuffer struct {
	handle *abi.Dispatch
	device *device
	pool   *commandPool
	vk     *vk.CommandBuffer
	second bool                                     // a secondary command buffer
	play   func(number uint32, args unsafe.Pointer) // made once: a method value allocates

	name atomic.Pointer[string]

	graph *vk.GraphPipeline // bound: the host memory of a dispatch has payloads of its sizes

	// Space of commands that have lists.
	sets    []*vk.Set
	vertex  []vk.VertexBuffer
	strides []uint32
}

var commandPools table[commandPool]

var commandBufferCalls = map[int]call{
	abi.CmdCreateCommandPool:      on(createCommandPool),
	abi.CmdDestroyCommandPool:     run(func(a *abi.DestroyCommandPoolArgs) { destroy(&commandPools, uint64(a.CommandPool)) }),
	abi.CmdResetCommandPool:       on(resetCommandPool),
	abi.CmdTrimCommandPool:        run(func(*abi.TrimCommandPoolArgs) {}),
	abi.CmdAllocateCommandBuffers: on(allocateCommandBuffers),
	abi.CmdFreeCommandBuffers:     run(freeCommandBuffers),
	abi.CmdBeginCommandBuffer:     on(beginCommandBuffer),
	abi.CmdEndCommandBuffer:       on(endCommandBuffer),
	abi.CmdResetCommandBuffer:     on(func(a *abi.ResetCommandBufferArgs) abi.Result { return commandBufferOf(a.CommandBuffer).reset() }),
}

func createCommandPool(a *abi.CreateCommandPoolArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	p := &commandPool{device: d, family: int(a.PCreateInfo.QueueFamilyIndex), list: map[*commandBuffer]bool{}}
	return created(d, &commandPools, p, nil, unsafe.Pointer(a.PCommandPool))
}

func resetCommandPool(a *abi.ResetCommandPoolArgs) abi.Result {
	p := commandPools.get(uint64(a.CommandPool))
	if p == nil {
		return abi.ErrorDeviceLost
	}
	for c := range p.list {
		if r := c.reset(); r != abi.Success {
			return r
		}
	}
	return abi.Success
}

func allocateCommandBuffers(a *abi.AllocateCommandBuffersArgs) abi.Result {
	i := a.PAllocateInfo
	p := commandPools.get(uint64(i.CommandPool))
	out := array(a.PCommandBuffers, i.CommandBufferCount)
	clear(out)
	if p == nil {
		return abi.ErrorDeviceLost
	}
	if i.CommandBufferCount > maxElements {
		return outOfHost
	}
	for n := range out {
		c, r := p.allocate(i.Level == abi.CommandBufferLevelSecondary)
		if r != abi.Success {
			for k := range n {
				commandBufferOf(out[k]).close()
			}
			clear(out)
			return r
		}
		abi.PutAddress(unsafe.Pointer(&out[n]), unsafe.Pointer(c.handle))
	}
	return abi.Success
}

// allocate makes a command buffer.
func (p *commandPool) allocate(secondary bool) (*commandBuffer, abi.Result) {
	b, err := p.device.vk.NewCommandBuffer(vk.CommandBufferInfo{Secondary: secondary, Family: p.family})
	if err != nil {
		return nil, p.device.result(err)
	}
	c := &commandBuffer{device: p.device, pool: p, vk: b, second: secondary}
	c.play = func(number uint32, args unsafe.Pointer) {
		if listened.Load() && !checkForm(number, args) {
			return
		}
		recorders[number](c, args)
	}
	if c.handle = newDispatch(&commandBuffers, c); c.handle == nil {
		_ = b.Close() // it is not in use
		return nil, outOfHost
	}
	p.list[c] = true
	return c, abi.Success
}

func freeCommandBuffers(a *abi.FreeCommandBuffersArgs) {
	for _, h := range array(a.PCommandBuffers, a.CommandBufferCount) {
		if c := commandBufferOf(h); c != nil {
			c.close()
		}
	}
}

// close frees the command buffer.
func (c *commandBuffer) close() {
	delete(c.pool.list, c)
	_ = c.vk.Close() // freed later if it is in use
	dropDispatch(&commandBuffers, c.handle)
}

// drain records the commands that C has recorded.
func (c *commandBuffer) drain() {
	if c.handle.Recorded() {
		defer func(exhausted uint32) { // also after a panic: nothing is recorded twice
			c.handle.Rewind()
			c.handle.Exhausted = exhausted
		}(c.handle.Exhausted)
		c.handle.Records(c.play)
	}
}

// reset drops all commands.
func (c *commandBuffer) reset() abi.Result {
	if c == nil {
		return abi.ErrorDeviceLost
	}
	c.handle.Rewind()
	return c.device.result(c.vk.Reset(), c)
}

func beginCommandBuffer(a *abi.BeginCommandBufferArgs) abi.Result {
	c := commandBufferOf(a.CommandBuffer)
	if c == nil {
		return abi.ErrorDeviceLost
	}
	c.handle.Rewind()
	c.graph = nil
	i := a.PBeginInfo
	info := vk.BeginInfo{OneTime: i.Flags&abi.CommandBufferUsageOneTimeSubmitBit != 0, Simultaneous: i.Flags&abi.CommandBufferUsageSimultaneousUseBit != 0}
	if h := i.PInheritanceInfo; c.second && h != nil { // of a primary one the pointer may be anything
		info.Inheritance = inheritance(h, i.Flags)
	}
	return c.device.result(c.vk.Begin(info), c)
}

// inheritance reads the state that a secondary command buffer inherits.
func inheritance(h *abi.CommandBufferInheritanceInfo, flags uint32) *vk.InheritanceInfo {
	out := &vk.InheritanceInfo{
		Continue:   flags&abi.CommandBufferUsageRenderPassContinueBit != 0,
		RenderPass: renderPasses.get(uint64(h.RenderPass)), Subpass: int(h.Subpass), Framebuffer: framebuffers.get(uint64(h.Framebuffer)),
		Occlusion: h.OcclusionQueryEnable != 0, Control: vk.QueryControl(h.QueryFlags), Statistics: vk.Statistics(h.PipelineStatistics),
	}
	abi.Chain(h.PNext, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeCommandBufferInheritanceConditionalRenderingInfoEXT:
			out.Conditional = (*abi.CommandBufferInheritanceConditionalRenderingInfoEXT)(p).ConditionalRenderingEnable != 0
		case abi.StructureTypeCommandBufferInheritanceDescriptorHeapInfoEXT:
			i := (*abi.CommandBufferInheritanceDescriptorHeapInfoEXT)(p)
			out.Heaps = vk.InheritedHeaps{Resources: heapRange(i.PResourceHeapBindInfo), Samplers: heapRange(i.PSamplerHeapBindInfo)}
		case abi.StructureTypeRenderPassTileShadingCreateInfoQCOM:
			out.Tiles = tileShading((*abi.RenderPassTileShadingCreateInfoQCOM)(p))
		case abi.StructureTypeTileMemoryBindInfoQCOM:
			out.TileMemory = memories.get(uint64((*abi.TileMemoryBindInfoQCOM)(p).Memory))
		case abi.StructureTypeCommandBufferInheritanceRenderingInfo:
			i := (*abi.CommandBufferInheritanceRenderingInfo)(p)
			out.Flags, out.Samples = renderingFlags(i.Flags), int(i.RasterizationSamples)
			out.Rendering = &link.Rendering{
				ViewMask: i.ViewMask, Color: each(array(i.PColorAttachmentFormats, i.ColorAttachmentCount), func(f *uint32) link.Format { return format(*f) }),
				Depth: format(i.DepthAttachmentFormat), Stencil: format(i.StencilAttachmentFormat),
			}
			localRead(out.Rendering, h.PNext)
			out.CustomResolve = customResolve(h.PNext)
		}
	})
	if h.RenderPass != 0 {
		out.Rendering = nil
	}
	return out
}

func endCommandBuffer(a *abi.EndCommandBufferArgs) abi.Result {
	c := commandBufferOf(a.CommandBuffer)
	if c == nil {
		return abi.ErrorDeviceLost
	}
	c.drain()
	exhausted := c.handle.Exhausted != 0
	c.handle.Rewind()
	err := c.vk.End()
	if exhausted {
		return outOfHost
	}
	return c.device.result(err, c)
}
