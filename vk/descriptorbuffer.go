package vk

import (
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// The uses of buffers with descriptors (VK_EXT_descriptor_buffer).
const (
	SamplerDescriptorBuffer  BufferUsage = 0x200000
	ResourceDescriptorBuffer BufferUsage = 0x400000
	PushDescriptorBuffer     BufferUsage = 0x4000000
)

// MaxDescriptorBuffers bounds the descriptor buffers that are bound at once (maxDescriptorBufferBindings).
const MaxDescriptorBuffers = 32

// Size returns the bytes of a set of the layout in a descriptor buffer; 0 if the layout is nil.
func (l *SetLayout) Size() uint64 {
	if l == nil {
		return 0
	}
	return l.size
}

// BindingOffset returns the offset of the first descriptor of a binding in a descriptor buffer, in bytes, and the distance
// of descriptors; ok is false if the layout has no such binding.
func (l *SetLayout) BindingOffset(binding uint32) (offset, stride uint64, ok bool) {
	if l == nil {
		return 0, 0, false
	}
	i := l.find(binding)
	if i < 0 {
		return 0, 0, false
	}
	return l.slots[i].offset, l.slots[i].size(), true
}

// bindDescriptorBuffers, setDescriptorOffsets and bindEmbedded are recorded commands.
type (
	bindDescriptorBuffers struct{ addresses []uint64 }
	setDescriptorOffsets  struct {
		point  BindPoint
		layout *PipelineLayout
		first  int
		places []descriptorPlace
	}
	descriptorPlace struct {
		buffer uint32
		offset uint64
	}
)

// BindDescriptorBuffers binds descriptor buffers by their device addresses, from number 0 on.
func (c *CommandBuffer) BindDescriptorBuffers(addresses []uint64) {
	if !c.begin() || !c.mayEndHeaps("VUID-vkCmdBindDescriptorBuffersEXT-commandBuffer-11295", "VUID-vkCmdBindDescriptorBuffersEXT-commandBuffer-11296") {
		return
	}
	if len(addresses) > MaxDescriptorBuffers {
		c.fail(usage("VUID-vkCmdBindDescriptorBuffersEXT-maxResourceDescriptorBufferBindings-08049", "%d descriptor buffers are bound; must be at most %d", len(addresses), MaxDescriptorBuffers))
		return
	}
	for _, a := range addresses {
		if a%DescriptorAlignment != 0 {
			c.fail(usage("VUID-vkCmdBindDescriptorBuffersEXT-pBindingInfos-08055", "the address of a descriptor buffer is %#x; must be a multiple of %d", a, DescriptorAlignment))
			return
		}
	}
	w := take[bindDescriptorBuffers](c)
	w.addresses = append(w.addresses, addresses...)
	c.deferred("bind descriptor buffers", w)
}

func (b *bindDescriptorBuffers) forget() { b.addresses = b.addresses[:0] }

func (w *setDescriptorOffsets) forget() { *w = setDescriptorOffsets{places: w.places[:0]} }

func (b *bindDescriptorBuffers) run(x *executor) error {
	x.buffers = append(x.buffers[:0], b.addresses...)
	return nil
}

// SetDescriptorBufferOffsets sets the sets from number first on to places in the bound descriptor buffers: the number of a
// buffer, and an offset in bytes.
func (c *CommandBuffer) SetDescriptorBufferOffsets(point BindPoint, l *PipelineLayout, first int, buffers []uint32, offsets []uint64) {
	if !c.begin() || !c.mayEndHeaps("VUID-vkCmdSetDescriptorBufferOffsetsEXT-commandBuffer-11295", "VUID-vkCmdSetDescriptorBufferOffsetsEXT-commandBuffer-11296") {
		return
	}
	if err := c.checkOffsets(point, l, first, buffers, offsets); err != nil {
		c.fail(err)
		return
	}
	w := take[setDescriptorOffsets](c)
	w.point, w.layout, w.first = point, l, first
	for i := range buffers {
		w.places = append(w.places, descriptorPlace{buffers[i], offsets[i]})
	}
	c.pushed.forget(point, first, len(buffers))
	c.deferred("set descriptor buffer offsets", w)
}

func (c *CommandBuffer) checkOffsets(point BindPoint, l *PipelineLayout, first int, buffers []uint32, offsets []uint64) error {
	if err := point.check(); err != nil {
		return err
	}
	if err := check(c.dev, "the layout", l); err != nil {
		return err
	}
	if first < 0 || first > len(l.sets) || len(buffers) > len(l.sets)-first || len(buffers) != len(offsets) {
		return usage("VUID-vkCmdSetDescriptorBufferOffsetsEXT-firstSet-08066", "%d buffers and %d offsets are set from set %d on; the layout has %d sets", len(buffers), len(offsets), first, len(l.sets))
	}
	for i := range buffers {
		s := l.sets[first+i]
		switch {
		case s == nil || s.link.Flags&enum.SetFlagsDescriptorBuffer == 0 || s.link.Flags&enum.SetFlagsEmbeddedImmutableSamplers != 0:
			return usage("VUID-vkCmdSetDescriptorBufferOffsetsEXT-firstSet-09006", "set %d is not for descriptor buffers, or of embedded samplers; must be a set for descriptor buffers", first+i)
		case buffers[i] >= MaxDescriptorBuffers:
			return usage("VUID-vkCmdSetDescriptorBufferOffsetsEXT-pBufferIndices-08064", "the number of a descriptor buffer is %d; must be less than %d", buffers[i], MaxDescriptorBuffers)
		case offsets[i]%DescriptorAlignment != 0:
			return usage("VUID-vkCmdSetDescriptorBufferOffsetsEXT-pOffsets-08061", "an offset is %d; must be a multiple of %d", offsets[i], DescriptorAlignment)
		}
	}
	return nil
}

func (w *setDescriptorOffsets) run(x *executor) error {
	bound := x.disturb(w.point, w.layout, w.first, len(w.places))
	for i, p := range w.places {
		if int(p.buffer) >= len(x.buffers) {
			return usage("VUID-vkCmdSetDescriptorBufferOffsetsEXT-pBufferIndices-08065", "descriptor buffer %d is not bound; must be", p.buffer)
		}
		bound[i] = boundSet{layout: w.layout, inMemory: true, address: x.buffers[p.buffer] + p.offset}
	}
	return nil
}

// BindEmbeddedSamplers binds the embedded immutable samplers of a set (vkCmdBindDescriptorBufferEmbeddedSamplersEXT).
func (c *CommandBuffer) BindEmbeddedSamplers(point BindPoint, l *PipelineLayout, set int) {
	if !c.begin() || !c.mayEndHeaps("VUID-vkCmdBindDescriptorBufferEmbeddedSamplersEXT-commandBuffer-11295", "VUID-vkCmdBindDescriptorBufferEmbeddedSamplersEXT-commandBuffer-11296") {
		return
	}
	if err := point.check(); err != nil {
		c.fail(err)
		return
	}
	if err := check(c.dev, "the layout", l); err != nil {
		c.fail(err)
		return
	}
	if set < 0 || set >= len(l.sets) || l.sets[set] == nil || l.sets[set].link.Flags&enum.SetFlagsEmbeddedImmutableSamplers == 0 {
		c.fail(usage("VUID-vkCmdBindDescriptorBufferEmbeddedSamplersEXT-set-08070", "set %d is not of embedded immutable samplers; must be one of the layout", set))
		return
	}
	c.bindOwn(point, l, set, c.pushed.set(c.dev, l.sets[set]))
}

// bindOwn records the bind of a set that the command buffer owns.
func (c *CommandBuffer) bindOwn(point BindPoint, l *PipelineLayout, set int, s *Set) {
	at := len(c.sets)
	c.addSet(s)
	c.commands = append(c.commands, command{kind: bindSets, a: l, x: [4]uint64{uint64(set) | uint64(point)<<32, uint64(at), 1, uint64(len(c.offsets))}})
}

// decoded returns the set of a layout in a descriptor buffer. Descriptors past the end of the memory are null.
func (x *executor) decoded(l *SetLayout, address uint64) compute.Set {
	key := setKey{l, address}
	if s, ok := x.memory.sets[key]; ok {
		return s
	}
	memory := x.bytesAt(address)
	out := make(compute.Set, len(l.slots))
	for i := range l.slots {
		slot := &l.slots[i]
		rest := memory[min(slot.offset, uint64(len(memory))):]
		b := &out[i]
		if b.Number = slot.number; slot.kind == inlineSlot {
			b.Inline, b.HasInline = slices.Clone(rest[:min(len(rest), int(slot.count))]), true
			continue
		}
		size := slot.size()
		n := min(uint64(slot.count), uint64(len(rest))/max(size, 1))
		if x.decode(b, slot, rest[:n*size], int(n)); n >= compute.LongList {
			b.Lists = compute.NewLists()
		}
		if x.dev.lowering.Sanitize&SanitizeBounds != 0 {
			b.Faults = x.faults(b, slot, rest[:n*size])
		}
	}
	if x.memory.sets == nil {
		x.memory.sets = map[setKey]compute.Set{}
	}
	x.memory.sets[key] = out
	return out
}

// decode reads n descriptors of a binding. A mutable descriptor is read as each of its types: the shader determines which
// it uses.
func (x *executor) decode(b *compute.SetBinding, slot *layoutSlot, memory []byte, n int) {
	buffers, views, samplers := slot.lists()
	size := int(slot.size())
	if buffers {
		b.Buffers = make([]exec.Buffer, n)
	}
	if views {
		b.Views = make([]*texture.View, n)
	}
	if samplers {
		b.Samplers = make([]*texture.Sampler, n)
	}
	for i := range n {
		d := memory[i*size:][:size]
		switch {
		case !buffers:
		case slot.kind == structureSlot || slot.kind == mutableSlot && typeOf(d, true) == link.AccelerationStructure:
			b.Buffers[i] = exec.Buffer{Bytes: d[:8]}
		default:
			b.Buffers[i] = x.readBuffer(d)
		}
		if views {
			b.Views[i] = x.readView(d)
		}
		switch at := slot.samplerAt(d); {
		case slot.immutable != nil:
			b.Samplers[i] = slot.immutable[i].sampler
		case samplers && len(d) >= at+SamplerDescriptorSize:
			b.Samplers[i] = x.readSampler(d[at:])
		}
	}
}

// faults returns the faults of the descriptors of a binding. Descriptors beyond the end of memory are absent.
func (x *executor) faults(b *compute.SetBinding, slot *layoutSlot, memory []byte) (list []byte) {
	buffers, views, samplers := slot.lists()
	size := int(slot.size())
	for i := range int(slot.count) {
		if (i+1)*size > len(memory) {
			list = binary.LittleEndian.AppendUint32(list, ir.AbsentDescriptor)
			continue
		}
		d, sampler := memory[i*size:][:size], slot.samplerAt(memory[i*size:][:size])
		word := binary.LittleEndian.Uint64(d)
		structure := slot.kind == structureSlot || slot.kind == mutableSlot && typeOf(d, true) == link.AccelerationStructure
		var valid bool
		switch {
		case word == 0, samplers && slot.immutable != nil && !views:
			valid = true
		case structure:
			valid = x.dev.heap.structures.has(word)
		default: // one of the types of a mutable descriptor
			valid = buffers && b.Buffers[i].Bytes != nil || views && b.Views[i] != nil || samplers && sampler == 0 && b.Samplers[i] != nil
		}
		if sampler > 0 && samplers && b.Samplers[i] == nil && binary.LittleEndian.Uint64(d[sampler:]) != 0 {
			valid = false
		}
		list = binary.LittleEndian.AppendUint32(list, uint32(flag(!valid))*ir.InvalidDescriptor)
	}
	return list
}

// samplerAt returns the offset of the sampler in a descriptor of the binding: after the image if it is combined.
func (s *layoutSlot) samplerAt(d []byte) int {
	if s.kind == combinedSlot || s.kind == mutableSlot && len(d) > ImageDescriptorSize && binary.LittleEndian.Uint64(d[24:]) == combinedMark {
		return ImageDescriptorSize
	}
	return 0
}

// bytesAt returns the memory from an address to the end of its allocation; nil if there is none.
func (x *executor) bytesAt(address uint64) []byte {
	a := compute.Args{Regions: x.held()}
	return a.AllAt(address).Bytes
}
