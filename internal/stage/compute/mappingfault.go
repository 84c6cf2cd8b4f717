package compute

import (
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// maxFaults bounds the descriptors of a binding whose faults are known.
const maxFaults = 1 << 20

// hasFaults reports whether a program reads the faults of descriptors of a binding.
func hasFaults(p *ir.Program, at Binding) bool {
	return slices.ContainsFunc(p.Res, func(r ir.Resource) bool {
		return r.Kind == ir.DescriptorFaults && at == Binding{r.Set, r.Binding}
	})
}

// addFaults adds the faults of the descriptors of a mapped resource. An image and a sampler at one binding share the words.
func (a *Args) addFaults(r ir.Resource, m *Mapping, combined bool) {
	heap, place, upper := a.Heap, &m.Resource, false
	valid := func(d []byte) bool { return a.BufferOf(d).Bytes != nil }
	switch r.Kind {
	case ir.Texels:
		valid = func(d []byte) bool { return a.heapView(d) != nil }
	case ir.SamplerState:
		if m.Embedded != nil {
			return
		}
		if heap, upper = a.SamplerHeap, combined; combined {
			place = &m.Sampler
		}
		valid = func(d []byte) bool { return a.heapSampler(d) != nil }
	case ir.StorageBuffer, ir.UniformBuffer:
		if r.Structure {
			return
		}
	default:
		return
	}
	n := m.elements(&r, heap, place)
	if r.Count > 0 {
		n = int(r.Count)
	}
	n = min(n, maxFaults)
	var out []byte
	for at := range a.mappedOffsets(n, place, m, upper) {
		fault, d := uint32(0), from(heap, at, ir.HeapDescriptor)
		switch {
		case len(d) < ir.HeapDescriptor && r.Count == 0 && m.Source != HeapIndirectArray: // the end of the array
			a.setFaults(m.At, out)
			return
		case len(d) < ir.HeapDescriptor:
			fault = ir.AbsentDescriptor
		case word(d, 0, 8) != 0 && !valid(from(heap, at, len(heap))):
			fault = ir.InvalidDescriptor
		}
		out = binary.LittleEndian.AppendUint32(out, fault)
	}
	a.setFaults(m.At, out)
}

// setFaults adds faults to those of a binding.
func (a *Args) setFaults(at Binding, list []byte) {
	if a.Faults == nil {
		a.Faults = map[Binding][]byte{}
	}
	old := a.Faults[at]
	for i := 0; i < min(len(old), len(list)); i += 4 {
		if word(list, uint64(i), 4) == 0 {
			copy(list[i:], old[i:i+4])
		}
	}
	if len(list) < len(old) {
		list = append(list, old[len(list):]...)
	}
	a.Faults[at] = list
}
