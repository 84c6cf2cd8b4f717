package jit_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestStrides copies members of structures of a few words, between buffers that end in the middle of a
// strip, with all lanes active and with some, and with offsets that wrap around.
func TestStrides(t *testing.T) { eachLevel(t, testStrides) }

func testStrides(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(12))
	words := make([]uint32, 64*17+3)
	for i := range words {
		words[i] = r.Uint32()
	}
	for _, size := range []int{4, 8, 12, 16, 20, 24, 28, 32, 48, 64} {
		for imm := 0; imm < 20; imm += 2 {
			for _, some := range []string{"true", "vsome"} {
				for _, first := range []string{"0:i32", "1:i32", "-3:i32", "0x3ffffff8:i32"} {
					text := fmt.Sprintf(`program "stride" compute
subgroup 16
local 32 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vi = add.i32 vx, %s
	vo = at 0:i32, vi, #%d
	vbit = and.i32 vx, 5:i32
	vsome = ult.i32 0:i32, vbit
	if %s {
		va = ld.i32 vA, vo, #%d
		vb = add.i32 va, 1:i32
		st.i32 vB, vo, vb, #%d
	}
}
`, first, size, some, imm, (imm+8)%20)
					job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 64*size/4-5))}}
					sameRecords(t, engine, text, job)
				}
			}
		}
	}
}
