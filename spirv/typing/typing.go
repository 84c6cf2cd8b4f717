// Package typing has the types of the operands and results of each instruction, as
// far as a table can express them: a Row for the instructions that work component by
// component on scalars and vectors of numbers and Booleans, a Form for the others.
// Rules beyond types (storage classes, values of constants, the rules of
// images) are out of its scope; it does not read modules and reports nothing.
package typing

import "github.com/chiaro-gpu/chiaro/spirv"

// Class is the kind of component that an operand has.
type Class uint8

// The classes.
const (
	Bool  Class = iota
	Int         // integer of either signedness
	UInt        // integer with Signedness 0
	Float       // IEEE 754 binary16, binary32, binary64
)

// String returns the class's name in messages.
func (c Class) String() string {
	return [...]string{"Boolean", "integer", "unsigned integer", "floating-point"}[c]
}

// Relation is a further requirement on the type of an operand.
type Relation uint8

// The relations. The first operand can only be bound to the result.
const (
	Count  Relation = iota // as many components as the result
	Type                   // the result's type
	Width                  // the result's count and width; signedness is free
	First                  // the first operand's type
	FirstW                 // the first operand's count and width; signedness is free
	Scalar                 // a scalar, of any width
	Any                    // a vector of any count, the result being a scalar
)

// Operand is the requirement on one operand.
type Operand struct {
	Class    Class
	Relation Relation
}

// Row is the typing of one instruction: its result, and its operands after
// the result id.
type Row struct {
	Result   Class
	Operands []Operand
	Traits   Traits
}

// Shape is a scalar or vector type.
type Shape struct {
	Class Class // Int or UInt tell Signedness 1 from 0
	Width uint8 // bits of a component; 1 for Boolean
	Count uint8 // components; 1 for a scalar
}

// Of returns the row of an instruction; ok is false if the table cannot express
// its typing.
func Of(op spirv.Op) (row Row, ok bool) {
	if int(op) < len(rowAt) && len(rowAt[op].Operands) > 0 {
		return rowAt[op], true
	}
	return Row{}, false
}

// rowAt has the row of each opcode; none is without operands.
var rowAt = func() []Row {
	t := make([]Row, opCount())
	for op, r := range table {
		t[op] = r
	}
	return t
}()

// opCount returns the length of a table by opcode.
func opCount() int {
	rows := spirv.Ops()
	return int(rows[len(rows)-1].Value()) + 1
}

// Misfit is the place of the first type that does not fit a row: 0 for the
// result, i for operand i, and −1 if all fit. There must be as many shapes
// as the row has operands.
func (r Row) Misfit(result Shape, operands []Shape) int {
	if !is(result.Class, r.Result) {
		return 0
	}
	for i, o := range r.Operands {
		if !is(operands[i].Class, o.Class) || !bound(o.Relation, result, operands[0], operands[i]) {
			return i + 1
		}
	}
	return -1
}

// is reports whether a component of class got satisfies want.
func is(got, want Class) bool { return got == want || want == Int && got == UInt }

func bound(r Relation, result, first, x Shape) bool {
	switch r {
	case Count:
		return x.Count == result.Count
	case Type:
		return x == result
	case Width:
		return x.Count == result.Count && x.Width == result.Width
	case First:
		return x == first && x.Count == result.Count
	case FirstW:
		return x.Count == first.Count && x.Width == first.Width
	case Scalar:
		return x.Count == 1
	}
	return result.Count == 1 && x.Count > 1
}
