package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Tile memory (VK_QCOM_tile_memory_heap). A device has one range of bytes for it, and all allocations are its beginning. Its content lives
// as long as a submission, the tile memory scope. The queues take turns with the range, a submission at a time; around a wait for an event a
// queue saves its content. Content that is discarded becomes zero, so that a program which relies on it does not work by chance.
// The host sees nothing of it: it maps other bytes.

// TileHeapSize is the size of the heap of tile memory, in bytes. Programs that allocate from each memory type by turns choose their counts by
// the smallest heap, and get by with thousands of allocations here. The machine has pages only for bytes that are written, or that are bound while a command works,
// because the end of their scope clears them.
const TileHeapSize = 256 << 20

// tileHeap is the tile memory of a device.
type tileHeap struct {
	memory *exec.Memory  // nil before the first allocation; guarded by heap.mu
	turn   chan struct{} // has an element while the submission of a queue has the memory
}

// tileBytes returns n bytes from the start of the tile memory.
func (h *heap) tileBytes(n uint64) ([]byte, error) {
	if n > TileHeapSize {
		return nil, &OutOfMemoryError{Bytes: n, Left: TileHeapSize}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := &h.tile; t.memory == nil {
		m, err := exec.Alloc(TileHeapSize)
		if err != nil {
			return nil, &OutOfMemoryError{Bytes: n, Cause: err}
		}
		t.memory, t.turn = m, make(chan struct{}, 1)
		h.defined.followTile(m.Bytes())
	}
	return h.tile.memory.Bytes()[:n:n], nil
}

// hostBytes returns the bytes of the host in place of tile memory.
func (h *heap) hostBytes(m *Memory) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := uint64(len(m.bytes))
	switch {
	case m.memory != nil:
		return m.memory.Bytes()
	case m.gone || n > h.limit-h.used:
		return nil
	}
	memory, err := exec.Alloc(int(n))
	if err != nil {
		return nil
	}
	m.memory, m.counted = memory, n
	h.used += n
	return memory.Bytes()
}

// inTile reports whether the buffer, which may be nil, is in tile memory.
func (b *Buffer) inTile() bool { return b != nil && b.memory.isTile() }

// isTile reports whether the memory, which may be nil, is tile memory.
func (m *Memory) isTile() bool { return m != nil && m.class == TileMemory }

// checkTile returns an error unless the memory is tile memory of the device.
func (m *Memory) checkTile(d *Device) error {
	if err := check(d, "the tile memory", m); err != nil {
		return err
	}
	if !m.isTile() {
		return usage("VUID-VkTileMemoryBindInfoQCOM-memory-10726", "%v is bound as tile memory and has the type %d; must have the type %d", &m.object, m.class, TileMemory)
	}
	return nil
}

// checkTileSize checks the bytes of tile memory that a rendering uses.
func checkTileSize(n uint64) error {
	if n > TileHeapSize {
		return usage("VUID-VkTileMemorySizeInfoQCOM-size-10729", "the rendering uses %d bytes of tile memory; must be at most %d", n, TileHeapSize)
	}
	return nil
}

// checkTileResolves returns an error of a rule if a resolve attachment of the render pass is in tile memory.
func (p *RenderPass) checkTileResolves(views []*ImageView, rule string) error {
	for i := range p.info.Subpasses {
		s := &p.info.Subpasses[i]
		for _, n := range append(slices.Clone(s.Resolves), attachmentOf(s.DepthResolve)) {
			if int64(n) >= int64(len(views)) || views[n] == nil { // also Unused
				continue
			}
			if m := views[n].image.memory; m.isTile() {
				return usage(rule, "attachment %d is resolved to and in %v, which is tile memory; must not be", n, &m.object)
			}
		}
	}
	return nil
}

