package exec_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// copiedText stores the sum of a word of the first resource, the push constant, and the lengths of the resources that are read.
const copiedText = `
program "copied" compute
subgroup 16
local LOCAL 1 1
push 4
in global.x i32 0
res storage 0 0 count 1 nonwritable
res uniform 0 1 count 2
res storage 0 2 count 1

func "main"() L1 {
	v1 = in.i32 #0
	vA = res 0:i32, #0
	vB = res 1:i32, #1
	vC = res 0:i32, #2
	vP = push
	v3 = ld.i32 vP, 0:i32, #0
	v4 = at 0:i32, v1, #4
	v5 = ld.i32 vA, v4, #0
	v6 = ld.i32 vB, 0:i32, #4
	v7 = len.i32 vA
	v8 = len.i32 vB
	v9 = add.i32 v3, v5
	v10 = add.i32 v9, v6
	v11 = mul.i32 v8, 65536:i32
	v12 = add.i32 v7, v11
	v13 = add.i32 v10, v12
	st.i32 vC, v4, v13, #0
}`

// TestSessionRebinds runs jobs in a session in which descriptors change, in their memory, ranges and number, with and without bytes
// that the written one shares: each run leaves the memory of a run on its own.
func TestSessionRebinds(t *testing.T) {
	engines := []exec.Engine{interp.Engine{}}
	if len(jit.Levels()) > 0 {
		engines = append(engines, jit.Engine{})
	}
	for _, e := range engines {
		for _, local := range []string{"4", "64"} {
			p, err := ir.Parse(strings.Replace(copiedText, "LOCAL", local, 1))
			if err != nil {
				t.Fatal(err)
			}
			p.StateEffects()
			program, err := e.Compile(p, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rebindRuns(t, e.Name()+", "+local, program)
			if err := program.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// rebindRuns makes the runs of TestSessionRebinds with a program.
func rebindRuns(t *testing.T, name string, program exec.Program) {
	const size = 4096
	r := rand.New(rand.NewPCG(11, 12))
	var s exec.Session
	defer s.End()
	var job exec.Job
	var stop atomic.Bool
	memory, before := make([]byte, 3*size), make([]byte, 3*size)
	// A window of a third of the memory, or of all of it.
	window := func(third int) exec.Buffer {
		at := third*size + 16*r.IntN(40)
		b := exec.Buffer{Bytes: memory[at:][:16*(1+r.IntN(60))], Owned: r.IntN(8) == 0}
		b.Beyond = r.IntN(5)
		return b
	}
	source, uniforms, target := window(0), []exec.Buffer{window(1), window(1)}, window(2)
	for n := range 600 {
		for i := range memory {
			memory[i] = byte(r.Uint32())
		}
		copy(before, memory)
		switch r.IntN(6) {
		case 0, 1:
			source = window(r.IntN(2))
		case 2, 3:
			uniforms = []exec.Buffer{uniforms[0], window(1)}[:2-r.IntN(9)/8]
			if len(uniforms) == 1 {
				uniforms = []exec.Buffer{window(0), {}}[:1+r.IntN(2)]
			}
		case 4:
			// A source can share bytes with the target. One worker runs the subgroups in order, so that the result is the same each time.
			target, source = window(2), window(0)
			if r.IntN(2) == 0 {
				source = window(2)
			}
		}
		if len(uniforms) < 2 && r.IntN(2) == 0 {
			uniforms = []exec.Buffer{window(1), window(1)}
		}
		job.Workers, job.Groups, job.Push = 1, [3]uint32{uint32(1 + r.IntN(40)), 1, 1}, binary.LittleEndian.AppendUint32(nil, r.Uint32())
		job.Resources = [][]exec.Buffer{{source}, uniforms, {target}}
		if err := s.Run(context.Background(), program, &job, &stop); err != nil {
			t.Fatal(err)
		}
		got := bytes.Clone(memory)
		copy(memory, before)
		alone := exec.Job{Workers: 1, Groups: job.Groups, Push: job.Push, Resources: job.Resources}
		if err := program.Run(context.Background(), &alone); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, memory) {
			t.Fatalf("%s, run %d: other memory than of a run on its own", name, n)
		}
	}
}
