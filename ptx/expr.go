package ptx

import (
	"math"
	"strconv"
	"strings"
)

// Expr is a constant expression (PTX ISA, "Constants").
type Expr struct {
	Pos  Position
	Op   string  // "int", "float32" (0f…), "float" (decimal and 0d…), "name", "call", a cast such as ".s64", or an operator
	Bits uint64  // of a literal
	Text string  // of a name, a call, or a literal as it is written
	Args []*Expr // of an operator, a cast or a call
}

// literal returns the expression of a number.
func literal(t token) (*Expr, bool) {
	e := &Expr{Pos: t.pos, Text: t.text}
	s := strings.ToLower(t.text)
	switch {
	case strings.HasPrefix(s, "0f") && len(s) == 10:
		v, err := strconv.ParseUint(s[2:], 16, 32)
		e.Op, e.Bits = "float32", v
		return e, err == nil
	case strings.HasPrefix(s, "0d") && len(s) == 18:
		v, err := strconv.ParseUint(s[2:], 16, 64)
		e.Op, e.Bits = "float", v
		return e, err == nil
	case !strings.HasPrefix(s, "0x") && strings.ContainsAny(s, ".e"):
		v, err := strconv.ParseFloat(s, 64)
		e.Op, e.Bits = "float", math.Float64bits(v)
		return e, err == nil
	}
	base, digits := 10, strings.TrimSuffix(s, "u")
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	v, err := strconv.ParseUint(digits, base, 64)
	e.Op, e.Bits = "int", v
	return e, err == nil
}

// precedence of the binary operators, as in C.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// Float returns the value of a constant expression as a float of 64 bits; false if it has names.
func (e *Expr) Float() (float64, bool) {
	switch e.Op {
	case "float32":
		return float64(math.Float32frombits(uint32(e.Bits))), true
	case "float":
		return math.Float64frombits(e.Bits), true
	case "-":
		if len(e.Args) == 1 {
			x, ok := e.Args[0].Float()
			return -x, ok
		}
	case "+", "*", "/":
		return e.floats()
	}
	v, ok := e.Int()
	return float64(int64(v)), ok
}

// floats computes an operator on floats.
func (e *Expr) floats() (float64, bool) {
	if len(e.Args) != 2 || !e.IsFloat() {
		v, ok := e.Int()
		return float64(int64(v)), ok
	}
	x, okX := e.Args[0].Float()
	y, okY := e.Args[1].Float()
	switch e.Op {
	case "+":
		x += y
	case "*":
		x *= y
	default:
		x /= y
	}
	return x, okX && okY
}

// IsFloat reports whether an expression has a float literal.
func (e *Expr) IsFloat() bool {
	if e.Op == "float" || e.Op == "float32" {
		return true
	}
	for _, a := range e.Args {
		if a.IsFloat() {
			return true
		}
	}
	return false
}

// Int returns the value of a constant expression of integers; false if it has names or floats, or divides by 0.
func (e *Expr) Int() (uint64, bool) {
	switch {
	case e.Op == "int":
		return e.Bits, true
	case e.Op == "name" && e.Text == "WARP_SZ":
		return 32, true
	case e.Op == "name" || e.Op == "call" || e.Op == "float" || e.Op == "float32":
		return 0, false
	}
	var v [3]uint64
	for i, a := range e.Args {
		x, ok := a.Int()
		if !ok || i > 2 {
			return 0, false
		}
		v[i] = x
	}
	switch len(e.Args) {
	case 1:
		return unaryInt(e.Op, v[0])
	case 2:
		return binaryInt(e.Op, v[0], v[1])
	}
	if v[0] != 0 {
		return v[1], true
	}
	return v[2], true
}

// unaryInt computes an operator or a cast of one operand.
func unaryInt(op string, x uint64) (uint64, bool) {
	switch op {
	case "-":
		return -x, true
	case "+", ".s64", ".u64":
		return x, true
	case "~":
		return ^x, true
	case "!":
		return truth(x == 0), true
	}
	return 0, false
}

// binaryInt computes an operator of two operands, signed as integer constants are by default.
func binaryInt(op string, x, y uint64) (uint64, bool) {
	a, b := int64(x), int64(y)
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/":
		if b == 0 || b == -1 {
			return -x, b != 0
		}
		return uint64(a / b), true
	case "%":
		if b == 0 || b == -1 {
			return 0, b != 0
		}
		return uint64(a % b), true
	case "<<":
		return x << min(y, 64), true
	case ">>":
		return uint64(a >> min(y, 63)), true
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case "&&":
		return truth(x != 0 && y != 0), true
	case "||":
		return truth(x != 0 || y != 0), true
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	case "<":
		return truth(a < b), true
	case "<=":
		return truth(a <= b), true
	case ">":
		return truth(a > b), true
	case ">=":
		return truth(a >= b), true
	}
	return 0, false
}

func truth(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}
