package debug

import "strings"

// kinds is a set of kinds of numbers.
type kinds uint8

const (
	booleans kinds = 1 << boolean
	integers kinds = 1<<signed | 1<<unsigned
	floats   kinds = 1 << float
)

func (k kinds) has(of kind) bool { return k>>of&1 != 0 }

// String returns the kinds in words.
func (k kinds) String() string {
	var parts []string
	for _, x := range [...]struct {
		of   kinds
		name string
	}{{booleans, "booleans"}, {integers, "integers"}, {floats, "floats"}} {
		if k&x.of != 0 {
			parts = append(parts, x.name)
		}
	}
	return strings.Join(parts, " or ")
}

// operands are the kinds that functions take, if they are others than integers and floats: GLSL converts integers to floats, but neither floats
// to integers nor booleans ("4.1.10. Implicit Conversions"). HLSL converts all.
var operands = map[string]kinds{
	"any": booleans, "all": booleans, "not": booleans, "equal": booleans | integers | floats, "notEqual": booleans | integers | floats,
	"bitCount": integers, "countOneBits": integers, "findLSB": integers, "findMSB": integers, "bitfieldReverse": integers, "reverseBits": integers,
	"bitfieldExtract": integers, "extractBits": integers, "bitfieldInsert": integers, "insertBits": integers,
	"intBitsToFloat": integers, "uintBitsToFloat": integers, "floatBitsToInt": floats, "floatBitsToUint": floats,
	"unpackUnorm4x8": integers, "unpackUnorm2x16": integers, "unpackSnorm4x8": integers, "unpackSnorm2x16": integers, "unpackHalf2x16": integers,
}

// operandsOf returns the kinds that a function takes as argument i.
func operandsOf(name string, i int) kinds {
	if of, ok := operands[name]; ok {
		return of
	}
	switch {
	case name == "mix" && i == 2: // it may choose
		return booleans | integers | floats
	case name == "ldexp" && i == 1:
		return integers
	}
	return integers | floats
}
