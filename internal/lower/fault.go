package lower

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Unsupported reports an instruction that has no lowering yet.
type Unsupported struct {
	Op          spirv.Op
	Instruction int    // its index in the module, from 1
	What        string // the unsupported part; empty if it is the whole instruction
	Limit       bool   // the shader exceeds a limit of Chiaro, which What names; limits bound time and memory
}

// Error names the instruction: "OpFoo is not lowered yet (instruction 12)".
func (e *Unsupported) Error() string {
	if e.Limit {
		return fmt.Sprintf("%s: the shader exceeds a limit of Chiaro: %s (instruction %d)", e.Op, e.What, e.Instruction)
	}
	name := e.Op.String()
	if e.What != "" {
		name += " (" + e.What + ")"
	}
	return fmt.Sprintf("%s is not lowered yet (instruction %d)", name, e.Instruction)
}

// Malformed reports a contradictory module: it was assumed valid and is not.
type Malformed struct {
	Op          spirv.Op
	Instruction int // index of the instruction in the module, from 1; 0 if the fault is in none
	Message     string
}

// Error returns the message with the instruction.
func (e *Malformed) Error() string {
	if e.Instruction == 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (%s, instruction %d)", e.Message, e.Op, e.Instruction)
}

// fault is the panic value that carries an error to Stage.
type fault struct{ err error }

// catch stores the error of a fault. Any other panic is a bug of this package and
// continues.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case fault:
		*err = r.err
	default:
		panic(r)
	}
}

// op returns the opcode of the instruction that is being lowered.
func (u *unit) op() spirv.Op {
	if u.at < 0 {
		return spirv.OpNop
	}
	return u.facts.Code.Inst(u.at).Op()
}

// unsupported ends lowering with an *Unsupported for the current instruction; the
// format names the unsupported part.
func (u *unit) unsupported(format string, args ...any) {
	panic(fault{&Unsupported{Op: u.op(), Instruction: u.at + 1, What: fmt.Sprintf(format, args...)}})
}

// tooLarge ends lowering with an *Unsupported for a shader that exceeds the limit of the format.
func (u *unit) tooLarge(format string, args ...any) {
	panic(fault{&Unsupported{u.op(), u.at + 1, fmt.Sprintf(format, args...), true}})
}

// malformed ends lowering with a *Malformed for the current instruction.
func (u *unit) malformed(format string, args ...any) {
	panic(fault{&Malformed{u.op(), u.at + 1, fmt.Sprintf(format, args...)}})
}
