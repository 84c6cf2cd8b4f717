package valid

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// typingFamily checks the types of operands and results with the typing table
// (SPIR-V §3.3). Rules that the table cannot express are in the files of their
// subjects.
var typingFamily = family{rules: typingRules(), ops: typedOps()}

// typedChapters are the chapters of instructions that the typing table covers,
// and the code of the finding. Memory, functions and control flow have more
// detailed rules of their own.
var typedChapters = map[spirv.Class]struct{ code, section, what string }{
	spirv.ClassMiscellaneous:        {"SPV-Expect-Type", "SPIR-V, SPV_KHR_expect_assume", "expectation"},
	spirv.ClassConversion:           {"SPV-Conversion-Type", "SPIR-V 3.3.11", "conversion"},
	spirv.ClassComposite:            {"SPV-Composite-Type", "SPIR-V 3.3.12", "composite"},
	spirv.ClassArithmetic:           {"SPV-Arithmetic-Type", "SPIR-V 3.3.13", "arithmetic"},
	spirv.ClassBit:                  {"SPV-Bit-Type", "SPIR-V 3.3.14", "bit"},
	spirv.ClassRelationalAndLogical: {"SPV-Logic-Type", "SPIR-V 3.3.15", "relational and logical"},
	spirv.ClassDerivative:           {"SPV-Derivative-Type", "SPIR-V 3.3.16", "derivative"},
	spirv.ClassAtomic:               {"SPV-Atomic-Type", "SPIR-V 3.3.18", "atomic"},
	spirv.ClassBarrier:              {"SPV-Barrier-Type", "SPIR-V 3.3.20", "barrier"},
	spirv.ClassGroup:                {"SPV-Group-Type", "SPIR-V 3.3.21", "group"},
	spirv.ClassNonUniform:           {"SPV-NonUniform-Type", "SPIR-V 3.3.24", "non-uniform"},
	spirv.ClassReserved:             {"SPV-IntegerFunctions-Type", "SPIR-V, SPV_INTEL_shader_integer_functions2", "integer function"},
}

// someTyped reports whether an instruction of a class that is checked in part
// alone is checked; the others have rules of their own.
func someTyped(op spirv.Op) bool {
	switch op {
	case spirv.OpExpectKHR, spirv.OpAssumeTrueKHR:
		return true
	case spirv.OpUCountLeadingZerosINTEL, spirv.OpUCountTrailingZerosINTEL,
		spirv.OpAbsISubINTEL, spirv.OpAbsUSubINTEL, spirv.OpIAddSatINTEL, spirv.OpUAddSatINTEL, spirv.OpIAverageINTEL,
		spirv.OpUAverageINTEL, spirv.OpIAverageRoundedINTEL, spirv.OpUAverageRoundedINTEL, spirv.OpISubSatINTEL,
		spirv.OpUSubSatINTEL, spirv.OpIMul32x16INTEL, spirv.OpUMul32x16INTEL:
		return true
	}
	return op.Class() != spirv.ClassReserved && op.Class() != spirv.ClassMiscellaneous
}

func typingRules() []Rule {
	var out []Rule
	for class := range spirv.ClassReserved + 1 {
		if k, ok := typedChapters[class]; ok {
			out = append(out, Rule{Code: k.code, Section: k.section, Words: "the operands and the result of " + k.what + " instructions have the types that each instruction requires"})
		}
	}
	return out
}

// typedOps are the instructions of those chapters that the table knows.
func typedOps() []group {
	rows := group{judge: (*checker).typedByRow}
	forms := group{judge: (*checker).typedByForm}
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		if _, ok := typedChapters[op.Class()]; !ok || !someTyped(op) {
			continue
		}
		if _, ok := typing.Of(op); ok {
			rows.ops = append(rows.ops, op)
		} else if _, ok := typing.FormOf(op); ok {
			forms.ops = append(forms.ops, op)
		}
	}
	return []group{rows, forms}
}

