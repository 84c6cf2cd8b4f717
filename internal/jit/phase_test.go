package jit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// barrierBodies are bodies of programs with barriers. vi is the index of the invocation in its workgroup,
// vo four times that, vB the buffer of the results, vS the workgroup memory, vw the number of the
// workgroup, vn is 5.
var barrierBodies = map[string]string{
	"tree": `
	st.i32 vS, vo, vi, #0
	barrier
	block L2 {
		loop L3(vd i32 = 32:i32) {
			vgo = ult.i32 0:i32, vd
			if vgo {
				vless = ult.i32 vi, vd
				if vless {
					vf = add.i32 vi, vd
					vg = at 0:i32, vf, #4
					va = ld.i32 vS, vg, #0
					vb = ld.i32 vS, vo, #0
					vc = add.i32 va, vb
					st.i32 vS, vo, vc, #0
				}
				barrier
			} else {
				br L2
			}
			vh = lshr.i32 vd, 1:i32
			br L3(vh)
		}
	}
	vy = ld.i32 vS, vo, #0
`,
	"read again": `
	st.i32 vS, vo, vi, #0
	barrier
	va = ld.i32 vS, 0:i32, #64
	vb = ld.i32 vS, vo, #0
	vc = add.i32 va, vb
	vd = ld.i32 vS, 0:i32, #64
	barrier
	st.i32 vS, vo, vc, #0
	ve = ld.i32 vS, vo, #0
	vf = add.i32 ve, vd
	st.i32 vS, vo, vf, #0
	vg = ld.i32 vS, vo, #0
	barrier
	vh = ld.i32 vS, 0:i32, #64
	vk = add.i32 vg, vh
	vy = add.i32 vk, ve
`,
	"both arms": `
	vodd = and.i32 vw, 1:i32
	vc = eq.i32 vodd, 0:i32
	block L2(vy i32) {
		if vc {
			st.i32 vS, vo, vi, #0
			barrier
			va = ld.i32 vS, vo, #16
			br L2(va)
		} else {
			vd = mul.i32 vi, 3:i32
			st.i32 vS, vo, vd, #4
			barrier
			vb = ld.i32 vS, vo, #0
			br L2(vb)
		}
	}
`,
	// The parameters exchange their values; some of them are the same in all invocations.
	"exchange": `
	block L2(vy i32) {
		loop L3(vk i32 = 0:i32, vp i32 = vi, vq i32 = 7:i32, vr i32 = vn) {
			st.i32 vS, vo, vp, #0
			barrier
			va = ld.i32 vS, 64:i32, #0
			vmore = ult.i32 vk, vn
			if vmore {
			} else {
				vs = add.i32 vp, vq
				br L2(vs)
			}
			barrier
			vl = add.i32 vk, 1:i32
			vz = add.i32 va, vp
			br L3(vl, vq, vz, vk)
		}
	}
`,
	// Without a barrier in between, one subgroup executes both accesses before the next subgroup begins.
	"race over a branch": `
	st.i32 vS, vo, vi, #0
	vc = eq.i32 vw, vn
	if vc {
		barrier
	}
	vy = ld.i32 vS, vo, #68
	barrier
`,
	"race over a loop's end": `
	block L2(vy i32) {
		loop L3(vk i32 = 0:i32, vp i32 = vi) {
			vmore = ult.i32 vk, vn
			if vmore {
				st.i32 vS, vo, vp, #0
				barrier
			} else {
				br L2(vp)
			}
			va = ld.i32 vS, vo, #60
			vl = add.i32 vk, 1:i32
			br L3(vl, va)
		}
	}
`,
	"race within a phase": `
	barrier
	va = ld.i32 vS, vo, #0
	vb = add.i32 va, vi
	st.i32 vS, vo, vb, #64
	vy = ld.i32 vS, vo, #4
`,
	"some leave": `
	vc = ult.i32 vi, 21:i32
	block L2(vy i32) {
		if vc {
			br L2(vi)
		}
		barrier
		vd = add.i32 vi, 9:i32
		br L2(vd)
	}
`,
	"who": `
	vs = in.i32 #1
	vt = in.i32 #2
	vu = in.i32 #3
	vq = in.i32 #5
	vv = in.i32 #6
	va = mul.i32 vs, 1000:i32
	vb = mul.i32 vt, 100:i32
	vc = mul.i32 vu, 10000:i32
	vd = add.i32 va, vb
	ve = add.i32 vd, vc
	vf = mul.i32 vq, 7:i32
	vg = mul.i32 vv, 11:i32
	vh = add.i32 vf, vg
	barrier
	vy = add.i32 ve, vh
`,
	"agree": `
	vc = eq.i32 vi, 20:i32
	vd = any vc
	ve = zext.i32.b1 vd
	vf = reduce.i32 vi, add, #0
	barrier
	vg = mul.i32 ve, 1000000:i32
	vy = add.i32 vf, vg
`,
	"inner loops": `
	vm = and.i32 vi, 7:i32
	block L2(vy i32) {
		loop L3(vk i32 = 0:i32, vp i32 = 1:i32) {
			block L4(vx i32) {
				loop L5(vj i32 = 0:i32, ve i32 = vp) {
					vin = ult.i32 vj, vm
					if vin {
					} else {
						br L4(ve)
					}
					vf = mul.i32 ve, 3:i32
					vg = add.i32 vf, vj
					vh = add.i32 vj, 1:i32
					br L5(vh, vg)
				}
			}
			st.i32 vS, vo, vx, #0
			barrier
			va = ld.i32 vS, vo, #64
			vl = add.i32 vk, 1:i32
			vb = add.i32 va, vx
			barrier
			vmore = ult.i32 vl, vn
			if vmore {
			} else {
				br L2(vb)
			}
			br L3(vl, vb)
		}
	}
`,
	"device addresses": `
	vlong = zext.i64.i32 vo
	vaddress = add.i64 vlong, 4294967296:i64
	vr = region vaddress, #4
	vro = regionoff vr, vaddress
	vfirst = ld.i32 vr, vro, #0
	vpartner = xor.i32 vo, 4:i32
	block L2(vy i32) {
		loop L3(vk i32 = 0:i32, vx i32 = vfirst) {
			st.i32 vS, vo, vx, #0
			barrier
			va = ld.i32 vS, vpartner, #0
			vz = ld.i32 vr, vro, #0
			vb = add.i32 va, vz
			barrier
			vl = add.i32 vk, 1:i32
			vmore = ult.i32 vl, vn
			if vmore {
			} else {
				br L2(vb)
			}
			br L3(vl, vb)
		}
	}
`,
}

