package debug

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
)

// kind is the kind of the numbers of a result.
type kind uint8

const (
	boolean kind = iota // i is 0 or 1
	signed
	unsigned
	float
)

// number is a scalar of an expression: f if the kind is float, else i. Operations wrap integers to 32 bits and round floats to binary32,
// as the shader does, unless an operand is wide. Numbers of 8 and 16 bits count as 32.
type number struct {
	i    int64
	f    float64
	wide bool // it has 64 bits
}

// fit wraps or rounds the result of an operation to its width.
func (n number) fit(k kind) number {
	switch {
	case n.wide || k == boolean:
	case k == float:
		n.f = float64(float32(n.f))
	case k == signed:
		n.i = int64(int32(n.i))
	default:
		n.i = int64(uint32(n.i))
	}
	return n
}

// result is the value of an expression: a scalar, or the components of a vector or a matrix, or a variable with parts.
type result struct {
	kind     kind
	numbers  []number
	columns  int       // of a matrix, whose numbers are column by column; 0 for a vector or a scalar
	variable *Variable // nil for a computed value
}

// typeName returns the type of a computed value in the syntax of GLSL; "" if it has no numbers.
func (r result) typeName() string {
	if len(r.numbers) == 0 {
		return ""
	}
	names, prefixes := [...]string{"bool", "int", "uint", "float"}, [...]string{"b", "i", "u", ""}
	if r.numbers[0].wide {
		names, prefixes = [...]string{"bool", "int64_t", "uint64_t", "double"}, [...]string{"b", "i64", "u64", "d"}
	}
	switch n := len(r.numbers); {
	case r.columns > 0:
		return fmt.Sprintf("%smat%dx%d", prefixes[r.kind], r.columns, n/r.columns)
	case n > 1:
		return fmt.Sprintf("%svec%d", prefixes[r.kind], n)
	}
	return names[r.kind]
}

