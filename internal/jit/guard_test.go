package jit_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// guardBytes is how much known memory lies on both sides of every buffer.
const guardBytes = 4096

// guardByte is what stands there. No buffer holds it at first.
const guardByte = 0xa5

// guarded is a buffer between guards.
type guarded struct{ all []byte }

func newGuarded(size int) guarded {
	all := bytes.Repeat([]byte{guardByte}, size+2*guardBytes)
	g := guarded{all}
	for i := range g.bytes() {
		g.bytes()[i] = byte(i*7%150) + 1
	}
	return g
}

func (g guarded) bytes() []byte {
	end := len(g.all) - guardBytes
	return g.all[guardBytes:end:end]
}

// whole reports whether the guards are as they were.
func (g guarded) whole() bool {
	want := bytes.Repeat([]byte{guardByte}, guardBytes)
	return bytes.Equal(g.all[:guardBytes], want) && bytes.Equal(g.all[len(g.all)-guardBytes:], want)
}

// shapes are offsets that the jit finds to be of different kinds, as statements
// that end with voff: vi is a number of the lane, vp the place where accesses
// begin, not known when the program is compiled.
var shapes = map[string]string{
	"uniform":     "voff = add.i32 vp, 0:i32",
	"row":         "voff = at vp, vi, #%[1]d",
	"row behind":  "voff = at 0xfffffff0:i32, vi, #%[1]d",
	"rows":        "vx = and.i32 vi, 7:i32\n\tvr = lshr.i32 vi, 3:i32\n\tva = at vp, vx, #%[1]d\n\tvoff = at va, vr, #160",
	"stride 3":    "vm = mul.i32 vi, 3:i32\n\tvoff = at vp, vm, #%[1]d",
	"stride 16":   "voff = at vp, vi, #64",
	"backwards":   "vm = sub.i32 0:i32, vi\n\tvoff = at vp, vm, #%[1]d",
	"gather":      "vm = mul.i32 vi, 0x9e3779b1:i32\n\tvh = lshr.i32 vm, 20:i32\n\tvq = and.i32 vh, 0x1f8:i32\n\tvoff = add.i32 vp, vq",
	"gather wide": "vm = mul.i32 vi, 0x9e3779b1:i32\n\tvoff = and.i32 vm, -8:i32",
}

// accesses are what is done there; a value read goes to resource 1, where
// every lane has its own 16 bytes.
func accesses() []string {
	var list []string
	for _, t := range []string{"i8", "i16", "f16", "i32", "f32", "i64", "f64"} {
		list = append(list,
			"vl = ld."+t+" vA, voff, #%[2]d\n\t\tst."+t+" vB, vs, vl, #0",
			"vv = ld."+t+" vB, vs, #0\n\t\tst."+t+" vA, voff, vv, #%[2]d")
	}
	for _, op := range []string{"xchg", "add", "umax", "xor"} {
		for _, t := range []string{"i32", "i64"} {
			list = append(list,
				"vv = ld."+t+" vB, vs, #0\n\t\tvo = atom"+op+"."+t+" vA, voff, vv, #%[2]d\n\t\tst."+t+" vB, vs, vo, #8",
				"vv = ld."+t+" vB, vs, #0\n\t\tvo = atom"+op+"."+t+" vA, voff, vv, #%[2]d !unused")
		}
	}
	return append(list, "vv = ld.i32 vB, vs, #0\n\t\tvo = atomcmpxchg.i32 vA, voff, vv, vi, #%[2]d\n\t\tst.i32 vB, vs, vo, #8")
}

func guardProgram(shape, access, when string, imm uint64) string {
	size := 4
	switch {
	case strings.Contains(access, "i64 vA"), strings.Contains(access, "f64 vA"):
		size = 8
	case strings.Contains(access, "16 vA"):
		size = 2
	case strings.Contains(access, "i8 vA"):
		size = 1
	}
	if strings.Contains(shape, "%") {
		shape = fmt.Sprintf(shape, size)
	}
	return `program "guard" compute
subgroup 16
local 32 1 1
in localindex i32 0
push 8
res storage 0 0 count 1
res storage 0 1 count 1
effects writes

func "main"() L1 {
	vi = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vP = push
	vp = ld.i32 vP, 0:i32, #0
	vn = ld.i32 vP, 0:i32, #4
	vs = at 0:i32, vi, #16
	` + shape + `
	vall = ule.i32 vn, 999:i32
	vbit = and.i32 vi, 5:i32
	vsome = ult.i32 0:i32, vbit
	if ` + when + ` {
		` + strings.ReplaceAll(access, "%[2]d", fmt.Sprint(imm)) + `
	}
}
`
}

// TestGuards accesses places around the ends of a buffer in every shape: bytes
// outside are neither written nor read, and what is read there is what the
// interpreter reads, which is 0. One program in five is run, all of them where
// CHIARO_LONG is set.
func TestGuards(t *testing.T) {
	needMachine(t)
	sizes := []int{0, 4, 20, 160, 403}
	places := []uint32{0, 4, 6, 8, 120, 152, 156, 160, 400, 403, 404, 0x7ffffff8, 0xfffffe00, 0xfffffff8, 0xfffffffc}
	_, long := os.LookupEnv("CHIARO_LONG")
	n := 0
	for name, shape := range shapes {
		for k, access := range accesses() {
			for j, when := range []string{"vall", "vsome"} {
				for i, imm := range []uint64{0, 8, 3, 1 << 31, 1<<32 - 8} {
					if !long && (i+2*j+k)%5 > 0 || imm == 3 && strings.Contains(access, "atom") {
						continue
					}
					text := guardProgram(shape, access, when, imm)
					guardJobs(t, text, sizes, places)
					if n++; t.Failed() {
						t.Fatalf("%s:\n%s", name, text)
					}
				}
			}
		}
	}
	t.Logf("%d programs, %d jobs", n, n*len(sizes)*len(places))
}

// guardJobs runs one program on both engines over buffers of all sizes, with
// accesses from all places on.
func guardJobs(t *testing.T, text string, sizes []int, places []uint32) {
	var progs []exec.Program
	for _, e := range []exec.Engine{interp.Engine{}, jit.Engine{}} {
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		p.StateEffects()
		prog, err := e.Compile(p, exec.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		defer prog.Close()
		progs = append(progs, prog)
	}
	for _, size := range sizes {
		for _, place := range places {
			var all [2][2]guarded
			for i, prog := range progs {
				a, b := newGuarded(size), newGuarded(32*16)
				all[i] = [2]guarded{a, b}
				job := &exec.Job{
					Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: little([]uint32{place, 1}),
					Resources: [][]exec.Buffer{{{Bytes: a.bytes()}}, {{Bytes: b.bytes()}}},
				}
				if err := prog.Run(context.Background(), job); err != nil {
					t.Errorf("%d bytes, from %#x on: %v", size, place, err)
				}
				if !a.whole() || !b.whole() {
					t.Errorf("%d bytes, from %#x on: engine %d wrote outside", size, place, i)
				}
				if !strings.Contains(text, "atom") && bytes.IndexByte(b.bytes(), guardByte) >= 0 {
					t.Errorf("%d bytes, from %#x on: engine %d read outside", size, place, i)
				}
			}
			for i := range all[0] {
				if !bytes.Equal(all[0][i].bytes(), all[1][i].bytes()) {
					t.Errorf("%d bytes, from %#x on: resource %d differs", size, place, i)
				}
			}
		}
	}
}