// BindTileMemory binds tile memory for the following commands: its content stays, and all tile memory beyond it is undefined after the
// next command that does work. Nil binds none (vkCmdBindTileMemoryQCOM).
func (c *CommandBuffer) BindTileMemory(m *Memory) {
	if !c.begin() {
		return
	}
	if c.scope.open() {
		c.fail(usage("VUID-vkCmdBindTileMemoryQCOM-renderpass", "tile memory is bound in a rendering; must be bound outside"))
		return
	}
	if m != nil {
		if err := m.checkTile(c.dev); err != nil {
			c.fail(err)
			return
		}
		c.refer(&m.object)
	}
	c.tile = m
	w := take[bindTile](c)
	w.memory = m
	c.deferred("bind tile memory", w)
}

// bindTile is a recorded BindTileMemory.
type bindTile struct{ memory *Memory }

func (*bindTile) flags() QueueFlags { return shaderQueue }

func (w *bindTile) run(x *executor) error { return x.bindTile(w.memory) }

// checkTileMemory returns the error of a secondary command buffer that inherits another size of tile memory than the bound one.
func (c *CommandBuffer) checkTileMemory(s *CommandBuffer) error {
	if here, there := c.tile.Size(), orZero(s.inherited).TileMemory.Size(); c.scope.open() && here != there {
		return usage("VUID-vkCmdExecuteCommands-memory-10724", "%v inherits %d bytes of tile memory, and %d are bound in the rendering; must be as many", &s.object, there, here)
	}
	return nil
}

// tileScope is the tile memory of a submission.
type tileScope struct {
	held  bool    // the submission has the memory of the device
	bound *Memory // in the command buffer; nil for none
	size  uint64  // of bound, in bytes
	kept  uint64  // the bytes from the start that can have content
}

// bindTile binds tile memory, or none. A submission takes the memory of the device with its first bind, and has it to its end.
func (x *executor) bindTile(m *Memory) error {
	x.tile.bound, x.tile.size = m, m.Size()
	if m == nil || x.tile.held {
		return nil
	}
	return x.takeTile()
}

// takeTile waits until no other queue has the tile memory.
func (x *executor) takeTile() error {
	t := &x.dev.heap.tile
	select {
	case t.turn <- struct{}{}:
	case <-x.ctx.Done():
		return x.ctx.Err()
	}
	x.tile.held = true
	x.dev.printer.queues.drop(t.memory.Bytes()) // accesses of other scopes are of other content
	return nil
}

// keepTile discards the content beyond the bound memory before a command that does work. The command may give content to the bound memory.
func (x *executor) keepTile(k *command) {
	if s := &x.tile; k.acts() {
		x.discardTile(s.size, s.kept)
		s.kept = s.size
	}
}

// discardTile makes the bytes from one offset to another undefined.
func (x *executor) discardTile(from, to uint64) {
	if from < to {
		clear(x.dev.heap.tile.memory.Bytes()[from:to])
		x.dev.heap.defined.discardTile(from, to)
	}
}

// transferTile runs a transfer of or to tile memory, which need not be bound. Content beyond the bound memory is undefined after it.
func (x *executor) transferTile(c *CommandBuffer, k *command, target *Buffer) error {
	if !x.tile.held {
		if err := x.takeTile(); err != nil {
			return err
		}
	}
	if x.moveBytes(c, k); target.inTile() {
		x.discardTile(max(x.tile.size, target.offset), target.offset+target.size)
	}
	return nil
}

// inTile notes an attachment that is in tile memory. v may be nil, or without an image.
func (r *rendering) inTile(v *ImageView) {
	if v != nil && v.image != nil && v.image.memory.isTile() {
		r.tile = max(r.tile, v.image.offset+uint64(len(v.image.bytes[0])))
	}
}

// beginTile takes the tile memory for a rendering with an attachment there. Load operations access it, whether it is bound or not.
func (x *executor) beginTile(r *rendering) error {
	if r.tile == 0 || x.tile.held {
		return nil
	}
	return x.takeTile()
}

