// Package printf formats the output of shaders: the format strings of
// NonSemantic.DebugPrintf, which are C's with vectors. It does not know the invocation that
// printed or the destination of the text.
package printf

import (
	"strconv"
	"strings"
)

// Arg is a scalar that a shader printed.
type Arg struct {
	Bits  uint64
	Width uint8 // 1 for a Boolean, 8 to 64
	Float bool
}

// Format returns the text of a format string with its values. A directive is
//
//	% [flags -+ #0] [width] [.precision] [v2 v3 v4] [h l]… conversion
//
// with the conversions d i u o x X c f F e E g G a A p and %%; vN means N values with ", "
// between them, and may also come before the width. Length modifiers are read and ignored:
// a value knows its width. Conversions to integers show a float's bits, conversions to
// floats an integer's value, without a sign. Text that is not a directive stays as it is, a
// missing value is "(missing)", and excess values are left out.
func Format(text string, args []Arg) string {
	var out strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			out.WriteString(text)
			break
		}
		out.WriteString(text[:i])
		text = text[i:]
		d, n := parse(text)
		switch {
		case n == 0:
			out.WriteByte('%')
			n = 1
		case d.verb == '%':
			out.WriteByte('%')
		default:
			for k := range d.count {
				if k > 0 {
					out.WriteString(", ")
				}
				if len(args) == 0 {
					out.WriteString("(missing)")
					continue
				}
				out.WriteString(d.scalar(args[0]))
				args = args[1:]
			}
		}
		text = text[n:]
	}
	return out.String()
}

// directive is one directive of a format string.
type directive struct {
	left, plus, space, sharp, zero bool
	width, precision               int // precision −1 if there is none
	count                          int // components
	verb                           byte
}

// maxWidth bounds widths and precisions.
const maxWidth = 512

// parse reads the directive that text begins with, and returns its length, or 0 if there is
// no directive.
func parse(text string) (d directive, n int) {
	d = directive{precision: -1, count: 1}
	n = 1
	for ; n < len(text); n++ {
		switch text[n] {
		case '-':
			d.left = true
		case '+':
			d.plus = true
		case ' ':
			d.space = true
		case '#':
			d.sharp = true
		case '0':
			d.zero = true
		default:
			goto width
		}
	}
width:
	n += d.vector(text[n:])
	n += number(text[n:], &d.width)
	if n < len(text) && text[n] == '.' {
		d.precision = 0
		n++
		n += number(text[n:], &d.precision)
	}
	n += d.vector(text[n:])
	for n+1 < len(text) && (text[n] == 'l' || text[n] == 'h' || text[n] == 'u' && text[n+1] == 'l') {
		if text[n] == 'u' { // ul is lu
			d.verb = 'u'
		}
		n++
		if d.verb == 'u' { // the following l ends the directive
			return d, n + 1
		}
	}
	if n == len(text) || strings.IndexByte("diuoxXcfFeEgGaAp%", text[n]) < 0 {
		return d, 0
	}
	d.verb = text[n]
	return d, n + 1
}

// vector reads v2, v3 or v4 and returns its length.
func (d *directive) vector(text string) int {
	if len(text) > 1 && text[0] == 'v' && text[1] >= '2' && text[1] <= '4' {
		d.count = int(text[1] - '0')
		return 2
	}
	return 0
}

// number reads digits and returns how many there are.
func number(text string, to *int) (n int) {
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		*to = min(*to*10+int(text[n]-'0'), maxWidth)
		n++
	}
	return n
}

// scalar returns the text of one value.
func (d *directive) scalar(a Arg) string {
	sign, digits := "", ""
	switch d.verb {
	case 'd', 'i':
		sign, digits = d.signed(a)
	case 'u':
		digits = d.digits(strconv.FormatUint(a.Bits, 10))
	case 'o':
		digits = d.digits(prefixed(d.sharp, "0", strconv.FormatUint(a.Bits, 8)))
	case 'x':
		digits = prefixed(d.sharp && a.Bits != 0, "0x", d.digits(strconv.FormatUint(a.Bits, 16)))
	case 'X':
		digits = prefixed(d.sharp && a.Bits != 0, "0X", d.digits(strings.ToUpper(strconv.FormatUint(a.Bits, 16))))
	case 'p':
		digits = "0x" + strconv.FormatUint(a.Bits, 16)
	case 'c':
		digits = string(rune(a.Bits & 0xff))
	default:
		return d.float(a)
	}
	return d.pad(sign, digits, d.zero && d.precision < 0)
}

func prefixed(yes bool, prefix, s string) string {
	if yes {
		return prefix + s
	}
	return s
}

// digits pads to the number of digits in the precision.
func (d *directive) digits(s string) string {
	if d.precision == 0 && s == "0" {
		return ""
	}
	return strings.Repeat("0", max(d.precision-len(s), 0)) + s
}

func (d *directive) signed(a Arg) (sign, digits string) {
	shift := 64 - max(a.Width, 1)
	x := int64(a.Bits<<shift) >> shift
	if a.Width == 1 {
		x = int64(a.Bits)
	}
	if x < 0 {
		return "-", d.digits(strconv.FormatUint(-uint64(x), 10))
	}
	return d.positive(), d.digits(strconv.FormatInt(x, 10))
}

// positive returns the sign of a non-negative number.
func (d *directive) positive() string {
	switch {
	case d.plus:
		return "+"
	case d.space:
		return " "
	}
	return ""
}

// pad brings a number to its width.
func (d *directive) pad(sign, digits string, zeros bool) string {
	n := d.width - len(sign) - len(digits)
	switch {
	case n <= 0:
		return sign + digits
	case d.left:
		return sign + digits + strings.Repeat(" ", n)
	case zeros:
		return sign + strings.Repeat("0", n) + digits
	}
	return strings.Repeat(" ", n) + sign + digits
}
