package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/link"
)

// Mapping is the place of the resources of bindings in descriptor heaps, push data or memory
// (VkDescriptorSetAndBindingMappingEXT).
type Mapping struct {
	link.Mapping

	IndexStride, SamplerIndexStride uint32 // bytes
	SamplerRecordOffset             uint32 // in the shader record, of the index of the sampler of a combined image sampler

	// Embedded is the sampler of the mapping itself; nil if it is in a heap.
	Embedded *SamplerInfo
}

// mappingSources are the sources of package compute.
var mappingSources = map[enum.MappingSource]compute.MappingSource{
	enum.MappingSourceHeapWithConstantOffset: compute.HeapConstant, enum.MappingSourceHeapWithPushIndex: compute.HeapPushIndex,
	enum.MappingSourceHeapWithIndirectIndex: compute.HeapIndirectIndex, enum.MappingSourceHeapWithIndirectIndexArray: compute.HeapIndirectArray,
	enum.MappingSourceResourceHeapData: compute.HeapData, enum.MappingSourcePushData: compute.PushData,
	enum.MappingSourcePushAddress: compute.PushAddress, enum.MappingSourceIndirectAddress: compute.IndirectAddress,
	enum.MappingSourceHeapWithShaderRecordIndex: compute.HeapConstant, // the program reads the record: only embedded samplers are left
}

// recordSources are the sources of package lower.
var recordSources = map[enum.MappingSource]lower.RecordSource{
	enum.MappingSourceHeapWithShaderRecordIndex: lower.RecordIndex, enum.MappingSourceShaderRecordData: lower.RecordData,
	enum.MappingSourceShaderRecordAddress: lower.RecordAddress,
}

// recordMappings returns mappings for the lowering of a stage; nil if none is by the shader record.
func recordMappings(list []Mapping) (out []lower.RecordMapping) {
	if !slices.ContainsFunc(list, func(m Mapping) bool { return recordSources[m.Source] != lower.NoRecord }) {
		return nil
	}
	for i := range list {
		m := &list[i]
		x := lower.RecordMapping{
			Set: m.Set, First: m.First, Count: 1, Types: enum.ResourceTypesAll, Source: recordSources[m.Source],
			Offset: uint32(m.RecordOffset), Resource: lower.RecordHeap{Offset: uint32(m.HeapOffset), IndexStride: m.IndexStride, ArrayStride: uint32(m.HeapArrayStride)},
			SamplerOffset: m.SamplerRecordOffset, Sampler: lower.RecordHeap{Offset: uint32(m.SamplerHeapOffset), IndexStride: m.SamplerIndexStride, ArrayStride: uint32(m.SamplerHeapArrayStride)},
			Combined: m.CombinedIndex, EmbeddedSampler: m.Embedded != nil,
		}
		if m.Count != nil {
			x.Count = *m.Count
		}
		if m.Resources != nil {
			x.Types = *m.Resources
		}
		out = append(out, x)
	}
	return out
}

// linkMappings returns mappings as package link checks them; nil if there are none.
func linkMappings(list []Mapping) *[]link.Mapping {
	if list == nil {
		return nil
	}
	out := []link.Mapping{}
	for i := range list {
		m := list[i].Mapping
		if list[i].Embedded != nil && m.Sampler == nil {
			m.Sampler = &link.EmbeddedSampler{}
		}
		out = append(out, m)
	}
	return &out
}

// mapped is a place of resources that a program has.
type mapped struct {
	at     compute.Binding
	number uint32 // of the binding in the shader
	kinds  []ir.ResourceKind
	types  enum.ResourceTypes
	also   enum.ResourceTypes // types of mappings that a place without a mapping of its types has
}

// mappedPlaces returns the places of a program.
func mappedPlaces(p *ir.Program) (out []mapped) {
	for _, r := range p.Res {
		if r.Heap {
			continue
		}
		x := mapped{at: compute.Binding{Set: r.Set, Binding: r.Binding}, kinds: []ir.ResourceKind{r.Kind}}
		var sort uint32
		x.number, sort = r.Number()
		if x.types, x.also = lower.MappedTypes(r.Kind, sort, r.Structure); x.types == 0 {
			continue
		}
		out = append(out, x)
	}
	return out
}