// typedByRow checks an instruction that works component by component.
func (c *checker) typedByRow(i int, in spirv.Inst) {
	row, _ := typing.Of(in.Op())
	if len(in) < 3+len(row.Operands) {
		return
	}
	result := c.m.Type(in.Type())
	if result == nil || cooperative(result) {
		return
	}
	shape, ok := shapeOf(result)
	if !ok || len(row.Operands) > maxRowOperands {
		c.misfit(i, in, 0, result, "must be "+row.Result.String()+", a scalar or a vector")
		return
	}
	var operands [maxRowOperands]typing.Shape
	loose := shape.Count == 0
	for k := range row.Operands {
		t := c.m.TypeOf(spirv.ID(in[3+k]))
		if t == nil || cooperative(t) {
			return
		}
		if operands[k], ok = shapeOf(t); !ok {
			c.misfit(i, in, k+1, t, "must be "+row.Operands[k].Class.String()+", a scalar or a vector")
			return
		}
		loose = loose || operands[k].Count == 0
	}
	if loose { // vectors of which the length of one is not known are taken to be as long
		sameCount(&shape)
		for k := range row.Operands {
			sameCount(&operands[k])
		}
	}
	switch k := row.Misfit(shape, operands[:len(row.Operands)]); {
	case k == 0:
		c.misfit(i, in, 0, result, "must be "+row.Result.String())
	case k > 0:
		c.misfit(i, in, k, c.m.TypeOf(spirv.ID(in[2+k])), "must be "+rowWords(row.Operands[k-1])+"; the result is "+c.typeName(result))
	}
}

// sameCount makes vectors as long as each other.
func sameCount(s *typing.Shape) {
	if s.Count != 1 {
		s.Count = 2
	}
}

// maxRowOperands is how many operands a row has at most.
const maxRowOperands = 4

// rowWords describes the requirement on an operand of a row.
func rowWords(o typing.Operand) string {
	how := [...]string{
		"of as many components as the result", "of the type of the result", "of as many components and bits as the result",
		"of the type of operand 1", "of as many components and bits as operand 1", "a scalar", "a vector",
	}
	return o.Class.String() + ", " + how[o.Relation]
}

// shapeOf returns the shape of a type for a row, false if the type is no scalar or
// vector of numbers or Booleans. The count of a vector is 0 if it is not known
// before specialization.
func shapeOf(t *facts.Type) (typing.Shape, bool) {
	s := t.Scalar()
	if !t.IsScalar() && !t.IsVector() || s == nil {
		return typing.Shape{}, false
	}
	out := typing.Shape{Width: uint8(s.Width), Count: uint8(min(t.Components(), 255))}
	if t.Op == spirv.OpTypeVectorIdEXT {
		out.Count = uint8(min(lengthOf(t), 255))
	}
	switch {
	case s.IsBool():
		out.Class, out.Width = typing.Bool, 1
	case s.IsInt() && s.Signed:
		out.Class = typing.Int
	case s.IsInt():
		out.Class = typing.UInt
	case s.IsFloat():
		out.Class = typing.Float
	default:
		return out, false
	}
	return out, true
}

// cooperative reports whether a type is a cooperative matrix. The componentwise
// instructions on them have rules in files of their own.
func cooperative(t *facts.Type) bool {
	switch t.Op {
	case spirv.OpTypeCooperativeMatrixKHR, spirv.OpTypeCooperativeMatrixNV:
		return true
	}
	return false
}

// typedSpec checks the types of the operation of an OpSpecConstantOp like the
// types of the instruction itself.
func (c *checker) typedSpec(i int, op spirv.Op, in spirv.Inst) {
	if _, ok := typedChapters[op.Class()]; !ok || len(in) < 5 {
		return
	}
	as := make(spirv.Inst, 0, len(in)-1)
	as = append(append(as, spirv.Head(op, len(in)-1), in[1], in[2]), in[4:]...)
	if _, ok := typing.Of(op); ok {
		c.typedByRow(i, as)
	} else if _, ok := typing.FormOf(op); ok {
		c.typedAs(i, in, as)
	}
	switch op {
	case spirv.OpCompositeExtract:
		c.compositeExtract(i, as)
	case spirv.OpCompositeInsert:
		c.compositeInsert(i, as)
	case spirv.OpVectorShuffle:
		c.vectorShuffle(i, as)
	case spirv.OpSelect:
		c.choice(i, as)
	case spirv.OpUConvert, spirv.OpSConvert, spirv.OpFConvert:
		c.changesWidth(i, as)
	case spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpQuantizeToF16:
		c.changesClass(i, as)
	case spirv.OpBitcast:
		c.bitcast(i, as)
	case spirv.OpConvertPtrToU, spirv.OpConvertUToPtr:
		c.pointerToInteger(i, as)
	case spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr:
		c.castGeneric(i, as)
	}
}

