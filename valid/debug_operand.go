package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// debugWant is the alternatives for an operand: one of them must hold.
type debugWant struct {
	set      debugSet    // instructions of the same set
	ops      []spirv.Op  // other instructions
	constant debugNumber // constants
	integer  bool        // any value of an integer type
	value    bool        // any value
	values   spirv.Kind  // the enumeration or the mask that the value of a constant must be of; 0 if any number is allowed
}

// debugNumber is the constants that an operand may be.
type debugNumber uint8

const (
	noConstant   debugNumber = iota
	anyConstant              // of any type
	anInteger                // of an integer type
	aSize                    // of an integer type of 32 or 64 bits
	aCount                   // of such a type, and not 0
	aFixedSize               // an OpConstant of such a type
	aDimension               // of 32 bits without sign
	aNumber                  // an OpConstant of 32 bits without sign
	anEnumerator             // an OpConstant of 32 bits
	aTruth                   // a boolean
)

// Sets that operands must be of.
const (
	debugNone   debugSet = 1 << 0
	debugTypes  debugSet = 0x7ffc | 7<<(108-101+48)
	debugParams debugSet = 1<<15 | 1<<16 | 1<<17
	debugScopes debugSet = 1<<1 | 1<<10 | 1<<20 | 1<<21 | 1<<22 | debugNone
)

// debugWants returns the alternatives for an operand by its name; false if any
// id is allowed.
func debugWants(op debugOp, name string, shader bool) (w debugWant, ok bool) {
	switch name {
	case "Name", "LinkageName", "File", "Text", "TemplateName", "Identifier", "Path", "CompilerSignature", "CommandLineArguments":
		return debugWant{ops: []spirv.Op{spirv.OpString}}, true
	case "Source":
		if op == spirv.NonSemanticShaderDebugInfoDebugMacroDef || op == spirv.NonSemanticShaderDebugInfoDebugMacroUndef {
			return debugWant{ops: []spirv.Op{spirv.OpString}}, true // the name of the file
		}
		return debugWant{set: 1 << 35}, true
	case "Parent", "Scope":
		switch op {
		case spirv.NonSemanticShaderDebugInfoDebugTypeCooperativeMatrixKHR:
			return debugWant{constant: aDimension}, true
		case spirv.NonSemanticShaderDebugInfoDebugTypeMember, spirv.NonSemanticShaderDebugInfoDebugTypeInheritance,
			spirv.NonSemanticShaderDebugInfoDebugTypePtrToMember:
			return debugWant{set: 1 << 10}, true
		}
		return debugWant{set: debugScopes}, true
	case "Child":
		return debugWant{set: 1 << 10}, true
	case "InlinedAt", "Inlined":
		return debugWant{set: 1 << 25}, true
	case "BaseType":
		if op == spirv.NonSemanticShaderDebugInfoDebugTypeVector {
			return debugWant{set: 1 << 2}, true
		}
		return debugWant{set: debugTypes | debugNone}, true
	case "Type", "TypeOperand":
		if op == spirv.NonSemanticShaderDebugInfoDebugFunction || op == spirv.NonSemanticShaderDebugInfoDebugFunctionDeclaration {
			return debugWant{set: 1 << 8}, true
		}
		return debugWant{set: debugTypes | debugParams | debugNone}, true
	case "ActualType":
		return debugWant{set: debugTypes | debugParams | debugNone}, true
	case "ReturnType":
		return debugWant{set: debugTypes | debugParams | debugNone, ops: []spirv.Op{spirv.OpTypeVoid}}, true
	case "ParameterTypes", "MemberType":
		return debugWant{set: debugTypes | debugParams}, true
	case "UnderlyingType":
		return debugWant{set: debugTypes | debugNone}, true
	}
	return debugWantsNumber(op, name, shader)
}

