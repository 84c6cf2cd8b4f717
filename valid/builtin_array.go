package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// builtInArrayRules are the rules on the outermost array of a built-in, which its
// type in the specification omits (Vulkan, Built-In Variables).
var builtInArrayRules = []Rule{
	{Code: "SPV-BuiltIn-Array", Section: builtInSection, Words: "a built-in of each vertex is an array in a stage that accesses all vertices of a primitive or patch", Need: NeedVulkan},
}

// eachHasOne reports whether a variable has one element per vertex or primitive
// (Vulkan, Interface Matching): one of the models that use it has an arrayed
// interface, or no model uses it.
func (c *builtIns) eachHasOne(n *builtInNote, v *facts.Variable, used modelSet) bool {
	switch {
	case !perVertex(n.builtIn) || c.m.Has(v.ID, spirv.DecorationPatch):
		return false
	case used == 0 || used&inMesh != 0 && v.Storage == spirv.StorageClassOutput:
		return true
	case perPrimitive(n.builtIn):
		return false
	case v.Storage == spirv.StorageClassInput && used&inFragment != 0:
		return c.m.Has(v.ID, spirv.DecorationPerVertexKHR)
	}
	return used&inTessellationControl != 0 || used&inPrimitives != 0 && v.Storage == spirv.StorageClassInput
}

// perVertex reports whether a built-in may have one value per vertex or
// primitive.
func perVertex(b spirv.BuiltIn) bool {
	switch b {
	case spirv.BuiltInPosition, spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance,
		spirv.BuiltInSecondaryPositionNV, spirv.BuiltInSecondaryViewportMaskNV, spirv.BuiltInPositionPerViewNV,
		spirv.BuiltInViewportMaskPerViewNV, spirv.BuiltInViewportMaskNV, spirv.BuiltInClipDistancePerViewNV,
		spirv.BuiltInCullDistancePerViewNV, spirv.BuiltInLayerPerViewNV, spirv.BuiltInInvocationId:
		return b != spirv.BuiltInInvocationId
	}
	return perPrimitive(b)
}

// builtInArrays checks that a per-vertex built-in of a stage with arrayed
// interfaces is an array. It is a warning, because other validators accept the
// variable without the array.
func (c *builtIns) builtInArrays() {
	for k := range c.noted {
		n := &c.noted[k]
		if !eachVertex(n.builtIn) {
			continue
		}
		if n.member < 0 {
			if v := c.m.Variable(n.target); v != nil && c.row(n.builtIn).form.holds(v.Type) {
				c.missingArray(n, v)
			}
			continue
		}
		if k > 0 && c.noted[k-1].target == n.target && eachVertex(c.noted[k-1].builtIn) {
			continue // reported with another member of the same block
		}
		for _, v := range c.blocks[c.m.Type(n.target)] {
			if v.Type.IsStruct() {
				c.missingArray(n, v)
			}
		}
	}
}

// eachVertex reports whether a built-in of Vulkan 1.0 has one value per vertex.
func eachVertex(b spirv.BuiltIn) bool {
	switch b {
	case spirv.BuiltInPosition, spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance:
		return true
	}
	return false
}

// missingArray checks a variable that is no array.
func (c *builtIns) missingArray(n *builtInNote, v *facts.Variable) {
	var models modelSet
	switch v.Storage {
	case spirv.StorageClassInput:
		models = c.usedBy(v) & inPrimitives
	case spirv.StorageClassOutput:
		models = c.usedBy(v) & inTessellationControl
	}
	if models == 0 || c.builtInDecorated(n, spirv.DecorationPatch) || c.m.Has(v.ID, spirv.DecorationPatch) {
		return
	}
	c.fail(n.at, "SPV-BuiltIn-Array", "%s in the class %s of a %s entry point is no array; must have one element for each vertex", n.builtIn, v.Storage, models).also(c, v.Index, "the variable").warn()
}
