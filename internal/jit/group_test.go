package jit_test

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// groupOperations are all reductions, scans and other operations at which lanes
// meet, as text: of va (i32), vf (f32), vb (b1) and the lane number vn.
func groupOperations(size uint32) (list []string) {
	for _, op := range []ir.Op{ir.Add, ir.Mul, ir.UMin, ir.UMax, ir.SMin, ir.SMax, ir.And, ir.Or, ir.Xor} {
		for _, kind := range []string{"reduce", "scani", "scanx"} {
			for cluster := uint32(1); cluster <= size; cluster *= 2 {
				list = append(list, fmt.Sprintf("%s.i32 va, %s, #%d", kind, op, cluster))
			}
			list = append(list, fmt.Sprintf("%s.i32 va, %s, #0", kind, op))
		}
	}
	for _, op := range []ir.Op{ir.FAdd, ir.FMul, ir.NMin, ir.NMax} {
		for _, kind := range []string{"reduce", "scani", "scanx"} {
			list = append(list, fmt.Sprintf("%s.f32 vf, %s, #0", kind, op))
		}
	}
	for _, op := range []ir.Op{ir.NMin, ir.NMax} {
		for _, kind := range []string{"reduce", "scani", "scanx"} {
			list = append(list, fmt.Sprintf("%s.f32 vodd, %s, #0", kind, op), fmt.Sprintf("%s.f32 vodd, %s, #4", kind, op))
		}
	}
	return append(list, "shuf.i32 va, vn", "shuf.f32 vf, vn", "quadswap.i32 va, #0", "quadswap.i32 va, #1", "quadswap.f32 vf, #2", "quadswap.i32 va, #3", "ballot vb, #0", "ballot vb, #1", "ballot vb, #2", "ballot vb, #3", "elect", "any vb", "all vb", "alleq.i32 va", "alleq.i32 vq", "alleq.f32 vf", "alleq.f32 vnan")
}

// TestGroupOperations runs them with some lanes active and with all, on every
// size of subgroup.
func TestGroupOperations(t *testing.T) { eachLevel(t, testGroupOperations) }

func testGroupOperations(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(9))
	words := make([]uint32, 304*4)
	for i := range words {
		words[i] = r.Uint32()
		if i%4 == 0 && r.Intn(2) == 0 {
			words[i] = uint32(r.Intn(3))
		}
	}
	for _, size := range []uint32{4, 8, 16, 32, 64, 128} {
		for _, op := range groupOperations(size) {
			for _, some := range []string{"true", "vsome", "vfew"} {
				text := groupProgram(op, some)
				job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 304))}}
				t.Run(fmt.Sprintf("%s in %s of %d", op, some, size), func(t *testing.T) {
					want := run(interp.Engine{}, text, size, job)
					if want.err != nil {
						t.Fatal(want.err)
					}
					same(t, want, run(engine, text, size, job))
				})
			}
		}
	}
}

func groupProgram(op, some string) string {
	show := "\tst.i32 vB, vr, vy, #0\n"
	switch {
	case strings.HasPrefix(op, "elect"), strings.HasPrefix(op, "any"), strings.HasPrefix(op, "all"):
		show = "\tvz = zext.i32.b1 vy\n\tst.i32 vB, vr, vz, #0\n"
	case strings.Contains(op, ".f32"):
		show = "\tvc = fcanon.f32 vy\n\tst.f32 vB, vr, vc, #0\n"
	}
	return "program \"group\" compute\nsubgroup 32\nlocal 300 1 1\nin localindex i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\n" +
		"effects groupops writes\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvo = at 0:i32, vi, #16\n\tvr = at 0:i32, vi, #4\n" +
		"\tva = ld.i32 vA, vo, #0\n\tvf = ld.f32 vA, vo, #4\n\tvm = ld.i32 vA, vo, #8\n\tvl = ld.i32 vA, vo, #12\n" +
		"\tvn = and.i32 vl, 255:i32\n\tvb = slt.i32 vm, 0:i32\n\tvq = and.i32 vm, 3:i32\n\tvsome = ult.i32 0:i32, vq\n\tvrow = and.i32 vi, 48:i32\n\tvthat = eq.i32 vrow, 32:i32\n\tvfew = and.b1 vsome, vthat\n\tvnan = fdiv.f32 vf, 0.0:f32\n\tvbits = shl.i32 vm, 21:i32\n\tvodd = bitcast.f32 vbits\n" +
		"\tif " + some + " {\n\tvy = " + op + "\n" + show + "\t}\n}\n"
}

// TestQuadRows swaps within quads whose rows are any distance apart, in some lanes
// and in all.
func TestQuadRows(t *testing.T) { eachLevel(t, testQuadRows) }

