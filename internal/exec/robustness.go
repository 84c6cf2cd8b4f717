package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Robustness says how far a program reaches through the descriptor of a buffer
// (VkPipelineRobustnessBufferBehavior). Each level allows what those before it
// allow; whatever it is, nothing outside of the buffer is reached, what is read
// there is 0, and a null descriptor has no bytes.
type Robustness uint8

// The levels, the strictest first.
const (
	// Strict is exact: what lies outside of the descriptor's range reads 0, and
	// a write to it does nothing.
	Strict Robustness = iota

	// Robust2 is robustBufferAccess2: the range is rounded up to a multiple of
	// StorageAlignment or UniformAlignment, as far as the buffer goes.
	Robust2

	// Robust is robustBufferAccess: behind the range are the other bytes of the
	// buffer, to be read and written.
	Robust

	// NotRobust asks for no checks. It reaches what Robust does: no program gets
	// at memory that it was not given.
	NotRobust
)

// The alignments of Robust2, in bytes.
const (
	StorageAlignment = 4  // robustStorageBufferAccessSizeAlignment
	UniformAlignment = 16 // robustUniformBufferAccessSizeAlignment
)

var robustnessNames = [...]string{"strict", "robust2", "robust", "disabled"}

// String returns the name, such as "robust2".
func (r Robustness) String() string { return robustnessNames[r] }

// Robustnesses returns the names of all levels, the strictest first.
func Robustnesses() []string { return robustnessNames[:] }

// RobustnessOf returns the level of a name.
func RobustnessOf(name string) (r Robustness, ok bool) {
	for i, n := range robustnessNames {
		if n == name {
			return Robustness(i), true
		}
	}
	return 0, false
}

// Reach returns the descriptor with the bytes that a program reaches through it,
// where b has all of the buffer from the first byte of the range on.
func (r Robustness) Reach(b Buffer, kind ir.ResourceKind) Buffer {
	n := b.Range()
	to := n
	switch {
	case n < 0 || b.Beyond < 0: // Job.Check refuses it
		return b
	case r >= Robust:
		return b
	case r == Robust2 && kind == ir.UniformBuffer:
		to = (n + UniformAlignment - 1) &^ (UniformAlignment - 1)
	case r == Robust2:
		to = (n + StorageAlignment - 1) &^ (StorageAlignment - 1)
	}
	to = min(to, len(b.Bytes))
	return Buffer{Bytes: b.Bytes[:to:to], Beyond: to - n}
}
