package jit_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// overlapping are programs with subgroups that access the same bytes, always or if two buffers overlap:
// loads are 16 words after stores.
var overlapping = []string{
	`program "copy" compute
subgroup 16
local 64 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vx, #4
	va = ld.i32 vA, vo, #0
	vb = add.i32 va, 1:i32
	st.i32 vB, vo, vb, #0
}
`, `program "chain" compute
subgroup 16
local 64 1 1
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vo = at 0:i32, vx, #4
	va = ld.i32 vA, vo, #0
	vb = add.i32 va, 1:i32
	st.i32 vA, vo, vb, #64
}
`, `program "two" compute
subgroup 16
local 64 1 1
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vo = at 0:i32, vx, #4
	st.i32 vA, vo, vx, #64
	vy = add.i32 vx, 1000:i32
	st.i32 vA, vo, vy, #0
}
`, `program "loop" compute
subgroup 16
local 64 1 1
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	block L2 {
		loop L3(vi i32 = 0:i32) {
			vmore = ult.i32 vi, 40:i32
			if vmore {
				vk = add.i32 vx, vi
				vo = at 0:i32, vk, #4
				st.i32 vA, vo, vx, #0
				vj = add.i32 vi, 1:i32
				br L3(vj)
			}
			br L2
		}
	}
}
`}

// TestMergedOrder: results do not depend on how many subgroups are one strip.
func TestMergedOrder(t *testing.T) { eachLevel(t, testMergedOrder) }

func testMergedOrder(t *testing.T, engine jit.Engine) {
	for _, text := range overlapping {
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		for _, shift := range []int{0, 8, 64, 1024} {
			var results [][]byte
			for _, e := range []exec.Engine{interp.Engine{}, engine} {
				prog, err := e.Compile(p, exec.Options{})
				if err != nil {
					t.Fatal(err)
				}
				memory := make([]byte, 4096)
				for i := range memory {
					memory[i] = byte(i * 7)
				}
				job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: memory[:1024]}}, {{Bytes: memory[shift:][:1024]}}}}
				job.Resources = job.Resources[:len(p.Res)]
				if err := prog.Run(context.Background(), &job); err != nil {
					t.Fatal(err)
				}
				prog.Close()
				results = append(results, memory)
			}
			if !bytes.Equal(results[0], results[1]) {
				t.Errorf("%s, shifted by %d:\n got % x\nwant % x", p.Name, shift, head(results[1], results[0]), head(results[0], results[1]))
			}
		}
	}
}
