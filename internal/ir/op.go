package ir

// Op is an operation. Its row in the table (ops.go) says all about it.
type Op uint8

// Class says on which types an operation is defined: those its T may be.
type Class uint8

// The classes, to be combined.
const (
	OnBool Class = 1 << iota
	OnInt
	OnFloat
	OnHandle
	OnBits = OnInt | OnFloat
	OnData = OnBool | OnInt | OnFloat
	OnAny  = OnData | OnHandle
)

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

// Trait is what passes and engines need to know of an operation.
type Trait uint16

// The traits.
const (
	Imm     Trait = 1 << iota // Aux is an immediate, printed behind #
	Control                   // opens, closes or leaves a region
	Ends                      // no lane goes on behind it
	Writes                    // has an effect: may not be removed
	Reads                     // its value depends on memory: may not cross a write
	Meets                     // lanes meet here: may be neither moved nor duplicated
	Floats                    // stands nowhere in Code
	Commute                   // the first two operands may be exchanged
	Combine                   // Aux is an operator and a cluster size
	Atomic                    // reads and writes memory at once
	Lasts                     // machines do one behind the other, where of others they begin one in each cycle
)

// Key is what the value of an operation depends on beside its operands.
type Key struct {
	Type  Type // of the result
	From  Type // of the first operand
	Flags Flags
	Aux   uint64
}

// Eval computes the value of one lane from the bits of the operands, which are
// zero-extended, as the result is.
type Eval func(k Key, x, y, z uint64) uint64

// Row is all there is to know of one operation.
//
// Sig gives the types, result before the colon: T the operation's own type, S
// any other (the source of a conversion), b b1, i i32, l i64, f f32, h a handle, and -
// nothing. A printed operation is followed by T, and by S where it has one;
// where T is in neither, by nothing.
type Row struct {
	Name   string
	Sig    string
	On     Class // what T may be
	Traits Trait
	Eval   Eval // nil for operations with control, memory or cross-lane effect
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

// Args returns the number of fixed operands.
func (o Op) Args() int {
	s := ops[o].Sig
	return max(len(s)-2, 0)
}

// HasResult reports whether the operation yields a value of its own. A call's
// results are values of their own.
func (o Op) HasResult() bool { return ops[o].Sig[0] != '-' }

// OfStage reports whether the operation is one of graphics stages, which no engine
// runs.
func (o Op) OfStage() bool { return o >= InAt && o <= EndPrim }

// Flags modify one operation.
type Flags uint16

// The flags, with their printed forms.
const (
	RTZ      Flags = 1 << iota // !rtz: round toward zero
	Volatile                   // !vol: the access may not be merged or removed
	Coherent                   // !coh: the access is available and visible to other invocations
	Proven                     // !proven: the access is in range
	Unused                     // !unused: nobody reads the result of this atomic
	AnyNaN                     // !anynan: of a bitcast or quadswap: which NaN the operand is makes no difference to anything seen
)

var flagNames = [...]struct {
	flag Flags
	name string
}{{RTZ, "rtz"}, {Volatile, "vol"}, {Coherent, "coh"}, {Proven, "proven"}, {Unused, "unused"}, {AnyNaN, "anynan"}}

// String returns the printed form: a space and a word for each flag.
func (f Flags) String() string {
	s := ""
	for _, n := range flagNames {
		s += word(f&n.flag != 0, " !"+n.name)
	}
	return s
}
