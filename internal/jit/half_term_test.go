package jit_test

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// halfFactors are factors of products on f16: of all kinds and sizes.
var halfFactors = []uint16{
	0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x0401, 0x1001, 0x9400, 0x2c00, 0x2e66, 0x3555, 0xb800, 0x3bff,
	0x3c00, 0x3c01, 0xbc00, 0x3d55, 0x3fff, 0x4000, 0xc200, 0x4bff, 0x5bfd, 0xdc01, 0x73ff, 0x7bfe, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
}

// halfTerm is a loop with one iteration, of sums of a constant and the loop's value times an invariant
// number or a constant other than 0: each rounded to f16, as is the product. Each lane has its a and b
// in a word; if alone, lanes exit the loop by themselves.
func halfTerm(constants []uint32, factor uint32, alone bool) (text string, size int) {
	var w strings.Builder
	w.WriteString("program \"t\" compute\nsubgroup 16\nlocal 128 1 1\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\nres storage 0 2 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
		"vi = in.i32 #0\nvA = res 0:i32, #0\nvB = res 0:i32, #1\nvC = res 0:i32, #2\nvo = at 0:i32, vi, #4\nvw = ld.i32 vA, vo, #0\n" +
		"va1 = trunc.i16.i32 vw\nva2 = bitcast.f16.i16 va1\nva = fcvt.f32.f16 va2\nvb1 = lshr.i32 vw, 16:i32\nvb2 = trunc.i16.i32 vb1\nvb3 = bitcast.f16.i16 vb2\nvb = fcvt.f32.f16 vb3\n")
	if alone {
		w.WriteString("vz = and.i32 vw, 0:i32\n")
	} else {
		w.WriteString("vz = ld.i32 vC, 0:i32, #0\n")
	}
	size = 12 * len(constants)
	fmt.Fprintf(&w, "vd = at 0:i32, vi, #%d\nblock L2() {\nloop L3(vk i32 = 0:i32, vy f32 = va) {\n", size)
	by := "vb"
	if factor != 0 {
		by = fmt.Sprintf("%#x:f32", factor)
	}
	for i, c := range constants {
		for j, sum := range [...]string{"vr$, C", "vr$, C", "C, vr$"} {
			n := 3*i + j
			op := [...]string{"fadd", "fsub", "fsub"}[j]
			code := "vp$ = fmul.f32 vy, " + by + "\nvq$ = fcvt.f16.f32 vp$\nvr$ = fcvt.f32.f16 vq$\nvs$ = " + op + ".f32 " + sum +
				"\nvt$ = fcvt.f16.f32 vs$\nvu$ = fcvt.f32.f16 vt$\nvx$ = fcanon.f32 vu$\nst.f32 vB, vd, vx$, #AT\n"
			w.WriteString(strings.NewReplacer("$", fmt.Sprint(n), "C", fmt.Sprintf("%#x:f32", c), "AT", fmt.Sprint(4*n)).Replace(code))
		}
	}
	w.WriteString("vg = add.i32 vk, 1:i32\nvc = ult.i32 vz, vg\nif vc {\nbr L2()\n}\nbr L3(vg, vu0)\n}\n}\n}\n")
	return w.String(), size
}

// halfTermJob is a job for halfTerm: the words of its lanes, and memory for the results.
func halfTermJob(words []uint32, size int) exec.Job {
	bytes := make([]byte, 4*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint32(bytes[4*i:], w)
	}
	return exec.Job{Groups: [3]uint32{uint32(len(words) / 128), 1, 1}, Resources: [][]exec.Buffer{{{Bytes: bytes}}, {{Bytes: make([]byte, size*len(words))}}, {{Bytes: make([]byte, 4)}}}}
}

