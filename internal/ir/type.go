package ir

// Type is the type of a value.
type Type uint8

// The types. None is the type of operations without a result.
const (
	None Type = iota
	B1
	I8
	I16
	I32
	I64
	F16
	F32
	F64
	H
	numTypes
)

var typeNames = [numTypes]string{None: "none", B1: "b1", I8: "i8", I16: "i16", I32: "i32", I64: "i64", F16: "f16", F32: "f32", F64: "f64", H: "h"}

// typeBits has an entry for each value of a byte: Bits needs no bounds check in the
// interpreter's inner loops.
var typeBits = [256]uint8{B1: 1, I8: 8, I16: 16, I32: 32, I64: 64, F16: 16, F32: 32, F64: 64, H: 64}

// String returns the printed form, such as "f32".
func (t Type) String() string { return typeNames[t] }

// Bits returns the width of a value in bits: 1 for B1, 0 for None.
func (t Type) Bits() uint8 { return typeBits[t] }

// Size returns the width of a value in memory in bytes: 0 for B1, H and None,
// which have no representation in memory.
func (t Type) Size() uint32 {
	if t == B1 || t == H {
		return 0
	}
	return uint32(t.Bits()) / 8
}

// Slots returns the number of slots of private memory for a value.
func (t Type) Slots() uint32 {
	if t == I64 || t == F64 {
		return 2
	}
	return 1
}

// IsInt reports whether t is an integer type of 8 bits or more.
func (t Type) IsInt() bool { return t >= I8 && t <= I64 }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t >= F16 && t <= F64 }

// Mask returns the bits that a value of type t may have set.
func (t Type) Mask() uint64 {
	if b := t.Bits(); b < 64 {
		return 1<<b - 1
	}
	return ^uint64(0)
}

// Int returns the integer type of the given width in bits, or None.
func Int(bits uint32) Type {
	switch bits {
	case 8:
		return I8
	case 16:
		return I16
	case 32:
		return I32
	case 64:
		return I64
	}
	return None
}

// Float returns the floating-point type of the given width in bits, or None.
func Float(bits uint32) Type {
	switch bits {
	case 16:
		return F16
	case 32:
		return F32
	case 64:
		return F64
	}
	return None
}

// typeByName returns the type with the given printed form, or None.
func typeByName(s string) Type {
	for t := B1; t < numTypes; t++ {
		if typeNames[t] == s {
			return t
		}
	}
	return None
}
