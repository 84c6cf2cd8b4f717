package amber

import (
	"encoding/binary"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// half is the component that float16 is.
var half = format.Component{Numeric: format.SFloat, Bits: 16}

// Type is the type of a buffer's elements or of a member of a struct. Exactly
// one of Struct, Format and Scalar's width is set.
type Type struct {
	Scalar  Scalar
	Columns int // of a matrix; 1 for scalars and vectors
	Rows    int // components of a vector, or of a matrix's column; 1 for scalars
	Format  *format.Format
	Struct  *Struct
	Array   int // number of elements; 0 for no array, Runtime for one as long as its data
}

// Runtime is the length of an array that extends to the end of its data.
const Runtime = -1

// Struct is a declared record.
type Struct struct {
	Name    string
	Members []Member
	Stride  int // bytes from one element to the next in an array, 0 for the stride of the layout
}

// Member is one member of a Struct. A zero layout field means the default of the layout;
// for Offset the default is -1.
type Member struct {
	Name         string
	Type         Type
	Offset       int
	ArrayStride  int
	MatrixStride int
}

// String returns the type as AmberScript writes it.
func (t Type) String() string {
	var s string
	switch {
	case t.Struct != nil:
		s = t.Struct.Name
	case t.Format != nil:
		s = t.Format.Name
	case t.Columns > 1:
		s = "mat" + string(rune('0'+t.Columns)) + "x" + string(rune('0'+t.Rows)) + "<" + t.Scalar.String() + ">"
	case t.Rows > 1:
		s = "vec" + string(rune('0'+t.Rows)) + "<" + t.Scalar.String() + ">"
	default:
		s = t.Scalar.String()
	}
	if t.Array != 0 {
		s += "[]"
	}
	return s
}

// scalars are the scalar types by name.
var scalars = map[string]Scalar{
	"int8": {Int, 8}, "int16": {Int, 16}, "int32": {Int, 32}, "int64": {Int, 64},
	"uint8": {Uint, 8}, "uint16": {Uint, 16}, "uint32": {Uint, 32}, "uint64": {Uint, 64},
	"float16": {Float, 16}, "float": {Float, 32}, "double": {Float, 64},
}

// parseType reads a type that is no struct: a scalar, vecN<T>, matCxR<T> or
// the name of a format, each perhaps with [] or [n] after it.
func parseType(s string) (Type, bool) {
	s, array, ok := cutArray(s)
	if !ok {
		return Type{}, false
	}
	t := Type{Columns: 1, Rows: 1, Array: array}
	if sc, ok := scalars[s]; ok {
		t.Scalar = sc
		return t, true
	}
	if f, ok := format.ByName(s); ok {
		t.Format = &f
		return t, true
	}
	head, inner, ok := strings.Cut(s, "<")
	inner, closed := strings.CutSuffix(inner, ">")
	if !ok || !closed {
		return Type{}, false
	}
	t.Scalar, ok = scalars[inner]
	switch {
	case !ok:
	case len(head) == 4 && strings.HasPrefix(head, "vec"):
		t.Rows = dimension(head[3])
		ok = t.Rows != 0
	case len(head) == 6 && strings.HasPrefix(head, "mat") && head[4] == 'x':
		t.Columns, t.Rows = dimension(head[3]), dimension(head[5])
		ok = t.Columns != 0 && t.Rows != 0
	default:
		ok = false
	}
	return t, ok
}

func dimension(c byte) int {
	if c < '2' || c > '4' {
		return 0
	}
	return int(c - '0')
}

// cutArray removes [] or [n] from the end of a type or a name.
func cutArray(s string) (rest string, array int, ok bool) {
	rest, size, found := strings.Cut(s, "[")
	if !found {
		return s, 0, true
	}
	size, closed := strings.CutSuffix(size, "]")
	if !closed {
		return "", 0, false
	}
	if size == "" {
		return rest, Runtime, true
	}
	n, ok := parseNumber(size)
	if !ok || !n.Integer || n.Bits == 0 || n.Bits > MaxBytes {
		return "", 0, false
	}
	return rest, int(n.Bits), true
}

// load returns the number at the field's place.
func (f Field) load(element []byte) Number {
	var b [8]byte
	copy(b[:], element[f.Offset:f.Offset+f.Scalar.Bytes()])
	return f.Scalar.number(binary.LittleEndian.Uint64(b[:]))
}

// store puts a number at the field's place.
func (f Field) store(element []byte, n Number) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], f.Scalar.bits(n))
	copy(element[f.Offset:f.Offset+f.Scalar.Bytes()], b[:])
}