// typedByForm checks the instructions that take more than that.
func (c *checker) typedByForm(i int, in spirv.Inst) { c.typedAs(i, in, in) }

// typedAs checks instruction in, whose operands whole has. They differ only for
// OpSpecConstantOp: then in is the operation and whole the instruction itself. None
// of its operations has ids among the operands without a fixed place.
func (c *checker) typedAs(i int, whole, in spirv.Inst) {
	op := in.Op()
	form := typing.FormAt(op)
	var result typing.View
	var t *facts.Type
	if op.HasType() {
		if t = c.m.Type(in.Type()); t == nil || cooperative(t) && matrixRules(op) {
			return
		}
		result = t.View()
	}
	if !c.viewOperands(i, in, whole.Op() == op) || slices.ContainsFunc(c.viewed, func(x *facts.Type) bool { return x != nil && cooperative(x) }) && matrixRules(op) {
		return
	}
	if t != nil && op.Class() == spirv.ClassConversion && len(c.viewed) > 0 && c.viewed[0] != nil { // of a lane, for vectors of pointers
		a, b := laneTypes(t, c.viewed[0])
		result, c.views[0] = a.View(), b.View()
	}
	if op == spirv.OpSelect && c.selectsHandle(t) {
		return
	}
	switch k := form.Misfit(result, c.views); {
	case k == 0:
		c.misfit(i, in, 0, t, "must be "+patternWords(form.Result))
	case k > 0 && k <= len(c.viewed):
		p := form.Operands[min(k, len(form.Operands))-1]
		words := "must be " + patternWords(p)
		if t != nil {
			words += "; the result is " + c.typeName(t)
		}
		c.misfit(i, in, k, c.viewed[k-1], words)
	}
}

// selectsHandle reports whether an OpSelect, whose operands are viewed, is between two images or samplers
// of its type by a Boolean, which SPV_NV_bindless_texture permits from SPIR-V 1.5 on.
func (c *checker) selectsHandle(t *facts.Type) bool {
	switch t.Op {
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage:
		v := c.viewed
		return c.capable(spirv.CapabilityBindlessTextureNV) && c.since(spirv.Version15) && len(v) == 3 && v[0].IsBool() && v[1] == t && v[2] == t
	}
	return false
}

// viewOperands fills views and viewed with the id operands of instruction i,
// without the ids of enumerants; with those at no fixed place only if tail is set. It
// returns false if the type of an operand is not known.
func (c *checker) viewOperands(i int, in spirv.Inst, tail bool) bool {
	c.views, c.viewed = c.views[:0], c.viewed[:0]
	o := opcodes[in.Op()]
	for ids := o.ids; ids != 0; ids &= ids - 1 {
		if !c.viewOperand(spirv.ID(in[1+bits.TrailingZeros32(ids)])) {
			return false
		}
	}
	if o.rest {
		for _, id := range in[o.fixed:] {
			if !c.viewOperand(spirv.ID(id)) {
				return false
			}
		}
		return true
	}
	if !tail || o.tail == nil || len(in) <= o.fixed {
		return true
	}
	w, ok := c.code.Tail(i)
	for ok && w.Next() {
		if w.Kind.Category() == spirv.CategoryID && !w.Parameter && !c.viewOperand(spirv.ID(w.Words[0])) {
			return false
		}
	}
	return true
}

func (c *checker) viewOperand(id spirv.ID) bool {
	o := c.m.Type(id)
	if o == nil {
		o = c.m.TypeOf(id)
	}
	if o == nil && !c.typeless(id) {
		return false
	}
	c.views, c.viewed = append(c.views, o.View()), append(c.viewed, o)
	return true
}

