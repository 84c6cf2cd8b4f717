package precision

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
)

var (
	integerWidths = []int{8, 16, 32, 64}
	oneSigned     = []Kind{Signed}
	twoSigned     = []Kind{Signed, Signed}
	oneUnsigned   = []Kind{Unsigned}
	twoUnsigned   = []Kind{Unsigned, Unsigned}
)

const byZero = "if the divisor is 0"

// Integers returns the instructions on integers of SPIR-V and of GLSL.std.450 ("Arithmetic Instructions", "Bit Instructions",
// "Relational and Logical Instructions", "Conversion Instructions"), and the operations of groups and of memory on two values. The
// result of an atomic is the value in memory.
func Integers() []Integer { return slices.Clone(integers()) }

// integers makes the list once: a file of questions looks each of its lines up.
var integers = sync.OnceValue(func() []Integer {
	return slices.Concat(arithmetic(), remainders(), bitInstructions(), integerComparisons(), integerFunctions(), extended(), widthChanges(), dotProducts(), grouped())
})

// each1 and each2 apply functions of math/big.
func each1(f func(z, x *big.Int) *big.Int) func(*IntegerQuery, []*big.Int) []*big.Int {
	return func(_ *IntegerQuery, x []*big.Int) []*big.Int { return []*big.Int{f(new(big.Int), x[0])} }
}

func each2(f func(z, x, y *big.Int) *big.Int) func(*IntegerQuery, []*big.Int) []*big.Int {
	return func(_ *IntegerQuery, x []*big.Int) []*big.Int { return []*big.Int{f(new(big.Int), x[0], x[1])} }
}

func integer(name string, in []Kind, result Kind, value func(*IntegerQuery, []*big.Int) []*big.Int) Integer {
	return Integer{Name: name, In: in, Widths: integerWidths, Result: result, Value: value}
}

// arithmetic are the instructions with the low bits of the exact result: they do not depend on the signs of the types.
func arithmetic() []Integer {
	return []Integer{
		integer("OpSNegate", oneSigned, Signed, each1((*big.Int).Neg)),
		integer("OpIAdd", twoSigned, Signed, each2((*big.Int).Add)),
		integer("OpISub", twoSigned, Signed, each2((*big.Int).Sub)),
		integer("OpIMul", twoSigned, Signed, each2((*big.Int).Mul)),
	}
}

// remainders are the divisions. Quo and Rem of math/big truncate, as OpSDiv and OpSRem do. A quotient that is not
// representable, of the least number by -1, is an overflow, which SPIR-V leaves undefined, also for the remainder.
func remainders() []Integer {
	divides := func(name string, in []Kind, result Kind, undefined string, f func(z, x, y *big.Int) *big.Int) Integer {
		signed := result == Signed
		remainder := signed && name != "OpSDiv"
		i := integer(name, in, result, func(q *IntegerQuery, x []*big.Int) []*big.Int {
			overflows := signed && x[1].Cmp(big.NewInt(-1)) == 0 && x[0].Cmp(Wrap(new(big.Int).Lsh(big.NewInt(1), uint(q.Bits-1)), Signed, q.Bits)) == 0
			negative := remainder && !q.SignedRemainder && (x[0].Sign() < 0 || x[1].Sign() < 0)
			if x[1].Sign() == 0 || overflows || negative {
				return nil
			}
			return []*big.Int{f(new(big.Int), x[0], x[1])}
		})
		i.Undefined = undefined
		return i
	}
	const overflow = byZero + ", or -1 for the least number"
	const negative = overflow + "; without maintenance8 if an operand is negative"
	return []Integer{
		divides("OpUDiv", twoUnsigned, Unsigned, byZero, (*big.Int).Quo),
		divides("OpUMod", twoUnsigned, Unsigned, byZero, (*big.Int).Rem),
		divides("OpSDiv", twoSigned, Signed, overflow, (*big.Int).Quo),
		divides("OpSRem", twoSigned, Signed, negative, (*big.Int).Rem),
		divides("OpSMod", twoSigned, Signed, negative, func(z, x, y *big.Int) *big.Int {
			if z.Rem(x, y); z.Sign() != 0 && z.Sign() != y.Sign() { // the sign of the divisor
				z.Add(z, y)
			}
			return z
		}),
	}
}

