package valid

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// debugInfoFamily checks the sets OpenCL.DebugInfo.100 and
// NonSemantic.Shader.DebugInfo.100, which extInst hands their instructions to.
// The two give the instructions that they share the same numbers.
var debugInfoFamily = family{
	rules: []Rule{
		{Code: "SPV-DebugInfo-Operand", Section: "NonSemantic.Shader.DebugInfo, OpenCL.DebugInfo", Words: "each operand is an instruction of the kind that the set defines"},
		{Code: "SPV-DebugInfo-Constant", Section: "NonSemantic.Shader.DebugInfo", Words: "a number is a 32-bit unsigned OpConstant"},
		{Code: "SPV-DebugInfo-Result", Section: "OpenCL.DebugInfo", Words: "an instruction of debug information has the type void"},
		{Code: "SPV-DebugInfo-Version", Section: "NonSemantic.Shader.DebugInfo", Words: "the import names a version that includes the instruction"},
		{Code: "SPV-DebugInfo-Line", Section: "NonSemantic.Shader.DebugInfo", Words: "a line exists in the text of its DebugSource, and ranges do not run backwards"},
		{Code: "SPV-DebugInfo-Column", Section: "NonSemantic.Shader.DebugInfo", Words: "a column is within its line, or directly after its end"},
		{Code: "SPV-DebugInfo-Definition", Section: "NonSemantic.Shader.DebugInfo", Words: "DebugFunctionDefinition is in the entry block of the function that it names"},
		{Code: "SPV-DebugInfo-Count", Section: "NonSemantic.Shader.DebugInfo", Words: "a vector has 2 to 4 components, a matrix 2 to 4 columns"},
		{Code: "SPV-DebugInfo-Size", Section: "NonSemantic.Shader.DebugInfo", Words: "an enumeration has more than 0 bits"},
		{Code: "SPV-DebugInfo-ArrayLength", Section: "NonSemantic.Shader.DebugInfo, OpenCL.DebugInfo", Words: "a variable as the length of an array is a 32-bit or 64-bit unsigned integer"},
		{Code: "SPV-DebugInfo-Place", Section: "NonSemantic.Shader.DebugInfo, OpenCL.DebugInfo", Words: "debug information of instructions is in blocks, all other debug information outside of functions"},
	},
}

// debugOp is an instruction of either set.
type debugOp = spirv.NonSemanticShaderDebugInfoOp

// debugSet is a set of instructions: a bit for each number.
type debugSet uint64

// debugBit returns the set of one instruction.
func debugBit(op debugOp) debugSet {
	switch {
	case op < 48:
		return 1 << op
	case op > 100 && op < 117:
		return 1 << (op - 101 + 48)
	}
	return 0
}

// debugWant is the alternatives for an operand: one of them must hold.
type debugWant struct {
	set      debugSet   // instructions of the same set
	ops      []spirv.Op // other instructions
	constant bool       // a constant
	number   bool       // an OpConstant of 32 bits without sign
}

// Sets that operands must be of.
const (
	debugNone   debugSet = 1 << 0
	debugTypes  debugSet = 0x7ffc | 7<<(108-101+48)
	debugParams debugSet = 1<<15 | 1<<16 | 1<<17
	debugScopes debugSet = 1<<1 | 1<<10 | 1<<20 | 1<<21 | 1<<22 | debugNone
)

