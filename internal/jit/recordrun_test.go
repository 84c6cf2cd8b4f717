package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestRecordRuns loads and stores words of records, and private memory between them, in any order: a load has the bytes of the last store to its word, with all lanes
// active and with some, at the end of a buffer, with offsets that wrap around, and with records that overlap.
func TestRecordRuns(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) { testRecordRuns(t, engine) })
}

func testRecordRuns(t *testing.T, engine exec.Engine) {
	r := rand.New(rand.NewSource(23))
	for n := range 250 {
		words := []int{2, 3, 4, 5, 6, 7, 8, 9, 12, 16}[r.Intn(10)]
		text := recordProgram(r, words, n%2 == 0)
		if n%3 == 0 {
			text = indexed(text, words)
		}
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(filled(r, 64)), buffer(filled(r, 64*words-5*r.Intn(2)))}}
		sameRecords(t, engine, text, job)
	}
}

// indexed returns a program of recordProgram with the words of a record in the index of an array of words, in place of the immediate.
func indexed(text string, words int) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		at := strings.LastIndex(line, ", #")
		if at < 0 || !strings.Contains(line, "vB, vo,") {
			continue
		}
		var offset int
		fmt.Sscanf(line[at:], ", #%d", &offset)
		line = strings.Replace(line[:at]+", #0\n", "vo", fmt.Sprintf("vat%d", i), 1)
		lines[i] = fmt.Sprintf("\t\tvbase%[1]d = mul.i32 vi, %[2]d:i32\n\t\tvindex%[1]d = add.i32 vbase%[1]d, %[3]d:i32\n\t\tvat%[1]d = at 0:i32, vindex%[1]d, #4\n", i, words, offset/4) + line
	}
	return strings.Join(lines, "")
}

// testLastRecords loads two adjacent words of records of all sizes up to the end of the buffer: with indices that the code reads, and with
// constant ones, of which no two accesses share a bounds check.
func testLastRecords(t *testing.T, engine exec.Engine) {
	r := rand.New(rand.NewSource(24))
	for words := 2; words <= 17; words++ {
		for at := 0; at < 4*words-4; at += 4 {
			lastRecords(t, engine, r, "global.x", 32, words, at)
			lastRecords(t, engine, r, "localindex", 8, words, at)
		}
	}
}

// lastRecords loads the words at a byte and the next one of the record of each invocation. An input is the number of the record.
func lastRecords(t *testing.T, engine exec.Engine, r *rand.Rand, input string, local, words, at int) {
	text := fmt.Sprintf(`program "last" compute
subgroup 16
local %d 1 1
in %s i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vx, #%d
	vw = at 0:i32, vx, #4
	va = ld.i32 vB, vo, #%d
	vb = ld.i32 vB, vo, #%d
	vc = sub.i32 va, vb
	st.i32 vA, vw, vc, #0
}
`, local, input, 4*words, at, at+4)
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(filled(r, 32)), buffer(filled(r, local*words))}}
	sameRecords(t, engine, text, job)
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
var "p" 4 -1

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
		switch at := 4 * r.Intn(words+1); r.Intn(9) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "\t\tv%d = ld.i32 vB, vo, #%d\n", values, at)
			values++
		case 3, 4:
			fmt.Fprintf(&b, "\t\tst.i32 vB, vo, %s, #%d\n", any(), at)
		case 5:
			fmt.Fprintf(&b, "\t\tv%d = mul.i32 %s, %s\n", values, any(), any())
			values++
		case 7:
			fmt.Fprintf(&b, "\t\tpst.i32 %d:i32, %s, #0\n", r.Intn(4), any())
		case 8:
			fmt.Fprintf(&b, "\t\tv%d = pld.i32 %d:i32, #0\n", values, r.Intn(4))
			values++
		case 6:
			fmt.Fprintf(&b, "\t\tst.i32 vA, vw, %s, #0\n", any())
		}
	}
	fmt.Fprintf(&b, "\t\tst.i32 vA, vw, v%d, #0\n\t}\n}\n", values-1)
	return b.String()
}