// bitInstructions are the shifts, the logical operations and the fields of bits.
func bitInstructions() []Integer {
	shift := func(name string, of Kind, f func(z, x *big.Int, n uint) *big.Int) Integer {
		i := integer(name, []Kind{of, Unsigned}, of, func(q *IntegerQuery, x []*big.Int) []*big.Int {
			if x[1].Cmp(big.NewInt(int64(q.Bits))) >= 0 {
				return nil
			}
			return []*big.Int{f(new(big.Int), x[0], uint(x[1].Uint64()))}
		})
		i.Undefined = "if the shift is the width or more"
		return i
	}
	// The last two operands of a field are its offset and its count.
	field := func(name string, of Kind, operands int, f func(base, insert *big.Int, offset, count uint) *big.Int) Integer {
		in := slices.Concat([]Kind{of, of}[:operands], twoUnsigned)
		i := integer(name, in, of, func(q *IntegerQuery, x []*big.Int) []*big.Int {
			n := len(x)
			end := new(big.Int).Add(x[n-2], x[n-1])
			if end.Cmp(big.NewInt(int64(q.Bits))) > 0 {
				return nil
			}
			return []*big.Int{f(x[0], x[1], uint(x[n-2].Uint64()), uint(x[n-1].Uint64()))}
		})
		i.Undefined = "if the field has bits beyond the width"
		return i
	}
	extract := func(kind Kind) func(base, _ *big.Int, offset, count uint) *big.Int {
		return func(base, _ *big.Int, offset, count uint) *big.Int {
			if count == 0 {
				return new(big.Int)
			}
			return Wrap(new(big.Int).Rsh(base, offset), kind, int(count))
		}
	}
	return []Integer{
		shift("OpShiftRightLogical", Unsigned, (*big.Int).Rsh),
		shift("OpShiftRightArithmetic", Signed, (*big.Int).Rsh),
		shift("OpShiftLeftLogical", Unsigned, (*big.Int).Lsh),
		integer("OpBitwiseOr", twoUnsigned, Unsigned, each2((*big.Int).Or)),
		integer("OpBitwiseXor", twoUnsigned, Unsigned, each2((*big.Int).Xor)),
		integer("OpBitwiseAnd", twoUnsigned, Unsigned, each2((*big.Int).And)),
		integer("OpNot", oneUnsigned, Unsigned, each1((*big.Int).Not)),
		field("OpBitFieldSExtract", Signed, 1, extract(Signed)),
		field("OpBitFieldUExtract", Unsigned, 1, extract(Unsigned)),
		field("OpBitFieldInsert", Unsigned, 2, func(base, insert *big.Int, offset, count uint) *big.Int {
			z := new(big.Int).Set(base)
			for n := range int(count) {
				z.SetBit(z, int(offset)+n, insert.Bit(n))
			}
			return z
		}),
		integer("OpBitReverse", oneUnsigned, Unsigned, func(q *IntegerQuery, x []*big.Int) []*big.Int {
			z := new(big.Int)
			for n := range q.Bits {
				z.SetBit(z, q.Bits-1-n, x[0].Bit(n))
			}
			return []*big.Int{z}
		}),
		integer("OpBitCount", oneUnsigned, Unsigned, each1(func(z, x *big.Int) *big.Int {
			for n := range x.BitLen() {
				z.Add(z, big.NewInt(int64(x.Bit(n))))
			}
			return z
		})),
	}
}

// integerComparisons have the order of the types of their operands.
func integerComparisons() (list []Integer) {
	for _, c := range []struct {
		name  string
		holds func(order int) bool
	}{
		{"GreaterThan", func(order int) bool { return order > 0 }},
		{"GreaterThanEqual", func(order int) bool { return order >= 0 }},
		{"LessThan", func(order int) bool { return order < 0 }},
		{"LessThanEqual", func(order int) bool { return order <= 0 }},
	} {
		list = append(list, compares("OpU"+c.name, twoUnsigned, c.holds), compares("OpS"+c.name, twoSigned, c.holds))
	}
	return append(list,
		compares("OpIEqual", twoUnsigned, func(order int) bool { return order == 0 }),
		compares("OpINotEqual", twoUnsigned, func(order int) bool { return order != 0 }))
}

