package amber

import "slices"

// Bank is a bank of push constants with a number other than 0 (VK_NV_push_constant_bank).
type Bank struct {
	Number uint32
	Buffer *Buffer
}

// setBank adds b in place of one of the same number.
func (p *Pipeline) setBank(b Bank) {
	if i := slices.IndexFunc(p.Banks, func(o Bank) bool { return o.Number == b.Number }); i >= 0 {
		p.Banks[i] = b
		return
	}
	p.Banks = append(p.Banks, b)
}

// Heaps are the buffers with the descriptor heaps of a pipeline (VK_EXT_descriptor_heap); nil for none.
type Heaps struct{ Resources, Samplers *Buffer }

// WriteReference writes a reference to a buffer, an image or a sampler into a buffer: a device address, or a
// descriptor of a heap.
type WriteReference struct {
	Step
	Into   *Buffer
	At     int // byte in Into
	What   Reference
	Number uint64 // of an image or sampler, in its descriptor

	// Of is the resource; of an address its buffer alone.
	Of     Binding
	Offset uint64 // bytes, added to an address
}

// Reference is a kind of WriteReference.
type Reference uint8

// The kinds of references.
const (
	AddressReference Reference = iota
	BufferReference
	ViewReference // of an image or a texel buffer
	SamplerReference
	NullReference
)

// Sizes of references in bytes. Buffers and null descriptors have the size of a buffer's descriptor.
const (
	addressBytes          = 8
	bufferDescriptorBytes = 16
	otherDescriptorBytes  = 32
)

// bytes returns the size of a reference.
func (k Reference) bytes() int {
	return [...]int{addressBytes, bufferDescriptorBytes, otherDescriptorBytes, otherDescriptorBytes, bufferDescriptorBytes}[k]
}
