package jit_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// randomHalves is a loop of arithmetic on f16, computed as such or in f32 and
// rounded, with constants of all sizes; where alone, lanes leave it one by one.
func randomHalves(r *rand.Rand, alone bool) string {
	constants := []string{"0x3c00", "0x0001", "0x8001", "0x03ff", "0x0400", "0x2e66", "0xb800", "0x4bff", "0x4c00", "0x4c01", "0xcc00", "0x7bff", "0x0000", "0x8000", "0x7c00", "0xfc00", "0x7e00"}
	var w strings.Builder
	w.WriteString("program \"half\" compute\nsubgroup 16\nlocal 128 1 1\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvo = at 0:i32, vi, #8\n\tva = ld.f16 vA, vo, #0\n\tvb = ld.f16 vA, vo, #2\n\tvm = ld.i32 vA, vo, #4\n")
	if alone {
		w.WriteString("\tvn = and.i32 vm, 3:i32\n")
	} else {
		w.WriteString("\tvn = or.i32 2:i32, 0:i32\n")
	}
	w.WriteString("\tblock L2(vr f16) {\n\tloop L3(vk i32 = 0:i32, vx0 f16 = va, vy f16 = vb) {\n")
	n := 1 + r.Intn(9)
	for i := range n {
		x := fmt.Sprintf("vx%d", i)
		operand := func() string {
			switch r.Intn(5) {
			case 0:
				return "vy"
			case 1:
				return x
			case 2:
				return []string{"va", "vb"}[r.Intn(2)] // from before the loop
			}
			return constants[r.Intn(len(constants))] + ":f16"
		}
		op := []string{"fadd", "fadd", "fsub", "fmul", "fmul", "fdiv"}[r.Intn(6)]
		y := operand()
		first, second := x, y
		if r.Intn(2) == 0 {
			first, second = y, x
		}
		flags := ""
		if r.Intn(8) == 0 {
			flags = " !rtz"
		}
		switch r.Intn(5) {
		case 0:
			fmt.Fprintf(&w, "\tvx%d = ffma.f16 %s, %s, %s%s\n", i+1, first, operand(), second, flags)
		case 1, 2:
			fmt.Fprintf(&w, "\tvs%d = fcvt.f32.f16 %s\n\tvt%d = fcvt.f32.f16 %s\n\tvu%d = %s.f32 vs%d, vt%d\n\tvx%d = fcvt.f16.f32 vu%d%s\n", i, first, i, second, i, op, i, i, i+1, i, flags)
		default:
			fmt.Fprintf(&w, "\tvx%d = %s.f16 %s, %s%s\n", i+1, op, first, second, flags)
		}
	}
	next := fmt.Sprintf("vx%d", r.Intn(n+1))
	if r.Intn(2) == 0 { // a product and a sum that only the next turn reads, and of some lanes
		factor, c := []string{"va", constants[r.Intn(len(constants))] + ":f16"}[r.Intn(2)], constants[r.Intn(len(constants))]
		sum := []string{"vh, " + c + ":f16", c + ":f16, vh"}[r.Intn(2)]
		fmt.Fprintf(&w, "\tblock L4(vy2 f16) {\n\tvd = and.i32 vm, %d:i32\n\tve = ult.i32 vd, 1:i32\n\tif ve {\n\tvh = fmul.f16 vy, %s\n\tvy1 = %s.f16 %s\n\tbr L4(vy1)\n\t}\n\tbr L4(vy)\n\t}\n",
			8*r.Intn(2), factor, []string{"fadd", "fsub"}[r.Intn(2)], sum)
		next = "vy2"
	}
	fmt.Fprintf(&w, "\tvg = add.i32 vk, 1:i32\n\tvc = ult.i32 vn, vg\n\tif vc {\n\tbr L2(vx%d)\n\t}\n\tbr L3(vg, vx%d, %s)\n\t}\n\t}\n\tvz = fcanon.f16 vr\n\tst.f16 vB, vo, vz, #0\n}\n", n, n, next)
	return w.String()
}

// TestRandomHalves compares the engines on them, with NaN and all other kinds of
// numbers, in every size of subgroup.
func TestRandomHalves(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 60)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		text, size := randomHalves(r, seed%4 == 0), []uint32{4, 8, 16, 32, 64, 128}[r.Intn(6)]
		data := make([]byte, 256*8)
		r.Read(data)
		for i := range len(data) / 2 {
			if r.Intn(6) == 0 {
				data[2*i] = 0
				data[2*i+1] = []byte{0, 0x80, 0x7c, 0xfc, 0x7e, 0x3c, 0x04, 0x7b}[r.Intn(8)]
			}
		}
		do := func(e exec.Engine, passes bool) []byte {
			var before []func(*ir.Program)
			if passes {
				before = append(before, pass.Run)
			}
			prog := compileSeed(t, e, seed, text, size, before...)
			defer prog.Close()
			job := &exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: data}}, {{Bytes: make([]byte, len(data))}}}}
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return job.Resources[1][0].Bytes
		}
		want := do(interp.Engine{}, false)
		eachLevel(t, func(t *testing.T, engine jit.Engine) {
			for _, passes := range []bool{false, true} {
				if got := do(engine, passes); !bytes.Equal(got, want) {
					t.Fatalf("seed %d, subgroups of %d, passes %v: differs\n%s", seed, size, passes, text)
				}
			}
		})
	}
}
