package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// builtInSection is the section of the rules of built-ins.
const builtInSection = "Vulkan, Built-In Variables"

// ownBuiltInRules are rules of one built-in, or of a few.
var ownBuiltInRules = append([]Rule{
	{Code: vuid.FragDepth_04216, Section: builtInSection, Words: "a fragment entry point that uses FragDepth has the mode DepthReplacing"},
	{Code: vuid.FullyCoveredEXT_conservativeRasterizationPostDepthCoverage_04235, Section: builtInSection, Words: "FullyCoveredEXT and the mode PostDepthCoverage are used together only if conservativeRasterizationPostDepthCoverage is supported", Need: NeedDevice},
	{Code: vuid.Layer_04273, Section: builtInSection, Words: "Layer is used outside of geometry and fragment shaders only with the feature shaderOutputLayer and its capability", Need: NeedDevice},
	{Code: vuid.ViewportIndex_04405, Section: builtInSection, Words: "ViewportIndex is used outside of geometry and fragment shaders only with the feature shaderOutputViewportIndex and its capability", Need: NeedDevice},
	{Code: vuid.PrimitiveId_Fragment_04333, Section: builtInSection, Words: "a fragment entry point uses PrimitiveId only if the module declares a capability of geometry, tessellation or mesh shading"},
	{Code: vuid.ClipDistancePerViewNV_04194, Section: builtInSection, Words: "ClipDistancePerViewNV has the decoration PerViewNV"},
	{Code: vuid.CullDistancePerViewNV_04203, Section: builtInSection, Words: "CullDistancePerViewNV has the decoration PerViewNV"},
	{Code: vuid.LayerPerViewNV_04279, Section: builtInSection, Words: "LayerPerViewNV has the decoration PerViewNV"},
	{Code: vuid.ViewportMaskPerViewNV_04415, Section: builtInSection, Words: "ViewportMaskPerViewNV has at most 32 elements"},
	{Code: vuid.WorkgroupSize_04426, Section: builtInSection, Words: "WorkgroupSize decorates a constant or a specialization constant"},
	{Code: vuid.WorkgroupSize_TileShadingRateQCOM_10635, Section: builtInSection, Words: "with the mode TileShadingRateQCOM, WorkgroupSize is a variable of the storage class Input"},
}, append(meshBuiltInRules, builtInAccessRules...)...)

// builtInConstant checks a decorated constant: it must be WorkgroupSize.
func (c *builtIns) builtInConstant(n *builtInNote, k *facts.Const) {
	if n.builtIn != spirv.BuiltInWorkgroupSize {
		return
	}
	if k.Undef {
		c.fail(n.at, vuid.WorkgroupSize_04426, "WorkgroupSize is %s, the result of %s; must be a constant", c.name(k.ID), k.Op)
		return
	}
	c.builtInType(n, k.Type, nil, 0)
	for i := range c.m.EntryPoints {
		e := &c.m.EntryPoints[i]
		if _, ok := e.Mode(spirv.ExecutionModeTileShadingRateQCOM); ok {
			c.fail(n.at, vuid.WorkgroupSize_TileShadingRateQCOM_10635, "WorkgroupSize is a constant; must be an Input variable if an entry point has TileShadingRateQCOM").also(c, e.Index, "the entry point")
		}
	}
	c.workgroupSizeUse(n, k)
}

// workgroupSizeUse checks the models of the functions that name the WorkgroupSize
// constant. It scans only functions that a model without workgroups calls.
func (c *builtIns) workgroupSizeUse(n *builtInNote, k *facts.Const) {
	row := rowOf[spirv.BuiltInWorkgroupSize]
	var idPositions []int
	for i := range c.m.Functions {
		f := &c.m.Functions[i]
		if c.models[f.Number]&^row.in == 0 {
			continue
		}
		for j := f.Index; j < f.End; j++ {
			idPositions = c.code.IDs(j, idPositions[:0])
			for _, at := range idPositions {
				if spirv.ID(c.code.Inst(j)[at]) == k.ID {
					c.fail(n.at, row.inCode, "WorkgroupSize in a function that a %s entry point calls; must be in %s", c.models[f.Number]&^row.in, row.in).also(c, j, "the use")
					return
				}
			}
		}
	}
}

