package scalar

// FEq reports x = y: false if either is NaN, true for the two zeros.
func FEq(w uint8, x, y uint64) bool {
	if w == 32 {
		return F32(x) == F32(y)
	}
	return Float(w, x) == Float(w, y)
}

// FLt reports x < y: false if either is NaN.
func FLt(w uint8, x, y uint64) bool {
	if w == 32 {
		return F32(x) < F32(y)
	}
	return Float(w, x) < Float(w, y)
}

// FLe reports x ≤ y: false if either is NaN.
func FLe(w uint8, x, y uint64) bool {
	if w == 32 {
		return F32(x) <= F32(y)
	}
	return Float(w, x) <= Float(w, y)
}

// FMin returns y if y < x, else x. So the result is x for two zeros, and if either
// operand is NaN.
func FMin(w uint8, x, y uint64) uint64 {
	if FLt(w, y, x) {
		return y
	}
	return x
}

// FMax returns y if x < y, else x.
func FMax(w uint8, x, y uint64) uint64 {
	if FLt(w, x, y) {
		return y
	}
	return x
}

// NMin returns the lesser. −0 is less than +0, a number wins over a NaN, and the
// minimum of two NaN is the canonical NaN.
func NMin(w uint8, x, y uint64) uint64 {
	switch {
	case IsNaN(w, x):
		return FCanon(w, y)
	case IsNaN(w, y) || FLt(w, x, y):
		return x
	case FLt(w, y, x):
		return y
	}
	return x | y // equal bits, or zeros
}

// NMax returns the greater. +0 is greater than −0, a number wins over a NaN, and the
// maximum of two NaN is the canonical NaN.
func NMax(w uint8, x, y uint64) uint64 {
	switch {
	case IsNaN(w, x):
		return FCanon(w, y)
	case IsNaN(w, y) || FLt(w, y, x):
		return x
	case FLt(w, x, y):
		return y
	}
	return x & y // equal bits, or zeros
}