// Products of f16 and sums of those and constants, rounded to f16 one after the
// other, are those of the interpreter, in strips of one vector and of eight:
// every number times a few factors, and numbers of all kinds times another.
func TestHalfTerms(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var words []uint32
	for range 1 << 14 {
		words = append(words, r.Uint32()&0xffff|uint32(halfFactors[r.Intn(len(halfFactors))])<<16, r.Uint32())
	}
	for _, a := range halfFactors {
		for _, b := range halfFactors {
			words = append(words, uint32(a)|uint32(b)<<16)
		}
	}
	for _, alone := range []bool{false, true} {
		for i, factor := range []uint32{0, 0x3eaaa000, 0x33800000, 0xc77fe000, 0x7f800000, 0x3f800000} {
			text, size := halfTerm(halfTerms[3*i:3*i+6], factor, alone)
			for _, subgroup := range []uint32{16, 128} {
				want := run(interp.Engine{}, text, subgroup, halfTermJob(words, size))
				if want.err != nil {
					t.Fatal(want.err)
				}
				eachLevel(t, func(t *testing.T, engine jit.Engine) {
					same(t, want, run(engine, text, subgroup, halfTermJob(words, size)))
				})
			}
		}
	}
}

// allHalfTerms is a loop over all numbers of f16, which each lane multiplies by its
// own and adds to constants, or takes away: what is left of all results is a number
// made of their bits.
func allHalfTerms(constants []uint32) string {
	var w strings.Builder
	w.WriteString("program \"t\" compute\nsubgroup 128\nlocal 128 1 1\nin global.x i32 0\nres storage 0 0 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
		"vi = in.i32 #0\nvB = res 0:i32, #0\nvo = at 0:i32, vi, #4\nvb1 = trunc.i16.i32 vi\nvb2 = bitcast.f16.i16 vb1\nvb = fcvt.f32.f16 vb2\n" +
		"block L2(vm i32) {\nloop L3(vk i32 = 0:i32, vh0 i32 = 0:i32) {\nva1 = trunc.i16.i32 vk\nva2 = bitcast.f16.i16 va1\nva = fcvt.f32.f16 va2\n")
	n := 0
	for _, c := range constants {
		for _, sum := range [...]string{"fadd.f32 vr$, C", "fsub.f32 C, vr$"} {
			code := "vp$ = fmul.f32 va, vb\nvq$ = fcvt.f16.f32 vp$\nvr$ = fcvt.f32.f16 vq$\nvs$ = " + sum + "\nvt$ = fcvt.f16.f32 vs$\nvu$ = fcvt.f32.f16 vt$\n" +
				"vw$ = fcanon.f32 vu$\nvx$ = bitcast.i32.f32 vw$\nvy$ = mul.i32 vh$, 0x9e3779b1:i32\nvh& = xor.i32 vy$, vx$\n"
			w.WriteString(strings.NewReplacer("$", fmt.Sprint(n), "&", fmt.Sprint(n+1), "C", fmt.Sprintf("%#x:f32", c)).Replace(code))
			n++
		}
	}
	fmt.Fprintf(&w, "vg = add.i32 vk, 1:i32\nvc = eq.i32 vg, 65536:i32\nif vc {\nbr L2(vh%d)\n}\nbr L3(vg, vh%d)\n}\n}\nst.i32 vB, vo, vm, #0\n}\n", n, n)
	return w.String()
}

// All pairs of numbers of f16, multiplied and added to constants of each size, come
// out the same at both levels, of which AVX2 converts what it rounds.
func TestAllHalfTerms(t *testing.T) {
	if os.Getenv("CHIARO_LONG") == "" {
		t.Skip("all 2³² pairs take 20 seconds of processor time: set CHIARO_LONG to try them")
	}
	for _, level := range []target.Level{target.AVX512, target.AVX2} {
		if _, err := jit.Choose(level); err != nil {
			t.Skip(err)
		}
	}
	text := allHalfTerms([]uint32{0x33800000, 0x387fc000, 0xbd555000, 0x3e7fe000, 0x3e800000, 0xc17fe000})
	job := exec.Job{Groups: [3]uint32{1 << 16 / 128, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 4<<16)}}}}
	want := run(jit.Engine{Level: target.AVX2}, text, 0, job)
	if want.err != nil {
		t.Fatal(want.err)
	}
	same(t, want, run(jit.Engine{Level: target.AVX512}, text, 0, job))
}
