package compute

import (
	"encoding/binary"
	"slices"

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

	// Combined reports that one index of 32 bits has the index of the resource in the lower 20 bits and that of the sampler
	// in the others, if the resource is a combined image sampler.
	Combined bool

	First    uint32            // the index of the first element: bindings before this one have the elements before it
	Kinds    []ir.ResourceKind // of the resources; nil is all
	Embedded *texture.Sampler  // not nil, the sampler itself
	Bank     uint32            // of the push constants that the mapping reads
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
	HeapIndirectArray                      // a heap, at an index for each element in memory, whose address is in the push constants
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
		m := list[i]
		images := m.combine(p)
		for _, r := range p.Res {
			if m.At == (Binding{r.Set, r.Binding}) && !r.Heap && (m.Kinds == nil || slices.Contains(m.Kinds, r.Kind)) {
				a.mapResource(r, &m, images)
			}
		}
	}
}

// combine makes m the mapping of the resources of a program, and reports whether they have an image.
func (m *Mapping) combine(p *ir.Program) (images bool) {
	var samplers bool
	for _, r := range p.Res {
		here := !r.Heap && m.At == Binding{r.Set, r.Binding}
		images, samplers = images || here && r.Kind == ir.Texels, samplers || here && r.Kind == ir.SamplerState
	}
	m.Combined = m.Combined && images && samplers
	return images
}

// MappedDescriptor returns the memory of the only descriptor of a resource of a program, and of the rest of its heap; nil if the
// mapping has no descriptor in a heap.
func (a *Args) MappedDescriptor(p *ir.Program, r ir.Resource, m Mapping) []byte {
	images := m.combine(p)
	heap, place, upper := a.Heap, &m.Resource, false
	if r.Kind == ir.SamplerState {
		heap, upper = a.SamplerHeap, images
		if images {
			place = &m.Sampler
		}
	}
	list := mapped(a, r, heap, place, &m, upper, func(d []byte) []byte { return d })
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// MappedSets returns the descriptors of the mapped resources of a program as sets. Sets of higher numbers stay.
func (a *Args) MappedSets(p *ir.Program, list []Mapping) []Set {
	b := *a
	b.Bindings, b.Inline = map[Binding][]exec.Buffer{}, map[Binding][]byte{}
	b.Images, b.Samplers = map[Binding][]*texture.View{}, map[Binding][]*texture.Sampler{}
	b.Map(p, list)
	sets := []Set{}
	for i := range list {
		at := list[i].At
		x := SetBinding{Number: at.Binding, Buffers: b.Bindings[at], Views: b.Images[at], Samplers: b.Samplers[at]}
		x.Inline, x.HasInline = b.Inline[at]
		for uint64(len(sets)) <= uint64(at.Set) {
			sets = append(sets, nil)
		}
		set := &sets[at.Set]
		if at, found := set.search(x.Number); !found {
			*set = slices.Insert(*set, at, x)
		}
	}
	if n := len(sets); n < len(a.Sets) {
		sets = append(sets, a.Sets[n:]...)
	}
	return sets
}

// mapResource adds the descriptors of one resource. combined reports that samplers belong to images.
func (a *Args) mapResource(r ir.Resource, m *Mapping, combined bool) {
	push := a.pushed(m)
	switch r.Kind {
	case ir.UniformBuffer, ir.StorageBuffer:
		switch m.Source {
		case HeapData:
			a.Inline[m.At] = from(a.Heap, uint64(m.Resource.Offset)+word(push, uint64(m.Resource.PushOffset), 4), MaxInlineBytes)
		case PushData:
			a.Inline[m.At] = from(push, uint64(m.Resource.PushOffset), MaxPushBytes)
		case PushAddress:
			a.Bindings[m.At] = []exec.Buffer{a.AllAt(pushAddress(push, &m.Resource))}
		case IndirectAddress:
			a.Bindings[m.At] = []exec.Buffer{a.AllAt(word(a.AllAt(pushAddress(push, &m.Resource)).Bytes, uint64(m.Resource.AddressOffset), 8))}
		default:
			a.Bindings[m.At] = mapped(a, r, a.Heap, &m.Resource, m, false, a.BufferOf)
		}
	case ir.Texels:
		a.Images[m.At] = mapped(a, r, a.Heap, &m.Resource, m, false, a.heapView)
	case ir.SamplerState:
		place := &m.Resource
		if combined {
			place = &m.Sampler
		}
		if m.Embedded != nil {
			a.Samplers[m.At] = []*texture.Sampler{m.Embedded}
			return
		}
		a.Samplers[m.At] = mapped(a, r, a.SamplerHeap, place, m, combined, a.heapSampler)
	}
}

// pushed returns the push constants that a mapping reads.
func (a *Args) pushed(m *Mapping) []byte {
	if m.Bank > 0 {
		return a.Banks[m.Bank]
	}
	return a.Push
}

// mapped returns the objects of the descriptors in a heap, one for each element of the resource. upper reports that they are
// the samplers of combined image samplers.
func mapped[T any](a *Args, r ir.Resource, heap []byte, p *MappedPlace, m *Mapping, upper bool, object func(descriptor []byte) T) []T {
	push := a.pushed(m)
	if upper && m.Combined { // the index is where that of the image is
		q := m.Resource
		q.Offset, q.IndexStride, q.ArrayStride = p.Offset, p.IndexStride, p.ArrayStride
		p = &q
	}
	index := func(n uint64) uint64 {
		switch {
		case !m.Combined:
		case upper:
			n >>= 20
		default:
			n &= 1<<20 - 1
		}
		return n * uint64(p.IndexStride)
	}
	base, indices := uint64(p.Offset)+uint64(m.First)*uint64(p.ArrayStride), []byte(nil)
	switch m.Source {
	case HeapConstant:
	case HeapPushIndex:
		base += index(word(push, uint64(p.PushOffset), 4))
	case HeapIndirectIndex:
		base += index(word(a.AllAt(pushAddress(push, p)).Bytes, uint64(p.AddressOffset), 4))
	case HeapIndirectArray:
		indices = a.AllAt(pushAddress(push, p)).Bytes
	default: // no descriptors
		return nil
	}
	n := len(heap) / ir.HeapDescriptor // at most as many are different
	if r.Count > 0 {
		n = min(n, int(r.Count))
	}
	list := make([]T, 0, min(n, 1<<10))
	for i := range uint64(n) {
		at := base + i*uint64(p.ArrayStride)
		if m.Source == HeapIndirectArray {
			place := uint64(p.AddressOffset) + 4*(uint64(m.First)+i)
			if place+4 > uint64(len(indices)) {
				break
			}
			at = base + index(word(indices, place, 4))
		}
		var x T // a descriptor outside of the heap, or at no multiple of its alignment, is null
		if d := from(heap, at, len(heap)); len(d) >= ir.HeapDescriptor && at%ir.HeapDescriptor == 0 {
			x = object(d)
		} else if at >= uint64(len(heap)) && m.Source != HeapIndirectArray {
			break
		}
		list = append(list, x)
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

// pushAddress returns the address in push constants.
func pushAddress(push []byte, p *MappedPlace) uint64 { return word(push, uint64(p.PushOffset), 8) }

// AllAt returns the buffer from an address to the end of its allocation; null if no allocation holds the address.
func (a *Args) AllAt(address uint64) exec.Buffer {
	r := a.regionOf(address)
	if r == nil {
		return exec.Buffer{}
	}
	return a.BufferAt(address, uint64(len(r.Bytes))-(address-r.Address))
}
