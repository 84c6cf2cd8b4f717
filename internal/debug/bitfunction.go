package debug

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Functions of the bits of integers ("8.8. Integer Functions" of GLSL), and of packed floats (8.4).

// width is the number of bits of an integer.
func (n number) width() int {
	if n.wide {
		return 64
	}
	return 32
}

// unsignedBits returns the bits of an integer.
func (n number) unsignedBits() uint64 {
	if n.wide {
		return uint64(n.i)
	}
	return uint64(uint32(n.i))
}

// findLSB is the number of the lowest bit that is 1; −1 if there is none.
func findLSB(_ kind, x []number) (number, kind) {
	if b := x[0].unsignedBits(); b != 0 {
		return number{i: int64(bits.TrailingZeros64(b))}, signed
	}
	return number{i: -1}, signed
}

// findMSB is the number of the highest bit that is 1, of a negative number the highest that is 0; −1 if there is none.
func findMSB(k kind, x []number) (number, kind) {
	b := x[0].unsignedBits()
	if k == signed && x[0].i < 0 {
		b = uint64(^x[0].i)
	}
	return number{i: int64(bits.Len64(b)) - 1}, signed
}

func reverseBits(k kind, x []number) (number, kind) {
	return number{i: int64(bits.Reverse64(x[0].unsignedBits()) >> (64 - x[0].width()))}, k
}

// field returns the mask of the lowest bits of a field, and its place; an error if an integer does not have the field.
func field(name string, x number, offset, size result) (mask uint64, at int, err error) {
	if len(offset.numbers) != 1 || len(size.numbers) != 1 || offset.kind == float || size.kind == float {
		return 0, 0, fmt.Errorf("%s with an offset of type %s and %s bits", name, offset.typeName(), size.typeName())
	}
	o, n := offset.numbers[0].i, size.numbers[0].i
	if o < 0 || n < 0 || o > int64(x.width()) || n > int64(x.width())-o {
		return 0, 0, fmt.Errorf("%s of %d bits at %d; must be in the %d bits of the integer", name, n, o, x.width())
	}
	return 1<<n - 1, int(o), nil
}

// extractBits is a bit field with its sign, or with zeros if it is unsigned.
func extractBits(args []result) (result, error) {
	mask, at, err := field("bitfieldExtract", args[0].numbers[0], args[1], args[2])
	if err == nil && args[0].kind == float {
		err = fmt.Errorf("bitfieldExtract of %s", args[0].typeName())
	}
	if err != nil {
		return result{}, err
	}
	return each(args[:1], func(k kind, x []number) (number, kind) {
		b := x[0].unsignedBits() >> at & mask
		if k == signed && b > mask>>1 {
			b |= ^mask
		}
		return number{i: int64(b)}, k
	})
}

// insertBits replaces a bit field of the first value by the lowest bits of the second.
func insertBits(args []result) (result, error) {
	mask, at, err := field("bitfieldInsert", args[0].numbers[0], args[2], args[3])
	if err == nil && (args[0].kind == float || args[1].kind == float) {
		err = fmt.Errorf("bitfieldInsert of %s and %s", args[0].typeName(), args[1].typeName())
	}
	if err != nil {
		return result{}, err
	}
	return each(args[:2], func(k kind, x []number) (number, kind) {
		return number{i: int64(x[0].unsignedBits()&^(mask<<at) | x[1].unsignedBits()&mask<<at)}, k
	})
}

// packing is the way of a float to its bits in a word.
type packing struct {
	name  string
	parts int
	bits  func(float64) uint64
	float func(uint64) float64
}

// pack returns the function of a vector whose components are in a word, the first one in its lowest bits.
func (p packing) pack() function {
	return function{args: 1, of: func(args []result) (result, error) {
		v := args[0].floats()
		if len(v.numbers) != p.parts || v.columns > 0 {
			return result{}, fmt.Errorf("pack%s of %s; must be vec%d", p.name, args[0].typeName(), p.parts)
		}
		word, width := uint64(0), 32/p.parts
		for i, n := range v.numbers {
			word |= p.bits(n.f) & (1<<width - 1) << (i * width)
		}
		return result{kind: unsigned, numbers: []number{{i: int64(word)}}}, nil
	}}
}

// unpack returns the inverse function.
func (p packing) unpack() function {
	return function{args: 1, of: func(args []result) (result, error) {
		if len(args[0].numbers) != 1 || args[0].kind == float {
			return result{}, fmt.Errorf("unpack%s of %s; must be uint", p.name, args[0].typeName())
		}
		word, width := args[0].numbers[0].unsignedBits(), 32/p.parts
		out := result{kind: float}
		for i := range p.parts {
			out.numbers = append(out.numbers, number{f: p.float(word >> (i * width) & (1<<width - 1))}.fit(float))
		}
		return out, nil
	}}
}

// rounded returns a number between a least one and 1 as an integer; 0 for a NaN. The product is a float of 32 bits, as in a shader.
func rounded(x, least, most float64) int64 {
	if math.IsNaN(x) {
		return 0
	}
	return int64(math.RoundToEven(float64(float32(math.Min(math.Max(x, least), 1)) * float32(most))))
}

// unormPacking has numbers from 0 to 1 in parts of a word.
func unormPacking(name string, parts int) packing {
	most := float64(uint64(1)<<(32/parts) - 1)
	return packing{name, parts, func(x float64) uint64 { return uint64(rounded(x, 0, most)) }, func(b uint64) float64 { return float64(b) / most }}
}

// snormPacking has numbers from −1 to 1.
func snormPacking(name string, parts int) packing {
	width := 32 / parts
	most := float64(uint64(1)<<(width-1) - 1)
	return packing{name, parts, func(x float64) uint64 { return uint64(rounded(x, -1, most)) },
		func(b uint64) float64 { return math.Max(float64(int64(b<<(64-width))>>(64-width))/most, -1) }}
}

// halfPacking has floats of 16 bits.
var halfPacking = packing{"Half2x16", 2, func(x float64) uint64 { return scalar.FromFloat(16, false, x) }, func(b uint64) float64 { return scalar.Float(16, b) }}
