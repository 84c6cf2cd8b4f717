package exec

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Position is the position of a subgroup when its run ended.
type Position struct {
	Func   string // name of the function
	Loop   ir.V   // label of the loop in the function, or the call if the run ended at a call
	Origin int32  // index of the loop's SPIR-V instruction, from 1; 0 if unknown
	Group  [3]uint32
	Local  [3]uint32 // LocalInvocationId of the first active invocation
}

// String returns the loop, the group and the invocation as text.
func (p *Position) String() string {
	location := fmt.Sprintf("value %d", p.Loop)
	if p.Origin > 0 {
		location = fmt.Sprintf("instruction %d", p.Origin)
	}
	return fmt.Sprintf("the loop at %s of %q, workgroup %d, invocation %d", location, p.Func, p.Group, p.Local)
}

// BudgetError reports that a subgroup took more steps than the job's budget. The usual cause is an endless
// loop.
type BudgetError struct {
	Position
	Steps uint64 // the budget
}

// Error returns the budget and the position.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("budget of %d steps exhausted in %s", e.Steps, &e.Position)
}

// AbortError reports that an invocation executed OpAbortKHR, or a trap of a kernel. All other invocations ran to completion.
type AbortError struct {
	Group, Local [3]uint32 // WorkgroupId and LocalInvocationId of the first invocation that aborted
	Types        []ir.Type // types of the scalars of its message, in order
	Args         []uint64  // bits of the scalars
	Text         string    // the cause of a trap; "" if it has none
	Line, Column uint32    // of the trap in its module, from 1; 0 if it has no place there
	At           []uint32  // byte offsets of the scalars in the message; nil if it has no layout
}

// Message returns the bytes of the message as its declared type lays them out, with zeros between the scalars (Vulkan,
// VkDeviceFaultShaderAbortMessageInfoKHR). It has no bytes if the message has no layout. A scalar that ends after MaxAbortMessage bytes is
// left out. Example with At 0 and 8:
//
//	Args   7            9
//	bytes  7 0 0 0 · · · · 9 0 0 0
func (e *AbortError) Message() []byte {
	var out []byte
	for i, at := range e.At {
		if i >= len(e.Args) || i >= len(e.Types) {
			break
		}
		end := uint64(at) + uint64(e.Types[i].Bits()+7)/8
		if end > MaxAbortMessage { // a module may declare any offset
			continue
		}
		for uint64(len(out)) < end {
			out = append(out, 0)
		}
		for k := uint64(at); k < end; k++ {
			out[k] = byte(e.Args[i] >> (8 * (k - uint64(at))))
		}
	}
	return out
}

// MaxAbortMessage bounds the bytes of the message of OpAbortKHR (maxShaderAbortMessageSize).
const MaxAbortMessage = 1 << 16

// Error returns the invocation and its message. A run of 8-bit integers is printed as a string, up to its
// first zero byte; all other scalars are printed as numbers.
func (e *AbortError) Error() string {
	s := fmt.Sprintf("aborted by workgroup %d, invocation %d", e.Group, e.Local)
	if e.Line > 0 {
		s += fmt.Sprintf(": %d:%d", e.Line, e.Column)
	}
	if e.Text != "" {
		s += ": " + e.Text
	}
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
		s += " " + formatScalar(e.Types[i], e.Args[i])
		i++
	}
	return s
}

// formatScalar returns a scalar of type t as decimal text.
func formatScalar(t ir.Type, bits uint64) string {
	if t.IsFloat() {
		return strconv.FormatFloat(scalar.Float(t.Bits(), bits), 'g', -1, 64)
	}
	return strconv.FormatUint(bits, 10)
}

// InterruptError reports the loop that was running when the run's context was done.
type InterruptError struct {
	Position
	Err error // the context's error
}

// Error returns the context's error and the position.
func (e *InterruptError) Error() string { return fmt.Sprintf("%v in %s", e.Err, &e.Position) }

// Unwrap returns the context's error.
func (e *InterruptError) Unwrap() error { return e.Err }

// JobError reports that a job does not fit its program.
type JobError struct {
	Problem string // in the form "X is …; must be …"
}

// Error returns "job: " and the problem.
func (e *JobError) Error() string { return "job: " + e.Problem }

// UnsupportedError reports a feature that an engine does not implement.
type UnsupportedError struct {
	Engine  string
	Feature string // noun phrase, such as "operation out"
	Origin  int32  // index of the SPIR-V instruction, from 1; 0 if there is none
}

// Error returns the engine, the feature and the instruction.
func (e *UnsupportedError) Error() string {
	if e.Origin > 0 {
		return fmt.Sprintf("%s: unsupported: %s (instruction %d)", e.Engine, e.Feature, e.Origin)
	}
	return fmt.Sprintf("%s: unsupported: %s", e.Engine, e.Feature)
}

// LimitError reports a quantity of a program or a job that is too large or too small.
type LimitError struct {
	Quantity string
	Value    uint64
	Min, Max uint64 // the permitted range; Max is 0 if Value is too small
}

// Error returns the value and its permitted range.
func (e *LimitError) Error() string {
	if e.Max == 0 {
		return fmt.Sprintf("%s: %d; must be at least %d", e.Quantity, e.Value, e.Min)
	}
	return fmt.Sprintf("%s: %d; must be at most %d", e.Quantity, e.Value, e.Max)
}
