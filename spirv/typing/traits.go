package typing

import "github.com/chiaro-gpu/chiaro/spirv"

// Traits is a set of properties of an instruction that its types do not tell.
// A row or a form declares them once; the decoder, the validator and the
// lowering derive their lists of instructions from them.
type Traits uint16

// The traits.
const (
	// SpecConstant: OpSpecConstantOp can name the instruction (SPIR-V §3.3.7, and
	// the extensions that add to its list). Package spirv, which decodes the
	// operands of OpSpecConstantOp and cannot import this package, has a copy of
	// the trait in its generated tables: run internal/gen/spirvgen after a change.
	SpecConstant Traits = 1 << iota
	// SpecKernel: OpSpecConstantOp can name it, in modules with the capability
	// Kernel only.
	SpecKernel

	ImplicitLod // samples an image; the level of detail is computed from derivatives
	ExplicitLod // samples an image; operands specify the level of detail
	Gather      // reads one component of four texels
	Projective  // divides the coordinates by their last component
	Dref        // compares texels with a depth reference
	Sparse      // yields a residency code and the texel
	Query       // queries an image, and reads no texel of it
	Processing  // filters or matches blocks of texels (SPV_QCOM_image_processing, SPV_QCOM_image_processing2)
)

// specKernel is the set of traits of SpecKernel.
const specKernel = SpecConstant | SpecKernel

// Has reports whether t contains at least one trait of set.
func (t Traits) Has(set Traits) bool { return t&set != 0 }

// TraitsOf returns the traits of an instruction.
func TraitsOf(op Op) Traits {
	if int(op) < len(traitsAt) {
		return traitsAt[op]
	}
	return 0
}

// With returns the instructions that have at least one trait of set, in order of
// their opcodes.
func With(set Traits) []Op {
	var list []Op
	for op, t := range traitsAt {
		if t.Has(set) {
			list = append(list, Op(op))
		}
	}
	return list
}

// traitsAt has the traits of each opcode.
var traitsAt = func() []Traits {
	t := make([]Traits, opCount())
	for op, r := range table {
		t[op] = r.Traits
	}
	for op, f := range forms {
		t[op] = f.Traits
	}
	for op, traits := range untyped {
		t[op] = traits
	}
	return t
}()

// is declares the traits of a row.
func (r Row) is(t Traits) Row {
	r.Traits |= t
	return r
}

// is declares the traits of a form.
func (f Form) is(t Traits) Form {
	f.Traits |= t
	return f
}

// FloatArithmetic returns the instructions of the table that compute with
// floats or compare them: every row of the chapters Arithmetic, and Relational
// and Logical with a float operand.
func FloatArithmetic() []Op {
	var list []Op
	for op, r := range rowAt {
		c := Op(op).Class()
		if len(r.Operands) > 0 && r.Operands[0].Class == Float && (c == spirv.ClassArithmetic || c == spirv.ClassRelationalAndLogical) {
			list = append(list, Op(op))
		}
	}
	return list
}
