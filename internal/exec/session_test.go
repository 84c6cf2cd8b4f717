package exec_test

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// pushedText stores the push constant plus the number of groups for each invocation of each group.
const pushedText = `
program "pushed" compute
subgroup 16
local 4 1 1
push 4
in global.x i32 0
in numworkgroups.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	vA = res 0:i32, #0
	vP = push
	v3 = ld.i32 vP, 0:i32, #0
	v4 = add.i32 v3, v2
	v5 = at 0:i32, v1, #4
	st.i32 vA, v5, v4, #0
}`

// TestSession runs jobs in a session in which groups, push constants, buffers and programs change: each run has its own.
func TestSession(t *testing.T) {
	engines := []exec.Engine{interp.Engine{}}
	if len(jit.Levels()) > 0 {
		engines = append(engines, jit.Engine{})
	}
	for _, e := range engines {
		var programs [2]exec.Program
		for i := range programs {
			p, err := ir.Parse(pushedText)
			if err != nil {
				t.Fatal(err)
			}
			p.StateEffects()
			if programs[i], err = e.Compile(p, exec.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		var s exec.Session
		var job exec.Job
		var stop atomic.Bool
		memory := [2][]byte{make([]byte, 16*8), make([]byte, 16*8)}
		for n := range 60 {
			groups, bytes := uint32(n%5), memory[n/8%2][:16*(4+n/16%4)]
			clear(memory[n/8%2])
			push := binary.LittleEndian.AppendUint32(nil, uint32(1000*n))
			job.Groups, job.Push, job.Resources = [3]uint32{groups, 1, 1}, push, [][]exec.Buffer{{{Bytes: bytes}}}
			if err := s.Run(context.Background(), programs[n/20%2], &job, &stop); err != nil {
				t.Fatal(err)
			}
			for i := range 4 * 8 {
				want := uint32(0)
				if i < 4*int(groups) {
					want = uint32(1000*n) + groups
				}
				if got := binary.LittleEndian.Uint32(memory[n/8%2][4*i:]); got != want {
					t.Fatalf("%s, run %d: word %d is %d; want %d", e.Name(), n, i, got, want)
				}
			}
		}
		s.End()
		for _, p := range programs {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// counted counts the jobs that it prepares. They may run again.
type counted struct {
	goProgram
	jobs int
}

func (c *counted) Prepare(job *exec.Job) (exec.Prepared, error) {
	c.jobs++
	return c, job.Check(&c.ir)
}

func (c *counted) Reusable() bool { return true }

func (c *counted) Reuse() {}

// TestSessionOwned runs a job again, and again with a buffer that it owns: the latter is another job.
func TestSessionOwned(t *testing.T) {
	p, err := ir.Parse(pushedText)
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{goProgram: goProgram{ir: *p, enter: func() (func(exec.Batch) error, func()) {
		return func(exec.Batch) error { return nil }, nil
	}}}
	var s exec.Session
	var stop atomic.Bool
	memory := make([]byte, 64)
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Push: make([]byte, 4)}
	for n, want := range []int{1, 1, 2, 2, 3} {
		job.Resources = [][]exec.Buffer{{{Bytes: memory, Owned: n == 2 || n == 3}}}
		if err := s.Run(context.Background(), c, &job, &stop); err != nil {
			t.Fatal(err)
		}
		if c.jobs != want {
			t.Errorf("%d jobs are prepared after %d runs; want %d", c.jobs, n+1, want)
		}
	}
	s.End()
}
