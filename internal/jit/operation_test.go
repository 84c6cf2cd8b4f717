package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// types are all types of data, b1 excepted, which memory does not hold.
var types = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64}

// special are bits that are particular for some type: zeros, infinities, NaNs,
// the largest and smallest numbers, denormals, halves that tie, the bounds of
// conversions and their neighbours.
var special = []uint64{
	0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 1 << 32, 1<<32 + 1, 1<<53 + 1, 1<<63 - 1025,
	1 << 63, 1<<63 + 1, 1<<63 - 1, 1<<64 - 1, 1<<64 - 2, 1<<64 - 1025, 0xffffffff00000000, 0xffffffff80000000,
	0xfffffff, 0x1000000, 0x1000001, 0x1000003, 0xfeffffff, 0xff000001,

	// f16
	0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd55, 0x3c00, 0xbc00, 0x3c01, 0x0400, 0x8400, 0x03ff, 0x0001, 0x83ff, 0x7bff, 0xfbff, 0x3800, 0x3e00, 0x4100,
	0x57f0, 0x5bff, 0x77ff, 0x7800, 0xf800, 0x4900,

	// f32
	0x3f800000, 0xbf800000, 0x3f800001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffa5a5a5, 0x00800000, 0x007fffff, 0x807fffff,
	0x3f000000, 0x3fc00000, 0x40200000, 0xbf000000, 0xbfc00000, 0x3effffff, 0x4b000001, 0x4effffff, 0x4f000000, 0x4f000001, 0xcf000000, 0xcf000001,
	0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff, 0x5f800000, 0x7f7fffff, 0xff7fffff,
	0x477fdfff, 0x477fe000, 0x477fefff, 0x477ff000, 0x33000000, 0x33000001, 0x32ffffff, 0x387fe000, 0x387ff000, 0x3f801000, 0x3f803000, 0x3f801001, 0x42fe0000, 0x43000000, 0xc3008000, 0x437f0000, 0x43800000, 0x47000000, 0x477fff00,

	// f64
	0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0xfff7a5a5a5a5a5a5,
	0x000fffffffffffff, 0x0010000000000000, 0x800fffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff,
	0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41efffffffffffff, 0x41f0000000000000,
	0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001, 0x43efffffffffffff, 0x43f0000000000000,
	0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x380fffffffffffff, 0x3690000000000000, 0x3690000000000001, 0x368fffffffffffff,
	0x3ff0020000000000, 0x3ff0020000000001, 0x3ff001ffffffffff, 0x3ff0060000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3e60000000000000, 0x3e60000000000001,
	0x3ff0000010000000, 0x3ff0000010000001, 0x3ff0000030000000, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0x4330000000000001, 0x4340000000000000,
}

