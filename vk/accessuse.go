package vk

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// matchUse is a comparison of blocks: the samplers of its sampled images, nil if they are elements of arrays or not known.
type matchUse struct {
	program           *ir.Program
	op                spirv.Op
	target, reference *ir.Resource
}

// inWindow reports whether the comparison is OpImageBlockMatchWindow*QCOM or OpImageBlockMatchGather*QCOM, and searches whether it is
// the former.
func (m *matchUse) inWindow() (in, searches bool) {
	switch m.op {
	case spirv.OpImageBlockMatchWindowSSDQCOM, spirv.OpImageBlockMatchWindowSADQCOM:
		return true, true
	case spirv.OpImageBlockMatchGatherSSDQCOM, spirv.OpImageBlockMatchGatherSADQCOM:
		return true, false
	}
	return false, false
}

// addMatches adds the comparisons of blocks of an entry point.
func (u *uses) addMatches(s *shader.Stage, f *facts.Module, e *facts.EntryPoint) {
	if !f.Capable(spirv.CapabilityTextureBlockMatchQCOM) && !f.Capable(spirv.CapabilityTextureBlockMatch2QCOM) {
		return
	}
	samplerOf := func(sampled spirv.ID) *ir.Resource {
		if in := f.Inst(sampled); in != nil && in.Op() == spirv.OpSampledImage {
			sampled = inst.SampledImage(in).Sampler()
		}
		return resourceOf(s, f, variableOf(f, sampled), ir.SamplerState)
	}
	for in := range instructions(f, e) {
		switch in.Op() {
		case spirv.OpImageBlockMatchSSDQCOM, spirv.OpImageBlockMatchSADQCOM,
			spirv.OpImageBlockMatchWindowSSDQCOM, spirv.OpImageBlockMatchWindowSADQCOM,
			spirv.OpImageBlockMatchGatherSSDQCOM, spirv.OpImageBlockMatchGatherSADQCOM:
			v := inst.ImageBlockMatchSSDQCOM(in) // all have the same operands
			u.matches = append(u.matches, matchUse{s.Program, in.Op(), samplerOf(v.Target()), samplerOf(v.Reference())})
		}
	}
}

// addMatrices adds the buffers of the loads and stores of cooperative matrices.
func (u *uses) addMatrices(s *shader.Stage, f *facts.Module, e *facts.EntryPoint) {
	if !f.Capable(spirv.CapabilityCooperativeMatrixKHR) && !f.Capable(spirv.CapabilityCooperativeMatrixNV) {
		return
	}
	for in := range instructions(f, e) {
		var pointer spirv.ID
		switch in.Op() {
		case spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixLoadNV, spirv.OpCooperativeMatrixLoadTensorNV:
			pointer = inst.CooperativeMatrixLoadKHR(in).Pointer()
		case spirv.OpCooperativeMatrixStoreKHR, spirv.OpCooperativeMatrixStoreNV, spirv.OpCooperativeMatrixStoreTensorNV:
			pointer = inst.CooperativeMatrixStoreKHR(in).Pointer()
		default:
			continue
		}
		v := variableOf(f, pointer)
		for _, kind := range [...]ir.ResourceKind{ir.StorageBuffer, ir.UniformBuffer} {
			if r := resourceOf(s, f, v, kind); r != nil {
				u.matrices = append(u.matrices, resourceUse{s.Program, r})
			}
		}
	}
}

// resourceOf returns the resource of a variable in a program: a single descriptor. It is nil if there is none.
func resourceOf(s *shader.Stage, f *facts.Module, variable spirv.ID, kind ir.ResourceKind) *ir.Resource {
	set, _ := f.Decoration(variable, spirv.DecorationDescriptorSet)
	binding, _ := f.Decoration(variable, spirv.DecorationBinding)
	if len(set.Operands) == 0 || len(binding.Operands) == 0 {
		return nil
	}
	v := f.Variable(variable)
	if v == nil {
		return nil
	}
	for i := range s.Program.Res {
		r := &s.Program.Res[i]
		number, sort := r.Number()
		if r.Kind == kind && r.Set == set.Operands[0] && number == binding.Operands[0] && (!r.Sorted || sort == lower.Sort(f, v)) && r.Count == 1 && !r.Heap {
			return r
		}
	}
	return nil
}

