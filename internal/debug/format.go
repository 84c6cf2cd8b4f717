package debug

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
)

// typeName returns the name of a type in the syntax of GLSL, or the name of a structure.
func typeName(m *facts.Module, t *facts.Type) string {
	switch {
	case t == nil:
		return ""
	case t.IsBool():
		return "bool"
	case t.IsInt():
		name := "uint"
		if t.Signed {
			name = "int"
		}
		if t.Width != 32 {
			name += strconv.Itoa(int(t.Width)) + "_t"
		}
		return name
	case t.IsFloat() && t.Encoded:
		return strings.ToLower(t.Encoding.String())
	case t.IsFloat():
		switch t.Width {
		case 16:
			return "float16_t"
		case 64:
			return "double"
		}
		return "float"
	case t.IsVector():
		return fmt.Sprintf("%svec%d", prefixOf(t.Elem), t.Count)
	case t.IsMatrix() && t.Elem.IsVector():
		return fmt.Sprintf("%smat%dx%d", prefixOf(t.Elem.Elem), t.Count, t.Elem.Count)
	case t.IsRuntimeArray():
		return typeName(m, t.Elem) + "[]"
	case t.IsArray():
		return fmt.Sprintf("%s[%d]", typeName(m, t.Elem), t.Count)
	case t.IsPointer():
		return "pointer to " + typeName(m, t.Elem)
	}
	if n := m.Name(t.ID); n != "" {
		return n
	}
	return strings.ToLower(strings.TrimPrefix(t.Op.String(), "OpType"))
}

// prefixOf returns the prefix of GLSL's names of vectors with such components.
func prefixOf(t *facts.Type) string {
	switch {
	case t.IsBool():
		return "b"
	case t.IsInt() && t.Width == 32 && t.Signed:
		return "i"
	case t.IsInt() && t.Width == 32:
		return "u"
	case t.IsInt() && t.Signed:
		return fmt.Sprintf("i%d", t.Width)
	case t.IsInt():
		return fmt.Sprintf("u%d", t.Width)
	case t.IsFloat() && !t.Encoded && t.Width == 32:
		return ""
	case t.IsFloat() && t.Width == 64:
		return "d"
	case t.IsFloat() && !t.Encoded:
		return fmt.Sprintf("f%d", t.Width)
	}
	return typeName(nil, t) + "_"
}

// summary returns the text of an array or a structure of n parts.
func summary(t *facts.Type, n uint64) string {
	part := "member"
	if t.IsArray() {
		part = "element"
	}
	if n != 1 {
		part += "s"
	}
	return fmt.Sprintf("%d %s", n, part)
}

// format returns the text of a scalar, a vector or a matrix with the bits of its scalars.
func format(t *facts.Type, bits []uint64) string {
	if t.IsVector() || t.IsMatrix() {
		n := len(bits) / max(int(t.Count), 1)
		parts := make([]string, 0, t.Count)
		for i := 0; n > 0 && i+n <= len(bits); i += n {
			parts = append(parts, format(t.Elem, bits[i:i+n]))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	if len(bits) == 0 {
		return ""
	}
	return scalarText(t, bits[0])
}

// scalarText returns the text of a scalar. That of a float is the shortest that gives the same value as a float or a double.
func scalarText(t *facts.Type, bits uint64) string {
	switch {
	case t.IsBool():
		return strconv.FormatBool(bits&1 != 0)
	case t.IsInt() && t.Signed:
		return strconv.FormatInt(numberOf(t, bits).i, 10)
	case t.IsInt():
		return strconv.FormatUint(bits, 10)
	}
	if x, ok := t.Float(bits); ok {
		width := 32
		if t.Width == 64 {
			width = 64
		}
		return strconv.FormatFloat(x, 'g', -1, width)
	}
	return fmt.Sprintf("%#x", bits)
}
