package spirv

import (
	"fmt"
	"strconv"
	"strings"
)

// Op is an opcode (SPIR-V §3.3).
type Op uint16

// Class is the chapter of the specification with an instruction.
type Class uint8

// Kind is the kind of an operand (SPIR-V §3.2, and the kinds of the grammar).
type Kind uint8

// Category is the way in which operands of a kind are written.
type Category uint8

// The categories of kinds.
const (
	CategoryNone    Category = iota
	CategoryID               // one id
	CategoryLiteral          // a literal of one or more words
	CategoryValue            // one enumerant, followed by its parameters
	CategoryMask             // a set of bits, followed by their parameters in order of the bits
	CategoryPair             // two operands that always occur together
)

// Quantifier is the number of times that an operand may occur.
type Quantifier uint8

// The quantifiers.
const (
	Once     Quantifier = iota // exactly once
	Optional                   // once or not at all
	Repeated                   // any number of times, none included
)

// Operand is one operand in the shape of an instruction or an enumerant.
type Operand struct {
	name  text
	Kind  Kind
	Quant Quantifier
}

// Name returns the operand's name, as package inst calls it: "Base".
func (o Operand) Name() string { return o.name.String() }

// text is a name in the pool of names: offset<<8 | length.
type text uint32

func (t text) String() string { return textPool[t>>8 : t>>8+t&0xff] }

// Row is the grammar's entry of one opcode, enumerant or extended
// instruction.
type Row struct {
	name                              text
	value                             uint32
	version, last                     uint16
	operands, caps, exts, aliases     uint16
	nOperands, nCaps, nExts, nAliases uint8
}

// Name returns the name in assembly, without the prefix Op.
func (r *Row) Name() string { return r.name.String() }

// Value returns the number: the opcode, the enumerant, the bit of a mask.
func (r *Row) Value() uint32 { return r.value }

// Version returns the first version of SPIR-V that has it, 0 if no version
// does and an extension or a capability must bring it.
func (r *Row) Version() Version { return Version(r.version) << 8 }

// LastVersion returns the last version of SPIR-V that has it, 0 if there is
// no last.
func (r *Row) LastVersion() Version { return Version(r.last) << 8 }

// Operands returns the operands of an instruction, or the parameters of an
// enumerant. The slice is shared and must not be changed.
func (r *Row) Operands() []Operand {
	return operandPool[r.operands : int(r.operands)+int(r.nOperands)]
}

// Capabilities returns the capabilities of which one must be declared; for an
// enumerant of Capability, those that it declares by itself. The slice is
// shared and must not be changed.
func (r *Row) Capabilities() []Capability {
	return capabilityPool[r.caps : int(r.caps)+int(r.nCaps)]
}

// Extensions returns the extensions, one of which brings it if the version
// does not. The slice is shared and must not be changed.
func (r *Row) Extensions() []string {
	return extensionPool[r.exts : int(r.exts)+int(r.nExts)]
}

// Aliases returns the other names in assembly, without the prefix Op.
func (r *Row) Aliases() []string {
	var out []string
	for _, t := range aliasPool[r.aliases : int(r.aliases)+int(r.nAliases)] {
		out = append(out, t.String())
	}
	return out
}

// shape is the properties of an opcode that the decoder needs before it decodes
// the operands one by one.
type shape struct {
	ids      uint32 // bit i: operand word i+1 is an id, among the fixed ones
	class    Class
	flags    uint8 // hasType, hasResult, specConstant
	fixed    uint8 // operand words that are always present, one per operand
	min, max uint8 // words of the instruction; max 255 is no limit
	tail     uint8 // how the words after the fixed ones are read
	next     uint8 // number of the operand after the fixed ones
}

const (
	hasType      = 1
	hasResult    = 2
	specConstant = 4

	tailNone   = 0 // nothing follows
	tailIDs    = 1 // ids, up to max
	tailWords  = 2 // literals of one word, up to max
	tailWalked = 3 // operands that must be looked at one by one

	unbounded = 255
)

// Row returns the grammar's entry of the opcode, nil if there is
// none.
func (o Op) Row() *Row {
	if int(o) < len(opRow) {
		if n := opRow[o]; n > 0 {
			return &rows[n-1]
		}
	}
	return nil
}

func (o Op) shape() *shape {
	if int(o) < len(opRow) {
		if n := opRow[o]; n > 0 {
			return &shapes[n-1]
		}
	}
	return nil
}

// String returns the name, "OpFMod"; "Op(65535)" if the opcode is unknown.
func (o Op) String() string {
	if r := o.Row(); r != nil {
		return "Op" + r.Name()
	}
	return "Op(" + strconv.Itoa(int(o)) + ")"
}

// Known reports whether the grammar has the opcode.
func (o Op) Known() bool { return o.shape() != nil }

// HasType reports whether the instruction has a result type.
func (o Op) HasType() bool { s := o.shape(); return s != nil && s.flags&hasType != 0 }

// HasResult reports whether the instruction has a result id.
func (o Op) HasResult() bool { s := o.shape(); return s != nil && s.flags&hasResult != 0 }

// SpecConstant reports whether OpSpecConstantOp can name the opcode (SPIR-V
// §3.3.7, and the extensions that add to its list). It ignores the capability
// that some of them require. Package typing declares the property.
func (o Op) SpecConstant() bool { s := o.shape(); return s != nil && s.flags&specConstant != 0 }

// Class returns the chapter of the instruction.
func (o Op) Class() Class {
	if s := o.shape(); s != nil {
		return s.class
	}
	return ClassReserved
}

