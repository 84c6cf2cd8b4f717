package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// accessRules are the rules on access to resources that are mapped without a descriptor
// (Vulkan, Runtime SPIR-V Validation).
var accessRules = []Rule{
	{vuid.RuntimeSpirv_DescriptorSet_11385, "memory that is mapped without a descriptor is reached by constant indices of resources"},
	{vuid.RuntimeSpirv_source_11387, "all resources that a variable pointer may point to are mapped from one source, or have no set and binding"},
	{vuid.RuntimeSpirv_DescriptorSet_11388, "no variable pointer points to a resource that is mapped without a descriptor"},
}

// direct are the sources that lead to memory without a descriptor.
var direct = []enum.MappingSource{
	enum.MappingSourcePushData, enum.MappingSourcePushAddress, enum.MappingSourceShaderRecordData, enum.MappingSourceShaderRecordAddress,
	enum.MappingSourceIndirectAddress, enum.MappingSourceResourceHeapData,
}

// origin is a resource and its mapping. For a resource without a set and a binding, r is
// nil.
type origin struct {
	r      *iface.Resource
	source enum.MappingSource
}

// mappedAccess checks how a stage reaches resources that are mapped.
func (l *linker) mappedAccess(s *Shader, list []Mapping) {
	of, arrays := map[spirv.ID]origin{}, false
	for i := range s.Entry.Resources {
		r := &s.Entry.Resources[i]
		if k := slices.IndexFunc(list, func(m Mapping) bool { return m.of(r) }); k >= 0 && r.Used {
			of[r.ID] = origin{r, list[k].Source}
			arrays = arrays || len(r.Arrays) > 0 && slices.Contains(direct, list[k].Source)
		}
	}
	pointers := len(of) > 0 && slices.ContainsFunc(s.Entry.Capabilities, func(c spirv.Capability) bool {
		return c == spirv.CapabilityVariablePointers || c == spirv.CapabilityVariablePointersStorageBuffer
	})
	if !arrays && !pointers {
		return // before the module is read
	}
	t := s.trace()
	if t == nil {
		return
	}
	reported := map[int]bool{} // the access chains
	for i, in := range t.instructions() {
		switch in.Op() {
		case spirv.OpSelect, spirv.OpPhi:
			if pointers && isPointer(t.m.TypeOf(in.Result())) {
				l.variablePointer(s, t, i, of)
			}
		default:
			if t.accesses(in) {
				l.directAccess(s, t, i, of, reported)
			}
		}
	}
}

// accesses reports whether an instruction uses a pointer for more than a derived pointer or
// a copy.
func (t *tracer) accesses(in spirv.Inst) bool {
	switch in.Op() {
	case spirv.OpReturnValue:
		return false
	case spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		return false
	}
	from, _ := t.from(in)
	return from == nil && in.Op() != spirv.OpFunctionCall && in.Op() != spirv.OpFunctionParameter
}

// isPointer reports whether a type is one of pointers.
func isPointer(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypePointer || t.Op == spirv.OpTypeUntypedPointerKHR)
}

// directAccess checks the indices by which an instruction reaches memory that is
// mapped without a descriptor; reported are the access chains that were found to go
// by others.
func (l *linker) directAccess(s *Shader, t *tracer, i int, of map[spirv.ID]origin, reported map[int]bool) {
	in := t.m.Code.Inst(i)
	for w := t.m.Code.Walk(i); w.Next(); {
		if w.Kind != spirv.KindIdRef || !isPointer(t.m.TypeOf(spirv.ID(in[w.Pos]))) {
			continue
		}
		for _, at := range t.pointers(spirv.ID(in[w.Pos])) {
			o, ok := of[at.id]
			if !ok || at.chosen || !slices.Contains(direct, o.source) {
				continue
			}
			chain, constant := t.constant(at.path[:min(len(at.path), len(o.r.Arrays))])
			if constant || reported[chain] {
				continue
			}
			reported[chain] = true
			l.fail(vuid.RuntimeSpirv_DescriptorSet_11385, []Side{s.at(chain), resourceSide(s, o.r)}, "an index into %s, which is mapped with the source %s, is no constant; must be constant", o.r.Name, o.source)
		}
	}
}

// variablePointer checks the possible targets of a pointer that is selected at run time.
func (l *linker) variablePointer(s *Shader, t *tracer, i int, of map[spirv.ID]origin) {
	var first *origin
	for _, o := range t.origins(i, of) {
		if o.r == nil {
			if first != nil && first.r != nil {
				l.fail(vuid.RuntimeSpirv_source_11387, []Side{s.at(i), resourceSide(s, first.r)}, "a pointer may point to %s and to a resource without set and binding; must be resources of one sort", first.r.Name)
				return
			}
			first = &o
			continue
		}
		if slices.Contains(direct, o.source) {
			l.fail(vuid.RuntimeSpirv_DescriptorSet_11388, []Side{s.at(i), resourceSide(s, o.r)}, "a selected pointer may point to %s, which is mapped with the source %s; must be mapped to a descriptor", o.r.Name, o.source)
			return
		}
		switch {
		case first == nil:
			first = &o
		case first.r == nil:
			l.fail(vuid.RuntimeSpirv_source_11387, []Side{s.at(i), resourceSide(s, o.r)}, "a pointer may point to %s and to a resource without set and binding; must be resources of one sort", o.r.Name)
			return
		case first.source != o.source:
			l.fail(vuid.RuntimeSpirv_source_11387, []Side{s.at(i), resourceSide(s, first.r), resourceSide(s, o.r)}, "a pointer may point to %s, mapped with the source %s, and to %s, with %s; must be of one source", first.r.Name, first.source, o.r.Name, o.source)
			return
		}
	}
}

// origins returns the resources that a pointer which is chosen may point to.
func (t *tracer) origins(i int, of map[spirv.ID]origin) (out []origin) {
	for _, at := range t.pointers(t.m.Code.Inst(i).Result()) {
		if o, ok := of[at.id]; ok {
			out = append(out, o)
		} else if in := t.m.Code.DefInst(at.id); in.Op() == spirv.OpBufferPointerEXT {
			out = append(out, origin{})
		}
	}
	return out
}