// builtInOwn checks each decorated variable by the rules of its built-in alone.
func (c *builtIns) builtInOwn() {
	for k := range c.noted {
		n := &c.noted[k]
		if n.member < 0 {
			if v := c.m.Variable(n.target); v != nil {
				c.ownVariable(n, v)
			} else if n.builtIn == spirv.BuiltInWorkgroupSize && c.m.Const(n.target) == nil && c.code.Def(n.target) >= 0 {
				c.fail(n.at, vuid.WorkgroupSize_04426, "WorkgroupSize is %s; must be a constant", c.name(n.target))
			}
			continue
		}
		if s := c.m.Type(n.target); s != nil && n.member < len(s.Members) {
			for _, v := range c.blocks[s] {
				c.ownVariable(n, v)
			}
		}
	}
	c.meshInterfaces()
	c.builtInAccesses()
}

// ownVariable checks one variable.
func (c *builtIns) ownVariable(n *builtInNote, v *facts.Variable) {
	used := c.usedBy(v)
	switch n.builtIn {
	case spirv.BuiltInFragDepth:
		if used&inFragment != 0 {
			c.builtInMode(n, v, inFragment, spirv.ExecutionModeDepthReplacing, vuid.FragDepth_04216)
		}
	case spirv.BuiltInFullyCoveredEXT:
		c.fullyCovered(n, v)
	case spirv.BuiltInLayer:
		c.outputIndex(n, v, vuid.Layer_04273, spirv.CapabilityShaderLayer, "shaderOutputLayer")
	case spirv.BuiltInViewportIndex:
		c.outputIndex(n, v, vuid.ViewportIndex_04405, spirv.CapabilityShaderViewportIndex, "shaderOutputViewportIndex")
	case spirv.BuiltInPrimitiveId:
		if used&inFragment != 0 && !c.first() && !c.anyCapable(spirv.CapabilityMeshShadingEXT, spirv.CapabilityMeshShadingNV, spirv.CapabilityGeometry, spirv.CapabilityTessellation) {
			c.fail(n.at, vuid.PrimitiveId_Fragment_04333, "PrimitiveId in a Fragment entry point; needs the capability Geometry, Tessellation, MeshShadingEXT or MeshShadingNV").also(c, v.Index, "the variable")
		}
	case spirv.BuiltInClipDistancePerViewNV:
		c.perView(n, vuid.ClipDistancePerViewNV_04194)
	case spirv.BuiltInCullDistancePerViewNV:
		c.perView(n, vuid.CullDistancePerViewNV_04203)
	case spirv.BuiltInLayerPerViewNV:
		c.perView(n, vuid.LayerPerViewNV_04279)
	case spirv.BuiltInViewportMaskPerViewNV:
		if t := c.builtInTypeOf(n, v); t != nil && t.IsArray() && t.Count > 32 {
			c.fail(n.at, vuid.ViewportMaskPerViewNV_04415, "ViewportMaskPerViewNV has %d elements; must have at most 32", t.Count)
		}
	case spirv.BuiltInWorkgroupSize:
		c.workgroupSizeVariable(n, v)
	}
}

// builtInTypeOf returns the type of the decorated variable or member.
func (c *builtIns) builtInTypeOf(n *builtInNote, v *facts.Variable) *facts.Type {
	if n.member < 0 {
		return v.Type
	}
	return c.m.Type(n.target).Members[n.member].Type
}

// builtInDecorated reports whether the decorated variable or member has another
// decoration as well.
func (c *builtIns) builtInDecorated(n *builtInNote, kind spirv.Decoration) bool {
	if n.member < 0 {
		return c.m.Has(n.target, kind)
	}
	return c.m.HasMember(n.target, n.member, kind) || c.m.Has(n.target, kind)
}

