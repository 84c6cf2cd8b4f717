package ir

import "strings"

// Op is an operation. Its row in the table (ops.go) states everything about it.
type Op uint8

// Class is a set of types. The low half of a row's class holds the types that T
// may be; the high half, for a conversion, the types that its source S may be.
type Class uint8

// The classes, to be combined.
const (
	OnBool Class = 1 << iota
	OnInt
	OnFloat
	OnHandle
	FromBool
	FromInt
	FromFloat
	OnBits   = OnInt | OnFloat
	OnData   = OnBool | OnInt | OnFloat
	OnAny    = OnData | OnHandle
	FromData = FromBool | FromInt | FromFloat
)

// Source returns the class of the types that the source of a conversion may be.
func (c Class) Source() Class { return c / FromBool }

// Has reports whether t belongs to c.
func (c Class) Has(t Type) bool {
	switch {
	case t == B1:
		return c&OnBool != 0
	case t == H:
		return c&OnHandle != 0
	case t.IsInt():
		return c&OnInt != 0
	case t.IsFloat():
		return c&OnFloat != 0
	}
	return false
}

// Trait is a set of properties of an operation that passes and engines rely on.
// A property of operations belongs here, and not in a list at its use.
type Trait uint32

// The traits: form.
const (
	Imm      Trait = 1 << iota // Aux is an immediate, printed after #
	Control                    // opens, closes or leaves a region
	Ends                       // no lane continues after it
	Implicit                   // defined by the function, a label or a call: never in Code
	Combine                    // Aux is an operator and a cluster size
)

// The traits: effects and dependences.
const (
	Writes           Trait = 1 << (iota + 5) // has an effect: may not be removed
	Reads                                    // depends on memory: may not cross a write
	Meets                                    // communicates between lanes: may be neither moved nor duplicated
	DivergenceSource                         // may differ between lanes with equal operands, as private memory does; for inputs see Rate
	Invariant                                // may be recomputed: the same operands yield the same value in an invocation at any time, though Eval is nil
)

// The traits: algebra and bits.
const (
	Commute        Trait = 1 << (iota + 10) // the first two operands may be exchanged
	Idempotent                              // x op x is x, for all bits of x
	ZeroNeutral                             // x op 0 is x, for all bits of x
	Rounds                                  // rounds its result, in the direction that the flag RTZ selects
	Selects                                 // a float result is an operand up to its sign, a zero, or the canonical NaN: nothing is rounded and NaN payloads pass through
	DeterminateNaN                          // a NaN result has defined bits: it is a copy of observable bits, or canonical, or there is none
	Observes                                // makes the bits of its operand of type T or S observable (Op.Observed)
)

// The traits: hints of cost. They are abstract, and promise nothing about a machine:
// an engine that knows better ignores them. All other operations count as one step
// of a pipelined unit.
const (
	Expensive   Trait = 1 << (iota + 17) // several steps: not worth computing speculatively
	LongLatency                          // computed by iteration (digit recurrence, Newton): units are seldom pipelined, so independent work should surround it
)

// Family is the part of the operation set that an operation belongs to. Each
// operation has one family, and the operations of a family follow each other.
type Family uint8

// The families, in the order of the operations.
const (
	NoFamily        Family = iota
	Values                 // values without a position in the code
	ControlFlow            // regions, branches, calls
	IntArithmetic          // integer arithmetic modulo 2ⁿ
	IntDivision            // integer division and remainder
	Bitwise                // bitwise logic
	Shifts                 // shifts
	IntMinMax              // integer minimum and maximum
	BitFields              // bit counts and bit fields
	Comparisons            // comparisons, of integers and of floats
	FloatArithmetic        // correctly rounded arithmetic (IEEE 754-2019 §5.4.1)
	FloatIntegral          // rounding to an integral value (§5.3.1)
	FloatSelection         // sign, minimum and maximum
	FloatScaling           // remainder, scaling and canonical forms
	Conversions            // conversions and bit casts
	Choice                 // select
	Handles                // resource handles and offsets
	Memory                 // loads and stores through a handle
	PrivateMemory          // the lane's own memory: Function and Private variables
	Atomics                // atomic read-modify-write
	StageInterface         // inputs and outputs
	Subgroup               // subgroup and quad operations
	Synchronization        // barriers and fences
	Invocation             // state of the invocation and its budget
	Messages               // debug output
	Rays                   // rays in the lane's own memory
	numFamilies
)

