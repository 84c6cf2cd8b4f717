package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// entryFamily checks entry points (SPIR-V §3.3.5): function, name, interface list,
// modes that exclude or require one another (§3.2.6), and the workgroup size in
// Vulkan. Each mode alone is checked by mode.go, the interface variables by
// interface.go and location.go.
var entryFamily = family{
	rules: []Rule{
		{Code: "SPV-Entry-Function", Section: "SPIR-V 3.3.5", Words: "an entry point is a function"},
		{Code: "SPV-Entry-Signature", Section: "SPIR-V 2.16.1", Words: "an entry point returns void, and has no parameters unless it is a kernel"},
		{Code: "SPV-Entry-Name", Section: "SPIR-V 2.16.1", Words: "no two entry points have the same execution model and name"},
		{Code: "SPV-Entry-Called", Section: "SPIR-V 2.16.1", Words: "no OpFunctionCall calls an entry point"},
		{Code: "SPV-Entry-Interface", Section: "SPIR-V 3.3.5", Words: "the interface lists module-scope variables: before SPIR-V 1.4 only of Input and Output, from 1.4 on each variable once"},
		{Code: "SPV-Entry-Origin", Section: "SPIR-V 3.2.6", Words: "a fragment entry point has either OriginUpperLeft or OriginLowerLeft"},
		{Code: "SPV-Entry-OneOf", Section: "SPIR-V 3.2.6", Words: "an entry point has at most one of several exclusive modes, or exactly one if its execution model requires it"},
		{Code: "SPV-Entry-Mesh", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "a mesh entry point declares its numbers of output vertices and primitives"},
		{Code: "SPV-Entry-Poison", Section: "SPIR-V, SPV_KHR_poison_freeze", Words: "with the capability PoisonFreezeKHR, each entry point has the mode ArithmeticPoisonKHR"},
		{Code: vuid.StandaloneSpirv_None_10685, Section: "Vulkan, Shader Validation", Words: "an entry point with a workgroup declares its size: LocalSize, LocalSizeId, TileShadingRateQCOM or WorkgroupSize"},
		{Code: "SPV-Entry-DerivativeGroup", Section: "SPIR-V, SPV_KHR_compute_shader_derivatives", Words: "groups of 2 × 2 or of 4 invocations fill the workgroup of an entry point with derivative groups"},
		{Code: vuid.StandaloneSpirv_DerivativeGroupQuadsKHR_10151, Section: "Vulkan, Shader Validation", Words: "with DerivativeGroupQuadsKHR, the first two dimensions of the workgroup are even"},
		{Code: vuid.StandaloneSpirv_DerivativeGroupQuadsNV_04684, Section: environment, Words: "with DerivativeGroupQuadsNV, the first two dimensions of a workgroup are even"},
		{Code: vuid.StandaloneSpirv_DerivativeGroupLinearNV_04778, Section: environment, Words: "with DerivativeGroupLinearNV, the product of the dimensions of a workgroup is a multiple of 4"},
		{Code: vuid.StandaloneSpirv_DerivativeGroupLinearKHR_10152, Section: "Vulkan, Shader Validation", Words: "with DerivativeGroupLinearKHR, the size of the workgroup is a multiple of 4"},
	},
	insts: map[spirv.Op]judge{spirv.OpFunctionCall: (*checker).entryCalled},
	after: []func(*checker){(*checker).entryPoints},
}

// entryPoints checks all entry points.
func (c *checker) entryPoints() {
	type key struct {
		model     spirv.ExecutionModel
		name      string
		condition spirv.ID // variants of one entry point have different conditions
	}
	have := map[key]int(nil)
	type judged struct {
		id    spirv.ID
		model spirv.ExecutionModel
	}
	done := map[judged]bool(nil) // checks of modes do not depend on the name, so they run once per function and model
	if len(c.m.EntryPoints) > 1 {
		have, done = map[key]int{}, map[judged]bool{}
	}
	sized := c.workgroupSized()
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		k := key{e.Model, e.Name, e.Condition}
		if old, ok := have[k]; ok {
			c.fail(e.Index, "SPV-Entry-Name", "a second %s entry point %q; must differ in model or name", e.Model, e.Name).also(c, old, "the first")
		} else if have != nil {
			have[k] = e.Index
		}
		c.signature(e)
		c.interfaceList(e)
		if j := (judged{e.ID, e.Model}); !done[j] {
			if done != nil {
				done[j] = true
			}
			c.entryModes(e)
			if sized {
				c.emptyWorkgroup(e)
			}
			switch {
			case c.vulkan:
				c.workgroup(e, sized)
			case e.HasLocalSize:
				c.derivativeGroups(e)
			}
		}
	}
}

