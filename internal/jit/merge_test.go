package jit_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
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

// TestManyCases runs long switches, for which a strip is one vector, with a call in some cases and lanes that end early.
func TestManyCases(t *testing.T) { eachLevel(t, testManyCases) }

func testManyCases(t *testing.T, engine jit.Engine) {
	for _, callee := range []string{"\tvy = fmul.f32 va, 3.0:f32\n", "\tvz = push\n\tvw = ld.f32 vz, 0:i32, #0\n\tvy = fadd.f32 va, vw\n"} {
		var targets, open, cases strings.Builder
		const n = 40
		for i := range n {
			fmt.Fprintf(&targets, "%d:i32 -> L%d, ", i, i+10)
		}
		for i := range n {
			fmt.Fprintf(&open, "block L%d {\n", n+9-i)
			fmt.Fprintf(&cases, "}\nvb%d = fadd.f32 vf, %d.5:f32\n", i, i)
			if i%3 == 0 {
				fmt.Fprintf(&cases, "vc%d f32 = call 1(vb%d)\nbr L3(vc%d)\n", i, i, i)
			} else {
				fmt.Fprintf(&cases, "vc%d = fmul.f32 vb%d, vb%d\nbr L3(vc%d)\n", i, i, i, i)
			}
		}
		text := fmt.Sprintf(`program "cases" compute
subgroup 16
local 64 1 1
push 8
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
vP = push
vA = res 0:i32, #0
vB = res 0:i32, #1
vx = in.i32 #0
vn = ld.i32 vP, 0:i32, #4
vlate = ule.i32 vn, vx
if vlate {
br L1
}
vo = at 0:i32, vx, #4
vm = ld.i32 vA, vo, #0
vf = utof.f32.i32 vm
vk = umod.i32 vm, 43:i32
block L3(vr f32) {
block L9 {
%sswitch vk {%sL9}
%s}
br L3(vf)
}
vr2 = fcanon.f32 vr
st.f32 vB, vo, vr2, #0
}

func "f"(va f32) L1(vq f32) {
%sbr L1(vy)
}
`, open.String(), targets.String(), cases.String(), callee)
		for _, limit := range []uint32{128, 1000, 5} {
			push := loadLittleEndian([]uint32{0x40490fdb, limit})
			words := scrambled(128)
			for i := range words {
				words[i] %= 1000
			}
			job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(words), buffer(scrambled(128))}}
			want := run(interp.Engine{}, text, 0, job)
			if want.err != nil {
				t.Fatal(want.err, text)
			}
			if same(t, want, run(engine, text, 0, job)); t.Failed() {
				t.Fatal(text)
			}
		}
	}
}