// debugWants returns the alternatives for an operand by its name; false if any
// id is allowed.
func debugWants(op debugOp, name string) (w debugWant, ok bool) {
	switch name {
	case "Name", "LinkageName", "File", "Text", "TemplateName", "Identifier", "Path", "CompilerSignature":
		return debugWant{ops: []spirv.Op{spirv.OpString}}, true
	case "Source":
		return debugWant{set: 1 << 35}, true
	case "Parent", "Scope":
		switch op {
		case spirv.NonSemanticShaderDebugInfoDebugTypeCooperativeMatrixKHR:
			return debugWant{constant: true}, true
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
	case "ReturnType", "ActualType":
		return debugWant{set: debugTypes | debugParams | debugNone, ops: []spirv.Op{spirv.OpTypeVoid}}, true
	case "ParameterTypes", "MemberType":
		return debugWant{set: debugTypes | debugParams}, true
	case "UnderlyingType":
		return debugWant{set: debugTypes | debugNone}, true
	}
	return debugWantsMore(op, name)
}

// debugWantsMore is debugWants for the names that are rare.
func debugWantsMore(op debugOp, name string) (w debugWant, ok bool) {
	switch name {
	case "Size", "Offset":
		if op == spirv.NonSemanticShaderDebugInfoDebugTypeComposite {
			return debugWant{constant: true, set: debugNone}, true
		}
		return debugWant{constant: true}, true
	case "Flags", "Line", "Column", "Encoding", "Version", "DWARFVersion", "Language", "StorageClass", "TypeQualifier", "Tag", "ScopeLine",
		"ArgNumber", "LineStart", "LineEnd", "ColumnStart", "ColumnEnd", "Discriminator", "OpCode", "VectorCount", "FPEncoding":
		return debugWant{number: true}, true
	case "ComponentCount":
		return debugWant{number: op != spirv.NonSemanticShaderDebugInfoDebugTypeVectorIdEXT, constant: op == spirv.NonSemanticShaderDebugInfoDebugTypeVectorIdEXT}, true
	case "ComponentCounts":
		return debugWant{constant: true, set: 1<<18 | 1<<26 | debugNone}, true
	case "Members":
		return debugWant{set: 1<<11 | 1<<12 | 1<<19 | 1<<20 | debugTypes}, true
	case "Variable":
		switch op {
		case spirv.NonSemanticShaderDebugInfoDebugGlobalVariable:
			return debugWant{constant: true, set: debugNone, ops: []spirv.Op{spirv.OpVariable, spirv.OpUntypedVariableKHR}}, true
		case spirv.NonSemanticShaderDebugInfoDebugInlinedVariable:
			return debugWant{set: 1 << 26}, true
		}
		return debugWant{ops: []spirv.Op{spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpFunctionParameter, spirv.OpAccessChain, spirv.OpInBoundsAccessChain}}, true
	case "Rows", "Columns", "Use":
		return debugWant{constant: true}, true
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
		return debugWant{number: true}, true
	case "Value":
		if op == spirv.NonSemanticShaderDebugInfoDebugTypeMember {
			return debugWant{constant: true}, true
		}
	case "Indexes":
		return debugWant{constant: true}, true
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

// debugInfo checks instructions of debug information. It has the line lengths of
// the texts that they refer to.
type debugInfo struct {
	*subject
	texts map[spirv.ID][]int32 // by DebugSource, as far as they were needed; nil if it has no text
}

// debug checks an instruction of debug information in a block of a function; both
// are nil outside.
func (c *debugInfo) debug(i int, in spirv.Inst, set spirv.ExtSet, fn *facts.Function, block *facts.Block) {
	op := debugOp(inst.ExtInst(in).Instruction())
	if set == spirv.ExtSetOpenCLDebugInfo100 {
		if t := c.m.Type(in.Type()); t != nil && !t.IsVoid() {
			c.fail(i, "SPV-DebugInfo-Result", "the instruction is %s; must be void", c.typeName(t))
		}
	} else {
		c.debugVersion(i, in, op)
	}
	if inFunction(set, uint32(op)) != (fn != nil) {
		where := "outside of functions"
		if fn != nil {
			where = "in a function"
		}
		c.fail(i, "SPV-DebugInfo-Place", "%s %s; must not be there", op, where)
	}
	c.debugOperands(i, in, op, set)
	c.debugMore(i, in, op, set)
	if w := in[5:]; op == spirv.NonSemanticShaderDebugInfoDebugFunctionDefinition && block != nil &&
		(block.Number != 0 || len(w) > 1 && c.m.Function(spirv.ID(w[1])) != fn) {
		c.fail(i, "SPV-DebugInfo-Definition", "DebugFunctionDefinition in the block %s; must be in the entry block of the function that it names", c.name(block.ID))
	}
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
				names, _ := debugWants(op, "Name")
				s.operands = append(s.operands, debugOperand{name: "Value of", want: debugWant{constant: true}}, debugOperand{name: "Name", want: names})
				continue
			}
			k := debugOperand{name: o.Name(), any: true}
			if w, ok := debugWants(op, k.name); ok && o.Kind == spirv.KindIdRef {
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
	if d == nil {
		return
	}
	for _, o := range want.ops {
		if d.Op() == o {
			return
		}
	}
	if d.Op() == spirv.OpExtInst || d.Op() == spirv.OpExtInstWithForwardRefsKHR {
		if c.m.ExtSet(inst.ExtInst(d).Set()) == set && debugBit(debugOp(inst.ExtInst(d).Instruction()))&want.set != 0 {
			return
		}
	} else if k := c.m.Const(id); k != nil && (want.constant || want.number) {
		ok := k.Type == nil || k.Type.IsInt() || op == spirv.NonSemanticShaderDebugInfoDebugGlobalVariable || name == "Value"
		if want.number && k.Type != nil {
			ok = k.Op == spirv.OpConstant && k.Type.IsInt() && k.Type.Width == 32 && !k.Type.Signed
		}
		if want.constant && (name == "Size" || name == "Offset") {
			ok = ok && k.Op == spirv.OpConstant
		}
		if ok {
			return
		}
	}
	if want.number {
		c.fail(i, "SPV-DebugInfo-Constant", "operand %s of %s is %s; must be an unsigned OpConstant of 32 bits", name, op, c.name(id))
		return
	}
	c.fail(i, "SPV-DebugInfo-Operand", "operand %s of %s is %s, the result of %s; must be of the kind that the set defines", name, op, c.name(id), c.debugName(d)).also(c, c.code.Def(id), "the operand")
}

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

// debugVersion checks that the import's version has the instruction.
func (c *debugInfo) debugVersion(i int, in spirv.Inst, op debugOp) {
	if op != spirv.NonSemanticShaderDebugInfoDebugTypeVectorIdEXT && op != spirv.NonSemanticShaderDebugInfoDebugTypeCooperativeMatrixKHR {
		return
	}
	if d := c.code.DefInst(inst.ExtInst(in).Set()); d != nil && strings.HasSuffix(spirv.String(d[2:]), ".100") {
		c.fail(i, "SPV-DebugInfo-Version", "%s with the import of version 100; must have 101 or later", op)
	}
}

// debugMore checks the rules beyond the kinds of operands: counts, array lengths,
// lines and columns.
func (c *debugInfo) debugMore(i int, in spirv.Inst, op debugOp, set spirv.ExtSet) {
	w := in[5:]
	shader := set == spirv.ExtSetNonSemanticShaderDebugInfo
	switch op {
	case spirv.NonSemanticShaderDebugInfoDebugTypeVector, spirv.NonSemanticShaderDebugInfoDebugTypeMatrix:
		if len(w) > 1 {
			n, ok := int64(w[1]), true
			if shader {
				n, ok = c.m.Const(spirv.ID(w[1])).Int()
			}
			if ok && (n < 1 || n > 4) {
				c.fail(i, "SPV-DebugInfo-Count", "%s of %d; must be 1 to 4", op, n)
			}
		}
	case spirv.NonSemanticShaderDebugInfoDebugTypeInheritance:
		if !shader && len(w) > 1 {
			for _, id := range spirv.IDs(w[:2]) {
				if d := c.code.DefInst(id); len(d) > 6 && d.Op() == spirv.OpExtInst && d[6] == uint32(spirv.OpenCLDebugInfo100CompositeTypeUnion) {
					c.fail(i, "SPV-DebugInfo-Operand", "%s is a union; must be a class or a struct", c.name(id))
				}
			}
		}
	case spirv.NonSemanticShaderDebugInfoDebugTypeArray:
		for _, id := range spirv.IDs(w[min(1, len(w)):]) {
			c.debugLength(i, id, shader)
		}
	case spirv.NonSemanticShaderDebugInfoDebugTypeEnum:
		if len(w) > 6 {
			if n, ok := c.m.Const(spirv.ID(w[6])).Int(); ok && n == 0 {
				c.fail(i, "SPV-DebugInfo-Size", "the enumeration has 0 bits; must have more")
			}
		}
	case spirv.NonSemanticShaderDebugInfoDebugTypeBasic:
		if shader && len(w) > 4 { // the encoding of a float came with version 101
			c.debugOperand(i, op, set, "FPEncoding", spirv.ID(w[4]), debugWant{number: true})
		}
	case spirv.NonSemanticShaderDebugInfoDebugLine:
		if shader && len(w) >= 5 {
			c.debugLine(i, spirv.IDs(w))
		}
	}
	if !shader {
		return
	}
	switch op {
	case spirv.NonSemanticShaderDebugInfoDebugTypedef, spirv.NonSemanticShaderDebugInfoDebugTypeEnum, spirv.NonSemanticShaderDebugInfoDebugTypeComposite,
		spirv.NonSemanticShaderDebugInfoDebugTypeMember, spirv.NonSemanticShaderDebugInfoDebugFunctionDeclaration,
		spirv.NonSemanticShaderDebugInfoDebugGlobalVariable, spirv.NonSemanticShaderDebugInfoDebugLocalVariable:
		if len(w) > 4 {
			c.inText(i, spirv.ID(w[2]), c.m.Const(spirv.ID(w[3])), c.m.Const(spirv.ID(w[4])))
		}
	}
}

// debugLength checks a variable that holds the length of an array: its type is an
// unsigned integer of 32 or 64 bits.
func (c *debugInfo) debugLength(i int, id spirv.ID, shader bool) {
	d := c.debugInst(id)
	if len(d) < 7 || debugOp(d[4]) != spirv.NonSemanticShaderDebugInfoDebugLocalVariable && debugOp(d[4]) != spirv.NonSemanticShaderDebugInfoDebugGlobalVariable {
		return
	}
	t := c.debugInst(spirv.ID(d[6]))
	if len(t) < 8 || debugOp(t[4]) != spirv.NonSemanticShaderDebugInfoDebugTypeBasic {
		return
	}
	bits, ok := c.m.Const(spirv.ID(t[6])).Int()
	encoding, ok2 := int64(t[7]), true
	if shader {
		encoding, ok2 = c.m.Const(spirv.ID(t[7])).Int()
	}
	if ok && bits != 32 && bits != 64 || ok2 && encoding != int64(spirv.OpenCLDebugInfo100BaseTypeAttributeEncodingUnsigned) {
		c.fail(i, "SPV-DebugInfo-ArrayLength", "the length is the variable %s, which is no unsigned integer of 32 or 64 bits; must be one", c.name(id)).also(c, c.code.Def(id), "the variable")
	}
}

// debugInst returns the instruction of debug information that defines an id, nil
// if another instruction defines it.
func (c *debugInfo) debugInst(id spirv.ID) spirv.Inst {
	if d := c.code.DefInst(id); len(d) > 4 && isDebugInfo(c.m, d.Op(), d) {
		return d
	}
	return nil
}

// debugLine checks the range of a DebugLine: source, first and last line, first
// and last column.
func (c *debugInfo) debugLine(i int, w []spirv.ID) {
	var n [4]int64
	for k := range n {
		v, ok := c.m.Const(w[k+1]).Int()
		if !ok {
			return
		}
		n[k] = v
	}
	switch {
	case n[0] == 0:
		c.fail(i, "SPV-DebugInfo-Line", "the first line is 0; must be at least 1")
	case n[1] < n[0]:
		c.fail(i, "SPV-DebugInfo-Line", "the last line is %d, the first %d; must not be before it", n[1], n[0])
	case n[0] == n[1] && n[3] < n[2]:
		c.fail(i, "SPV-DebugInfo-Line", "the last column is %d, the first %d; must not be before it", n[3], n[2])
	default:
		c.inText(i, w[0], c.m.Const(w[2]), c.m.Const(w[4]))
	}
}

// inText checks that a line and a column are in the text of a DebugSource.
func (c *debugInfo) inText(i int, source spirv.ID, line, column *facts.Const) {
	n, ok := line.Int()
	k, ok2 := column.Int()
	if !ok || !ok2 || n == 0 {
		return
	}
	lines, ok := c.textOf(source)
	switch {
	case !ok:
	case n < 0 || n > int64(len(lines)):
		c.fail(i, "SPV-DebugInfo-Line", "line %d of a text of %d; must be an existing line", n, len(lines)).also(c, c.code.Def(source), "the text")
	case k > int64(lines[n-1])+1:
		c.fail(i, "SPV-DebugInfo-Column", "column %d of line %d, which has %d; must be within it or directly after it", k, n, lines[n-1]).also(c, c.code.Def(source), "the text")
	}
}

// textOf returns the length of each line of the text of a DebugSource and the
// DebugSourceContinued instructions after it; false if it has no text.
func (c *debugInfo) textOf(source spirv.ID) ([]int32, bool) {
	if l, ok := c.texts[source]; ok {
		return l, l != nil
	}
	var lines []int32
	if d := c.code.Def(source); d >= 0 {
		if in := c.code.Inst(d); in.Op() == spirv.OpExtInst && debugOp(in[4]) == spirv.NonSemanticShaderDebugInfoDebugSource && len(in) > 6 {
			lines = []int32{0}
			lines = c.addText(lines, spirv.ID(in[6]))
			for n := d + 1; n < c.code.Len(); n++ {
				more := c.code.Inst(n)
				if more.Op() != spirv.OpExtInst || len(more) < 6 || debugOp(more[4]) != spirv.NonSemanticShaderDebugInfoDebugSourceContinued || !isDebugInfo(c.m, more.Op(), more) {
					break
				}
				lines = c.addText(lines, spirv.ID(more[5]))
			}
			if len(lines) > 1 && lines[len(lines)-1] == 0 {
				lines = lines[:len(lines)-1]
			}
		}
	}
	if c.texts == nil {
		c.texts = map[spirv.ID][]int32{}
	}
	c.texts[source] = lines
	return lines, lines != nil
}

// addText adds the lines of an OpString to the last line of a text.
func (c *debugInfo) addText(lines []int32, id spirv.ID) []int32 {
	in := c.code.DefInst(id)
	if in == nil || in.Op() != spirv.OpString {
		return lines
	}
	for _, w := range in[2:] {
		for range 4 {
			switch byte(w) {
			case 0:
				return lines
			case '\n':
				lines = append(lines, 0)
			default:
				lines[len(lines)-1]++
			}
			w >>= 8
		}
	}
	return lines
}