// signature checks the function of an entry point.
func (c *checker) signature(e *facts.EntryPoint) {
	f := e.Func
	if f == nil {
		if d := c.code.DefInst(e.ID); d != nil {
			c.fail(e.Index, "SPV-Entry-Function", "%s is the result of %s; must be a function", c.name(e.ID), d.Op())
		}
		return
	}
	if f.Type == nil || f.Type.Op != spirv.OpTypeFunction || c.vulkan {
		return // Vulkan has a rule of its own
	}
	if len(f.Type.Params) > 0 && e.Model != spirv.ExecutionModelKernel || f.Return != nil && !f.Return.IsVoid() {
		c.fail(e.Index, "SPV-Entry-Signature", "the entry point has %d parameters and returns %s; must have none and return void", len(f.Type.Params), c.typeName(f.Return)).also(c, f.Index, "the function")
	}
}

// entryCalled checks that a call does not call an entry point.
func (c *checker) entryCalled(i int, in spirv.Inst) {
	if list := c.entriesAt(spirv.ID(in[3])); len(list) > 0 {
		c.fail(i, "SPV-Entry-Called", "the call is of the entry point %s; must not be", c.name(spirv.ID(in[3]))).also(c, c.m.EntryPoints[list[0]].Index, "the entry point")
	}
}

// interfaceList checks the ids that an entry point lists.
func (c *checker) interfaceList(e *facts.EntryPoint) {
	mark := c.mark()
	for _, id := range e.Interface {
		d := c.code.Def(id)
		if d < 0 {
			continue
		}
		v := c.m.Variable(id)
		switch {
		case v == nil:
			c.fail(e.Index, "SPV-Entry-Interface", "%s is the result of %s; must be a variable", c.name(id), c.code.Inst(d).Op()).also(c, d, "its definition")
		case v.Storage == spirv.StorageClassFunction || v.Func != nil:
			c.fail(e.Index, "SPV-Entry-Interface", "%s is a variable of a function; must be of module scope", c.name(id)).also(c, d, "the variable")
		case !c.since(spirv.Version14) && v.Storage != spirv.StorageClassInput && v.Storage != spirv.StorageClassOutput:
			c.fail(e.Index, "SPV-Entry-Interface", "%s is in %s; must be in Input or Output before SPIR-V 1.4", c.name(id), v.Storage).also(c, d, "the variable")
		case c.since(spirv.Version14) && c.marks[d] == mark:
			c.fail(e.Index, "SPV-Entry-Interface", "%s is listed twice; must be listed once", c.name(id)).also(c, d, "the variable")
		}
		c.marks[d] = mark
	}
}

// choice is a set of mutually exclusive modes.
type choice struct {
	models modelSet
	must   modelSet // models that need exactly one
	modes  []spirv.ExecutionMode
}

