package direct

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Operand is a value of one lane and its type.
type Operand[V any] struct {
	Value V
	Type  ir.Type
}

// Maker makes values: it computes them, or appends operations to a program.
type Maker[V any] interface {
	// Const returns the constant of type t with the given bits.
	Const(t ir.Type, bits uint64) V
	// Make returns the value of an operation with result type t and a first operand of type
	// from. Operands that the operation does not have are the zero V.
	Make(op ir.Op, t, from ir.Type, x, y, z V) V
}

// Apply makes one component, of type t, of the instruction of a row. It returns false if
// the operation is not defined for the types or the number of the operands; then it makes
// nothing that has an effect.
func Apply[V any](m Maker[V], r Row, t ir.Type, args ...Operand[V]) (V, bool) {
	var none V
	if len(args) == 0 || len(args) > 3 {
		return none, false
	}
	var buf [3]Operand[V]
	list := append(buf[:0], args...)
	switch {
	case r.Form&Zero != 0:
		list = append(list[:0], Operand[V]{m.Const(args[0].Type, 0), args[0].Type}, args[0])
	case r.Form&Twice != 0:
		list = append(list, list[0])
	case r.Form&Swap != 0 && len(list) > 1:
		list[0], list[1] = list[1], list[0]
	}
	v, ok := apply(m, r.Op, t, list)
	if ok && r.Form&Either != 0 {
		list[0], list[1] = list[1], list[0]
		w, _ := apply(m, r.Op, t, list)
		v = m.Make(ir.Or, ir.B1, ir.B1, v, w, none)
	}
	if ok && r.Form&Not != 0 {
		v = m.Make(ir.Not, ir.B1, ir.B1, v, none, none)
	}
	return v, ok
}

// apply makes one operation that yields a component of type t.
func apply[V any](m Maker[V], op ir.Op, t ir.Type, args []Operand[V]) (V, bool) {
	var none V
	yields, wants, _ := strings.Cut(op.Row().Sig, ":")
	if len(wants) != len(args) {
		return none, false
	}
	own := t // the type for the letter T
	if i := strings.IndexByte(wants, 'T'); i >= 0 {
		own = args[i].Type
	}
	if yields == "b" && t != ir.B1 || !op.Row().On.Has(own) {
		return none, false
	}
	if wants == "S" {
		return convert(m, op, t, args[0])
	}
	var v [3]V
	for i, a := range args {
		var ok bool
		if v[i], ok = fit(m, typeOf(wants[i], own), a); !ok {
			return none, false
		}
	}
	out := own
	if yields == "b" {
		out = ir.B1
	}
	r := m.Make(op, out, typeOf(wants[0], own), v[0], v[1], v[2])
	return fit(m, t, Operand[V]{r, out})
}

// convert makes an operation with an operand of another type.
func convert[V any](m Maker[V], op ir.Op, t ir.Type, a Operand[V]) (V, bool) {
	var none V
	if a.Type == ir.B1 || !op.Row().On.Source().Has(a.Type) {
		return none, false
	}
	switch from := a.Type.Bits(); op {
	case ir.Bitcast:
		if t.Bits() != from {
			return none, false
		}
	case ir.SExt, ir.ZExt:
		if t.Bits() < from {
			op = ir.Trunc
		}
	}
	if t == a.Type {
		return a.Value, true
	}
	return m.Make(op, t, a.Type, a.Value, none, none), true
}

// typeOf returns the type of a letter of a signature.
func typeOf(letter byte, own ir.Type) ir.Type {
	switch letter {
	case 'b':
		return ir.B1
	case 'i':
		return ir.I32
	case 'l':
		return ir.I64
	}
	return own
}

// fit converts an operand to the wanted type: an integer is zero-extended or truncated,
// every other operand must already have it.
func fit[V any](m Maker[V], want ir.Type, a Operand[V]) (V, bool) {
	var none V
	switch {
	case a.Type == want:
		return a.Value, true
	case !want.IsInt() || !a.Type.IsInt():
		return none, false
	case want.Bits() > a.Type.Bits():
		return m.Make(ir.ZExt, want, a.Type, a.Value, none, none), true
	}
	return m.Make(ir.Trunc, want, a.Type, a.Value, none, none), true
}

// Quantize makes one component of OpQuantizeToF16 (SPIR-V §3.3.11): a float of
// 32 bits goes to 16, rounded to nearest even, denormals become zeros, and it
// comes back. It is the one instruction of constants that is more than one
// operation.
func Quantize[V any](m Maker[V], t ir.Type, a Operand[V]) (V, bool) {
	var none V
	if t != ir.F32 || a.Type != ir.F32 {
		return none, false
	}
	h := m.Make(ir.FCvt, ir.F16, ir.F32, a.Value, none, none)
	h = m.Make(ir.FFlush, ir.F16, ir.F16, h, none, none)
	return m.Make(ir.FCvt, ir.F32, ir.F16, h, none, none), true
}
