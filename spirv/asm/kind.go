package asm

import "github.com/chiaro-gpu/chiaro/spirv"

// kindClass is the definition of an id, as far as later text needs it.
type kindClass uint8

const (
	kindInt   kindClass = iota // OpTypeInt
	kindFloat                  // OpTypeFloat
	kindType                   // another type
	kindSet                    // OpExtInstImport
)

// kind is a type or an imported instruction set.
type kind struct {
	width  uint32       // of a number
	format *floatFormat // of a float, nil if its literals have no known form
	class  kindClass
	signed bool         // of an integer
	set    spirv.ExtSet // of an import
}

// meanings are the meanings of slots, in one word each: 0 for none,
// the slot of the type of a value, or an index into kinds.
type meanings struct {
	of    []uint32
	kinds []kind
}

// isKind marks a word of meanings as an index into kinds.
const isKind = 1 << 31

// note stores the type of a value. A slot keeps its first meaning: text that defines
// an id twice is faulty, but a type stays a type for the literals after it.
func (m *meanings) note(slot, typ uint32) {
	m.grow(slot)
	if m.of[slot] == 0 {
		m.of[slot] = typ
	}
}

// noteKind makes a type or a set the meaning of a slot.
func (m *meanings) noteKind(slot uint32, k kind) {
	m.grow(slot)
	m.of[slot] = uint32(len(m.kinds)) | isKind
	m.kinds = append(m.kinds, k)
}

// grow makes room for the meaning of a slot.
func (m *meanings) grow(slot uint32) {
	if n := int(slot) + 1 - len(m.of); n > 0 {
		m.of = append(m.of, make([]uint32, n)...)
	}
}

// kind returns the meaning of a slot, nil if it is neither a type nor a set.
func (m *meanings) kind(slot uint32) *kind {
	if int(slot) < len(m.of) && m.of[slot]&isKind != 0 {
		return &m.kinds[m.of[slot]&^isKind]
	}
	return nil
}

// typeOf returns the slot of the type of a value, 0 if it is no value.
func (m *meanings) typeOf(slot uint32) uint32 {
	if int(slot) < len(m.of) && m.of[slot]&isKind == 0 {
		return m.of[slot]
	}
	return 0
}

// define remembers the type or the instruction set that was assembled. An id defines one of them, once.
func (a *assembler) define() bool {
	w := a.words[a.begin:]
	if a.resultSlot == 0 {
		return true
	}
	if k := a.kind(a.resultSlot); k != nil && (k.class == kindSet) == (a.op == spirv.OpExtInstImport) {
		name := a.text[a.resultAt:a.resultEnd]
		if k.class == kindSet {
			return a.fail("SPV-Text-Import", a.resultAt, "%s is an instruction set already; an id can import one", name)
		}
		return a.fail("SPV-Text-Type", a.resultAt, "%s is a type already; an id can be one type", name)
	}
	switch a.op {
	case spirv.OpTypeInt:
		if len(w) != 4 {
			return a.fail("SPV-Text-Type", a.resultAt, "OpTypeInt has a width and a signedness; found %d words after the result", len(w)-2)
		}
		a.noteKind(a.resultSlot, kind{class: kindInt, width: w[2], signed: w[3] != 0})
	case spirv.OpTypeFloat:
		return a.defineFloat(w)
	case spirv.OpExtInstImport:
		if !a.raw {
			set, _ := spirv.ExtSetByName(spirv.String(w[2:]))
			a.noteKind(a.resultSlot, kind{class: kindSet, set: set})
		}
	default:
		a.noteKind(a.resultSlot, kind{class: kindType})
	}
	return true
}

// defineFloat remembers the float type of the words of an OpTypeFloat.
func (a *assembler) defineFloat(w []uint32) bool {
	if len(w) != 3 && len(w) != 4 {
		return a.fail("SPV-Text-Type", a.resultAt, "OpTypeFloat has a width and at most an encoding; found %d words after the result", len(w)-2)
	}
	n := spirv.Number{Bits: w[2], Float: true}
	if len(w) > 3 {
		n.Encoded, n.Encoding = true, spirv.FPEncoding(w[3])
		if spirv.KindFPEncoding.Enumerant(w[3]) == nil {
			return a.fail("SPV-Text-Type", a.resultAt, "OpTypeFloat: %d is no FPEncoding", w[3])
		}
	}
	f := formatOf(n)
	if f == nil && n.Encoded && !a.raw {
		if want := encodingWidth(n.Encoding); !fitsEncoding(n.Encoding, n.Bits) {
			return a.fail("SPV-Text-FloatWidth", a.start, "the encoding %v has %d bits; found a width of %d", n.Encoding, want, n.Bits)
		}
	}
	a.noteKind(a.resultSlot, kind{class: kindFloat, width: w[2], format: f})
	return true
}

// formatOf returns the encoding of a float type, nil if it is not
// known here.
func formatOf(n spirv.Number) *floatFormat {
	if n.Encoded {
		if f := encodingFormat(n.Encoding); f != nil && uint32(f.width) == n.Bits {
			return f
		}
		return nil
	}
	switch n.Bits {
	case 16:
		return &formatHalf
	case 32:
		return &formatSingle
	case 64:
		return &formatDouble
	}
	return nil
}

// encodingFormat returns the format of an FPEncoding, nil if it is unknown.
func encodingFormat(e spirv.FPEncoding) *floatFormat {
	switch e {
	case spirv.FPEncodingBFloat16KHR:
		return &formatBFloat
	case spirv.FPEncodingFloat8E4M3EXT:
		return &formatE4M3
	case spirv.FPEncodingFloat8E5M2EXT:
		return &formatE5M2
	case spirv.FPEncodingFloat6E2M3EXT:
		return &formatE2M3
	case spirv.FPEncodingFloat6E3M2EXT:
		return &formatE3M2
	case spirv.FPEncodingFloat4E2M1EXT:
		return &formatE2M1
	case spirv.FPEncodingFloat8UnsignedE8M0EXT:
		return &formatE8M0
	case spirv.FPEncodingMXInt8EXT:
		return &formatMXInt8
	}
	return nil
}

// encodingWidth returns the width that an encoding demands, 0 for none.
func encodingWidth(e spirv.FPEncoding) uint8 {
	if f := encodingFormat(e); f != nil {
		return f.width
	}
	return 0
}

// fitsEncoding reports whether a float of an encoding may have a width. The text
// has no name for the encoding of another width: there it is an immediate word.
func fitsEncoding(e spirv.FPEncoding, width uint32) bool {
	want := encodingWidth(e)
	return want == 0 || uint32(want) == width
}
