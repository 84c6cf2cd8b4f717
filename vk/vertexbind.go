package vk

import "github.com/chiaro-gpu/chiaro/internal/stage/draw/state"

// strides are the strides of vertex buffers that commands have set, in bytes.
type strides struct {
	set   uint32 // the bindings that have one
	bytes [state.MaxBindings]uint32
	list  []state.VertexBinding // of the draw, kept for the next one
}

// put sets the stride of a binding.
func (s *strides) put(binding, stride uint32) {
	if binding < state.MaxBindings {
		s.set |= 1 << binding
		s.bytes[binding] = stride
	}
}

// apply replaces the strides of a vertex input by those that are set.
func (s *strides) apply(v *state.VertexInput) {
	if s.set == 0 {
		return
	}
	s.list = append(s.list[:0], v.Bindings...)
	for i := range s.list {
		if n := s.list[i].Binding; n < state.MaxBindings && s.set>>n&1 != 0 {
			s.list[i].Stride = s.bytes[n]
		}
	}
	v.Bindings = s.list
}

// BindVertexBuffers2 binds buffers from binding first on. strideBytes, if it is not nil, has the stride of each: a draw uses it
// if the state VertexInputBindingStride or VertexInput is dynamic, or with shader objects.
func (c *CommandBuffer) BindVertexBuffers2(first int, list []VertexBuffer, strideBytes []uint32) {
	if !c.begin() {
		return
	}
	if strideBytes != nil && len(strideBytes) != len(list) {
		c.fail(usage("VUID-vkCmdBindVertexBuffers2-pStrides-parameter", "%d strides of %d vertex buffers; must be as many", len(strideBytes), len(list)))
		return
	}
	for i, n := range strideBytes {
		if n > state.MaxStride {
			c.fail(usage("VUID-vkCmdBindVertexBuffers2-pStrides-03362", "the stride of vertex buffer %d is %d bytes; must be at most %d", first+i, n, state.MaxStride))
			return
		}
	}
	at := len(c.commands)
	c.BindVertexBuffers(first, list)
	for i := range c.commands[at:] {
		if strideBytes != nil {
			c.commands[at+i].x[3] = uint64(strideBytes[i]) + 1
		}
	}
}

// VertexBind is a vertex buffer, and the stride of its elements if SetStride is set (VkBindVertexBuffer3InfoKHR).
type VertexBind struct {
	VertexBuffer
	SetStride bool
	Stride    uint32 // bytes
}

// thirdBind marks the strides that BindVertexBuffers3 sets.
const thirdBind = 1 << 40

// BindVertexBuffers3 binds buffers from binding first on, each with a stride or without (vkCmdBindVertexBuffers3KHR). Strides need a
// pipeline with the dynamic state VertexInputBindingStride or VertexInput.
func (c *CommandBuffer) BindVertexBuffers3(first int, list []VertexBind) {
	if !c.begin() {
		return
	}
	for i := range list {
		x := &list[i]
		var strides []uint32
		if x.SetStride {
			strides = []uint32{x.Stride}
		}
		at := len(c.commands)
		if c.BindVertexBuffers2(first+i, []VertexBuffer{x.VertexBuffer}, strides); x.SetStride && len(c.commands) == at+1 {
			c.commands[at].x[3] |= thirdBind
		}
	}
}

// BindIndexBuffer2 binds size bytes of indices, of 1, 2 or 4 bytes each; WholeSize is all from offset on. All indices of a nil
// buffer are 0, as are indices outside of the bytes.
func (c *CommandBuffer) BindIndexBuffer2(b *Buffer, offset, size uint64, bytes int) {
	switch {
	case !c.begin():
		return
	case b == nil && (bytes == 1 || bytes == 2 || bytes == 4):
		c.commands = append(c.commands, command{kind: bindIndexBuffer, x: [4]uint64{0, uint64(bytes)}})
		return
	}
	at := len(c.commands)
	c.BindIndexBuffer(b, offset, bytes)
	if len(c.commands) == at || size == WholeSize {
		return
	}
	if _, ok := b.part(offset, size); !ok || size%uint64(bytes) != 0 {
		c.fail(usage("VUID-vkCmdBindIndexBuffer2-size-08767", "%d bytes of indices of %d bytes from offset %d on; must be a multiple, within the %d bytes of %v", size, bytes, offset, b.size, &b.object))
		return
	}
	c.commands[at].x[2] = size + 1
}

// bindIndices runs a bind of indices.
func (g *graphics) bindIndices(k *command) {
	g.bound.index, g.bound.indexBytes = []byte{}, uint32(k.x[1])
	b, ok := k.a.(*Buffer)
	if g.bound.owners.index = b; !ok {
		return
	}
	all := b.bytes()[k.x[0]:]
	if k.x[2] > 0 {
		all = all[:k.x[2]-1]
	}
	g.bound.index = all
}
