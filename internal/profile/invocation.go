package profile

import (
	"fmt"
	"io"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// Dispatches has the counts of the invocations of the dispatches of a compute shader, and of its accesses of buffers. They are of a run
// on the interpreter, whose program is optimized: a value that is loaded twice may have one load.
type Dispatches struct {
	Entry       string       `json:"entryPoint"`
	Number      int          `json:"dispatches"`
	Invocations uint64       `json:"invocations"`
	Total       uint64       `json:"instructions"` // of all invocations
	Least       uint64       `json:"least"`        // of an invocation
	Most        uint64       `json:"most"`
	Longest     []Invocation `json:"longest"`
	Buffers     []Buffer     `json:"buffers"`
}

// Invocation has the instructions of an invocation.
type Invocation struct {
	Dispatch     int       `json:"dispatch"` // of the shader, from 0
	Workgroup    [3]uint32 `json:"workgroup"`
	Local        [3]uint32 `json:"invocation"`
	Instructions uint64    `json:"instructions"`
}

// Buffer has the accesses of a buffer, or of the memory of workgroups. Executions count invocations.
type Buffer struct {
	Name      string `json:"name"` // its set and binding, or "workgroup memory"
	Loads     uint64 `json:"loads"`
	Stores    uint64 `json:"stores"`
	Atomics   uint64 `json:"atomics"`
	Read      uint64 `json:"differentBytesRead"`
	Written   uint64 `json:"differentBytesWritten"`
	Lines     uint64 `json:"cacheLines"`        // different ones, of 64 bytes from the start of the buffer
	Transfers uint64 `json:"cacheLineAccesses"` // the lines of each execution by a subgroup
	Contended uint64 `json:"contendedWords"`    // that atomics of several invocations of a dispatch accessed
	Serial    uint64 `json:"serialAtomics"`     // that another lane of the subgroup preceded at the same word
}

// Mean returns the instructions of an invocation on average.
func (d *Dispatches) Mean() string {
	if d.Invocations == 0 {
		return "0"
	}
	return strconv.FormatFloat(float64(d.Total)/float64(d.Invocations), 'f', 1, 64)
}

// Summary describes the counts of the invocations.
func (d *Dispatches) Summary() string {
	return fmt.Sprintf("%s: dispatches: %d, invocations: %d, instructions of an invocation: %d to %d, %s on average", d.Entry, d.Number, d.Invocations, d.Least, d.Most, d.Mean())
}

// text writes the tables of a shader.
func (d *Dispatches) text(w io.Writer) error {
	if _, err := plain.Fprintf(w, "%s\n", d.Summary()); err != nil {
		return err
	}
	const invocation = "%12s %9s %-16s %s\n"
	if _, err := plain.Fprintf(w, invocation, "instructions", "dispatch", "workgroup", "invocation"); err != nil {
		return err
	}
	for _, x := range d.Longest {
		if _, err := plain.Fprintf(w, invocation, number(x.Instructions), strconv.Itoa(x.Dispatch), fmt.Sprint(x.Workgroup), fmt.Sprint(x.Local)); err != nil {
			return err
		}
	}
	const row = "%10s %10s %10s %12s %12s %8s %9s %10s %8s  %s\n"
	if _, err := plain.Fprintf(w, row, "loads", "stores", "atomics", "bytes read", "written", "lines", "accesses", "contended", "serial", "buffer"); err != nil {
		return err
	}
	for _, b := range d.Buffers {
		if _, err := plain.Fprintf(w, row, number(b.Loads), number(b.Stores), number(b.Atomics), number(b.Read), number(b.Written), number(b.Lines), number(b.Transfers),
			number(b.Contended), number(b.Serial), b.Name); err != nil {
			return err
		}
	}
	return nil
}
