package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestFarBlocks runs code in two versions: one for a condition true in every lane, and a general one, with its code after all other code.
// Both run, in a loop, nested and in sequence, and make the same numbers.
func TestFarBlocks(t *testing.T) { eachLevel(t, testFarBlocks) }

func testFarBlocks(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(31))
	for range 30 {
		text := farProgram(r)
		for _, bound := range []uint32{0, 9, 16, 40, 1000} {
			job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: loadLittleEndian([]uint32{bound, 5}), Resources: [][]exec.Buffer{buffer(filled(r, 64)), buffer(filled(r, 64))}}
			sameRecords(t, engine, text, job)
		}
	}
}

// farProgram returns a program with code in two versions, in a loop.
func farProgram(r *rand.Rand) string {
	w := farWriter{r: r, label: 3}
	at := w.versions("vs", 2)
	if r.Intn(2) == 0 {
		at = w.versions(at, 1)
	}
	return fmt.Sprintf(`program "far" compute
subgroup 16
local 32 1 1
push 8
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vP = push
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vx = in.i32 #0
	vbound = ld.i32 vP, 0:i32, #0
	vn = ld.i32 vP, 0:i32, #4
	vw = at 0:i32, vx, #4
	block L2(vout i32) {
		loop L3(vs i32 = 7:i32, vk i32 = 0:i32) {
			vmore = ult.i32 vk, vn
			if vmore {
			} else {
				br L2(vs)
			}
			vshift = mul.i32 vk, 3:i32
			vi = add.i32 vx, vshift
%s			vnext = add.i32 vk, 1:i32
			br L3(%s, vnext)
		}
	}
	st.i32 vA, vw, vout, #0
}
`, w.text.String(), at)
}

// farWriter writes code in two versions.
type farWriter struct {
	r     *rand.Rand
	text  strings.Builder
	label int // the last one
}

// versions writes code that makes a number from in: three times it where a condition is true, or the result of other code. It returns its
// name. The other code has versions too, up to a depth.
func (w *farWriter) versions(in string, depth int) string {
	w.label += 2
	n, inner := w.label-1, w.label
	of := []string{"vi", "vi", "vk", in}[w.r.Intn(4)]
	fmt.Fprintf(&w.text, "vc%d = ult.i32 %s, vbound\nve%d = every vc%d\nblock L%d(vr%d i32) {\n", n, of, n, n, n, n)
	fmt.Fprintf(&w.text, "if ve%d {\nvf%d = mul.i32 %s, 3:i32\nst.i32 vB, vw, vf%d, #0\nbr L%d(vf%d)\n}\n", n, n, in, n, n, n)
	fmt.Fprintf(&w.text, "block L%d(vg%d i32) {\nif vc%d {\nva%d = mul.i32 %s, 3:i32\nbr L%d(va%d)\n}\n", inner, inner, n, n, in, inner, n)
	other := fmt.Sprintf("vb%d", n)
	fmt.Fprintf(&w.text, "%s = xor.i32 %s, vi\n", other, in)
	if depth > 0 && w.r.Intn(4) > 0 {
		other = w.versions(other, depth-1)
	}
	fmt.Fprintf(&w.text, "br L%d(%s)\n}\nst.i32 vB, vw, vg%d, #0\nbr L%d(vg%d)\n}\n", inner, other, inner, n, inner)
	return fmt.Sprintf("vr%d", n)
}
