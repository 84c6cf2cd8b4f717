package asm

import (
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// maxText is the largest text in bytes. Offsets into it are 32-bit words, and the
// results stay below the maximum size of a slice on 32-bit machines.
const maxText = math.MaxInt32

// maxWords is the largest word count of an instruction (SPIR-V §2.3).
const maxWords = 1<<16 - 1

// Assemble turns a text into the words of a module, header included. The first
// fault of the text comes back as a *diag.Finding with its line and column;
// no words come with it. Only the text is checked: the words need not make a
// module that decodes, for `!n` writes whatever it is told to. Time and memory
// are proportional to the text.
func Assemble(text []byte, o AssembleOptions) ([]uint32, error) {
	if len(text) > maxText {
		return nil, diag.New("SPV-Text-Size", diag.Pos{Line: 1, Column: 1}, "the text has %d bytes; at most %d can be assembled", len(text), maxText)
	}
	if o.Version == 0 {
		o.Version = newest
	}
	s := clone(text)
	a := assembler{
		lexer:   lexer{text: s},
		ids:     newIDs(s, o.PreserveNumericIDs),
		words:   make([]uint32, spirv.HeaderWords, spirv.HeaderWords+len(s)/7),
		version: o.Version,
	}
	a.of = make([]uint32, 1, 64+len(s)/64)
	for a.next(); !a.atEnd(); {
		if o.Starts != nil {
			*o.Starts = append(*o.Starts, a.start)
		}
		if !a.instruction() {
			return nil, a.err
		}
	}
	if o.Names != nil {
		*o.Names = a.ids.names()
	}
	a.words[0], a.words[1], a.words[2], a.words[3] = spirv.Magic, uint32(o.Version), o.Generator, a.ids.bound
	return a.words, nil
}

// clonePiece is the number of bytes of one copy of clone. A goroutine cannot be stopped within a copy.
const clonePiece = 1 << 20

// clone returns a text as a string.
func clone(text []byte) string {
	if len(text) <= clonePiece {
		return string(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for piece := range slices.Chunk(text, clonePiece) {
		b.Write(piece)
	}
	return b.String()
}

// assembler is the state of one run over a text. Methods that read the text
// return false after they have set err.
type assembler struct {
	lexer
	meanings
	ids     ids
	words   []uint32
	version spirv.Version
	err     *diag.Finding

	op    spirv.Op
	begin int // start of the instruction in words
	raw   bool
	set   spirv.ExtSet // of an OpExtInst, once its set has been read

	typeSlot   uint32 // slot of the result type
	resultSlot uint32
	resultAt   int // offset of the result id in the text, -1 if there is none
	resultEnd  int
	selector   uint32 // slot of the first id of the instruction
}

// fail notes a fault at an offset of the text.
func (a *assembler) fail(code string, at int, format string, args ...any) bool {
	if a.err == nil {
		a.err = diag.New(code, a.pos(at), format, args...)
	}
	return false
}

// instruction assembles one instruction. The lexer is at its first word,
// and afterwards at the word after it.
func (a *assembler) instruction() bool {
	a.begin = len(a.words)
	a.resultAt, a.typeSlot, a.resultSlot, a.selector, a.raw, a.set = -1, 0, 0, 0, false, spirv.ExtSetNone
	switch {
	case a.text[a.start] == '!':
		return a.rawInstruction()
	case a.text[a.start] == '%':
		if !a.assignment() {
			return false
		}
	case !a.atOp():
		return a.fail("SPV-Text-Instruction", a.start, "expected an opcode or a result id, found %s", a.found())
	}
	row := a.opcode()
	if row == nil {
		return a.err == nil // OpUnknown has been read
	}
	a.next()
	a.words = append(a.words, 0)
	if !a.operands(row.Operands()) {
		return false
	}
	if a.raw && !a.rawTail() {
		return false
	}
	return a.finish()
}

// assignment reads `%id =` and stops at the opcode.
func (a *assembler) assignment() bool {
	a.resultAt, a.resultEnd = a.start, a.end
	a.next()
	if a.word() != "=" {
		return a.fail("SPV-Text-Instruction", a.start, "expected = after the result id %s, found %s", a.text[a.resultAt:a.resultEnd], a.found())
	}
	a.next()
	if !a.atOp() {
		return a.fail("SPV-Text-Instruction", a.start, "expected an opcode after =, found %s", a.found())
	}
	return true
}

// opcode returns the row of the opcode under the lexer and checks that it
// fits the target and the result id. It returns nil after a fault, and after
// OpUnknown, which it reads whole.
func (a *assembler) opcode() *spirv.Row {
	name := a.word()
	op, ok := spirv.OpByName(name)
	if !ok {
		if name == "OpUnknown" && a.resultAt < 0 {
			a.unknown()
			return nil
		}
		a.fail("SPV-Text-Opcode", a.start, "%s is no opcode of SPIR-V", shorten(name))
		return nil
	}
	row := op.Row()
	a.op = op
	switch {
	case !a.available(row):
		a.fail("SPV-Text-Version", a.start, "%s is not in SPIR-V %v; needs %v", name, a.version, row.Version())
		return nil
	case op.HasResult() && a.resultAt < 0:
		a.fail("SPV-Text-Result", a.start, "%s has a result; expected %%id = before it", name)
		return nil
	case !op.HasResult() && a.resultAt >= 0:
		a.fail("SPV-Text-Result", a.resultAt, "%s has no result; found %s = before it", name, a.text[a.resultAt:a.resultEnd])
		return nil
	}
	return row
}

// available reports whether the target has an instruction. An instruction that an
// extension or a capability can bring is available in every version.
func (a *assembler) available(row *spirv.Row) bool {
	if v := row.Version(); v <= a.version && (row.LastVersion() == 0 || a.version <= row.LastVersion()) {
		return true
	}
	return len(row.Capabilities()) > 0 || len(row.Extensions()) > 0
}

// finish writes the first word of the instruction and records the meaning of its
// result.
func (a *assembler) finish() bool {
	n := len(a.words) - a.begin
	if n > maxWords {
		return a.fail("SPV-Text-Size", a.start, "%v takes %d words; an instruction has at most %d", a.op, n, maxWords)
	}
	a.words[a.begin] = spirv.Head(a.op, n)
	if a.op == spirv.OpExtInstImport || isType(a.op) {
		return a.define()
	}
	if a.typeSlot != 0 && a.resultSlot != 0 {
		a.note(a.resultSlot, a.typeSlot)
	}
	return true
}

// isType reports whether an instruction defines a type. The grammar has some types in classes of their extensions.
func isType(op spirv.Op) bool {
	return op.HasResult() && strings.HasPrefix(op.String(), "OpType")
}
