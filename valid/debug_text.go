package valid

import (
	"strconv"
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
// It is a warning: the instruction set permits line 0, and glslang 12 writes it before
// the declarations of parameters.
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
		c.fail(c.lineless, "SPV-DebugInfo-Line", "line 0 for the declaration of %s, a variable of the source; must be a line of at least 1", c.name(w[0])).also(c, i, "the declaration").warn()
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
	t := c.textOf(source)
	if t == nil {
		return
	}
	switch length, ok := t.length(n); {
	case !ok:
		c.fail(i, "SPV-DebugInfo-Line", "line %d of a text of %d; must be an existing line", n, len(t.lines)).also(c, c.code.Def(source), "the text")
	case k > length+1:
		c.fail(i, "SPV-DebugInfo-Column", "column %d of line %d, which has %d; must be within it or directly after it", k, n, length).also(c, c.code.Def(source), "the text")
	}
}

// debugText has the lines of the text of a DebugSource.
type debugText struct {
	lines []int32      // the length of each line
	runs  []numberedBy // in the order of the text
}

// numberedBy is a #line directive: the line after it has another number than its place in the text.
type numberedBy struct {
	first int64 // the number of the line after the directive
	at    int   // the index of this line
}

// length returns the length of the line with number n, false if there is no such line. Compilers count either from the
// beginning of the text or from the last #line directive; of the lines that n can mean, the longest counts.
func (t *debugText) length(n int64) (int64, bool) {
	if n < 1 {
		return 0, false
	}
	longest := int64(-1)
	if n <= int64(len(t.lines)) {
		longest = int64(t.lines[n-1])
	}
	for i, r := range t.runs {
		end := len(t.lines)
		if i+1 < len(t.runs) {
			end = t.runs[i+1].at
		}
		// From GLSL 3.30 on, the line after the directive has its number, before the next number.
		for at := n - r.first; at >= n-r.first-1; at-- {
			if at >= 0 && at < int64(end-r.at) {
				longest = max(longest, int64(t.lines[r.at+int(at)]))
			}
		}
	}
	return longest, longest >= 0
}

// maxLineDirectives bounds the #line directives of a text. The numbers of lines are unknown if it has more.
const maxLineDirectives = 64

// textOf returns the text of a DebugSource and of the DebugSourceContinued instructions after it; nil if it has none or
// if the numbers of its lines are unknown.
func (c *debugInfo) textOf(source spirv.ID) *debugText {
	if t, ok := c.texts[source]; ok {
		return t
	}
	if c.texts == nil {
		c.texts = map[spirv.ID]*debugText{}
	}
	t := readDebugText(c.sourceText(c.code.Def(source)))
	c.texts[source] = t
	return t
}

// readDebugText returns the lines of a text; nil if it is empty or if the numbers of its lines are unknown.
func readDebugText(text string) *debugText {
	if text == "" {
		return nil
	}
	t := &debugText{}
	for line := range strings.Lines(text) {
		t.lines = append(t.lines, int32(len(strings.TrimSuffix(line, "\n"))))
		number, ok := lineDirective(line)
		if !ok {
			continue
		}
		first, err := strconv.ParseInt(number, 10, 32)
		if err != nil || len(t.runs) == maxLineDirectives { // also an expression or a macro
			return nil
		}
		t.runs = append(t.runs, numberedBy{first, len(t.lines)})
	}
	return t
}

// lineDirective returns the number in a #line directive (GLSL 4.60 section 3.3) or in the form "# 9" of preprocessors;
// false if a line is no such directive.
func lineDirective(line string) (number string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
	if !ok {
		return "", false
	}
	word := strings.Fields(rest)
	switch {
	case len(word) > 1 && word[0] == "line":
		return word[1], true
	case len(word) > 0 && '0' <= word[0][0] && word[0][0] <= '9':
		return word[0], true
	}
	return "", false
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
