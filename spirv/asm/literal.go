package asm

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// literal reads a literal operand and the operands that depend on it.
func (a *assembler) literal(k spirv.Kind, o *spirv.Operand) bool {
	switch k {
	case spirv.KindLiteralInteger:
		return a.integer(32, false)
	case spirv.KindLiteralFloat:
		return a.float(&formatSingle, 32)
	case spirv.KindLiteralString:
		return a.stringLiteral(k, o)
	case spirv.KindLiteralContextDependentNumber:
		return a.typedNumber()
	case spirv.KindLiteralExtInstInteger:
		return a.extInst()
	case spirv.KindLiteralSpecConstantOpInteger:
		op, ok := spirv.OpByName(a.word())
		if !ok || !op.SpecConstant() {
			return a.fail("SPV-Text-SpecConstantOp", a.start, "expected an opcode that specialization constants can be computed with, without the prefix Op, found %s", a.found())
		}
		a.words = append(a.words, uint32(op))
		a.next()
		return a.operands(op.Row().Operands()[2:])
	}
	return a.wrong(k, o)
}

// integer reads an integer literal of a width and a signedness.
func (a *assembler) integer(width uint, signed bool) bool {
	n, ok := smallInt(a.text[a.start:a.end])
	if !ok || width < 32 {
		var fault intFault
		n, fault = parseInt(a.word(), width, signed)
		if fault != intGood {
			return a.fail("SPV-Text-Literal", a.start, "%v: %s", a.op, fault.describe(a.word(), width, signed))
		}
	}
	a.words = append(a.words, uint32(n))
	if width > 32 {
		a.words = append(a.words, uint32(n>>32))
	}
	a.next()
	return true
}

// smallInt reads the usual case: up to nine decimal digits, no leading zero.
func smallInt(s string) (n uint64, ok bool) {
	if len(s) == 0 || len(s) > 9 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + uint64(s[i]-'0')
	}
	return n, true
}

// float reads a float literal of a format.
func (a *assembler) float(f *floatFormat, width uint32) bool {
	if f == nil {
		return a.fail("SPV-Text-Literal", a.start, "%v: the type has %d bits; float literals are known for 16, 32, 64 and the widths of the encodings", a.op, width)
	}
	v, ok := parseFloat(a.word(), f)
	if !ok {
		return a.fail("SPV-Text-Literal", a.start, "%v: expected a literal in the range of a %s, found %s", a.op, f.name, a.found())
	}
	a.words = append(a.words, uint32(v))
	if f.width > 32 {
		a.words = append(a.words, uint32(v>>32))
	}
	a.next()
	return true
}

// typedNumber reads the literal of a constant, which has the result type, or of
// a switch, which has the type of the selector.
func (a *assembler) typedNumber() bool {
	slot := a.typeSlot
	if a.op == spirv.OpSwitch {
		slot = a.typeOf(a.selector)
	}
	k := a.kind(slot)
	switch {
	case k == nil || k.class > kindFloat, a.op == spirv.OpSwitch && k.class != kindInt:
		return a.untyped()
	case k.class == kindFloat:
		return a.float(k.format, k.width)
	case k.width == 0 || k.width > 64:
		return a.fail("SPV-Text-Literal", a.start, "%v: the type has %d bits; integer literals are known for 1 to 64", a.op, k.width)
	}
	return a.integer(uint(k.width), k.signed)
}

// untyped reports a literal of unknown type.
func (a *assembler) untyped() bool {
	if a.op == spirv.OpSwitch {
		return a.fail("SPV-Text-LiteralType", a.start, "%v: expected a selector that an earlier instruction computes with an integer type, before the literal %s", a.op, a.found())
	}
	return a.fail("SPV-Text-LiteralType", a.start, "%v: expected a result type that an earlier OpTypeInt or OpTypeFloat defines, before the literal %s", a.op, a.found())
}

// stringLiteral reads a quoted string. A backslash makes the next character plain;
// so are quotes in the middle of a word.
func (a *assembler) stringLiteral(k spirv.Kind, o *spirv.Operand) bool {
	w := a.word()
	if w[0] != '"' {
		return a.wrong(k, o)
	}
	if strings.IndexByte(w, 0) >= 0 {
		return a.fail("SPV-Text-String", a.start+strings.IndexByte(w, 0), "a string cannot hold a zero byte, which would end it")
	}
	n := len(a.words)
	body, ok := w[1:], false
	if end := strings.IndexAny(body, "\"\\"); end >= 0 && end == len(body)-1 && body[end] == '"' {
		a.words, ok = spirv.AppendString(a.words, body[:end]), true
	} else {
		var b []byte
		b, ok = unescape(body)
		a.words = spirv.AppendString(a.words, string(b))
	}
	if !ok {
		return a.fail("SPV-Text-String", a.start, "expected a string that ends with a double quote, and white space after it, found %s", a.found())
	}
	if len(a.words)-a.begin > maxWords {
		return a.fail("SPV-Text-Size", a.start, "%v takes %d words; an instruction has at most %d", a.op, len(a.words)-a.begin, maxWords)
	}
	if a.op == spirv.OpExtInstImport && !a.raw {
		if _, ok := spirv.ExtSetByName(spirv.String(a.words[n:])); !ok {
			return a.fail("SPV-Text-Import", a.start, "%s is no known extended instruction set", a.found())
		}
	}
	a.next()
	return true
}

// unescape returns the bytes of a string up to its closing quote, which must be
// the last character. Quotes before it come in pairs and are plain: "a""b" has
// four characters, as in spirv-as.
func unescape(s string) ([]byte, bool) {
	var b []byte
	quoted := true
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			if quoted = !quoted; !quoted && i == len(s)-1 {
				return b, true
			}
		case '\\':
			if i++; i == len(s) {
				return b, false
			}
		}
		b = append(b, s[i])
	}
	return b, false
}

// extInst reads the name of an extended instruction and its operands. In a set
// of instructions without an effect, a number may name an unknown instruction,
// and ids may follow after the known operands: the shape of OpExtInst has them.
func (a *assembler) extInst() bool {
	k := a.kind(a.selector)
	if k == nil || k.class != kindSet {
		return a.fail("SPV-Text-Import", a.start, "%v: expected an earlier OpExtInstImport to define the set of %s", a.op, a.found())
	}
	row := k.set.InstByName(a.word())
	switch {
	case row == nil && k.set.NonSemantic():
		return a.integer(32, false)
	case row == nil:
		return a.fail("SPV-Text-ExtInst", a.start, "expected an instruction of %v, found %s", k.set, a.found())
	}
	a.words = append(a.words, row.Value())
	a.next()
	if !a.operands(row.Operands()) {
		return false
	}
	if !k.set.NonSemantic() && !a.raw && !a.atEnd() && !a.atInstruction() && a.text[a.start] != '!' {
		return a.fail("SPV-Text-Operand", a.start, "%s takes %d operands; expected the next instruction, found %s", row.Name(), len(row.Operands()), a.found())
	}
	return true
}
