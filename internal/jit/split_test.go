package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
)

// splitProgram keeps n values in a loop.
func splitProgram(n int) string {
	var start, body, sum strings.Builder
	for i := range n {
		fmt.Fprintf(&start, ", va%d i32 = vx", i)
		fmt.Fprintf(&body, "\t\t\t\tvm%d = mul.i32 va%d, vk\n\t\t\t\tvn%d = add.i32 vm%d, %d:i32\n", i, i, i, i, i)
		fmt.Fprintf(&sum, "vn%d", i)
		if i < n-1 {
			sum.WriteString(", ")
		}
	}
	text := "program \"split\" compute\nsubgroup 16\nlocal 64 1 1\nin global.x i32 0\nres storage 0 0 count 1\n\n" +
		"func \"main\"() L1 {\n\tvx = in.i32 #0\n\tvA = res 0:i32, #0\n\tvk = or.i32 vx, 1:i32\n\tblock L2(vout i32) {\n\t\tloop L3(vi i32 = 0:i32" + start.String() + ") {\n" +
		"\t\t\tvmore = ult.i32 vi, 9:i32\n\t\t\tif vmore {\n" + body.String() + "\t\t\t\tvj = add.i32 vi, 1:i32\n\t\t\t\tbr L3(vj, " + sum.String() + ")\n\t\t\t}\n"
	total := "va0"
	for i := 1; i < n; i++ {
		text += fmt.Sprintf("\t\t\tvs%d = xor.i32 %s, va%d\n", i, total, i)
		total = fmt.Sprintf("vs%d", i)
	}
	return text + "\t\t\tbr L2(" + total + ")\n\t\t}\n\t}\n\tvo = at 0:i32, vx, #4\n\tst.i32 vA, vo, vout, #0\n}\n"
}

// TestSplitSubgroup compares programs with so many values in a loop that only half a subgroup's fit in vectors.
func TestSplitSubgroup(t *testing.T) { eachLevel(t, testSplitSubgroup) }

func testSplitSubgroup(t *testing.T, engine jit.Engine) {
	lanes := uint32(jit.FormOf(engine.Level).Lanes)
	sized := strings.NewReplacer("subgroup 16", fmt.Sprintf("subgroup %d", 2*lanes))
	for _, n := range []int{2, 8, 12, 14, 20, 40} {
		job := exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 192))}}
		text := sized.Replace(splitProgram(n))
		want := run(interp.Engine{}, text, 2*lanes, job)
		if want.err != nil {
			t.Fatal(want.err)
		}
		if same(t, want, run(engine, text, 2*lanes, job)); t.Failed() {
			t.Fatalf("%d values", n)
		}
	}
	text, path := sized.Replace(splitProgram(manyValues(lanes))), t.TempDir()
	for _, want := range []jit.CacheStats{{Misses: 1}, {DiskHits: 1}} {
		disk, err := store.Open(path, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		engine.Cache = jit.NewCache(1<<20, disk, "v")
		if got := stripLanes(t, engine, text); got != lanes || engine.Cache.Stats() != want {
			t.Errorf("strips of %d lanes, %+v; want %d, %+v", got, engine.Cache.Stats(), lanes, want)
		}
		disk.Close()
	}
}

// manyValues returns a number of values of which one vector each fits in the vectors of a level, but not two.
func manyValues(lanes uint32) int {
	const lanesOfAVX2 = 8
	if lanes == lanesOfAVX2 { // 16 vectors
		return 14
	}
	return 26 // AVX-512 and NEON have 32
}

// stripLanes returns the lanes of the strips of a program.
func stripLanes(t *testing.T, engine jit.Engine, text string) uint32 {
	t.Helper()
	return jit.StripLanes(compileWith(t, engine, text))
}

// TestUnsplitSubgroup checks that a subgroup of twice the lanes of a vector remains one strip, although its values do not fit in
// vectors, if lanes overwrite stores of others in a loop, read them, or are in quads of distant rows.
func TestUnsplitSubgroup(t *testing.T) { eachLevel(t, testUnsplitSubgroup) }

func testUnsplitSubgroup(t *testing.T, engine jit.Engine) {
	const step, first = "\t\t\t\tvj = add", "vm0 = mul.i32 va0, vk"
	lanes := uint32(jit.FormOf(engine.Level).Lanes)
	size := strings.NewReplacer("subgroup 16", fmt.Sprintf("subgroup %d", 2*lanes)).Replace(splitProgram(manyValues(lanes)))
	for name, text := range map[string]string{
		"stores in a loop": strings.Replace(size, step, "\t\t\t\tvw = add.i32 vx, vi\n\t\t\t\tvp = at 0:i32, vw, #4\n\t\t\t\tst.i32 vA, vp, vx, #0\n"+step, 1),
		"loads":            strings.Replace(size, first, "vw = add.i32 vx, vi\n\t\t\t\tvp = at 0:i32, vw, #4\n\t\t\t\tvl = ld.i32 vA, vp, #0\n\t\t\t\tvm0 = mul.i32 va0, vl", 1),
		"quads":            strings.NewReplacer("local 64 1 1", fmt.Sprintf("local 64 1 1\nquadrow %d", lanes), first, "vm0 = quadswap.i32 va0, #2").Replace(size),
	} {
		job := exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 192))}}
		want := run(interp.Engine{}, text, 2*lanes, job)
		if want.err != nil {
			t.Fatal(want.err)
		}
		if same(t, want, run(engine, text, 2*lanes, job)); t.Failed() {
			t.Fatal(name)
		}
		if got := stripLanes(t, engine, text); got != 2*lanes {
			t.Errorf("%s: strips of %d lanes, want %d", name, got, 2*lanes)
		}
	}
}