// mappings returns the mappings of the resources of a program.
func (d *Device) mappings(list []Mapping, p *ir.Program) (out []compute.Mapping, err error) {
	places := mappedPlaces(p)
	for k := range places {
		r := &places[k]
		if !slices.ContainsFunc(list, func(m Mapping) bool { return m.has(r) }) {
			r.types |= r.also
		}
	}
	out = []compute.Mapping{}
	for i := range list {
		m := &list[i]
		source, ok := mappingSources[m.Source]
		switch {
		case recordSources[m.Source] != lower.NoRecord && m.Embedded == nil:
			continue
		case !ok:
			return nil, &UnsupportedError{Feature: "mappings with the source " + m.Source.String()}
		}
		x := compute.Mapping{Source: source, Combined: m.CombinedIndex}
		if m.Bank != nil {
			x.Bank = *m.Bank
		}
		if m.Embedded != nil {
			s, err := d.NewSampler(*m.Embedded)
			if err != nil {
				return nil, err
			}
			x.Embedded = s.sampler
			s.Close()
		}
		x.Resource = compute.MappedPlace{Offset: uint32(m.HeapOffset), IndexStride: m.IndexStride, ArrayStride: uint32(m.HeapArrayStride), PushOffset: uint32(m.PushOffset), AddressOffset: uint32(m.AddressOffset)}
		x.Sampler = compute.MappedPlace{Offset: uint32(m.SamplerHeapOffset), IndexStride: m.SamplerIndexStride, ArrayStride: uint32(m.SamplerHeapArrayStride), PushOffset: uint32(m.SamplerPushOffset), AddressOffset: uint32(m.SamplerAddressOffset)}
		for k := range places {
			if r := &places[k]; m.has(r) {
				x.At, x.Kinds, x.First = r.at, r.kinds, r.number-m.First
				out = append(out, x)
			}
		}
	}
	return slices.Clip(out), nil
}

// has reports whether a mapping is of a place.
func (m *Mapping) has(r *mapped) bool {
	count := uint64(1)
	if m.Count != nil {
		count = uint64(*m.Count)
	}
	return r.at.Set == m.Set && r.number >= m.First && uint64(r.number) < uint64(m.First)+count && (m.Resources == nil || *m.Resources&r.types != 0)
}

// heaps reports whether the pipeline is for descriptor heaps.
func (c *Creation) heaps() bool { return c.Flags&enum.PipelineFlagsDescriptorHeap != 0 }

// layoutOf returns the layout of a pipeline or a shader object: an empty one if it is for descriptor heaps, which by rule have
// none.
func layoutOf(d *Device, l *PipelineLayout, heaps bool, rule string) (*PipelineLayout, error) {
	if !heaps {
		return l, check(d, "the layout", l)
	}
	if l != nil {
		return nil, usage(rule, "a pipeline or a shader object for descriptor heaps has a layout; must have none")
	}
	return &PipelineLayout{}, nil
}

// stageSets adds the descriptors of mapped resources to the arguments of a draw.
func (p *drawable) stageSets(a *compute.Args) {
	if p.mappings == nil {
		return
	}
	a.StageSets = map[ir.Stage][]compute.Set{}
	for _, s := range p.stages {
		a.StageSets[s.Program.Stage] = a.MappedSets(s.Program, p.mappings[s.Program.Stage])
	}
}

// addMappings adds the mappings of a stage of a pipeline for descriptor heaps.
func (p *drawable) addMappings(d *Device, list []Mapping, program *ir.Program) (err error) {
	if p.mappings == nil {
		p.mappings = map[ir.Stage][]compute.Mapping{}
	}
	p.mappings[program.Stage], err = d.mappings(list, program)
	return err
}
