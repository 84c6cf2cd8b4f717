package jit_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// narrowProgram moves 16 bits of each lane, of every step bytes, from one buffer
// to another: those in an odd place, too, and where some is set in some lanes only.
func narrowProgram(step, imm, base int, some bool) string {
	guard, end := "", ""
	if some {
		guard, end = "v9 = and.i32 v3, 5:i32\nv10 = ult.i32 v9, 4:i32\nif v10 {\n", "}\n"
	}
	return fmt.Sprintf(`program "t" compute
subgroup 16
local 64 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
effects writes

func "main"() L1 {
v1 = res 0:i32, #0
v2 = res 0:i32, #1
v3 = in.i32 #0
v4 = at %d:i32, v3, #%d
v5 = ld.i16 v1, v4, #%d
v6 = add.i16 v5, 0xfff1:i16
%sst.i16 v2, v4, v6, #%d
%s}
`, base, step, imm, guard, imm, end)
}

// Accesses to 16 bits of rows are those of the interpreter wherever buffers end.
func TestNarrowRows(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	data := make([]byte, 1024)
	r.Read(data)
	for _, step := range []int{2, 4} {
		for _, imm := range []int{0, 1, 2, 6} {
			for _, some := range []bool{false, true} {
				text := narrowProgram(step, imm, 8*(imm&1), some)
				for _, size := range []int{0, 1, 2, 3, 62, 63, 64, 65, 66, 126, 128, 130, 255, 256, 257, 258, 510, 511, 512, 513, 514, 517, 1024} {
					job := exec.Job{Groups: [3]uint32{2, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: data[:size]}}, {{Bytes: make([]byte, 1024-size)}}}}
					want := run(interp.Engine{}, text, 0, job)
					if want.err != nil {
						t.Fatal(want.err)
					}
					eachLevel(t, func(t *testing.T, engine jit.Engine) {
						if same(t, want, run(engine, text, 0, job)); t.Failed() {
							t.Fatalf("step %d, at %d, %d bytes", step, imm, size)
						}
					})
				}
			}
		}
	}
}
