package format

import (
	"math"
	"sort"
)

// decodes has, by numeric format, the number that the raw bits c of b bits stand
// for, as the specification's chapters on fixed-point conversions, on small
// floats and on transfer functions write it.
var decodes = map[Numeric]func(c uint64, b int) float64{
	UNorm:      func(c uint64, b int) float64 { return float64(c) / float64(uint64(1)<<b-1) },
	SNorm:      func(c uint64, b int) float64 { return math.Max(signedOf(c, b)/float64(uint64(1)<<(b-1)-1), -1) },
	UScaled:    func(c uint64, b int) float64 { return float64(c) },
	SScaled:    signedOf,
	UInt:       func(c uint64, b int) float64 { return float64(c) },
	SInt:       signedOf,
	SFixed5:    func(c uint64, b int) float64 { return signedOf(c, b) / 32 },
	SRGB:       func(c uint64, b int) float64 { return eotf(float64(c) / 255) },
	UFloat:     func(c uint64, b int) float64 { return ieee(c, 5, b-5, false) },
	SFloat:     func(c uint64, b int) float64 { return ieee(c, map[int]int{16: 5, 32: 8, 64: 11}[b], b, true) },
	BFloat16:   func(c uint64, b int) float64 { return ieee(c, 8, b, true) },
	Float8E5M2: func(c uint64, b int) float64 { return ieee(c, 5, b, true) },
	Float8E4M3: func(c uint64, b int) float64 {
		e, m := c>>3&15, float64(c&7)
		v := math.Pow(2, float64(e)-7) * (1 + m/8)
		switch {
		case c&0x7f == 0x7f:
			return math.NaN()
		case e == 0:
			v = math.Pow(2, -6) * m / 8
		}
		return math.Copysign(v, 0.5-float64(c>>7))
	},
}

// signedOf reads b bits in two's complement.
func signedOf(c uint64, b int) float64 {
	v := float64(c)
	if c>>(b-1) != 0 {
		v -= math.Pow(2, float64(b))
	}
	return v
}

// eotf is the transfer function of sRGB.
func eotf(s float64) float64 {
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// ieee reads a float with so many bits of exponent; b is the whole width, or
// that of the mantissa where there is no sign.
func ieee(c uint64, exponent, b int, signed bool) float64 {
	mantissa, sign := b, 1.0
	if signed {
		mantissa = b - 1 - exponent
		sign = 1 - 2*float64(c>>(b-1))
	}
	m := float64(c&(1<<mantissa-1)) / math.Pow(2, float64(mantissa))
	e := c >> mantissa & (1<<exponent - 1)
	bias := math.Pow(2, float64(exponent-1)) - 1
	switch {
	case e == 1<<exponent-1 && m != 0:
		return math.NaN()
	case e == 1<<exponent-1:
		return math.Inf(int(sign))
	case e == 0:
		return sign * math.Pow(2, 1-bias) * m
	}
	return sign * math.Pow(2, float64(e)-bias) * (1 + m)
}

// scale lists the finite numbers that the bits of a component stand for, in
// ascending order, each with its bits.
type scale struct {
	numbers []float64
	bits    []uint64
}

// scaleOf lists the numbers of a component of at most 16 bits; of two patterns
// of one number the first counts that is not the least of two's complement.
func scaleOf(n Numeric, b int) *scale {
	s := &scale{}
	for c := range uint64(1) << b {
		v := decodes[n](c, b)
		if math.IsNaN(v) || math.IsInf(v, 0) || n == SNorm && c == 1<<(b-1) || v == 0 && c != 0 {
			continue
		}
		s.numbers, s.bits = append(s.numbers, v), append(s.bits, c)
	}
	sort.Sort(s)
	return s
}

func (s *scale) Len() int           { return len(s.numbers) }
func (s *scale) Less(i, j int) bool { return s.numbers[i] < s.numbers[j] }
func (s *scale) Swap(i, j int) {
	s.numbers[i], s.numbers[j] = s.numbers[j], s.numbers[i]
	s.bits[i], s.bits[j] = s.bits[j], s.bits[i]
}

// nearest returns the bits of the number next to v, that of even bits of two as
// near, the least or the greatest outside. The units tell fixed point, whose
// distances are measured in steps, which are exact.
func (s *scale) nearest(v, steps float64) uint64 {
	i := sort.SearchFloat64s(s.numbers, v)
	switch {
	case i == 0:
		return s.bits[0]
	case i == len(s.numbers):
		return s.bits[i-1]
	}
	low, high := s.numbers[i-1], s.numbers[i]
	if steps != 0 {
		low, high, v = math.Round(low*steps), math.Round(high*steps), v*steps
	}
	switch d := (v - low) - (high - v); {
	case d < 0, d == 0 && s.bits[i-1]&1 == 0:
		return s.bits[i-1]
	}
	return s.bits[i]
}

// packShared is the specification's formula for three numbers of one exponent.
func packShared(r, g, b float64) uint32 {
	const N, B, Emax = 9, 15, 31
	top := (math.Pow(2, N) - 1) / math.Pow(2, N) * math.Pow(2, Emax-B)
	clamp := func(v float64) float64 {
		if v != v {
			return 0
		}
		return math.Max(0, math.Min(top, v))
	}
	r, g, b = clamp(r), clamp(g), clamp(b)
	most := math.Max(r, math.Max(g, b))
	log := -B - 1.0
	if most > 0 {
		_, e := math.Frexp(most)
		log = math.Max(log, float64(e-1))
	}
	exp := log + 1 + B
	if s := math.Floor(most/math.Pow(2, exp-B-N) + 0.5); s == math.Pow(2, N) {
		exp++
	}
	part := func(v float64) uint32 { return uint32(math.Floor(v/math.Pow(2, exp-B-N) + 0.5)) }
	return uint32(exp)<<27 | part(b)<<18 | part(g)<<9 | part(r)
}