// debugWantsNumber is debugWants for names of constants.
func debugWantsNumber(op debugOp, name string, shader bool) (w debugWant, ok bool) {
	switch name {
	case "Size":
		switch {
		case op == spirv.NonSemanticShaderDebugInfoDebugTypeComposite && shader:
			return debugWant{constant: aSize, set: debugNone}, true
		case op == spirv.NonSemanticShaderDebugInfoDebugTypeComposite:
			return debugWant{constant: aFixedSize, set: debugNone}, true
		case !shader, op == spirv.NonSemanticShaderDebugInfoDebugTypeBasic, op == spirv.NonSemanticShaderDebugInfoDebugTypeEnum:
			return debugWant{constant: aFixedSize}, true
		}
		return debugWant{constant: aSize}, true
	case "Offset":
		if !shader {
			return debugWant{constant: aFixedSize}, true
		}
		return debugWant{constant: anInteger}, true
	case "ComponentCounts":
		if !shader { // OpenCL C has no arrays without a length
			return debugWant{constant: aCount, set: 1<<18 | 1<<26 | debugNone}, true
		}
		return debugWant{constant: aSize, set: 1<<18 | 1<<26 | debugNone}, true
	case "ComponentCount":
		if op == spirv.NonSemanticShaderDebugInfoDebugTypeVectorIdEXT {
			return debugWant{constant: aDimension}, true
		}
		return debugWant{constant: aNumber}, true
	case "Rows", "Columns", "Use":
		return debugWant{constant: aDimension}, true
	case "ColumnMajor":
		return debugWant{constant: aTruth}, true
	case "Indexes":
		return debugWant{integer: true}, true
	case "Line", "Column", "Version", "DWARFVersion", "Language", "ScopeLine", "ArgNumber", "LineStart", "LineEnd",
		"ColumnStart", "ColumnEnd", "Discriminator", "VectorCount":
		return debugWant{constant: aNumber}, true
	}
	if k := debugValues(op, name); k != 0 {
		return debugWant{constant: aNumber, values: k}, true
	}
	return debugWantsMore(op, name)
}

// debugValues returns the enumeration or the mask that the constant of an operand
// has a value of, 0 if there is none.
func debugValues(op debugOp, name string) spirv.Kind {
	switch name {
	case "Flags":
		if op == spirv.NonSemanticShaderDebugInfoDebugBuildIdentifier {
			return spirv.KindNonSemanticShaderDebugInfoBuildIdentifierFlags
		}
		return spirv.KindNonSemanticShaderDebugInfoFlags
	case "Encoding":
		return spirv.KindNonSemanticShaderDebugInfoBaseTypeAttributeEncoding
	case "FPEncoding":
		return spirv.KindFPEncoding
	case "StorageClass":
		return spirv.KindStorageClass
	case "TypeQualifier":
		return spirv.KindNonSemanticShaderDebugInfoTypeQualifier
	case "OpCode":
		return spirv.KindNonSemanticShaderDebugInfoOperation
	case "Tag":
		if op == spirv.NonSemanticShaderDebugInfoDebugImportedEntity {
			return spirv.KindNonSemanticShaderDebugInfoImportedEntity
		}
		return spirv.KindNonSemanticShaderDebugInfoCompositeType
	}
	return 0
}

