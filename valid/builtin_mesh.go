package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// meshRow is the rules of a built-in that a mesh shader writes per primitive: it
// is decorated PerPrimitiveEXT, it is a member of a block or an array, and that
// array, or the block's, has one element per primitive (OutputPrimitivesEXT).
type meshRow struct {
	builtIn                       spirv.BuiltIn
	form                          builtInForm
	perPrimitive, as, size, block string
}

var meshRows = [...]meshRow{
	{spirv.BuiltInCullPrimitiveEXT, boolean, vuid.CullPrimitiveEXT_07038, vuid.CullPrimitiveEXT_07036, vuid.CullPrimitiveEXT_10589, vuid.CullPrimitiveEXT_10590},
	{spirv.BuiltInLayer, i32, vuid.Layer_07039, vuid.Layer_10592, vuid.Layer_10593, vuid.Layer_10594},
	{spirv.BuiltInPrimitiveId, i32, vuid.PrimitiveId_07040, vuid.PrimitiveId_10595, vuid.PrimitiveId_10596, vuid.PrimitiveId_10597},
	{spirv.BuiltInPrimitiveShadingRateKHR, i32, vuid.PrimitiveShadingRateKHR_07059, vuid.PrimitiveShadingRateKHR_10598, vuid.PrimitiveShadingRateKHR_10599, vuid.PrimitiveShadingRateKHR_10600},
	{spirv.BuiltInViewportIndex, i32, vuid.ViewportIndex_07060, vuid.ViewportIndex_10601, vuid.ViewportIndex_10602, vuid.ViewportIndex_10603},
}

// indexRow is the rules of the index array that a mesh shader writes.
type indexRow struct {
	builtIn spirv.BuiltIn
	mode    spirv.ExecutionMode
	corners int // indices per element

	modeCode, sizeCode, atCode, valueCode string
}

var indexRows = [...]indexRow{
	{spirv.BuiltInPrimitivePointIndicesEXT, spirv.ExecutionModeOutputPoints, 1, vuid.PrimitivePointIndicesEXT_07042, vuid.PrimitivePointIndicesEXT_07046, vuid.PrimitivePointIndicesEXT_07045, vuid.PrimitivePointIndicesEXT_12335},
	{spirv.BuiltInPrimitiveLineIndicesEXT, spirv.ExecutionModeOutputLinesEXT, 2, vuid.PrimitiveLineIndicesEXT_07048, vuid.PrimitiveLineIndicesEXT_07052, vuid.PrimitiveLineIndicesEXT_07051, vuid.PrimitiveLineIndicesEXT_12336},
	{spirv.BuiltInPrimitiveTriangleIndicesEXT, spirv.ExecutionModeOutputTrianglesEXT, 3, vuid.PrimitiveTriangleIndicesEXT_07054, vuid.PrimitiveTriangleIndicesEXT_07058, vuid.PrimitiveTriangleIndicesEXT_07057, vuid.PrimitiveTriangleIndicesEXT_12337},
}

// listRow is the length of PrimitiveIndicesNV in one mode, in indices per
// primitive.
type listRow struct {
	mode    spirv.ExecutionMode
	corners uint64
	code    string
}

var listRows = [...]listRow{
	{spirv.ExecutionModeOutputPoints, 1, vuid.PrimitiveIndicesNV_OutputPoints_04342},
	{spirv.ExecutionModeOutputLinesEXT, 2, vuid.PrimitiveIndicesNV_OutputLinesNV_04343},
	{spirv.ExecutionModeOutputTrianglesEXT, 3, vuid.PrimitiveIndicesNV_OutputTrianglesNV_04344},
}