// Key is all that the value of an operation depends on besides its operands.
type Key struct {
	Type  Type // of the result
	From  Type // of the first operand
	Flags Flags
	Aux   uint64
}

// Eval computes the value of one lane from the zero-extended bits of the operands.
// The result is zero-extended too.
type Eval func(k Key, x, y, z uint64) uint64

// Row is the definition of one operation for all other packages.
//
// Sig lists the types, result before the colon: T is the operation's own type, S
// the source type of a conversion, b b1, i i32, l i64, f f32, h a handle, and -
// no result. The printed name is followed by T and by S, as far as Sig has them.
type Row struct {
	Name     string
	Sig      string
	On       Class // the types that T and S may be
	Family   Family
	Traits   Trait
	Eval     Eval   // nil for operations with control, memory or cross-lane effect
	Operands string // names of the fixed operands for Doc; empty for x, y, z
	Doc      string // the value or effect, in terms of Operands, imm, T and n, the bits of T
}

// Row returns the operation's row.
func (o Op) Row() *Row { return &ops[o] }

// String returns the printed name, such as "fadd".
func (o Op) String() string {
	if int(o) < len(ops) {
		return ops[o].Name
	}
	return "op?"
}

// Is reports whether the operation has all of the given traits.
func (o Op) Is(t Trait) bool { return ops[o].Traits&t == t }

// Family returns the operation's family.
func (o Op) Family() Family { return ops[o].Family }

// Pure reports whether the operation has no effect and an invocation always gets the
// same value from the same operands. Passes may merge two such operations and move
// one to any point at which its operands are defined.
func (o Op) Pure() bool { return ops[o].Eval != nil || o.Is(Invariant) }

// Observed returns the index of the operand that the operation makes observable,
// or −1 for an operation without the trait Observes.
func (o Op) Observed() int {
	if !o.Is(Observes) {
		return -1
	}
	return strings.IndexAny(ops[o].Sig[2:], "TS")
}

// Args returns the number of fixed operands.
func (o Op) Args() int {
	s := ops[o].Sig
	return max(len(s)-2, 0)
}

// NotLess returns the comparison of y and x that is the negation of the operation, if it is the comparison x < y or x ≤ y of
// integers: not (x < y) is y ≤ x. Floats have NaN.
func (o Op) NotLess() (not Op, ok bool) {
	switch o {
	case ULt:
		return ULe, true
	case ULe:
		return ULt, true
	case SLt:
		return SLe, true
	case SLe:
		return SLt, true
	}
	return o, false
}

// HasResult reports whether the operation yields a value of its own. A call's
// results are values of their own.
func (o Op) HasResult() bool { return ops[o].Sig[0] != '-' }

// OfStage reports whether the operation belongs to graphics stages; no engine runs
// such an operation.
func (o Op) OfStage() bool { return o.Family() == StageInterface && o != In }

// Flags modify one operation.
type Flags uint16

// The flags, with their printed forms.
const (
	RTZ      Flags = 1 << iota // !rtz: round toward zero
	Volatile                   // !vol: the access may not be merged or removed
	Coherent                   // !coh: the access is available and visible to other invocations
	Proven                     // !proven: the access is in range
	Unused                     // !unused: no operation reads the result of this atomic
	Grouped                    // !grouped: no other workgroup accesses the memory of this atomic
	AnyNaN                     // !anynan: of a bitcast, quadswap or ftos: the bits of a NaN operand, or its result, have no observable effect
	Fits                       // !fits: of an ftos or fldexp: the operands are in a range without special cases
	FTZ                        // !ftz: of an atomfadd of f32: a denormal operand, old value or sum counts as the zero of its sign
)

var flagNames = [...]struct {
	flag Flags
	name string
}{{RTZ, "rtz"}, {Volatile, "vol"}, {Coherent, "coh"}, {Proven, "proven"}, {Unused, "unused"}, {Grouped, "grouped"}, {AnyNaN, "anynan"}, {Fits, "fits"}, {FTZ, "ftz"}}

// String returns the printed form: a space and a word for each flag.
func (f Flags) String() string {
	s := ""
	for _, n := range flagNames {
		s += word(f&n.flag != 0, " !"+n.name)
	}
	return s
}
