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
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// endlessBarrier never ends: all invocations execute a barrier again and again.
const endlessBarrier = `program "barriers" compute
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

// endlessLane never ends for some lanes of the third subgroup, between barriers.
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

// unevenPhases never ends: all invocations execute a barrier again and again, after loops of their own that end in different iterations. The
// steps of both loops decide which lanes are active when the budget is exhausted.
const unevenPhases = `program "uneven" compute
subgroup 16
local 64 1 1
shared 256
in localindex i32 0

func "main"() L1 {
	vi = in.i32 #0
	vW = wg
	vo = at 0:i32, vi, #4
	va = and.i32 vi, 15:i32
	vb = shl.i32 va, 2:i32
	vn = add.i32 vb, vi
	loop L2 { @7
		block L3 {
			loop L4(vk i32 = 0:i32) { @9
				vc = ult.i32 vk, vn
				if vc {
					vj = add.i32 vk, 1:i32
					br L4(vj)
				}
				br L3
			}
		}
		st.i32 vW, vo, vi, #0
		barrier
		br L2
	}
}
`

// TestEndlessPhases: programs with one stream for all subgroups stop as others do, with the interpreter's
// message.
func TestEndlessPhases(t *testing.T) { eachLevel(t, testEndlessPhases) }

// TestEndlessLoopedPhases: so do those whose phases are loops over the subgroups, around loops of each subgroup.
func TestEndlessLoopedPhases(t *testing.T) {
	defer vectorize.LoopFrom(1)()
	eachLevel(t, testEndlessPhases)
}

func testEndlessPhases(t *testing.T, engine jit.Engine) {
	for name, text := range map[string]string{"barriers": endlessBarrier, "lonely": endlessLane, "uneven": unevenPhases} {
		for _, size := range []uint32{4, 8, 16, 32, 64, 128} {
			local := strings.Replace(text, "local 64", "local 50", 1) // the last subgroup is not full
			for _, text := range []string{text, local} {
				for _, steps := range []uint64{777, 1000, 1013, 1200} {
					job := exec.Job{Groups: [3]uint32{2, 1, 1}, Base: [3]uint32{3, 0, 0}, Budget: steps, Workers: 1}
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

// rounds executes 5 rounds of 90 steps, and counts the rounds that lane 0 completes. Round number vn does
// not end.
const rounds = `program "rounds" compute
subgroup 16
local 16 1 1
in localindex i32 0
push 4
res storage 0 0 count 1

func "main"() L1 {
	vi = in.i32 #0
	vp = push
	vn = ld.i32 vp, 0:i32, #0
	vB = res 0:i32, #0
	vl = eq.b1 vi, 0:i32
	loop L2(vr i32 = 0:i32) {
		resetbudget
		vo = at 0:i32, vr, #4
		ve = eq.b1 vr, vn
		block L3 {
			loop L4(vk i32 = 1:i32) { @9
				if vl {
					st.i32 vB, vo, vk, #0
				}
				vm = ult.i32 vk, 91:i32
				vg = or.b1 vm, ve
				if vg {
					vq = add.i32 vk, 1:i32
					br L4(vq)
				}
				br L3
			}
		}
		vs = add.i32 vr, 1:i32
		vt = ult.i32 vs, 5:i32
		if vt {
			br L2(vs)
		}
		br L1
	}
}
`

// TestResetBudget: each round has a budget of its own, and an endless one stops as early as the first would.
func TestResetBudget(t *testing.T) { eachLevel(t, testResetBudget) }

func testResetBudget(t *testing.T, engine jit.Engine) {
	for _, e := range []exec.Engine{interp.Engine{}, engine} {
		for _, size := range []uint32{4, 8, 16, 64} {
			for endless := range uint8(6) { // round 5 does not exist
				counts := make([]uint32, 6)
				got := run(e, rounds, size, exec.Job{Groups: [3]uint32{1, 1, 1}, Budget: 100, Push: []byte{endless, 0, 0, 0}, Resources: [][]exec.Buffer{buffer(counts)}})
				var budget *exec.BudgetError
				switch {
				case endless == 5 && got.err != nil:
					t.Errorf("%s, subgroups of %d: %v", e.Name(), size, got.err)
				case endless < 5 && (!errors.As(got.err, &budget) || budget.Steps != 100 || budget.Origin != 9):
					t.Errorf("%s, subgroups of %d, round %d does not end: %v", e.Name(), size, endless, got.err)
				}
				for r, n := range words(got.resources[0][0].Bytes) {
					want := uint32(0)
					switch {
					case r < int(endless) && r < 5:
						want = 91
					case r == int(endless) && r < 5:
						want = 101
					}
					if n != want {
						t.Errorf("%s, subgroups of %d, round %d does not end: round %d counts %d; want %d", e.Name(), size, endless, r, n, want)
					}
				}
			}
		}
	}
}

// complementary executes a loop of many iterations in each iteration of another, but only lanes of one subgroup of four at a time: no
// subgroup takes more than 40 + 10·100 steps.
const complementary = `program "complementary" compute
subgroup 16
local 64 1 1
in localindex i32 0
res storage 0 0 count 1

func "main"() L1 {
	vi = in.i32 #0
	vB = res 0:i32, #0
	vs = lshr.i32 vi, 4:i32
	block L5(vout i32) {
		loop L2(vr i32 = 0:i32, vsum i32 = 0:i32) {
			vq = and.i32 vr, 3:i32
			ve = eq.b1 vs, vq
			vn = select.i32 ve, 100:i32, 0:i32
			block L3(vt i32) {
				loop L4(vk i32 = 0:i32, vu i32 = vsum) {
					vc = ult.i32 vk, vn
					if vc {
						vj = add.i32 vk, 1:i32
						vw = add.i32 vu, vj
						br L4(vj, vw)
					}
					br L3(vu)
				}
			}
			vx = add.i32 vr, 1:i32
			vd = ult.i32 vx, 40:i32
			if vd {
				br L2(vx, vt)
			}
			br L5(vt)
		}
	}
	vo = at 0:i32, vi, #4
	st.i32 vB, vo, vout, #0
}
`

// TestSumOfSteps: the budget is that of a subgroup, also if several are one strip and take turns.
func TestSumOfSteps(t *testing.T) { eachLevel(t, testSumOfSteps) }

func testSumOfSteps(t *testing.T, engine jit.Engine) {
	for _, local := range []string{"local 64", "local 50", "local 128", "local 24", "local 40"} { // rows of 24 are strips of 24 or 12 lanes
		text := strings.Replace(complementary, "local 64", local, 1)
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Budget: 1040, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 128))}}
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatal(want.err)
		}
		same(t, want, run(engine, text, 0, job))
	}
}
