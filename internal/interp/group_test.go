package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// groupRun runs "if active[lane] { out[lane] = build(data[lane]) }" on one
// subgroup and returns out. Values and results are of type typ.
func groupRun(t *testing.T, size int, typ ir.Type, data []uint64, active []bool, build func(b *ir.Builder, x ir.V) ir.V) []uint64 {
	t.Helper()
	b := ir.NewFunc("main", nil, nil)
	lane := b.OpAux(ir.In, ir.I32, 0)
	off := b.Op(ir.Mul, ir.I32, lane, b.I32(8))
	handle := func(i uint64) ir.V { return b.OpAux(ir.Res, ir.H, i, b.I32(0)) }
	b.If(b.Cmp(ir.Eq, b.Op(ir.Ld, ir.I32, handle(1), off), b.I32(1)))
	memory := typ
	if typ == ir.B1 {
		memory = ir.I8
	}
	x := b.Op(ir.Ld, memory, handle(0), off)
	if typ == ir.B1 {
		x = b.Cmp(ir.Eq, x, b.Const(ir.I8, 1))
	}
	r := build(b, x)
	if typ == ir.B1 {
		r = b.Op(ir.ZExt, ir.I8, r)
	}
	b.Op(ir.St, memory, handle(2), off, r)
	b.End()
	p := &ir.Program{
		Name: "group", SubgroupSize: uint32(size), LocalSize: [3]uint32{uint32(size), 1, 1},
		In:    []ir.Input{{Semantic: ir.SubgroupLocalInvocationId, Type: ir.I32}},
		Res:   []ir.Resource{{Count: 1}, {Binding: 1, Count: 1}, {Binding: 2, Count: 1}},
		Funcs: []*ir.Func{b.Finish()},
	}
	p.StateEffects()
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, on, out := make([]byte, 8*size), make([]byte, 8*size), make([]byte, 8*size)
	for i, d := range data {
		binary.LittleEndian.PutUint64(in[8*i:], d)
		if active[i] {
			on[8*i] = 1
		}
	}
	job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: in}}, {{Bytes: on}}, {{Bytes: out}}}}
	if err := prog.Run(context.Background(), job); err != nil {
		t.Fatal(err)
	}
	list := make([]uint64, size)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(out[8*i:])
	}
	return list
}

// one returns a build function for one operation.
func one(op ir.Op, typ ir.Type, aux uint64) func(*ir.Builder, ir.V) ir.V {
	return func(b *ir.Builder, x ir.V) ir.V { return b.OpAux(op, typ, aux, x) }
}

// combineTest is an operator with its identity and its value, written out.
type combineTest struct {
	op       ir.Op
	typ      ir.Type
	identity uint64
	f        func(x, y uint64) uint64
}

func f32(x uint64) float32  { return math.Float32frombits(uint32(x)) }
func bits(x float32) uint64 { return uint64(math.Float32bits(x)) }

var combineTests = []combineTest{
	{ir.Add, ir.I32, 0, func(x, y uint64) uint64 { return uint64(uint32(x + y)) }},
	{ir.Add, ir.I8, 0, func(x, y uint64) uint64 { return uint64(uint8(x + y)) }},
	{ir.Add, ir.I64, 0, func(x, y uint64) uint64 { return x + y }},
	{ir.Mul, ir.I32, 1, func(x, y uint64) uint64 { return uint64(uint32(x * y)) }},
	{ir.UMin, ir.I32, math.MaxUint32, func(x, y uint64) uint64 { return min(x, y) }},
	{ir.UMax, ir.I32, 0, func(x, y uint64) uint64 { return max(x, y) }},
	{ir.SMin, ir.I32, math.MaxInt32, func(x, y uint64) uint64 { return uint64(uint32(min(int32(x), int32(y)))) }},
	{ir.SMax, ir.I32, 1 << 31, func(x, y uint64) uint64 { return uint64(uint32(max(int32(x), int32(y)))) }},
	{ir.SMax, ir.I16, 1 << 15, func(x, y uint64) uint64 { return uint64(uint16(max(int16(x), int16(y)))) }},
	{ir.And, ir.I32, math.MaxUint32, func(x, y uint64) uint64 { return x & y }},
	{ir.Or, ir.I32, 0, func(x, y uint64) uint64 { return x | y }},
	{ir.Xor, ir.I32, 0, func(x, y uint64) uint64 { return x ^ y }},
	{ir.And, ir.B1, 1, func(x, y uint64) uint64 { return x & y }},
	{ir.Or, ir.B1, 0, func(x, y uint64) uint64 { return x | y }},
	{ir.FAdd, ir.F32, 1 << 31, func(x, y uint64) uint64 { return bits(f32(x) + f32(y)) }},
	{ir.FMul, ir.F32, 0x3f80_0000, func(x, y uint64) uint64 { return bits(f32(x) * f32(y)) }},
	{ir.NMin, ir.F32, 0x7f80_0000, func(x, y uint64) uint64 { return bits(min(f32(x), f32(y))) }},
	{ir.NMax, ir.F32, 0xff80_0000, func(x, y uint64) uint64 { return bits(max(f32(x), f32(y))) }},
}

// tree is the law's reduction, as a formula: n lanes from i on.
func (c *combineTest) tree(x []uint64, i, n int) uint64 {
	if n == 1 {
		return x[i]
	}
	return c.f(c.tree(x, i, n/2), c.tree(x, i+n/2, n/2))
}

