package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestRecordRuns loads and stores words of records in any order: a load has the bytes of the last store to its word, with all lanes
// active and with some, at the end of a buffer, with offsets that wrap around, and with records that overlap.
func TestRecordRuns(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) { testRecordRuns(t, engine) })
}

func testRecordRuns(t *testing.T, engine exec.Engine) {
	r := rand.New(rand.NewSource(23))
	for n := range 200 {
		words := 2 << r.Intn(3)
		text := recordProgram(r, words, n%2 == 0)
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(filled(r, 64)), buffer(filled(r, 64*words-5*r.Intn(2)))}}
		sameRecords(t, engine, text, job)
	}
}

// recordProgram returns a program with random accesses to records of so many words.
func recordProgram(r *rand.Rand, words int, all bool) string {
	some := "vsome"
	if all {
		some = "true"
	}
	first := []string{"0:i32", "1:i32", "-3:i32", "0x3ffffff8:i32"}[r.Intn(4)]
	var b strings.Builder
	fmt.Fprintf(&b, `program "run" compute
subgroup 16
local 32 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vi = add.i32 vx, %s
	vo = at 0:i32, vi, #%d
	vw = at 0:i32, vx, #4
	vbit = and.i32 vx, 5:i32
	vsome = ult.i32 0:i32, vbit
	if %s {
		v0 = add.i32 vx, 7:i32
`, first, 4*words, some)
	values := 1
	for range 4 + r.Intn(24) {
		any := func() string { return fmt.Sprintf("v%d", r.Intn(values)) }
		switch at := 4 * r.Intn(words+1); r.Intn(7) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "\t\tv%d = ld.i32 vB, vo, #%d\n", values, at)
			values++
		case 3, 4:
			fmt.Fprintf(&b, "\t\tst.i32 vB, vo, %s, #%d\n", any(), at)
		case 5:
			fmt.Fprintf(&b, "\t\tv%d = mul.i32 %s, %s\n", values, any(), any())
			values++
		case 6:
			fmt.Fprintf(&b, "\t\tst.i32 vA, vw, %s, #0\n", any())
		}
	}
	fmt.Fprintf(&b, "\t\tst.i32 vA, vw, v%d, #0\n\t}\n}\n", values-1)
	return b.String()
}
