package asm

import "fmt"

// intFault is the reason why a text is no integer literal.
type intFault uint8

const (
	intGood intFault = iota
	intSyntax
	intNegative // a minus sign before an unsigned literal
	intRange
)

// parseInt reads an integer literal of a width of 1 to 64 bits and a
// signedness: decimal, hexadecimal with 0x, or octal with a leading zero. A
// hexadecimal literal writes bits: if its sign bit is set, the result is the
// negative number of these bits. The result is sign-extended to 64 bits.
func parseInt(text string, width uint, signed bool) (uint64, intFault) {
	body, neg := text, false
	switch {
	case text == "":
		return 0, intSyntax
	case text[0] == '-':
		if !signed {
			return 0, intNegative
		}
		body, neg = text[1:], true
	case text[0] == '+':
		body = text[1:]
	}
	n, hex, fault := parseMagnitude(body)
	if fault != intGood {
		return 0, fault
	}
	limit := ^uint64(0) >> (64 - width) // the largest magnitude
	switch {
	case neg:
		if n > 1<<(width-1) {
			return 0, intRange
		}
		return -n, intGood
	case hex && text[0] != '+':
		if n > limit {
			return 0, intRange
		}
		if signed && n>>(width-1) != 0 {
			n |= ^limit
		}
		return n, intGood
	case signed:
		limit >>= 1
	}
	if n > limit {
		return 0, intRange
	}
	return n, intGood
}

// parseMagnitude reads digits of base 10, 16 or 8 without a sign.
func parseMagnitude(s string) (n uint64, hex bool, fault intFault) {
	base := uint64(10)
	if len(s) > 1 && s[0] == '0' {
		if s[1] == 'x' || s[1] == 'X' {
			s, base, hex = s[2:], 16, true
		} else {
			s, base = s[1:], 8
		}
	}
	if s == "" {
		return 0, hex, intSyntax
	}
	for i := 0; i < len(s); i++ {
		d, ok := hexValue(s[i])
		if !ok || d >= base {
			return 0, hex, intSyntax
		}
		if n > (^uint64(0)-d)/base {
			fault = intRange
		}
		n = n*base + d
	}
	return n, hex, fault
}

// describe returns the message for an integer literal: the fault and the requirement.
func (f intFault) describe(text string, width uint, signed bool) string {
	kind := "unsigned"
	if signed {
		kind = "signed"
	}
	switch f {
	case intNegative:
		return fmt.Sprintf("%s is negative; an unsigned integer literal of %d bits was expected", shorten(text), width)
	case intRange:
		return fmt.Sprintf("%s does not fit in %d bits, %s", shorten(text), width, kind)
	}
	return fmt.Sprintf("expected %s integer literal of %d bits, found %s", article(kind), width, shorten(text))
}
