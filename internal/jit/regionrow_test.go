package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

const regionRows = `program "rows" compute
subgroup 16
local 64 1 1
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1

func "main"() L1 {
	vi = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vC = res 0:i32, #2
	vo = at 0:i32, vi, #4
	vw = at 0:i32, vi, #8
	va = ld.i64 vA, vw, #0
	vk = ld.i32 vB, vo, #0
	vc = eq.i32 vk, 0:i32
	if vc {
		vr = region va, #4
		vq = regionoff vr, va
		vx = ld.i32 vr, vq, #0
		vy = ld.i32 vr, vq, #4
		vz = mul.i32 vy, 3:i32
		vs = add.i32 vx, vz
		vt = add.i32 vs, 1:i32
		st.i32 vr, vq, vt, #0
		st.i32 vC, vo, vs, #0
	}
}
`

// onBoth compiles a program for the interpreter and for an engine. The end of the test closes both.
func onBoth(t *testing.T, engine exec.Engine, text string) (progs [2]exec.Program) {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range []exec.Engine{interp.Engine{}, engine} {
		prog, err := e.Compile(p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { prog.Close() })
		progs[i] = prog
	}
	return progs
}

// TestRegionRows accesses words at addresses that are mostly consecutive in one region, at its edges too, by lanes of
// which some are inactive. The interpreter yields the same bytes.
func TestRegionRows(t *testing.T) { eachLevel(t, testRegionRows) }

func testRegionRows(t *testing.T, engine jit.Engine) {
	progs := onBoth(t, engine, regionRows)
	const lanes = 64
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 600 {
		sizes := [3]int{4 * (1 + random.IntN(80)), 256, 3 + random.IntN(400)}
		addresses, skipped := make([]byte, 8*lanes), make([]byte, 4*lanes)
		at := func() uint64 {
			r := random.IntN(3)
			return uint64(r+1)<<33 + uint64(random.IntN(sizes[r]+40)) - 20
		}
		next, often := at(), random.IntN(3)
		for k := range lanes {
			switch {
			case random.IntN(40) == 0 || k%16 == 0 && random.IntN(2) == 0:
				next = at()
			case random.IntN(60) == 0:
				next = random.Uint64()
			}
			binary.LittleEndian.PutUint64(addresses[8*k:], next)
			next += 4
			if often > 0 && random.IntN(4*often) == 0 || often == 2 && k%16 == round%16 {
				skipped[4*k] = 1
			}
		}
		var got [2][]byte
		for i, prog := range progs {
			memory := make([]byte, 4096)
			for k := range memory {
				memory[k] = byte(k * 7)
			}
			var regions []exec.Region
			for r, size := range sizes {
				regions = append(regions, exec.Region{Address: uint64(r+1) << 33, Bytes: memory[1024*r+64 : 1024*r+64+size : 1024*r+64+size]})
			}
			out := memory[3072 : 3072+4*lanes]
			job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Regions: regions, Resources: [][]exec.Buffer{{{Bytes: addresses}}, {{Bytes: skipped}}, {{Bytes: out}}}}
			if err := prog.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
			got[i] = memory
		}
		if !bytes.Equal(got[0], got[1]) {
			t.Fatalf("round %d: the memory differs", round)
		}
	}
}
