package valid

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// debugLine checks the range of a DebugLine: source, first and last line, first
// and last column. Line 0 is for instructions without a line in the source.
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
	case n[1] < n[0]:
		c.fail(i, "SPV-DebugInfo-Line", "the last line is %d, the first %d; must not be before it", n[1], n[0])
	case n[0] == n[1] && n[3] < n[2]:
		c.fail(i, "SPV-DebugInfo-Line", "the last column is %d, the first %d; must not be before it", n[3], n[2])
	default:
		if n[0] == 0 {
			c.lineless = i
		}
		c.inText(i, w[0], n[1], n[3])
	}
}

// debugDeclare checks DebugDeclare after a DebugLine of line 0. A variable of the
// source has a line of its declaration; a variable that the compiler added does not.
func (c *debugInfo) debugDeclare(i int, w []spirv.ID) {
	if c.lineless < 0 {
		return
	}
	d := c.debugInst(w[0])
	if len(d) < 12 || debugOp(d[4]) != spirv.NonSemanticShaderDebugInfoDebugLocalVariable {
		return
	}
	flags, ok := c.m.Const(spirv.ID(d[11])).Int()
	if ok && flags&int64(spirv.NonSemanticShaderDebugInfoFlagsFlagArtificialMask) == 0 {
		c.fail(c.lineless, "SPV-DebugInfo-Line", "line 0 for the declaration of %s, a variable of the source; must be a line of at least 1", c.name(w[0])).also(c, i, "the declaration")
		c.lineless = -1
	}
}

// debugPlace checks the line and the column of an instruction that has them after a
// DebugSource. They are constants in the set of shaders and literals in OpenCL's.
func (c *debugInfo) debugPlace(i int, w []uint32, op debugOp, shader bool) {
	at := 2
	switch op {
	case spirv.NonSemanticShaderDebugInfoDebugTypedef, spirv.NonSemanticShaderDebugInfoDebugTypeEnum, spirv.NonSemanticShaderDebugInfoDebugTypeComposite,
		spirv.NonSemanticShaderDebugInfoDebugTypeMember, spirv.NonSemanticShaderDebugInfoDebugFunction, spirv.NonSemanticShaderDebugInfoDebugFunctionDeclaration,
		spirv.NonSemanticShaderDebugInfoDebugGlobalVariable, spirv.NonSemanticShaderDebugInfoDebugLocalVariable:
	case spirv.NonSemanticShaderDebugInfoDebugLexicalBlock:
		at = 0
	case spirv.NonSemanticShaderDebugInfoDebugTypeTemplateParameter:
		at = 3
	default:
		return
	}
	if len(w) < at+3 {
		return
	}
	line, column, known := int64(w[at+1]), int64(w[at+2]), true
	if shader {
		var ok bool
		line, known = c.m.Const(spirv.ID(w[at+1])).Int()
		column, ok = c.m.Const(spirv.ID(w[at+2])).Int()
		known = known && ok
	}
	if known {
		c.inText(i, spirv.ID(w[at]), line, column)
	}
}

// inText checks that a line and a column are in the text of a DebugSource.
func (c *debugInfo) inText(i int, source spirv.ID, n, k int64) {
	if n == 0 {
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
	if text := c.sourceText(c.code.Def(source)); text != "" {
		for line := range strings.Lines(text) {
			lines = append(lines, int32(len(strings.TrimSuffix(line, "\n"))))
		}
	}
	if c.texts == nil {
		c.texts = map[spirv.ID][]int32{}
	}
	c.texts[source] = lines
	return lines, lines != nil
}

// maxDebugText bounds the bytes of the texts that are read: many sources can have one text.
const maxDebugText = 64 << 20

// sourceText returns the text of the DebugSource at d and of the DebugSourceContinued instructions after it; "" if it
// has none.
func (c *debugInfo) sourceText(d int) string {
	if d < 0 || c.textBytes > maxDebugText {
		return ""
	}
	in := c.code.Inst(d)
	if in.Op() != spirv.OpExtInst || debugOp(in[4]) != spirv.NonSemanticShaderDebugInfoDebugSource || len(in) <= 6 {
		return ""
	}
	var parts []string
	for id := spirv.ID(in[6]); ; {
		text, _ := c.m.String(id)
		if c.textBytes += len(text); c.textBytes > maxDebugText {
			return ""
		}
		parts = append(parts, text)
		if d++; d == c.code.Len() {
			break
		}
		more := c.code.Inst(d)
		if more.Op() != spirv.OpExtInst || len(more) < 6 || debugOp(more[4]) != spirv.NonSemanticShaderDebugInfoDebugSourceContinued || !isDebugInfo(c.m, more.Op(), more) {
			break
		}
		id = spirv.ID(more[5])
	}
	return strings.Join(parts, "")
}
