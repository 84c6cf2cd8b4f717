package lower

import (
	"fmt"
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The findings on descriptors in heaps, on reference images of image processing, and on payloads of execution graphs.
var (
	beyondHeap            = finding{ir.SanitizeBounds, "VUID-vkCmdDraw-None-11309"}
	invalidDescriptor     = finding{ir.SanitizeBounds, "VUID-vkCmdDraw-None-12472"}
	wildRecord            = finding{ir.SanitizeBounds, "VUID-vkCmdTraceRaysKHR-None-11319"}
	beyondReference       = finding{ir.SanitizeBounds, "VUID-vkCmdDraw-OpImageBlockMatchSADQCOM-06976"}
	beyondReferenceWindow = finding{ir.SanitizeBounds, "VUID-vkCmdDraw-OpImageBlockMatchWindow-09217"}
	tooManyPayloads       = finding{ir.SanitizeBounds, "VUID-vkCmdDispatchGraphAMDX-NodeMaxPayloadsAMDX-09188"}
)

// checkHeapDescriptor: a descriptor at a heap address that is outside of the heap, or that is not null and has no live object of its
// kind. Handle has bytes if there is such an object.
func (f *function) checkHeapDescriptor(p *pointer, handle ir.V, kind string) {
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	f.checkBeyondHeap(p)
	at := f.offsetValue(p.offset)
	word := func(n uint64) ir.V { // 0 beyond the heap
		return f.emit(ir.Val{Op: ir.Ld, Type: ir.I32, Aux: n * 4, Args: [4]ir.V{p.handle, at}})
	}
	null := f.b.Cmp(ir.Eq, f.b.Op(ir.Or, ir.I32, word(0), word(1)), f.b.I32(0))
	absent := f.b.Cmp(ir.Eq, f.b.Op(ir.Len, ir.I32, handle), f.b.I32(0))
	f.report(invalidDescriptor, p.ifInHeap(f, f.b.Op(ir.And, ir.B1, absent, f.not(null))), "the descriptor at offset %u of the heap is neither null nor of a live "+kind, at)
}

// checkBeyondHeap: a descriptor at a heap address that is outside of the heap.
func (f *function) checkBeyondHeap(p *pointer) {
	if !f.sanitizes(ir.SanitizeBounds) || !p.heap {
		return
	}
	at, length := f.offsetValue(p.offset), f.b.Op(ir.Len, ir.I32, p.handle)
	end := f.b.Op(ir.Add, ir.I64, f.b.Op(ir.ZExt, ir.I64, at), f.b.Const(ir.I64, ir.HeapDescriptor))
	f.report(beyondHeap, p.ifInHeap(f, f.b.Cmp(ir.ULt, f.b.Op(ir.ZExt, ir.I64, length), end)), "a descriptor at offset %u, beyond the %u bytes of the descriptor heap", at, length)
}

// ifInHeap returns a condition, or false where the pointer is to an object of a binding.
func (p *pointer) ifInHeap(f *function, wrong ir.V) ir.V {
	if p.either == 0 {
		return wrong
	}
	return f.b.Op(ir.And, ir.B1, p.either, wrong)
}

// checkRecordAddress: an address in the shader record that is of no buffer. It is the start of a block, so accesses of the block are not
// reported again.
func (f *function) checkRecordAddress(p *pointer) {
	if !f.sanitizes(ir.SanitizeBounds) || isStructure(p.record.block) { // a structure is no buffer
		return
	}
	p.wild = f.b.Cmp(ir.Eq, f.b.Op(ir.Len, ir.I32, f.regionPointer(p, 1).handle), f.b.I32(0))
	f.report(wildRecord, p.wild, fmt.Sprintf("the address 0x%%lx at offset %d of the shader record is of no buffer", p.record.Offset), p.address)
}

// checkRecordObject is checkHeapDescriptor for a resource that the shader record has mapped: a buffer, or an object whose scalars are parts.
func (f *function) checkRecordObject(p *pointer, t *facts.Type, parts []ir.V) {
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	at := func(place ir.V, heap uint32) *pointer {
		n := f.bindResource(ir.Resource{Kind: ir.HeapBytes, Binding: heap, Count: 1, NonWritable: true})
		return &pointer{heap: true, handle: f.b.OpAux(ir.Res, ir.H, n, f.b.I32(0)), offset: offset{dyn: place}}
	}
	place, sampler := p.places[0], p.places[1]
	switch {
	case place == 0: // an embedded sampler
	case t.Op == spirv.OpTypeSampler:
		f.checkHeapDescriptor(at(place, ir.SamplerHeap), f.samplerHandle(image{sampler: [2]ir.V(parts)}), "sampler")
	case t.Op == spirv.OpTypeImage:
		f.checkHeapDescriptor(at(place, 0), f.part(image{typ: t, resource: parts[0], index: parts[1]}, 1), "image")
	case t.Op == spirv.OpTypeSampledImage:
		f.checkHeapDescriptor(at(place, 0), f.part(image{typ: t.Elem, resource: parts[0], index: parts[1]}, 1), "image")
		if sampler != 0 {
			f.checkHeapDescriptor(at(sampler, ir.SamplerHeap), f.samplerHandle(image{sampler: [2]ir.V(parts[2:])}), "sampler")
		}
	case t.IsStruct():
		f.checkHeapDescriptor(at(place, 0), p.handle, "buffer")
	}
}

// checkHeapObject is checkHeapDescriptor for an image or a sampler, whose resource and index are parts.
func (f *function) checkHeapObject(p *pointer, t *facts.Type, parts []ir.V) {
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	if t.Op == spirv.OpTypeSampler {
		f.checkHeapDescriptor(p, f.samplerHandle(image{sampler: [2]ir.V(parts)}), "sampler")
		return
	}
	f.checkHeapDescriptor(p, f.part(image{typ: t, resource: parts[0], index: parts[1]}, 1), "image")
}

// checkPassed is checkHeapDescriptor for a resource that is not known: a function has a pointer to it as its argument. If it is in a heap,
// the index of the descriptor is its offset in units of descriptors. Handle has bytes if there is an object.
func (f *function) checkPassed(resource, index ir.V, heap uint32, handle func() ir.V, kind string) {
	if !f.sanitizes(ir.SanitizeBounds) || f.options.Descriptors != InHeaps || len(f.options.Records) == 0 {
		return
	}
	if _, known := f.constBits(resource); known {
		return
	}
	var either ir.V
	for n := range f.prog.Res {
		if r := &f.prog.Res[n]; !r.Heap && r.Kind != ir.HeapBuffer && r.Kind != ir.HeapUniform {
			continue
		}
		same := f.b.Cmp(ir.Eq, resource, f.b.I32(uint32(n)))
		if either != 0 {
			same = f.b.Op(ir.Or, ir.B1, either, same)
		}
		either = same
	}
	if either == 0 {
		return
	}
	n := f.bindResource(ir.Resource{Kind: ir.HeapBytes, Binding: heap, Count: 1, NonWritable: true})
	at := f.b.Op(ir.Mul, ir.I32, index, f.b.I32(ir.HeapDescriptor))
	at = f.b.Select(f.b.Cmp(ir.ULt, index, f.b.I32(math.MaxUint32/ir.HeapDescriptor)), at, f.b.I32(farAway))
	p := &pointer{heap: true, either: either, handle: f.b.OpAux(ir.Res, ir.H, n, f.b.I32(0)), offset: offset{dyn: at}}
	f.checkHeapDescriptor(p, handle(), kind)
}

// descriptorRules are the findings on descriptors in memory: not valid, and outside of memory.
var descriptorRules = [...]struct{ invalid, absent finding }{
	InBuffers:       {finding{ir.SanitizeBounds, "VUID-vkCmdDraw-None-08116"}, finding{ir.SanitizeBounds, "VUID-vkCmdDraw-None-08119"}},
	InObjectBuffers: {finding{ir.SanitizeBounds, "VUID-vkCmdDraw-None-08116"}, finding{ir.SanitizeBounds, "VUID-vkCmdDraw-None-08605"}},
	InHeaps:         {invalidDescriptor, beyondHeap},
}

// checkDescriptor checks the descriptor of a binding that an instruction uses, if it is in memory.
func (f *function) checkDescriptor(resource, index ir.V) {
	if !f.sanitizes(ir.SanitizeBounds) || f.options.Descriptors == InSets {
		return
	}
	n, known := f.constBits(resource)
	if !known || n >= uint64(len(f.prog.Res)) {
		return
	}
	r := f.prog.Res[n]
	switch r.Kind {
	case ir.StorageBuffer, ir.UniformBuffer, ir.Texels, ir.SamplerState:
	default:
		return
	}
	if r.Heap {
		return
	}
	rules := &descriptorRules[f.options.Descriptors]
	faults := f.b.OpAux(ir.Res, ir.H, f.bindResource(ir.Resource{Set: r.Set, Binding: r.Binding, Sorted: r.Sorted, Kind: ir.DescriptorFaults, Count: 1, NonWritable: true}), f.b.I32(0))
	at := f.b.OpAux(ir.At, ir.I32, 4, f.b.I32(0), index)
	fault := f.emit(ir.Val{Op: ir.Ld, Type: ir.I32, Args: [4]ir.V{faults, at}})
	what := "descriptor %u of " + r.Place() + ", "
	f.report(rules.invalid, f.b.Cmp(ir.Eq, fault, f.b.I32(ir.InvalidDescriptor)), what+"is neither null nor valid", index)
	absent := f.b.Cmp(ir.Eq, fault, f.b.I32(ir.AbsentDescriptor))
	if r.Count == 0 && f.options.Descriptors == InHeaps { // the array ends at the end of the heap
		length := f.b.Op(ir.Len, ir.I32, faults)
		past := f.b.Op(ir.And, ir.B1, f.not(f.b.Cmp(ir.ULt, at, length)), f.not(f.b.Cmp(ir.Eq, length, f.b.I32(0))))
		absent = f.b.Op(ir.Or, ir.B1, absent, past)
	}
	f.report(rules.absent, absent, what+"is outside of memory", index)
}

// checkBuffer is checkDescriptor for the buffer of a pointer.
func (f *function) checkBuffer(p *pointer) {
	if p.record != nil && p.memory == inBuffer {
		f.checkRecordObject(p, p.record.block, nil)
		return
	}
	if !p.heap && !p.banked && (p.class == spirv.StorageClassStorageBuffer || p.class == spirv.StorageClassUniform) {
		parts := f.objectParts(p)
		f.checkDescriptor(parts[0], parts[1])
		f.checkPassed(parts[0], parts[1], 0, func() ir.V { return p.handle }, "buffer")
	}
}

// checkReference: coordinates outside of the reference image of a comparison of blocks, unless its sampler clamps both to the edge.
func (c *textureCall) checkReference(coordinates []ir.V) {
	f := c.f
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	rule := beyondReferenceWindow
	if c.head.Op == ir.TextureMatch {
		rule = beyondReference
	}
	shape := f.part(*c.other, 1)
	outside := f.b.Bool(false)
	for i, at := range coordinates {
		n := f.shapeWordOf(shape, ir.ShapeWidth+i)
		outside = f.b.Op(ir.Or, ir.B1, outside, f.not(f.b.Cmp(ir.ULt, at, n)))
	}
	present := f.not(f.b.Cmp(ir.Eq, f.shapeWordOf(shape, ir.ShapeWidth), f.b.I32(0))) // the null descriptor has defined results
	outside = f.b.Op(ir.And, ir.B1, outside, present)
	if c.on.sampler != [2]ir.V{} {
		const both, edges = 1<<(2*ir.SamplerAddressBits) - 1, uint32(enum.AddressModeClampToEdge)<<ir.SamplerAddressBits | uint32(enum.AddressModeClampToEdge)
		key := f.shapeWordOf(f.samplerHandle(c.on), ir.SamplerKey)
		modes := f.b.Op(ir.And, ir.I32, f.b.Op(ir.LShr, ir.I32, key, f.b.I32(ir.SamplerAddress)), f.b.I32(both))
		outside = f.b.Op(ir.And, ir.B1, outside, f.not(f.b.Cmp(ir.Eq, modes, f.b.I32(edges))))
	}
	f.report(rule, outside, "the reference coordinates (%d, %d) are outside of the reference image", coordinates...)
}

// checkPayloads: an allocation that its type of payloads has no more room for.
func (f *function) checkPayloads(count, first ir.V, o *ir.NodeOutput) {
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	refused := f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.Eq, first, f.b.I32(o.Max)), f.not(f.b.Cmp(ir.Eq, count, f.b.I32(0))))
	f.report(tooManyPayloads, refused, "%u payloads are allocated beyond the %u that NodeMaxPayloadsAMDX permits", count, f.b.I32(o.Max))
}
