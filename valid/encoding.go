package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// encodingFamily checks that floats of other encodings than IEEE 754 are used only
// by the instructions that their extensions permit (SPV_KHR_bfloat16,
// SPV_EXT_float8, SPV_EXT_ocp_microscaling_types), and the device features of
// OpFmaKHR. The encodings in a type are contents (contents.go); conversions are
// checked by conversion.go, cooperative matrices by cooperative.go.
var encodingFamily = family{
	rules: []Rule{
		{Code: "SPV-Encoding-BFloat16", Section: "SPIR-V, SPV_KHR_bfloat16", Words: "the only arithmetic on BFloat16KHR floats is the dot product"},
		{Code: "SPV-Encoding-Float8", Section: "SPIR-V, SPV_EXT_float8", Words: "no arithmetic instruction works on 8-bit floats"},
		{Code: "SPV-Encoding-Microscaling", Section: "SPIR-V, SPV_EXT_ocp_microscaling_types", Words: "values of the microscaling encodings are only constructed, moved, stored, converted and selected"},
		{Code: "SPV-Encoding-Saturated", Section: "SPIR-V, SPV_EXT_float8", Words: "SaturatedToLargestFloat8NormalConversionEXT is on a conversion to 8-bit floats"},
		{Code: vuid.RuntimeSpirv_shaderFmaFloat16_10977, Section: environment, Words: "16-bit OpFmaKHR needs the feature shaderFmaFloat16", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderFmaFloat32_10978, Section: environment, Words: "32-bit OpFmaKHR needs the feature shaderFmaFloat32", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderFmaFloat64_10979, Section: environment, Words: "64-bit OpFmaKHR needs the feature shaderFmaFloat64", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpDot:    (*checker).encodedDot,
		spirv.OpFmaKHR: (*checker).fmaFeature,

		spirv.OpCooperativeMatrixMulAddNV: (*checker).encodedProduct,
	},
	ops:   []group{{(*checker).encoded, encodedOps}},
	after: []func(*checker){(*checker).microscaled},
}

// encodedOps are the instructions that compute with IEEE 754 floats alone.
var encodedOps = append(typing.FloatArithmetic(),
	spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar, spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesVector,
	spirv.OpMatrixTimesMatrix, spirv.OpOuterProduct, spirv.OpExtInst,
	spirv.OpDPdx, spirv.OpDPdy, spirv.OpFwidth, spirv.OpDPdxFine, spirv.OpDPdyFine, spirv.OpFwidthFine,
	spirv.OpDPdxCoarse, spirv.OpDPdyCoarse, spirv.OpFwidthCoarse,
	spirv.OpAtomicExchange, spirv.OpAtomicLoad, spirv.OpAtomicFAddEXT, spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT,
	spirv.OpGroupFAdd, spirv.OpGroupFMin, spirv.OpGroupFMax, spirv.OpGroupBroadcast, spirv.OpGroupFMulKHR,
	spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformBroadcastFirst, spirv.OpGroupNonUniformShuffle,
	spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown,
	spirv.OpGroupNonUniformAllEqual, spirv.OpGroupNonUniformFAdd, spirv.OpGroupNonUniformFMul, spirv.OpGroupNonUniformFMin,
	spirv.OpGroupNonUniformFMax, spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap,
	spirv.OpGroupNonUniformRotateKHR)

// encoded checks the types of an instruction that computes with floats.
func (c *checker) encoded(i int, in spirv.Inst) {
	if c.content.all&(holdsBF16|holdsFP8|holdsMicro) == 0 {
		return
	}
	if c.encodedType(i, c.m.Type(in.Type()), holdsBF16|holdsFP8|holdsMicro) || in.Op() == spirv.OpExtInst {
		return
	}
	for _, w := range in[min(3, len(in)):] { // a comparison of floats yields Booleans
		if t := c.m.TypeOf(spirv.ID(w)); t != nil && !t.IsPointer() && c.encodedType(i, t, holdsBF16|holdsFP8|holdsMicro) {
			return
		}
		if in.Op().Class() != spirv.ClassRelationalAndLogical && in.Op() != spirv.OpGroupNonUniformAllEqual {
			return
		}
	}
}

// encodedType reports a type with a forbidden encoding, and returns whether it did.
func (c *checker) encodedType(i int, t *facts.Type, bad contents) bool {
	if t == nil {
		return false
	}
	s := componentOf(t)
	if s == nil || !s.Encoded {
		return false
	}
	code := "SPV-Encoding-BFloat16"
	switch h := encodingContents(s) & bad; {
	case h == 0:
		return false
	case h&holdsFP8 != 0:
		code = "SPV-Encoding-Float8"
	case h&holdsMicro != 0:
		code = "SPV-Encoding-Microscaling"
	}
	c.fail(i, code, "%s of %s; must be an instruction that supports this encoding", c.code.Inst(i).Op(), c.typeName(t))
	return true
}

// microscaled checks that only instructions that create, move, store, convert or
// select values use values of the microscaling encodings. It scans the functions
// only if the module declares such a type.
func (c *checker) microscaled() {
	micro := false
	for n := range c.m.Types {
		micro = micro || c.contains(&c.m.Types[n], holdsMicro)
	}
	if !micro {
		return
	}
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			if c.code.Known(i) {
				c.microscaledUse(i, c.code.Inst(i))
			}
		}
	}
}

