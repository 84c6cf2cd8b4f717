package golden

import (
	"fmt"
	"math"
	"strings"
)

// Tolerance is the permitted difference of a result from the expected value. A result within any of the bounds is permitted;
// without a bound it must be equal.
type Tolerance struct {
	ULP      uint64  // representable numbers from one to the other
	Absolute float64 // distance
	Relative float64 // distance as a share of the expected value
}

// Near reports whether a result of a type with 16, 32 or 64 bits is permitted. NaN is permitted for NaN only, and an infinity for
// itself only, whatever the tolerance; −0 and 0 are equal.
func (t Tolerance) Near(got, want float64, bits int) bool {
	switch {
	case math.IsNaN(got) || math.IsNaN(want):
		return math.IsNaN(got) && math.IsNaN(want)
	case got == want:
		return true
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return false
	}
	d := math.Abs(got - want)
	return d <= t.Absolute || d <= t.Relative*math.Abs(want) || t.ULP > 0 && Distance(got, want, bits) <= t.ULP
}

// Check returns an error if a bound is no distance.
func (t Tolerance) Check() error {
	for _, v := range [...]float64{t.Absolute, t.Relative} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("a tolerance of %v; must be a finite number, at least 0", v)
		}
	}
	return nil
}

// String lists the bounds.
func (t Tolerance) String() string {
	var list []string
	if t.ULP > 0 {
		list = append(list, fmt.Sprintf("%d ULP", t.ULP))
	}
	if t.Absolute > 0 {
		list = append(list, fmt.Sprint(t.Absolute))
	}
	if t.Relative > 0 {
		list = append(list, fmt.Sprintf("%g%%", 100*t.Relative))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, " or ")
}

// Distance returns the number of steps between two finite numbers of a type with 16, 32 or 64 bits. A number that the type does
// not have counts as its neighbor toward zero.
func Distance(a, b float64, bits int) uint64 {
	x, y := order(a, bits), order(b, bits)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// order numbers the representable values of a type: 0 is zero, and −n is the negative of n.
func order(v float64, bits int) int64 {
	var n int64
	switch u := math.Abs(v); bits {
	case 64:
		n = int64(math.Float64bits(u))
	case 32:
		f := float32(u)
		if n = int64(math.Float32bits(f)); float64(f) > u {
			n--
		}
	default:
		n = halfOrder(u)
	}
	if math.Signbit(v) {
		return -n
	}
	return n
}

// halfOrder is order for a number of 16 bits that is not negative: 2¹⁰ numbers for each exponent from −14 to 15, and as many
// multiples of 2⁻²⁴ below.
func halfOrder(u float64) int64 {
	const greatest = 65504
	if u > greatest {
		u = greatest
	}
	if u < 0x1p-14 {
		return int64(u * 0x1p24)
	}
	fraction, exponent := math.Frexp(u) // 0.5 ≤ fraction < 1
	return int64(exponent+14)<<10 + int64(fraction*2048) - 1024
}
