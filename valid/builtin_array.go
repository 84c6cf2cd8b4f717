package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// builtInArrayRules are the rules of the outermost array of a built-in, which its
// type in the specification leaves out (Vulkan, Built-In Variables).
var builtInArrayRules = []Rule{
	{Code: "SPV-BuiltIn-Array", Section: builtInSection, Words: "a built-in of each vertex is an array where a stage has the vertices of a whole primitive or patch", Need: NeedVulkan},
}

// eachHasOne reports whether a variable has one element for each vertex or
// primitive (Vulkan, Interface Matching): where one of the models that use it has
// such an interface, or none uses it.
func (c *checker) eachHasOne(n *builtInNote, v *facts.Variable, used modelSet) bool {
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

// perVertex reports whether a built-in may have a value for each vertex or
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

// builtInArrays judges that what a stage has for each vertex is an array. The
// tools of the field take it without one, so that it is a warning.
func (c *checker) builtInArrays() {
	for k := range c.builtIn.noted {
		n := &c.builtIn.noted[k]
		if !eachVertex(n.builtIn) {
			continue
		}
		if n.member < 0 {
			if v := c.m.Variable(n.target); v != nil && c.row(n.builtIn).form.holds(v.Type) {
				c.missingArray(n, v)
			}
			continue
		}
		if k > 0 && c.builtIn.noted[k-1].target == n.target && eachVertex(c.builtIn.noted[k-1].builtIn) {
			continue // another member of the same block has said it
		}
		for _, v := range c.builtIn.blocks[c.m.Type(n.target)] {
			if v.Type.IsStruct() {
				c.missingArray(n, v)
			}
		}
	}
}

// eachVertex reports whether a built-in of Vulkan 1.0 has a value for each vertex.
func eachVertex(b spirv.BuiltIn) bool {
	switch b {
	case spirv.BuiltInPosition, spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance:
		return true
	}
	return false
}

// missingArray judges a variable that is no array.
func (c *checker) missingArray(n *builtInNote, v *facts.Variable) {
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
