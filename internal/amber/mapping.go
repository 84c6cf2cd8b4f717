package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// mappingSources are the sources of MAP.
var mappingSources = []enum.MappingSource{
	enum.MappingSourceHeapWithConstantOffset, enum.MappingSourceHeapWithPushIndex, enum.MappingSourceHeapWithIndirectIndex,
	enum.MappingSourceHeapWithIndirectIndexArray,
	enum.MappingSourceResourceHeapData, enum.MappingSourcePushData, enum.MappingSourcePushAddress, enum.MappingSourceIndirectAddress,
}

// mapping reads MAP: the place of a resource without descriptor sets.
func (p *parser) mapping(q *Pipeline) {
	m := vk.Mapping{}
	p.keyword("DESCRIPTOR_SET")
	m.Set = p.uint32("a descriptor set")
	p.keyword("BINDING")
	m.First = p.uint32("a binding")
	p.keyword("AS")
	var names []string
	for _, s := range mappingSources {
		names = append(names, s.String())
	}
	m.Source = mappingSources[p.oneOf("a source", names...)]
	fields := map[string]*uint64{
		"HEAP_OFFSET": &m.HeapOffset, "HEAP_ARRAY_STRIDE": &m.HeapArrayStride, "PUSH_OFFSET": &m.PushOffset, "ADDRESS_OFFSET": &m.AddressOffset,
		"SAMPLER_HEAP_OFFSET": &m.SamplerHeapOffset, "SAMPLER_HEAP_ARRAY_STRIDE": &m.SamplerHeapArrayStride,
		"SAMPLER_PUSH_OFFSET": &m.SamplerPushOffset, "SAMPLER_ADDRESS_OFFSET": &m.SamplerAddressOffset,
	}
	strides := map[string]*uint32{"HEAP_INDEX_STRIDE": &m.IndexStride, "SAMPLER_HEAP_INDEX_STRIDE": &m.SamplerIndexStride}
	for p.err == nil {
		w := p.lex.next()
		if w.eol {
			break
		}
		into, stride := fields[w.text], strides[w.text]
		switch {
		case into != nil:
			*into = uint64(p.uint32("a number of bytes"))
		case stride != nil:
			*stride = p.uint32("a number of bytes")
		case w.text == "COMBINED_INDEX":
			m.CombinedIndex = true
		default:
			p.fail(CodeWord, w.pos, "%s is nothing that MAP has", w)
			return
		}
	}
	if i := slices.IndexFunc(q.Mappings, func(o vk.Mapping) bool { return o.Set == m.Set && o.First == m.First }); i >= 0 {
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
		list = append(list, m.Mapping)
	}
	return &list
}
