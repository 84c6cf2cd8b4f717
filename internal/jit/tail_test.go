package jit

import (
	"context"
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestVersions runs jobs with long lists of descriptors, of which some keep their numbers and others do not: each job reads
// its own lists, whatever the job before it had.
func TestVersions(t *testing.T) {
	b := ir.NewFunc("main", nil, nil)
	at := func(r uint64) ir.V { // the first word of descriptor 20
		return b.OpAux(ir.Ld, ir.I32, 0, b.OpAux(ir.Res, ir.H, r, b.I32(20)), b.I32(0))
	}
	out := b.OpAux(ir.Res, ir.H, 2, b.I32(0))
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, b.I32(0), at(0)}})
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, b.I32(0), at(1)}, Aux: 4})
	b.Return()
	p := &ir.Program{Name: "lists", Stage: ir.Compute, Funcs: []*ir.Func{b.Finish()}, SubgroupSize: 4, LocalSize: [3]uint32{1, 1, 1}, Res: []ir.Resource{
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
	for i, c := range []struct {
		lists    [2][]exec.Buffer
		versions []uint64
		want     [2]uint32
	}{
		{[2][]exec.Buffer{x, y}, []uint64{1, 2}, [2]uint32{1, 2}},
		{[2][]exec.Buffer{x, y}, []uint64{1, 2, 0}, [2]uint32{1, 2}},
		{[2][]exec.Buffer{x, z}, []uint64{1, 3}, [2]uint32{1, 3}},
		{[2][]exec.Buffer{z, z}, nil, [2]uint32{3, 3}},
		{[2][]exec.Buffer{y, z}, []uint64{0, 3}, [2]uint32{2, 3}},
		{[2][]exec.Buffer{y, x}, []uint64{2, 1}, [2]uint32{2, 1}},
		{[2][]exec.Buffer{y[:21], x[:10]}, []uint64{4, 5}, [2]uint32{2, 0}},
		{[2][]exec.Buffer{y, x}, []uint64{2, 1}, [2]uint32{2, 1}},
	} {
		result := wordBytes(make([]uint64, 2))
		job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{c.lists[0], c.lists[1], {{Bytes: result}}}, Versions: c.versions}
		if err := prog.Run(context.Background(), job); err != nil {
			t.Fatal(err)
		}
		if got := [2]uint32{binary.LittleEndian.Uint32(result), binary.LittleEndian.Uint32(result[4:])}; got != c.want {
			t.Errorf("job %d: %d, want %d", i, got, c.want)
		}
	}
}

// wordBytes returns the bytes of words, which are aligned.
func wordBytes(w []uint64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w)) }
