package jit_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// randomNarrow moves 8 or 16 bits of each lane between rows of two buffers, in groups of
// one, two and three dimensions, from places that may be below the first byte.
func randomNarrow(r *rand.Rand) string {
	local := [][3]int{{64, 1, 1}, {8, 8, 1}, {16, 4, 1}, {4, 4, 4}, {24, 2, 1}, {16, 3, 1}, {5, 7, 1}, {2, 32, 1}, {32, 2, 1}, {1, 16, 1}}[r.Intn(10)]
	typ := []string{"i16", "f16", "i8"}[r.Intn(3)]
	steps := []int{2, 2, 4, 4, 6, 1}
	if typ == "i8" {
		steps = []int{1, 1, 1, 2, 4, 3}
	}
	var w strings.Builder
	fmt.Fprintf(&w, "program \"narrow\" compute\nsubgroup 16\nlocal %d %d %d\npush 8\nin global.x i32 0\nin global.y i32 0\nin local.x i32 0\nin localindex i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n", local[0], local[1], local[2])
	w.WriteString("\tvx = in.i32 #0\n\tvy = in.i32 #1\n\tvl = in.i32 #2\n\tvi = in.i32 #3\n\tvP = push\n\tvp = ld.i32 vP, 0:i32, #0\n\tvg = ld.i32 vP, 0:i32, #4\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n" +
		"\tvr = mul.i32 vy, vp\n\tvs = add.i32 vr, vx\n\tvt = add.i32 vs, vg\n\tvd = add.i32 vx, vg\n\tve = mul.i32 vi, 2:i32\n")
	index := []string{"vx", "vs", "vt", "vd", "vi", "vl", "ve"}
	base := []string{"0:i32", "vg", "6:i32", "vp", "0xffffffe0:i32"}
	for i := range 1 + r.Intn(3) {
		for _, at := range []string{"a", "b"} {
			fmt.Fprintf(&w, "\tv%s%d = at %s, %s, #%d\n", at, i, base[r.Intn(len(base)/(1+r.Intn(2)))], index[r.Intn(len(index))], steps[r.Intn(6)])
		}
		fmt.Fprintf(&w, "\tvv%d = ld.%s vA, va%d, #%d\n", i, typ, i, []int{0, 0, 2, 1, 14}[r.Intn(5)])
		store := fmt.Sprintf("\tst.%s vB, vb%d, vv%d, #%d\n", typ, i, i, []int{0, 0, 2, 1, 14}[r.Intn(5)])
		if r.Intn(3) == 0 {
			store = fmt.Sprintf("\tvm%d = and.i32 vi, 5:i32\n\tvc%d = ult.i32 vm%d, 4:i32\n\tif vc%d {\n%s\t}\n", i, i, i, i, store)
		}
		w.WriteString(store)
	}
	return w.String() + "}\n"
}

// TestRandomNarrow compares the engines on accesses to 8 and 16 bits.
func TestRandomNarrow(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 60)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		text, size := randomNarrow(r), []uint32{4, 8, 16, 32, 64, 128}[r.Intn(6)]
		groups := [3]uint32{1 + uint32(r.Intn(4)), 1 + uint32(r.Intn(3)), 1}
		first := make([]byte, 1<<12)
		r.Read(first)
		lengths := [2]int{r.Intn(1025), r.Intn(1025)}
		push := loadLittleEndian([]uint32{[]uint32{0, 16, 17, 64, 8, 0xfffffff0}[r.Intn(6)], []uint32{0, 1, 2, 8, 0xffffffff, 0xfffffffc, 0x7fffffff, 0xfffffff1}[r.Intn(8)]})
		at := 2048 - 1024*min(1, r.Intn(6)) // where they share bytes
		do := func(e exec.Engine) []byte {
			prog := compileSeed(t, e, seed, text, size)
			defer prog.Close()
			memory := bytes.Clone(first)
			job := &exec.Job{Groups: groups, Workers: 1, Push: push, Resources: [][]exec.Buffer{{{Bytes: memory[1024+512:][:lengths[0]:lengths[0]]}}, {{Bytes: memory[at:][:lengths[1]:lengths[1]]}}}}
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return memory
		}
		want := do(interp.Engine{})
		eachLevel(t, func(t *testing.T, engine jit.Engine) {
			if got := do(engine); !bytes.Equal(got, want) {
				t.Fatalf("seed %d, subgroups of %d: differs\n%s", seed, size, text)
			}
		})
	}
}