// debugWantsMore is debugWants for the names that are rare.
func debugWantsMore(op debugOp, name string) (w debugWant, ok bool) {
	switch name {
	case "Members":
		return debugWant{set: 1<<11 | 1<<12 | 1<<20}, true
	case "Variable":
		switch op {
		case spirv.NonSemanticShaderDebugInfoDebugGlobalVariable:
			return debugWant{constant: anyConstant, set: debugNone | 1<<31, ops: []spirv.Op{spirv.OpVariable, spirv.OpUntypedVariableKHR}}, true
		case spirv.NonSemanticShaderDebugInfoDebugInlinedVariable:
			return debugWant{set: 1 << 26}, true
		}
		return debugWant{ops: []spirv.Op{spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpFunctionParameter, spirv.OpAccessChain, spirv.OpInBoundsAccessChain}}, true
	case "StaticMemberDeclaration":
		return debugWant{set: 1 << 11}, true
	case "Declaration":
		return debugWant{set: 1<<19 | debugNone}, true
	case "Function":
		if op == spirv.NonSemanticShaderDebugInfoDebugFunctionDefinition {
			return debugWant{set: 1 << 20}, true
		}
		return debugWant{set: debugNone, ops: []spirv.Op{spirv.OpFunction}}, true
	case "Definition":
		return debugWant{ops: []spirv.Op{spirv.OpFunction}}, true
	case "LocalVariable":
		return debugWant{set: 1 << 26}, true
	case "Expression":
		return debugWant{set: 1 << 31}, true
	case "Operands":
		if op == spirv.NonSemanticShaderDebugInfoDebugExpression {
			return debugWant{set: 1 << 30}, true
		}
		return debugWant{constant: aNumber}, true
	case "Value":
		switch op {
		case spirv.NonSemanticShaderDebugInfoDebugTypeMember:
			return debugWant{constant: anyConstant}, true
		case spirv.NonSemanticShaderDebugInfoDebugTypeTemplateParameter:
			return debugWant{constant: anInteger, set: debugNone}, true
		case spirv.NonSemanticShaderDebugInfoDebugMacroDef:
			return debugWant{ops: []spirv.Op{spirv.OpString}}, true
		case spirv.NonSemanticShaderDebugInfoDebugValue:
			return debugWant{value: true, set: debugNone}, true
		}
	case "Entity":
		return debugWant{set: ^debugSet(0)}, true
	case "Target":
		return debugWant{set: 1<<10 | 1<<20}, true
	case "Parameters", "TemplateParameters":
		return debugWant{set: debugParams}, true
	case "EntryPoint":
		return debugWant{set: 1 << 20}, true
	case "CompilationUnit":
		return debugWant{set: 1 << 1}, true
	case "VectorType":
		return debugWant{set: 1 << 6}, true
	case "ComponentType":
		return debugWant{set: 1 << 2}, true
	case "Macro":
		return debugWant{set: 1 << 32}, true
	}
	return debugWant{}, false
}

// debugShape is the requirements on the operands of an instruction, each of which
// is one word. The last row also applies to a list at the end.
type debugShape struct {
	operands []debugOperand
	repeated bool // the last one may occur any number of times
}

// debugOperand is the requirement on one operand.
type debugOperand struct {
	name string
	want debugWant
	any  bool // any id is allowed
}

// debugShapes are the instructions of the two sets, by their numbers.
var debugShapes = [2][]debugShape{newDebugShapes(spirv.ExtSetNonSemanticShaderDebugInfo), newDebugShapes(spirv.ExtSetOpenCLDebugInfo100)}

func newDebugShapes(set spirv.ExtSet) []debugShape {
	shader := set == spirv.ExtSetNonSemanticShaderDebugInfo
	var out []debugShape
	for _, r := range set.Insts() {
		op := debugOp(r.Value())
		for len(out) <= int(op) {
			out = append(out, debugShape{})
		}
		s := &out[op]
		for _, o := range r.Operands() {
			s.repeated = o.Quant == spirv.Repeated
			if o.Kind.Category() == spirv.CategoryPair { // of DebugTypeEnum: a value, and its name
				names, _ := debugWants(op, "Name", shader)
				s.operands = append(s.operands, debugOperand{name: "Value of", want: debugWant{constant: anEnumerator}}, debugOperand{name: "Name", want: names})
				continue
			}
			k := debugOperand{name: o.Name(), any: true}
			if w, ok := debugWants(op, k.name, shader); ok && o.Kind == spirv.KindIdRef {
				k.want, k.any = w, false
			}
			s.operands = append(s.operands, k)
		}
	}
	return out
}

