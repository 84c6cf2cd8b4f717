package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// modeFamily checks the memory model and execution modes (SPIR-V §3.3.5); entry
// points are checked in entry.go.
var modeFamily = family{
	rules: []Rule{
		{Code: "SPV-MemoryModel-Vulkan", Section: "SPIR-V 3.2.5", Words: "the memory model is Vulkan if the capability VulkanMemoryModel is declared"},
		{Code: "SPV-MemoryModel-Cooperative", Section: "SPIR-V 3.2.30", Words: "shaders with cooperative matrices have the capability VulkanMemoryModel"},
		{Code: "SPV-MemoryModel-OpenCL", Section: "OpenCL SPIR-V Environment", Words: "in OpenCL, the memory model is OpenCL and the addressing model is physical"},
		{Code: "SPV-Mode-Entry", Section: "SPIR-V 3.3.5", Words: "the target of an execution mode is an entry point"},
		{Code: "SPV-Mode-Ids", Section: "SPIR-V 3.3.5", Words: "OpExecutionModeId is for modes with id operands, OpExecutionMode for all others"},
		{Code: "SPV-Mode-Model", Section: "SPIR-V 3.2.6", Words: "an execution mode is valid for the execution model of its entry point"},
		{Code: "SPV-Mode-Twice", Section: "SPIR-V 2.16.1", Words: "an entry point has each execution mode once, or once for each type that the mode names"},
		{Code: "SPV-Mode-LocalSize", Section: "SPIR-V 3.2.6", Words: "no dimension of a workgroup is 0"},
		{Code: "SPV-Mode-LocalSizeId", Section: "Vulkan, maintenance4", Words: "LocalSizeId is for Vulkan 1.3 and later, or maintenance4", Need: NeedVulkan},
		{Code: "SPV-Mode-Constant", Section: "SPIR-V 3.2.6", Words: "the ids of an execution mode are constants"},
		{Code: "SPV-Mode-FloatControl", Section: "SPIR-V 3.2.6", Words: "for each width, which is 16, 32 or 64, an entry point has at most one of DenormPreserve and DenormFlushToZero, and at most one of RoundingModeRTE and RoundingModeRTZ"},
		{Code: "SPV-Mode-FastMath", Section: "SPIR-V 3.2.6", Words: "FPFastMathDefault names a float type and a constant mask, no specialization constant, with consistent bits"},
		{Code: "SPV-Mode-FastMathBoth", Section: "SPIR-V 3.2.6", Words: "an entry point with FPFastMathDefault has neither ContractionOff nor SignedZeroInfNanPreserve, and its call tree neither NoContraction nor Fast"},
		{Code: "SPV-Mode-EarlyAndLate", Section: "SPIR-V, SPV_AMD_shader_early_and_late_fragment_tests", Words: "an entry point with EarlyAndLateFragmentTestsAMD that replaces the depth or the stencil reference declares how it changes"},
		{Code: "SPV-Mode-PostDepthCoverage", Section: "SPIR-V, SPV_KHR_post_depth_coverage", Words: "an entry point with PostDepthCoverage also has EarlyFragmentTests"},
		{Code: "SPV-Mode-TileShadingRate", Section: "SPIR-V, SPV_QCOM_tile_shading", Words: "the rates of TileShadingRateQCOM are powers of two"},
		{Code: vuid.StandaloneSpirv_None_04635, Section: "Vulkan, Shader Validation", Words: "the addressing model is Logical or PhysicalStorageBuffer64"},
		{Code: vuid.StandaloneSpirv_OriginLowerLeft_04653, Section: "Vulkan, Shader Validation", Words: "no entry point has OriginLowerLeft"},
		{Code: vuid.StandaloneSpirv_PixelCenterInteger_04654, Section: "Vulkan, Shader Validation", Words: "no entry point has PixelCenterInteger"},
		{Code: vuid.StandaloneSpirv_TileShadingRateQCOM_10692, Section: "Vulkan, Shader Validation", Words: "an entry point with TileShadingRateQCOM has neither LocalSize nor LocalSizeId"},
		{Code: vuid.StandaloneSpirv_Execution_10688, Section: environment, Words: "TileShadingRateQCOM is for compute shaders"},
		{Code: vuid.StandaloneSpirv_Execution_10687, Section: "Vulkan, Shader Validation", Words: "NonCoherentTileAttachmentReadQCOM is for fragment shaders"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpMemoryModel:     (*checker).memoryModel,
		spirv.OpExecutionMode:   (*checker).executionMode,
		spirv.OpExecutionModeId: (*checker).executionMode,
	},
	after: []func(*checker){(*checker).modesDiffer, (*checker).fastMath},
}

func (c *checker) memoryModel(i int, in spirv.Inst) {
	v := inst.MemoryModel(in)
	vulkan := v.MemoryModel() == spirv.MemoryModelVulkan
	if c.capable(spirv.CapabilityVulkanMemoryModel) && !vulkan {
		c.fail(i, "SPV-MemoryModel-Vulkan", "the memory model is %s; must be Vulkan if the capability VulkanMemoryModel is declared", v.MemoryModel())
	}
	if slices.Contains(c.m.Capabilities, spirv.CapabilityCooperativeMatrixKHR) && c.capable(spirv.CapabilityShader) && !c.capable(spirv.CapabilityVulkanMemoryModel) {
		c.fail(i, "SPV-MemoryModel-Cooperative", "the capability CooperativeMatrixKHR without VulkanMemoryModel; must have both")
	}
	switch {
	case c.vulkan:
		if a := v.AddressingModel(); a != spirv.AddressingModelLogical && a != spirv.AddressingModelPhysicalStorageBuffer64 {
			c.fail(i, vuid.StandaloneSpirv_None_04635, "the addressing model is %s; must be Logical or PhysicalStorageBuffer64", a)
		}
	case c.env.API == OpenCL:
		a := v.AddressingModel()
		if a != spirv.AddressingModelPhysical32 && a != spirv.AddressingModelPhysical64 || v.MemoryModel() != spirv.MemoryModelOpenCL {
			c.fail(i, "SPV-MemoryModel-OpenCL", "the models are %s and %s; must be Physical32 or Physical64, and OpenCL", a, v.MemoryModel())
		}
	}
}

// executionMode checks one execution mode.
func (c *checker) executionMode(i int, in spirv.Inst) {
	v := inst.ExecutionMode(in)
	mode, ids := v.Mode(), in.Op() == spirv.OpExecutionModeId
	entries := c.entriesAt(v.EntryPoint())
	if len(entries) == 0 {
		if c.code.Def(v.EntryPoint()) >= 0 {
			c.fail(i, "SPV-Mode-Entry", "%s is no entry point; must be an entry point", c.name(v.EntryPoint()))
		}
		return
	}
	if takesIDs(mode) != ids {
		word := "OpExecutionMode"
		if takesIDs(mode) {
			word = "OpExecutionModeId"
		}
		c.fail(i, "SPV-Mode-Ids", "%s by %s; must use %s", mode, in.Op(), word)
		return
	}
	if ids {
		c.modeIDs(i, mode, spirv.IDs(v.ModeWords()))
	}
	if allowed := modelsWith(mode); allowed != 0 {
		for _, k := range entries {
			if e := &c.m.EntryPoints[k]; modelOf(e.Model)&allowed == 0 {
				code := "SPV-Mode-Model"
				switch {
				case !c.vulkan:
				case mode == spirv.ExecutionModeNonCoherentTileAttachmentReadQCOM:
					code = vuid.StandaloneSpirv_Execution_10687
				case mode == spirv.ExecutionModeTileShadingRateQCOM:
					code = vuid.StandaloneSpirv_Execution_10688
				}
				c.fail(i, code, "%s of a %s entry point; must be of %s", mode, e.Model, allowed).also(c, e.Index, "the entry point")
				break
			}
		}
	}
	c.modeOperands(i, mode, v.ModeWords())
	if c.vulkan {
		c.vulkanMode(i, mode)
	}
}

// entriesAt returns the places of the entry points of a function in the order
// of the module.
func (c *callGraph) entriesAt(id spirv.ID) []int32 {
	if c.entryOf == nil {
		c.entryOf = make([][]int32, len(c.m.Functions))
		all := make([]int32, len(c.m.EntryPoints))
		for k := range c.m.EntryPoints {
			e := &c.m.EntryPoints[k]
			switch all[k] = int32(k); {
			case e.Func == nil:
				if c.entryOdd == nil {
					c.entryOdd = map[spirv.ID][]int32{}
				}
				c.entryOdd[e.ID] = append(c.entryOdd[e.ID], int32(k))
			case c.entryOf[e.Func.Number] == nil:
				c.entryOf[e.Func.Number] = all[k : k+1 : k+1]
			default:
				c.entryOf[e.Func.Number] = append(c.entryOf[e.Func.Number], int32(k))
			}
		}
	}
	if f := c.m.Function(id); f != nil {
		return c.entryOf[f.Number]
	}
	return c.entryOdd[id]
}

// takesIDs reports whether the operands of a mode are ids.
func takesIDs(m spirv.ExecutionMode) bool {
	r := spirv.KindExecutionMode.Enumerant(uint32(m))
	if r == nil {
		return false
	}
	for _, o := range r.Operands() {
		if o.Kind.Category() == spirv.CategoryID {
			return true
		}
	}
	return false
}

// modelsWith returns the execution models that have a mode, 0 if all have it
// (SPIR-V §3.2.6).
func modelsWith(m spirv.ExecutionMode) modelSet {
	const tessellation = inTessellationControl | inTessellationEvaluation
	switch m {
	case spirv.ExecutionModeInvocations, spirv.ExecutionModeInputPoints, spirv.ExecutionModeInputLines,
		spirv.ExecutionModeInputLinesAdjacency, spirv.ExecutionModeInputTrianglesAdjacency,
		spirv.ExecutionModeOutputLineStrip, spirv.ExecutionModeOutputTriangleStrip:
		return inGeometry
	case spirv.ExecutionModeOutputPoints:
		return inGeometry | inMesh
	case spirv.ExecutionModeSpacingEqual, spirv.ExecutionModeSpacingFractionalEven, spirv.ExecutionModeSpacingFractionalOdd,
		spirv.ExecutionModeVertexOrderCw, spirv.ExecutionModeVertexOrderCcw, spirv.ExecutionModePointMode,
		spirv.ExecutionModeQuads, spirv.ExecutionModeIsolines:
		return tessellation
	case spirv.ExecutionModeTriangles:
		return inGeometry | tessellation
	case spirv.ExecutionModeOutputVertices:
		return inGeometry | tessellation | inMesh
	case spirv.ExecutionModeOutputLinesEXT, spirv.ExecutionModeOutputTrianglesEXT, spirv.ExecutionModeOutputPrimitivesEXT:
		return inMesh
	case spirv.ExecutionModeQuadDerivativesKHR:
		return inFragment | inGLCompute
	case spirv.ExecutionModePixelCenterInteger, spirv.ExecutionModeOriginUpperLeft, spirv.ExecutionModeOriginLowerLeft,
		spirv.ExecutionModeEarlyFragmentTests, spirv.ExecutionModeDepthReplacing, spirv.ExecutionModeDepthGreater,
		spirv.ExecutionModeDepthLess, spirv.ExecutionModeDepthUnchanged, spirv.ExecutionModePostDepthCoverage,
		spirv.ExecutionModeEarlyAndLateFragmentTestsAMD, spirv.ExecutionModeStencilRefReplacingEXT,
		spirv.ExecutionModeStencilRefUnchangedFrontAMD, spirv.ExecutionModeStencilRefGreaterFrontAMD, spirv.ExecutionModeStencilRefLessFrontAMD,
		spirv.ExecutionModeStencilRefUnchangedBackAMD, spirv.ExecutionModeStencilRefGreaterBackAMD, spirv.ExecutionModeStencilRefLessBackAMD,
		spirv.ExecutionModePixelInterlockOrderedEXT, spirv.ExecutionModePixelInterlockUnorderedEXT,
		spirv.ExecutionModeSampleInterlockOrderedEXT, spirv.ExecutionModeSampleInterlockUnorderedEXT,
		spirv.ExecutionModeShadingRateInterlockOrderedEXT, spirv.ExecutionModeShadingRateInterlockUnorderedEXT,
		spirv.ExecutionModeRequireFullQuadsKHR, spirv.ExecutionModeNonCoherentColorAttachmentReadEXT,
		spirv.ExecutionModeNonCoherentDepthAttachmentReadEXT, spirv.ExecutionModeNonCoherentStencilAttachmentReadEXT,
		spirv.ExecutionModeNonCoherentTileAttachmentReadQCOM:
		return inFragment
	case spirv.ExecutionModeLocalSizeHint, spirv.ExecutionModeVecTypeHint, spirv.ExecutionModeContractionOff,
		spirv.ExecutionModeLocalSizeHintId, spirv.ExecutionModeMaxWorkgroupSizeINTEL, spirv.ExecutionModeMaxWorkDimINTEL,
		spirv.ExecutionModeNoGlobalOffsetINTEL, spirv.ExecutionModeNumSIMDWorkitemsINTEL, spirv.ExecutionModeSchedulerTargetFmaxMhzINTEL:
		return inKernel
	case spirv.ExecutionModeLocalSize, spirv.ExecutionModeLocalSizeId:
		return inWorkgroups
	case spirv.ExecutionModeDerivativeGroupQuadsKHR, spirv.ExecutionModeDerivativeGroupLinearKHR:
		return inGLCompute | inTask | inMesh
	case spirv.ExecutionModeXfb:
		return 0
	case spirv.ExecutionModeShaderIndexAMDX, spirv.ExecutionModeMaxNumWorkgroupsAMDX,
		spirv.ExecutionModeStaticNumWorkgroupsAMDX, spirv.ExecutionModeIsApiEntryAMDX:
		return inGLCompute | inMesh
	case spirv.ExecutionModeCoalescingAMDX, spirv.ExecutionModeTileShadingRateQCOM:
		return inGLCompute
	}
	return 0
}

// modeIDs checks the ids of a mode.
func (c *checker) modeIDs(i int, mode spirv.ExecutionMode, ids []spirv.ID) {
	for n, id := range ids {
		if mode == spirv.ExecutionModeFPFastMathDefault && n == 0 {
			continue // the type is checked with the mode
		}
		d := c.code.DefInst(id)
		if d == nil {
			continue
		}
		k := c.declaredConstant(id)
		switch {
		case isStringConstant(d):
		case k == nil:
			c.fail(i, "SPV-Mode-Constant", "%s is the result of %s; must be a constant", c.name(id), d.Op())
		case mode == spirv.ExecutionModeOpacityMicromapIdKHR && k.Type != nil && !k.Type.IsBool():
			c.fail(i, "SPV-Mode-Constant", "%s is %s; must be a Boolean", c.name(id), c.typeName(k.Type))
		case (mode == spirv.ExecutionModeLocalSizeId || mode == spirv.ExecutionModeMaximumRegistersIdINTEL) && k.Type != nil && !k.Type.IsInt():
			c.fail(i, "SPV-Mode-Constant", "%s is %s; must be an integer", c.name(id), c.typeName(k.Type))
		}
	}
}

// modeOperands checks the operands of a mode.
func (c *checker) modeOperands(i int, mode spirv.ExecutionMode, w []uint32) {
	switch mode {
	case spirv.ExecutionModeLocalSize:
		if len(w) == 3 && (w[0] == 0 || w[1] == 0 || w[2] == 0) {
			c.fail(i, "SPV-Mode-LocalSize", "the workgroup is %d × %d × %d; must have no dimension of 0", w[0], w[1], w[2])
		}
	case spirv.ExecutionModeLocalSizeId:
		for _, id := range spirv.IDs(w) {
			if k := c.m.Const(id); k != nil && !k.Spec {
				if n, ok := k.Int(); ok && n == 0 {
					c.fail(i, "SPV-Mode-LocalSize", "the dimension %s of the workgroup is 0; must be greater", c.name(id))
				}
			}
		}
	case spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeSignedZeroInfNanPreserve,
		spirv.ExecutionModeRoundingModeRTE, spirv.ExecutionModeRoundingModeRTZ:
		if len(w) == 1 && w[0] != 16 && w[0] != 32 && w[0] != 64 {
			c.fail(i, "SPV-Mode-FloatControl", "%s of %d bits; must be of 16, 32 or 64", mode, w[0])
		}
	case spirv.ExecutionModeTileShadingRateQCOM:
		if len(w) >= 2 && (w[0]&(w[0]-1) != 0 || w[1]&(w[1]-1) != 0) {
			c.fail(i, "SPV-Mode-TileShadingRate", "the rates are %d and %d; must be powers of two", w[0], w[1])
		}
	}
}

// vulkanMode checks a mode in Vulkan.
func (c *checker) vulkanMode(i int, mode spirv.ExecutionMode) {
	switch mode {
	case spirv.ExecutionModeOriginLowerLeft:
		c.fail(i, vuid.StandaloneSpirv_OriginLowerLeft_04653, "OriginLowerLeft; must be OriginUpperLeft in Vulkan")
	case spirv.ExecutionModePixelCenterInteger:
		c.fail(i, vuid.StandaloneSpirv_PixelCenterInteger_04654, "PixelCenterInteger; must not be in Vulkan")
	case spirv.ExecutionModeLocalSizeId:
		on, known := c.env.Device.feature("maintenance4")
		if c.env.Version < Vulkan13 && !c.env.AllowLocalSizeID && !(on && known) {
			c.fail(i, "SPV-Mode-LocalSizeId", "LocalSizeId in %s; must be LocalSize without maintenance4", c.env)
		}
	}
}

// perType reports whether a mode speaks of one type, so that an entry point can
// have it for several.
func perType(m spirv.ExecutionMode) bool {
	switch m {
	case spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeSignedZeroInfNanPreserve,
		spirv.ExecutionModeRoundingModeRTE, spirv.ExecutionModeRoundingModeRTZ, spirv.ExecutionModeFPFastMathDefault,
		spirv.ExecutionModeRoundingModeRTPINTEL, spirv.ExecutionModeRoundingModeRTNINTEL,
		spirv.ExecutionModeFloatingPointModeALTINTEL, spirv.ExecutionModeFloatingPointModeIEEEINTEL:
		return true
	}
	return false
}

// oppositeMode returns the mode of floats that excludes another of the same width.
func oppositeMode(m spirv.ExecutionMode) (spirv.ExecutionMode, bool) {
	switch m {
	case spirv.ExecutionModeDenormPreserve:
		return spirv.ExecutionModeDenormFlushToZero, true
	case spirv.ExecutionModeDenormFlushToZero:
		return spirv.ExecutionModeDenormPreserve, true
	case spirv.ExecutionModeRoundingModeRTE:
		return spirv.ExecutionModeRoundingModeRTZ, true
	case spirv.ExecutionModeRoundingModeRTZ:
		return spirv.ExecutionModeRoundingModeRTE, true
	}
	return 0, false
}

// modesDiffer checks that no mode is declared twice.
func (c *checker) modesDiffer() {
	type seen struct {
		kind  spirv.ExecutionMode
		first uint32
	}
	done := map[spirv.ID]bool{}
	for k := range c.m.EntryPoints {
		e := &c.m.EntryPoints[k]
		if done[e.ID] {
			continue
		}
		done[e.ID] = true
		have := map[seen]int{}
		for _, m := range e.Modes {
			s := seen{kind: m.Kind}
			if perType(m.Kind) && len(m.Operands) > 0 {
				s.first = m.Operands[0]
			}
			if old, ok := have[s]; ok {
				c.fail(m.Index, "SPV-Mode-Twice", "%s is declared twice; must be declared once", m.Kind).also(c, old, "the first")
				continue
			}
			have[s] = m.Index
			if other, ok := oppositeMode(m.Kind); ok {
				if old, ok := have[seen{other, s.first}]; ok {
					c.fail(m.Index, "SPV-Mode-FloatControl", "%s and %s for %d bits; must be at most one of them", other, m.Kind, s.first).also(c, old, "the other")
				}
			}
		}
		if at, ok := have[seen{kind: spirv.ExecutionModeEarlyAndLateFragmentTestsAMD}]; ok {
			c.earlyAndLate(e, at)
		}
		if at, ok := have[seen{kind: spirv.ExecutionModePostDepthCoverage}]; ok && !e.HasMode(spirv.ExecutionModeEarlyFragmentTests) {
			c.fail(at, "SPV-Mode-PostDepthCoverage", "PostDepthCoverage without EarlyFragmentTests; must have both").also(c, e.Index, "the entry point")
		}
		if c.vulkan && e.HasMode(spirv.ExecutionModeTileShadingRateQCOM) {
			if e.HasMode(spirv.ExecutionModeLocalSize) || e.HasMode(spirv.ExecutionModeLocalSizeId) {
				c.fail(e.Index, vuid.StandaloneSpirv_TileShadingRateQCOM_10692, "TileShadingRateQCOM with a workgroup size; must have none")
			}
		}
	}
}

// earlyAndLate checks an entry point with EarlyAndLateFragmentTestsAMD.
func (c *checker) earlyAndLate(e *facts.EntryPoint, at int) {
	const code = "SPV-Mode-EarlyAndLate"
	either := func(list ...spirv.ExecutionMode) bool { return slices.ContainsFunc(list, e.HasMode) }
	if e.HasMode(spirv.ExecutionModeDepthReplacing) && !either(spirv.ExecutionModeDepthGreater, spirv.ExecutionModeDepthLess, spirv.ExecutionModeDepthUnchanged) {
		c.fail(at, code, "EarlyAndLateFragmentTestsAMD with DepthReplacing; must have DepthGreater, DepthLess or DepthUnchanged").also(c, e.Index, "the entry point")
	}
	if e.HasMode(spirv.ExecutionModeStencilRefReplacingEXT) && !either(
		spirv.ExecutionModeStencilRefGreaterFrontAMD, spirv.ExecutionModeStencilRefLessFrontAMD, spirv.ExecutionModeStencilRefUnchangedFrontAMD,
		spirv.ExecutionModeStencilRefGreaterBackAMD, spirv.ExecutionModeStencilRefLessBackAMD, spirv.ExecutionModeStencilRefUnchangedBackAMD) {
		c.fail(at, code, "EarlyAndLateFragmentTestsAMD with StencilRefReplacingEXT; must have a mode of the stencil reference").also(c, e.Index, "the entry point")
	}
}

// fastMath checks FPFastMathDefault.
func (c *checker) fastMath() {
	var with []*facts.EntryPoint
	for k := range c.m.EntryPoints {
		e := &c.m.EntryPoints[k]
		has := false
		for _, m := range e.Modes {
			if m.Kind == spirv.ExecutionModeFPFastMathDefault && len(m.Operands) == 2 {
				has = true
				c.fastMathDefault(m)
			}
		}
		if !has {
			continue
		}
		with = append(with, e)
		for _, m := range e.Modes {
			if m.Kind == spirv.ExecutionModeContractionOff || m.Kind == spirv.ExecutionModeSignedZeroInfNanPreserve {
				c.fail(m.Index, "SPV-Mode-FastMathBoth", "%s of an entry point with FPFastMathDefault; must be without it", m.Kind).also(c, e.Index, "the entry point")
			}
		}
	}
	if len(with) == 0 {
		return
	}
	told := make([]bool, len(c.m.Functions))
	for _, e := range with {
		for _, f := range c.m.CallTree(e) {
			if told[f.Number] {
				continue
			}
			told[f.Number] = true
			c.fastMathTree(f)
		}
	}
}

// fastMathDefault checks the operands of one mode.
func (c *checker) fastMathDefault(m facts.Mode) {
	ids := spirv.IDs(m.Operands)
	if d := c.code.DefInst(ids[0]); d != nil && d.Op() != spirv.OpTypeFloat {
		c.fail(m.Index, "SPV-Mode-FastMath", "the target type is the result of %s; must be a float type", d.Op())
	}
	k := c.m.Const(ids[1])
	if k == nil {
		return
	}
	n, ok := k.Int()
	switch {
	case k.Spec:
		c.fail(m.Index, "SPV-Mode-FastMath", "the mask is a specialization constant; must be a constant")
	case !ok:
		c.fail(m.Index, "SPV-Mode-FastMath", "the mask is %s; must be an integer", c.typeName(k.Type))
	case k.Type.Width != 32:
		c.fail(m.Index, "SPV-Mode-FastMath", "the mask is %s; must have 32 bits", c.typeName(k.Type))
	default:
		if bad := fastMathFault(uint32(n)); bad != "" {
			c.fail(m.Index, "SPV-Mode-FastMath", "%s", bad)
		}
	}
}

// fastMathFault returns the fault of a mask of FPFastMathMode as a whole, which no
// single enumerant has: "" if there is none.
func fastMathFault(mask uint32) string {
	const known = uint32(spirv.FPFastMathModeNotNaNMask | spirv.FPFastMathModeNotInfMask | spirv.FPFastMathModeNSZMask |
		spirv.FPFastMathModeAllowRecipMask | spirv.FPFastMathModeFastMask | spirv.FPFastMathModeAllowContractMask |
		spirv.FPFastMathModeAllowReassocMask | spirv.FPFastMathModeAllowTransformMask)
	both := uint32(spirv.FPFastMathModeAllowContractMask | spirv.FPFastMathModeAllowReassocMask)
	switch {
	case mask&^known != 0:
		return "the mask has undefined bits of FPFastMathMode; must have only defined bits"
	case mask&uint32(spirv.FPFastMathModeFastMask) != 0:
		return "the mask has Fast; must have the single modes"
	case mask&uint32(spirv.FPFastMathModeAllowTransformMask) != 0 && mask&both != both:
		return "the mask has AllowTransform without AllowContract and AllowReassoc; must have all"
	}
	return ""
}

// fastMathTree checks the decorations of a function's instructions that an entry
// point with FPFastMathDefault calls.
func (c *checker) fastMathTree(f *facts.Function) {
	for i := f.Index; i < f.End; i++ {
		id := c.code.Inst(i).Result()
		if id == 0 {
			continue
		}
		if c.m.Has(id, spirv.DecorationNoContraction) {
			c.fail(i, "SPV-Mode-FastMathBoth", "%s is decorated NoContraction; must not be if an entry point has FPFastMathDefault", c.name(id))
		}
		if d, ok := c.m.Decoration(id, spirv.DecorationFPFastMathMode); ok && spirv.FPFastMathMode(d.Literal())&spirv.FPFastMathModeFastMask != 0 {
			c.fail(i, "SPV-Mode-FastMathBoth", "%s is decorated Fast; must not be if an entry point has FPFastMathDefault", c.name(id))
		}
	}
}
