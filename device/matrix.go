package device

import (
	"fmt"
	"maps"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// matrixLists are the structs of the lists that queries of a device return. In a file, such a
// struct among the properties has an array of objects. vulkaninfo does not write them.
var matrixLists = map[string]valid.MatrixList{
	"VkCooperativeMatrixPropertiesKHR":                  valid.MatricesKHR,
	"VkCooperativeMatrixPropertiesNV":                   valid.MatricesNV,
	"VkCooperativeMatrixFlexibleDimensionsPropertiesNV": valid.MatricesFlexible,
	"VkCooperativeMatrixProperties2EXT":                 valid.MatricesEXT,
}

// vectorList is the struct of the list of products with cooperative vectors.
const vectorList = "VkCooperativeVectorPropertiesNV"

// isList reports whether a struct of properties is a list.
func isList(name string) bool {
	_, ok := matrixLists[name]
	return ok || name == vectorList
}

// cooperative reads a list.
func (r *reader) cooperative(b *block, path, name string, v any) {
	list, matrix := matrixLists[name]
	if matrix {
		b.matrices[list] = []valid.MatrixShape{}
	} else if b.vectors == nil {
		b.vectors = []valid.VectorProduct{}
	}
	for i, e := range r.list(path, v) {
		if i >= maxEntries {
			r.fail(path, "more than %d entries", maxEntries)
			return
		}
		at := fmt.Sprintf("%s[%d]", path, i)
		entry := r.object(at, e)
		if matrix {
			b.matrices[list] = append(b.matrices[list], r.shape(at, entry))
		} else {
			b.vectors = append(b.vectors, valid.VectorProduct{
				Input: r.component(at, entry, "inputType"), InputAs: r.component(at, entry, "inputInterpretation"), MatrixAs: r.component(at, entry, "matrixInterpretation"),
				BiasAs: r.component(at, entry, "biasInterpretation"), Result: r.component(at, entry, "resultType"), Transpose: r.truth(at, entry, "transpose"),
			})
		}
	}
}

// maxEntries bounds the entries of a list.
const maxEntries = 10_000

// shape reads an entry of a list of matrices. Members have the names of one of the structs.
func (r *reader) shape(path string, o map[string]any) valid.MatrixShape {
	out := valid.MatrixShape{A: r.component(path, o, "AType"), B: r.component(path, o, "BType"), C: r.component(path, o, "CType"), Saturating: r.truth(path, o, "saturatingAccumulation")}
	for _, m := range []struct {
		to    *uint64
		names []string
	}{
		{&out.M, []string{"MSize", "MGranularity"}}, {&out.N, []string{"NSize", "NGranularity"}}, {&out.K, []string{"KSize", "KGranularity"}},
		{&out.Invocations, []string{"workgroupInvocations", "invocations"}},
	} {
		for _, n := range m.names {
			if v, ok := o[n]; ok {
				var whole bool
				if *m.to, whole = number(v, false); !whole {
					r.fail(path+"."+n, "%s, must be a whole number from 0", kindName(v))
				}
			}
		}
	}
	result := "ResultType"
	if _, nv := o["DType"]; nv {
		result = "DType"
	}
	out.Result = r.component(path, o, result)
	name := r.text(path+".scope", o["scope"])
	scope, ok := valid.ScopeNames[bare(name, "VK_SCOPE_")]
	if !ok {
		r.fail(path+".scope", "%q, must be a VkScopeKHR such as VK_SCOPE_SUBGROUP_KHR", name)
	}
	out.Scope = scope
	return out
}

// component reads a VkComponentTypeKHR.
func (r *reader) component(path string, o map[string]any, member string) spirv.ComponentType {
	name := r.text(path+"."+member, o[member])
	k, ok := valid.ComponentNames[bare(name, "VK_COMPONENT_TYPE_")]
	if !ok {
		r.fail(path+"."+member, "%q, must be a VkComponentTypeKHR such as VK_COMPONENT_TYPE_FLOAT16_KHR", name)
	}
	return k
}

// truth reads a Boolean that may be absent.
func (r *reader) truth(path string, o map[string]any, member string) bool {
	v, there := o[member]
	on, ok := v.(bool)
	if there && !ok {
		r.fail(path+"."+member, "%s, must be true or false", kindName(v))
	}
	return on
}

// bare returns a name of Vulkan without its prefix and its vendor.
func bare(name, prefix string) string {
	name = strings.TrimPrefix(name, prefix)
	for _, vendor := range []string{"_KHR", "_NV", "_EXT"} {
		name = strings.TrimSuffix(name, vendor)
	}
	return name
}

// addLists merges the lists of another block.
func (b *block) addLists(o *block) {
	for list, entries := range o.matrices {
		b.matrices[list] = append(b.matrices[list], entries...)
	}
	if o.vectors != nil {
		b.vectors = append(b.vectors, o.vectors...)
	}
}

// keepLists copies the lists to a device.
func (b *block) keepLists(d *valid.Device) {
	d.Matrices, d.Vectors = maps.Clone(b.matrices), b.vectors
}
