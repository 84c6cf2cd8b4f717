package valid

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// debugVersion checks that the import's version has the instruction and its
// operands.
func (c *debugInfo) debugVersion(i int, in spirv.Inst, op debugOp) {
	switch {
	case op == spirv.NonSemanticShaderDebugInfoDebugTypeVectorIdEXT, op == spirv.NonSemanticShaderDebugInfoDebugTypeCooperativeMatrixKHR:
	case op == spirv.NonSemanticShaderDebugInfoDebugTypeBasic && len(in) > 9: // the encoding of a float
	default:
		return
	}
	if c.importVersion(i) == 100 {
		c.fail(i, "SPV-DebugInfo-Version", "%s with the import of version 100; must have 101 or later", op)
	}
}

// debugVersions is the newest version of the set for shaders. Later ones may have
// further values.
const debugVersions = 101

// importVersion returns the version that the import of an instruction names, 0 if
// it names none.
func (c *debugInfo) importVersion(i int) uint64 {
	d := c.code.DefInst(inst.ExtInst(c.code.Inst(i)).Set())
	if d == nil {
		return 0
	}
	_, version, _ := strings.Cut(spirv.String(d[2:]), "Info.")
	n, _ := strconv.ParseUint(version, 10, 32)
	return n
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
			c.noUnion(i, spirv.ID(w[0]), shader)
			c.noUnion(i, spirv.ID(w[1]), shader)
		} else if len(w) > 0 {
			c.noUnion(i, spirv.ID(w[0]), shader)
		}
	case spirv.NonSemanticShaderDebugInfoDebugTypePtrToMember:
		if len(w) > 1 {
			c.noUnion(i, spirv.ID(w[1]), shader)
		}
	case spirv.NonSemanticShaderDebugInfoDebugTypeTemplateParameterPack:
		for _, id := range spirv.IDs(w[min(4, len(w)):]) {
			c.debugOperand(i, op, set, "TemplateParameters", id, debugWant{set: 1 << 15})
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
			c.debugEncoding(i, op, set, w)
		}
	}
	c.debugPlace(i, w, op, shader)
	if !shader {
		return
	}
	switch op {
	case spirv.NonSemanticShaderDebugInfoDebugBuildIdentifier:
		if len(w) > 0 {
			c.identifier(i, spirv.ID(w[0]))
		}
	case spirv.NonSemanticShaderDebugInfoDebugSourceContinued:
		c.continued(i, in)
	case spirv.NonSemanticShaderDebugInfoDebugOperation:
		if len(w) > 0 {
			c.operation(i, c.m.Const(spirv.ID(w[0])), len(w)-1)
		}
	case spirv.NonSemanticShaderDebugInfoDebugEntryPoint:
		if len(w) > 0 {
			c.entries = append(c.entries, entryInfo{i, spirv.ID(w[0])})
		}
	}
}

// noUnion checks that a composite is a class or a struct: one with derived types, or
// with pointers to its members.
func (c *debugInfo) noUnion(i int, id spirv.ID, shader bool) {
	d := c.debugInst(id)
	if len(d) < 7 || debugOp(d[4]) != spirv.NonSemanticShaderDebugInfoDebugTypeComposite {
		return
	}
	tag, ok := int64(d[6]), true
	if shader {
		tag, ok = c.m.Const(spirv.ID(d[6])).Int()
	}
	if ok && tag == int64(spirv.OpenCLDebugInfo100CompositeTypeUnion) {
		c.fail(i, "SPV-DebugInfo-Operand", "%s is a union; must be a class or a struct", c.name(id)).also(c, c.code.Def(id), "the operand")
	}
}

// debugEncoding checks the floating-point encoding of a DebugTypeBasic: name,
// size, encoding, flags and floating-point encoding.
func (c *debugInfo) debugEncoding(i int, op debugOp, set spirv.ExtSet, w []uint32) {
	c.debugOperand(i, op, set, "FPEncoding", spirv.ID(w[4]), debugWant{constant: aNumber, values: spirv.KindFPEncoding})
	if n, ok := c.m.Const(spirv.ID(w[2])).Int(); ok && n != int64(spirv.NonSemanticShaderDebugInfoBaseTypeAttributeEncodingFloat) {
		c.fail(i, "SPV-DebugInfo-Encoding", "a floating-point encoding with the encoding %d; must be Float", n)
		return
	}
	size, ok := c.m.Const(spirv.ID(w[1])).Int()
	n, ok2 := c.m.Const(spirv.ID(w[4])).Int()
	if !ok || !ok2 {
		return
	}
	want := int64(0)
	switch spirv.FPEncoding(n) {
	case spirv.FPEncodingBFloat16KHR:
		want = 16
	case spirv.FPEncodingFloat8E4M3EXT, spirv.FPEncodingFloat8E5M2EXT:
		want = 8
	}
	if want != 0 && size != want {
		c.fail(i, "SPV-DebugInfo-Encoding", "%s of %d bits; must have %d", spirv.FPEncoding(n), size, want)
	}
}

// identifierLength is the number of digits that the identifier of a build has at
// least.
const identifierLength = 32

// identifier checks the identifier of a build: lowercase hexadecimal digits. A short one
// is a warning: compilers write a number.
func (c *debugInfo) identifier(i int, id spirv.ID) {
	d := c.code.DefInst(id)
	if d == nil || d.Op() != spirv.OpString {
		return
	}
	name := spirv.String(d[2:])
	if len(name) < identifierLength {
		c.fail(i, "SPV-DebugInfo-Identifier", "the identifier has %d digits; must have at least %d", len(name), identifierLength).warn()
	} else if k := strings.IndexFunc(name, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') }); k >= 0 {
		c.fail(i, "SPV-DebugInfo-Identifier", "the identifier has the character %q; must be lowercase hexadecimal", name[k:k+1])
	}
}

// continued checks that DebugSourceContinued directly follows an instruction of the
// same import with a text.
func (c *debugInfo) continued(i int, in spirv.Inst) {
	if i > 0 {
		if d := c.code.Inst(i - 1); d.Op() == in.Op() && d[3] == in[3] {
			switch debugOp(d[4]) {
			case spirv.NonSemanticShaderDebugInfoDebugSourceContinued:
				return
			case spirv.NonSemanticShaderDebugInfoDebugSource:
				if len(d) <= 6 {
					c.fail(i, "SPV-DebugInfo-Text", "DebugSourceContinued after a DebugSource without text; must be after a text").also(c, i-1, "the source")
				}
				return
			}
		}
	}
	c.fail(i, "SPV-DebugInfo-Text", "DebugSourceContinued after another instruction; must directly follow DebugSource or DebugSourceContinued of the same import")
}

// operation checks the number of operands of a DebugOperation.
func (c *debugInfo) operation(i int, code *facts.Const, operands int) {
	n, ok := code.Int()
	if !ok {
		return
	}
	want := 0
	switch op := spirv.NonSemanticShaderDebugInfoOperation(n); op {
	case spirv.NonSemanticShaderDebugInfoOperationPlusUconst, spirv.NonSemanticShaderDebugInfoOperationConstu:
		want = 1
	case spirv.NonSemanticShaderDebugInfoOperationBitPiece, spirv.NonSemanticShaderDebugInfoOperationFragment:
		want = 2
	default:
		if n < 0 || spirv.KindNonSemanticShaderDebugInfoOperation.Enumerant(uint32(n)) == nil {
			return
		}
	}
	if operands != want {
		c.fail(i, "SPV-DebugInfo-Operation", "%s with %d operands; must have %d", spirv.NonSemanticShaderDebugInfoOperation(n), operands, want)
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
