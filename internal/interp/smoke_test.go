package interp

import (
	"context"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

func TestMandelbrot(t *testing.T) {
	p, err := ir.Parse(`program "mandel" compute
subgroup 16
local 16 16 1
in global.x i32 0
in global.y i32 0
res storage 0 0 count 1
func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	v3 = utof.f32.i32 v1
	v4 = utof.f32.i32 v2
	v5 = fmul.f32 v3, 0.005859375:f32
	v6 = fadd.f32 v5, -2.0:f32
	v7 = fmul.f32 v4, 0.00390625:f32
	v8 = fadd.f32 v7, -1.0:f32
	block L2(v9 i32) {
		loop L3(v10 f32 = 0.0:f32, v11 f32 = 0.0:f32, v12 i32 = 0:i32) {
			v13 = fmul.f32 v10, v10
			v14 = fmul.f32 v11, v11
			v15 = fadd.f32 v13, v14
			v16 = flt.f32 4.0:f32, v15
			v17 = ule.i32 256:i32, v12
			v18 = or.b1 v16, v17
			if v18 {
				br L2(v12)
			}
			v19 = fsub.f32 v13, v14
			v20 = fadd.f32 v19, v6
			v21 = fmul.f32 v10, v11
			v22 = fadd.f32 v21, v21
			v23 = fadd.f32 v22, v8
			v24 = add.i32 v12, 1:i32
			br L3(v20, v23, v24)
		}
	}
	v25 = mul.i32 v2, 512:i32
	v26 = add.i32 v25, v1
	v27 = res 0:i32, #0
	v28 = at v26, 0:i32, #4
	v29 = mul.i32 v26, 4:i32
	st.i32 v27, v29, v9, #0
}
`)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := exec.Alloc(512 * 512 * 4)
	defer m.Free()
	start := time.Now()
	if err := c.Run(context.Background(), &exec.Job{Groups: [3]uint32{32, 32, 1}, Resources: [][]exec.Buffer{{{Bytes: m.Bytes()}}}}); err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start))
	sum := 0
	for y := range 512 {
		for x := range 512 {
			cx, cy := float32(float32(x)*0.005859375)-2, float32(float32(y)*0.00390625)-1
			var zx, zy float32
			n := uint32(0)
			for {
				a, b := float32(zx*zx), float32(zy*zy)
				if float32(a+b) > 4 || n >= 256 {
					break
				}
				ab := float32(zx * zy)
				zx, zy = float32(a-b)+cx, float32(ab+ab)+cy
				n++
			}
			if got := binary.LittleEndian.Uint32(m.Bytes()[4*(y*512+x):]); got != n {
				t.Fatalf("%d,%d: %d, want %d", x, y, got, n)
			}
			sum += int(n)
		}
	}
	_ = math.Pi
	t.Log(sum)
}
