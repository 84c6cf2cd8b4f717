package valid

import (
	"unicode/utf8"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// formFamily checks the byte order and the strings of a module. Package spirv detects streams that are
// no module at all when it decodes; their rules are listed here with the others.
var formFamily = family{
	rules: []Rule{
		{Code: "SPV-Stream-Size", Section: "SPIR-V 2.3", Words: "a module is a stream of words of four bytes"},
		{Code: "SPV-Header-Magic", Section: "SPIR-V 2.3", Words: "the first word is the magic number, in either byte order"},
		{Code: "SPV-Header-ByteOrder", Section: "Vulkan, Versions and Formats", Words: "the words of a module are in the byte order of the host", Need: NeedVulkan},
		{Code: "SPV-Header-Size", Section: "SPIR-V 2.3", Words: "a module begins with a header of five words"},
		{Code: "SPV-Header-Version", Section: "SPIR-V 2.3", Words: "the version is a version of SPIR-V"},
		{Code: "SPV-Header-Bound", Section: "SPIR-V 2.3", Words: "the bound of ids is above 0"},
		{Code: "SPV-Instruction-WordCount", Section: "SPIR-V 2.3", Words: "an instruction has as many words as its word count, and ends within the module"},
		{Code: "SPV-Instruction-Opcode", Section: "SPIR-V 3.3", Words: "the opcode of an instruction is defined"},
		{Code: "SPV-Operand-Missing", Section: "SPIR-V 3.3", Words: "an instruction has all its required operands"},
		{Code: "SPV-Operand-Extra", Section: "SPIR-V 3.3", Words: "an instruction has no words after its operands"},
		{Code: "SPV-Operand-String", Section: "SPIR-V 2.2.1", Words: "a literal string ends with a zero byte"},
		{Code: "SPV-Operand-Encoding", Section: "SPIR-V 2.2.1", Words: "a literal string is UTF-8"},
		{Code: "SPV-Operand-Enumerant", Section: "SPIR-V 3.2", Words: "an operand of an enumeration is a defined value, a mask has only defined bits"},
		{Code: "SPV-Id-Zero", Section: "SPIR-V 2.2.1", Words: "an id is not 0"},
		{Code: "SPV-Id-Bound", Section: "SPIR-V 2.3", Words: "an id is below the bound of the header"},
		{Code: "SPV-Id-Redefined", Section: "SPIR-V 2.16.1", Words: "an id is the result of only one instruction"},
		{Code: "SPV-Literal-Type", Section: "SPIR-V 2.2.1", Words: "the type of a literal is defined before the literal"},
		{Code: "SPV-ExtInst-Set", Section: "SPIR-V 3.3.4", Words: "the set of OpExtInst is the result of an earlier OpExtInstImport"},
		{Code: "SPV-ExtInst-Number", Section: "SPIR-V 3.3.4", Words: "OpExtInst names an instruction of the set"},
		{Code: "SPV-ExtInst-Import", Section: "SPIR-V 3.3.4", Words: "OpExtInstImport names a known set or a non-semantic set"},
		{Code: "SPV-SpecConstantOp-Opcode", Section: "SPIR-V 3.3.7", Words: "OpSpecConstantOp names an opcode that is valid for it"},
		{Code: "SPV-Header-Environment", Section: "SPIR-V 2.3", Words: "the environment supports the version of the module"},
		{Code: "SPV-Header-Limit", Section: "SPIR-V 2.17", Words: "the bound of ids is within the universal limit"},
		{Code: "SPV-Header-Schema", Section: "SPIR-V 2.3", Words: "the schema word is 0"},
	},
	ops:    []group{{(*checker).literalStrings, stringOps()}},
	before: []func(*checker){(*checker).header},
}

// stringOps returns the instructions that can have literal strings.
func stringOps() []spirv.Op {
	var ops []spirv.Op
	for _, r := range spirv.Ops() {
		if op := spirv.Op(r.Value()); stringPlaces[op].at != 0 {
			ops = append(ops, op)
		}
	}
	return ops
}

// stringPlace is the position of the first literal string in the words of an instruction, if it has one; 0
// for an opcode without strings.
type stringPlace struct {
	at   uint8
	only bool // no other operand can be a string
}

// stringPlaces has the stringPlace of each opcode.
var stringPlaces = func() []stringPlace {
	rows := spirv.Ops()
	t := make([]stringPlace, rows[len(rows)-1].Value()+1)
	for i := range rows {
		for n, o := range rows[i].Operands() {
			if o.Kind != spirv.KindLiteralString {
				continue
			}
			p := &t[rows[i].Value()]
			if *p = (stringPlace{p.at, false}); p.at == 0 {
				*p = stringPlace{uint8(1 + n), true}
			}
		}
	}
	t[spirv.OpDecorate] = stringPlace{at: 3} // as the parameters of some decorations
	t[spirv.OpMemberDecorate] = stringPlace{at: 4}
	return t
}()

// ascii reports whether the words have bytes below 128 only.
func ascii(words []uint32) bool {
	all := uint32(0)
	for _, w := range words {
		all |= w
	}
	return all&0x80808080 == 0
}

// literalStrings checks the encoding of the strings of an instruction.
func (c *checker) literalStrings(i int, in spirv.Inst) {
	p := stringPlaces[in.Op()]
	if len(in) <= int(p.at) || ascii(in[p.at:]) {
		return
	}
	if p.only && ascii(in[p.at:int(p.at)+spirv.StringWords(in[p.at:])]) {
		return
	}
	for w := c.code.Walk(i); w.Next(); {
		if w.Kind != spirv.KindLiteralString {
			continue
		}
		c.text = spirv.AppendBytes(c.text[:0], w.Words)
		s := c.text
		switch in.Op() {
		case spirv.OpSource, spirv.OpSourceContinued, spirv.OpString: // a long text is in several strings
			s = wholeRunes(s)
		}
		if !utf8.Valid(s) {
			f := c.fail(i, "SPV-Operand-Encoding", "a string of %s is no UTF-8; must be UTF-8", in.Op())
			if in.Op().Class() == spirv.ClassDebug { // compilers copy sources byte by byte, and the text has no effect
				f.warn()
			}
			return
		}
	}
}

// wholeRunes removes the parts of runes at the ends of a string.
func wholeRunes(s []byte) []byte {
	for n := 0; n < utf8.UTFMax-1 && len(s) > 0 && !utf8.RuneStart(s[0]); n++ {
		s = s[1:]
	}
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if end := s[len(s)-n:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				s = s[:len(s)-n]
			}
			break
		}
	}
	return s
}

func (c *checker) header() {
	if c.vulkan && c.code.Reversed {
		c.fail(-1, "SPV-Header-ByteOrder", "the bytes of the words are reversed; must be in the byte order of the host")
	}
	if c.version > c.env.SPIRV {
		c.fail(-1, "SPV-Header-Environment", "the module is SPIR-V %s in %s; must be at most %s", c.version, c.env, c.env.SPIRV)
	}
	if n := c.opts.Limits.IDBound; uint64(c.code.Bound) > uint64(n) {
		c.fail(-1, "SPV-Header-Limit", "the bound of ids is %d; must be at most %d", c.code.Bound, n)
	}
	if c.code.Schema != 0 {
		c.fail(-1, "SPV-Header-Schema", "the schema is %d; must be 0", c.code.Schema)
	}
}

// since reports whether the module is of a version of SPIR-V or of a later one.
func (c *subject) since(v spirv.Version) bool { return c.version >= v }
