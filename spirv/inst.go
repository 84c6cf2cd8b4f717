package spirv

import (
	"bytes"
	"encoding/binary"
	"unsafe"
)

// Inst is the words of one instruction, the first word included. Its methods
// take for granted that Decode has seen it.
type Inst []uint32

// Op returns the opcode.
func (in Inst) Op() Op { return Op(in[0]) }

// Type returns the id of the result type, 0 if the opcode has none.
func (in Inst) Type() ID {
	if s := in.Op().shape(); s != nil && s.flags&hasType != 0 {
		return ID(in[1])
	}
	return 0
}

// Result returns the result id, 0 if the opcode has none.
func (in Inst) Result() ID {
	if s := in.Op().shape(); s != nil {
		switch s.flags & (hasType | hasResult) {
		case hasResult:
			return ID(in[1])
		case hasResult | hasType:
			return ID(in[2])
		}
	}
	return 0
}

// IDs returns words as ids, without a copy.
func IDs(words []uint32) []ID {
	return unsafe.Slice((*ID)(unsafe.SliceData(words)), len(words))
}

// Head returns the first word of an instruction.
func Head(op Op, words int) uint32 { return uint32(words)<<16 | uint32(op) }

// StringWords returns the number of words of the literal string at the start of
// words, its end included; 0 if it does not end.
func StringWords(words []uint32) int {
	for i, w := range words {
		if (w-0x01010101)&^w&0x80808080 != 0 {
			return i + 1
		}
	}
	return 0
}

// String returns the literal string at the start of words, without its end.
// If the string does not end, it returns all bytes.
func String(words []uint32) string {
	if n := StringWords(words); n > 0 {
		words = words[:n]
	}
	b := AppendBytes(make([]byte, 0, 4*len(words)), words)
	return unsafe.String(unsafe.SliceData(b), len(b)) // b has no other use
}

// AppendBytes appends the bytes of words, least significant first, without the end of the literal string
// that they are, which is in the last word.
func AppendBytes(b []byte, words []uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	if len(words) > 0 {
		if n := bytes.IndexByte(b[len(b)-4:], 0); n >= 0 {
			b = b[:len(b)-4+n]
		}
	}
	return b
}

// AppendString appends a literal string to words: the bytes, least significant
// first, and zeros to the end of the last word, one at least (SPIR-V §2.2.1).
// A zero byte in s ends it.
func AppendString(words []uint32, s string) []uint32 {
	w, shift := uint32(0), 0
	for i := 0; i < len(s) && s[i] != 0; i++ {
		w |= uint32(s[i]) << shift
		if shift += 8; shift == 32 {
			words = append(words, w)
			w, shift = 0, 0
		}
	}
	return append(words, w)
}
