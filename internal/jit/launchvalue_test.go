package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// pointed copies words: thread i of the launch stores a[i] + b[i%4] to c[i], for pointers a, b and c among the push constants. The loop reads a
// value of the launch in each iteration.
const pointed = `program "pointed" compute
subgroup 16
local 32 1 1
push 24
in global.x i32 0
effects writes

func "pointed"() L1 {
	v1 = push
	v2 = ld.i64 v1, 0:i32, #0
	v3 = region v2, #1
	v4 = regionoff v3, v2
	v5 = ld.i64 v1, 0:i32, #8
	v6 = region v5, #1
	v7 = regionoff v6, v5
	v8 = ld.i64 v1, 0:i32, #16
	v9 = region v8, #1
	v10 = regionoff v9, v8
	v11 = len v9
	v12 = in.i32 #0
	v13 = at v4, v12, #4
	v14 = ld.i32 v3, v13, #0
	v15 = and.i32 v12, 3:i32
	block L2(v16 i32) {
		loop L3(v17 i32 = 0:i32, v18 i32 = v14) {
			v19 = at v7, v17, #4
			v20 = ld.i32 v6, v19, #0
			v21 = ult.i32 v17, v15
			v22 = add.i32 v17, 1:i32
			v23 = add.i32 v18, v20
			if v21 {
				br L3(v22, v23)
			}
			br L2(v23)
		}
	}
	v24 = add.i32 v16, v11
	v25 = at v10, v12, #4
	st.i32 v9, v25, v24, #0
}
`

// TestLaunchValues launches a program again and again with other pointers and other regions, so that the number of the region of a pointer
// differs between launches that a worker runs one after the other. The memory is that of the interpreter.
func TestLaunchValues(t *testing.T) { eachLevel(t, testLaunchValues) }

func testLaunchValues(t *testing.T, engine jit.Engine) {
	programs := onBoth(t, engine, pointed)
	random := rand.New(rand.NewPCG(5, 6))
	for launch := range 60 {
		var contents [][]byte
		for range 1 + random.IntN(5) {
			data := make([]byte, 4*(1+random.IntN(200)))
			for k := range data {
				data[k] = byte(random.Uint32())
			}
			contents = append(contents, data)
		}
		push := make([]byte, 24)
		for i := range 3 {
			address := uint64(1+random.IntN(len(contents)))<<32 + 4*uint64(random.IntN(8))
			if random.IntN(8) == 0 {
				address = 0
			}
			binary.LittleEndian.PutUint64(push[8*i:], address)
		}
		groups := uint32(1 + random.IntN(6))
		var after [2][][]byte
		for i, prog := range programs {
			job := &exec.Job{Groups: [3]uint32{groups, 1, 1}, Workers: 1, Push: push}
			for k, data := range contents {
				after[i] = append(after[i], bytes.Clone(data))
				job.Regions = append(job.Regions, exec.Region{Address: uint64(k+1) << 32, Bytes: after[i][k]})
			}
			if err := prog.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
		}
		for k := range contents {
			// Loads of c's region race with its stores, unless it is neither a's nor b's.
			if c := binary.LittleEndian.Uint64(push[16:]) >> 32; c == binary.LittleEndian.Uint64(push)>>32 || c == binary.LittleEndian.Uint64(push[8:])>>32 {
				continue
			}
			if !bytes.Equal(after[0][k], after[1][k]) {
				t.Fatalf("launch %d, pointers %x: region %d of %d bytes differs from the interpreter's", launch, push, k, len(contents[k]))
			}
		}
	}
}
