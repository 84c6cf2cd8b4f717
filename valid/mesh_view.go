package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// meshViewFamily checks that the counts and primitives of a mesh shader are the
// same for every view (Vulkan, Shader Validation).
var meshViewFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_MeshEXT_07108, Section: environment, Words: "the counts of OpSetMeshOutputsEXT do not depend on ViewIndex"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07109, Section: environment, Words: "no index into the arrays of primitive indices depends on ViewIndex"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07110, Section: environment, Words: "no value stored to the arrays of primitive indices depends on ViewIndex"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07111, Section: environment, Words: "in mesh shaders, no index into a composite in Workgroup or Private depends on ViewIndex"},
	},
	after: []func(*checker){(*checker).meshViews},
}

// meshViews checks the values that depend on ViewIndex. It does so only if the
// module has that built-in.
func (c *checker) meshViews() {
	if !c.vulkan || !c.capable(spirv.CapabilityMeshShadingEXT) {
		return
	}
	views := false
	for k := range c.builtIn.noted {
		views = views || c.builtIn.noted[k].builtIn == spirv.BuiltInViewIndex
	}
	if !views {
		return
	}
	w := c.values()
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		if c.models[f.Number]&inMeshEXT == 0 {
			continue
		}
		for i := f.Index; i < f.End; i++ {
			w.meshView(i, c.code.Inst(i))
		}
	}
}

// meshView checks one instruction of a mesh shader.
func (w *flow) meshView(i int, in spirv.Inst) {
	switch in.Op() {
	case spirv.OpSetMeshOutputsEXT:
		v := inst.SetMeshOutputsEXT(in)
		for _, id := range [...]spirv.ID{v.VertexCount(), v.PrimitiveCount()} {
			if w.of(id)&ofView != 0 {
				w.checker.fail(i, vuid.StandaloneSpirv_MeshEXT_07108, "the count %s depends on ViewIndex; must not depend on it", w.checker.name(id))
			}
		}
	case spirv.OpStore:
		v := inst.Store(in)
		if o := w.checker.origin(v.Pointer()); o != nil && w.checker.indexArray(o) && w.of(v.Object())&ofView != 0 {
			w.checker.fail(i, vuid.StandaloneSpirv_MeshEXT_07110, "%s, which is written to %s, depends on ViewIndex; must not depend on it", w.checker.name(v.Object()), w.checker.name(o.ID))
		}
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
		spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
		h := chainOf(in)
		o := w.checker.origin(h.base)
		if o == nil {
			return
		}
		code := ""
		switch {
		case w.checker.indexArray(o):
			code = vuid.StandaloneSpirv_MeshEXT_07109
		case o.Storage == spirv.StorageClassWorkgroup, o.Storage == spirv.StorageClassPrivate:
			code = vuid.StandaloneSpirv_MeshEXT_07111
		default:
			return
		}
		for _, id := range h.path {
			if w.of(id)&ofView != 0 {
				w.checker.fail(i, code, "the index %s into %s depends on ViewIndex; must not depend on it", w.checker.name(id), w.checker.name(o.ID))
				return
			}
		}
	}
}

// indexArray reports whether a variable is an array of primitive indices.
func (c *checker) indexArray(v *facts.Variable) bool {
	b, ok := c.m.BuiltIn(v.ID)
	return ok && (b == spirv.BuiltInPrimitivePointIndicesEXT || b == spirv.BuiltInPrimitiveLineIndicesEXT || b == spirv.BuiltInPrimitiveTriangleIndicesEXT)
}
