package jit_test

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// partMajorBodies are bodies with few computations: vi is strided, vo its offset in vA, vB and vC, vk
// uniform.
var partMajorBodies = []string{
	`	va = ld.i32 vA, vo, #0
	st.i32 vB, vo, va, #0
`, `	va = ld.i32 vA, vo, #0
	vb = ld.i32 vB, vo, #0
	vm = mul.i32 va, vk
	vs = add.i32 vm, vb
	st.i32 vB, vo, vs, #0
`, `	va = ld.i32 vA, vo, #0
	vb = ld.i32 vA, vo, #4
	vc = ld.i32 vA, vo, #84
	vs = add.i32 va, vb
	vt = sub.i32 vs, vc
	vu = xor.i32 vt, vi
	st.i32 vB, vo, vu, #0
	vv = smax.i32 va, vk
	st.i32 vC, vo, vv, #16
`, `	va = ld.f32 vA, vo, #0
	vb = ld.f32 vB, vo, #0
	vf = ld.f32 vC, 8:i32, #0
	vm = fmul.f32 va, vf
	vs = fadd.f32 vm, vb
	vc = fcanon.f32 vs
	vp = ult.i32 vi, vk
	vq = select.f32 vp, vc, va
	st.f32 vB, vo, vq, #0
`,
}

// partMajorGuards are the code before and after a body.
var partMajorGuards = [][2]string{
	{"", ""},
	{"	vin = ult.i32 vi, vn\n	if vin {\n", "	}\n"},
}

func partMajorProgram(local, subgroup int, body string, guard [2]string) string {
	return fmt.Sprintf(`program "partmajor" compute
subgroup %d
local %d 1 1
push 12
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1

func "main"() L1 {
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vk = ld.i32 vP, 0:i32, #4
	vh = ld.i32 vP, 0:i32, #8
	vx = in.i32 #0
	vi = add.i32 vx, vh
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vC = res 0:i32, #2
	vo = at 0:i32, vi, #4
%s%s%s}
`, subgroup, local, guard[0], body, guard[1])
}

// TestPartMajor runs strips with all accesses in range, and strips that bail out because an access or a
// lane is not. The buffers end in the middle of a strip, each at another offset, and some strided values
// wrap around.
func TestPartMajor(t *testing.T) { eachLevel(t, testPartMajor) }

func testPartMajor(t *testing.T, engine jit.Engine) {
	words := scrambled(1200)
	number := 0
	for _, local := range []int{32, 64, 96, 256, 512} {
		for b, body := range partMajorBodies {
			for _, guard := range partMajorGuards {
				for _, n := range []uint32{0, 511, 512, 1 << 31} {
					for _, first := range []uint32{0, 3, 1<<32 - 7, 1 << 30} {
						for _, cut := range [][3]int{{600, 600, 600}, {512, 520, 530}, {530, 511, 520}, {540, 600, 500}, {3, 900, 900}} {
							if number++; !selected(number, 3) {
								continue
							}
							push := loadLittleEndian([]uint32{n, 77, first})
							job := exec.Job{Groups: [3]uint32{uint32((600 + local - 1) / local), 1, 1}, Workers: 1, Push: push}
							for r, size := range cut {
								job.Resources = append(job.Resources, buffer(words[100*r:][:size]))
							}
							subgroup := []int{4, 16, 32, 128}[(b+local/32)%4]
							text := partMajorProgram(local, subgroup, body, guard)
							want := run(interp.Engine{}, text, 0, job)
							if want.err != nil {
								t.Fatal(want.err, text)
							}
							if same(t, want, run(engine, text, 0, job)); t.Failed() {
								t.Fatalf("n %d, first %#x, words %d:\n%s", n, first, cut, text)
							}
						}
					}
				}
			}
		}
	}
}

// TestPartMajorChoice: the bodies are compiled to part-major code; programs with loops or gathers are not.
func TestPartMajorChoice(t *testing.T) {
	const loops = `	block L2 {
		loop L3(vl i32 = 0:i32) {
			vmore = ult.i32 vl, vk
			if vmore {
				vj = add.i32 vl, 1:i32
				br L3(vj)
			}
			br L2
		}
	}
`
	const computed = `	va = ld.i32 vA, vo, #0
	vb = and.i32 va, 252:i32
	vc = ld.i32 vC, vb, #0
	st.i32 vB, vo, vc, #0
`
	lanesOf := func(local int, body string, guard [2]string) uint32 {
		p, err := ir.Parse(partMajorProgram(local, 16, body, guard))
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		form := jit.FormOf(target.AVX512)
		m := vectorize.MergeOf(p, form)
		if p.SubgroupSize = m.PartMajor; m.PartMajor == 0 || vectorize.PartMajor(p, form) == nil {
			return 0
		}
		return m.PartMajor
	}
	for _, guard := range partMajorGuards {
		for b, body := range partMajorBodies {
			for local, lanes := range map[int]uint32{16: 0, 32: 32, 96: 32, 256: 256, 512: 256} {
				if got := lanesOf(local, body, guard); got != lanes {
					t.Errorf("body %d, guard %q, groups of %d: strips of %d, want %d", b, guard[0], local, got, lanes)
				}
			}
		}
		for _, body := range []string{loops + partMajorBodies[0], computed} {
			if got := lanesOf(256, body, guard); got != 0 {
				t.Errorf("part-major strips of %d:\n%s", got, body)
			}
		}
	}
}

// TestPartMajorPlanes runs workgroups of several rows, beyond the ends of all buffers. An invocation ID
// that is uniform in a chunk of the general version need not be in a strip.
func TestPartMajorPlanes(t *testing.T) { eachLevel(t, testPartMajorPlanes) }

func testPartMajorPlanes(t *testing.T, engine jit.Engine) {
	const text = `program "planes" compute
subgroup 16
local %d %d %d
in localindex i32 0
in %s i32 0
in workgroup.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vl = in.i32 #0
	vy = in.i32 #1
	vg = in.i32 #2
	vh = mul.i32 vg, 256:i32
	vi = add.i32 vl, vh
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vi, #4
	va = ld.i32 vA, vo, #0
	vs = mul.i32 va, vy
	vt = add.i32 vs, vi
	st.i32 vB, vo, vt, #0
}
`
	for _, local := range [][3]int{{256, 1, 1}, {64, 4, 1}, {16, 16, 1}, {32, 4, 2}, {8, 8, 4}, {3, 64, 1}, {512, 1, 1}} {
		for _, in := range []string{"local.x", "local.y", "local.z", "global.x", "global.y", "global.z", "localindex", "workgroup.x"} {
			text := fmt.Sprintf(text, local[0], local[1], local[2], in)
			words := scrambled(900)
			for _, cut := range [][2]int{{900, 900}, {700, 650}, {300, 511}, {1, 3}} {
				job := exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words[:cut[0]]), buffer(words[:cut[1]])}}
				want := run(interp.Engine{}, text, 0, job)
				if want.err != nil {
					t.Fatal(want.err, text)
				}
				if same(t, want, run(engine, text, 0, job)); t.Failed() {
					t.Fatalf("words %d:\n%s", cut, text)
				}
			}
		}
	}
}