func compares(name string, in []Kind, holds func(order int) bool) Integer {
	return integer(name, in, Bool, each2(func(z, x, y *big.Int) *big.Int {
		if holds(x.Cmp(y)) {
			z.SetInt64(1)
		}
		return z
	}))
}

// integerFunctions are the functions of GLSL.std.450.
func integerFunctions() (list []Integer) {
	for _, k := range []struct {
		letter string
		kind   Kind
	}{{"U", Unsigned}, {"S", Signed}} {
		two := []Kind{k.kind, k.kind}
		clamp := integer(k.letter+"Clamp", []Kind{k.kind, k.kind, k.kind}, k.kind, func(_ *IntegerQuery, x []*big.Int) []*big.Int {
			if x[1].Cmp(x[2]) > 0 {
				return nil
			}
			return []*big.Int{lesser(greater(x[0], x[1]), x[2])}
		})
		clamp.Undefined = "if the least bound is above the greatest"
		list = append(list, clamp,
			integer(k.letter+"Min", two, k.kind, each2(func(_, x, y *big.Int) *big.Int { return lesser(x, y) })),
			integer(k.letter+"Max", two, k.kind, each2(func(_, x, y *big.Int) *big.Int { return greater(x, y) })))
	}
	// The number of a bit; -1 if there is none.
	find := func(name string, widths []int, of Kind, f func(x *big.Int) int) Integer {
		i := integer(name, []Kind{of}, Signed, each1(func(z, x *big.Int) *big.Int { return z.SetInt64(int64(f(x))) }))
		i.Widths = widths
		return i
	}
	only32 := []int{32} // "currently limited to 32-bit width components"
	return append(list,
		integer("SAbs", oneSigned, Signed, each1((*big.Int).Abs)),
		integer("SSign", oneSigned, Signed, each1(func(z, x *big.Int) *big.Int { return z.SetInt64(int64(x.Sign())) })),
		find("FindILsb", integerWidths, Unsigned, func(x *big.Int) int {
			if x.Sign() == 0 {
				return -1
			}
			return int(x.TrailingZeroBits())
		}),
		find("FindUMsb", only32, Unsigned, func(x *big.Int) int { return x.BitLen() - 1 }),
		find("FindSMsb", only32, Signed, func(x *big.Int) int { // of a negative number the highest bit that is 0
			if x.Sign() < 0 {
				x = new(big.Int).Not(x)
			}
			return x.BitLen() - 1
		}))
}

func lesser(x, y *big.Int) *big.Int {
	if y.Cmp(x) < 0 {
		return y
	}
	return x
}

func greater(x, y *big.Int) *big.Int {
	if y.Cmp(x) > 0 {
		return y
	}
	return x
}

// extended are the instructions with a struct as the result: the low bits, and the carry, the borrow or the high bits.
func extended() []Integer {
	product := func(q *IntegerQuery, x []*big.Int) []*big.Int {
		z := new(big.Int).Mul(x[0], x[1])
		return []*big.Int{z, new(big.Int).Rsh(z, uint(q.Bits))}
	}
	return []Integer{
		integer("OpIAddCarry", twoUnsigned, Unsigned, func(q *IntegerQuery, x []*big.Int) []*big.Int {
			z := new(big.Int).Add(x[0], x[1])
			return []*big.Int{z, new(big.Int).Rsh(z, uint(q.Bits))}
		}),
		integer("OpISubBorrow", twoUnsigned, Unsigned, func(_ *IntegerQuery, x []*big.Int) []*big.Int {
			z, borrow := new(big.Int).Sub(x[0], x[1]), new(big.Int)
			if z.Sign() < 0 {
				borrow.SetInt64(1)
			}
			return []*big.Int{z, borrow}
		}),
		integer("OpUMulExtended", twoUnsigned, Unsigned, product),
		integer("OpSMulExtended", twoSigned, Signed, product),
	}
}

