package amber

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/diag"
)

// memory is the buffer contents of a running script.
type memory map[*Buffer][]byte

func newMemory(s *Script) memory {
	m := memory{}
	for _, b := range s.Buffers {
		m[b] = aligned(len(b.Data))
		copy(m[b], b.Data)
	}
	return m
}

// aligned returns n bytes that start at a multiple of 8, as engines need it.
func aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

// write stores the numbers of c and leaves the padding between them unchanged.
func (m memory) write(c *Write) {
	data := m[c.Buffer]
	for i, n := range c.Values {
		at, s := c.Shape.scalarOffset(0, i)
		Field{c.Offset + at, s}.store(data, n)
	}
}

// contents returns the bytes by name: copies, if a device has them.
func (r *runner) contents() map[string][]byte {
	all := map[string][]byte{}
	for _, b := range r.script.Buffers {
		if b.Whole {
			continue
		}
		all[b.Name] = r.memory[b]
		if r.machine != nil {
			all[b.Name] = slices.Clone(r.memory[b])
		}
	}
	return all
}

func (r *runner) unsupported(at diag.Pos, what string) error {
	return &Unsupported{r.script.File, at, what}
}

func (r *runner) fault(code string, at diag.Pos, form string, args ...any) error {
	return &Fault{r.script.File, diag.New(code, at, form, args...)}
}

// Failure reports that an expectation does not hold.
type Failure struct {
	File string
	Pos  diag.Pos // of the expectation
	What string   // the buffer, the position in it, the actual and the expected value
}

// Error returns "file:line:column: " and the mismatch.
func (f *Failure) Error() string { return fmt.Sprintf("%s:%s: %s", f.File, f.Pos, f.What) }

// check makes a failure of the mismatch that a check found; "" means none.
func (r *runner) check(at diag.Pos, found string) error {
	if found == "" {
		return nil
	}
	return &Failure{r.script.File, at, found}
}
