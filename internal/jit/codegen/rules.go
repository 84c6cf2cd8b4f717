package codegen

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Rule names an IR operation with its type and the type of its first operand. For example {ir.Add, ir.I32,
// ir.I32} is an addition of 32-bit integers, {ir.SToF, ir.F32, ir.I32} a conversion from i32 to f32. The
// second type distinguishes conversions and comparisons, that have the same result type. Its type has no
// name of its own, so that other packages may write values without field names.
type Rule = struct {
	Op         ir.Op
	Type, From ir.Type
}

// Table is an array of emitters, because each instruction is looked up several times. It has 256 · types²
// entries of a pointer each, built once at the start.
type Table[E any] [1 << 8][ir.H + 1][ir.H + 1]E

// NewTable returns the table of sets of rules. The first one with a rule has precedence.
func NewTable[E any](sets ...map[Rule]E) *Table[E] {
	t := &Table[E]{}
	for _, rules := range slices.Backward(sets) {
		for r, e := range rules {
			t[r.Op][r.Type][r.From] = e
		}
	}
	return t
}

// Of returns the emitter of an operation, or nil.
func (t *Table[E]) Of(op ir.Op, k ir.Key) E { return t[op][k.Type][k.From] }