// leaveTile ends a rendering with an attachment in tile memory: content beyond the bound memory is undefined.
func (x *executor) leaveTile(r *rendering) {
	if r.tile > 0 && x.tile.held {
		x.discardTile(x.tile.size, r.tile)
	}
}

// endTile ends the scope of a submission.
func (x *executor) endTile() {
	if s := x.tile; s.held {
		x.discardTile(0, s.kept)
		<-x.dev.heap.tile.turn
	}
	x.tile = tileScope{}
}

// awaitWithTile waits for an event. Meanwhile other queues may use the tile memory: the host may set the event after their work.
func (x *executor) awaitWithTile(e *Event) error {
	if !x.tile.held || e.IsSet() {
		return e.await(x.ctx)
	}
	s := x.tile
	bytes := x.dev.heap.tile.memory.Bytes()[:s.kept]
	content := slices.Clone(bytes)
	x.endTile()
	if err := e.await(x.ctx); err != nil {
		return err
	}
	if err := x.takeTile(); err != nil {
		return err
	}
	x.tile = s
	copy(bytes, content)
	x.dev.heap.defined.defineTile(0, s.kept)
	return nil
}

// acts reports whether the command is an action command of Vulkan: it does work, rather than to set a state or to order other commands.
func (k *command) acts() bool {
	switch k.kind {
	case copyBuffer, updateBuffer, fillBuffer, copyBufferToImage, copyImageToBuffer, copyImage, blitImage, resolveImage, clearImage,
		resetQueries, writeTimestamp, copyQueries, beginQuery, endQuery, beginRendering, endRendering:
		return true
	case runWork:
		switch k.a.(type) {
		case *matrixWork, *copyMemoryIndirect, *copyImageIndirect, *cudaLaunch, *initializeScratch, *micromapWork, *updateIndirect, *traceRays,
			*buildStructures, *copyWork, *propertyWork, *beginCondition, endCondition, *beginCustomResolve:
			return true
		}
	}
	return k.conditional()
}

// descriptorMemory returns the memory of the resource of a descriptor; nil if it has none.
func descriptorMemory(u user) *Memory {
	switch v := u.(type) {
	case *ImageView:
		return v.image.memory
	case *BufferView:
		return v.buffer.memory
	case *Buffer:
		return v.memory
	}
	return nil
}

// tileResource checks that the resource of a binding of one descriptor is not in other tile memory than the bound one.
func (c *descriptorCheck) tileResource(s *Set, r *ir.Resource) {
	i := s.layout.find(r.Binding)
	if c.idle || i < 0 {
		return
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.used[i]) == 1 {
		c.tileAccess(descriptorMemory(s.used[i][0][0]), "binding %d of %v", r.Binding, &s.object)
	}
}

// tileAttachments checks that the attachments which the draw accesses are not in other tile memory than the bound one.
func (c *drawCheck) tileAttachments(idle bool) {
	if idle || c.s.Rasterization.Discard {
		return
	}
	one := func(a *AttachmentInfo, format string, args ...any) {
		if a == nil {
			return
		}
		if v := c.view(a); v != nil {
			c.tileAccess(v.image.memory, format, args...)
		}
	}
	for i := range c.r.info.Colors {
		if c.writes(i) && c.blend(i).WriteMask != 0 {
			one(&c.r.info.Colors[i], "color attachment %d", i)
		}
	}
	if c.s.DepthStencil.Test {
		one(c.r.info.Depth, "the depth attachment")
	}
	if c.s.DepthStencil.Stencil {
		one(c.r.info.Stencil, "the stencil attachment")
	}
}

// tileAccess adds a finding if a resource is in tile memory that is not bound. m may be nil.
func (x *executor) tileAccess(m *Memory, format string, args ...any) {
	if m.isTile() && m != x.tile.bound {
		x.find("VUID-vkCmdDraw-commandBuffer-10746", format+" is accessed and in %v, which is tile memory that is not bound; must be bound", append(args, &m.object)...)
	}
}
