package jit_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

const fitsProgram = `program "fits" compute
subgroup 32
local 32 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
effects writes

func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = res 0:i32, #1
	v3 = in.i32 #0
	v4 = at 0:i32, v3, #16
	v5 = ld.f32 v1, v4, #0
	v6 = ld.i32 v1, v4, #4
	v7 = fldexp.f32 v5, v6 !fits
	v8 = fcanon.f32 v7
	st.f32 v2, v4, v8, #0
	v9 = ld.f32 v1, v4, #8
	v10 = ftos.i32.f32 v9 !anynan !fits
	st.i32 v2, v4, v10, #4
	v11 = ld.f32 v1, v4, #12
	v12 = ftos.i32.f32 v11 !anynan
	st.i32 v2, v4, v12, #8
	v13 = and.i32 v3, 1:i32
	v14 = eq.i32 v13, 0:i32
	if v14 {
		v15 = fldexp.f32 v5, v6 !fits
		v16 = ftos.i32.f32 v9 !anynan !fits
		v17 = ftos.i32.f32 v11 !anynan
		v18 = add.i32 v16, v17
		v19 = bitcast.f32.i32 v18
		v20 = select.f32 v14, v15, v19
		v21 = fcanon.f32 v20
		st.f32 v2, v4, v21, #12
	}
}
`

// TestFits checks that the short forms of fldexp and ftos have the result of the long ones where the flags permit them:
// fldexp of 1/2 to 2 or NaN and exponents up to 250, with denormal and infinite results; ftos of numbers in range, and
// of all numbers without NaN.
func TestFits(t *testing.T) { eachLevel(t, testFits) }

func testFits(t *testing.T, engine jit.Engine) {
	const n = 8192
	r := rand.New(rand.NewSource(6))
	var words []uint32
	for i := range n {
		x := math.Float32bits(0.5) + uint32(r.Intn(2<<23+1)) | uint32(r.Intn(2))<<31
		if i%50 == 0 {
			x = 0x7fc00000
		}
		fits := float32(math.Ldexp(2*r.Float64()-1, r.Intn(31)))
		any := r.Uint32()
		if any&0x7f800000 == 0x7f800000 {
			any &= 0xff800000 // infinity
		}
		words = append(words, x, uint32(r.Intn(501)-250), math.Float32bits(fits), any)
	}
	job := exec.Job{Groups: [3]uint32{n / 32, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 4*n))}}
	same(t, run(interp.Engine{}, fitsProgram, 0, job), run(engine, fitsProgram, 0, job))
}
