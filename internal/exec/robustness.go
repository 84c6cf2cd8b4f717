package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Robustness is the behaviour of accesses outside a buffer descriptor's range
// (VkPipelineRobustnessBufferBehavior). Each level permits all behaviours of the levels before it. At every
// level a program cannot access memory outside the buffer: loads there return 0, stores are discarded, and a
// null descriptor has no bytes.
type Robustness uint8

// The levels, the strictest first.
const (
	// Strict is exact: a load outside the descriptor's range returns 0, a store is discarded.
	Strict Robustness = iota

	// Robust2 is robustBufferAccess2: the range is rounded up to a multiple of StorageAlignment or
	// UniformAlignment, but at most to the end of the buffer.
	Robust2

	// Robust is robustBufferAccess: the bytes of the buffer after the range can be read and written.
	Robust

	// NotRobust requests no checks. It behaves as Robust: software can check at no visible cost, and
	// no program may access memory of the host.
	NotRobust
)

// Alignments of Robust2, in bytes.
const (
	StorageAlignment = 4  // robustStorageBufferAccessSizeAlignment
	UniformAlignment = 16 // robustUniformBufferAccessSizeAlignment
)

var robustnessNames = [...]string{"strict", "robust2", "robust", "disabled"}

// String returns the level's name, such as "robust2".
func (r Robustness) String() string { return robustnessNames[r] }

// RobustnessNames returns the names of all levels, the strictest first. The caller must not change the slice.
func RobustnessNames() []string { return robustnessNames[:] }

// ParseRobustness returns the level with the given name; ok is false if there is none.
func ParseRobustness(name string) (r Robustness, ok bool) {
	for i, n := range robustnessNames {
		if n == name {
			return Robustness(i), true
		}
	}
	return 0, false
}

// Restrict returns the descriptor b with only the bytes that a program may access at level r. b.Bytes must
// extend to the end of the buffer, that is b.Beyond counts all bytes after the range.
func (r Robustness) Restrict(b Buffer, kind ir.ResourceKind) Buffer {
	n := b.Range()
	end := n
	switch {
	case n < 0 || b.Beyond < 0: // Job.Check reports it
		return b
	case r >= Robust:
		return b
	case r == Robust2 && kind == ir.UniformBuffer:
		end = (n + UniformAlignment - 1) &^ (UniformAlignment - 1)
	case r == Robust2:
		end = (n + StorageAlignment - 1) &^ (StorageAlignment - 1)
	}
	end = min(end, len(b.Bytes))
	return Buffer{Bytes: b.Bytes[:end:end], Beyond: end - n}
}
