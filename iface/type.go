package iface

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Kind is the kind of scalar that a type is made of.
type Kind uint8

// The kinds.
const (
	Other Kind = iota // opaque, or not known
	Bool
	Int
	Uint
	Float
	Struct
	Pointer
)

// Type is a type as shaders of any language have it: a scalar, a vector, a
// matrix, a struct, a pointer, or arrays of one. Two types of the same fields
// are equivalent, but for the members of structs.
type Type struct {
	Kind    Kind
	Width   int      // of a scalar, in bits
	Rows    int      // components of a vector or of a column; 1 of a scalar
	Columns int      // of a matrix; 1 of all else
	Arrays  []uint64 // lengths, the outermost first; 0 is a runtime array
	Name    string   // of a struct or an opaque type
}

// maxArrays is how deep arrays of arrays are described.
const maxArrays = 64

// typeOf describes a type of a module.
func typeOf(m *facts.Module, t *facts.Type) Type {
	out := Type{Rows: 1, Columns: 1}
	for t != nil && (t.IsArray() || t.IsRuntimeArray()) && len(out.Arrays) < maxArrays {
		out.Arrays = append(out.Arrays, t.Count)
		t = t.Elem
	}
	if t == nil {
		return out
	}
	if t.IsMatrix() {
		out.Columns = t.Columns()
		if t = t.Elem; t == nil {
			return out
		}
	}
	if t.IsVector() {
		out.Rows = t.Components()
		if t = t.Elem; t == nil {
			return out
		}
	}
	out.Width = int(t.Width)
	switch {
	case t.IsBool():
		out.Kind = Bool
	case t.IsInt() && t.Signed:
		out.Kind = Int
	case t.IsInt():
		out.Kind = Uint
	case t.IsFloat():
		out.Kind = Float
		if t.Encoded {
			out.Name = t.Encoding.String()
		}
	case t.IsStruct():
		out.Kind, out.Name = Struct, m.Name(t.ID)
	case t.IsPointer():
		out.Kind, out.Name = Pointer, t.Storage.String()
		if t.Elem != nil && t.Elem.IsStruct() {
			out.Name = m.Name(t.Elem.ID)
		}
	default:
		out.Name = strings.ToLower(strings.TrimPrefix(t.Op.String(), "OpType"))
	}
	return out
}

// String returns the type as GLSL writes it: "vec3", "f16vec2", "mat4x3[2]".
func (t Type) String() string {
	var b strings.Builder
	b.WriteString(t.base())
	for _, n := range t.Arrays {
		b.WriteByte('[')
		if n != 0 {
			b.WriteString(strconv.FormatUint(n, 10))
		}
		b.WriteByte(']')
	}
	return b.String()
}

func (t Type) base() string {
	switch t.Kind {
	case Struct:
		return orElse(t.Name, "struct")
	case Pointer:
		return "pointer to " + orElse(t.Name, "data")
	case Other:
		return orElse(t.Name, "unknown")
	}
	scalar, prefix := t.scalar()
	switch {
	case t.Columns > 1:
		return prefix + "mat" + strconv.Itoa(t.Columns) + "x" + strconv.Itoa(t.Rows)
	case t.Rows > 1:
		return prefix + "vec" + strconv.Itoa(t.Rows)
	}
	return scalar
}

// scalar returns the name of the scalar, and the prefix of "vec" and "mat".
func (t Type) scalar() (name, prefix string) {
	if t.Name != "" {
		return t.Name, t.Name + " "
	}
	width := strconv.Itoa(t.Width)
	switch t.Kind {
	case Bool:
		return "bool", "b"
	case Int:
		if t.Width == 32 {
			return "int", "i"
		}
		return "int" + width + "_t", "i" + width
	case Uint:
		if t.Width == 32 {
			return "uint", "u"
		}
		return "uint" + width + "_t", "u" + width
	}
	switch t.Width {
	case 32:
		return "float", ""
	case 64:
		return "double", "d"
	}
	return "float" + width + "_t", "f" + width
}

// MarshalJSON writes the type as String does.
func (t Type) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// MarshalYAML does so for YAML.
func (t Type) MarshalYAML() (any, error) { return t.String(), nil }

// Numeric reports whether the type is made of numbers or Booleans alone.
func (t Type) Numeric() bool { return t.Kind >= Bool && t.Kind <= Float }

// Elements returns the number of elements of all array dimensions together, 0 if
// one is a runtime array. It does not grow beyond 1<<32.
func (t Type) Elements() uint64 {
	n := uint64(1)
	for _, k := range t.Arrays {
		if k == 0 {
			return 0
		}
		if k > 1<<32/n {
			n = 1 << 32
		} else {
			n *= k
		}
	}
	return n
}

// Slots returns the number of Locations of a value (Vulkan, Location Assignment):
// one for each vector, two if it has three or four components of 64 bits.
func (t Type) Slots() uint64 {
	n := uint64(t.Columns)
	if t.Width == 64 && t.Rows > 2 {
		n *= 2
	}
	return n * t.Elements()
}

// Words returns the number of Components of a value in its first Location: 32-bit
// words, but one for each component of 16 bits (Vulkan, Component Assignment).
func (t Type) Words() int {
	if t.Width == 64 {
		return min(2*t.Rows, 4)
	}
	return t.Rows
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// nameOf returns the name of an id: its OpName, else "%5".
func nameOf(m *facts.Module, id spirv.ID) string {
	return orElse(m.Name(id), "%"+strconv.FormatUint(uint64(id), 10))
}
