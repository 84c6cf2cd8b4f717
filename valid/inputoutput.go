package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// inputOutputFamily checks the inputs and outputs of an entry point together, and
// their decorations (Vulkan, Shader Interfaces).
var inputOutputFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_BuiltIn_04668, Section: environment, Words: "a built-in is a built-in of Vulkan"},
		{Code: vuid.StandaloneSpirv_OpEntryPoint_09658, Section: environment, Words: "each built-in is at most once in the inputs of an entry point"},
		{Code: vuid.StandaloneSpirv_OpEntryPoint_09659, Section: environment, Words: "each built-in is at most once in the outputs of an entry point"},
		{Code: vuid.StandaloneSpirv_Input_09557, Section: environment, Words: "user-defined inputs and outputs contain no pointers to physical storage buffers"},
		{Code: vuid.StandaloneSpirv_TessLevelInner_10880, Section: environment, Words: "TessLevelInner and TessLevelOuter have the decoration Patch"},
		{Code: vuid.StandaloneSpirv_ViewportRelativeNV_04672, Section: environment, Words: "ViewportRelativeNV is on Layer in vertex, tessellation evaluation and geometry shaders"},
		{Code: vuid.StandaloneSpirv_ViewportRelativeNV_04673, Section: environment, Words: "an entry point with ViewportRelativeNV uses ViewportIndex or ViewportMaskNV"},
		{Code: vuid.StandaloneSpirv_ViewportMaskNV_04674, Section: environment, Words: "an entry point does not use both ViewportMaskNV and ViewportIndex"},
		{Code: vuid.StandaloneSpirv_Invariant_04677, Section: environment, Words: "an Invariant variable is an input or an output"},
		{Code: vuid.StandaloneSpirv_VulkanMemoryModel_04678, Section: environment, Words: "without the Vulkan memory model, a variable is Volatile if its built-in can change while a ray tracing shader runs"},
		{Code: vuid.StandaloneSpirv_VulkanMemoryModel_04679, Section: environment, Words: "with the Vulkan memory model, a load is Volatile if the built-in can change while a ray tracing shader runs"},
	},
	insts: map[spirv.Op]judge{spirv.OpLoad: (*checker).volatileLoad},
	after: []func(*checker){(*checker).inputsOutputs},
}

// The rules that compilers of shaders in the field break, and that drivers take
// all the same, are warnings.

// inputsOutputs checks the variables and the interfaces of entry points.
func (c *checker) inputsOutputs() {
	if !c.vulkan {
		return
	}
	for k := range c.builtIn.noted {
		n := &c.builtIn.noted[k]
		if notVulkan(n.builtIn) {
			c.fail(n.at, vuid.StandaloneSpirv_BuiltIn_04668, "the built-in %s; must be a built-in of Vulkan", n.builtIn)
		} else if c.first() && n.builtIn == spirv.BuiltInLocalInvocationIndex {
			c.fail(n.at, vuid.StandaloneSpirv_BuiltIn_04668, "the built-in LocalInvocationIndex; must be a built-in of the text of Vulkan 1.0")
		} else if unlisted(n.builtIn) {
			c.fail(n.at, vuid.StandaloneSpirv_BuiltIn_04668, "the built-in %s, of an extension that Vulkan does not have; must be a built-in of Vulkan", n.builtIn).warn()
		} else if n.builtIn == spirv.BuiltInRemainingRecursionLevelsAMDX { // new in a later revision than the one in Vulkan's text
			c.fail(n.at, vuid.StandaloneSpirv_BuiltIn_04668, "the built-in %s, which Vulkan does not list; must be a built-in of Vulkan", n.builtIn).warn()
		}
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Storage == spirv.StorageClassInput || v.Storage == spirv.StorageClassOutput {
			c.inputOutput(v)
			continue
		}
		if c.m.Decorates(spirv.DecorationInvariant) && c.decorated(v, spirv.DecorationInvariant) {
			c.fail(v.Index, vuid.StandaloneSpirv_Invariant_04677, "%s in %s is Invariant or has a member that is; must be an input or an output", c.name(v.ID), v.Storage)
		}
	}
	for n := range c.m.EntryPoints {
		c.eachOnce(&c.m.EntryPoints[n])
	}
}