// String returns the text of a value.
func (r result) String() string {
	if r.variable != nil {
		r.variable.fill()
		return r.variable.Value
	}
	if r.columns > 0 {
		parts := make([]string, r.columns)
		for i := range parts {
			parts[i] = r.column(i).String()
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	parts := make([]string, len(r.numbers))
	for i, n := range r.numbers {
		switch r.kind {
		case boolean:
			parts[i] = strconv.FormatBool(n.i != 0)
		case signed:
			parts[i] = strconv.FormatInt(n.i, 10)
		case unsigned:
			parts[i] = strconv.FormatUint(uint64(n.i), 10)
		default:
			width := 32
			if n.wide {
				width = 64
			}
			parts[i] = strconv.FormatFloat(n.f, 'g', -1, width)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// truth reports whether a value is true: one of its numbers is not 0.
func (r result) truth() bool {
	for _, n := range r.numbers {
		if n.i != 0 || n.f != 0 {
			return true
		}
	}
	return false
}

func truthOf(b bool) result { return result{numbers: []number{boolNumber(b)}} }

func boolNumber(b bool) number {
	if b {
		return number{i: 1}
	}
	return number{}
}

// load returns a value with its numbers. A variable with parts that are no numbers has none.
func (r result) load() (result, error) {
	v := r.variable
	if v == nil || r.numbers != nil {
		return r, nil
	}
	if v.image != nil && !v.image.isTexel() {
		return r, nil
	}
	if v.t == nil { // a built-in
		r.kind, r.numbers = v.kind, v.numbers
		return r, nil
	}
	s := v.t.Scalar()
	if s == nil {
		return r, nil
	}
	list, err := v.bits()
	if err != nil {
		return r, err
	}
	for _, bits := range list {
		r.numbers = append(r.numbers, numberOf(s, bits))
	}
	if r.kind = kindOf(s); v.t.IsMatrix() {
		r.columns = int(v.t.Count)
	}
	return r, nil
}

func kindOf(t *facts.Type) kind {
	switch {
	case t.IsBool():
		return boolean
	case t.IsInt() && t.Signed:
		return signed
	case t.IsInt():
		return unsigned
	}
	return float
}

func numberOf(t *facts.Type, bits uint64) number {
	n := number{wide: t.Width == 64}
	switch kindOf(t) {
	case boolean:
		n.i = int64(bits & 1)
	case signed:
		shift := 64 - t.Width
		n.i = int64(bits<<shift) >> shift
	case unsigned:
		n.i = int64(bits)
	default:
		n.f, _ = t.Float(bits)
	}
	return n
}

// to converts a number. Its width stays.
func (n number) to(from, to kind) number {
	out := number{wide: n.wide}
	switch {
	case from == to:
		return n
	case to == float && from == unsigned:
		out.f = float64(uint64(n.i))
	case to == float:
		out.f = float64(n.i)
	case to == boolean:
		return boolNumber(n.i != 0 || n.f != 0)
	case from == float && to == unsigned && n.f >= math.MaxInt64:
		out.i = int64(uint64(n.f))
	case from == float:
		out.i = int64(n.f)
	default:
		out.i = n.i
	}
	return out.fit(to)
}

// member returns a member of a structure, or the components of a vector that a swizzle names.
func (r result) member(name string) (result, error) {
	if v := r.variable; v != nil && v.t != nil && v.t.IsStruct() {
		for i := range v.t.Members {
			if v.part(uint64(i)) == name {
				return result{variable: v.child(uint64(i))}, nil
			}
		}
		return result{}, fmt.Errorf("%s has no member %s", v.Name, name)
	}
	if v := r.variable; v != nil && v.t.IsVector() && len(name) == 1 {
		if i := componentOf(rune(name[0])); i >= 0 && uint64(i) < v.t.Count {
			return result{variable: v.child(uint64(i))}, nil
		}
	}
	r, err := r.load()
	if err != nil {
		return r, err
	}
	if r.columns > 0 {
		return result{}, fmt.Errorf("%q of %s; want an index of a column", name, r.typeName())
	}
	out := result{kind: r.kind}
	for _, c := range name {
		i := componentOf(c)
		if i < 0 || i >= len(r.numbers) {
			return result{}, fmt.Errorf("%q is not a component", name)
		}
		out.numbers = append(out.numbers, r.numbers[i])
	}
	if len(out.numbers) == 0 || len(out.numbers) > 4 {
		return result{}, fmt.Errorf("%q; want one to four components", name)
	}
	return out, nil
}

// componentOf returns the number of a component; −1 if the letter is of none.
func componentOf(letter rune) int {
	for _, set := range []string{"xyzw", "rgba", "stpq"} {
		if n := strings.IndexRune(set, letter); n >= 0 {
			return n
		}
	}
	return -1
}

// index returns a part of an array, a vector or a matrix.
func (r result) index(i result) (result, error) {
	if len(i.numbers) != 1 || i.kind == float {
		return result{}, fmt.Errorf("the index is not an integer")
	}
	n := i.numbers[0].i
	if v := r.variable; v != nil && (v.t != nil || v.image != nil) {
		if parts := v.count(); n < 0 || uint64(n) >= parts {
			return result{}, fmt.Errorf("index %d of %s; must be less than %d", n, v.Name, parts)
		}
		return result{variable: v.child(uint64(n))}, nil
	}
	r, err := r.load()
	if err != nil {
		return r, err
	}
	parts := len(r.numbers)
	if r.columns > 0 {
		parts = r.columns
	}
	if n < 0 || n >= int64(parts) {
		return result{}, fmt.Errorf("index %d; must be less than %d", n, parts)
	}
	if r.columns > 0 {
		return r.column(int(n)), nil
	}
	return result{kind: r.kind, numbers: r.numbers[n : n+1]}, nil
}

// binaryOps are the operators on two numbers of one kind.
var binaryOps = map[string]func(k kind, a, b number) (number, kind, error){
	"+": arithmetic(func(a, b int64) int64 { return a + b }, func(a, b float64) float64 { return a + b }),
	"-": arithmetic(func(a, b int64) int64 { return a - b }, func(a, b float64) float64 { return a - b }),
	"*": arithmetic(func(a, b int64) int64 { return a * b }, func(a, b float64) float64 { return a * b }),
	"/": divide, "%": remainder,
	"&": integer(func(a, b int64) int64 { return a & b }), "|": integer(func(a, b int64) int64 { return a | b }), "^": integer(func(a, b int64) int64 { return a ^ b }),
	"<<": integer(func(a, b int64) int64 { return a << uint64(b) }), ">>": shiftRight,
	"==": compare(func(c int) bool { return c == 0 }), "!=": compare(func(c int) bool { return c != 0 }),
	"<": compare(func(c int) bool { return c == -1 }), ">": compare(func(c int) bool { return c == 1 }),
	"<=": compare(func(c int) bool { return c == -1 || c == 0 }), ">=": compare(func(c int) bool { return c == 1 || c == 0 }),
}

func arithmetic(i func(a, b int64) int64, f func(a, b float64) float64) func(kind, number, number) (number, kind, error) {
	return func(k kind, a, b number) (number, kind, error) {
		if k == float {
			return number{f: f(a.f, b.f), wide: a.wide || b.wide}.fit(k), k, nil
		}
		k = max(k, signed)
		return number{i: i(a.i, b.i), wide: a.wide || b.wide}.fit(k), k, nil
	}
}

// errNotInteger is the error of an operator that GLSL has for integers alone.
var errNotInteger = errors.New("an operator on integers has a float")

func integer(op func(a, b int64) int64) func(kind, number, number) (number, kind, error) {
	return func(k kind, a, b number) (number, kind, error) {
		if k == float {
			return number{}, k, errNotInteger
		}
		return number{i: op(a.i, b.i), wide: a.wide || b.wide}.fit(k), k, nil
	}
}

// shiftRight is arithmetic for signed numbers.
func shiftRight(k kind, a, b number) (number, kind, error) {
	if k == unsigned {
		return number{i: int64(uint64(a.i) >> uint64(b.i)), wide: a.wide}, k, nil
	}
	return integer(func(a, b int64) int64 { return a >> uint64(b) })(k, a, b)
}

func divide(k kind, a, b number) (number, kind, error) {
	wide := a.wide || b.wide
	switch {
	case k == float:
		return number{f: a.f / b.f, wide: wide}.fit(k), k, nil
	case b.i == 0:
		return number{}, k, fmt.Errorf("a division by 0")
	case k == unsigned:
		return number{i: int64(uint64(a.i) / uint64(b.i)), wide: wide}, k, nil
	}
	return number{i: a.i / b.i, wide: wide}.fit(signed), signed, nil
}

func remainder(k kind, a, b number) (number, kind, error) {
	q, k, err := divide(k, a, b)
	if err == nil && k == float {
		err = errNotInteger
	}
	if err != nil {
		return number{}, k, err
	}
	return number{i: a.i - q.i*b.i, wide: q.wide}.fit(k), k, nil
}

// compare returns a comparison operator. is gets −1, 0 or 1, and 2 for unordered operands (NaN).
func compare(is func(c int) bool) func(kind, number, number) (number, kind, error) {
	return func(k kind, a, b number) (number, kind, error) {
		c := 2
		switch {
		case k == float && a.f < b.f, k == unsigned && uint64(a.i) < uint64(b.i), k < unsigned && a.i < b.i:
			c = -1
		case k == float && a.f > b.f, k == unsigned && uint64(a.i) > uint64(b.i), k < unsigned && a.i > b.i:
			c = 1
		case k != float || a.f == b.f:
			c = 0
		}
		return boolNumber(is(c)), boolean, nil
	}
}

// apply evaluates a binary operator of GLSL.
func apply(op string, a, b result) (result, error) {
	switch op {
	case "&&":
		return truthOf(a.truth() && b.truth()), nil
	case "||":
		return truthOf(a.truth() || b.truth()), nil
	case "^^":
		return truthOf(a.truth() != b.truth()), nil
	case "*":
		if a.columns > 0 && len(b.numbers) > 1 || b.columns > 0 && len(a.numbers) > 1 {
			return product(a, b)
		}
	}
	out, err := componentwise(op, a, b)
	if err == nil && (op == "==" || op == "!=") { // of whole vectors
		all := true
		for _, x := range out.numbers {
			all = all && (x.i != 0) == (op == "==")
		}
		return truthOf(all == (op == "==")), nil
	}
	return out, err
}

// componentwise evaluates a binary operator on numbers, component by component; a scalar goes with each component.
func componentwise(op string, a, b result) (result, error) {
	n := max(len(a.numbers), len(b.numbers))
	if min(len(a.numbers), len(b.numbers)) == 0 || len(a.numbers) != n && len(a.numbers) != 1 || len(b.numbers) != n && len(b.numbers) != 1 {
		return result{}, fmt.Errorf("%s with %d and %d components", op, len(a.numbers), len(b.numbers))
	}
	if a.columns != b.columns && min(len(a.numbers), len(b.numbers)) > 1 {
		return result{}, fmt.Errorf("%s with %s and %s", op, a.typeName(), b.typeName())
	}
	f, k := binaryOps[op], max(a.kind, b.kind)
	out := result{numbers: make([]number, n), columns: max(a.columns, b.columns)}
	for i := range n {
		x, y := a.numbers[min(i, len(a.numbers)-1)].to(a.kind, k), b.numbers[min(i, len(b.numbers)-1)].to(b.kind, k)
		var err error
		if out.numbers[i], out.kind, err = f(k, x, y); err != nil {
			return result{}, err
		}
	}
	return out, nil
}

func applyUnary(op string, r result) (result, error) {
	out := result{kind: max(r.kind, signed), numbers: make([]number, len(r.numbers)), columns: r.columns}
	switch {
	case len(r.numbers) == 0:
		return result{}, fmt.Errorf("%s of a value without numbers", op)
	case op == "~" && r.kind == float:
		return result{}, errNotInteger
	case op == "!":
		return truthOf(!r.truth()), nil
	}
	for i, n := range r.numbers {
		out.numbers[i] = n.unary(op, out.kind)
	}
	return out, nil
}

// unary applies an operator other than ! to a number of a kind.
func (n number) unary(op string, k kind) number {
	switch op {
	case "-":
		n.i, n.f = -n.i, -n.f
	case "~":
		n.i = ^n.i
	}
	return n.fit(k)
}
