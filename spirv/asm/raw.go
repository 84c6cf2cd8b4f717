package asm

import "github.com/chiaro-gpu/chiaro/spirv"

// immediate reads !n: a word that is written verbatim.
func (a *assembler) immediate() bool {
	n, fault := parseInt(a.text[a.start+1:a.end], 32, false)
	if fault != intGood {
		return a.fail("SPV-Text-Immediate", a.start, "expected a word of 32 bits after !, found %s", a.found())
	}
	a.words = append(a.words, uint32(n))
	a.next()
	return true
}

// rawInstruction reads words that begin with an immediate one: nothing is known
// of them, the word count included, so any literal or id may follow, up to the
// next instruction.
func (a *assembler) rawInstruction() bool {
	a.op, a.raw = spirv.OpNop, true
	return a.immediate() && a.rawWords()
}

// rawTail reads the words after an immediate operand. The operands can no longer
// be told apart, but the result id keeps its place right after the type.
func (a *assembler) rawTail() bool {
	if a.resultAt >= 0 && a.resultSlot == 0 && !a.result() {
		return false
	}
	return a.rawWords()
}

// rawWords reads immediates, numbers, strings and ids up to the next
// instruction.
func (a *assembler) rawWords() bool {
	for !a.atEnd() && !a.atInstruction() {
		if !a.rawWord() {
			return false
		}
	}
	return true
}

// rawWord reads one operand of unknown kind.
func (a *assembler) rawWord() bool {
	switch c := a.text[a.start]; {
	case c == '!':
		return a.immediate()
	case c == '"':
		return a.stringLiteral(spirv.KindLiteralString, nil)
	case c == '%':
		return a.idOperand(spirv.KindIdRef, nil)
	}
	w := a.word()
	for i := range len(w) {
		if w[i] == '.' {
			return a.float(&formatSingle, 32)
		}
	}
	n, fault := parseInt(w, 32, w[0] == '-')
	if fault != intGood {
		return a.fail("SPV-Text-Immediate", a.start, "expected a number of 32 bits, a string, an id or !n after an immediate word, found %s", a.found())
	}
	a.words = append(a.words, uint32(n))
	a.next()
	return true
}

// unknown reads OpUnknown(opcode, words) and its operands, which are words:
// the form in which the disassembler prints instructions outside of the grammar.
func (a *assembler) unknown() bool {
	var head [2]uint64
	punct := [...]string{"(", ",", ")"}
	for i := range punct {
		if a.next(); a.word() != punct[i] {
			return a.fail("SPV-Text-Unknown", a.start, "expected OpUnknown(opcode, word count), found %s", a.found())
		}
		if i == len(head) {
			break
		}
		a.next()
		n, fault := parseInt(a.word(), 16, false)
		if fault != intGood {
			return a.fail("SPV-Text-Unknown", a.start, "OpUnknown: %s", fault.describe(a.word(), 16, false))
		}
		head[i] = n
	}
	a.op = spirv.Op(head[0])
	a.words = append(a.words, spirv.Head(a.op, int(head[1])))
	for a.next(); len(a.words)-a.begin < int(head[1]); {
		if a.atEnd() || a.atInstruction() {
			return a.fail("SPV-Text-Unknown", a.start, "expected %d words after OpUnknown, found %s after %d", head[1], a.found(), len(a.words)-a.begin)
		}
		if !a.rawWord() {
			return false
		}
	}
	if n := len(a.words) - a.begin; n != int(head[1]) {
		return a.fail("SPV-Text-Unknown", a.start, "OpUnknown has %d words; expected %d", n, head[1])
	}
	return true
}
