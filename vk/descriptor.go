package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/link"
)

// Sizes of the descriptors in descriptor buffers and heaps, in bytes. Each is at a multiple of DescriptorAlignment.
const (
	BufferDescriptorSize  = ir.HeapDescriptor // of uniform and storage buffers
	ImageDescriptorSize   = 32                // of images and texel buffers
	SamplerDescriptorSize = 32

	DescriptorAlignment = ir.HeapDescriptor
)

// DescriptorSize returns the size of a descriptor of a type in descriptor buffers and heaps, in bytes; 0 if it has none.
func DescriptorSize(t link.DescriptorType) uint64 {
	kind, ok := slotKinds[t]
	if !ok || kind == mutableSlot || t == link.UniformBufferDynamic || t == link.StorageBufferDynamic {
		return 0
	}
	return descriptorSizes[kind]
}

// descriptorSizes are the sizes of descriptors: of inline uniform blocks of one byte; mutable ones have that of their largest type.
var descriptorSizes = [...]uint64{
	uniformSlot: BufferDescriptorSize, storageSlot: BufferDescriptorSize, inlineSlot: 1, texelSlot: ImageDescriptorSize, viewSlot: ImageDescriptorSize,
	samplerSlot: SamplerDescriptorSize, combinedSlot: ImageDescriptorSize + SamplerDescriptorSize,
	mutableSlot: 0,
}

// size returns the size of a descriptor of the binding in a descriptor buffer.
func (s *layoutSlot) size() uint64 {
	n := descriptorSizes[s.kind]
	for _, t := range s.allowed {
		n = max(n, descriptorSizes[slotKinds[t]])
	}
	return n
}

// place gives the bindings their offsets in a descriptor buffer.
func (l *SetLayout) place() {
	l.size = 0
	for i := range l.slots {
		s := &l.slots[i]
		s.offset = l.size
		l.size += (uint64(s.count)*s.size() + DescriptorAlignment - 1) &^ (DescriptorAlignment - 1)
	}
}