// operationCase writes a program of one operation whose operands come from
// resource 0 and whose result goes to resource 1, and returns it, or "" where
// the operation is none that has a value for these types.
// Where same is set the operands are the same in all lanes of a workgroup.
func operationCase(op ir.Op, t, from ir.Type, flag string, same bool) string {
	row := op.Row()
	var b strings.Builder
	source := "\tvs = in.i32 #0\n"
	if same {
		source = "\tvs = in.i32 #1\n"
	}
	b.WriteString("program \"op\" compute\nsubgroup 32\nlocal 32 1 1\nin global.x i32 0\nin workgroup.x i32 0\n" +
		"res storage 0 0 count 1\nres storage 0 1 count 1\n\nfunc \"main\"() L1 {\n" + source +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvo = at 0:i32, vs, #32\n\tvr = at 0:i32, vi, #8\n")
	// Only some lanes are active, the others keep what is there.
	b.WriteString("\tvbit = and.i32 vi, 5:i32\n\tvon = ult.i32 0:i32, vbit\n\tif von {\n")
	operands := make([]string, op.Args())
	for i := range operands {
		ot := map[byte]ir.Type{'T': t, 'S': from, 'i': ir.I32, 'l': ir.I64, 'b': ir.B1}[row.Sig[2+i]]
		operands[i] = fmt.Sprintf("vx%d", i)
		if ot == ir.B1 {
			fmt.Fprintf(&b, "\tvw%d = ld.i32 vA, vo, #%d\n\tvx%d = slt.i32 vw%d, 2:i32\n", i, 8*i, i, i)
			continue
		}
		fmt.Fprintf(&b, "\tvx%d = ld.%s vA, vo, #%d\n", i, ot, 8*i)
	}
	name := row.Name
	if strings.ContainsRune(row.Sig, 'T') {
		name += "." + t.String()
	}
	if strings.ContainsRune(row.Sig, 'S') {
		name += "." + from.String()
	}
	imm := ""
	if op.Is(ir.Imm) {
		imm = ", #12"
	}
	fmt.Fprintf(&b, "\tvy = %s %s%s%s\n", name, strings.Join(operands, ", "), imm, flag)
	result := t
	switch row.Sig[0] {
	case 'b':
		result = ir.B1
	case 'i':
		result = ir.I32
	}
	switch {
	case result == ir.B1:
		b.WriteString("\tvz = zext.i32.b1 vy\n\tst.i32 vB, vr, vz, #0\n")
	case result.IsFloat():
		fmt.Fprintf(&b, "\tvz = fcanon.%s vy\n\tst.%s vB, vr, vz, #0\n", result, result)
	default:
		fmt.Fprintf(&b, "\tst.%s vB, vr, vy, #0\n", result)
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}

// operationJob fills the operands with special and random bits, and with bits
// that depend on the operand before: the same, a neighbour, its complement.
func operationJob() exec.Job {
	const n = 4096
	r := rand.New(rand.NewSource(4))
	words := make([]uint32, 0, 8*n)
	last := uint64(0)
	for i := range 4 * n {
		x := special[r.Intn(len(special))]
		switch r.Intn(12) {
		case 0:
			x = r.Uint64()
		case 1:
			x = r.Uint64() >> r.Intn(64)
		case 2:
			x = uint64(r.Intn(70))
		case 3: // floats of 16, 32 and 64 bits near each other
			x = uint64(0x3f80+r.Intn(0x400))<<48 | uint64(0x3d800000+r.Intn(0x4000000))
		case 4:
			x = last
		case 5:
			x = last + uint64(r.Intn(3)) - 1
		case 6:
			x = ^last
		case 7:
			x = last ^ 1<<(8<<r.Intn(4)-1) // the other sign
		}
		if i/4%8 == 3 { // in f16 a product halfway between two numbers, and a little more or less
			x = [...]uint64{0x3c01 + 2*uint64(r.Intn(200)), 0x3e00, uint64(r.Intn(2)<<15 + r.Intn(4)), 0}[i%4]
		}
		words = append(words, uint32(x), uint32(x>>32))
		last = x
	}
	results := make([]uint32, 2*n)
	for i := range results {
		results[i] = 0xdeadbeef
	}
	return exec.Job{Groups: [3]uint32{n / 32, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(results)}}
}

// leaves reports whether the code of the operation that defines vy does so.
func leaves(t *testing.T, level target.Level, text string, op ir.Op) bool {
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	for _, v := range f.Code {
		if f.Val(v).Op == op && !jit.Native(level, f.Key(v), op) {
			return true
		}
	}
	return false
}

// TestOperations runs every operation that has a value, of every type, on both
// engines. All have code of their own.
func TestOperations(t *testing.T) { eachLevel(t, testOperations) }

func testOperations(t *testing.T, engine jit.Engine) {
	job := operationJob()
	count := 0
	for op := ir.Add; op.String() != "op?"; op++ {
		row := op.Row()
		if row.Eval == nil || op == ir.Every { // engines choose its result
			continue
		}
		for _, typ := range append([]ir.Type{ir.B1}, types...) {
			if strings.ContainsRune(row.Sig, 'T') && !row.On.Has(typ) || !strings.ContainsRune(row.Sig, 'T') && typ != ir.I32 {
				continue
			}
			for _, from := range append([]ir.Type{ir.B1}, types...) {
				if !strings.ContainsRune(row.Sig, 'S') && from != ir.I32 {
					continue
				}
				for i, flag := range []string{"", " !rtz", "", " !rtz"} {
					text := operationCase(op, typ, from, flag, i > 1)
					want := run(interp.Engine{}, text, 0, job)
					if want.err != nil {
						continue // no such form of the operation
					}
					count++
					if leaves(t, engine.Level, text, op) {
						t.Errorf("%s.%s.%s leaves for Go", op, typ, from)
					}
					if got := run(engine, text, 0, job); !t.Run(fmt.Sprintf("%s.%s.%s%s", op, typ, from, flag), func(t *testing.T) { same(t, want, got) }) {
						t.Log(text)
					}
				}
			}
		}
	}
	if count < 300 {
		t.Errorf("only %d forms were tried", count)
	}
}

// TestWithoutByteProducts makes dot products on a machine that has no instruction
// for them.
func TestWithoutByteProducts(t *testing.T) {
	needMachine(t)
	text := operationCase(ir.Dot4, ir.I32, ir.I32, "", false)
	same(t, run(interp.Engine{}, text, 0, operationJob()), run(jit.Without(jit.Engine{}, amd64.DotBytes), text, 0, operationJob()))
}

// TestWithoutPopulationCount counts bits on a machine that has no instruction
// for it.
func TestWithoutPopulationCount(t *testing.T) {
	needMachine(t)
	for _, typ := range []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		text := operationCase(ir.BitCount, typ, ir.I32, "", false)
		same(t, run(interp.Engine{}, text, 0, operationJob()), run(jit.Without(jit.Engine{}, amd64.CountBits), text, 0, operationJob()))
	}
}
