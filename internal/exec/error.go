package exec

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Place is where a subgroup stood when its run was ended.
type Place struct {
	Func   string // the function's name
	Loop   ir.V   // label of the loop in that function, or the call where the run ended there
	Origin int32  // number of the loop's SPIR-V instruction, from 1; 0 where unknown
	Group  [3]uint32
	Local  [3]uint32 // LocalInvocationId of the first active invocation
}

// String names the loop, the group and the invocation.
func (p *Place) String() string {
	where := fmt.Sprintf("value %d", p.Loop)
	if p.Origin > 0 {
		where = fmt.Sprintf("instruction %d", p.Origin)
	}
	return fmt.Sprintf("the loop at %s of %q, workgroup %d, invocation %d", where, p.Func, p.Group, p.Local)
}

// BudgetError says that a subgroup took more steps than the job's budget
// allows: most often there is a loop that does not end.
type BudgetError struct {
	Place
	Steps uint64 // the budget
}

// Error names the loop, the group and the invocation.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("budget of %d steps exhausted in %s", e.Steps, &e.Place)
}

// AbortError says that an invocation ended the run (OpAbortKHR). All others ran
// to their ends.
type AbortError struct {
	Group, Local [3]uint32 // WorkgroupId and LocalInvocationId of the first that did
	Types        []ir.Type // of the scalars of its message, in order
	Args         []uint64  // their bits
}

// Error names the invocation and shows its message: a row of integers of 8 bits
// as a string, up to its zero, all else as numbers.
func (e *AbortError) Error() string {
	s := fmt.Sprintf("aborted by workgroup %d, invocation %d", e.Group, e.Local)
	for i := 0; i < min(len(e.Args), len(e.Types)); {
		var text []byte
		for ; i < len(e.Args) && e.Types[i] == ir.I8; i++ {
			text = append(text, byte(e.Args[i]))
		}
		if text != nil {
			text, _, _ = bytes.Cut(text, []byte{0})
			s += fmt.Sprintf(" %q", text)
			continue
		}
		s += " " + shown(e.Types[i], e.Args[i])
		i++
	}
	return s
}

// shown returns a scalar as a person reads it.
func shown(t ir.Type, bits uint64) string {
	if t.IsFloat() {
		return strconv.FormatFloat(scalar.Float(t.Bits(), bits), 'g', -1, 64)
	}
	return strconv.FormatUint(bits, 10)
}

// InterruptError says where a loop was running when the context of the run was
// done.
type InterruptError struct {
	Place
	Err error // of the context
}

// Error returns the context's error and names the loop, the group and the
// invocation.
func (e *InterruptError) Error() string { return fmt.Sprintf("%v in %s", e.Err, &e.Place) }

// Unwrap returns the context's error.
func (e *InterruptError) Unwrap() error { return e.Err }

// JobError says that a job does not fit its program.
type JobError struct {
	What string // what is, and what must be
}

// Error returns "job: " and what is wrong.
func (e *JobError) Error() string { return "job: " + e.What }

// UnsupportedError says that an engine does not have something.
type UnsupportedError struct {
	Engine string
	What   string // names the thing, such as "operation out"
	Origin int32  // number of the SPIR-V instruction, from 1; 0 where there is none
}

// Error names engine, thing and instruction.
func (e *UnsupportedError) Error() string {
	if e.Origin > 0 {
		return fmt.Sprintf("%s: unsupported: %s (instruction %d)", e.Engine, e.What, e.Origin)
	}
	return fmt.Sprintf("%s: unsupported: %s", e.Engine, e.What)
}

// LimitError says that a program demands too much, or too little.
type LimitError struct {
	What        string
	Have        uint64
	Least, Most uint64 // Most is 0 where Have is too little
}

// Error returns what is and what must be.
func (e *LimitError) Error() string {
	if e.Most == 0 {
		return fmt.Sprintf("%s: %d; must be at least %d", e.What, e.Have, e.Least)
	}
	return fmt.Sprintf("%s: %d; must be at most %d", e.What, e.Have, e.Most)
}
