package interp_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

var memoryTypes = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64}

// run compiles a program of one invocation made by build, and runs it.
func run(t *testing.T, res int, build func(b *ir.Builder), job *exec.Job) {
	t.Helper()
	b := ir.NewFunc("main", nil, nil)
	build(b)
	p := &ir.Program{Name: "test", SubgroupSize: 4, LocalSize: [3]uint32{1, 1, 1}, Funcs: []*ir.Func{b.Finish()}}
	for i := range res {
		p.Res = append(p.Res, ir.Resource{Binding: uint32(i), Count: 1})
	}
	p.StateEffects()
	if job.Groups == [3]uint32{} {
		job.Groups = [3]uint32{1, 1, 1}
	}
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Run(context.Background(), job); err != nil {
		t.Fatal(err)
	}
}

// TestRange checks that ld gives 0, and st and atomics do nothing, exactly
// where off+imm+size > len, at every edge of the buffer and of 32 bits.
func TestRange(t *testing.T) {
	offsets := []uint64{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 14, 15, 16, 17, 1 << 31, 1<<31 - 1,
		math.MaxUint32 - 8, math.MaxUint32 - 7, math.MaxUint32 - 3, math.MaxUint32 - 1, math.MaxUint32}
	for _, typ := range memoryTypes {
		for _, n := range []uint64{0, 1, 7, 8, 15, 16} {
			for _, off := range offsets {
				for _, imm := range []uint64{0, 1, 4, 8, 1 << 31, math.MaxUint32 - 3, math.MaxUint32} {
					t.Run(fmt.Sprintf("%s/%d/%d+%d", typ, n, off, imm), func(t *testing.T) {
						testRange(t, typ, n, off, imm)
					})
				}
			}
		}
	}
}

func testRange(t *testing.T, typ ir.Type, n, off, imm uint64) {
	size := uint64(typ.Size())
	in := off+imm+size <= n
	const value = 0x9182736455463728
	whole := []byte{0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x21}
	buffer := func() []byte {
		w := make([]byte, 24) // at a multiple of 8
		copy(w, whole)
		return w
	}
	loaded, stored, swapped, result := buffer(), buffer(), buffer(), make([]byte, 16)
	job := &exec.Job{Workers: 1, Resources: [][]exec.Buffer{{{Bytes: loaded[:n]}}, {{Bytes: stored[:n]}}, {{Bytes: swapped[:n]}}, {{Bytes: result}}}}
	run(t, 4, func(b *ir.Builder) {
		handle := func(i uint64) ir.V { return b.OpAux(ir.Res, ir.H, i, b.I32(0)) }
		at, v := b.I32(uint32(off)), b.Const(typ, value)
		b.OpAux(ir.St, typ, 0, handle(3), b.I32(0), b.OpAux(ir.Ld, typ, imm, handle(0), at))
		b.OpAux(ir.St, typ, imm, handle(1), at, v)
		b.OpAux(ir.St, typ, 0, handle(3), b.I32(8), b.OpAux(ir.AtomXchg, typ, imm, handle(2), at, v))
	}, job)

	little := []byte{0x28, 0x37, 0x46, 0x55, 0x64, 0x73, 0x82, 0x91}[:size]
	wantStored, wantSwapped, wantResult := buffer(), buffer(), make([]byte, 16)
	if in {
		copy(wantResult, whole[off+imm:][:size])
		copy(wantStored[off+imm:], little)
	}
	if in && (off+imm)%size == 0 {
		copy(wantResult[8:], whole[off+imm:][:size])
		copy(wantSwapped[off+imm:], little)
	}
	for _, c := range []struct {
		name      string
		got, want []byte
	}{{"ld, atomxchg", result, wantResult}, {"st", stored, wantStored}, {"atomxchg", swapped, wantSwapped}} {
		if !bytes.Equal(c.got, c.want) {
			t.Errorf("%s: % x; want % x", c.name, c.got, c.want)
		}
	}
}

// TestRegion checks physical addresses against two allocations that touch.
func TestRegion(t *testing.T) {
	regions := []exec.Region{
		{Address: 1 << 40, Bytes: make([]byte, 16)},
		{Address: 1<<40 + 16, Bytes: make([]byte, 8)},
	}
	tests := []struct {
		addr, size uint64
		len, off   uint32
	}{
		{1 << 40, 16, 16, 0},
		{1<<40 + 12, 4, 16, 12},
		{1<<40 + 13, 4, 0, 0}, // no access spans two allocations
		{1<<40 + 16, 4, 8, 0},
		{1<<40 + 20, 4, 8, 4},
		{1<<40 + 24, 1, 0, 0},
		{1<<40 - 1, 1, 0, 0},
		{0, 1, 0, 0},
		{math.MaxUint64, 1, 0, 0},
		{1 << 40, 17, 0, 0},
	}
	for _, c := range tests {
		result := make([]byte, 16)
		run(t, 1, func(b *ir.Builder) {
			addr := b.Const(ir.I64, c.addr)
			h := b.OpAux(ir.Region, ir.H, c.size, addr)
			to := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
			b.Op(ir.St, ir.I32, to, b.I32(0), b.Op(ir.Len, ir.I32, h))
			b.Op(ir.St, ir.I32, to, b.I32(4), b.Op(ir.RegionOff, ir.I32, h, addr))
		}, &exec.Job{Regions: regions, Resources: [][]exec.Buffer{{{Bytes: result}}}})
		if got := dump(result); got[0] != c.len || got[1] != c.off {
			t.Errorf("region %#x, #%d: length %d, offset %d; want %d, %d", c.addr, c.size, got[0], got[1], c.len, c.off)
		}
	}
}

