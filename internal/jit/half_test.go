package jit_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// halfTerms are terms of sums on f16, as f32: the least and the greatest of all
// sizes that leave a finite sum finite, and what is beyond that or no f16.
var halfTerms = []uint32{
	0x33800000, 0xb3800000, 0x387fc000, 0xb8800000, 0x38802000, // 2⁻²⁴, about 2⁻¹⁴
	0x3e800000, 0xbe000000, 0x3d802000, 0x3f7fe000, 0x3f800000, 0xbf802000,
	0x41000000, 0x417fe000, 0xc17fe000, 0x41800000, 0xc1800000, 0x42000000, 0x477fe000, // up to 16, and above
	0, 0x80000000, 0x3dcccccd, 0x33000000, // no term that is an f16 but 0
}

// The sums of all numbers of f16 and constants, rounded to f16, are those of the
// interpreter, NaN for NaN.
func TestHalfSums(t *testing.T) {
	var w strings.Builder
	w.WriteString("program \"t\" compute\nsubgroup 16\nlocal 64 1 1\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n")
	w.WriteString("v1 = res 0:i32, #0\nv2 = res 0:i32, #1\nv3 = in.i32 #0\nv4 = at 0:i32, v3, #4\nv5 = ld.i32 v1, v4, #0\nv6 = trunc.i16.i32 v5\nv7 = bitcast.f16.i16 v6\nv8 = fcvt.f32.f16 v7\n")
	size := 12 * len(halfTerms)
	fmt.Fprintf(&w, "v9 = at 0:i32, v3, #%d\n", size)
	n := 9
	for i, c := range halfTerms {
		for j, sum := range [...]string{"fadd.f32 v8, %#x:f32", "fsub.f32 v8, %#x:f32", "fsub.f32 %#x:f32, v8"} {
			fmt.Fprintf(&w, "v%d = "+sum+"\nv%d = fcvt.f16.f32 v%d\nv%d = fcvt.f32.f16 v%d\nv%d = fcanon.f32 v%d\nst.f32 v2, v9, v%d, #%d\n",
				n+1, c, n+2, n+1, n+3, n+2, n+4, n+3, n+4, 4*(3*i+j))
			n += 4
		}
	}
	w.WriteString("}\n")
	numbers := make([]byte, 4<<16)
	for i := range 1 << 16 {
		binary.LittleEndian.PutUint32(numbers[4*i:], uint32(i))
	}
	job := func() exec.Job {
		return exec.Job{Groups: [3]uint32{1 << 16 / 64, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: numbers}}, {{Bytes: make([]byte, size<<16)}}}}
	}
	want := run(interp.Engine{}, w.String(), 0, job())
	if want.err != nil {
		t.Fatal(want.err)
	}
	eachLevel(t, func(t *testing.T, engine jit.Engine) { same(t, want, run(engine, w.String(), 0, job())) })
}

// TestWordHalves widens both halves of words, as two f16 that are loaded together and unpackHalf2x16 have them: every f16 in each half, with
// others beside it, in all lanes and in some.
func TestWordHalves(t *testing.T) { eachLevel(t, testWordHalves) }

func testWordHalves(t *testing.T, engine jit.Engine) {
	const count = 1 << 16
	words := make([]uint32, count)
	for i := range words {
		words[i] = uint32(i) | uint32(i*40503&0xffff)<<16 // an odd factor: each number once in the high half too
	}
	for _, some := range []string{"", "vc = ult.i32 vw, 0x80000000:i32\nif vc {\n"} {
		end := ""
		if some != "" {
			end = "}\n"
		}
		text := `program "halves" compute
subgroup 32
local 64 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vi = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vi, #4
	vd = at 0:i32, vi, #8
	vw = ld.i32 vA, vo, #0
	` + some + `va = trunc.i16 vw
	vb = bitcast.f16 va
	vf = fcvt.f32 vb
	vs = lshr.i32 vw, 16:i32
	ve = trunc.i16 vs
	vg = bitcast.f16 ve
	vh = fcvt.f32 vg
	vj = fcanon.f32 vf
	vk = fcanon.f32 vh
	st.f32 vB, vd, vj, #0
	st.f32 vB, vd, vk, #4
	` + end + `}
`
		out := make([]uint32, 2*count)
		job := exec.Job{Groups: [3]uint32{count / 64, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(out)}}
		got := run(engine, text, 32, job)
		if got.err != nil {
			t.Fatal(got.err)
		}
		same(t, run(interp.Engine{}, text, 32, job), got)
		if t.Failed() {
			t.Fatal(text)
		}
	}
}