// notVulkan reports whether a built-in of SPIR-V has no meaning in Vulkan.
func notVulkan(b spirv.BuiltIn) bool {
	switch b {
	case spirv.BuiltInVertexId, spirv.BuiltInWorkDim, spirv.BuiltInGlobalSize, spirv.BuiltInEnqueuedWorkgroupSize, spirv.BuiltInGlobalOffset,
		spirv.BuiltInGlobalLinearId, spirv.BuiltInSubgroupMaxSize, spirv.BuiltInNumEnqueuedSubgroups:
		return true
	}
	return false
}

// unlisted reports whether a built-in belongs to an extension of SPIR-V that no
// extension of Vulkan adopts. Compilers emit such built-ins and the vendor's
// drivers accept them, so they are no errors.
func unlisted(b spirv.BuiltIn) bool {
	switch b {
	case spirv.BuiltInSecondaryPositionNV, spirv.BuiltInSecondaryViewportMaskNV,
		spirv.BuiltInHitMicroTriangleVertexPositionsNV, spirv.BuiltInHitMicroTriangleVertexBarycentricsNV,
		spirv.BuiltInHitKindFrontFacingMicroTriangleNV, spirv.BuiltInHitKindBackFacingMicroTriangleNV:
		return true
	}
	return false
}

// levelMembers checks that tessellation levels in a struct are Patch.
func (c *checker) levelMembers(v *facts.Variable) {
	s := core(v.Type)
	if !s.IsStruct() || c.m.Has(v.ID, spirv.DecorationPatch) {
		return
	}
	for k := range s.Members {
		b, ok := c.m.MemberBuiltIn(s.ID, k)
		if ok && (b == spirv.BuiltInTessLevelInner || b == spirv.BuiltInTessLevelOuter) && !c.m.HasMember(s.ID, k, spirv.DecorationPatch) {
			c.fail(v.Index, vuid.StandaloneSpirv_TessLevelInner_10880, "member %d of %s has the built-in %s and no Patch; must have it", k, c.name(s.ID), b).also(c, s.Index, "the struct")
			return
		}
	}
}

// inputOutput checks one input or output.
func (c *checker) inputOutput(v *facts.Variable) {
	b, ok := c.m.BuiltIn(v.ID)
	switch {
	case !ok:
		if c.contains(v.Type, holdsPhysical) {
			c.fail(v.Index, vuid.StandaloneSpirv_Input_09557, "%s in %s contains a pointer to a physical storage buffer; must contain none", c.name(v.ID), v.Storage)
		}
		c.levelMembers(v)
	case b == spirv.BuiltInTessLevelInner || b == spirv.BuiltInTessLevelOuter:
		if !c.m.Has(v.ID, spirv.DecorationPatch) {
			c.fail(v.Index, vuid.StandaloneSpirv_TessLevelInner_10880, "%s has the built-in %s and no Patch; must have it", c.name(v.ID), b).unstated(c.first())
		}
	case ok && volatileBuiltIn(b, c.usedBy(v)) && !c.capable(spirv.CapabilityVulkanMemoryModel):
		if !c.m.Has(v.ID, spirv.DecorationVolatile) {
			c.fail(v.Index, vuid.StandaloneSpirv_VulkanMemoryModel_04678, "%s has the built-in %s, which can change while the shader runs, and is not Volatile; must be Volatile", c.name(v.ID), b).warn()
		}
	}
	if d, has := c.m.Decoration(v.ID, spirv.DecorationViewportRelativeNV); has {
		used := c.usedBy(v)
		if bad := used &^ (inVertex | inTessellationEvaluation | inGeometry); b != spirv.BuiltInLayer || !ok || bad != 0 {
			c.fail(d.Index, vuid.StandaloneSpirv_ViewportRelativeNV_04672, "ViewportRelativeNV on %s; must be on Layer in vertex, tessellation evaluation or geometry shaders", c.name(v.ID)).also(c, v.Index, "the variable")
		}
	}
}

