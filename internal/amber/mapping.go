package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/link"
)

// mappingSources are the sources of MAP, by compute.MappingSource, with the sources of package link.
var mappingSources = [...]enum.MappingSource{
	compute.HeapConstant: enum.MappingSourceHeapWithConstantOffset, compute.HeapPushIndex: enum.MappingSourceHeapWithPushIndex,
	compute.HeapIndirectIndex: enum.MappingSourceHeapWithIndirectIndex, compute.HeapData: enum.MappingSourceResourceHeapData,
	compute.PushData: enum.MappingSourcePushData, compute.PushAddress: enum.MappingSourcePushAddress,
	compute.IndirectAddress: enum.MappingSourceIndirectAddress,
}

// mapping reads MAP: the place of a resource without descriptor sets.
func (p *parser) mapping(q *Pipeline) {
	m := compute.Mapping{}
	p.keyword("DESCRIPTOR_SET")
	m.At.Set = p.uint32("a descriptor set")
	p.keyword("BINDING")
	m.At.Binding = p.uint32("a binding")
	p.keyword("AS")
	var names []string
	for _, s := range mappingSources {
		names = append(names, s.String())
	}
	m.Source = compute.MappingSource(p.oneOf("a source", names...))
	fields := map[string]*uint32{
		"HEAP_OFFSET": &m.Resource.Offset, "HEAP_INDEX_STRIDE": &m.Resource.IndexStride, "HEAP_ARRAY_STRIDE": &m.Resource.ArrayStride,
		"PUSH_OFFSET": &m.Resource.PushOffset, "ADDRESS_OFFSET": &m.Resource.AddressOffset,
		"SAMPLER_HEAP_OFFSET": &m.Sampler.Offset, "SAMPLER_HEAP_INDEX_STRIDE": &m.Sampler.IndexStride, "SAMPLER_HEAP_ARRAY_STRIDE": &m.Sampler.ArrayStride,
		"SAMPLER_PUSH_OFFSET": &m.Sampler.PushOffset, "SAMPLER_ADDRESS_OFFSET": &m.Sampler.AddressOffset,
	}
	for p.err == nil {
		w := p.lex.next()
		if w.eol {
			break
		}
		into := fields[w.text]
		if into == nil {
			p.fail(CodeWord, w.pos, "%s is nothing that MAP has", w)
			return
		}
		*into = p.uint32("a number of bytes")
	}
	if i := slices.IndexFunc(q.Mappings, func(o compute.Mapping) bool { return o.At == m.At }); i >= 0 {
		q.Mappings[i] = m
		return
	}
	q.Mappings = append(q.Mappings, m)
}

// heaped reports whether the pipeline is for descriptor heaps.
func (p *Pipeline) heaped() bool { return p.Heaps != Heaps{} || len(p.Mappings) > 0 }

// linkMappings returns the mappings as package link checks them; nil if the pipeline is not for descriptor heaps.
func (p *Pipeline) linkMappings() *[]link.Mapping {
	if !p.heaped() {
		return nil
	}
	list := []link.Mapping{}
	for _, m := range p.Mappings {
		list = append(list, link.Mapping{
			Set: m.At.Set, First: m.At.Binding, Source: mappingSources[m.Source],
			HeapOffset: uint64(m.Resource.Offset), HeapArrayStride: uint64(m.Resource.ArrayStride),
			PushOffset: uint64(m.Resource.PushOffset), AddressOffset: uint64(m.Resource.AddressOffset),
			SamplerHeapOffset: uint64(m.Sampler.Offset), SamplerHeapArrayStride: uint64(m.Sampler.ArrayStride),
			SamplerPushOffset: uint64(m.Sampler.PushOffset), SamplerAddressOffset: uint64(m.Sampler.AddressOffset),
		})
	}
	return &list
}
