package valid

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// cacheControlFamily checks the decorations of caches (SPV_INTEL_cache_controls): they
// are on pointers, with one control for each level of the cache.
var cacheControlFamily = family{
	rules: []Rule{
		{Code: "SPV-CacheControl-Pointer", Section: "SPIR-V, SPV_INTEL_cache_controls", Words: "cache controls are on pointers into Function, CrossWorkgroup or Generic, for loads also into UniformConstant"},
		{Code: "SPV-CacheControl-Level", Section: "SPIR-V, SPV_INTEL_cache_controls", Words: "two cache controls of one kind on a pointer are of different levels"},
	},
	after: []func(*checker){(*checker).cacheControls},
}

// cacheControls checks all decorations of the module.
func (c *checker) cacheControls() {
	if !c.capable(spirv.CapabilityCacheControlsINTEL) {
		return
	}
	seen := map[[4]uint32]int{} // by decoration, target, member + 1 (0: the target itself) and level
	for i, in := range c.code.All() {
		var t *facts.Type
		k := [4]uint32{}
		switch {
		case in.Op() == spirv.OpDecorate && len(in) >= 4:
			k = [4]uint32{in[2], in[1], 0, in[3]}
			t = c.m.TypeOf(spirv.ID(in[1]))
		case in.Op() == spirv.OpMemberDecorate && len(in) >= 5:
			k = [4]uint32{in[3], in[1], in[2] + 1, in[4]}
			if s := c.m.Type(spirv.ID(in[1])); s.IsStruct() && uint64(in[2]) < uint64(len(s.Members)) {
				t = s.Members[in[2]].Type
			}
		}
		kind, target := spirv.Decoration(k[0]), spirv.ID(k[1])
		if kind != spirv.DecorationCacheControlLoadINTEL && kind != spirv.DecorationCacheControlStoreINTEL {
			continue
		}
		if t != nil && !cached(kind, t.Storage, t.Op) {
			what := c.name(target)
			if k[2] != 0 {
				what = fmt.Sprintf("member %d of %s", k[2]-1, what)
			}
			c.fail(i, "SPV-CacheControl-Pointer", "%s on %s, which is %s; must be a pointer into a storage class of the decoration", kind, what, c.typeName(t))
		}
		if first, ok := seen[k]; ok {
			c.fail(i, "SPV-CacheControl-Level", "a second %s of level %d on %s; must be of another level", kind, k[3], c.name(target)).also(c, first, "the first")
		}
		seen[k] = i
	}
}

// cached reports whether a value of a type may have a cache control.
func cached(kind spirv.Decoration, sc spirv.StorageClass, op spirv.Op) bool {
	if op != spirv.OpTypePointer && op != spirv.OpTypeUntypedPointerKHR {
		return false
	}
	switch sc {
	case spirv.StorageClassFunction, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric:
		return true
	case spirv.StorageClassUniformConstant:
		return kind == spirv.DecorationCacheControlLoadINTEL
	}
	return false
}
