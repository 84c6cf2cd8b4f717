package jit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// baseTallyProgram does an atomic on one of 32 words for each lane, with the addresses of the operands and the words in the push
// constants. Lanes whose word is beyond the region use the region of their own address instead.
func baseTallyProgram(op string) string {
	return "program \"tally\" compute\nsubgroup 16\nlocal 64 1 1\npush 16\nin global.x i32 0\neffects groupops writes\n\nfunc \"main\"() L1 {\n" +
		"\tvp = push\n\tvA = ld.i64 vp, 0:i32, #0\n\tvB = ld.i64 vp, 0:i32, #8\n\tvi = in.i32 #0\n" +
		"\tva = region vA, #4\n\tvd = regionoff va, vA\n\tvo = at vd, vi, #4\n\tvx = ld.i32 va, vo, #0\n" +
		"\tvh = region vB, #4\n\tve = regionoff vh, vB\n\tvn = len vh\n\tvm = mul.i32 vi, 7:i32\n\tvw = and.i32 vm, 31:i32\n" +
		"\tvk = shl.i32 vw, 2:i32\n\tvl = add.i32 vk, ve\n\tvc = ult.i32 vl, vn\n" +
		"\tif vc {\n\t\tvq = at ve, vw, #4\n\t\tvy = atom" + op + ".i32 vh, vq, vx, #0 !unused\n\t} else {\n" +
		"\t\tvt = zext.i64.i32 vk\n\t\tvu = add.i64 vB, vt\n\t\tvr = region vu, #4\n\t\tvs = regionoff vr, vu\n\t\tvz = atom" + op + ".i32 vr, vs, vx, #0 !unused\n\t}\n}\n"
}

// TestBaseTallies has the workgroups of several workers update few words at an address, with every privatizable atomic. The expected
// result is computed here: words in the region of the address and, without a gap, in the one after it.
func TestBaseTallies(t *testing.T) { eachLevel(t, testBaseTallies) }

func testBaseTallies(t *testing.T, engine jit.Engine) {
	const n, skipped = 64 * 32, 3 // words of the region before the address
	for _, c := range tallied {
		for _, words := range []int{12, 24, 40} { // of the region from the address on: 32 are used
			t.Run(fmt.Sprintf("%s, %d words", c.op, words), func(t *testing.T) {
				prog := compileWith(t, engine, baseTallyProgram(c.op))
				source := make([]uint32, n)
				for i := range source {
					source[i] = uint32(i) * 0x9e3779b9
				}
				before := make([]uint32, skipped+words)
				for i := range before {
					before[i] = uint32(i) * 0x85ebca6b
				}
				after := make([]uint32, 64)
				low := 4 * len(before) &^ 7 // regions begin at multiples of 8
				before = before[:low/4]
				all := append(append([]uint32(nil), before...), after...)
				first, second := loadLittleEndian(before), loadLittleEndian(after)
				for i, x := range source {
					at := skipped + i*7%32
					all[at] = c.do(all[at], x)
				}
				push := binary.LittleEndian.AppendUint64(nil, 1<<32)
				push = binary.LittleEndian.AppendUint64(push, 1<<40+4*skipped)
				job := &exec.Job{Groups: [3]uint32{32, 1, 1}, Workers: 3, Push: push, Regions: []exec.Region{
					{Address: 1 << 32, Bytes: loadLittleEndian(source)}, {Address: 1 << 40, Bytes: first}, {Address: 1<<40 + uint64(low), Bytes: second}}}
				if err := prog.Run(t.Context(), job); err != nil {
					t.Fatal(err)
				}
				if got, want := append(first, second...), loadLittleEndian(all); !bytes.Equal(got, want) {
					t.Errorf("%x; must be %x", got, want)
				}
			})
		}
	}
}

// TestBaseTalliesNowhere runs atomics at addresses of no memory, and without push constants: they have no effect.
func TestBaseTalliesNowhere(t *testing.T) { eachLevel(t, testBaseTalliesNowhere) }

func testBaseTalliesNowhere(t *testing.T, engine jit.Engine) {
	prog := compileWith(t, engine, baseTallyProgram("add"))
	words := make([]uint32, 8)
	for _, address := range []uint64{0, 1, 1<<32 - 4, 1<<32 + 29, 1<<32 + 32, 1<<64 - 4} {
		for _, bytes := range []int{0, 12, 16} {
			push := binary.LittleEndian.AppendUint64(nil, 1<<32)
			push = binary.LittleEndian.AppendUint64(push, address)[:bytes]
			to := loadLittleEndian(words)
			job := &exec.Job{Groups: [3]uint32{32, 1, 1}, Workers: 3, Push: push, Regions: []exec.Region{{Address: 1 << 32, Bytes: to}}}
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatal(err)
			}
			check(t, to, words)
		}
	}
}

// TestBaseTallyWaits has the last workgroup wait until the others have counted themselves at an address. They run before it, so that it
// ends within a small budget.
func TestBaseTallyWaits(t *testing.T) { eachLevel(t, testBaseTallyWaits) }

func testBaseTallyWaits(t *testing.T, engine jit.Engine) {
	const groups, size = 32, 64
	prog := compileWith(t, engine, fmt.Sprintf("program \"tally\" compute\nsubgroup 16\nlocal %d 1 1\npush 8\nin workgroup.x i32 0\neffects writes\n\nfunc \"main\"() L1 {\n"+
		"\tvp = push\n\tvB = ld.i64 vp, 0:i32, #0\n\tvg = in.i32 #0\n\tvh = region vB, #4\n\tve = regionoff vh, vB\n\tvl = eq.i32 vg, %d:i32\n"+
		"\tif vl {\n\t\tblock L2 {\n\t\t\tloop L3 {\n\t\t\t\tvw = ld.i32 vh, ve, #0 !vol\n\t\t\t\tvb = ule.i32 %d:i32, vw\n\t\t\t\tif vb {\n\t\t\t\t\tbr L2\n\t\t\t\t}\n\t\t\t\tbr L3\n\t\t\t}\n\t\t}\n\t}\n"+
		"\tvz = atomadd.i32 vh, ve, 1:i32, #0 !unused\n}\n", size, groups-1, size*(groups-1)))
	counter := loadLittleEndian(make([]uint32, 16))
	job := &exec.Job{Groups: [3]uint32{groups, 1, 1}, Workers: 1, Budget: 1 << 10, Push: binary.LittleEndian.AppendUint64(nil, 1<<32), Regions: []exec.Region{{Address: 1 << 32, Bytes: counter}}}
	if err := prog.Run(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint32(counter); got != groups*size {
		t.Errorf("%d invocations are counted; must be %d", got, groups*size)
	}
}
