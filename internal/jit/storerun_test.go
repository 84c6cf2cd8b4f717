package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestStoreRuns stores several words of records, in any order and with gaps: other words remain, with all lanes active and with
// some, at the end of a buffer, and with offsets that wrap around.
func TestStoreRuns(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) { testStoreRuns(t, engine) })
}

func testStoreRuns(t *testing.T, engine exec.Engine) {
	r := rand.New(rand.NewSource(19))
	for n := range 250 {
		words := []int{2, 3, 4, 5, 6, 7, 8, 11, 12, 16}[r.Intn(10)]
		var values, stores strings.Builder
		for i, c := range r.Perm(words)[:1+r.Intn(words)] {
			fmt.Fprintf(&values, "\t\tv%d = mul.i32 vx, %d:i32\n", i, r.Int31())
			if r.Intn(6) == 0 { // the next store is of another run
				fmt.Fprintf(&stores, "\t\tvl%d = ld.i32 vB, vo, #%d\n", i, 4*c)
				fmt.Fprintf(&stores, "\t\tv%d = add.i32 v%[1]d, vl%[1]d\n", i)
			}
			fmt.Fprintf(&stores, "\t\tst.i32 vB, vo, v%d, #%d\n", i, 4*c)
		}
		some := []string{"true", "vsome"}[n%2]
		first := []string{"0:i32", "1:i32", "-3:i32", "0x3ffffff8:i32"}[r.Intn(4)]
		text := strings.NewReplacer("FIRST", first, "SIZE", fmt.Sprint(4*words), "SOME", some, "VALUES", values.String(), "STORES", renamed(stores.String())).Replace(`program "run" compute
subgroup 16
local 32 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vB = res 0:i32, #1
	vi = add.i32 vx, FIRST
	vo = at 0:i32, vi, #SIZE
	vbit = and.i32 vx, 5:i32
	vsome = ult.i32 0:i32, vbit
	if SOME {
VALUESSTORES	}
}
`)
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 4)), buffer(filled(r, 64*words-5*r.Intn(2)))}}
		sameRecords(t, engine, text, job)
	}
}

// sameRecords runs a program with subgroups of several sizes, and compares the buffers with the interpreter's.
func sameRecords(t *testing.T, engine exec.Engine, text string, job exec.Job) {
	t.Helper()
	for _, subgroup := range []uint32{8, 16, 32} {
		want := run(interp.Engine{}, text, subgroup, job)
		if want.err != nil {
			t.Fatalf("%v:\n%s", want.err, text)
		}
		if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
			t.Fatalf("subgroup %d:\n%s", subgroup, text)
		}
	}
}

// renamed gives the second definition of a value, and its use after that, another name.
func renamed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		switch f := strings.Fields(line); {
		case len(f) > 2 && f[2] == "add.i32":
			line = strings.Replace(line, f[0]+" =", f[0]+"s =", 1)
		case f[0] == "st.i32" && strings.Contains(text, f[3][:len(f[3])-1]+"s ="):
			line = strings.Replace(line, f[3], f[3][:len(f[3])-1]+"s,", 1)
		}
		out.WriteString(line)
	}
	return out.String()
}

// filled returns random words.
func filled(r *rand.Rand, n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = r.Uint32()
	}
	return list
}
