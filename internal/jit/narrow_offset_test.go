package jit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// narrowOffsets moves 8 or 16 bits between a buffer, the workgroup memory and another buffer at offsets from memory, in all lanes or some;
// the other lanes keep a value of their own. Some lanes may become helpers, which store nothing.
func narrowOffsets(typ string, imm int, some, demotes bool) string {
	condition, local, demote := "vd", "64 1 1", ""
	if demotes {
		local, demote = "8 8 1\nquadrow 4", "vm = eq.i32 vk, 1:i32\nif vm {\ndemote\n}\n"
	}
	if some {
		condition = "vc"
	}
	return fmt.Sprintf(`program "t" compute
subgroup 16
local %[4]s
shared 96
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1
effects writes

func "main"() L1 {
vA = res 0:i32, #0
vB = res 0:i32, #1
vC = res 0:i32, #2
vW = wg
vx = in.i32 #0
vo = at 0:i32, vx, #12
vl = ld.i32 vC, vo, #0
vs = ld.i32 vC, vo, #4
vk = ld.i32 vC, vo, #8
vc = ult.i32 0:i32, vk
vd = ult.i32 0:i32, 1:i32
vt = trunc.%[1]s vx
%[5]sblock L2(vn %[1]s) {
if %[3]s {
v1 = ld.%[1]s vA, vl, #%[2]d
st.%[1]s vB, vs, v1, #%[2]d
st.%[1]s vW, vs, v1, #%[2]d
v2 = ld.%[1]s vW, vl, #%[2]d
v3 = add.%[1]s v1, v2
br L2(v3)
}
br L2(vt)
}
v4 = ld.%[1]s vB, vl, #%[2]d
v5 = add.%[1]s v4, vn
st.%[1]s vB, vs, v5, #%[2]d
}
`, typ, imm, condition, local, demote)
}

// TestNarrowOffsets compares accesses to 8 and 16 bits at offsets that are mostly next to each other: at each end of short buffers, in rows
// with gaps, of lanes that are inactive, and before offset 0.
func TestNarrowOffsets(t *testing.T) { eachLevel(t, testNarrowOffsets) }

func testNarrowOffsets(t *testing.T, engine jit.Engine) {
	from, to := irgen.Seeds(t, 400, 60)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		typ, size := "i16", uint32(2)
		if r.Intn(2) == 0 {
			typ, size = "i8", 1
		}
		text, subgroup := narrowOffsets(typ, []int{0, 1, 6}[r.Intn(3)], r.Intn(2) == 0, r.Intn(3) == 0), []uint32{8, 16, 32, 64}[r.Intn(4)]
		lengths := [2]int{r.Intn(120), r.Intn(120)}
		first := make([]byte, 1<<10)
		r.Read(first)
		offsets, breaks := make([]byte, 64*12), 1+r.Intn(64)
		at := [2]uint32{uint32(r.Intn(60)), uint32(r.Intn(60))}
		for i := range 64 {
			for k := range at {
				if at[k] += size; r.Intn(breaks) == 0 || i%8 == 0 && r.Intn(3) == 0 {
					at[k] = []uint32{uint32(r.Intn(128)), -uint32(r.Intn(20)), 1<<31 - uint32(r.Intn(9))}[max(r.Intn(8)-5, 0)]
				}
				offset := at[k]
				if k == 0 && r.Intn(2*breaks) == 0 {
					offset -= uint32(r.Intn(12))
				}
				binary.LittleEndian.PutUint32(offsets[12*i+4*k:], offset)
			}
			offsets[12*i+8] = byte(r.Intn(1 + breaks/4))
		}
		do := func(e exec.Engine) []byte {
			prog := compileSeed(t, e, seed, text, subgroup)
			defer prog.Close()
			memory := bytes.Clone(first)
			job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{
				{{Bytes: memory[256:][:lengths[0]:lengths[0]]}}, {{Bytes: memory[512:][:lengths[1]:lengths[1]]}}, {{Bytes: offsets}}}}
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return memory
		}
		if got, want := do(engine), do(interp.Engine{}); !bytes.Equal(got, want) {
			t.Fatalf("seed %d, subgroups of %d: differs\n%s", seed, subgroup, text)
		}
	}
}
