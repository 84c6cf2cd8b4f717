package jit_test

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestAtomics has lanes meet in a few words: some of the places are misaligned
// or out of range, and some lanes are not active.
func TestAtomics(t *testing.T) { eachLevel(t, testAtomics) }

func testAtomics(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(11))
	words := make([]uint32, 64*4)
	for i := range words {
		words[i] = r.Uint32()
	}
	target := make([]uint32, 16)
	for i := range target {
		target[i] = r.Uint32()
	}
	words[1], target[0] = 0, words[3] // a compare-exchange that succeeds
	special := []uint32{0, 1 << 31, 1, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345, 0x3f800000, 0xbf800000, 0x7f7fffff, 0x00800000, 0x80800001, 0x007fffff}
	for i := 0; i < len(words); i += 8 { // special values of floats
		words[i] = special[i/8%len(special)]
	}
	copy(target[4:], special[:8])
	words[17], words[18] = 8, words[18]|1 // the same of 64 bits, in lane 4
	target[2], target[3] = words[18], words[19]
	for _, op := range []string{"xchg", "cmpxchg", "add", "smin", "smax", "umin", "umax", "and", "or", "xor", "fadd", "ftzadd", "fmin", "fmax", "ladd", "lxchg", "lcmpxchg", "lsmin", "lsmax", "lumin", "lumax", "land", "lor", "lxor"} {
		for _, memory := range []string{"res 0:i32, #1", "wg", "push"} {
			for _, result := range []string{"vy", "vy !unused"} {
				text := atomicProgram(op, memory, result != "vy")
				job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: make([]byte, 64), Resources: [][]exec.Buffer{
					buffer(words), buffer(target), buffer(make([]uint32, 80)),
				}}
				for _, size := range []uint32{8, 16, 32} {
					t.Run(fmt.Sprintf("%s on %s to %s of %d", op, memory, result, size), func(t *testing.T) {
						want := run(interp.Engine{}, text, size, job)
						if want.err != nil {
							t.Fatal(want.err)
						}
						same(t, want, run(engine, text, size, job))
					})
				}
			}
		}
	}
}

func atomicProgram(op, memory string, unused bool) string {
	compare, flag, typ := "", "", "i32"
	show := "\tst.i32 vC, vr, vy, #0\n"
	switch op[0] {
	case 'f':
		typ, show = "f32", "\tst.f32 vC, vr, vy, #0\n"
	case 'l': // of 64 bits: both halves show
		op, typ = op[1:], "i64"
		show = "\tvya = trunc.i32 vy\n\tvyb = lshr.i64 vy, 32:i64\n\tvyc = trunc.i32 vyb\n\tvyd = mul.i32 vyc, 3:i32\n\tvye = xor.i32 vya, vyd\n\tst.i32 vC, vr, vye, #0\n"
	}
	if op == "ftzadd" {
		op, flag = "fadd", " !ftz"
	}
	if op == "cmpxchg" {
		compare = ", vk"
	}
	if unused {
		flag, show = flag+" !unused", ""
	}
	return "program \"atomic\" compute\nsubgroup 32\nlocal 60 1 1\npush 64\nshared 64\nin localindex i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\nres storage 0 2 count 1\n" +
		"effects writes\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvM = " + memory + "\n\tvC = res 0:i32, #2\n\tvo = at 0:i32, vi, #16\n\tvr = at 0:i32, vi, #4\n" +
		"\tva = ld." + typ + " vA, vo, #0\n\tvl = ld.i32 vA, vo, #4\n\tvm = ld.i32 vA, vo, #8\n\tvk = ld." + typ + " vA, vo, #" + map[string]string{"i32": "12", "f32": "12", "i64": "8"}[typ] + "\n" +
		"\tvone = and.i32 vl, 1:i32\n\tvodd = eq.i32 vone, 1:i32\n\tvlow = and.i32 vl, 0x7f:i32\n\tvword = and.i32 vl, 0x4c:i32\n" +
		"\tvoff = select.i32 vodd, vlow, vword\n\tvq = and.i32 vm, 3:i32\n\tvsome = ult.i32 0:i32, vq\n" +
		"\tif vsome {\n\tvy = atom" + op + "." + typ + " vM, voff, va" + compare + ", #0" + flag + "\n" + show + "\t}\n" +
		"\tbarrier\n\tvs = wg\n\tvw = ld.i32 vs, vr, #0\n\tvsmall = ult.i32 vi, 16:i32\n\tif vsmall {\n\tst.i32 vC, vr, vw, #256\n\t}\n}\n"
}

// TestAtomicsInRange has atomics of the workgroup memory whose offsets are known to be aligned and in range, so that they have no check:
// by all lanes of the subgroups, by some of them, and in a workgroup whose last subgroup is not full.
func TestAtomicsInRange(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		r := rand.New(rand.NewSource(12))
		words := make([]uint32, 64*4)
		for i := range words {
			words[i] = r.Uint32()
		}
		for i := 3; i < len(words); i += 12 { // compare-exchanges that succeed
			words[i] = 0
		}
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 16)), buffer(make([]uint32, 80))}}
		known := strings.NewReplacer("voff = select.i32 vodd, vlow, vword", "voff = and.i32 vl, 0x3c:i32")
		for _, op := range []string{"xchg", "cmpxchg", "add", "smin", "umax", "and", "or", "xor", "fadd", "fmin"} {
			for _, unused := range []bool{false, true} {
				for _, local := range []string{"60", "64"} {
					some := known.Replace(strings.Replace(atomicProgram(op, "wg", unused), "local 60", "local "+local, 1))
					for name, text := range map[string]string{"some": some, "all": strings.Replace(some, "if vsome {", "block L9 {", 1)} {
						t.Run(fmt.Sprintf("%s by %s of %s, unused %t", op, name, local, unused), func(t *testing.T) {
							want := run(interp.Engine{}, text, 32, job)
							if want.err != nil {
								t.Fatal(want.err)
							}
							same(t, want, run(engine, text, 32, job))
						})
					}
				}
			}
		}
	})
}

// TestLongAtomicOnWords has a buffer that begins between two multiples of 8, as a
// short one may: an atomic of 64 bits is misaligned there, whatever its offset.
func TestLongAtomicOnWords(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		p, err := ir.Parse(`
program "long" compute
subgroup 16
local 1 1 1
res storage 0 0 count 1
effects writes

func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = atomadd.i64 v1, 0:i32, 7:i64, #0
	v3 = atomadd.i64 v1, 4:i32, 7:i64, #0
}
`)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := engine.Compile(p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer prog.Close()
		for _, from := range []int{0, 4} {
			memory := make([]uint64, 3)
			b := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 24)[from:][:12]
			job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: b}}}}
			if err := prog.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
			if want := uint64(7 * (1 - from/4)); memory[0] != want || memory[1] != 0 {
				t.Errorf("from byte %d: %d, %d; want %d, 0", from, memory[0], memory[1], want)
			}
		}
	})
}
