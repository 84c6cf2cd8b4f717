package spirv

import (
	"encoding/binary"
	"fmt"
	"iter"
	"sync"
)

// ID is the number of a result; 0 is no id.
type ID uint32

// Version is a version of SPIR-V: major<<16 | minor<<8.
type Version uint32

// The versions of SPIR-V that Decode accepts.
const (
	Version10 Version = 0x10000
	Version11 Version = 0x10100
	Version12 Version = 0x10200
	Version13 Version = 0x10300
	Version14 Version = 0x10400
	Version15 Version = 0x10500
	Version16 Version = 0x10600
)

// Magic is the first word of every module, in the byte order of the stream.
const Magic = 0x07230203

// HeaderWords is the number of words before the first instruction.
const HeaderWords = 5

// Major returns the major version.
func (v Version) Major() int { return int(v >> 16 & 0xff) }

// Minor returns the minor version.
func (v Version) Minor() int { return int(v >> 8 & 0xff) }

// String returns "major.minor".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }

// Module is a well-formed module: one block of words and an index of it. Only
// Decode, DecodeWith and FromWords make one; it is read-only from then on and
// safe for concurrent use.
type Module struct {
	Version   Version
	Generator uint32
	Bound     uint32 // all ids are below it
	Schema    uint32
	Words     []uint32 // the whole stream in host order, header included
	Reversed  bool     // Decode reversed the bytes of the words to get host order

	lim    uint32   // the largest id
	block  []uint32 // the memory of starts and defs
	starts []uint32 // word offset of each instruction, and of the end
	defs   defs
	sets   imports
	odd    map[int]struct{} // instructions outside of the grammar, if Options allow them
}

// modules holds released modules, which are empty but for their block.
var modules = sync.Pool{New: func() any { return new(Module) }}

// maxRetained is the number of words of a block that a later module reuses.
const maxRetained = 1 << 20

// Release lets a later Decode reuse the memory of m, but not its words, for a program that decodes many modules one after the
// other. m is empty afterwards. A module that is not released is left to the garbage collector.
func (m *Module) Release() {
	block := m.block
	if cap(block) > maxRetained {
		block = nil
	}
	*m = Module{} // a second release keeps nothing
	modules.Put(&Module{block: block[:0]})
}

// Len returns the number of instructions.
func (m *Module) Len() int { return len(m.starts) - 1 }

// Inst returns instruction i, from 0.
func (m *Module) Inst(i int) Inst {
	a, b := m.starts[i], m.starts[i+1]
	return Inst(m.Words[a:b:b])
}

// Offset returns the word offset of instruction i; Offset(Len()) is the number
// of words of the module.
func (m *Module) Offset(i int) int { return int(m.starts[i]) }

// All yields all instructions with their numbers from 0.
func (m *Module) All() iter.Seq2[int, Inst] {
	return func(yield func(int, Inst) bool) {
		start := m.starts[0]
		for i, end := range m.starts[1:] {
			if !yield(i, m.Words[start:end:end]) {
				return
			}
			start = end
		}
	}
}

// Def returns the number of the instruction with the result id, -1 if there
// is none.
func (m *Module) Def(id ID) int { return int(m.defs.at(uint32(id))) - 1 }

// DefInst returns the instruction with the result id, nil if there is none.
func (m *Module) DefInst(id ID) Inst {
	i := m.Def(id)
	if i < 0 {
		return nil
	}
	return m.Inst(i)
}

// Known reports whether the grammar has instruction i and all its
// enumerants. It is false only if Options.AllowUnknown accepted one.
func (m *Module) Known(i int) bool {
	if m.odd == nil {
		return true
	}
	_, odd := m.odd[i]
	return !odd
}

// ExtSet returns the extended instruction set of the OpExtInstImport with the
// result id, ExtSetNone if there is none.
func (m *Module) ExtSet(id ID) ExtSet {
	if s := m.sets.find(id); s != ExtSetNone {
		return s
	}
	in := m.DefInst(id)
	if in == nil || in.Op() != OpExtInstImport {
		return ExtSetNone
	}
	return importedSet(in[2:])
}

// Number is the type of a literal number.
type Number struct {
	Bits     uint32 // width; the literal has as many words as that needs, at least one
	Float    bool
	Signed   bool       // of an integer
	Encoded  bool       // a float that is not of IEEE 754's binary formats
	Encoding FPEncoding // valid if Encoded
}

// Words returns the number of words of a literal.
func (n Number) Words() int { return max(1, int((uint64(n.Bits)+31)/32)) }

// Number returns the format of literals of a type; false if the id is not
// the result of an OpTypeInt or OpTypeFloat.
func (m *Module) Number(typ ID) (Number, bool) {
	in := m.DefInst(typ)
	if in == nil {
		return Number{}, false
	}
	switch in.Op() {
	case OpTypeInt:
		return Number{Bits: in[2], Signed: in[3] != 0}, true
	case OpTypeFloat:
		n := Number{Bits: in[2], Float: true}
		if len(in) > 3 {
			n.Encoded, n.Encoding = true, FPEncoding(in[3])
		}
		return n, true
	}
	return Number{}, false
}

// Encode returns the words as bytes, least significant byte first.
func (m *Module) Encode() []byte {
	out := make([]byte, 0, 4*len(m.Words))
	for _, w := range m.Words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}
