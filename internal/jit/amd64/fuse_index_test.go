package amd64

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// TestIndexAddresses: rows of workgroup memory that are known to be in range have their index as address, unless the block also stores there or
// the index is not the whole address.
func TestIndexAddresses(t *testing.T) {
	defer vectorize.LoopFrom(1)()
	for _, c := range []struct {
		name, start, phase string
		indexed, based     int
	}{
		{"loads", "0:i32", "vx = ld.f32 vs, vo, #0\nvy = ld.f32 vs, vo, #512\nvr = fadd.f32 vx, vy", 2, 0},
		{"a store", "0:i32", "vx = ld.f32 vs, vo, #0\nst.f32 vs, vo, vx, #512\nvr = fadd.f32 vx, vx", 0, 1},
		{"a start", "vg", "vx = ld.f32 vs, vo, #0\nvr = fadd.f32 vx, vx", 0, 1},
		{"out of range", "0:i32", "vx = ld.f32 vs, vo, #1024\nvr = fadd.f32 vx, vx", 0, 1},
	} {
		p, err := ir.Parse(fmt.Sprintf(`program "t" compute
subgroup 8
local 128 1 1
shared 1024
in local.x i32 0
in workgroup.x i32 0
res storage 0 0 count 1
effects barrier writes

func "main"() L1 {
vl = in.i32 #0
vh = in.i32 #1
vg = and.i32 vh, 4:i32
vs = wg
vw = res 0:i32, #0
vo = at %s, vl, #4
vq = at vg, vl, #8
block L2 {
vc = eq.i32 vh, 9:i32
if vc {
barrier
}
%s
st.f32 vw, vq, vr, #0
}
}
`, c.start, c.phase))
		if err != nil {
			t.Fatal(err)
		}
		list, _, _ := vectorize.Workgroup(p, Target{}.Form(target.AVX2))
		if list == nil {
			t.Fatal("not one stream")
		}
		f := list[0]
		handles := map[vcode.Reg]bool{}
		indexed, based := map[ir.V]bool{}, map[ir.V]bool{}
		f.Each(func(in *vcode.Inst) {
			switch {
			case in.Op == vcode.Scalar && in.IR == ir.Wg:
				handles[in.Defs[0]] = true
			case in.Op == vcode.StridedLoad && handles[in.Uses[0]] && isIndexed(in):
				indexed[in.Value] = true
			case in.Op == vcode.StridedLoad && handles[in.Uses[0]]:
				based[in.Value] = true
			}
		})
		if len(indexed) != c.indexed || len(based) != c.based {
			t.Errorf("%s: %d indexed loads and %d others; must be %d and %d", c.name, len(indexed), len(based), c.indexed, c.based)
		}
	}
}
