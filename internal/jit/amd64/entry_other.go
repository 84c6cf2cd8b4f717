//go:build !linux || !amd64

package amd64

// has reports whether this machine runs code of a level.
func has(Level) bool { return false }

// Run runs machine code, which this machine cannot.
func Run(c *Context) Status { return Faulted }

// Fault returns what went wrong where Run gave Faulted.
func (c *Context) Fault() error { return errUnsupported }

// guardIsKnown reports whether code can be told that its processor is wanted.
func guardIsKnown() bool { return false }

// CatchFaults guards generated code, of which there is none.
func CatchFaults(lo, hi uintptr) error { return errUnsupported }

// Stacks are the native stacks of one worker, each above a guard page.
type Stacks struct{}

// NewStacks maps stacks for machine code, which this machine cannot run.
func NewStacks(n, size int) (*Stacks, error) { return nil, errUnsupported }

// Top returns where the i-th stack begins.
func (s *Stacks) Top(i int) uintptr { return 0 }

// Bytes returns the stack memory from the address at on.
func (s *Stacks) Bytes(at uintptr) []byte { return nil }

// Size returns how many bytes are mapped.
func (s *Stacks) Size() int { return 0 }

// Close unmaps the stacks.
func (s *Stacks) Close() error { return nil }
