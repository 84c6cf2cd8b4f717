package jit_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// lookupHead is the head of programs with table lookups: vA is the table, vB the result buffer, vo the
// offset in it, and vn a number of the lane.
const lookupHead = `program "lookups" compute
subgroup 16
local 32 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vC = res 0:i32, #2
	vo = at 0:i32, vx, #4
	vn = ld.i32 vC, vo, #0
`

// TestLookups: a varying index selects one of sixteen words, or 0 if the memory ends before or within the
// word; also in loops that lanes leave in different iterations, with a use of the last lookup after the
// loop.
func TestLookups(t *testing.T) { eachLevel(t, testLookups) }

func testLookups(t *testing.T, engine jit.Engine) {
	const text = lookupHead + `	vi = and.i32 vn, 15:i32
	vp = at 0:i32, vi, #4
	va = ld.i32 vA, vp, #20
	vq = shl.i32 vi, 2:i32
	vb = ld.f32 vA, vq, #84
	vc = bitcast.i32.f32 vb
	st.i32 vB, vo, va, #0
	st.i32 vB, vo, vc, #256
	block L2 {
		loop L3(v2 i32 = vn) {
			v3 = and.i32 v2, 15:i32
			v4 = at 0:i32, v3, #4
			v5 = ld.i32 vA, v4, #4
			v6 = lshr.i32 v2, 1:i32
			v7 = eq.i32 v6, 0:i32
			if v7 {
				br L2
			}
			br L3(v6)
		}
	}
	st.i32 vB, vo, v5, #512
}
`
	words := make([]uint32, 37)
	for i := range words {
		words[i] = uint32(i)*2654435761 + 1
	}
	numbers := make([]uint32, 64)
	for i := range numbers {
		numbers[i] = uint32(i*i*7919) >> (i & 15)
	}
	for _, size := range []int{0, 3, 4, 66, 67, 68, 83, 84, 85, 147, 148} {
		t.Run(fmt.Sprintf("%d bytes", size), func(t *testing.T) {
			table := buffer(words)
			table[0].Bytes = table[0].Bytes[:size]
			job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{table, buffer(make([]uint32, 192)), buffer(numbers)}}
			want := run(interp.Engine{}, text, 16, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			for _, subgroup := range []uint32{8, 16, 32} {
				same(t, want, run(engine, text, subgroup, job))
			}
		})
	}
}

// lateLookups are programs with a lookup after a change of the value that its index was computed from:
// after a divergent loop, and with the next value of a loop's parameter already computed.
func lateLookups() []string {
	const behind = `	block L2 {
		loop L3(v2 i32 = vn) {
			v20 = xor.i32 v2, 5:i32
			v3 = and.i32 v20, 15:i32
			v4 = at 0:i32, v3, #4
			v6 = lshr.i32 v2, 1:i32
			v7 = eq.i32 v6, 0:i32
			if v7 {
				br L2
			}
			br L3(v6)
		}
	}
	v9 = at 0:i32, v3, #4
	v10 = shl.i32 v3, 2:i32
	v5 = ld.i32 vA, %s, #4
	st.i32 vB, vo, v5, #0
}
`
	const within = `	block L2 {
		loop L3(v2 i32 = vn, vs i32 = 0:i32) {
			v3 = and.i32 v2, 15:i32
			v4 = at 0:i32, v3, #4
			v6 = sub.i32 v2, 3:i32
			v5 = ld.i32 vA, v4, #4
			vt = add.i32 vs, v5
			st.i32 vB, vo, vt, #0
			v7 = slt.i32 v6, 0:i32
			if v7 {
				br L2
			}
			br L3(v6, vt)
		}
	}
	st.i32 vB, vo, v6, #256
}
`
	return []string{lookupHead + fmt.Sprintf(behind, "v4"), lookupHead + fmt.Sprintf(behind, "v9"), lookupHead + fmt.Sprintf(behind, "v10"), lookupHead + within}
}

// TestLateLookups: a lookup has the index from the time at which its offset was computed.
func TestLateLookups(t *testing.T) { eachLevel(t, testLateLookups) }

func testLateLookups(t *testing.T, engine jit.Engine) {
	words := make([]uint32, 37)
	for i := range words {
		words[i] = uint32(i)*2654435761 + 1
	}
	numbers := make([]uint32, 64)
	for i := range numbers {
		numbers[i] = uint32(i*i*7919) >> 7 % 100
	}
	for _, text := range lateLookups() {
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 192)), buffer(numbers)}}
		want := run(interp.Engine{}, text, 16, job)
		if want.err != nil {
			t.Fatal(want.err)
		}
		for _, subgroup := range []uint32{8, 16, 32} {
			if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
				t.Fatalf("subgroups of %d:\n%s", subgroup, text)
			}
		}
	}
}

// byteLookups selects words of a constant table by bytes: in all lanes, two next to each other, and in a branch whose inactive lanes have
// an index of more bits and a result of their own.
const byteLookups = `program "lookups" compute
subgroup 16
local 32 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
table %x

func "main"() L1 {
	vx = in.i32 #0
	vB = res 0:i32, #0
	vC = res 0:i32, #1
	vT = table #0
	vo = at 0:i32, vx, #4
	vn = ld.i32 vC, vo, #0
	vi = and.i32 vn, 255:i32
	vp = at 0:i32, vi, #4
	va = ld.i32 vT, vp, #0
	vb = ld.i32 vT, vp, #4
	st.i32 vB, vo, va, #0
	st.i32 vB, vo, vb, #256
	vc = lshr.i32 vn, 20:i32
	vd = and.i32 vc, 1:i32
	ve = eq.i32 vd, 0:i32
	block L2(vr i32) {
		if ve {
			vq = at 0:i32, vi, #4
			v1 = ld.i32 vT, vq, #0
			v2 = add.i32 v1, vn
			br L2(v2)
		}
		vz = at 0:i32, vc, #4
		v3 = ld.i32 vT, vz, #0
		br L2(v3)
	}
	st.i32 vB, vo, vr, #512
	vu = ult.i32 vc, 256:i32
	if vu {
		vg = at 0:i32, vc, #4
		vh = ld.i32 vT, vg, #0
		st.i32 vB, vo, vh, #768
	}
}
`

// TestByteLookups: a byte selects one of 256 words of a constant table, and words after it are loaded too.
func TestByteLookups(t *testing.T) { eachLevel(t, testByteLookups) }

func testByteLookups(t *testing.T, engine jit.Engine) {
	numbers := make([]uint32, 64)
	for i := range numbers {
		numbers[i] = uint32(i*i+1) * 0x9e3779b1 >> (i & 7)
	}
	numbers[0], numbers[1] = 255, 0
	for _, size := range []int{255, 256, 257, 600} {
		table := make([]byte, 4*size)
		for i := range size {
			binary.LittleEndian.PutUint32(table[4*i:], uint32(i)*2654435761+1)
		}
		text := fmt.Sprintf(byteLookups, table)
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 256)), buffer(numbers)}}
		want := run(interp.Engine{}, text, 16, job)
		if want.err != nil {
			t.Fatal(want.err)
		}
		for _, subgroup := range []uint32{8, 16, 32} {
			if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
				t.Fatalf("a table of %d words, subgroups of %d", size, subgroup)
			}
		}
	}
}
