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

// pairCase loads adjacent words, at random offsets of which some are out of range or only their second
// word is, under a mask, in a loop with live values of the last iteration, and with a store between
// two loads.
func pairCase(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("program \"pairs\" compute\nsubgroup 16\nlocal 16 1 1\nin global.x i32 0\n" +
		"res storage 0 0 count 1\nres storage 0 1 count 1\nres storage 0 2 count 1\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvC = res 0:i32, #2\n" +
		"\tva = at 0:i32, vi, #8\n\tvo = ld.i32 vA, va, #0\n\tvn = ld.i32 vA, va, #4\n\tvout = at 0:i32, vi, #64\n")
	imm := 4 * r.Intn(4)
	count := 1 + r.Intn(7)
	switch r.Intn(6) {
	case 5: // from workgroup memory, which ends within 16 bytes
		count = min(count, 4)
		text := strings.Replace(b.String(), "local 16 1 1", fmt.Sprintf("local 16 1 1\nshared %d", 4*(33+r.Intn(8))), 1)
		b.Reset()
		b.WriteString(strings.Replace(text, "in global.x i32 0\n", "in global.x i32 0\nin localindex i32 0\n", 1))
		b.WriteString("\tvW = wg\n\tvl = in.i32 #1\n\tvw = at 0:i32, vl, #8\n\tst.i32 vW, vw, vo, #0\n\tst.i32 vW, vw, vi, #4\n\tbarrier\n\tvf = and.i32 vo, 255:i32\n")
		for i := range count + 1 {
			fmt.Fprintf(&b, "\tvx%d = ld.i32 vW, vf, #%d\n", i, imm+4*i)
		}
		for i := range count + 1 {
			fmt.Fprintf(&b, "\tst.i32 vC, vout, vx%d, #%d\n", i, 4*i)
		}
	case 3, 4: // as filters read texels, under a mask, with rows of several lengths
		width := []int{4, 8, 16}[r.Intn(3)]
		text := strings.Replace(b.String(), "local 16 1 1", fmt.Sprintf("local %d %d 1", width, 16/width), 1)
		text = strings.Replace(text, "in global.x i32 0\n", "in localindex i32 0\nin workgroup.x i32 0\n", 1)
		text = strings.Replace(text, "vi = in.i32 #0", "vl = in.i32 #0\n\tvg = in.i32 #1\n\tvi = at vl, vg, #16", 1)
		b.Reset()
		b.WriteString(text)
		fmt.Fprintf(&b, "\tvq = umin.i32 vo, %d:i32\n\tvon = ult.i32 vn, %d:i32\n\tif von {\n", 403-32, r.Intn(6))
		fmt.Fprintf(&b, "\t\tvx = ld.i32 vB, vq, #%d !proven\n\t\tvy = ld.i32 vB, vq, #%d !proven\n\t\tvz = ld.i32 vB, vq, #%d !proven\n", imm, imm+4, imm+8)
		if r.Intn(2) > 0 {
			fmt.Fprintf(&b, "\t\tvw = ld.i32 vB, vq, #%d !proven\n\t\tst.i32 vC, vout, vw, #20\n", imm+12)
		}
		if r.Intn(3) > 0 { // another row of texels
			fmt.Fprintf(&b, "\t\tvr = at vq, vn, #%d\n\t\tvs = umin.i32 vr, %d:i32\n", 4*r.Intn(3), 403-32)
			fmt.Fprintf(&b, "\t\tvx2 = ld.i32 vB, vs, #%d !proven\n\t\tvy2 = ld.i32 vB, vs, #%d !proven\n", imm, imm+4)
			b.WriteString("\t\tst.i32 vC, vout, vx2, #12\n\t\tst.i32 vC, vout, vy2, #16\n")
		}
		b.WriteString("\t\tst.i32 vC, vout, vx, #0\n\t\tst.i32 vC, vout, vy, #4\n\t\tst.i32 vC, vout, vz, #8\n\t}\n")
	case 0: // under a mask, or for all lanes
		end := ""
		if r.Intn(3) > 0 {
			fmt.Fprintf(&b, "\tvon = ult.i32 vn, %d:i32\n\tif von {\n", r.Intn(5))
			end = "\t}\n"
		}
		for i := range count + 1 {
			fmt.Fprintf(&b, "\t\tvx%d = ld.i32 vB, vo, #%d\n", i, imm+4*i)
		}
		for i := range count + 1 {
			fmt.Fprintf(&b, "\t\tst.i32 vC, vout, vx%d, #%d\n", i, 4*i)
		}
		b.WriteString(end)
	case 1: // of the last iteration
		b.WriteString("\tblock L2(vr i32, vs i32) {\n\t\tloop L3(vk i32 = 0:i32) {\n")
		fmt.Fprintf(&b, "\t\t\tvp = at vo, vk, #4\n\t\t\tvx = ld.i32 vB, vp, #%d\n\t\t\tvy = ld.i32 vB, vp, #%d\n", imm, imm+4)
		b.WriteString("\t\t\tvend = ule.i32 vn, vk\n\t\t\tif vend {\n\t\t\t\tbr L2(vx, vy)\n\t\t\t}\n\t\t\tvk1 = add.i32 vk, 1:i32\n\t\t\tbr L3(vk1)\n\t\t}\n\t}\n" +
			"\tst.i32 vC, vout, vr, #0\n\tst.i32 vC, vout, vs, #4\n")
	case 2: // the store may change what the second load sees
		fmt.Fprintf(&b, "\tvx = ld.i32 vC, vo, #%d\n\tst.i32 vC, vo, vi, #%d\n\tvy = ld.i32 vC, vo, #%d\n\tst.i32 vC, vout, vx, #0\n\tst.i32 vC, vout, vy, #4\n", imm, imm+4, imm+4)
	}
	return b.String() + "}\n"
}

