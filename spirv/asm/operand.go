package asm

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// operands reads operands of the given shape. The lexer is at the first word that
// may be one. It stops once raw is set.
func (a *assembler) operands(shape []spirv.Operand) bool {
	for i := range shape {
		o := &shape[i]
		if o.Quant == spirv.Once {
			if !a.operand(o.Kind, o) {
				return false
			}
		} else {
			for !a.atEnd() && !a.atInstruction() {
				if !a.operand(o.Kind, o) {
					return false
				}
				if a.raw || o.Quant == spirv.Optional {
					break
				}
			}
		}
		if a.raw {
			return true
		}
	}
	return true
}

// operand reads one operand and the operands that it brings with it.
func (a *assembler) operand(k spirv.Kind, o *spirv.Operand) bool {
	if k == spirv.KindIdResult {
		return a.result()
	}
	if a.atEnd() || a.text[a.start] == 'O' && a.atOp() {
		return a.missing(k, o)
	}
	if a.text[a.start] == '!' {
		a.raw = true
		return a.immediate()
	}
	switch k.Category() {
	case spirv.CategoryID:
		return a.idOperand(k, o)
	case spirv.CategoryValue:
		row := k.EnumerantByName(a.word())
		if row == nil {
			return a.wrong(k, o)
		}
		a.words = append(a.words, row.Value())
		a.next()
		return a.operands(row.Operands())
	case spirv.CategoryMask:
		return a.mask(k, o)
	case spirv.CategoryPair:
		first, second := k.Pair()
		if a.op == spirv.OpSwitch {
			first = spirv.KindLiteralContextDependentNumber
		}
		return a.operand(first, o) && (a.raw || a.operand(second, o))
	}
	return a.literal(k, o)
}

// missing reports that the instruction ends before an operand.
func (a *assembler) missing(k spirv.Kind, o *spirv.Operand) bool {
	return a.fail("SPV-Text-Operand", a.start, "%v ends early; expected %s, found %s", a.op, a.describe(k, o), a.found())
}

// wrong reports that the word under the lexer is not of the operand's kind.
func (a *assembler) wrong(k spirv.Kind, o *spirv.Operand) bool {
	return a.fail("SPV-Text-Operand", a.start, "%v: expected %s, found %s", a.op, a.describe(k, o), a.found())
}

// describe names an operand in a message.
func (a *assembler) describe(k spirv.Kind, o *spirv.Operand) string {
	what := k.String()
	switch {
	case k.Category() == spirv.CategoryID:
		what = "an id"
	case k == spirv.KindLiteralString:
		what = "a quoted string"
	case k.Category() == spirv.CategoryLiteral:
		what = "a literal"
	default:
		what = article(what)
	}
	if o == nil || o.Name() == k.String() {
		return what
	}
	return what + " for " + o.Name()
}

// result writes the id that stood before the equal sign.
func (a *assembler) result() bool {
	if !a.checkName(a.resultAt, a.resultEnd) {
		return false
	}
	a.resultSlot = a.ids.slot(a.resultAt+1, a.resultEnd)
	a.words = append(a.words, a.ids.id(a.resultSlot))
	return true
}

// idOperand reads an id.
func (a *assembler) idOperand(k spirv.Kind, o *spirv.Operand) bool {
	if a.text[a.start] != '%' {
		return a.wrong(k, o)
	}
	if !a.checkName(a.start, a.end) {
		return false
	}
	slot := a.ids.slot(a.start+1, a.end)
	switch {
	case k == spirv.KindIdResultType:
		a.typeSlot = slot
	case a.selector == 0:
		a.selector = slot
	}
	a.words = append(a.words, a.ids.id(slot))
	a.next()
	return true
}

// checkName reports whether text[at:end] is % and a sound name.
func (a *assembler) checkName(at, end int) bool {
	digits := true
	for i := at + 1; i < end; i++ {
		digits = digits && isDigit(a.text[i])
		if !identifiers[a.text[i]] {
			return a.fail("SPV-Text-Id", at, "%s is no id; expected %% and letters, digits or _", shorten(a.text[at:end]))
		}
	}
	if end == at+1 {
		return a.fail("SPV-Text-Id", at, "%% is no id; expected a name after it")
	}
	if digits && a.ids.numeric {
		if _, ok := numericName(a.text[at+1 : end]); !ok {
			return a.fail("SPV-Text-Id", at, "%s cannot keep its number; expected 1 to %d without leading zeros", shorten(a.text[at:end]), uint32(maxID))
		}
	}
	return true
}

// mask reads bits joined by |, and then the parameters of each bit in order of
// the bits.
func (a *assembler) mask(k spirv.Kind, o *spirv.Operand) bool {
	value, rest := uint32(0), a.word()
	for more := true; more; {
		var name string
		name, rest, more = strings.Cut(rest, "|")
		row := k.EnumerantByName(name)
		if row == nil {
			return a.wrong(k, o)
		}
		value |= row.Value()
	}
	a.words = append(a.words, value)
	a.next()
	for ; value != 0 && !a.raw; value &= value - 1 {
		if row := k.Enumerant(value & -value); row != nil && !a.operands(row.Operands()) {
			return false
		}
	}
	return true
}
