package format

import (
	"math"
	"slices"
)

// A table over intervals of floats gives the code of a linear value. Floats of an interval have one exponent and the same first 7 bits of the fraction
// (Giesen 2012, "float→sRGB8 using SSE2"). An interval has at most one of srgbBounds, at low of the 16 bits below:
//
//	step = code of the first float << 16 + 1<<16 − low        low is 1<<16 without a bound
//	code = (step + the low 16 bits of the value) >> 16        the sum carries from the bound on
const (
	srgbStepShift = 16

	// SRGBLeast is the first float of the first interval: this and all less have code 0. Greater ones than 1 have the code of 1.
	SRGBLeast = 1.0 / (1 << 13)
)

// srgbFirst is the number of the first interval.
var srgbFirst = math.Float32bits(SRGBLeast) >> srgbStepShift

var srgbSteps = stepsOfSRGB()

func stepsOfSRGB() []uint32 {
	steps := make([]uint32, 1+math.Float32bits(1)>>srgbStepShift-srgbFirst)
	for i := range steps {
		first := (srgbFirst + uint32(i)) << srgbStepShift
		code, exact := slices.BinarySearch(srgbBounds[:], math.Float32frombits(first))
		if exact {
			code++
		}
		low := uint32(1) << srgbStepShift
		if code < len(srgbBounds) {
			low = min(low, math.Float32bits(srgbBounds[code])-first)
		}
		steps[i] = uint32(code)<<srgbStepShift + 1<<srgbStepShift - low
	}
	return steps
}

// srgbCode returns the 8-bit sRGB code nearest to a linear value: the number of srgbBounds that are not greater.
func srgbCode(linear float32) uint64 {
	if !(linear > SRGBLeast) { // also NaN
		return 0
	}
	b := math.Float32bits(min(linear, 1))
	return uint64((srgbSteps[b>>srgbStepShift-srgbFirst] + b&(1<<srgbStepShift-1)) >> srgbStepShift)
}

// SRGBSteps returns the table of steps. The index of a value is the number of its interval, its bits from 16 on, less the same bits of SRGBLeast.
func SRGBSteps() []uint32 { return slices.Clone(srgbSteps) }

// SRGBLinear returns the linear value of each 8-bit sRGB code, rounded to nearest.
func SRGBLinear() [256]float32 { return srgbLinear }