// typeless reports whether an id is known to have no type: an instruction
// without a type defines it. If the type is missing, the answer is false.
func (c *subject) typeless(id spirv.ID) bool {
	d := c.code.Def(id)
	return d >= 0 && !c.code.Inst(d).Op().HasType()
}

// matrixRules reports whether an instruction that has no row has rules of its own
// on cooperative matrices.
func matrixRules(op spirv.Op) bool {
	switch op {
	case spirv.OpCompositeConstructCoopMatQCOM, spirv.OpCompositeExtractCoopMatQCOM, spirv.OpSelect:
		return true
	case spirv.OpConvertPtrToU, spirv.OpConvertUToPtr, spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr, spirv.OpGenericCastToPtrExplicit,
		spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat,
		spirv.OpFDot2MixAcc32VALVE, spirv.OpFDot2MixAcc16VALVE, spirv.OpFDot4MixAcc32VALVE:
		return false // their operands are of the types of their forms
	}
	class := op.Class()
	return class == spirv.ClassConversion || class == spirv.ClassArithmetic || strings.HasPrefix(op.Row().Name(), "Cooperative")
}

// misfit reports a type that does not fit. An operand without a type is told by
// the rules of ids, but of instructions that may name one.
func (c *checker) misfit(i int, in spirv.Inst, place int, t *facts.Type, must string) {
	if op := in.Op(); place > 0 && t == nil && !namesUntyped(op, 0) && !namesFunction(op) {
		return
	}
	what := "the result"
	if place > 0 {
		what = "operand " + itoa(uint64(place))
	}
	name := "an id without a type"
	if t != nil {
		name = c.typeName(t)
	}
	c.fail(i, typedChapters[in.Op().Class()].code, "%s of %s is %s; %s", what, in.Op(), name, must)
}

// patternWords describes the requirement on an operand of a form.
func patternWords(p typing.Pattern) string {
	var kinds []string
	for _, k := range [...]struct {
		shape typing.Shapes
		word  string
	}{
		{typing.One, "a scalar"}, {typing.Vec, "a vector"}, {typing.Mat, "a matrix"}, {typing.Arr, "an array"},
		{typing.Struct, "a struct"}, {typing.Ptr, "a pointer"},
	} {
		if p.Shapes&k.shape != 0 {
			kinds = append(kinds, k.word)
		}
	}
	words := or(kinds)
	if words == "" {
		words = "an id without a type"
	}
	if p.Count != 0 {
		words += " of " + itoa(uint64(p.Count))
	}
	var classes []string
	for _, k := range [...]struct {
		class typing.Classes
		word  string
	}{{typing.OfBool, "Booleans"}, {typing.OfInt, "integers"}, {typing.OfUInt, "unsigned integers"}, {typing.OfFloat, "floats"}} {
		if p.Classes&k.class != 0 && p.Classes != typing.OfAny {
			classes = append(classes, k.word)
		}
	}
	if len(classes) > 0 {
		words += " of " + or(classes)
	}
	if p.Width != 0 {
		words += " of " + itoa(uint64(p.Width)) + " bits"
	}
	var bonds []string
	for _, b := range p.Bonds {
		to := "the result"
		if b.To > 0 {
			to = "operand " + itoa(uint64(b.To))
		}
		bonds = append(bonds, bondWords[b.Link]+to)
	}
	if len(bonds) > 0 {
		words += ", " + strings.Join(bonds, ", ")
	}
	return words
}

// bondWords describes each link of the typing table.
var bondWords = [...]string{
	typing.Same: "of the type of ", typing.PointsAt: "that points to ", typing.PointedAt: "of the type that is pointed to by ",
	typing.PartOf: "of the parts of ", typing.Whole: "with the part types of ", typing.SameLen: "as long as ",
	typing.SameWidth: "as wide as ", typing.SameCount: "with as many components as ", typing.RowsOf: "with rows as long as ",
	typing.LongAsRows: "as long as the rows of ", typing.SharesPart: "with the same parts as ",
}