// debugOperands checks the operands of an instruction.
func (c *debugInfo) debugOperands(i int, in spirv.Inst, op debugOp, set spirv.ExtSet) {
	shapes := debugShapes[0]
	if set == spirv.ExtSetOpenCLDebugInfo100 {
		shapes = debugShapes[1]
	}
	if int(op) >= len(shapes) {
		return
	}
	s := &shapes[op]
	list := s.operands
	for at := 5; at < len(in) && len(list) > 0; at++ {
		o := &list[0]
		switch {
		case len(list) > 1 || !s.repeated:
			list = list[1:]
		case o.name == "Name" && len(s.operands) > 1 && s.operands[len(s.operands)-2].name == "Value of":
			list = s.operands[len(s.operands)-2:]
		}
		if !o.any {
			c.debugOperand(i, op, set, o.name, spirv.ID(in[at]), o.want)
		}
	}
}

// debugOperand checks one operand.
func (c *debugInfo) debugOperand(i int, op debugOp, set spirv.ExtSet, name string, id spirv.ID, want debugWant) {
	d := c.code.DefInst(id)
	if d == nil || slices.Contains(want.ops, d.Op()) {
		return
	}
	debug := isDebugInfo(c.m, d.Op(), d)
	switch k := c.m.Const(id); {
	case debug:
		if c.m.ExtSet(inst.ExtInst(d).Set()) == set && debugBit(debugOp(inst.ExtInst(d).Instruction()))&want.set != 0 {
			return
		}
	case k != nil && want.constant.fits(k):
		if v, ok := k.Int(); ok && want.values != 0 && !valueOf(want.values, uint32(v)) && c.importVersion(i) <= debugVersions {
			c.fail(i, "SPV-DebugInfo-Value", "operand %s of %s is %d; must be a value of %s", name, op, v, want.values)
		}
		return
	case want.value && c.m.TypeOf(id) != nil, want.integer && isInteger(c.m.TypeOf(id)):
		return
	}
	if want.constant == aNumber {
		c.fail(i, "SPV-DebugInfo-Constant", "operand %s of %s is %s; must be an unsigned OpConstant of 32 bits", name, op, c.name(id))
		return
	}
	c.fail(i, "SPV-DebugInfo-Operand", "operand %s of %s is %s, the result of %s; must be of the kind that the set defines", name, op, c.name(id), c.debugName(d)).also(c, c.code.Def(id), "the operand")
}

// fits reports whether a constant is one that an operand may be. The type of a
// constant is nil in a faulty module.
func (n debugNumber) fits(k *facts.Const) bool {
	if n == noConstant {
		return false
	}
	t := k.Type
	if t == nil || n == anyConstant {
		return true
	}
	fixed := k.Op == spirv.OpConstant
	switch n {
	case anInteger:
		return t.IsInt()
	case aSize:
		return t.IsInt() && (t.Width == 32 || t.Width == 64)
	case aCount:
		n, known := k.Int()
		return t.IsInt() && (t.Width == 32 || t.Width == 64) && (!known || n != 0)
	case aFixedSize:
		return fixed && t.IsInt() && (t.Width == 32 || t.Width == 64)
	case aDimension:
		return t.IsInt() && t.Width == 32 && !t.Signed
	case aNumber:
		return fixed && t.IsInt() && t.Width == 32 && !t.Signed
	case anEnumerator:
		return fixed && t.IsInt() && t.Width == 32
	case aTruth:
		return t.IsBool()
	}
	return false
}

// valueOf reports whether a number is a value of an enumeration or a combination
// of the bits of a mask.
func valueOf(k spirv.Kind, v uint32) bool {
	if k.Category() != spirv.CategoryMask {
		return k.Enumerant(v) != nil
	}
	for ; v != 0; v &= v - 1 {
		if k.Enumerant(v&-v) == nil {
			return false
		}
	}
	return true
}

// isInteger reports whether t is an integer type.
func isInteger(t *facts.Type) bool { return t != nil && t.IsInt() }

// debugName returns the name of an instruction in messages.
func (c *debugInfo) debugName(d spirv.Inst) string {
	if d.Op() != spirv.OpExtInst && d.Op() != spirv.OpExtInstWithForwardRefsKHR {
		return d.Op().String()
	}
	v := inst.ExtInst(d)
	if r := c.m.ExtSet(v.Set()).Inst(v.Instruction()); r != nil {
		return r.Name()
	}
	return d.Op().String()
}
