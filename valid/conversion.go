package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// conversionFamily checks conversion instructions (SPIR-V §3.3.11), as far as the
// typing table does not: widths, bit counts, pointers, and the encodings of
// SPV_EXT_ocp_microscaling_types. Conversions of cooperative matrices are
// checked by cooperative.go.
var conversionFamily = family{
	rules: []Rule{
		{Code: "SPV-Conversion-Width", Section: "SPIR-V 3.3.11", Words: "OpUConvert and OpSConvert change the width, OpFConvert the width or the encoding; OpBitcastExtractEXT narrows it"},
		{Code: "SPV-Conversion-Small", Section: "SPIR-V 2.16.1", Words: "8-bit and 16-bit values without arithmetic in the module are only converted to other widths"},
		{Code: "SPV-Conversion-Bits", Section: "SPIR-V 3.3.11", Words: "OpBitcast preserves the number of bits; a pointer is cast from or to a pointer, an integer scalar, or from SPIR-V 1.5 on a vector of integers with the bits of an address"},
		{Code: "SPV-Conversion-Storage", Section: "SPIR-V 3.3.11", Words: "OpBitcast between pointers preserves the storage class"},
		{Code: "SPV-Conversion-Same", Section: "SPIR-V 3.3.11", Words: "OpBitcast changes the type"},
		{Code: "SPV-Conversion-Pointer", Section: "SPIR-V 3.3.11", Words: "pointers are converted to and from integers only with physical addressing; with PhysicalStorageBuffer64, only pointers to PhysicalStorageBuffer"},
		{Code: "SPV-Conversion-Generic", Section: "SPIR-V 3.3.11", Words: "casts between Generic and Workgroup, CrossWorkgroup, Function or CodeSectionINTEL preserve the pointed-to type"},
		{Code: "SPV-Conversion-CooperativeVector", Section: "SPIR-V, SPV_NV_cooperative_vector", Words: "a cooperative vector is only converted to a cooperative vector of the same length"},
		{Code: "SPV-Conversion-AccelerationStructure", Section: "SPIR-V, SPV_KHR_ray_tracing", Words: "the operand of OpConvertUToAccelerationStructureKHR is a 64-bit unsigned integer or a vector of two 32-bit unsigned integers"},
		{Code: vuid.StandaloneSpirv_PhysicalStorageBuffer64_04710, Section: environment, Words: "pointers are converted to and from 64-bit integers"},
		{Code: vuid.StandaloneSpirv_OpConvertFToU_12465, Section: environment, Words: "floats of microscaling encodings are not converted to or from integers"},
		{Code: vuid.StandaloneSpirv_OpFConvert_12466, Section: environment, Words: "OpFConvert yields no float of a microscaling encoding"},
		{Code: vuid.StandaloneSpirv_OpFConvert_12467, Section: environment, Words: "OpFConvert of a microscaling encoding yields IEEE 754, 8-bit or BFloat16KHR floats"},
		{Code: vuid.StandaloneSpirv_Result_12468, Section: environment, Words: "OpBitcastExtractEXT yields a float of 4 or 6 bits"},
		{Code: vuid.StandaloneSpirv_Base_12469, Section: environment, Words: "the operand of OpBitcastExtractEXT is an integer scalar or vector"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpBitcast:                            (*checker).bitcast,
		spirv.OpConvertPtrToU:                      (*checker).pointerToInteger,
		spirv.OpConvertUToPtr:                      (*checker).pointerToInteger,
		spirv.OpPtrCastToGeneric:                   (*checker).castGeneric,
		spirv.OpGenericCastToPtr:                   (*checker).castGeneric,
		spirv.OpGenericCastToPtrExplicit:           (*checker).castGeneric,
		spirv.OpBitcastExtractEXT:                  (*checker).bitcastExtract,
		spirv.OpConvertUToAccelerationStructureKHR: (*checker).accelerationStructure,
	},
	ops: []group{
		{(*checker).changesWidth, []spirv.Op{spirv.OpUConvert, spirv.OpSConvert, spirv.OpFConvert}},
		{(*checker).changesClass, []spirv.Op{
			spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpQuantizeToF16,
			spirv.OpSatConvertSToU, spirv.OpSatConvertUToS,
		}},
	},
}

// converted returns the types of the result and of the first operand; ok is false
// if either is not known. For vectors of pointers they are the types of a lane.
func (c *subject) converted(in spirv.Inst) (t, x *facts.Type, ok bool) {
	t, x = c.m.Type(in.Type()), c.m.TypeOf(inst.UConvert(in).UnsignedValue())
	if t == nil || x == nil {
		return t, x, false
	}
	t, x = laneTypes(t, x)
	return t, x, true
}

// componentOf returns the scalar type of a scalar, a vector or a cooperative
// matrix.
func componentOf(t *facts.Type) *facts.Type {
	if t.Op == spirv.OpTypeCooperativeMatrixKHR || t.Op == spirv.OpTypeCooperativeMatrixNV {
		return t.Elem
	}
	return t.Scalar()
}

// cooperativeVectors checks that a cooperative vector is only converted to
// another of its length. With LongVectorEXT these types are ordinary vectors.
func (c *checker) cooperativeVectors(i int, in spirv.Inst, t, x *facts.Type) {
	a, b := t.Op == spirv.OpTypeVectorIdEXT, x.Op == spirv.OpTypeVectorIdEXT
	switch {
	case !a && !b || c.capable(spirv.CapabilityLongVectorEXT):
	case a != b:
		c.fail(i, "SPV-Conversion-CooperativeVector", "%s from %s to %s; must be between cooperative vectors", in.Op(), c.typeName(x), c.typeName(t))
	case in.Op() == spirv.OpBitcast && fixedLength(t) && fixedLength(x) && t.Count != x.Count:
		c.fail(i, "SPV-Conversion-CooperativeVector", "OpBitcast of %s to %s; must have the same number of components", c.typeName(x), c.typeName(t))
	}
}

// fixedLength reports whether the number of components of a vector is known.
func fixedLength(t *facts.Type) bool {
	return t.Length == nil || t.Length.Known && !t.Length.Spec
}

// changesWidth checks conversions that must change the width.
func (c *checker) changesWidth(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok {
		return
	}
	c.cooperativeVectors(i, in, t, x)
	a, b := componentOf(t), componentOf(x)
	if a == nil || b == nil {
		return
	}
	if a.Width == b.Width && (in.Op() != spirv.OpFConvert || a.Encoded == b.Encoded && (!a.Encoded || a.Encoding == b.Encoding)) {
		c.fail(i, "SPV-Conversion-Width", "%s from %s to %s; must change the width", in.Op(), c.typeName(x), c.typeName(t))
	}
	if in.Op() != spirv.OpFConvert || !c.vulkan {
		return
	}
	if c.contains(a, holdsMicro) {
		c.fail(i, vuid.StandaloneSpirv_OpFConvert_12466, "OpFConvert yields %s; must yield no microscaling encoding", c.typeName(t))
	}
	if c.contains(b, holdsMicro) && a.Encoded && !c.contains(a, holdsFP8|holdsBF16) {
		c.fail(i, vuid.StandaloneSpirv_OpFConvert_12467, "OpFConvert of %s yields %s; must yield IEEE 754, 8 bits or BFloat16KHR", c.typeName(x), c.typeName(t))
	}
}

// changesClass checks conversions between integers and floats.
func (c *checker) changesClass(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok {
		return
	}
	c.smallConversion(i, in, t, x)
	c.cooperativeVectors(i, in, t, x)
	a, b := componentOf(t), componentOf(x)
	if in.Op() == spirv.OpQuantizeToF16 && a != nil && a.IsFloat() && a.Width != 32 {
		c.fail(i, "SPV-Conversion-Type", "OpQuantizeToF16 of %s; must be of floats of 32 bits", c.typeName(t))
	}
	if c.vulkan && in.Op() != spirv.OpQuantizeToF16 && (c.contains(a, holdsMicro) || c.contains(b, holdsMicro)) {
		c.fail(i, vuid.StandaloneSpirv_OpConvertFToU_12465, "%s from %s to %s; must be no microscaling encoding", in.Op(), c.typeName(x), c.typeName(t))
	}
}

// smallConversion checks that values without arithmetic are not converted, except
// to other widths.
func (c *checker) smallConversion(i int, in spirv.Inst, t, x *facts.Type) {
	if c.capable(spirv.CapabilityShader) && (c.contains(t, holds8|holds16) || c.contains(x, holds8|holds16)) {
		c.fail(i, "SPV-Conversion-Small", "%s of values of 8 or 16 bits without arithmetic; must be a conversion of their width", in.Op())
	}
}

// bitsOf returns the number of bits in a scalar or vector of numbers; false if it
// is not known.
func bitsOf(t *facts.Type) (uint64, bool) {
	s := t.Scalar()
	if s == nil || s.IsBool() || t.IsMatrix() || !fixedLength(t) {
		return 0, false
	}
	return uint64(s.Width) * uint64(t.Components()), true
}

// bitcast checks OpBitcast: equal numbers of bits, and integers opposite pointers.
func (c *checker) bitcast(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok || cooperative(t) && !t.IsVector() || cooperative(x) && !x.IsVector() {
		return
	}
	c.smallConversion(i, in, t, x)
	c.cooperativeVectors(i, in, t, x)
	if t == x {
		c.fail(i, "SPV-Conversion-Same", "OpBitcast of %s to itself; must change the type", c.typeName(x)).warn() // compilers and drivers accept it
	}
	if t.IsPointer() && x.IsPointer() {
		if t.Storage != x.Storage {
			c.fail(i, "SPV-Conversion-Storage", "OpBitcast of a pointer into %s to one into %s; must be of one storage class", x.Storage, t.Storage)
		}
		return
	}
	if t.IsPointer() || x.IsPointer() {
		p, n := t, x
		if x.IsPointer() {
			p, n = x, t
		}
		switch bits, known := bitsOf(n); {
		case !n.IsInt() && !(n.IsVector() && n.Elem.IsInt() && c.castsVectors(n.Elem)):
			c.fail(i, "SPV-Conversion-Bits", "OpBitcast of %s to %s; must have an integer as the other type of %s", c.typeName(x), c.typeName(t), c.typeName(p))
		case !known || !n.IsVector() && p.Storage != spirv.StorageClassPhysicalStorageBuffer: // the width of an address as an integer is no rule
		case c.addressBits(p) != 0 && bits != c.addressBits(p):
			c.fail(i, "SPV-Conversion-Bits", "OpBitcast of %s to %s; must be of %d bits", c.typeName(x), c.typeName(t), c.addressBits(p))
		}
		return
	}
	a, known := bitsOf(t)
	b, known2 := bitsOf(x)
	if known && known2 && a != b {
		c.fail(i, "SPV-Conversion-Bits", "OpBitcast of %s to %s, of %d bits to %d; must preserve the number of bits", c.typeName(x), c.typeName(t), b, a)
	}
}

// castsVectors reports whether vectors of an integer type are cast from and to pointers:
// from SPIR-V 1.5 on, in shaders only those of 32 bits (SPIR-V §2.16.2).
func (c *checker) castsVectors(elem *facts.Type) bool {
	return (c.since(spirv.Version15) || c.m.Extension("SPV_KHR_physical_storage_buffer")) &&
		(elem.Width == 32 || !c.capable(spirv.CapabilityShader))
}

// addressBits returns the number of bits of a physical pointer, or 0.
func (c *checker) addressBits(p *facts.Type) uint64 {
	switch {
	case p.Storage == spirv.StorageClassPhysicalStorageBuffer, c.m.Addressing == spirv.AddressingModelPhysical64:
		return 64
	case c.m.Addressing == spirv.AddressingModelPhysical32:
		return 32
	}
	return 0
}

// pointerToInteger checks OpConvertPtrToU and OpConvertUToPtr.
func (c *checker) pointerToInteger(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok {
		return
	}
	p, n := x, t
	if in.Op() == spirv.OpConvertUToPtr {
		p, n = t, x
	}
	if !p.IsPointer() {
		return
	}
	switch {
	case c.m.Addressing == spirv.AddressingModelLogical:
		c.fail(i, "SPV-Conversion-Pointer", "%s with logical addressing; needs physical addressing", in.Op())
	case c.m.Addressing == spirv.AddressingModelPhysicalStorageBuffer64 && !physical(p):
		c.fail(i, "SPV-Conversion-Pointer", "%s of a pointer to %s; must be to PhysicalStorageBuffer", in.Op(), p.Storage)
	}
	if c.vulkan && c.m.Addressing == spirv.AddressingModelPhysicalStorageBuffer64 && n.IsInt() && n.Width != 64 {
		c.fail(i, vuid.StandaloneSpirv_PhysicalStorageBuffer64_04710, "%s with %s; must be an integer of 64 bits", in.Op(), c.typeName(n))
	}
}

// castGeneric checks casts from and to the storage class Generic.
func (c *checker) castGeneric(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok {
		return
	}
	if !t.IsPointer() || !x.IsPointer() {
		c.fail(i, "SPV-Conversion-Generic", "%s of %s to %s; must be pointers", in.Op(), c.typeName(x), c.typeName(t))
		return
	}
	generic, other := x, t
	if in.Op() == spirv.OpPtrCastToGeneric {
		generic, other = t, x
	}
	named := false
	switch other.Storage {
	case spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassFunction, spirv.StorageClassCodeSectionINTEL:
		named = true
	}
	switch {
	case generic.Storage != spirv.StorageClassGeneric || !named:
		c.fail(i, "SPV-Conversion-Generic", "%s of a pointer to %s yields one to %s; must be between Generic and Workgroup, CrossWorkgroup, Function or CodeSectionINTEL", in.Op(), x.Storage, t.Storage)
	case t.Elem != x.Elem && t.Elem != nil && x.Elem != nil:
		c.fail(i, "SPV-Conversion-Generic", "%s of a pointer to %s yields one to %s; must be the same", in.Op(), c.typeName(x.Elem), c.typeName(t.Elem))
	}
	if in.Op() == spirv.OpGenericCastToPtrExplicit && inst.GenericCastToPtrExplicit(in).Storage() != t.Storage {
		c.fail(i, "SPV-Conversion-Generic", "the storage class is %s; the result points to %s", inst.GenericCastToPtrExplicit(in).Storage(), t.Storage)
	}
}

// bitcastExtract checks OpBitcastExtractEXT.
func (c *checker) bitcastExtract(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok {
		return
	}
	if r, b := t.Scalar(), x.Scalar(); (r.IsInt() || r.IsFloat()) && (b.IsInt() || b.IsFloat()) && b.Width <= r.Width {
		c.fail(i, "SPV-Conversion-Width", "the components of the base have %d bits, those of the result %d; must be wider", b.Width, r.Width)
	}
	if !c.vulkan {
		return
	}
	if !t.Scalar().IsFloat() || t.IsMatrix() || !c.contains(t, holdsTiny) {
		c.fail(i, vuid.StandaloneSpirv_Result_12468, "the result is %s; must be a float of 4 or 6 bits", c.typeName(t))
	}
	if s := x.Scalar(); x.IsMatrix() || !s.IsInt() {
		c.fail(i, vuid.StandaloneSpirv_Base_12469, "the base is %s; must be an integer scalar or vector", c.typeName(x))
	}
}

// accelerationStructure checks OpConvertUToAccelerationStructureKHR.
func (c *checker) accelerationStructure(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok {
		return
	}
	if t.Op != spirv.OpTypeAccelerationStructureKHR {
		c.fail(i, "SPV-Conversion-AccelerationStructure", "the result is %s; must be an acceleration structure", c.typeName(t))
	}
	s := x.Scalar()
	wide := x.IsInt() && x.Width == 64 && !x.Signed
	pair := x.IsVector() && x.Count == 2 && s.IsInt() && s.Width == 32 && !s.Signed
	if !wide && !pair {
		c.fail(i, "SPV-Conversion-AccelerationStructure", "the operand is %s; must be an unsigned integer of 64 bits, or two of 32 bits", c.typeName(x))
	}
}
