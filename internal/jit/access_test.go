package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// accessCase returns a program in which some lanes, without the helpers among them, copy a value of type t
// from an offset in resource 1 to an offset in resource 2, and through private memory. Resource 0 holds the
// offsets. They may be misaligned, out of range, and equal in several lanes.
func accessCase(t ir.Type, demote bool) string {
	var b strings.Builder
	b.WriteString("program \"access\" compute\nsubgroup 32\nlocal 32 1 1\nin global.x i32 0\n" +
		"res storage 0 0 count 1\nres storage 0 1 count 1\nres storage 0 2 count 1\nvar \"x\" 5 -1\nvar \"y\" 1 -1\nvar \"z\" 3 -1\n\n" +
		"func \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvC = res 0:i32, #2\n\tvo = at 0:i32, vi, #32\n")
	for i := range 8 {
		fmt.Fprintf(&b, "\tvp%d = ld.i32 vA, vo, #%d\n", i, 4*i)
	}
	b.WriteString("\tvbit = and.i32 vi, 5:i32\n\tvon = ult.i32 1:i32, vbit\n")
	if demote {
		b.WriteString("\tvm = and.i32 vi, 3:i32\n\tvmn = eq.i32 vm, 2:i32\n\tif vmn {\n\t\tdemote\n\t}\n")
	}
	b.WriteString("\tif von {\n")
	fmt.Fprintf(&b, "\tvx = ld.%[1]s vB, vp0, #3\n\tst.%[1]s vC, vp1, vx, #1\n", t)
	fmt.Fprintf(&b, "\tpst.%[1]s vp2, vx, #0\n\tpst.%[1]s vp3, vx, #2\n\tpsti.%[1]s vp4, vx\n", t)
	fmt.Fprintf(&b, "\tvy = pld.%[1]s vp5, #0\n\tst.%[1]s vC, vp6, vy, #0\n", t)
	fmt.Fprintf(&b, "\tvz = pldi.%[1]s vp7\n\tst.%[1]s vC, vp0, vz, #64\n", t)
	fmt.Fprintf(&b, "\tpst.b1 vp2, von, #0\n\tvb = pld.b1 vp5, #0\n\tvw = zext.i32.b1 vb\n\tst.i32 vC, vp5, vw, #100\n")
	b.WriteString("\t}\n}\n")
	return b.String()
}

// TestAccesses runs loads and stores of every type on both engines.
func TestAccesses(t *testing.T) { eachLevel(t, testAccesses) }

func testAccesses(t *testing.T, engine jit.Engine) {
	const n, size = 1024, 403
	r := rand.New(rand.NewSource(5))
	places := make([]uint32, 0, 8*n)
	for range n {
		for i := range 8 {
			place := uint32(r.Intn(size + 8))
			if i >= 2 {
				place = uint32(r.Intn(11))
			}
			if r.Intn(20) == 0 {
				place = -place
			}
			places = append(places, place)
		}
	}
	from, to := make([]byte, size), make([]byte, size)
	r.Read(from)
	r.Read(to)
	job := exec.Job{Groups: [3]uint32{n / 32, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(places), {{Bytes: from}}, {{Bytes: to}}}}
	for _, typ := range types {
		for _, demote := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", typ, demote), func(t *testing.T) {
				text := accessCase(typ, demote)
				want := run(interp.Engine{}, text, 0, job)
				if want.err != nil {
					t.Fatal(want.err)
				}
				same(t, want, run(engine, text, 0, job))
				p, err := ir.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range p.Funcs[0].Code {
					switch op := p.Funcs[0].Val(v).Op; op {
					case ir.Ld, ir.St, ir.PLd, ir.PSt, ir.PLdI, ir.PStI:
						if !jit.Native(target.AVX512, p.Funcs[0].Key(v), op) {
							t.Errorf("%s leaves for Go", op)
						}
					}
				}
			})
		}
	}
}
