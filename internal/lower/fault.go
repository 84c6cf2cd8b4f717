package lower

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Unsupported says that an instruction has no meaning in Chiaro yet.
type Unsupported struct {
	Op          spirv.Op
	Instruction int    // its number in the module, from 1
	What        string // what of it, empty for all of it
}

// Error names the instruction: "OpFoo is not lowered yet (instruction 12)".
func (e *Unsupported) Error() string {
	name := e.Op.String()
	if e.What != "" {
		name += " (" + e.What + ")"
	}
	return fmt.Sprintf("%s is not lowered yet (instruction %d)", name, e.Instruction)
}

// Malformed says that a module makes no sense: the module was assumed to be
// valid and is not.
type Malformed struct {
	Op          spirv.Op
	Instruction int // the number of the instruction in the module, from 1; 0 where the fault is in none
	Message     string
}

// Error returns the place and the message.
func (e *Malformed) Error() string {
	if e.Instruction == 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (%s, instruction %d)", e.Message, e.Op, e.Instruction)
}

// fault is an error on its way to Stage.
type fault struct{ err error }

// catch turns a fault into the error that it carries. Any other panic is ours
// and goes on.
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

// unsupported ends lowering: the current instruction, or what of it is named,
// is not lowered yet.
func (u *unit) unsupported(format string, args ...any) {
	panic(fault{&Unsupported{u.op(), u.at + 1, fmt.Sprintf(format, args...)}})
}

// malformed ends lowering: the current instruction makes no sense.
func (u *unit) malformed(format string, args ...any) {
	panic(fault{&Malformed{u.op(), u.at + 1, fmt.Sprintf(format, args...)}})
}
