package printf

import (
	"math"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// float returns the text of one value by a conversion to a float.
func (d *directive) float(a Arg) string {
	x := float64(a.Bits)
	if a.Float {
		x = scalar.Float(a.Width, a.Bits)
	}
	sign := d.positive()
	if math.Signbit(x) && !math.IsNaN(x) {
		sign, x = "-", -x
	}
	s, finite := d.magnitude(x)
	if d.verb >= 'A' && d.verb <= 'Z' {
		s = strings.ToUpper(s)
	}
	return d.pad(sign, s, d.zero && finite)
}

// magnitude returns the text of a number without a sign, in small letters.
func (d *directive) magnitude(x float64) (s string, finite bool) {
	switch {
	case math.IsNaN(x):
		return "nan", false
	case math.IsInf(x, 0):
		return "inf", false
	}
	verb, precision := d.verb|0x20, d.precision
	if verb == 'a' {
		return hexadecimal(x, precision), true
	}
	if precision < 0 {
		precision = 6
	}
	if verb == 'g' {
		precision = max(precision, 1)
	}
	return strconv.FormatFloat(x, verb, precision, 64), true
}

// hexadecimal writes the exponent of a hexadecimal float with as few digits as
// C does: Go writes two at least.
func hexadecimal(x float64, precision int) string {
	s := strconv.FormatFloat(x, 'x', precision, 64)
	i := strings.IndexByte(s, 'p')
	return s[:i+2] + strings.TrimLeft(s[i+2:len(s)-1], "0") + s[len(s)-1:]
}