// choices are the sets of mutually exclusive modes (SPIR-V §3.2.6).
var choices = [...]choice{
	{inFragment, 0, []spirv.ExecutionMode{spirv.ExecutionModeDepthGreater, spirv.ExecutionModeDepthLess, spirv.ExecutionModeDepthUnchanged}},
	{inKernel, 0, []spirv.ExecutionMode{spirv.ExecutionModeMaximumRegistersINTEL, spirv.ExecutionModeMaximumRegistersIdINTEL, spirv.ExecutionModeNamedMaximumRegistersINTEL}},
	{inFragment, 0, []spirv.ExecutionMode{spirv.ExecutionModePixelInterlockOrderedEXT, spirv.ExecutionModePixelInterlockUnorderedEXT,
		spirv.ExecutionModeSampleInterlockOrderedEXT, spirv.ExecutionModeSampleInterlockUnorderedEXT,
		spirv.ExecutionModeShadingRateInterlockOrderedEXT, spirv.ExecutionModeShadingRateInterlockUnorderedEXT}},
	{inFragment, 0, []spirv.ExecutionMode{spirv.ExecutionModeStencilRefUnchangedFrontAMD, spirv.ExecutionModeStencilRefGreaterFrontAMD, spirv.ExecutionModeStencilRefLessFrontAMD}},
	{inFragment, 0, []spirv.ExecutionMode{spirv.ExecutionModeStencilRefUnchangedBackAMD, spirv.ExecutionModeStencilRefGreaterBackAMD, spirv.ExecutionModeStencilRefLessBackAMD}},
	{inTessellationControl | inTessellationEvaluation, 0, []spirv.ExecutionMode{spirv.ExecutionModeSpacingEqual, spirv.ExecutionModeSpacingFractionalEven, spirv.ExecutionModeSpacingFractionalOdd}},
	{inTessellationControl | inTessellationEvaluation, 0, []spirv.ExecutionMode{spirv.ExecutionModeTriangles, spirv.ExecutionModeQuads, spirv.ExecutionModeIsolines}},
	{inTessellationControl | inTessellationEvaluation, 0, []spirv.ExecutionMode{spirv.ExecutionModeVertexOrderCw, spirv.ExecutionModeVertexOrderCcw}},
	{inGeometry, inGeometry, []spirv.ExecutionMode{spirv.ExecutionModeInputPoints, spirv.ExecutionModeInputLines, spirv.ExecutionModeInputLinesAdjacency,
		spirv.ExecutionModeTriangles, spirv.ExecutionModeInputTrianglesAdjacency}},
	{inGeometry, inGeometry, []spirv.ExecutionMode{spirv.ExecutionModeOutputPoints, spirv.ExecutionModeOutputLineStrip, spirv.ExecutionModeOutputTriangleStrip}},
	{inMesh, inMeshEXT, []spirv.ExecutionMode{spirv.ExecutionModeOutputPoints, spirv.ExecutionModeOutputLinesEXT, spirv.ExecutionModeOutputTrianglesEXT}},
	{inGLCompute | inTask | inMesh, 0, []spirv.ExecutionMode{spirv.ExecutionModeDerivativeGroupQuadsKHR, spirv.ExecutionModeDerivativeGroupLinearKHR}},
}

// entryModes checks the combination of modes of an entry point.
func (c *checker) entryModes(e *facts.EntryPoint) {
	s := modelOf(e.Model)
	for n := range choices {
		if choices[n].models&s != 0 {
			c.choose(e, &choices[n], choices[n].must&s != 0)
		}
	}
	if c.capable(spirv.CapabilityPoisonFreezeKHR) && !e.HasMode(spirv.ExecutionModeArithmeticPoisonKHR) {
		c.fail(e.Index, "SPV-Entry-Poison", "the entry point has no ArithmeticPoisonKHR in a module with PoisonFreezeKHR; must have it")
	}
	switch s {
	case inFragment:
		up, low := e.HasMode(spirv.ExecutionModeOriginUpperLeft), e.HasMode(spirv.ExecutionModeOriginLowerLeft)
		if up == low {
			c.fail(e.Index, "SPV-Entry-Origin", "the fragment entry point has %d of OriginUpperLeft and OriginLowerLeft; must have one", count(up, low))
		}
	case inMeshEXT:
		v, p := e.HasMode(spirv.ExecutionModeOutputVertices), e.HasMode(spirv.ExecutionModeOutputPrimitivesEXT)
		if !v || !p {
			c.fail(e.Index, "SPV-Entry-Mesh", "the mesh entry point has %d of OutputVertices and OutputPrimitivesEXT; must have both", count(v, p))
		}
	}
}

// count returns the number of true arguments.
func count(list ...bool) int {
	n := 0
	for _, x := range list {
		if x {
			n++
		}
	}
	return n
}

// choose checks one set of modes.
func (c *checker) choose(e *facts.EntryPoint, k *choice, must bool) {
	n, last := 0, facts.Mode{Index: e.Index}
	for _, m := range k.modes {
		if mode, ok := e.Mode(m); ok {
			n++
			if n == 1 || mode.Index > last.Index {
				last = mode
			}
		}
	}
	if n == 1 || n == 0 && !must {
		return
	}
	var names []string
	for _, m := range k.modes {
		names = append(names, m.String())
	}
	switch {
	case n > 1:
		c.fail(e.Index, "SPV-Entry-OneOf", "the %s entry point has %d of the modes %s; must have at most one", e.Model, n, or(names)).also(c, last.Index, "the last of them")
	default:
		c.fail(e.Index, "SPV-Entry-OneOf", "the %s entry point has none of the modes %s; must have one", e.Model, or(names))
	}
}

