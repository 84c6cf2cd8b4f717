package target

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Target is a back end: the code generator of an instruction set. It generates code on every host.
type Target interface {
	// Levels returns the levels of its code, the best one first.
	Levels() []Level
	// Runs reports whether the processor supports a level.
	Runs(Level) bool
	// Features returns the features of the processor.
	Features() Feature

	// Form returns the register model of a level.
	Form(Level) vcode.Form
	// Native reports whether an IR operation has machine code, so that it needs no exit to Go.
	Native(Level, ir.Key, ir.Op) bool
	// Record lays out the record of a program's subgroups.
	Record(*ir.Program, Level) Record
	// NewBuilder returns a builder for a program without functions. The level is one of Levels, the
	// features are a subset of Features.
	NewBuilder(*ir.Program, Level, Feature) Builder

	// Disassemble calls line for each instruction of code that it generated.
	Disassemble(code []byte, line func(offset int, text string))
	// Control returns the floating-point control register that the code needs.
	Control() uint32
	// ProbeCode returns code that exits as Polled if requested within some tenths of a second, else as
	// Finished.
	ProbeCode() []byte
}

// Builder compiles a program. Functions may be added until Code.
type Builder interface {
	// Add adds vectorized functions of the program, the entry point first. The callees of a function
	// must be added with it or before.
	Add(...*vcode.Func)
	// Spilled returns two shares of vector operands in memory in the entry point, and false if a
	// subgroup would need more than MaxStack: with the registers that every function can spare, and with
	// all that this one can spare.
	Spilled() (usual, best float32, ok bool)
	// Code returns the machine code of all functions. It returns false if a subgroup would need more
	// than MaxStack.
	Code() (*Code, bool)
}
