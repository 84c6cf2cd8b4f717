package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
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
	seen := map[[3]uint32]int{} // by decoration, target and level
	for i, in := range c.code.All() {
		if in.Op() != spirv.OpDecorate {
			continue
		}
		v := inst.Decorate(in)
		kind := v.Decoration()
		if kind != spirv.DecorationCacheControlLoadINTEL && kind != spirv.DecorationCacheControlStoreINTEL || len(in) < 4 {
			continue
		}
		if t := c.m.TypeOf(v.Target()); t != nil && !cached(kind, t.Storage, t.Op) {
			c.fail(i, "SPV-CacheControl-Pointer", "%s on %s, which is %s; must be a pointer into a storage class of the decoration", kind, c.name(v.Target()), c.typeName(t))
		}
		k := [3]uint32{uint32(kind), uint32(v.Target()), in[3]}
		if first, ok := seen[k]; ok {
			c.fail(i, "SPV-CacheControl-Level", "a second %s of level %d on %s; must be of another level", kind, in[3], c.name(v.Target())).also(c, first, "the first")
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
