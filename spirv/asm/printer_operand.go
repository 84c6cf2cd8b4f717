package asm

import (
	"strconv"
	"unicode/utf8"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// operands prints operands of the given shape, each after a space, from word
// pos of an instruction on, and returns the index of the word after them. It
// follows the shape as spirv.Walk does. A decoded module is well-formed, so
// nothing is checked again. The depth of recursion is the depth of the grammar.
func (p *printer) operands(in spirv.Inst, pos int, shape []spirv.Operand) int {
	for i := range shape {
		o := &shape[i]
		switch {
		case o.Kind == spirv.KindIdResult:
			pos++
		case o.Quant == spirv.Once:
			pos = p.operand(in, pos, o.Kind)
		case o.Quant == spirv.Optional:
			if pos < len(in) {
				pos = p.operand(in, pos, o.Kind)
			}
		default:
			for pos < len(in) && len(p.dst) <= p.limit {
				pos = p.operand(in, pos, o.Kind)
			}
		}
	}
	return pos
}

// operand prints one operand and those that it brings with it.
func (p *printer) operand(in spirv.Inst, pos int, k spirv.Kind) int {
	v := in[pos]
	switch k.Category() {
	case spirv.CategoryID:
		p.dst = append(p.dst, ' ')
		p.color(colorID)
		p.id(spirv.ID(v))
		p.color(colorReset)
	case spirv.CategoryValue:
		row := k.Enumerant(v)
		p.dst = append(p.dst, ' ')
		switch {
		case k == spirv.KindFPEncoding && !fitsEncoding(spirv.FPEncoding(v), in[pos-1]):
			p.immediates(in[pos : pos+1])
		case p.raw:
			p.dst = appendUint(p.dst, v)
		default:
			p.dst = append(p.dst, row.Name()...)
		}
		return p.operands(in, pos+1, row.Operands())
	case spirv.CategoryMask:
		p.dst = append(p.dst, ' ')
		if p.raw {
			p.dst = appendUint(p.dst, v)
		} else {
			p.dst = appendMask(p.dst, k, v)
		}
		pos++
		for ; v != 0; v &= v - 1 {
			pos = p.operands(in, pos, k.Enumerant(v&-v).Operands())
		}
		return pos
	case spirv.CategoryPair:
		first, second := k.Pair()
		if in.Op() == spirv.OpSwitch {
			first = spirv.KindLiteralContextDependentNumber
		}
		return p.operand(in, p.operand(in, pos, first), second)
	default:
		return p.literal(in, pos, k)
	}
	return pos + 1
}

// color prints an escape sequence if colours are on.
func (p *printer) color(c string) {
	if p.o.Color {
		p.dst = append(p.dst, c...)
	}
}

// literal prints a literal operand and the operands that depend on it.
func (p *printer) literal(in spirv.Inst, pos int, k spirv.Kind) int {
	p.dst = append(p.dst, ' ')
	v, n := in[pos], 1
	switch k {
	case spirv.KindLiteralString:
		p.color(colorString)
		n = spirv.StringWords(in[pos:])
		p.text(in[pos : pos+n])
	case spirv.KindLiteralContextDependentNumber:
		num := p.number(in)
		n = num.Words()
		p.color(colorNumber)
		p.typed(num, in[pos:pos+n])
	case spirv.KindLiteralExtInstInteger:
		if row := p.m.ExtSet(spirv.ID(in[pos-1])).Inst(v); row != nil {
			p.dst = append(p.dst, row.Name()...)
			return p.operands(in, pos+1, row.Operands())
		}
		p.color(colorNumber)
		p.dst = appendUint(p.dst, v)
	case spirv.KindLiteralSpecConstantOpInteger:
		row := spirv.Op(v).Row()
		p.dst = append(p.dst, row.Name()...)
		return p.operands(in, pos+1, row.Operands()[2:])
	case spirv.KindLiteralFloat:
		p.color(colorNumber)
		p.dst = appendFloat(p.dst, &formatSingle, uint64(v))
	default:
		p.color(colorNumber)
		p.dst = appendUint(p.dst, v)
	}
	p.color(colorReset)
	return pos + n
}

// text prints a literal string. A string that a terminal or a CI log would act on, such as one with escape
// sequences, prints as words, with the escaped text in a comment.
func (p *printer) text(words []uint32) {
	at := len(p.dst)
	p.dst = appendQuoted(p.dst, words)
	safe := plain.Literal(string(p.dst[at:]))
	if safe && padded(words) {
		return
	}
	if !safe && len(p.said) < maxSaid {
		p.said = append(p.said, shortened(plain.Line(string(p.dst[at:])))...)
	}
	p.dst = p.dst[:at]
	p.immediates(words)
}

// maxSaid bounds the bytes of an escaped string in a comment.
const maxSaid = 256

func shortened(s string) string {
	if len(s) <= maxSaid {
		return s
	}
	n := maxSaid
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// typed prints a literal of known type. If its words differ from the canonical
// words of the type, it prints them verbatim; then the following literals of the
// instruction must be verbatim too, because the assembler cannot know their types.
func (p *printer) typed(n spirv.Number, words []uint32) {
	if !p.raw && canonical(n, words) {
		p.dst = appendNumber(p.dst, n, words)
		return
	}
	p.immediates(words)
}

// immediates prints words verbatim. The assembler does not know the kinds of the
// operands after them in the instruction.
func (p *printer) immediates(words []uint32) {
	p.raw = true
	for i, w := range words {
		if i > 0 {
			p.dst = append(p.dst, ' ')
		}
		p.dst = appendUint(append(p.dst, '!'), w)
	}
}

// padded reports whether only zeros follow the end of a literal string in its last
// word, as required (SPIR-V §2.2.1).
func padded(words []uint32) bool {
	last := words[len(words)-1]
	for last&0xff != 0 {
		last >>= 8
	}
	return last == 0
}

// canonical reports whether words are a literal of a type: a number in range,
// sign-extended or zero-extended to the words (SPIR-V §2.2.1).
func canonical(n spirv.Number, words []uint32) bool {
	v := literalBits(words)
	switch {
	case n.Float:
		f := formatOf(n)
		return f != nil && (f.width == 64 || v>>f.width == 0)
	case n.Bits == 0 || n.Bits > 64:
		return false
	case !n.Signed:
		return n.Bits == 64 || v>>n.Bits == 0
	case len(words) == 1:
		v = uint64(int64(int32(v)))
	}
	shift := 64 - n.Bits
	return uint64(int64(v<<shift)>>shift) == v
}

// literalBits returns the low 64 bits of a literal.
func literalBits(words []uint32) uint64 {
	v := uint64(words[0])
	if len(words) > 1 {
		v |= uint64(words[1]) << 32
	}
	return v
}

// number returns the type of the literals of a constant or a switch.
func (p *printer) number(in spirv.Inst) spirv.Number {
	typ := spirv.ID(in[1])
	if in.Op() == spirv.OpSwitch {
		typ = p.m.DefInst(typ).Type()
	}
	n, _ := p.m.Number(typ)
	return n
}

// appendMask appends the names of the bits of a mask, lowest first. No bit at
// all has a name too.
func appendMask(dst []byte, k spirv.Kind, v uint32) []byte {
	if v == 0 {
		if row := k.Enumerant(0); row != nil {
			return append(dst, row.Name()...)
		}
		return append(dst, "None"...)
	}
	for rest := v; rest != 0; rest &= rest - 1 {
		if rest != v {
			dst = append(dst, '|')
		}
		dst = append(dst, k.Enumerant(rest&-rest).Name()...)
	}
	return dst
}

// appendQuoted appends a literal string in quotes.
func appendQuoted(dst []byte, words []uint32) []byte {
	dst = append(dst, '"')
	for _, w := range words {
		for range 4 {
			c := byte(w)
			switch c {
			case 0:
				return append(dst, '"')
			case '"', '\\':
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
			w >>= 8
		}
	}
	return append(dst, '"')
}

// appendNumber appends a literal of known type. Integers wider than 64
// bits and floats without a known form print the number in their low words.
func appendNumber(dst []byte, n spirv.Number, words []uint32) []byte {
	v := literalBits(words)
	switch {
	case n.Float:
		if f := formatOf(n); f != nil {
			return appendFloat(dst, f, v)
		}
	case n.Signed && len(words) == 1:
		return strconv.AppendInt(dst, int64(int32(v)), 10)
	case n.Signed:
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendUint(dst, v, 10)
}
