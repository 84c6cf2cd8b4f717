package jit_test

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// steady stores to one buffer and counts in another, and has workgroup memory.
const steady = `
program "steady" compute
subgroup 16
local 64 1 1
shared 64
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	v1 = in.i32 #0
	v2 = res 0:i32, #0
	v3 = res 0:i32, #1
	v4 = at 0:i32, v1, #4
	st.i32 v2, v4, v1, #0
	v5 = atomadd.i32 v3, 0:i32, 1:i32, #0 !unused
}
`

// TestSteadyRun: a run like one before it allocates nothing on either engine, whatever
// each worker keeps for itself.
func TestSteadyRun(t *testing.T) {
	t.Run("interp", func(t *testing.T) { steadily(t, compileWith(t, interp.Engine{}, steady)) })
	t.Run("jit", func(t *testing.T) { steadily(t, compile(t, steady)) })
}

func steadily(t *testing.T, prog exec.Program) {
	out, count := make([]byte, 4*64*100), make([]byte, 8)
	job := &exec.Job{Groups: [3]uint32{100, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: out}}, {{Bytes: count}}}}
	for _, workers := range []int{1, exec.MaxIdleWorkers()} {
		job.Workers = workers
		n := testing.AllocsPerRun(50, func() {
			if err := prog.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%d workers: %g allocations", workers, n)
		}
	}
	if want := uint32(2 * 51 * 6400); uint32(count[0])|uint32(count[1])<<8|uint32(count[2])<<16|uint32(count[3])<<24 != want {
		t.Errorf("% x counted; want %d", count, want)
	}
}
