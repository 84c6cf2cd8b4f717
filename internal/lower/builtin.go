package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// builtin is a built-in variable of a compute program.
type builtin struct {
	kind spirv.BuiltIn
	n    int // components
}

// semantics are the built-ins that are inputs of a program: the semantic of component 0
// and the number of components.
var semantics = map[spirv.BuiltIn]struct {
	first ir.Semantic
	n     int
}{
	spirv.BuiltInGlobalInvocationId:           {ir.GlobalInvocationIdX, 3},
	spirv.BuiltInLocalInvocationId:            {ir.LocalInvocationIdX, 3},
	spirv.BuiltInWorkgroupId:                  {ir.WorkgroupIdX, 3},
	spirv.BuiltInNumWorkgroups:                {ir.NumWorkgroupsX, 3},
	spirv.BuiltInLocalInvocationIndex:         {ir.LocalInvocationIndex, 1},
	spirv.BuiltInSubgroupLocalInvocationId:    {ir.SubgroupLocalInvocationId, 1},
	spirv.BuiltInSubgroupId:                   {ir.SubgroupId, 1},
	spirv.BuiltInNumSubgroups:                 {ir.NumSubgroups, 1},
	spirv.BuiltInShaderIndexAMDX:              {ir.NodeIndex, 1},
	spirv.BuiltInRemainingRecursionLevelsAMDX: {ir.NodeRecursion, 1},
}

// components returns the number of components of a built-in, 0 if it is not lowered.
func components(k spirv.BuiltIn) int {
	switch k {
	case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask,
		spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask:
		return 4
	case spirv.BuiltInWorkgroupSize:
		return 3
	case spirv.BuiltInTileOffsetQCOM, spirv.BuiltInTileApronSizeQCOM:
		return 2
	case spirv.BuiltInTileDimensionQCOM:
		return 3
	case spirv.BuiltInSubgroupSize, spirv.BuiltInDeviceIndex,
		spirv.BuiltInCoreIDARM, spirv.BuiltInCoreCountARM, spirv.BuiltInCoreMaxIDARM,
		spirv.BuiltInWarpIDARM, spirv.BuiltInWarpMaxIDARM,
		spirv.BuiltInWarpsPerSMNV, spirv.BuiltInSMCountNV, spirv.BuiltInWarpIDNV, spirv.BuiltInSMIDNV:
		return 1
	}
	return semantics[k].n
}

// computeInput declares an Input variable of a compute program.
func (u *unit) computeInput(p *pointer, v *facts.Variable) {
	p.memory = inInput
	if k, ok := u.facts.BuiltIn(v.ID); ok {
		p.built = u.builtinOf(k, v.Type)
	} else if !v.Type.IsStruct() {
		u.unsupported("an input that is not a built-in")
	}
}

// builtinOf returns a built-in; t must be its type.
func (u *unit) builtinOf(k spirv.BuiltIn, t *facts.Type) *builtin {
	n := components(k)
	if n == 0 {
		u.unsupported("%s", k)
	}
	if t == nil {
		u.malformed("a type is missing")
	}
	if k == spirv.BuiltInTileDimensionQCOM && t.Leaves == 2 {
		n = 2 // Vulkan's text; that of SPV_QCOM_tile_shading has the layers too
	}
	if s := t.Scalar(); t.Leaves != uint64(n) || s == nil || !s.IsInt() || s.Width != 32 {
		u.malformed("the type of %s differs from its required type", k)
	}
	return &builtin{k, n}
}

// stepBlockMember goes from a block of built-ins to a member.
func (u *unit) stepBlockMember(p *pointer, i int) {
	d, ok := u.facts.MemberDecoration(p.typ.ID, i, spirv.DecorationBuiltIn)
	if !ok {
		u.unsupported("an input that is not a built-in")
	}
	t := p.typ.Members[i].Type
	p.built, p.typ = u.builtinOf(spirv.BuiltIn(d.Literal()), t), t
}

// loadInput reads one component of a built-in.
func (f *function) loadInput(p *pointer) ir.V {
	k := p.built
	if p.offset.dyn == 0 {
		if p.offset.imm >= uint64(k.n) {
			return f.b.I32(0)
		}
		return f.builtIn(k.kind, int(p.offset.imm))
	}
	parts := make([]ir.V, k.n)
	for i := range parts {
		parts[i] = f.builtIn(k.kind, i)
	}
	return f.selectPart(parts, operand{v: f.offsetValue(p.offset)})
}

// builtIn returns component i of a built-in.
func (f *function) builtIn(k spirv.BuiltIn, i int) ir.V {
	switch k {
	case spirv.BuiltInSubgroupSize:
		return f.b.I32(f.options.SubgroupSize)
	// The device is one core that runs one workgroup at a time: the workgroup's
	// subgroups are its warps.
	case spirv.BuiltInDeviceIndex, spirv.BuiltInCoreIDARM, spirv.BuiltInCoreMaxIDARM, spirv.BuiltInSMIDNV:
		return f.b.I32(0)
	case spirv.BuiltInCoreCountARM, spirv.BuiltInSMCountNV:
		return f.b.I32(1)
	case spirv.BuiltInWarpIDARM, spirv.BuiltInWarpIDNV:
		return f.input32(ir.SubgroupId)
	case spirv.BuiltInWarpsPerSMNV:
		return f.input32(ir.NumSubgroups)
	case spirv.BuiltInWarpMaxIDARM:
		return f.b.Op(ir.Sub, ir.I32, f.input32(ir.NumSubgroups), f.b.I32(1))
	case spirv.BuiltInWorkgroupSize:
		return f.b.I32(f.prog.LocalSize[i])
	case spirv.BuiltInTileOffsetQCOM, spirv.BuiltInTileDimensionQCOM, spirv.BuiltInTileApronSizeQCOM:
		return f.tileBuiltIn(k, i)
	case spirv.BuiltInSubgroupEqMask:
		return f.maskWord(equalMask, i)
	case spirv.BuiltInSubgroupGeMask:
		return f.maskWord(atLeastMask, i)
	case spirv.BuiltInSubgroupGtMask:
		return f.maskWord(aboveMask, i)
	case spirv.BuiltInSubgroupLeMask:
		return f.maskWord(atMostMask, i)
	case spirv.BuiltInSubgroupLtMask:
		return f.maskWord(belowMask, i)
	}
	if f.quads {
		if v, ok := f.inQuads(k, i); ok {
			return v
		}
	}
	return f.input32(semantics[k].first + ir.Semantic(i))
}

// input32 reads an input of the program of type i32.
func (f *function) input32(s ir.Semantic) ir.V {
	return f.b.OpAux(ir.In, ir.I32, f.inputNumber(ir.Input{Semantic: s, Type: ir.I32}))
}