// scan is the law's inclusive scan, as a formula: x[i] after the step k, in a
// cluster that begins at first.
func (c *combineTest) scan(x []uint64, first, i, k int) uint64 {
	if k == 0 {
		return x[i]
	}
	before := c.scan(x, first, i, k/2)
	if i-k < first {
		return before
	}
	return c.f(c.scan(x, first, i-k, k/2), before)
}

// TestCombine checks reductions and scans of every size, cluster and operator
// against the law's formulas, for partly active groups.
func TestCombine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range combineTests {
		for size := 4; size <= 128; size *= 2 {
			for cluster := range clusters(size) {
				data, active := randomLanes(r, c.typ, size)
				t.Run(fmt.Sprintf("%s.%s/%d/%d", c.op, c.typ, size, cluster), func(t *testing.T) {
					c.check(t, size, cluster, data, active)
				})
			}
		}
	}
}

// clusters yields 0 for the whole subgroup, and powers of two up to its size.
func clusters(size int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for n := 0; n <= size && yield(n); n = max(1, 2*n) {
		}
	}
}

func randomLanes(r *rand.Rand, typ ir.Type, size int) (data []uint64, active []bool) {
	pattern := r.IntN(3) // all, half of them, few
	for range size {
		x := r.Uint64() & typ.Mask()
		if typ == ir.F32 {
			x = bits(float32(r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20)))) // the order of additions shows
		}
		data = append(data, x)
		active = append(active, pattern == 0 || r.IntN(2*pattern*pattern) == 0)
	}
	return data, active
}

func (c *combineTest) check(t *testing.T, size, cluster int, data []uint64, active []bool) {
	aux := uint64(c.op) | uint64(cluster)<<8
	results := map[ir.Op][]uint64{}
	for _, op := range []ir.Op{ir.Reduce, ir.ScanI, ir.ScanX} {
		results[op] = groupRun(t, size, c.typ, data, active, one(op, c.typ, aux))
	}
	if cluster == 0 {
		cluster = size
	}
	x := append([]uint64(nil), data...)
	for i := range x {
		if !active[i] {
			x[i] = c.identity
		}
	}
	previous := c.identity
	for i := range size {
		first := i / cluster * cluster
		if i == first {
			previous = c.identity
		}
		want := map[ir.Op]uint64{}
		if active[i] {
			want[ir.Reduce] = c.tree(x, first, cluster)
			want[ir.ScanI] = c.scan(x, first, i, cluster/2)
			want[ir.ScanX] = previous
			previous = want[ir.ScanI]
		}
		for op, list := range results {
			if list[i] != want[op] {
				t.Fatalf("%s: lane %d of %v gives %#x; want %#x", op, i, active, list[i], want[op])
			}
		}
	}
}

// TestCombineNaN checks that a NaN loses against a number, and a group of NaN
// against the identity.
func TestCombineNaN(t *testing.T) {
	const nan, num, inf = 0x7fc0_0000, 0x3f80_0000, 0x7f80_0000
	for _, c := range []struct {
		data [4]uint64
		want uint64
	}{
		{[4]uint64{nan, num, nan, nan}, num},
		{[4]uint64{nan, nan, nan, num}, num},
		{[4]uint64{inf, nan, inf, nan}, inf},
	} {
		got := groupRun(t, 4, ir.F32, c.data[:], []bool{true, true, true, true}, one(ir.Reduce, ir.F32, uint64(ir.NMin)))
		if got[2] != c.want {
			t.Errorf("nmin of %x is %#x; want %#x", c.data, got[2], c.want)
		}
	}
}

// TestLanesOps checks the operations that look at single lanes, at every size.
func TestLanesOps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for size := 4; size <= 128; size *= 2 {
		data, active := randomLanes(r, ir.I32, size)
		want := make([]uint64, 4)
		for i := range data {
			data[i] = uint64(r.IntN(size + 2)) // a lane, or one that there is not
			if active[i] {
				want[i/32] |= 1 << (i % 32)
			}
		}
		check := func(name string, got []uint64, want func(lane int) uint64) {
			for i := range got {
				if w := want(i); active[i] && got[i] != w {
					t.Errorf("%s, size %d: lane %d is %d; want %d", name, size, i, got[i], w)
				}
			}
		}
		for word := range uint64(4) {
			got := groupRun(t, size, ir.I32, data, active, func(b *ir.Builder, _ ir.V) ir.V {
				return b.OpAux(ir.Ballot, ir.I32, word, b.Bool(true))
			})
			check("ballot", got, func(int) uint64 { return want[word] })
		}
		for imm := range uint64(4) {
			got := groupRun(t, size, ir.I32, data, active, one(ir.QuadSwap, ir.I32, imm))
			check("quadswap", got, func(i int) uint64 {
				if j := i ^ int(imm); active[j] {
					return data[j]
				}
				return data[i]
			})
		}
		got := groupRun(t, size, ir.I32, data, active, func(b *ir.Builder, x ir.V) ir.V {
			return b.Op(ir.Shuf, ir.I32, x, x)
		})
		check("shuf", got, func(i int) uint64 {
			if j := int(data[i]); j < size && active[j] {
				return data[j]
			}
			return 0
		})
	}
}