func barrierProgram(body, local string) string {
	text := `program "barriers" compute
subgroup 16
local ` + local + `
push 4
shared 512
in localindex i32 0
in subgroupid i32 0
in subgrouplane i32 0
in numsubgroups i32 0
in workgroup.x i32 0
in local.y i32 0
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vi = in.i32 #0
	vw = in.i32 #4
	vB = res 0:i32, #0
	vS = wg
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vo = at 0:i32, vi, #4
` + body + `	vto = at vo, vw, #512
	st.i32 vB, vto, vy, #0
}
`
	return strings.Replace(text, "LOCAL", local, 1)
}

// TestPhases: results do not depend on whether all subgroups of a workgroup are one stream.
func TestPhases(t *testing.T) {
	needMachine(t)
	for name, body := range barrierBodies {
		for _, local := range []string{"64 1 1", "16 4 1", "40 1 1", "6 9 1", "16 1 1", "128 1 1"} {
			t.Run(fmt.Sprintf("%s of %s", name, local), func(t *testing.T) {
				job := exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Push: []byte{5, 0, 0, 0}, Resources: [][]exec.Buffer{buffer(make([]uint32, 512))}}
				job.Regions = []exec.Region{{Address: 1 << 32, Bytes: []byte(strings.Repeat("device addresses", 30))}}
				for _, size := range []uint32{4, 16, 32} {
					want := run(interp.Engine{}, barrierProgram(body, local), size, job)
					if want.err != nil {
						t.Fatal(want.err)
					}
					same(t, want, run(jit.Engine{}, barrierProgram(body, local), size, job))
				}
			})
		}
	}
}

// TestPhaseBudget: loops of one subgroup and of the whole workgroup end if a subgroup exceeds its step
// budget.
func TestPhaseBudget(t *testing.T) {
	needMachine(t)
	for name, text := range map[string]string{
		"of all": `
	block L2(vy i32) {
		loop L3(vk i32 = 0:i32) {
			barrier
			vmore = ule.i32 vk, vn
			if vmore {
			} else {
				br L2(vk)
			}
			br L3(vk)
		}
	}
`, "of the last": `
	vlast = ult.i32 47:i32, vi
	barrier
	block L2(vy i32) {
		loop L3(vk i32 = 0:i32) {
			if vlast {
			} else {
				br L2(vk)
			}
			br L3(vk)
		}
	}
`} {
		t.Run(name, func(t *testing.T) {
			job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Budget: 1000, Push: []byte{5, 0, 0, 0}, Resources: [][]exec.Buffer{buffer(make([]uint32, 512))}}
			got := run(jit.Engine{}, barrierProgram(text, "64 1 1"), 16, job)
			var budget *exec.BudgetError
			if !errors.As(got.err, &budget) {
				t.Fatal(got.err)
			}
			want := uint32(0)
			if name == "of the last" {
				want = 48
			}
			if budget.Local != [3]uint32{want, 0, 0} {
				t.Errorf("of invocation %v", budget.Local)
			}
		})
	}
}