// widthChanges extend the operand by its type, or drop its high bits.
func widthChanges() (list []Integer) {
	for _, to := range integerWidths {
		from := slices.DeleteFunc(slices.Clone(integerWidths), func(w int) bool { return w == to })
		for _, c := range []struct {
			name string
			kind Kind
		}{{"OpSConvert", Signed}, {"OpUConvert", Unsigned}} {
			list = append(list, Integer{Name: fmt.Sprintf("%s to %d", c.name, to), In: []Kind{c.kind}, Widths: from, To: to, Result: c.kind, Value: each1((*big.Int).Set)})
		}
	}
	return list
}

// dotProducts are the products of vectors of integers. One with an accumulator saturates its addition; if a product or a sum before
// that, in some order, is not representable, its result is undefined.
func dotProducts() (list []Integer) {
	for _, to := range integerWidths {
		from := slices.DeleteFunc(slices.Clone(integerWidths), func(w int) bool { return w > to })
		for _, c := range []struct {
			name   string
			in     []Kind
			result Kind
		}{{"OpSDot", twoSigned, Signed}, {"OpUDot", twoUnsigned, Unsigned}, {"OpSUDot", []Kind{Signed, Unsigned}, Signed}} {
			i := Integer{In: c.in, Dot: true, Widths: from, To: to, Result: c.result}
			i.Name, i.Value = fmt.Sprintf("%s to %d", c.name, to), func(_ *IntegerQuery, x []*big.Int) []*big.Int {
				sum, _, _ := productSum(x)
				return []*big.Int{sum}
			}
			list = append(list, i)
			low, high := limits(c.result, to)
			i.Name, i.In, i.Undefined = fmt.Sprintf("%sAccSat to %d", c.name, to), append(slices.Clone(c.in), c.result), "if a product or a sum before the last one overflows"
			i.Value = func(_ *IntegerQuery, x []*big.Int) []*big.Int {
				n := len(x) - 1
				sum, least, most := productSum(x[:n])
				if least.Cmp(low) < 0 || most.Cmp(high) > 0 {
					return nil
				}
				return []*big.Int{lesser(greater(sum.Add(sum, x[n]), low), high)}
			}
			list = append(list, i)
		}
	}
	return list
}

// limits returns the least and the greatest number of a type.
func limits(kind Kind, bits int) (low, high *big.Int) {
	end := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if kind == Signed {
		end.Rsh(end, 1)
		low = new(big.Int).Neg(end)
	} else {
		low = new(big.Int)
	}
	return low, end.Sub(end, big.NewInt(1))
}

// productSum returns the product of two vectors, the components of one after the components of the other, and the least and the greatest sum that
// some of the products have.
func productSum(x []*big.Int) (sum, least, most *big.Int) {
	sum, least, most = new(big.Int), new(big.Int), new(big.Int)
	for n := range len(x) / 2 {
		p := new(big.Int).Mul(x[n], x[len(x)/2+n])
		sum.Add(sum, p)
		if p.Sign() < 0 {
			least.Add(least, p)
		} else {
			most.Add(most, p)
		}
	}
	return sum, least, most
}

// grouped are the operations of groups and of memory that have the definition of another instruction.
func grouped() (list []Integer) {
	names := map[string][]string{
		"OpIAdd": {"OpGroupNonUniformIAdd", "OpAtomicIAdd"}, "OpISub": {"OpAtomicISub"}, "OpIMul": {"OpGroupNonUniformIMul"},
		"OpBitwiseAnd": {"OpGroupNonUniformBitwiseAnd", "OpAtomicAnd"}, "OpBitwiseOr": {"OpGroupNonUniformBitwiseOr", "OpAtomicOr"},
		"OpBitwiseXor": {"OpGroupNonUniformBitwiseXor", "OpAtomicXor"},
		"SMin":         {"OpGroupNonUniformSMin", "OpAtomicSMin"}, "SMax": {"OpGroupNonUniformSMax", "OpAtomicSMax"},
		"UMin": {"OpGroupNonUniformUMin", "OpAtomicUMin"}, "UMax": {"OpGroupNonUniformUMax", "OpAtomicUMax"},
	}
	for _, i := range slices.Concat(arithmetic(), bitInstructions(), integerFunctions()) {
		for _, name := range names[i.Name] {
			i.Name = name
			list = append(list, i)
		}
	}
	return list
}