// TestAtomicValues checks what each atomic stores and yields.
func TestAtomicValues(t *testing.T) {
	const (
		nan, one, two  = 0x7fc0_0000, 0x3f80_0000, 0x4000_0000
		wildNaN, inf   = 0xffc0_1234, 0x7f80_0000
		negZero, three = 0x8000_0000, 0x4040_0000
	)
	tests := []struct {
		op              ir.Op
		typ             ir.Type
		old, v, compare uint64
		want            uint64
	}{
		{ir.AtomXchg, ir.I32, 5, 7, 0, 7},
		{ir.AtomXchg, ir.F32, one, wildNaN, 0, wildNaN}, // a value that travels keeps its bits
		{ir.AtomXchg, ir.I64, 1 << 40, 1 << 50, 0, 1 << 50},
		{ir.AtomCmpXchg, ir.I32, 5, 7, 5, 7},
		{ir.AtomCmpXchg, ir.I32, 5, 7, 6, 5},
		{ir.AtomCmpXchg, ir.I64, 5 << 40, 7 << 40, 5 << 40, 7 << 40},
		{ir.AtomCmpXchg, ir.I64, 5 << 40, 7 << 40, 5, 5 << 40},
		{ir.AtomCmpXchg, ir.I8, 5, 7, 5, 7},
		{ir.AtomAdd, ir.I32, 0xffff_ffff, 2, 0, 1},
		{ir.AtomAdd, ir.I8, 0xff, 2, 0, 1},
		{ir.AtomAdd, ir.I16, 0xffff, 2, 0, 1},
		{ir.AtomAdd, ir.I64, math.MaxUint64, 2, 0, 1},
		{ir.AtomSMin, ir.I32, 1, 0xffff_ffff, 0, 0xffff_ffff},
		{ir.AtomSMax, ir.I32, 1, 0xffff_ffff, 0, 1},
		{ir.AtomUMin, ir.I32, 1, 0xffff_ffff, 0, 1},
		{ir.AtomUMax, ir.I32, 1, 0xffff_ffff, 0, 0xffff_ffff},
		{ir.AtomSMin, ir.I16, 1, 0xffff, 0, 0xffff},
		{ir.AtomSMax, ir.I64, 1, math.MaxUint64, 0, 1},
		{ir.AtomAnd, ir.I32, 0b1100, 0b1010, 0, 0b1000},
		{ir.AtomOr, ir.I32, 0b1100, 0b1010, 0, 0b1110},
		{ir.AtomXor, ir.I32, 0b1100, 0b1010, 0, 0b0110},
		{ir.AtomFAdd, ir.F32, one, two, 0, three},
		{ir.AtomFAdd, ir.F32, inf, inf | 1<<31, 0, nan}, // what is computed is canonical
		{ir.AtomFAdd, ir.F64, 0x3ff0_0000_0000_0000, 0x3ff0_0000_0000_0000, 0, 0x4000_0000_0000_0000},
		{ir.AtomFAdd, ir.F16, 0x3c00, 0x3c00, 0, 0x4000},
		{ir.AtomFMin, ir.F32, wildNaN, one, 0, one},
		{ir.AtomFMin, ir.F32, one, two, 0, one},
		{ir.AtomFMin, ir.F32, 0, negZero, 0, negZero},
		{ir.AtomFMax, ir.F32, one, two, 0, two},
		{ir.AtomFMax, ir.F32, negZero, 0, 0, 0},
		{ir.AtomFMax, ir.F32, one, wildNaN, 0, one},
	}
	for _, c := range tests {
		size := int(c.typ.Size())
		memory, result := bytes.Repeat([]byte{0xee}, 24), make([]byte, 16)
		want, wantOld := bytes.Repeat([]byte{0xee}, 24), make([]byte, 16)
		for i := range size {
			memory[8+i], wantOld[i] = byte(c.old>>(8*i)), byte(c.old>>(8*i))
			want[8+i] = byte(c.want >> (8 * i))
		}
		run(t, 2, func(b *ir.Builder) {
			h, to := b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.Res, ir.H, 1, b.I32(0))
			args := []ir.V{h, b.I32(8), b.Const(c.typ, c.v)}
			if c.op == ir.AtomCmpXchg {
				args = append(args, b.Const(c.typ, c.compare))
			}
			b.Op(ir.St, c.typ, to, b.I32(0), b.Op(c.op, c.typ, args...))
		}, &exec.Job{Resources: [][]exec.Buffer{{{Bytes: memory}}, {{Bytes: result}}}})
		if !bytes.Equal(memory, want) || !bytes.Equal(result, wantOld) {
			t.Errorf("%s.%s %#x, %#x: % x, old % x; want % x, old % x", c.op, c.typ, c.old, c.v, memory, result, want, wantOld)
		}
	}
}

// TestAtomicWorkers checks that no update is lost between workers, at every
// width, where four narrow counters share a word.
func TestAtomicWorkers(t *testing.T) {
	for _, typ := range []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		memory := make([]byte, 32)
		size := typ.Size()
		run(t, 1, func(b *ir.Builder) {
			h := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
			for i := range uint32(4) {
				b.Emit(ir.Val{Op: ir.AtomAdd, Type: typ, Flags: ir.Unused, Args: [4]ir.V{h, b.I32(i * size), b.Const(typ, uint64(i+1))}})
			}
		}, &exec.Job{Workers: 4, Groups: [3]uint32{50, 20, 1}, Resources: [][]exec.Buffer{{{Bytes: memory}}}})
		for i := range uint64(4) {
			want := 1000 * (i + 1) & typ.Mask()
			got := uint64(0)
			for k := range size {
				got |= uint64(memory[uint32(i)*size+k]) << (8 * k)
			}
			if got != want {
				t.Errorf("%s: counter %d is %d; want %d", typ, i, got, want)
			}
		}
	}
}
