package jit_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// Workers release their group states for the next run, which finds nothing in them, and no more states
// are idle than workers ran; closing the program frees them.
func TestIdleStates(t *testing.T) { eachLevel(t, testIdleStates) }

func testIdleStates(t *testing.T, engine jit.Engine) {
	for _, k := range kernels() {
		prog := compileWith(t, engine, read(t, k.name+".ir"))
		idle := jit.IdleStates(prog)
		for run := range 3 {
			job := k.job
			job.Workers = 2
			job.Resources = slices.Clone(k.job.Resources)
			for r, list := range job.Resources {
				job.Resources[r] = []exec.Buffer{{Bytes: bytes.Clone(list[0].Bytes)}}
			}
			if err := prog.Run(context.Background(), &job); err != nil {
				t.Fatal(err)
			}
			check(t, job.Resources[k.resource][0].Bytes, k.want)
			if n := idle(); n < 1 || n > 2 {
				t.Errorf("%s: %d idle states are kept after run %d; must be 1 or 2", k.name, n, run)
			}
		}
		if err := prog.Close(); err != nil {
			t.Error(err)
		}
		if n := idle(); n != 0 {
			t.Errorf("%s: %d idle states are kept by a closed program", k.name, n)
		}
	}
}

// The idle states of all programs together are bounded: their stacks are mappings, and a process has
// few.
func TestIdleStatesOfManyPrograms(t *testing.T) {
	before := jit.IdleStateBytes()
	text := "program \"many\" compute\nsubgroup 16\nlocal 512 1 1\nshared 2048\nin local.x i32 0\nres storage 0 0 count 1\neffects writes barrier\n\nfunc \"main\"() L1 {\n" +
		"\tvA = res 0:i32, #0\n\tvs = wg\n\tvx = in.i32 #0\n\tvo = at 0:i32, vx, #4\n\tst.i32 vs, vo, vx, #0\n\tbarrier\n\tvm = xor.i32 vx, 511:i32\n\tvp = at 0:i32, vm, #4\n" +
		"\tvy = ld.i32 vs, vp, #0\n" + strings.Repeat("\tst.i32 vA, vo, vy, #0\n", 250) + "}\n" // too long for one stream of all subgroups
	want := make([]uint32, 512)
	for i := range want {
		want[i] = 511 - uint32(i)
	}
	var programs []exec.Program
	kept, refused := 0, 0
	for range 220 {
		prog := compileWith(t, jit.Engine{}, text)
		programs = append(programs, prog)
		job := &exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 512))}}
		if err := prog.Run(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		check(t, job.Resources[0][0].Bytes, want)
		if n := jit.IdleStates(prog)(); n > 0 {
			kept++
		} else {
			refused++
		}
	}
	if n := jit.IdleStateBytes(); n > jit.MaxIdleStateBytes || kept == 0 || refused == 0 {
		t.Errorf("%d programs keep idle states and %d do not, of %d bytes; must be at most %d", kept, refused, n, jit.MaxIdleStateBytes)
	}
	for _, prog := range programs {
		if err := prog.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := jit.IdleStateBytes(); n != before {
		t.Errorf("%d bytes of idle states are kept when all are closed; were %d before", n, before)
	}
}

// dirt writes to the memory of each lane and of the workgroup and loops forever if its first constant
// is set. Else it outputs both memories. MEET may be replaced by an operation that separates
// subgroups.
const dirt = `program "dirt" compute
subgroup 16
local 50 1 1
push 4
shared 256
in localindex i32 0
in global.x i32 0
res storage 0 0 count 1
var "a" 8 -1
effects writes barrier

func "main"() L1 {
	vi = in.i32 #0
	vx = in.i32 #1
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vA = res 0:i32, #0
	vW = wg
	vw = at 0:i32, vi, #4
	vo = at 0:i32, vx, #12
	vs = and.i32 vi, 7:i32
	MEET
	vc = ult.i32 0:i32, vn
	if vc {
		st.i32 vW, vw, 0x55555555:i32, #0
		pst.i32 vs, 0x77777777:i32, #0
		pst.i32 0:i32, 0x77777777:i32, #0
		barrier
		vd = ult.i32 40:i32, vi
		if vd {
			loop L2 { @7
				st.i32 vW, vw, vi, #0
				br L2
			}
		}
		barrier
	}
	va = pld.i32 vs, #0
	vb = ld.i32 vW, vw, #0
	st.i32 vA, vo, va, #0
	st.i32 vA, vo, vb, #4
	barrier
	pst.i32 vs, vx, #0
	st.i32 vW, vw, vx, #0
	barrier
	ve = xor.i32 vw, 4:i32
	vf = ld.i32 vW, ve, #0
	st.i32 vA, vo, vf, #8
}
`

// A run that was stopped between two barriers leaves nothing for the next one.
func TestIdleStatesAfterStop(t *testing.T) { eachLevel(t, testIdleStatesAfterStop) }

func testIdleStatesAfterStop(t *testing.T, engine jit.Engine) {
	for _, meet := range []string{"", "vq = shuf.i32 vi, 0:i32", strings.Repeat("st.i32 vA, vo, vx, #0\n", 2000)} {
		for _, size := range []uint32{4, 8, 16, 32, 64, 128} {
			text := strings.Replace(dirt, "MEET", meet, 1)
			p, err := ir.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			p.SubgroupSize = size
			p.StateEffects()
			var shown [2][]byte
			for i, e := range []exec.Engine{interp.Engine{}, engine} {
				prog, err := e.Compile(p, exec.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, workers := range []int{1, 2} {
					job := exec.Job{Groups: [3]uint32{4, 1, 1}, Workers: workers, Push: []byte{1, 0, 0, 0}, Budget: 5000, Resources: [][]exec.Buffer{buffer(make([]uint32, 1000))}}
					var budget *exec.BudgetError
					if err := prog.Run(t.Context(), &job); !errors.As(err, &budget) {
						t.Fatalf("error %v", err)
					}
					job.Push = make([]byte, 4)
					job.Resources = [][]exec.Buffer{buffer(make([]uint32, 1000))}
					if err := prog.Run(t.Context(), &job); err != nil {
						t.Fatal(err)
					}
					shown[i] = job.Resources[0][0].Bytes
				}
				prog.Close()
			}
			if !bytes.Equal(shown[0], shown[1]) {
				t.Errorf("subgroups of %d, %.20q: the second run finds %v", size, meet, shown[1])
			}
		}
	}
}
