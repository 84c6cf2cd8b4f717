package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// standaloneFamily checks the rules that a module alone decides and that belong to
// no other family (Vulkan, Standalone SPIR-V Validation).
var standaloneFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_OpUndef_12464, Section: environment, Words: "OpUndef has no image, sampler, sampled image, acceleration structure or tensor type"},
		{Code: vuid.StandaloneSpirv_MaximallyReconvergesKHR_09565, Section: environment, Words: "an entry point with MaximallyReconvergesKHR uses no instruction that regroups invocations"},
		{Code: vuid.StandaloneSpirv_PhysicalStorageBuffer64_04709, Section: environment, Words: "with PhysicalStorageBuffer64, only OpLoad and OpStore use a pointer into a row-major matrix"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpUndef: (*checker).undefOpaque,
	},
	ops: []group{
		{(*checker).repack, []spirv.Op{
			spirv.OpTraceRayKHR, spirv.OpTraceNV, spirv.OpTraceMotionNV, spirv.OpTraceRayMotionNV, spirv.OpExecuteCallableKHR, spirv.OpExecuteCallableNV,
			spirv.OpReportIntersectionKHR, spirv.OpReorderThreadWithHintNV, spirv.OpReorderThreadWithHitObjectNV, spirv.OpReorderThreadWithHintEXT,
			spirv.OpReorderThreadWithHitObjectEXT, spirv.OpHitObjectTraceRayNV, spirv.OpHitObjectTraceRayMotionNV, spirv.OpHitObjectExecuteShaderNV,
			spirv.OpHitObjectTraceRayEXT, spirv.OpHitObjectTraceRayMotionEXT, spirv.OpHitObjectExecuteShaderEXT, spirv.OpHitObjectReorderExecuteShaderEXT,
			spirv.OpHitObjectTraceReorderExecuteEXT, spirv.OpHitObjectTraceMotionReorderExecuteEXT,
		}},
		{(*checker).rowMajorChain, []spirv.Op{
			spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
			spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR,
			spirv.OpUntypedInBoundsPtrAccessChainKHR,
		}},
	},
	after: []func(*checker){(*checker).rowMajorUses},
}

func (c *checker) undefOpaque(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); c.vulkan && t != nil {
		switch t.Op {
		case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage, spirv.OpTypeAccelerationStructureKHR, spirv.OpTypeTensorARM:
			c.fail(i, vuid.StandaloneSpirv_OpUndef_12464, "OpUndef of %s; must not be of an image, sampler, sampled image, acceleration structure or tensor", c.typeName(t)).newer(c)
		}
	}
}

// repack checks the instructions after which the hardware may regroup
// invocations.
func (c *checker) repack(i int, in spirv.Inst) {
	if !c.vulkan || c.fn == nil || !c.capable(spirv.CapabilityShader) || !c.m.Extension("SPV_KHR_maximal_reconvergence") {
		return
	}
	for _, e := range c.callersOf(c.fn) {
		if m, ok := e.Mode(spirv.ExecutionModeMaximallyReconvergesKHR); ok {
			c.fail(m.Index, vuid.StandaloneSpirv_MaximallyReconvergesKHR_09565, "MaximallyReconvergesKHR of the entry point %q, which uses %s; must not use it", e.Name, in.Op()).also(c, i, "the use")
			return
		}
	}
}

// rowMajorChain collects the chains that lead into a row-major matrix.
func (c *checker) rowMajorChain(i int, in spirv.Inst) {
	if !c.vulkan || c.m.Addressing != spirv.AddressingModelPhysicalStorageBuffer64 {
		return
	}
	h := chainOf(in)
	t := c.m.Type(h.baseType)
	if b := c.pointerOf(h.base); t == nil && b != nil {
		t = b.Elem
	}
	rowMajor := false
	for _, id := range h.path {
		switch {
		case t == nil:
			return
		case t.IsStruct():
			n, ok := c.m.Const(id).Int()
			if !ok || n < 0 || n >= int64(len(t.Members)) {
				return
			}
			rowMajor = t.Members[n].RowMajor
			t = t.Members[n].Type
		case t.IsMatrix() && rowMajor:
			c.rowMajors = append(c.rowMajors, i)
			return
		default:
			t = t.Elem
		}
	}
}

// rowMajorUses checks the uses of the collected chains.
func (c *checker) rowMajorUses() {
	if len(c.rowMajors) == 0 {
		return
	}
	of := map[spirv.ID]bool{}
	for _, i := range c.rowMajors {
		of[c.code.Inst(i).Result()] = true
	}
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			c.rowMajorUse(i, of)
		}
	}
}

// rowMajorUse checks one instruction. Debug information does not count as a use.
func (c *checker) rowMajorUse(i int, of map[spirv.ID]bool) {
	in := c.code.Inst(i)
	if in.Op() == spirv.OpExtInst {
		return
	}
	c.idPositions = c.code.IDs(i, c.idPositions[:0])
	for _, at := range c.idPositions {
		id := spirv.ID(in[at])
		if !of[id] || in.Op() == spirv.OpLoad && at == 3 || in.Op() == spirv.OpStore && at == 1 {
			continue
		}
		c.fail(i, vuid.StandaloneSpirv_PhysicalStorageBuffer64_04709, "%s of %s, which points into a row-major matrix; must be OpLoad or OpStore", in.Op(), c.name(id)).also(c, c.code.Def(id), "the access chain")
		return
	}
}
