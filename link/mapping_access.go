package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// accessRules are the rules of how stages reach what is mapped without a
// descriptor (Vulkan, Runtime SPIR-V Validation).
var accessRules = []Rule{
	{vuid.RuntimeSpirv_DescriptorSet_11385, "memory that is mapped without a descriptor is reached by constant indices of resources"},
	{vuid.RuntimeSpirv_source_11387, "all resources that a variable pointer may point to are mapped from one source, or have no set and binding"},
	{vuid.RuntimeSpirv_DescriptorSet_11388, "no variable pointer points to what is mapped without a descriptor"},
}

// direct are the sources that lead to memory without a descriptor.
var direct = []MappingSource{
	MappingSourcePushData, MappingSourcePushAddress, MappingSourceShaderRecordData, MappingSourceShaderRecordAddress,
	MappingSourceIndirectAddress, MappingSourceResourceHeapData,
}

// origin is a resource and where it is mapped to. Of one without a set and a
// binding, r is nil.
type origin struct {
	r      *iface.Resource
	source MappingSource
}

// mappedAccess judges how a stage reaches resources that are mapped.
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
	m := s.facts()
	if m == nil {
		return
	}
	for i := range s.instructions(m) {
		switch in := m.Code.Inst(i); in.Op() {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpCopyObject, spirv.OpFunctionCall:
		case spirv.OpSelect, spirv.OpPhi:
			if t := m.TypeOf(in.Result()); pointers && isPointer(t) {
				l.variablePointer(s, m, i, of)
			}
		default:
			l.directAccess(s, m, i, of)
		}
	}
}

// isPointer reports whether a type is one of pointers.
func isPointer(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypePointer || t.Op == spirv.OpTypeUntypedPointerKHR)
}

// directAccess judges the indices by which an instruction reaches memory that is
// mapped without a descriptor.
func (l *linker) directAccess(s *Shader, m *facts.Module, i int, of map[spirv.ID]origin) {
	in := m.Code.Inst(i)
	for w := m.Code.Walk(i); w.Next(); {
		if w.Kind != spirv.KindIdRef || !isPointer(m.TypeOf(spirv.ID(in[w.Pos]))) {
			continue
		}
		v, path := reached(m, spirv.ID(in[w.Pos]))
		o, ok := of[v]
		if !ok || !slices.Contains(direct, o.source) || constantPath(m, path[:min(len(path), len(o.r.Arrays))]) {
			continue
		}
		l.fail(vuid.RuntimeSpirv_DescriptorSet_11385, []Side{s.at(i), resourceSide(s, o.r)}, "an element of %s, which is mapped with the source %s, is taken by an index that is no constant; must be constant", o.r.Name, o.source)
	}
}

// variablePointer judges what a pointer that is chosen may point to.
func (l *linker) variablePointer(s *Shader, m *facts.Module, i int, of map[spirv.ID]origin) {
	var first *origin
	for _, o := range origins(m, i, of) {
		if o.r == nil {
			if first != nil && first.r != nil {
				l.fail(vuid.RuntimeSpirv_source_11387, []Side{s.at(i), resourceSide(s, first.r)}, "a pointer may point to %s and to a resource without set and binding; must be resources of one sort", first.r.Name)
				return
			}
			first = &o
			continue
		}
		if slices.Contains(direct, o.source) {
			l.fail(vuid.RuntimeSpirv_DescriptorSet_11388, []Side{s.at(i), resourceSide(s, o.r)}, "a pointer that is chosen may point to %s, which is mapped with the source %s; must be mapped to a descriptor", o.r.Name, o.source)
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

// maxOrigins bounds how many pointers are looked at for one that is chosen.
const maxOrigins = 256

// origins returns the resources that a pointer which is chosen may point to, as
// far as the function says.
func origins(m *facts.Module, i int, of map[spirv.ID]origin) (out []origin) {
	todo, seen := []int{i}, map[int]bool{i: true}
	for len(todo) > 0 && len(seen) < maxOrigins {
		in := m.Code.Inst(todo[0])
		todo = todo[1:]
		var from []spirv.ID
		switch in.Op() {
		case spirv.OpSelect:
			from = []spirv.ID{spirv.ID(in[4]), spirv.ID(in[5])}
		case spirv.OpPhi:
			for k := 3; k < len(in); k += 2 {
				from = append(from, spirv.ID(in[k]))
			}
		case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
			from = []spirv.ID{spirv.ID(in[3])}
		case spirv.OpBufferPointerEXT:
			out = append(out, origin{})
		}
		for _, id := range from {
			v, _ := reached(m, id)
			if o, ok := of[v]; ok {
				out = append(out, o)
			} else if k := m.Code.Def(v); k >= 0 && !seen[k] {
				seen[k] = true
				todo = append(todo, k)
			}
		}
	}
	return out
}
