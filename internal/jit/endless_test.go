package jit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// endlessMeeting never ends: all meet again and again.
const endlessMeeting = `program "meeting" compute
subgroup 16
local 64 1 1
shared 256
in localindex i32 0

func "main"() L1 {
	vi = in.i32 #0
	vW = wg
	vo = at 0:i32, vi, #4
	loop L2 { @7
		st.i32 vW, vo, vi, #0
		barrier
		br L2
	}
}
`

// endlessLane never ends for some of the third subgroup, between barriers.
const endlessLane = `program "lonely" compute
subgroup 16
local 64 1 1
shared 256
in localindex i32 0

func "main"() L1 {
	vi = in.i32 #0
	vW = wg
	vo = at 0:i32, vi, #4
	barrier
	vc = ult.i32 vi, 37:i32
	vd = ult.i32 30:i32, vi
	ve = and.b1 vc, vd
	if ve {
		loop L2 { @9
			st.i32 vW, vo, vi, #0
			br L2
		}
	}
	barrier
}
`

// TestEndlessPhases: programs that are one stream for all subgroups stop as
// others do, and say where in the interpreter's words.
func TestEndlessPhases(t *testing.T) { eachLevel(t, testEndlessPhases) }

func testEndlessPhases(t *testing.T, engine jit.Engine) {
	for name, text := range map[string]string{"meeting": endlessMeeting, "lonely": endlessLane} {
		for _, size := range []uint32{4, 8, 16, 32, 64, 128} {
			local := strings.Replace(text, "local 64", "local 50", 1) // the last subgroup is not whole
			for _, text := range []string{text, local} {
				job := exec.Job{Groups: [3]uint32{2, 1, 1}, Base: [3]uint32{3, 0, 0}, Budget: 777, Workers: 1}
				want := run(interp.Engine{}, text, size, job)
				var budget *exec.BudgetError
				if !errors.As(want.err, &budget) {
					t.Fatal(want.err)
				}
				got := run(engine, text, size, job)
				if got.err == nil || got.err.Error() != want.err.Error() {
					t.Errorf("%s, subgroups of %d: error %v; want %v", name, size, got.err, want.err)
				}
			}
		}
		prog := compileWith(t, engine, text)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		begin := time.Now()
		err := prog.Run(ctx, &exec.Job{Groups: [3]uint32{2, 1, 1}, Budget: 1 << 40})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v", name, err)
		}
		if d := time.Since(begin); d > 10*time.Second {
			t.Errorf("%s: it took %v to stop", name, d)
		}
	}
}
