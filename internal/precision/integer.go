package precision

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Integer is an instruction on integers. SPIR-V defines one result for its operands, or none: then every result is permitted.
type Integer struct {
	Name   string
	In     []Kind // types of the operands, Signed or Unsigned
	Dot    bool   // the first two operands are vectors of one size; the other operands have the width of the result
	Widths []int  // of the operands
	To     int    // width of the result, if it is another
	Result Kind
	// Undefined says for which operands the result is undefined; empty is none.
	Undefined string
	// Value returns the results before the bits above their width are dropped: one, or the two members of a struct. nil is an
	// undefined result.
	Value func(q *IntegerQuery, x []*big.Int) []*big.Int
}

// IntegerQuery is an instruction on integers with its operands.
type IntegerQuery struct {
	Instruction string       // a name of [Integers]
	Bits        int          // width of the operands
	Operands    [][]*big.Int // the components of each operand, in the range of its type
	// SignedRemainder is the feature maintenance8: remainders of negative numbers are defined.
	SignedRemainder bool
}

// Rule returns the definition in words.
func (i *Integer) Rule() string {
	if i.Undefined == "" {
		return "correct result"
	}
	return "correct result; undefined " + i.Undefined
}

// ResultBits returns the width of the result for operands of some width; a bool has 1.
func (i *Integer) ResultBits(bits int) int {
	switch {
	case i.Result == Bool:
		return 1
	case i.To != 0:
		return i.To
	}
	return bits
}

// OperandBits returns the width of operand n.
func (i *Integer) OperandBits(n, bits int) int {
	if i.Dot && n == 2 {
		return i.ResultBits(bits)
	}
	return bits
}

// OperandKind returns the type of operand n; Unsigned if there is none.
func (i *Integer) OperandKind(n int) Kind {
	if n < len(i.In) {
		return i.In[n]
	}
	return Unsigned
}

// CheckBits returns an error if there are no operands of a width.
func (i *Integer) CheckBits(bits int) error {
	if !slices.Contains(i.Widths, bits) {
		return fmt.Errorf("%s has no operands of %d bits", i.Name, bits)
	}
	return nil
}

// FindInteger returns the instruction of a name of [Integers], in any case, with or without "Op".
func FindInteger(name string) (Integer, bool) {
	for _, i := range integers() {
		if strings.EqualFold(i.Name, name) || strings.EqualFold(strings.TrimPrefix(i.Name, "Op"), name) {
			return i, true
		}
	}
	return Integer{}, false
}

// Wrap returns the integer of a type that has the low bits of x.
func Wrap(x *big.Int, kind Kind, bits int) *big.Int {
	end := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	low := new(big.Int).And(x, new(big.Int).Sub(end, big.NewInt(1)))
	if kind == Signed && low.Bit(bits-1) == 1 {
		low.Sub(low, end)
	}
	return low
}

// AllowedIntegers returns the result of each component, or of each member of a struct; nil if every result is permitted.
func AllowedIntegers(q IntegerQuery) ([]*big.Int, error) {
	i, ok := FindInteger(q.Instruction)
	if !ok {
		return nil, fmt.Errorf("%q is no instruction on integers", q.Instruction)
	}
	if err := i.CheckBits(q.Bits); err != nil {
		return nil, err
	}
	if n := len(q.Operands); n != len(i.In) {
		return nil, fmt.Errorf("%s has %d operands; %d are given", i.Name, len(i.In), n)
	}
	size := len(q.Operands[0])
	for n, v := range q.Operands {
		want := size
		if i.Dot && n == 2 {
			want = 1
		}
		switch {
		case len(v) < 1 || len(v) > 4:
			return nil, fmt.Errorf("operand %d has %d components; want 1 to 4", n+1, len(v))
		case len(v) != want && !(n >= len(q.Operands)-2 && len(v) == 1 && strings.HasPrefix(i.Name, "OpBitField")):
			return nil, fmt.Errorf("operand %d has %d components; want %d", n+1, len(v), want)
		}
	}
	return i.results(&q, size), nil
}

// results returns the results of operands of the right shapes.
func (i *Integer) results(q *IntegerQuery, size int) (list []*big.Int) {
	add := func(x []*big.Int) {
		for _, r := range i.Value(q, x) {
			list = append(list, Wrap(r, i.Result, i.ResultBits(q.Bits)))
		}
	}
	if i.Dot {
		add(slices.Concat(q.Operands...))
		if list == nil {
			list = []*big.Int{nil}
		}
		return list
	}
	for c := range size {
		var x []*big.Int
		for _, v := range q.Operands {
			x = append(x, v[min(c, len(v)-1)])
		}
		before := len(list)
		if add(x); len(list) == before {
			list = append(list, nil)
		}
	}
	return list
}
