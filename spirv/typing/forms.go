package typing

import "github.com/chiaro-gpu/chiaro/spirv"

// Op is an opcode.
type Op = spirv.Op

// The patterns that operands have most often.
var (
	none     = Pattern{Shapes: None}
	anything = Pattern{Shapes: Anything}
	free     = Pattern{Shapes: Anything | None}
	data     = Pattern{Shapes: Data}
	pointer  = Pattern{Shapes: Ptr}
	boolean  = Pattern{Shapes: One, Classes: OfBool}
	integer  = Pattern{Shapes: One, Classes: OfInt}
	unsigned = Pattern{Shapes: One, Classes: OfUInt}
	constant = Pattern{Shapes: One, Classes: OfInt, Width: 32} // of a scope, or of semantics
	mask     = Pattern{Shapes: Vec, Classes: OfUInt, Width: 32, Count: 4}
	same     = Pattern{Shapes: Anything, Bonds: []Bond{{Same, 0}}}
	toResult = Pattern{Shapes: Ptr, Bonds: []Bond{{PointsAt, 0}}}
)

// of is a scalar or vector of some classes.
func of(c Classes) Pattern { return Pattern{Shapes: Number, Classes: c} }

// one is a scalar of some classes.
func one(c Classes) Pattern { return Pattern{Shapes: One, Classes: c} }

// in is a type of some shapes.
func in(s Shapes, c Classes) Pattern { return Pattern{Shapes: s, Classes: c} }

// by binds a pattern to an operand.
func (p Pattern) by(l Link, to int) Pattern {
	p.Bonds = append(p.Bonds[:len(p.Bonds):len(p.Bonds)], Bond{l, to})
	return p
}

// wide is a pattern of components of some width.
func (p Pattern) wide(n int) Pattern {
	p.Width = n
	return p
}

// maybe is a pattern of an operand that may be absent, many of any number.
func (p Pattern) maybe() Pattern {
	p.Often = Maybe
	return p
}

func (p Pattern) many() Pattern {
	p.Often = Many
	return p
}

// gives is an instruction with a result.
func gives(result Pattern, operands ...Pattern) Form { return Form{Result: result, Operands: operands} }

// does is an instruction without a result.
func does(operands ...Pattern) Form { return Form{Result: none, Operands: operands} }

// atomic is an atomic on numbers of some classes: the pointer, the scope, the
// semantics, and n more operands of the result's type.
func atomic(result Pattern, semantics, n int) Form {
	f := gives(result, toResult, constant)
	for range semantics {
		f.Operands = append(f.Operands, constant)
	}
	for range n {
		f.Operands = append(f.Operands, same)
	}
	return f
}

// combined is a group operation that combines the lanes' values of some
// classes, perhaps in clusters or partitions.
func combined(c Classes) Form {
	return gives(of(c), constant, same, in(One|Vec, OfInt).maybe()) // an unsigned ClusterSize, or a ballot
}

// shuffled is a group operation that reads the value of another lane, which n
// operands say.
func shuffled(n int) Form {
	f := gives(of(OfAny), constant, same)
	for range n {
		f.Operands = append(f.Operands, unsigned)
	}
	return f
}

// carries is an integer operation with two results, in a structure.
func carries(c Classes) Form {
	return gives(in(Struct, 0), of(c), of(c).by(Same, 1))
}

// dots is a dot product of vectors of integers, or of four of 8 bits that are
// packed in a word, with an accumulator or without.
func dots(result, first, second Classes, accumulator ...Pattern) Form {
	f := gives(one(result), of(first), of(second).by(SameCount, 1).by(SameWidth, 1))
	f.Operands = append(f.Operands, accumulator...)
	return f
}

// derives is a derivative: of a float of 32 bits, or of 16 if that is allowed.
func derives() Form { return gives(of(OfFloat), same) }

// alikeInts is an integer operation on n operands as wide as the result.
func alikeInts(c Classes, n int) Form {
	f := gives(of(c))
	for range n {
		f.Operands = append(f.Operands, of(OfInt).by(SameCount, 0).by(SameWidth, 0))
	}
	return f
}

// mixedDot is a dot product of n small floats with an accumulator.
func mixedDot(n, width int) Form {
	v := Pattern{Shapes: Vec, Classes: OfFloat, Count: n}
	return gives(one(OfFloat).wide(width), v, v.by(Same, 1), same)
}