func (c *builtIns) perView(n *builtInNote, code string) {
	if !c.builtInDecorated(n, spirv.DecorationPerViewNV) {
		c.fail(n.at, code, "%s without PerViewNV; must be decorated with it", n.builtIn)
	}
}

// usersOf yields the entry points with one of the models that use a variable. It
// stops after the same number of (function, entry point) pairs as callersOf.
func (c *builtIns) usersOf(v *facts.Variable, models modelSet, yield func(*facts.EntryPoint) bool) {
	var last *facts.EntryPoint
	for i := range c.m.Functions {
		f := &c.m.Functions[i]
		if c.models[f.Number]&models == 0 || !names(f, v) {
			continue
		}
		for _, e := range c.callersOf(f) {
			if e == last || modelOf(e.Model)&models == 0 {
				continue
			}
			if last = e; !yield(e) {
				return
			}
		}
	}
}

// names reports whether a function names a variable of module scope.
func names(f *facts.Function, v *facts.Variable) bool {
	for _, g := range f.Globals {
		if g == v {
			return true
		}
	}
	return false
}

// builtInMode checks that each entry point with one of the models that uses the
// variable has a mode.
func (c *builtIns) builtInMode(n *builtInNote, v *facts.Variable, models modelSet, mode spirv.ExecutionMode, code string) {
	c.usersOf(v, models, func(e *facts.EntryPoint) bool {
		if e.HasMode(mode) {
			return true
		}
		c.fail(n.at, code, "%s in a %s entry point without %s; must have that mode", n.builtIn, e.Model, mode).also(c, e.Index, "the entry point")
		return false
	})
}

func (c *builtIns) fullyCovered(n *builtInNote, v *facts.Variable) {
	const code = vuid.FullyCoveredEXT_conservativeRasterizationPostDepthCoverage_04235
	c.usersOf(v, inFragment, func(e *facts.EntryPoint) bool {
		if !e.HasMode(spirv.ExecutionModePostDepthCoverage) {
			return true
		}
		if has, known := c.limit(code, "conservativeRasterizationPostDepthCoverage"); known && has == 0 {
			c.fail(n.at, code, "FullyCoveredEXT in an entry point with PostDepthCoverage; needs conservativeRasterizationPostDepthCoverage").also(c, e.Index, "the entry point")
		}
		return false
	})
}

// outputIndex checks Layer and ViewportIndex as outputs before the geometry stage.
func (c *builtIns) outputIndex(n *builtInNote, v *facts.Variable, code string, own spirv.Capability, feature string) {
	used := c.usedBy(v) & (inVertex | inTessellationEvaluation)
	if used == 0 {
		return
	}
	if !c.anyCapable(own, spirv.CapabilityShaderViewportIndexLayerEXT) {
		needs := own.String() + " or ShaderViewportIndexLayerEXT"
		if c.env.Version < Vulkan12 {
			needs = "ShaderViewportIndexLayerEXT" // ShaderLayer and ShaderViewportIndex came with 1.2; before it an extension has both
		}
		c.fail(n.at, code, "%s in a %s entry point; needs the capability %s", n.builtIn, used, needs).also(c, v.Index, "the variable")
		return
	}
	if c.env.Version >= Vulkan12 && !c.feature(code, feature) {
		c.fail(n.at, code, "%s in a %s entry point; needs the feature %s", n.builtIn, used, feature).also(c, v.Index, "the variable")
	}
}

// workgroupSizeVariable checks WorkgroupSize on a variable, which only tile
// shading permits.
func (c *builtIns) workgroupSizeVariable(n *builtInNote, v *facts.Variable) {
	switch tiles := c.tiles; {
	case tiles && v.Storage != spirv.StorageClassInput:
		c.fail(n.at, vuid.WorkgroupSize_TileShadingRateQCOM_10635, "WorkgroupSize has the storage class %s; must be Input if an entry point has TileShadingRateQCOM", v.Storage).also(c, v.Index, "the variable")
	case !tiles && n.member < 0: // a member was reported with its struct
		c.fail(n.at, vuid.WorkgroupSize_04426, "WorkgroupSize is a variable; must be a constant").also(c, v.Index, "the variable")
	}
}
