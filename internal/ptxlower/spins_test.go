package ptxlower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// spinRows are kernels that clang 14 compiled from CUDA C for sm_70: functions that are not inlined, or are called through pointers, wait for other
// threads of the warp. want is the word that thread i must write.
var spinRows = []struct {
	kernel        string
	blocks, block int
	want          func(i int) int
}{
	{"k0", 2, 128, func(int) int { return 2 }},                                             // a lock around a counter
	{"k1", 2, 128, func(i int) int { return i }},                                           // the lock by a table of functions
	{"k2", 2, 64, func(int) int { return 7 }},                                              // a lock by tickets
	{"k3", 3, 64, func(i int) int { return sumTo(i, func(j int) int { return j%5 + 1 }) }}, // each thread waits for the one before it
	{"k4", 6, 64, func(i int) int { return sumTo(i+1, func(j int) int { return j % 7 }) }}, // a scan with look-back at the blocks before
	{"k5", 2, 96, func(i int) int { return i & 1 * (40*(i-1) + 6) }},                       // producers and consumers through pointers
	{"k6", 2, 128, func(i int) int { // a lock and a barrier after an early return
		if i%128 >= 100 {
			return -1
		}
		return 100
	}},
	{"k7", 2, 128, func(int) int { return 256256 }},          // a function with a counter in .shared and barriers
	{"k8", 1, 128, func(i int) int { return (i + 6) % 128 }}, // a barrier by atomics
}

// sumTo returns the sum of the first n values of a function.
func sumTo(n int, f func(int) int) (sum int) {
	for j := range n {
		sum += f(j)
	}
	return sum
}

// TestCompiledSpins runs the kernels, with functions in place of their calls and with their bodies once.
func TestCompiledSpins(t *testing.T) {
	for _, file := range []string{"spins/O0.ptx", "spins/O1.ptx", "spins/O2.ptx"} {
		m := parse(t, readPTX(t, file))
		for _, row := range spinRows {
			for _, e := range everyEngine()[1:] {
				for _, inlined := range []int{0, 1} {
					out := make([]byte, 4*row.blocks*row.block)
					l := launch{kernel: mangled(m, row.kernel), grid: [3]uint32{uint32(row.blocks), 1, 1}, block: [3]uint32{uint32(row.block), 1, 1}, args: []any{out, make([]byte, 8192)}, inlined: inlined}
					if err := l.run(m, e.engine, e.optimize); err != nil {
						t.Errorf("%s of %s on the %s: %v", row.kernel, file, e.name, err)
						continue
					}
					for i := range row.blocks * row.block {
						if got, want := int(int32(word(out[4*i:]))), row.want(i); got != want {
							t.Errorf("%s of %s on the %s: thread %d wrote %d; must be %d", row.kernel, file, e.name, i, got, want)
							break
						}
					}
				}
			}
		}
	}
}

// mangled returns the name of a kernel with two parameters that are pointers.
func mangled(m *ptx.Module, name string) string {
	for _, f := range m.Entries() {
		if strings.HasPrefix(f.Name, fmt.Sprintf("_Z%d%s", len(name), name)) {
			return f.Name
		}
	}
	return name
}
