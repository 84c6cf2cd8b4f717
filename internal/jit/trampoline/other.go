//go:build !((linux && (amd64 || arm64)) || (windows && amd64))

package trampoline

import (
	"errors"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// errUnsupported is the error of a host that cannot run machine code.
var errUnsupported = errors.New("jit: no machine code on this host")

// Supported reports whether this host can run machine code.
const Supported = false

// Run returns Faulted: this platform cannot run machine code.
func Run(c *Context) target.Status { return target.Faulted }

// Fault returns the error after Run has returned Faulted.
func (c *Context) Fault() error { return errUnsupported }

// GuardIsKnown returns false: there is no preemption to poll for.
func GuardIsKnown() bool { return false }

// CatchFaults returns an error, since there is no generated code.
func CatchFaults(lo, hi uintptr) error { return errUnsupported }

// Stacks are the stacks of one worker for machine code.
type Stacks struct{}

// NewStacks returns an error: this platform cannot run machine code.
func NewStacks(n, size int) (*Stacks, error) { return nil, errUnsupported }

// Top returns the initial stack pointer of the i-th stack.
func (s *Stacks) Top(i int) uintptr { return 0 }

// Bytes returns the stack memory from address at on.
func (s *Stacks) Bytes(at uintptr) []byte { return nil }

// Size returns the number of mapped bytes.
func (s *Stacks) Size() int { return 0 }

// Close unmaps the stacks.
func (s *Stacks) Close() error { return nil }