// meshBuiltInRules are the rules of these tables, and a few more.
var meshBuiltInRules = func() []Rule {
	out := []Rule{
		{Code: vuid.CullPrimitiveEXT_10591, Section: builtInSection, Words: "an entry point has at most one CullPrimitiveEXT in its interface"},
		{Code: vuid.PrimitiveShadingRateKHR_12275, Section: builtInSection, Words: "a mesh shader uses PrimitiveShadingRateKHR only with the feature primitiveFragmentShadingRateMeshShader", Need: NeedDevice},
	}
	add := func(code, words string) {
		out = append(out, Rule{Code: code, Section: builtInSection, Words: words})
	}
	for _, r := range meshRows {
		b := r.builtIn.String()
		add(r.perPrimitive, b+" of a mesh shader has the decoration PerPrimitiveEXT")
		add(r.as, b+" of a mesh shader is a scalar member of a block, or an array of such scalars")
		add(r.size, b+" of a mesh shader, if it is an array, has OutputPrimitivesEXT elements")
		add(r.block, b+" of a mesh shader, if it is a member, is in an array of OutputPrimitivesEXT blocks")
	}
	for _, r := range indexRows {
		b := r.builtIn.String()
		add(r.modeCode, b+" is for mesh shaders with the mode "+r.mode.String())
		add(r.sizeCode, b+" has OutputPrimitivesEXT elements")
	}
	for _, r := range listRows {
		add(r.code, "with the mode "+r.mode.String()+", PrimitiveIndicesNV has "+itoa(r.corners)+" times OutputPrimitivesEXT elements")
	}
	return out
}()

// perPrimitive reports whether a mesh shader writes a built-in per primitive.
func perPrimitive(b spirv.BuiltIn) bool { return meshRowOf(b) != nil }

func meshRowOf(b spirv.BuiltIn) *meshRow {
	for i := range meshRows {
		if meshRows[i].builtIn == b {
			return &meshRows[i]
		}
	}
	return nil
}

// meshInterfaces checks the built-ins of each mesh shader's interface.
func (c *builtIns) meshInterfaces() {
	for i := range c.m.EntryPoints {
		e := &c.m.EntryPoints[i]
		if e.Func == nil || e.Model != spirv.ExecutionModelMeshEXT && e.Model != spirv.ExecutionModelMeshNV {
			continue
		}
		on := map[spirv.ID]bool{}
		for _, id := range e.Interface {
			on[id] = true
		}
		for _, v := range c.globals(e) {
			on[v.ID] = true
		}
		c.meshInterface(e, on)
	}
}

// meshInterface checks the built-ins among the variables on of one entry point.
func (c *builtIns) meshInterface(e *facts.EntryPoint, on map[spirv.ID]bool) {
	culls := 0
	for k := range c.noted {
		n := &c.noted[k]
		if n.member < 0 {
			if v := c.m.Variable(n.target); v != nil && on[v.ID] {
				culls += c.meshVariable(e, n, v)
			}
			continue
		}
		if s := c.m.Type(n.target); s != nil && n.member < len(s.Members) {
			for _, v := range c.blocks[s] {
				if on[v.ID] {
					culls += c.meshVariable(e, n, v)
				}
			}
		}
		if culls > 1 {
			c.fail(n.at, vuid.CullPrimitiveEXT_10591, "another CullPrimitiveEXT in the interface of an entry point; must be one").also(c, e.Index, "the entry point")
			culls = 1
		}
	}
}

// meshVariable checks one variable of a mesh shader's interface. It returns 1
// for CullPrimitiveEXT, which may occur once.
func (c *builtIns) meshVariable(e *facts.EntryPoint, n *builtInNote, v *facts.Variable) int {
	if e.Model == spirv.ExecutionModelMeshNV {
		if n.builtIn == spirv.BuiltInPrimitiveIndicesNV {
			c.primitiveList(e, n, v)
		}
		return 0
	}
	if r := meshRowOf(n.builtIn); r != nil && v.Storage == spirv.StorageClassOutput {
		c.eachPrimitive(e, n, v, r)
	}
	for i := range indexRows {
		if r := &indexRows[i]; r.builtIn == n.builtIn {
			c.meshIndices(e, n, v, r)
		}
	}
	if n.builtIn == spirv.BuiltInPrimitiveShadingRateKHR && !c.feature(vuid.PrimitiveShadingRateKHR_12275, "primitiveFragmentShadingRateMeshShader") {
		c.fail(n.at, vuid.PrimitiveShadingRateKHR_12275, "PrimitiveShadingRateKHR in a mesh shader; needs the feature primitiveFragmentShadingRateMeshShader").also(c, e.Index, "the entry point")
	}
	if n.builtIn == spirv.BuiltInCullPrimitiveEXT {
		return 1
	}
	return 0
}