// workgroup checks the size of a workgroup in Vulkan; sized reports that a constant
// is decorated WorkgroupSize.
func (c *checker) workgroup(e *facts.EntryPoint, sized bool) {
	if modelOf(e.Model)&(inGLCompute|inTask|inMesh) == 0 {
		return
	}
	if !e.HasLocalSize && !e.HasMode(spirv.ExecutionModeLocalSizeId) && !e.HasMode(spirv.ExecutionModeLocalSize) &&
		!e.HasMode(spirv.ExecutionModeTileShadingRateQCOM) && !sized {
		c.fail(e.Index, vuid.StandaloneSpirv_None_10685, "the %s entry point does not declare its workgroup size; must have LocalSize, LocalSizeId or WorkgroupSize", e.Model)
		return
	}
	if !e.HasLocalSize {
		return
	}
	c.derivativeGroups(e)
}

// derivativeGroups checks that the derivative groups of an entry point fill its
// workgroup. A size that specialization can change is a warning before that.
func (c *checker) derivativeGroups(e *facts.EntryPoint) {
	s := e.LocalSize
	changes := func(f found) {
		if c.m.Spec == nil && c.specialSize(e) {
			f.warn()
		}
	}
	if e.HasMode(spirv.ExecutionModeDerivativeGroupQuadsKHR) && (s[0]%2 != 0 || s[1]%2 != 0) {
		code := vuid.StandaloneSpirv_DerivativeGroupQuadsKHR_10151
		switch {
		case !c.vulkan:
			code = "SPV-Entry-DerivativeGroup"
		case c.derivativesOfNV():
			code = vuid.StandaloneSpirv_DerivativeGroupQuadsNV_04684
		}
		changes(c.fail(e.Index, code, "the workgroup is %d × %d; both must be even with DerivativeGroupQuadsKHR", s[0], s[1]))
	}
	if e.HasMode(spirv.ExecutionModeDerivativeGroupLinearKHR) && s[0]*s[1]*s[2]%4 != 0 {
		code := vuid.StandaloneSpirv_DerivativeGroupLinearKHR_10152
		switch {
		case !c.vulkan:
			code = "SPV-Entry-DerivativeGroup"
		case c.derivativesOfNV():
			code = vuid.StandaloneSpirv_DerivativeGroupLinearNV_04778
		}
		changes(c.fail(e.Index, code, "the workgroup is %d × %d × %d; the product must be a multiple of 4 with DerivativeGroupLinearKHR", s[0], s[1], s[2]))
	}
}

// emptyWorkgroup checks the value of the constant decorated WorkgroupSize.
func (c *checker) emptyWorkgroup(e *facts.EntryPoint) {
	if s := e.LocalSize; e.HasLocalSize && modelOf(e.Model)&inWorkgroups != 0 && !c.specialSize(e) && (s[0] == 0 || s[1] == 0 || s[2] == 0) {
		c.fail(e.Index, "SPV-Mode-LocalSize", "the workgroup is %d × %d × %d; must have no dimension of 0", s[0], s[1], s[2])
	}
}

// derivativesOfNV reports whether the derivative group modes belong to NVIDIA's
// extension; the KHR extension has the same modes under other rules.
func (c *checker) derivativesOfNV() bool {
	return c.m.Extension("SPV_NV_compute_shader_derivatives") && !c.m.Extension("SPV_KHR_compute_shader_derivatives")
}

// specialSize reports whether the size of a workgroup depends on specialization or is undefined.
func (c *checker) specialSize(e *facts.EntryPoint) bool {
	if m, ok := e.Mode(spirv.ExecutionModeLocalSizeId); ok {
		for _, id := range spirv.IDs(m.Operands) {
			if k := c.m.Const(id); k != nil && k.Spec {
				return true
			}
		}
	}
	for n := range c.m.Consts {
		if b, ok := c.m.BuiltIn(c.m.Consts[n].ID); ok && b == spirv.BuiltInWorkgroupSize && (c.m.Consts[n].Spec || c.m.Consts[n].Undef) {
			return true
		}
	}
	return false
}

// workgroupSized reports whether a constant is decorated WorkgroupSize.
func (c *checker) workgroupSized() bool {
	if !c.m.Decorates(spirv.DecorationBuiltIn) {
		return false
	}
	for n := range c.m.Consts {
		if b, ok := c.m.BuiltIn(c.m.Consts[n].ID); ok && b == spirv.BuiltInWorkgroupSize {
			return true
		}
	}
	return false
}
