package jit

import (
	"context"
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestSharedLists runs jobs with long lists of descriptors, of which some are shared and others are not, and changes one of
// them: each job reads its own lists, whatever the job before it had. So do jobs with workgroup memory, of which each worker
// has its own table, and jobs without space for their tables beside the lists.
func TestSharedLists(t *testing.T) {
	for _, full := range []bool{false, true} {
		if full {
			fillTableSpace(t)
		}
		for _, workgroup := range []uint32{0, 16} {
			testSharedLists(t, workgroup)
		}
	}
}

// fillTableSpace leaves no space for the tables of jobs until the end of the test. Lists are in the second half of the space, which
// other tests do not reach. A system without address space for tables has none for lists either.
func fillTableSpace(t *testing.T) {
	t.Helper()
	old := tables
	space := &tableSpace{memory: old().memory, next: [2]uint32{jobHandles, spaceHandles / 2}}
	tables = func() *tableSpace { return space }
	t.Cleanup(func() { tables = old })
}

func testSharedLists(t *testing.T, workgroup uint32) {
	t.Helper()
	b := ir.NewFunc("main", nil, nil)
	at := func(r uint64) ir.V { // the first word of descriptor 20
		return b.OpAux(ir.Ld, ir.I32, 0, b.OpAux(ir.Res, ir.H, r, b.I32(20)), b.I32(0))
	}
	out := b.OpAux(ir.Res, ir.H, 2, b.I32(0))
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, b.I32(0), at(0)}})
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, b.I32(0), at(1)}, Aux: 4})
	for i, address := range []uint64{0x10004, 4} { // in the region, and in none
		from := b.Const(ir.I64, address)
		region := b.OpAux(ir.Region, ir.H, 4, from)
		word := b.OpAux(ir.Ld, ir.I32, 0, region, b.Op(ir.RegionOff, ir.I32, region, from))
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, b.I32(0), word}, Aux: uint64(8 + 4*i)})
	}
	b.Return()
	p := &ir.Program{Name: "lists", Stage: ir.Compute, Funcs: []*ir.Func{b.Finish()}, SubgroupSize: 4, LocalSize: [3]uint32{1, 1, 1}, SharedBytes: workgroup, Res: []ir.Resource{
		{Kind: ir.UniformBuffer, Count: 40}, {Kind: ir.UniformBuffer, Binding: 1, Count: 40}, {Kind: ir.StorageBuffer, Binding: 2, Count: 1},
	}}
	p.StateEffects()
	prog := mustCompile(t, nil, p)
	defer prog.Close()
	list := func(n uint32) []exec.Buffer {
		word := make([]uint64, 2)
		bytes := wordBytes(word)
		binary.LittleEndian.PutUint32(bytes, n)
		out := make([]exec.Buffer, 40)
		out[20].Bytes = bytes
		return out
	}
	x, y, z := list(1), list(2), list(3)
	regions := []exec.Region{{Address: 0x10000, Bytes: wordBytes([]uint64{77 << 32})}}
	l := map[*exec.Buffer]*exec.List{&x[0]: exec.NewList(x), &y[0]: exec.NewList(y), &z[0]: exec.NewList(z)}
	run := func(a, b []exec.Buffer, shared [2]bool) (got [2]uint32) {
		t.Helper()
		result := wordBytes(make([]uint64, 2))
		job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{a, b, {{Bytes: result}}}, Lists: make([]*exec.List, 2), Regions: regions}
		for i, list := range [][]exec.Buffer{a, b} {
			if shared[i] {
				job.Lists[i] = l[&list[0]]
			}
		}
		if err := prog.Run(context.Background(), job); err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint64(result[8:]); got != 77 {
			t.Errorf("memory at addresses: %#x, want 77 and 0", got)
		}
		return [2]uint32{binary.LittleEndian.Uint32(result), binary.LittleEndian.Uint32(result[4:])}
	}
	for i, c := range []struct {
		a, b   []exec.Buffer
		shared [2]bool
		want   [2]uint32
	}{
		{x, y, [2]bool{true, true}, [2]uint32{1, 2}},
		{x, z, [2]bool{true, true}, [2]uint32{1, 3}},
		{z, z, [2]bool{true, true}, [2]uint32{3, 3}},
		{z, z, [2]bool{}, [2]uint32{3, 3}},
		{y, z, [2]bool{false, true}, [2]uint32{2, 3}},
		{y[:21], x[:18], [2]bool{true, true}, [2]uint32{2, 0}},
		{y, x, [2]bool{true, false}, [2]uint32{2, 1}},
	} {
		if got := run(c.a, c.b, c.shared); got != c.want {
			t.Errorf("job %d: %d, want %d", i, got, c.want)
		}
	}
	l[&x[0]].Set(20, list(9)[20])
	if got, want := run(x, y, [2]bool{true, true}), [2]uint32{9, 2}; got != want {
		t.Errorf("after a change: %d, want %d", got, want)
	}
	job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{x, y, nil}, Lists: []*exec.List{l[&y[0]]}}
	if err := prog.Run(context.Background(), job); err == nil {
		t.Error("a list of other descriptors: no error")
	}
}

// wordBytes returns the bytes of words, which are aligned.
func wordBytes(w []uint64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w)) }