// volatileBuiltIn reports whether a built-in can change while a shader of one of
// the models runs.
func volatileBuiltIn(b spirv.BuiltIn, models modelSet) bool {
	switch b {
	case spirv.BuiltInSMIDNV, spirv.BuiltInWarpIDNV, spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupLocalInvocationId, spirv.BuiltInSubgroupEqMask,
		spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask:
		return models&(inRayGeneration|inClosestHit|inMiss|inIntersection|inCallable) != 0
	case spirv.BuiltInRayTmaxKHR:
		return models&inIntersection != 0
	}
	return false
}

// volatileLoad checks a load of a built-in that can change.
func (c *checker) volatileLoad(i int, in spirv.Inst) {
	if !c.vulkan || c.callerModels()&inRayTracing == 0 || !c.capable(spirv.CapabilityVulkanMemoryModel) {
		return
	}
	v := inst.Load(in)
	o := c.origin(v.Pointer())
	if o == nil || o.Storage != spirv.StorageClassInput {
		return
	}
	mask, _ := v.MemoryAccess()
	if b, ok := c.m.BuiltIn(o.ID); ok && volatileBuiltIn(b, c.callerModels()) && mask&spirv.MemoryAccessVolatileMask == 0 {
		c.fail(i, vuid.StandaloneSpirv_VulkanMemoryModel_04679, "a load of %s, which can change while the shader runs, that is not Volatile; must be Volatile", b).also(c, o.Index, "the variable")
	}
}

// eachOnce checks that an entry point has each built-in once among its inputs,
// and among its outputs.
func (c *checker) eachOnce(e *facts.EntryPoint) {
	type key struct {
		storage spirv.StorageClass
		builtIn spirv.BuiltIn
	}
	if len(c.builtIn.noted) == 0 {
		return
	}
	type builtIn struct {
		key
		v *facts.Variable
	}
	var first [16]builtIn
	list := first[:0] // few, so that they are looked at one by one
	have := func(k key) *facts.Variable {
		for n := range list {
			if list[n].key == k {
				return list[n].v
			}
		}
		return nil
	}
	relative := false
	see := func(v *facts.Variable, b spirv.BuiltIn) {
		k := key{v.Storage, b}
		old := have(k)
		if old == nil {
			list = append(list, builtIn{k, v})
			return
		}
		code := vuid.StandaloneSpirv_OpEntryPoint_09658
		if v.Storage == spirv.StorageClassOutput {
			code = vuid.StandaloneSpirv_OpEntryPoint_09659
		}
		c.fail(e.Index, code, "%s and %s in %s are both %s; must be one", c.name(old.ID), c.name(v.ID), v.Storage, b).also(c, old.Index, "the first").also(c, v.Index, "the second").unstated(c.first())
	}
	mark := c.mark()
	for _, id := range e.Interface {
		v := c.m.Variable(id)
		if v == nil || c.marks[v.Index] == mark || v.Storage != spirv.StorageClassInput && v.Storage != spirv.StorageClassOutput {
			continue
		}
		c.marks[v.Index] = mark
		relative = relative || c.m.Has(id, spirv.DecorationViewportRelativeNV)
		if b, ok := c.m.BuiltIn(id); ok {
			see(v, b)
		} else if s := core(v.Type); s.IsStruct() {
			for k := range s.Members {
				if b, ok := c.m.MemberBuiltIn(s.ID, k); ok {
					see(v, b)
				}
			}
		}
	}
	mask := have(key{spirv.StorageClassOutput, spirv.BuiltInViewportMaskNV})
	index := have(key{spirv.StorageClassOutput, spirv.BuiltInViewportIndex})
	if relative && mask == nil && index == nil {
		c.fail(e.Index, vuid.StandaloneSpirv_ViewportRelativeNV_04673, "the entry point has ViewportRelativeNV and neither ViewportIndex nor ViewportMaskNV; must have one").warn()
	}
	if mask != nil && index != nil && mask != index {
		c.fail(e.Index, vuid.StandaloneSpirv_ViewportMaskNV_04674, "the entry point has ViewportIndex and ViewportMaskNV; must have one").also(c, index.Index, "the one").also(c, mask.Index, "the other").warn()
	}
}
