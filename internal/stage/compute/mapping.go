package compute

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Mapping is the location of the resources of a set and binding without descriptor sets
// (VkDescriptorSetAndBindingMappingEXT, of one binding).
type Mapping struct {
	At     Binding
	Source MappingSource

	// Resource is the place of the resource, Sampler the place of the sampler of a combined image sampler.
	Resource, Sampler MappedPlace
}

// MappingSource is a source of a mapping (VkDescriptorMappingSourceEXT).
type MappingSource uint8

// The sources.
const (
	HeapConstant      MappingSource = iota // a heap, at an offset
	HeapPushIndex                          // a heap, at an index in the push constants
	HeapIndirectIndex                      // a heap, at an index in memory, whose address is in the push constants
	HeapData                               // the bytes of the heap of resources
	PushData                               // the bytes of the push constants
	PushAddress                            // memory whose address is in the push constants
	IndirectAddress                        // memory whose address is in memory whose address is in the push constants
)

// MappedPlace has the offsets and strides of a mapping in bytes; its source determines which are in use. Descriptor i is
// in the heap at Offset + index · IndexStride + i · ArrayStride.
type MappedPlace struct {
	Offset, IndexStride, ArrayStride uint32
	PushOffset                       uint32 // of an index, of data, or of an address
	AddressOffset                    uint32 // of an index or an address in memory
}

// Map adds the descriptors of the mapped resources of a program. A place outside of its heap, of the push constants
// or of all memory is the null descriptor or has no bytes.
func (a *Args) Map(p *ir.Program, list []Mapping) {
	for i := range list {
		m := &list[i]
		combined := false
		for _, r := range p.Res {
			combined = combined || !r.Heap && r.Kind == ir.Texels && m.At == Binding{r.Set, r.Binding}
		}
		for _, r := range p.Res {
			if m.At == (Binding{r.Set, r.Binding}) && !r.Heap {
				a.mapResource(r, m, combined)
			}
		}
	}
}

// mapResource adds the descriptors of one resource. combined reports that samplers belong to images.
func (a *Args) mapResource(r ir.Resource, m *Mapping, combined bool) {
	switch r.Kind {
	case ir.UniformBuffer, ir.StorageBuffer:
		switch m.Source {
		case HeapData:
			a.Inline[m.At] = from(a.Heap, uint64(m.Resource.Offset), MaxInlineBytes)
		case PushData:
			a.Inline[m.At] = from(a.Push, uint64(m.Resource.PushOffset), MaxPushBytes)
		case PushAddress:
			a.Bindings[m.At] = []exec.Buffer{a.allAt(a.pushAddress(&m.Resource))}
		case IndirectAddress:
			a.Bindings[m.At] = []exec.Buffer{a.allAt(word(a.allAt(a.pushAddress(&m.Resource)).Bytes, uint64(m.Resource.AddressOffset), 8))}
		default:
			a.Bindings[m.At] = mapped(a, r, a.Heap, &m.Resource, m.Source, func(d []byte) exec.Buffer {
				return a.bufferAt(binary.LittleEndian.Uint64(d), binary.LittleEndian.Uint64(d[8:]))
			})
		}
	case ir.Texels:
		a.Images[m.At] = mapped(a, r, a.Heap, &m.Resource, m.Source, func(d []byte) *texture.View { return numberedIn(d, a.HeapImages) })
	case ir.SamplerState:
		place := &m.Resource
		if combined {
			place = &m.Sampler
		}
		a.Samplers[m.At] = mapped(a, r, a.SamplerHeap, place, m.Source, func(d []byte) *texture.Sampler { return numberedIn(d, a.HeapSamplers) })
	}
}

// mapped returns the objects of the descriptors in a heap, one for each element of the resource.
func mapped[T any](a *Args, r ir.Resource, heap []byte, m *MappedPlace, source MappingSource, object func(descriptor []byte) T) []T {
	at := uint64(m.Offset)
	switch source {
	case HeapConstant:
	case HeapPushIndex:
		at += word(a.Push, uint64(m.PushOffset), 4) * uint64(m.IndexStride)
	case HeapIndirectIndex:
		at += word(a.allAt(a.pushAddress(m)).Bytes, uint64(m.AddressOffset), 4) * uint64(m.IndexStride)
	default: // no descriptors
		return nil
	}
	n := len(heap) / ir.HeapDescriptor // at most as many are different
	if r.Count > 0 {
		n = min(n, int(r.Count))
	}
	list := make([]T, 0, min(n, 1<<10))
	for range n {
		var x T // a descriptor outside of the heap, or at no multiple of its alignment, is null
		if d := from(heap, at, ir.HeapDescriptor); len(d) == ir.HeapDescriptor && at%ir.HeapDescriptor == 0 {
			x = object(d)
		} else if at >= uint64(len(heap)) {
			break
		}
		list = append(list, x)
		at += uint64(m.ArrayStride)
	}
	return list
}

// from returns at most n bytes from an offset on; nil if it is outside.
func from(b []byte, offset uint64, n int) []byte {
	if offset >= uint64(len(b)) {
		return nil
	}
	return b[offset:][:min(n, len(b)-int(offset))]
}

// word returns a number of n bytes at an offset; 0 if it is not inside.
func word(b []byte, offset uint64, n int) uint64 {
	w := from(b, offset, n)
	switch {
	case len(w) < n:
		return 0
	case n == 4:
		return uint64(binary.LittleEndian.Uint32(w))
	}
	return binary.LittleEndian.Uint64(w)
}

// pushAddress returns the address in the push constants.
func (a *Args) pushAddress(m *MappedPlace) uint64 { return word(a.Push, uint64(m.PushOffset), 8) }

// allAt returns the buffer from an address to the end of its allocation; null if no allocation holds the address.
func (a *Args) allAt(address uint64) exec.Buffer {
	r := a.regionOf(address)
	if r == nil {
		return exec.Buffer{}
	}
	return a.bufferAt(address, uint64(len(r.Bytes))-(address-r.Address))
}
