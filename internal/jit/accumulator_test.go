package jit_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// accumulatorCases are bodies of divergent loops. SUM is a sum that is passed to the next iteration and
// read after the loop.
var accumulatorCases = []struct {
	name, body string
	coalesced  int // number of parameters that share the register of their next value
}{
	{"a sum and a product", `
	block L2 {
		loop L3(vp f32 = vx, vq f32 = 1.5:f32, vi i32 = 0:i32) {
			vs = fadd.f32 vp, vy
			vt = ffma.f32 vq, vy, vq
			vj = add.i32 vi, 1:i32
			vend = ule.i32 vn, vi
			if vend {
				br L2
			}
			br L3(vs, vt, vj)
		}
	}
	st.f32 vB, vo, vs, #0
	st.f32 vB, vo, vt, #4
`, 2},
	{"what is read once its next value is made", `
	block L2 {
		loop L3(vp f32 = vx, vi i32 = 0:i32) {
			vs = fadd.f32 vp, vy
			vu = fmul.f32 vp, vs
			vj = add.i32 vi, 1:i32
			vend = ule.i32 vn, vi
			if vend {
				br L2
			}
			br L3(vs, vj)
		}
	}
	st.f32 vB, vo, vs, #0
	st.f32 vB, vo, vu, #4
`, 0},
	{"two that change places", `
	block L2 {
		loop L3(vp f32 = vx, vq f32 = vy, vi i32 = 0:i32) {
			vs = fadd.f32 vp, vq
			vj = add.i32 vi, 1:i32
			vend = ule.i32 vn, vi
			if vend {
				br L2
			}
			br L3(vs, vp, vj)
		}
	}
	st.f32 vB, vo, vs, #0
`, 0},
	{"one value for two", `
	block L2 {
		loop L3(vp f32 = vx, vq f32 = vy, vi i32 = 0:i32) {
			vd = fsub.f32 vp, vq
			vs = ffma.f32 vd, vy, vx
			vj = add.i32 vi, 1:i32
			vend = ule.i32 vn, vi
			if vend {
				br L2
			}
			br L3(vs, vs, vj)
		}
	}
	st.f32 vB, vo, vs, #0
	st.f32 vB, vo, vd, #4
`, 1},
	{"within a loop that lanes leave too", `
	block L4 {
		loop L5(vk i32 = 0:i32) {
			block L2 {
				loop L3(vp f32 = vx, vi i32 = vk) {
					vs = fadd.f32 vp, vy
					vj = add.i32 vi, 1:i32
					vend = ule.i32 vn, vi
					if vend {
						br L2
					}
					br L3(vs, vj)
				}
			}
			st.f32 vB, vo, vs, #0
			vl = add.i32 vk, 1:i32
			vmore = ult.i32 vm, vk
			if vmore {
				br L4
			}
			br L5(vl)
		}
	}
	st.i32 vB, vo, vl, #4
`, 1},
	{"read behind a loop around it", `
	block L4 {
		loop L5(vk i32 = 0:i32) {
			block L2 {
				loop L3(vp f32 = vx, vi i32 = vk) {
					vs = fadd.f32 vp, vy
					vj = add.i32 vi, 1:i32
					vend = ule.i32 vn, vi
					if vend {
						br L2
					}
					br L3(vs, vj)
				}
			}
			vl = add.i32 vk, 1:i32
			vmore = ult.i32 vm, vk
			if vmore {
				br L4
			}
			br L5(vl)
		}
	}
	st.f32 vB, vo, vs, #0
`, 0},
	{"made in one arm, and left in the other", `
	block L2 {
		loop L3(vp f32 = vx, vi i32 = 0:i32) {
			vj = add.i32 vi, 1:i32
			vend = ule.i32 vn, vi
			if vend {
				st.f32 vB, vo, vp, #4
				br L2
			} else {
				vs = fsub.f32 vp, vy
				st.f32 vB, vo, vs, #0
				br L3(vs, vj)
			}
		}
	}
`, 0},
}

// accumulatorProgram returns a program in which each lane has its own x, y, n and m.
func accumulatorProgram(body string) string {
	return `program "accumulator" compute
subgroup 16
local 16 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vg = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	va = at 0:i32, vg, #16
	vo = at 0:i32, vg, #8
	vx = ld.f32 vA, va, #0
	vy = ld.f32 vA, va, #4
	vn = ld.i32 vA, va, #8
	vm = ld.i32 vA, va, #12
` + strings.TrimPrefix(body, "\n") + "}\n"
}

// TestAccumulators: a value that is passed to the next iteration and read after the loop is, in each lane,
// the value of the lane's last iteration.
func TestAccumulators(t *testing.T) { eachLevel(t, testAccumulators) }

func testAccumulators(t *testing.T, engine jit.Engine) {
	for _, c := range accumulatorCases {
		text := accumulatorProgram(c.body)
		for seed := range 20 {
			r := rand.New(rand.NewSource(int64(seed)))
			var words []uint32
			for range 64 {
				words = append(words, 0x3f800000+uint32(r.Intn(1<<23)), 0x3f000000+uint32(r.Intn(1<<23)), uint32(r.Intn(6)), uint32(r.Intn(4)))
			}
			to := make([]byte, 8*64)
			job := exec.Job{Groups: [3]uint32{4, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), {{Bytes: to}}}}
			want := run(interp.Engine{}, text, 0, job)
			if want.err != nil {
				t.Fatalf("%s: %v\n%s", c.name, want.err, text)
			}
			for _, subgroup := range []uint32{0, 4, 32} {
				same(t, want, run(engine, text, subgroup, job))
			}
			if t.Failed() {
				t.Fatalf("%s, seed %d", c.name, seed)
			}
		}
	}
}

// TestAccumulatorRegisters counts the parameters that share the registers of their next values.
func TestAccumulatorRegisters(t *testing.T) {
	for _, c := range accumulatorCases {
		p, err := ir.Parse(accumulatorProgram(c.body))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p.StateEffects()
		if err := p.Verify(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		coalesced := 0
		for _, f := range vectorize.Program(p, vcode.Form{Lanes: 16}, []int{0}) {
			made := map[vcode.Reg]bool{}
			for _, b := range f.Blocks {
				for _, in := range b.Insts {
					switch {
					case !in.Merging && len(in.Defs) == 1:
						made[in.Defs[0]] = true
					case in.Op == vcode.Lane && in.Merging && made[in.Defs[0]]:
						coalesced++
					}
				}
			}
		}
		if coalesced != c.coalesced {
			t.Errorf("%s: %d parameters share registers; want %d", c.name, coalesced, c.coalesced)
		}
	}
}
