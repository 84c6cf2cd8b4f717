package precision

// Kind is the type of the components of an operand or a result.
type Kind uint8

const (
	Float    Kind = iota // of any width
	Bool                 // 0 is false, 1 is true
	Signed               // an integer
	Unsigned             // an integer without a sign
)

// Judged returns the rows of the table that no engine is measured by, because their error is none or one rounding: comparisons,
// conversions of integers, derivatives, and operations of a group and of memory on two values.
//
// The operands of a derivative are the values in the fragment and in the next one; of a sum of derivatives, the values in the
// fragment, the next one in x and the next one in y. The result of an atomic is the value in memory.
func Judged() (list []Instruction) {
	add := func(i Instruction) { list = append(list, i) }
	for _, c := range comparisons {
		for _, prefix := range []string{"OpFOrd", "OpFUnord"} {
			add(Instruction{Name: prefix + c.name, In: pair, Out: 1, Wide: true, Result: Bool, Value: truth(c.holds)})
		}
	}
	for _, name := range []string{"OpSubgroupAllEqualKHR", "OpGroupNonUniformAllEqual"} {
		add(Instruction{Name: name, In: two3, Out: 1, Wide: true, Result: Bool, Value: allEqual})
	}
	for _, name := range []string{"OpIsNan", "OpIsInf"} { // of operands that have a value
		add(Instruction{Name: name, In: single, Out: 1, Wide: true, Result: Bool, Value: one1(func(x Number) Number { return x.Num(0) })})
	}
	for _, name := range []string{"OpGroupNonUniformFMin", "OpAtomicFMinEXT"} {
		add(Instruction{Name: name, In: pair, Out: 1, Wide: true, Value: two2(Least)})
	}
	for _, name := range []string{"OpGroupNonUniformFMax", "OpAtomicFMaxEXT"} {
		add(Instruction{Name: name, In: pair, Out: 1, Wide: true, Value: two2(Greatest)})
	}
	add(Instruction{Name: "OpAtomicFAddEXT", In: pair, Out: 1, Wide: true, Class: Rounded, Value: two2(Number.Add)})
	for _, suffix := range []string{"", "Coarse", "Fine"} {
		for _, name := range []string{"OpDPdx", "OpDPdy"} {
			add(Instruction{Name: name + suffix, In: pair, Out: 1, Class: Rounded, Value: two2(func(x, next Number) Number { return next.Sub(x) })})
		}
		// "Correctly rounded" is of "the sum of the absolute values of OpDPdx and OpDPdy", which may be rounded themselves.
		add(Instruction{Name: "OpFwidth" + suffix, In: triple, Out: 1, Class: Inherited, Value: three3(func(x, right, below Number) Number {
			return abs(right.Sub(x)).Add(abs(below.Sub(x)))
		})})
	}
	for _, c := range conversions {
		add(Instruction{Name: "OpConvertSToF to " + c.text, In: single, Out: 1, From: allWidths, To: c.bits, Operand: Signed, Class: Rounded, Value: one1(same)})
		add(Instruction{Name: "OpConvertUToF to " + c.text, In: single, Out: 1, From: allWidths, To: c.bits, Operand: Unsigned, Class: Rounded, Value: one1(same)})
		add(Instruction{Name: "OpConvertFToS to " + c.text, In: single, Out: 1, From: allWidths, To: 64, Result: Signed, Value: whole(-c.end/2, c.end/2)})
		add(Instruction{Name: "OpConvertFToU to " + c.text, In: single, Out: 1, From: allWidths, To: 64, Result: Unsigned, Value: whole(0, c.end)})
	}
	add(Instruction{Name: "PackHalf2x16", In: single, Out: 1, From: []int{32}, To: 16, Class: Rounded, Value: one1(same)})
	return list
}

var allWidths = []int{16, 32, 64}

// comparisons have one row for ordered and unordered operands: they differ if an operand is NaN, and then every result is permitted.
var comparisons = []struct {
	name  string
	holds func(x, y Number) bool
}{
	{"Equal", equal},
	{"NotEqual", func(x, y Number) bool { return !equal(x, y) }},
	{"LessThan", func(x, y Number) bool { return x.Less(y) }},
	{"GreaterThan", func(x, y Number) bool { return y.Less(x) }},
	{"LessThanEqual", func(x, y Number) bool { return !y.Less(x) }},
	{"GreaterThanEqual", func(x, y Number) bool { return !x.Less(y) }},
}

// conversions are the widths of an integer or a float that a conversion has.
var conversions = []struct {
	text string
	bits int
	end  float64 // integers without a sign are less
}{{"16", 16, 0x1p16}, {"32", 32, 0x1p32}, {"64", 64, 0x1p64}}

func equal(x, y Number) bool { return !x.Less(y) && !y.Less(x) }

// allEqual has one result for all components of two vectors.
func allEqual(x [][]Number, _ int) Number {
	for n := range x[0] {
		if !equal(x[0][n], x[1][n]) {
			return x[0][n].Num(0)
		}
	}
	return x[0][0].Num(1)
}

func truth(holds func(x, y Number) bool) func([][]Number, int) Number {
	return two2(func(x, y Number) Number {
		if holds(x, y) {
			return x.Num(1)
		}
		return x.Num(0)
	})
}

// whole rounds toward zero. A conversion to an integer that cannot represent the value is not defined.
func whole(low, end float64) func([][]Number, int) Number {
	return one1(func(x Number) Number {
		v := x.Whole(ToZero)
		if v.Less(x.Num(low)) || !v.Less(x.Num(end)) {
			panic(Undefined{})
		}
		return v
	})
}