// heapUse is a descriptor at a constant offset in a heap, and the type with which an instruction reads it: an image or a sampler, or
// the pointer of OpBufferPointerEXT.
type heapUse struct {
	stage   ir.Stage
	op      spirv.Op // OpLoad, OpBufferPointerEXT, OpImageTexelPointer
	typ     *facts.Type
	offset  uint64
	uniform bool // OpBufferPointerEXT of a uniform buffer
}

// addHeaps adds the descriptors that an entry point reads from heaps at constant offsets.
func (u *uses) addHeaps(stage ir.Stage, f *facts.Module, e *facts.EntryPoint) {
	if !f.Capable(spirv.CapabilityDescriptorHeapEXT) {
		return
	}
	for in := range instructions(f, e) {
		x := heapUse{stage: stage, op: in.Op()}
		var pointer spirv.ID
		switch in.Op() {
		case spirv.OpLoad:
			pointer, x.typ = inst.Load(in).Pointer(), f.Type(in.Type())
			if x.typ == nil || x.typ.Op != spirv.OpTypeImage && x.typ.Op != spirv.OpTypeSampler {
				continue
			}
		case spirv.OpBufferPointerEXT:
			pointer, x.typ = inst.BufferPointerEXT(in).Buffer(), f.Type(in.Type())
			block := x.typ != nil && x.typ.Elem != nil && f.Has(x.typ.Elem.ID, spirv.DecorationBufferBlock)
			x.uniform = x.typ != nil && x.typ.Storage == spirv.StorageClassUniform && !block
		case spirv.OpUntypedImageTexelPointerEXT:
			v := inst.UntypedImageTexelPointerEXT(in)
			x.op, pointer, x.typ = spirv.OpImageTexelPointer, v.Image(), f.Type(v.ImageType())
		default:
			continue
		}
		var ok bool
		if x.offset, ok = heapOffset(f, pointer); ok && x.typ != nil {
			u.heaps = append(u.heaps, x)
		}
	}
}

// heapOffset returns the offset of a pointer in its heap; ok is false if it is not constant, or the pointer is into no heap.
func heapOffset(f *facts.Module, pointer spirv.ID) (offset uint64, ok bool) {
	for range 8 {
		in := f.Inst(pointer)
		if in == nil {
			return 0, false
		}
		switch in.Op() {
		case spirv.OpVariable, spirv.OpUntypedVariableKHR:
			b, ok := f.BuiltIn(pointer)
			return offset, ok && (b == spirv.BuiltInResourceHeapEXT || b == spirv.BuiltInSamplerHeapEXT)
		case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
			v := inst.UntypedAccessChainKHR(in)
			t := f.Type(v.BaseType())
			for _, id := range v.Indexes() {
				var step uint64
				if step, t, ok = elementOffset(f, t, id); !ok {
					return 0, false
				}
				offset += step
			}
			pointer = v.Base()
		default:
			return 0, false
		}
	}
	return 0, false
}

// elementOffset returns the offset of an element of an array or a struct, and its type; ok is false if it is not known.
func elementOffset(f *facts.Module, t *facts.Type, index spirv.ID) (offset uint64, element *facts.Type, ok bool) {
	known := func(id spirv.ID) (uint64, bool) {
		c := f.Const(id)
		if c == nil || !c.Known || !c.Type.IsInt() || c.Bits >= 1<<31 {
			return 0, false
		}
		return c.Bits, true
	}
	n, ok := known(index)
	switch {
	case !ok || t == nil:
		return 0, nil, false
	case t.IsStruct() && n < uint64(len(t.Members)):
		m := &t.Members[n]
		if m.HasOffset {
			return uint64(m.Offset), m.Type, true
		}
		d, _ := f.MemberDecoration(t.ID, int(n), spirv.DecorationOffsetIdEXT)
		if len(d.Operands) == 0 {
			return 0, nil, false
		}
		offset, ok = known(spirv.ID(d.Operands[0]))
		return offset, m.Type, ok
	case !t.IsArray():
		return 0, nil, false
	case t.ArrayStride != 0:
		return n * uint64(t.ArrayStride), t.Elem, true
	}
	d, _ := f.Decoration(t.ID, spirv.DecorationArrayStrideIdEXT)
	if len(d.Operands) == 0 {
		return 0, t.Elem, n == 0
	}
	stride, ok := known(spirv.ID(d.Operands[0]))
	return n * stride, t.Elem, ok
}
