package amber

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number is a number as a script writes it: an integer of 64 bits with or
// without a sign, or a floating-point number.
type Number struct {
	Float   float64 // its value
	Bits    uint64  // its bits in two's complement, for an integer
	Integer bool
}

// parseNumber reads decimal and hexadecimal integers and decimal
// floating-point numbers, nan and inf among them.
func parseNumber(s string) (Number, bool) {
	if s == "" {
		return Number{}, false
	}
	digits, negative := strings.CutPrefix(s, "-")
	digits = strings.TrimPrefix(digits, "+")
	if hex, ok := cutHex(digits); ok {
		v, err := strconv.ParseUint(hex, 16, 64)
		if negative {
			v = -v
		}
		return Number{Float: float64(v), Bits: v, Integer: true}, err == nil
	}
	if v, err := strconv.ParseUint(digits, 10, 64); err == nil {
		n := Number{Float: float64(v), Bits: v, Integer: true}
		if negative {
			n.Float, n.Bits = -n.Float, -v
		}
		return n, !negative || v <= 1<<63
	}
	if strings.ContainsAny(digits, "xXpP_") {
		return Number{}, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(v, 0) {
		return Number{}, false
	}
	return Number{Float: v}, true
}

func cutHex(s string) (string, bool) {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		return s[2:], true
	}
	return "", false
}

// Scalar is a type of one number.
type Scalar struct {
	Kind Kind
	Bits int // 8, 16, 32 or 64; a float has at least 16
}

// Kind is how a number is kept.
type Kind uint8

// The kinds.
const (
	Int Kind = iota
	Uint
	Float
)

// String returns the type's name in AmberScript.
func (s Scalar) String() string {
	switch {
	case s.Kind == Float && s.Bits == 64:
		return "double"
	case s.Kind == Float && s.Bits == 32:
		return "float"
	case s.Kind == Float:
		return "float" + strconv.Itoa(s.Bits)
	case s.Kind == Uint:
		return "uint" + strconv.Itoa(s.Bits)
	}
	return "int" + strconv.Itoa(s.Bits)
}

// Bytes returns the size in memory.
func (s Scalar) Bytes() int { return s.Bits / 8 }

// accepts reports whether n is a valid value of type s: integers accept whole numbers and
// store their low bits.
func (s Scalar) accepts(n Number) bool {
	return s.Kind == Float || n.Integer || n.Float == math.Trunc(n.Float) && math.Abs(n.Float) < 1<<63
}

// Parse reads a number of the type, as a script writes it.
func (s Scalar) Parse(text string) (Number, error) {
	n, ok := parseNumber(text)
	if !ok || !s.accepts(n) {
		return n, fmt.Errorf("%q; must be a number of type %s", text, s)
	}
	return s.number(s.bits(n)), nil
}

// Number returns the value of the low bits of raw.
func (s Scalar) Number(raw uint64) Number { return s.number(raw) }

// Text returns a number of the type with no more digits than the type tells apart.
func (s Scalar) Text(n Number) string { return s.text(n) }

// bits returns the representation of n in the type, in the low bits.
func (s Scalar) bits(n Number) uint64 {
	switch {
	case s.Kind != Float && n.Integer:
		return n.Bits & (^uint64(0) >> (64 - s.Bits))
	case s.Kind != Float:
		return uint64(int64(n.Float)) & (^uint64(0) >> (64 - s.Bits))
	case s.Bits == 16:
		return truncatedHalf(n.Float)
	case s.Bits == 32:
		return uint64(math.Float32bits(float32(n.Float)))
	}
	return math.Float64bits(n.Float)
}

// truncatedHalf returns v rounded to 32 bits and then toward zero to 16. The data of
// scripts is converted to halves in this way; their expectations depend on it.
func truncatedHalf(v float64) uint64 {
	v = float64(float32(v))
	raw := half.Convert(v)
	if math.Abs(half.Value(raw)) > math.Abs(v) {
		raw-- // the bits of halves of one sign are in order
	}
	return raw
}

// expected returns n as results of the type are compared with it: rounded to the type,
// except for halves, because the shader may round them in more than one way.
func (s Scalar) expected(n Number) Number {
	if s.Kind == Float && s.Bits == 16 {
		return Number{Float: float64(float32(n.Float))}
	}
	return s.number(s.bits(n))
}

// equals reports whether got is n, rounded to the type.
func (s Scalar) equals(got, n Number) bool {
	if s.Kind == Float && s.Bits == 16 && got.Float == half.Value(half.Convert(n.Float)) {
		return true
	}
	return equal(got, s.number(s.bits(n)))
}

// number returns the value of the low bits of raw.
func (s Scalar) number(raw uint64) Number {
	switch {
	case s.Kind == Int:
		v := int64(raw<<(64-s.Bits)) >> (64 - s.Bits)
		return Number{Float: float64(v), Bits: uint64(v), Integer: true}
	case s.Kind == Uint:
		return Number{Float: float64(raw), Bits: raw, Integer: true}
	case s.Bits == 16:
		return Number{Float: half.Value(raw)}
	case s.Bits == 32:
		return Number{Float: float64(math.Float32frombits(uint32(raw)))}
	}
	return Number{Float: math.Float64frombits(raw)}
}

// String returns the number in decimal.
func (n Number) String() string {
	switch {
	case n.Integer && n.Float < 0:
		return strconv.FormatInt(int64(n.Bits), 10)
	case n.Integer:
		return strconv.FormatUint(n.Bits, 10)
	}
	return strconv.FormatFloat(n.Float, 'g', -1, 64)
}

// text returns a number as it is written with no more digits than the type
// tells apart.
func (s Scalar) text(n Number) string {
	if s.Kind == Float && s.Bits <= 32 {
		return strconv.FormatFloat(n.Float, 'g', -1, 32)
	}
	return n.String()
}