// microscaledUse checks one instruction; encoded has checked encodedOps.
func (c *checker) microscaledUse(i int, in spirv.Inst) {
	op := in.Op()
	switch op.Class() {
	case spirv.ClassAtomic, spirv.ClassGroup, spirv.ClassNonUniform, spirv.ClassImage, spirv.ClassPrimitive, spirv.ClassDerivative,
		spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassRelationalAndLogical:
	default:
		return
	}
	if op == spirv.OpSelect || op == spirv.OpDot || op == spirv.OpCooperativeMatrixMulAddNV || slices.Contains(encodedOps, op) {
		return
	}
	t := (*facts.Type)(nil)
	if op.HasType() {
		t = c.m.Type(in.Type())
	}
	if c.contains(t, holdsMicro) {
		c.fail(i, "SPV-Encoding-Microscaling", "%s yields %s; must only construct, move, store, convert or select values of this encoding", op, c.typeName(t))
		return
	}
	c.idPositions = c.code.IDs(i, c.idPositions[:0])
	for _, at := range c.idPositions {
		if x := c.m.TypeOf(spirv.ID(in[at])); x != nil && !x.IsPointer() && c.contains(x, holdsMicro) {
			c.fail(i, "SPV-Encoding-Microscaling", "%s of %s; must only construct, move, store, convert or select values of this encoding", op, c.typeName(x))
			return
		}
	}
}

// encodedDot checks OpDot, which supports BFloat16KHR.
func (c *checker) encodedDot(i int, in spirv.Inst) {
	bad := holdsFP8 | holdsMicro
	if !c.capable(spirv.CapabilityBFloat16DotProductKHR) {
		bad |= holdsBF16
	}
	c.encodedType(i, c.m.Type(in.Type()), bad)
}

// saturatedTarget checks the target of
// SaturatedToLargestFloat8NormalConversionEXT.
func (c *checker) saturatedTarget(i int, id spirv.ID, d spirv.Inst) {
	switch d.Op() {
	case spirv.OpFConvert, spirv.OpConvertSToF, spirv.OpConvertUToF:
		if t := c.m.Type(d.Type()); t == nil || componentOf(t) == nil || c.contains(componentOf(t), holdsFP8) {
			return
		}
	}
	c.fail(i, "SPV-Encoding-Saturated", "%s is on %s, the result of %s; must be on a conversion to floats of 8 bits", spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT, c.name(id), d.Op())
}

// encodedProduct checks a product of matrices of SPV_NV_cooperative_matrix.
func (c *checker) encodedProduct(i int, in spirv.Inst) {
	for _, w := range in[min(3, len(in)):] {
		if c.encodedType(i, c.m.TypeOf(spirv.ID(w)), holdsBF16|holdsFP8|holdsMicro) {
			return
		}
	}
	c.encodedType(i, c.m.Type(in.Type()), holdsBF16|holdsFP8|holdsMicro)
}

// fmaFeature checks the device feature of OpFmaKHR.
func (c *checker) fmaFeature(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	if !c.vulkan || t == nil || t.Scalar() == nil {
		return
	}
	code, feature := "", ""
	switch t.Scalar().Width {
	case 16:
		code, feature = vuid.RuntimeSpirv_shaderFmaFloat16_10977, "shaderFmaFloat16"
	case 32:
		code, feature = vuid.RuntimeSpirv_shaderFmaFloat32_10978, "shaderFmaFloat32"
	case 64:
		code, feature = vuid.RuntimeSpirv_shaderFmaFloat64_10979, "shaderFmaFloat64"
	default:
		return
	}
	if !c.feature(code, feature) {
		c.fail(i, code, "OpFmaKHR of %s; needs the feature %s", c.typeName(t), feature)
	}
}
