package jit_test

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestStreams stores more than a cache holds, to buffers that begin with a line
// and within one.
func TestStreams(t *testing.T) { eachLevel(t, testStreams) }

func testStreams(t *testing.T, engine jit.Engine) {
	const n = 10<<20 - 37
	const text = `program "streams" compute
subgroup 16
local 256 1 1
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vc = ult.i32 vx, 10485723:i32
	if vc {
		vB = res 0:i32, #0
		vo = at 0:i32, vx, #4
		vb = mul.i32 vx, 2654435761:i32
		st.i32 vB, vo, vb, #0
	}
}
`
	prog := compileWith(t, engine, text)
	for _, first := range []int{0, 2, 16} {
		memory := make([]byte, 4*(n+16))
		bytes := memory[4*first:][:4*n]
		job := exec.Job{Groups: [3]uint32{(n + 255) / 256, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: bytes}}}}
		if err := prog.Run(t.Context(), &job); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if x := binary.LittleEndian.Uint32(bytes[4*i:]); x != uint32(i)*2654435761 {
				t.Fatalf("word %d from %d on is %#x", i, first, x)
			}
		}
	}
}