func testQuadRows(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(11))
	words := make([]uint32, 304*4)
	for i := range words {
		words[i] = r.Uint32()
	}
	for _, size := range []uint32{4, 8, 16, 32, 64, 128} {
		for row := uint32(2); row < size; row *= 2 {
			for _, local := range []string{"300 1 1", "128 2 1"} {
				for _, op := range []string{"i32 va, #0", "i32 va, #1", "f32 vf, #2", "i32 va, #3"} {
					for _, some := range []string{"true", "vsome", "vfew"} {
						text := groupProgram("quadswap."+op, some)
						text = strings.Replace(text, "local 300 1 1", fmt.Sprint("local ", local, "\nquadrow ", row), 1)
						job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 304))}}
						want := run(interp.Engine{}, text, size, job)
						if want.err != nil {
							t.Fatal(want.err)
						}
						if same(t, want, run(engine, text, size, job)); t.Failed() {
							t.Fatalf("quadswap.%s in %s of %d, rows %d apart, %s", op, some, size, row, local)
						}
					}
				}
			}
		}
	}
}

// TestGroupOperationsThatOutlive has lanes leave a loop one after the other, each
// with what the operation gave it last, in a register that others write after it.
func TestGroupOperationsThatOutlive(t *testing.T) { eachLevel(t, testGroupOperationsThatOutlive) }

func testGroupOperationsThatOutlive(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(10))
	words := make([]uint32, 304*4)
	for i := range words {
		words[i] = r.Uint32() >> (i % 4)
	}
	for _, size := range []uint32{8, 16, 32, 64, 128} {
		for _, op := range []string{"reduce.i32 vs, add, #0", "scani.i32 vs, add, #0", "scanx.i32 vs, xor, #8", "shuf.i32 vs, vn", "quadswap.i32 vs, #1", "ballot vb, #0", "ballot vb, #1"} {
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 304))}}
			text := outliving("\tvy = " + op + "\n\tvt = add.i32 vs, vy\n")
			want := run(interp.Engine{}, text, size, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			same(t, want, run(engine, text, size, job))
		}
		for _, op := range []string{"elect", "any vb", "all vb", "alleq.i32 vk"} {
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 304))}}
			text := outliving("\tvz = " + op + "\n\tvy = zext.i32.b1 vz\n\tvw = shl.i32 vs, 1:i32\n\tvt = or.i32 vw, vy\n")
			want := run(interp.Engine{}, text, size, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			if same(t, want, run(engine, text, size, job)); t.Failed() {
				t.Fatal(op, size)
			}
		}
	}
}

// outliving makes of vs, in each turn of a loop that the lane goes through, vt.
func outliving(turn string) string {
	return "program \"outlive\" compute\nsubgroup 32\nlocal 300 1 1\nin localindex i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\n" +
		"effects groupops writes\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvo = at 0:i32, vi, #16\n\tvr = at 0:i32, vi, #4\n" +
		"\tva = ld.i32 vA, vo, #0\n\tvm = ld.i32 vA, vo, #8\n\tvl = ld.i32 vA, vo, #12\n\tvturns = and.i32 vm, 7:i32\n\tvn = and.i32 vl, 255:i32\n" +
		"\tblock L2(vx i32) {\n\t\tloop L3(vk i32 = 0:i32, vs i32 = va) {\n\tvp = xor.i32 vs, vk\n\tvb = slt.i32 vp, 0:i32\n" + turn +
		"\tvg = add.i32 vk, 1:i32\n\tvc = ult.i32 vturns, vg\n\tif vc {\n\tbr L2(vt)\n\t}\n\tbr L3(vg, vt)\n\t\t}\n\t}\n\tst.i32 vB, vr, vx, #0\n}\n"
}

// TestGroupOperationsStay makes sure that the operations do not leave for Go.
func TestGroupOperationsStay(t *testing.T) {
	needMachine(t)
	if _, err := jit.Choose(target.AVX512); err != nil {
		t.Skip(err)
	}
	for _, size := range []uint32{16, 32, 64, 128} {
		for _, op := range []string{"quadswap.i32 va, #1", "quadswap.f32 vf, #2", "alleq.i32 va", "alleq.f32 vf", "shuf.i32 va, vn", "reduce.i32 va, add, #0", "reduce.f32 vf, nmin, #0", "scanx.f32 vf, nmax, #0", "elect", "any vb", "all vb", "ballot vb, #0"} {
			p, err := ir.Parse(groupProgram(op, "vsome"))
			if err != nil {
				t.Fatal(err)
			}
			p.SubgroupSize = size
			prog, err := jit.Engine{Level: target.AVX512}.Compile(p, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 1216)), buffer(make([]uint32, 304))}}
			if err := prog.Run(context.Background(), &job); err != nil {
				t.Fatal(err)
			}
			if n := prog.(interface{ Exits() uint64 }).Exits(); n != 0 {
				t.Errorf("%s in subgroups of %d leaves for Go %d times", op, size, n)
			}
			prog.Close()
		}
	}
}
