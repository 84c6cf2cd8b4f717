package compute

import (
	"encoding/binary"
	"iter"
	"math"
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
				if hasFaults(p, m.At) {
					a.addFaults(r, &m, images)
				}
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

// MappedAt is the place of a mapped resource.
type MappedAt struct {
	Indirect bool   // push data have the address Table of an index, of indices or of an address
	Table    uint64 // the address
	Found    bool   // memory has all that is at Table
	Address  uint64 // of the resource; the offset in its heap of the first descriptor with a heap, and 0 of several with an index each
}

// Place returns the place of a resource of a program.
func (a *Args) Place(p *ir.Program, r ir.Resource, m Mapping) (out MappedAt) {
	place, images := &m.Resource, m.combine(p)
	upper := r.Kind == ir.SamplerState && images
	if upper {
		place = &m.Sampler
	}
	push := a.pushed(&m)
	switch m.Source {
	case HeapIndirectIndex, HeapIndirectArray, IndirectAddress:
		out.Indirect = true
	}
	size, last := 4, uint64(0)
	switch q := m.indexPlace(place, upper); m.Source {
	case HeapIndirectArray:
		last = 4 * (uint64(m.First) + uint64(max(r.Count, 1)) - 1)
		fallthrough
	case HeapIndirectIndex:
		out.Table = pushAddress(push, q)
		out.Found = len(from(a.tableAt(out.Table), uint64(q.AddressOffset)+last, size)) == size
	case IndirectAddress:
		size = 8
		out.Table = pushAddress(push, q)
		b := a.tableAt(out.Table)
		out.Found = len(from(b, uint64(q.AddressOffset), size)) == size
		out.Address = word(b, uint64(q.AddressOffset), size)
	case PushAddress:
		out.Address = pushAddress(push, q)
	case HeapData:
		out.Address = uint64(q.Offset) + word(push, uint64(q.PushOffset), size)
	}
	if base, indices, ok := a.mappedBase(place, &m, upper); ok {
		switch {
		case m.Source != HeapIndirectArray:
			out.Address = base
		case r.Count == 1:
			out.Address = base + m.index(word(indices, uint64(m.indexPlace(place, upper).AddressOffset)+4*uint64(m.First), 4), place, upper)
		}
	}
	return out
}

// MappedSets returns the descriptors of the mapped resources of a program as sets. Sets of higher numbers stay.
func (a *Args) MappedSets(p *ir.Program, list []Mapping) []Set {
	b := *a
	b.Bindings, b.Inline = map[Binding][]exec.Buffer{}, map[Binding][]byte{}
	b.Images, b.Samplers, b.Faults = map[Binding][]*texture.View{}, map[Binding][]*texture.Sampler{}, map[Binding][]byte{}
	b.Map(p, list)
	sets := []Set{}
	for i := range list {
		at := list[i].At
		x := SetBinding{Number: at.Binding, Buffers: b.Bindings[at], Views: b.Images[at], Samplers: b.Samplers[at]}
		x.Inline, x.HasInline = b.Inline[at]
		x.Faults = b.Faults[at]
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
		if n := a.mappedStructure(m); r.Structure && n != nil {
			a.Inline[m.At] = n
			return
		}
		switch m.Source {
		case HeapData:
			a.Inline[m.At] = from(a.Heap, uint64(m.Resource.Offset)+word(push, uint64(m.Resource.PushOffset), 4), MaxInlineBytes)
		case PushData:
			a.Inline[m.At] = from(push, uint64(m.Resource.PushOffset), MaxPushBytes)
		case PushAddress:
			a.Bindings[m.At] = []exec.Buffer{a.AllAt(pushAddress(push, &m.Resource))}
		case IndirectAddress:
			a.Bindings[m.At] = []exec.Buffer{a.AllAt(word(a.tableAt(pushAddress(push, &m.Resource)), uint64(m.Resource.AddressOffset), 8))}
		default:
			object := a.BufferOf
			if r.Structure { // the descriptor begins with its number
				object = func(d []byte) exec.Buffer { return exec.Buffer{Bytes: d[:8]} }
			}
			a.Bindings[m.At] = mapped(a, r, a.Heap, &m.Resource, m, false, object)
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

// mappedStructure returns the bytes of the number of an acceleration structure, which is its address; nil if the mapping has a
// descriptor.
func (a *Args) mappedStructure(m *Mapping) []byte {
	switch push := a.pushed(m); m.Source {
	case PushAddress:
		return from(push, uint64(m.Resource.PushOffset), 8)
	case IndirectAddress:
		return from(a.tableAt(pushAddress(push, &m.Resource)), uint64(m.Resource.AddressOffset), 8)
	}
	return nil
}

// pushed returns the push constants that a mapping reads.
func (a *Args) pushed(m *Mapping) []byte {
	if m.Bank > 0 {
		return a.Banks[m.Bank]
	}
	return a.Push
}

// indexPlace returns the place whose offsets lead to the index of a descriptor: the samplers of combined image samplers with one index
// have that of the image.
func (m *Mapping) indexPlace(p *MappedPlace, upper bool) *MappedPlace {
	if upper && m.Combined {
		return &m.Resource
	}
	return p
}

// index returns the offset of a descriptor by its index.
func (m *Mapping) index(n uint64, p *MappedPlace, upper bool) uint64 {
	switch {
	case !m.Combined:
	case upper:
		n >>= 20
	default:
		n &= 1<<20 - 1
	}
	return n * uint64(p.IndexStride)
}

// mappedBase returns the offset of the first descriptor of a mapping in its heap, or the memory with the indices of all; ok is false if
// the mapping has no descriptors.
func (a *Args) mappedBase(p *MappedPlace, m *Mapping, upper bool) (base uint64, indices []byte, ok bool) {
	push, q := a.pushed(m), m.indexPlace(p, upper)
	base = uint64(p.Offset) + uint64(m.First)*uint64(p.ArrayStride)
	switch m.Source {
	case HeapConstant:
	case HeapPushIndex:
		base += m.index(word(push, uint64(q.PushOffset), 4), p, upper)
	case HeapIndirectIndex:
		base += m.index(word(a.tableAt(pushAddress(push, q)), uint64(q.AddressOffset), 4), p, upper)
	case HeapIndirectArray:
		indices = a.tableAt(pushAddress(push, q))
	default:
		return 0, nil, false
	}
	return base, indices, true
}

// mapped returns the objects of the descriptors in a heap, one for each element of the resource. upper reports that they are
// the samplers of combined image samplers.
func mapped[T any](a *Args, r ir.Resource, heap []byte, p *MappedPlace, m *Mapping, upper bool, object func(descriptor []byte) T) []T {
	n := m.elements(&r, heap, p)
	list := make([]T, 0, min(n, 1<<10))
	var x T
	last := uint64(math.MaxUint64) // the offset of x
	for at := range a.mappedOffsets(n, p, m, upper) {
		if at == last {
			list = append(list, x)
			continue
		}
		var null T // a descriptor outside of the heap, or at no multiple of its alignment
		if d := from(heap, at, len(heap)); len(d) >= ir.HeapDescriptor && at%ir.HeapDescriptor == 0 {
			x = object(d)
		} else if at >= uint64(len(heap)) && m.Source != HeapIndirectArray {
			break
		} else {
			x = null
		}
		last, list = at, append(list, x)
	}
	return list
}

// maxRepeated bounds the elements of an array without a size whose elements may have the same descriptor.
const maxRepeated = 1 << 16

// elements returns the number of elements of a resource that can have a descriptor in a heap. With a stride there are at most as many as
// the heap holds; without one, or with an index for each element, elements share descriptors.
func (m *Mapping) elements(r *ir.Resource, heap []byte, p *MappedPlace) int {
	n := len(heap) / ir.HeapDescriptor
	shared := p.ArrayStride == 0 || m.Source == HeapIndirectArray
	switch {
	case shared && r.Count > 0:
		return int(min(r.Count, maxFaults))
	case shared:
		return max(n, maxRepeated)
	case r.Count > 0:
		return min(n, int(r.Count))
	}
	return n
}

// mappedOffsets yields the offsets of n descriptors in their heap, or of those with indices.
func (a *Args) mappedOffsets(n int, p *MappedPlace, m *Mapping, upper bool) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		base, indices, ok := a.mappedBase(p, m, upper)
		if !ok {
			return
		}
		for i := range uint64(n) {
			at := base + i*uint64(p.ArrayStride)
			if m.Source == HeapIndirectArray {
				place := uint64(m.indexPlace(p, upper).AddressOffset) + 4*(uint64(m.First)+i)
				if place+4 > uint64(len(indices)) {
					return
				}
				at = base + m.index(word(indices, place, 4), p, upper)
			}
			if !yield(at) {
				return
			}
		}
	}
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

// tableAt returns the bytes from the address of indices or of an address on, a multiple of 4, to the end of its allocation; nil if no
// allocation holds the address.
func (a *Args) tableAt(address uint64) []byte {
	r := a.regionOf(address)
	if r == nil {
		return nil
	}
	return r.Bytes[address-r.Address:]
}

// AllAt returns the buffer from an address to the end of its allocation; null if no allocation holds the address.
func (a *Args) AllAt(address uint64) exec.Buffer {
	r := a.regionOf(address)
	if r == nil {
		return exec.Buffer{}
	}
	return a.BufferAt(address, uint64(len(r.Bytes))-(address-r.Address))
}