// Ops returns the rows of all opcodes in order of their numbers. The slice is
// shared and must not be changed.
func Ops() []Row { return rows[:len(shapes)] }

// OpByName returns the opcode of a name or an alias, with or without the
// prefix Op.
func OpByName(name string) (Op, bool) {
	r := lookup(opSpace, strings.TrimPrefix(name, "Op"))
	if r == nil {
		return 0, false
	}
	return Op(r.value), true
}

// String returns the heading of the chapter: "Memory".
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// kindRow is the grammar's entry of a kind. Enumerants 0 to dense-1 are at
// the index of their value; bits are the allowed bits of a mask, args the bits with
// parameters.
type kindRow struct {
	name         text
	at, n, dense uint16
	bits, args   uint32
	category     Category
	bases        [2]Kind
}

// String returns the name in the grammar: "StorageClass".
func (k Kind) String() string {
	if int(k) < len(kinds) && k != KindNone {
		return kinds[k].name.String()
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Category returns how operands of the kind are written.
func (k Kind) Category() Category { return kinds[k].category }

// Pair returns the two kinds that a kind of CategoryPair consists of.
func (k Kind) Pair() (first, second Kind) { return kinds[k].bases[0], kinds[k].bases[1] }

// Enumerants returns the rows of the kind's enumerants or bits, in order of
// their values. The slice is shared and must not be changed.
func (k Kind) Enumerants() []Row {
	r := &kinds[k]
	return rows[r.at : r.at+r.n]
}

// Enumerant returns the row of a value, or of one bit of a mask; nil if
// there is none.
func (k Kind) Enumerant(value uint32) *Row {
	r := &kinds[k]
	if value < uint32(r.dense) {
		return &rows[uint32(r.at)+value]
	}
	return find(rows[r.at+r.dense:r.at+r.n], value)
}

// EnumerantByName returns the row of a name or an alias, nil if there is
// none.
func (k Kind) EnumerantByName(name string) *Row { return lookup(kindSpace+uint8(k), name) }

// find searches rows that are sorted by value.
func find(list []Row, value uint32) *Row {
	lo, hi := 0, len(list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if list[mid].value < value {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(list) && list[lo].value == value {
		return &list[lo]
	}
	return nil
}

func (k Kind) valueName(v uint32) string {
	if r := k.Enumerant(v); r != nil {
		return r.Name()
	}
	return k.String() + "(" + strconv.FormatUint(uint64(v), 10) + ")"
}

func (k Kind) maskName(v uint32) string {
	if v == 0 {
		if r := k.Enumerant(0); r != nil {
			return r.Name()
		}
		return "None"
	}
	var parts []string
	for rest := v; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		if r := k.Enumerant(bit); r != nil {
			parts = append(parts, r.Name())
		} else {
			parts = append(parts, fmt.Sprintf("%#x", bit))
		}
	}
	return strings.Join(parts, "|")
}

// MaskParameters returns the words that belong to one bit of a mask, given all
// parameter words that follow the mask; nil if the bit is not set or has
// none.
func (k Kind) MaskParameters(mask, bit uint32, words []uint32) []uint32 {
	if mask&bit == 0 {
		return nil
	}
	at := 0
	for rest := mask & kinds[k].args; rest != 0; rest &= rest - 1 {
		low := rest & -rest
		n := int(k.Enumerant(low).nOperands)
		if at+n > len(words) {
			return nil
		}
		if low == bit {
			return words[at : at+n]
		}
		at += n
	}
	return nil
}

// The name spaces of the name table.
const (
	opSpace   = 0
	kindSpace = 1
	setSpace  = 128
)

// nameEntry is one name of one row, in one name space.
type nameEntry struct {
	name  text
	row   uint16
	space uint8
}

func lookup(space uint8, name string) *Row {
	h := uint32(space)*0x9e3779b1 ^ 0x811c9dc5
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(name[i])) * 0x01000193
	}
	h ^= h >> 15
	for {
		h &= uint32(len(nameSlots) - 1)
		n := nameSlots[h]
		if n == 0 {
			return nil
		}
		if e := &nameEntries[n-1]; e.space == space && e.name.String() == name {
			return &rows[e.row]
		}
		h++
	}
}

// Span returns the number of words of an operand of the kind at the start of
// words, including the parameters of its enumerant or bits. A literal that
// depends on its context has all words. The result is at most len(words).
func (k Kind) Span(words []uint32) int {
	if len(words) == 0 {
		return 0
	}
	n := 1
	switch kinds[k].category {
	case CategoryLiteral:
		switch k {
		case KindLiteralString:
			if n = StringWords(words); n == 0 {
				n = len(words)
			}
		case KindLiteralContextDependentNumber:
			n = len(words)
		}
	case CategoryPair:
		n = 2
	case CategoryValue:
		if r := k.Enumerant(words[0]); r != nil {
			n += spanOf(r.Operands(), words[1:])
		}
	case CategoryMask:
		for rest := words[0] & kinds[k].args; rest != 0; rest &= rest - 1 {
			n += int(k.Enumerant(rest & -rest).nOperands)
		}
	}
	return min(n, len(words))
}

// spanOf returns how many words parameters take.
func spanOf(ops []Operand, words []uint32) int {
	n := 0
	for _, o := range ops {
		if o.Quant == Repeated {
			return len(words)
		}
		n += o.Kind.Span(words[min(n, len(words)):])
	}
	return n
}
