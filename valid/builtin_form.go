package valid

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
)

// builtInForm is the type that a built-in must have: arrays dimensions around a
// matrix, vector or scalar. The zero value matches any type.
type builtInForm struct {
	kind    scalarKind
	narrow  bool // the scalar has 32 bits
	rows    int  // components of a vector or column, 1 for a scalar
	columns int  // of a matrix; else 0
	arrays  int  // array dimensions around it
	length  uint64
}

// scalarKind is a kind of scalar.
type scalarKind uint8

// The kinds of scalars that built-ins have.
const (
	anyScalar scalarKind = iota
	boolScalar
	intScalar
	floatScalar
)

// The frequent forms.
var (
	boolean = builtInForm{kind: boolScalar, rows: 1}
	integer = builtInForm{kind: intScalar, rows: 1}
	i32     = ints(1)
	f32     = floats(1)
)

// ints returns the form of a vector of n 32-bit integers, a scalar for n = 1.
func ints(n int) builtInForm { return builtInForm{kind: intScalar, narrow: true, rows: n} }

// floats returns the form of a vector of n 32-bit floats, a scalar for n = 1.
func floats(n int) builtInForm { return builtInForm{kind: floatScalar, narrow: true, rows: n} }

// matrix returns the form of a matrix of 32-bit floats.
func matrix(columns, rows int) builtInForm {
	return builtInForm{kind: floatScalar, narrow: true, rows: rows, columns: columns}
}

// array returns the form of an array of any length.
func array(f builtInForm) builtInForm { return arrayOf(0, f) }

// arrayOf returns the form of an array of n elements.
func arrayOf(n uint64, f builtInForm) builtInForm {
	f.arrays, f.length = f.arrays+1, n
	return f
}

// holds reports whether a type matches the form. An unknown part of the type
// matches.
func (f builtInForm) holds(t *facts.Type) bool {
	if f.kind == anyScalar {
		return true
	}
	for n := range f.arrays {
		if !t.IsArray() {
			return false
		}
		if n == 0 && f.length != 0 && t.Fixed() && t.Count != 0 && t.Count != f.length {
			return false
		}
		if t = t.Elem; t == nil {
			return true
		}
	}
	if t.Columns() != f.columns {
		return false
	}
	if t.IsMatrix() {
		if t = t.Elem; t == nil {
			return true
		}
	}
	if (f.rows > 1) != t.IsVector() || t.IsVector() && t.Components() != f.rows {
		return false
	}
	return f.scalar(t.Scalar())
}

// scalar reports whether a scalar matches the kind and width.
func (f builtInForm) scalar(s *facts.Type) bool {
	switch {
	case s == nil:
		return false
	case f.narrow && s.Width != 32:
		return false
	case f.kind == boolScalar:
		return s.IsBool()
	case f.kind == intScalar:
		return s.IsInt()
	}
	return s.IsFloat() && !s.Encoded
}

// String returns the form in words: "an array of vectors of 4 32-bit floats".
func (f builtInForm) String() string {
	of := [...]string{"value", "bool", "int", "float"}[f.kind] // the innermost noun
	if f.narrow {
		of = "32-bit " + of
	}
	tail := "" // the text after the noun, which a plural does not change
	switch {
	case f.columns > 0:
		of, tail = "matrix", fmt.Sprintf(" of %d columns of %d %ss", f.columns, f.rows, of)
	case f.rows > 1:
		of, tail = "vector", fmt.Sprintf(" of %d %ss", f.rows, of)
	}
	for n := range f.arrays {
		many := of + "s"
		if of == "matrix" {
			many = "matrices"
		}
		of, tail = "array", " of "+many+tail
		if n == f.arrays-1 && f.length != 0 {
			tail = fmt.Sprintf(" of %d %s", f.length, tail[len(" of "):])
		}
	}
	word := of + tail
	if strings.HasPrefix(word, "int") || strings.HasPrefix(word, "array") {
		return "an " + word
	}
	return "a " + word
}
