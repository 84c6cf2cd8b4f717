package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// blockProgram returns a random program with a loop whose counter begins at an invocation's index, and with shifts, masks and
// comparisons of numbers that may or may not be in one aligned block in all lanes. Lanes access words at many distances.
func blockProgram(g *rand.Rand, local [2]int, subgroup int) string {
	var body strings.Builder
	names := 0
	pick := func(list ...string) string { return list[g.Intn(len(list))] }
	emit := func(format string, args ...any) string {
		names++
		r := fmt.Sprintf("vt%d", names)
		fmt.Fprintf(&body, "\t\t\t\t%s = %s\n", r, fmt.Sprintf(format, args...))
		return r
	}
	index := func() string {
		r := pick("ve", "ve", "vid", "vx", "vy", "vindex")
		for range g.Intn(3) {
			switch g.Intn(4) {
			case 0:
				r = emit("shl.i32 %s, %d:i32", r, g.Intn(5))
			case 1:
				r = emit("mul.i32 %s, %s", r, pick("16:i32", "3:i32", "vrow"))
			default:
				r = emit("%s.i32 %s, %s", pick("add", "sub"), r, pick("vrow", "16:i32", "256:i32", "8:i32", "5:i32", "vw", "ve"))
			}
		}
		return r
	}
	sum := "vsum"
	for range 1 + g.Intn(5) {
		v := index()
		switch g.Intn(4) {
		case 0:
			v = emit("%s.i32 %s, %d:i32", pick("lshr", "ashr"), v, g.Intn(9))
		case 1:
			v = emit("and.i32 %s, %d:i32", v, []uint32{7, 15, 31, 63, 255, 0xfffffff0, 0xffffff80, 12}[g.Intn(8)])
		case 2:
			bound := pick("64:i32", "63:i32", "8:i32", "15:i32", "16:i32", "100:i32", "vrow", "vw", "0:i32", "4294967295:i32")
			a, b := v, bound
			if g.Intn(2) == 0 {
				a, b = b, a
			}
			v = emit("zext.i32.b1 %s", emit("%s.i32 %s, %s", pick("ult", "ule", "slt", "sle"), a, b))
		}
		if g.Intn(3) == 0 {
			v = emit("ld.i32 vA, %s, #0", emit("at 0:i32, %s, #%d", v, []int{4, 4, 8, 12, 20, 64, 400, 2048, 4096, 4100}[g.Intn(10)]))
		}
		sum = emit("%s.i32 %s, %s", pick("add", "xor"), emit("mul.i32 %s, 3:i32", sum), v)
	}
	return fmt.Sprintf(`program "blocks" compute
subgroup %d
local %d %d 1
push 8
in local.x i32 0
in local.y i32 0
in localindex i32 0
in workgroup.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vP = push
	vA = res 0:i32, #0
	vC = res 0:i32, #1
	vx = in.i32 #0
	vy = in.i32 #1
	vindex = in.i32 #2
	vgroup = in.i32 #3
	vw = ld.i32 vP, 0:i32, #0
	vfrom = ld.i32 vP, 0:i32, #4
	vrow = shl.i32 vw, 4:i32
	vid1 = mul.i32 vy, %d:i32
	vid = add.i32 vid1, vx
	vfirst = %s
	block L2(vout i32) {
		loop L3(vsum i32 = 0:i32, ve i32 = vfirst) {
			vmore = ult.i32 ve, %s
			if vmore {
%s			} else {
				br L2(vsum)
			}
			vnext = add.i32 ve, %d:i32
			br L3(%s, vnext)
		}
	}
	vo1 = mul.i32 vgroup, %d:i32
	vo2 = add.i32 vo1, vindex
	vo = at 0:i32, vo2, #%d
	st.i32 vC, vo, vout, #%d
}
`, subgroup, local[0], local[1], local[0], pick("add.i32 vid, 0:i32", "add.i32 vindex, vrow", "add.i32 vid, 16:i32", "add.i32 vid, 5:i32", "shl.i32 vx, 1:i32"),
		pick("1024:i32", "1024:i32", "512:i32", "1000:i32", "1023:i32"), body.String(), []int{256, 256, 64, 8, 100}[g.Intn(5)], sum, local[0]*local[1], []int{4, 8, 12, 24, 40, 64, 256}[g.Intn(7)], 4*g.Intn(4))
}

// TestBlocks compares random programs with the interpreter.
func TestBlocks(t *testing.T) { eachLevel(t, testBlocks) }

func testBlocks(t *testing.T, engine jit.Engine) {
	words := scrambled(20000)
	from, to := irgen.Seeds(t, 300, 60)
	for seed := from; seed < to; seed++ {
		g := rand.New(rand.NewSource(seed))
		local := [][2]int{{16, 16}, {8, 8}, {16, 4}, {32, 2}, {64, 1}, {4, 16}, {24, 2}, {256, 1}}[g.Intn(8)]
		text := blockProgram(g, local, []int{4, 16, 16, 32}[g.Intn(4)])
		for range 2 {
			push := loadLittleEndian([]uint32{uint32(g.Intn(5)), uint32(g.Intn(3))})
			job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: push, Resources: nil}
			job.Resources = append(job.Resources, buffer(words[:1000+g.Intn(2000)]), buffer(words[:(2+g.Intn(8))*local[0]*local[1]]))
			want := run(interp.Engine{}, text, 0, job)
			if want.err != nil {
				t.Fatal(want.err, text)
			}
			if same(t, want, runFenced(t, engine, text, job)); t.Failed() {
				t.Fatalf("seed %d, push %v:\n%s", seed, push, text)
			}
		}
	}
}