// primitives returns the operand of OutputPrimitivesEXT; false if there is none.
func primitives(e *facts.EntryPoint) (uint64, bool) {
	m, ok := e.Mode(spirv.ExecutionModeOutputPrimitivesEXT)
	if !ok || m.IDs || len(m.Operands) == 0 {
		return 0, false
	}
	return uint64(m.Operands[0]), true
}

// eachPrimitive checks a per-primitive built-in.
func (c *builtIns) eachPrimitive(e *facts.EntryPoint, n *builtInNote, v *facts.Variable, r *meshRow) {
	if !c.builtInDecorated(n, spirv.DecorationPerPrimitiveEXT) && !c.m.Has(v.ID, spirv.DecorationPerPrimitiveEXT) {
		c.fail(n.at, r.perPrimitive, "%s in a mesh shader without PerPrimitiveEXT; must be decorated with it", n.builtIn).also(c, v.Index, "the variable")
	}
	count, ok := primitives(e)
	if n.member < 0 {
		if !array(r.form).holds(v.Type) {
			c.fail(n.at, r.as, "%s is %s; must be a member of a block, or %s", n.builtIn, c.typeName(v.Type), array(r.form)).also(c, v.Index, "the variable")
		} else if ok && v.Type.Count != 0 && v.Type.Count != count {
			c.fail(n.at, r.size, "%s has %d elements; must have %d, the value of OutputPrimitivesEXT", n.builtIn, v.Type.Count, count).also(c, e.Index, "the entry point")
		}
		return
	}
	s := c.m.Type(n.target)
	if t := s.Members[n.member].Type; t != nil && (!r.form.holds(t) || !c.m.Has(s.ID, spirv.DecorationBlock)) {
		c.fail(n.at, r.as, "%s is %s in a struct; must be %s in a block", n.builtIn, c.typeName(t), r.form).also(c, v.Index, "the variable")
	}
	if ok && v.Type != nil && (!v.Type.IsArray() || v.Type.Count != 0 && v.Type.Count != count) {
		c.fail(n.at, r.block, "%s is in a block array of length %d; must be %d, the value of OutputPrimitivesEXT", n.builtIn, max(v.Type.Count, 1), count).also(c, e.Index, "the entry point")
	}
}

// meshIndices checks the array of primitive indices.
func (c *builtIns) meshIndices(e *facts.EntryPoint, n *builtInNote, v *facts.Variable, r *indexRow) {
	if !e.HasMode(r.mode) {
		c.fail(n.at, r.modeCode, "%s in an entry point without %s; must have that mode", n.builtIn, r.mode).also(c, e.Index, "the entry point")
	}
	if count, ok := primitives(e); ok && v.Type != nil && v.Type.IsArray() && v.Type.Count != 0 && v.Type.Count != count {
		c.fail(n.at, r.sizeCode, "%s has %d elements; must have %d, the value of OutputPrimitivesEXT", n.builtIn, v.Type.Count, count).also(c, e.Index, "the entry point")
	}
}

// primitiveList checks PrimitiveIndicesNV, the only index list of NV's mesh
// shaders.
func (c *builtIns) primitiveList(e *facts.EntryPoint, n *builtInNote, v *facts.Variable) {
	t, count, ok := v.Type, uint64(0), false
	if count, ok = primitives(e); !ok || t == nil || !t.IsArray() || t.Count == 0 {
		return
	}
	for _, r := range listRows {
		if e.HasMode(r.mode) && t.Count != r.corners*count {
			c.fail(n.at, r.code, "PrimitiveIndicesNV has %d elements in an entry point with %s; must have %d", t.Count, r.mode, r.corners*count).also(c, e.Index, "the entry point")
		}
	}
}