// nearness says how far the places of the lanes of a subgroup are from each other.
type nearness int

const (
	apart    nearness = iota
	mixed             // most are within 32 words of the first, some are anywhere
	outlier           // some may be a little further away, or between two words
	nearby            // all are within 32 words of the first
	halves            // each of eight lanes is near the first of them
	records           // most are 16 bytes from the next one, all are within 64 words of the first
	rowPairs          // of eight lanes the even ones are near the first, and the odd ones near the second
)

// TestPairs runs loads of words side by side on both engines.
func TestPairs(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) { testPairs(t, engine) })
}

func testPairs(t *testing.T, engine exec.Engine) {
	const n, size = 128, 403
	for seed := range 400 {
		r := rand.New(rand.NewSource(int64(seed)))
		var places []uint32
		var rows [2]uint32 // where the windows of eight lanes begin
		near, base := apart, uint32(0)
		for lane := range n {
			at := uint32(r.Intn(size/4)) * 4
			if lane%16 == 0 {
				near, base = nearness(r.Intn(7)), uint32(r.Intn(size-100)+r.Intn(2)*60-r.Intn(2)*4)
				if near == records {
					base = uint32(r.Intn(size - 200))
				}
			}
			switch {
			case near == records:
				if at = base + 16*uint32(lane%16); r.Intn(20) == 0 {
					at = base + 4*uint32(r.Intn(64))
				}
			case near == rowPairs:
				if lane%8 < 2 {
					if rows[lane%2] = 4 * uint32(r.Intn(size/4-9)); r.Intn(3) == 0 {
						rows[lane%2] = uint32(size - 32 - r.Intn(12))
					}
				}
				if at = rows[lane%2]; lane%8 > 1 { // most windows have eight words
					at += 4 * uint32(r.Intn(8+r.Intn(12)/11))
				}
				if r.Intn(100) == 0 {
					at -= uint32(r.Intn(8))
				}
			case near == halves:
				if lane%8 == 0 {
					if base = uint32(r.Intn(size - 32)); r.Intn(3) == 0 {
						base = uint32(size - 32 - 4*r.Intn(8))
					}
				}
				if at = base; lane%8 > 0 { // most windows have room for 15
					at += 4 * uint32(r.Intn(15+r.Intn(20)/19*2))
				}
			case near != apart:
				at = base + 4*uint32(lane%16*r.Intn(3))
			}
			if near == outlier && r.Intn(16) == 0 {
				at += uint32(r.Intn(68))
			}
			if near == nearby || near == outlier || near == halves || near == records || near == rowPairs {
				places = append(places, at, uint32(r.Intn(5)))
				continue
			}
			switch r.Intn(12) {
			case 0:
				at = uint32(size - r.Intn(24))
			case 1:
				at = -uint32(r.Intn(16))
			}
			places = append(places, at, uint32(r.Intn(5)))
		}
		if seed%7 == 3 { // one place for eight lanes
			for i := range places {
				if i%2 == 0 {
					places[i] = places[i&^15]
				}
			}
		}
		from, to := make([]byte, size), make([]byte, 64*n)
		r.Read(from)
		r.Read(to)
		job := exec.Job{Groups: [3]uint32{n / 16, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(places), {{Bytes: from}}, {{Bytes: to}}}}
		text := pairCase(r)
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
		}
		same(t, want, run(engine, text, 0, job))
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
}
