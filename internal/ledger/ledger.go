// Package ledger reports the state of each instruction: typed, lowered, and run by which
// engine. It derives the state from the tables in use and has no table of its own; it does
// not know the meaning of instructions.
package ledger

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// Entry is the state of one instruction. Both engines run every operation of the IR that
// shaders are lowered to, so an instruction that is lowered runs on both.
type Entry struct {
	Op      spirv.Op
	Typed   string // file and line of the row or form in the typing tables; "" if it has none
	Lowered string // file and line of its lowering; "" if it has none yet
}

// Of returns the entry of an instruction.
func Of(op spirv.Op) Entry {
	e := Entry{Op: op, Typed: typing.Position(op)}
	if _, ok := direct.Lookup(op); ok {
		e.Lowered = tablePosition("internal/direct/table.go", direct.Source(), op)
	}
	if p := lower.Position(op); p != "" { // a rule goes before the row
		e.Lowered = p
	}
	return e
}

// tablePosition returns the file and the line of the row of op in the text of a table.
func tablePosition(file, source string, op spirv.Op) string {
	before, _, _ := strings.Cut(source, "\tspirv."+op.String()+":")
	return fmt.Sprintf("%s:%d", file, strings.Count(before, "\n")+1)
}

// String returns the entry's line in docs/ledger.txt.
func (e Entry) String() string {
	s := e.Op.String()
	if e.Typed != "" {
		s += " typed"
	}
	if e.Lowered != "" {
		s += " lowered interp jit"
	}
	return s
}

// Text returns docs/ledger.txt: a line for each instruction, in order of opcodes,
// and first the counts.
func Text() string {
	var lines []string
	typed, lowered := 0, 0
	rows := spirv.Ops()
	for i := range rows {
		e := Of(spirv.Op(rows[i].Value()))
		if e.Typed != "" {
			typed++
		}
		if e.Lowered != "" {
			lowered++
		}
		lines = append(lines, e.String())
	}
	head := fmt.Sprintf("# %d instructions, %d typed, %d lowered. Written by go test ./internal/ledger -update.\n", len(rows), typed, lowered)
	return head + strings.Join(lines, "\n") + "\n"
}
