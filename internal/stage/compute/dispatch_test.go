package compute_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// sum writes a[i] + b[1][i] + push to c[i], where a, b and c are bound apart,
// and a a second time under another name.
const sum = `
program "sum" compute
subgroup 4
local 4 1 1
push 4
in global.x i32 0
res storage 1 5 count 1
res storage 0 2 count 2
res storage 0 0 count 1
res uniform 1 5 count 1
func "main"() L1 {
	v1 = in.i32 #0
	v2 = mul.i32 v1, 4:i32
	v3 = res 0:i32, #0
	v4 = res 1:i32, #1
	v5 = res 0:i32, #2
	v6 = push
	v7 = ld.i32 v3, v2, #0
	v8 = ld.i32 v4, v2, #0
	v9 = ld.i32 v6, 0:i32, #0
	v10 = add.i32 v7, v8
	v11 = add.i32 v10, v9
	v12 = res 0:i32, #3
	v13 = res 2:i32, #1
	v14 = len v12
	v15 = len v13
	v16 = add.i32 v14, v15
	v17 = add.i32 v11, v16
	st.i32 v5, v2, v17, #0
}`

func program(t *testing.T, text string) exec.Program {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func words(x ...uint32) exec.Buffer {
	b := make([]byte, 4*len(x))
	for i, w := range x {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return exec.Buffer{Bytes: b}
}

// TestDispatch checks that what is bound is found by set and binding: 1000 is
// pushed, the uniform view of a has 32 bytes, and descriptor 2 of an array of
// 2 is null although it is bound.
func TestDispatch(t *testing.T) {
	c := words(0, 0, 0, 0, 0, 0, 0, 0)
	args := compute.Args{
		Groups: [3]uint32{1, 1, 1},
		Base:   [3]uint32{1, 0, 0},
		Bindings: map[compute.Binding][]exec.Buffer{
			{Set: 1, Binding: 5}: {words(0, 0, 0, 0, 5, 6, 7, 8)},
			{Set: 0, Binding: 2}: {{}, words(0, 0, 0, 0, 10, 20, 30), words(1)},
			{Set: 0, Binding: 0}: {c},
			{Set: 9, Binding: 9}: {{}},
		},
		Push: []byte{0xe8, 3, 0, 0},
	}
	if err := compute.Dispatch(context.Background(), program(t, sum), args); err != nil {
		t.Fatal(err)
	}
	want := words(0, 0, 0, 0, 1047, 1058, 1069, 1040)
	if string(c.Bytes) != string(want.Bytes) {
		t.Errorf("% x; want % x", c.Bytes, want.Bytes)
	}
}

// TestRefused checks what a dispatch may not ask.
func TestRefused(t *testing.T) {
	one := [3]uint32{1, 1, 1}
	push := make([]byte, 4)
	tests := []struct {
		args compute.Args
		want any
	}{
		{compute.Args{Groups: [3]uint32{1 << 31, 1, 1}, Push: push}, new(*exec.LimitError)},
		{compute.Args{Groups: [3]uint32{1, 1 << 16, 1}, Push: push}, new(*exec.LimitError)},
		{compute.Args{Groups: [3]uint32{1, 1, 1 << 16}, Push: push}, new(*exec.LimitError)},
		{compute.Args{Groups: one, Base: [3]uint32{1<<31 - 1, 0, 0}, Push: push}, new(*exec.LimitError)},
		{compute.Args{Groups: one, Base: [3]uint32{0, 1<<32 - 1, 0}, Push: push}, new(*exec.LimitError)},
		{compute.Args{Groups: one, Push: make([]byte, compute.MaxPushBytes+1)}, new(*exec.LimitError)},
		{compute.Args{Groups: one, Push: push, Heap: make([]byte, compute.MaxHeapBytes+1)}, new(*exec.LimitError)},
		{compute.Args{Groups: one, Push: push[:3]}, new(*exec.JobError)},
		{compute.Args{Groups: one, Push: push, Inline: map[compute.Binding][]byte{{Set: 1, Binding: 5}: make([]byte, 8)}}, new(*exec.JobError)},
		{compute.Args{Groups: one, Push: push, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: make([]byte, 8), Beyond: 9}}}}, new(*exec.JobError)},
		{compute.Args{Groups: one, Push: push, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: make([]byte, 8), Beyond: -1}}}}, new(*exec.JobError)},
		{compute.Args{Groups: [3]uint32{2, 1, 1}, Base: [3]uint32{1<<32 - 1, 0, 0}, Push: push}, new(*exec.LimitError)},
	}
	prog := program(t, sum)
	for i, c := range tests {
		if err := compute.Dispatch(context.Background(), prog, c.args); err == nil || !errors.As(err, c.want) {
			t.Errorf("%d: %v; want a %T", i, err, c.want)
		}
	}
	// Nothing is bound, and nothing happens.
	if err := compute.Dispatch(context.Background(), prog, compute.Args{Groups: one, Push: push}); err != nil {
		t.Error(err)
	}
	if err := compute.Dispatch(context.Background(), prog, compute.Args{Push: push}); err != nil {
		t.Errorf("no workgroups: %v", err)
	}
}

// TestRobustness checks how far levels reach, and which one holds where.
func TestRobustness(t *testing.T) {
	for _, c := range []struct {
		level         exec.Robustness
		kind          ir.ResourceKind
		bytes, beyond int
		reach         int
	}{
		{exec.Strict, ir.StorageBuffer, 64, 51, 13}, {exec.Strict, ir.UniformBuffer, 64, 51, 13},
		{exec.Robust2, ir.StorageBuffer, 64, 51, 16}, {exec.Robust2, ir.UniformBuffer, 64, 47, 32},
		{exec.Robust2, ir.StorageBuffer, 14, 1, 14}, {exec.Robust2, ir.UniformBuffer, 20, 4, 16}, {exec.Robust2, ir.UniformBuffer, 20, 3, 20},
		{exec.Robust2, ir.StorageBuffer, 64, 64, 0}, {exec.Robust2, ir.StorageBuffer, 0, 0, 0},
		{exec.Robust, ir.StorageBuffer, 64, 51, 64}, {exec.NotRobust, ir.UniformBuffer, 64, 51, 64}, {exec.NotRobust, ir.UniformBuffer, 0, 0, 0},
	} {
		b := exec.Buffer{Bytes: make([]byte, c.bytes), Beyond: c.beyond}
		got := c.level.Restrict(b, c.kind)
		if len(got.Bytes) != c.reach || got.Range() != b.Range() {
			t.Errorf("%s, %s, %d of %d bytes: %d of %d; want %d", c.level, c.kind, b.Range(), c.bytes, got.Range(), len(got.Bytes), c.reach)
		}
	}
	at := compute.Binding{Set: 1, Binding: 2}
	r := compute.Robustness{Storage: exec.Robust, Uniform: exec.Robust2, Bindings: map[compute.Binding]exec.Robustness{at: exec.Strict}}
	if r.Of(at, ir.StorageBuffer) != exec.Strict || r.Of(compute.Binding{}, ir.StorageBuffer) != exec.Robust || r.Of(compute.Binding{}, ir.UniformBuffer) != exec.Robust2 {
		t.Errorf("%+v holds elsewhere", r)
	}
	if (&compute.Robustness{}).Of(at, ir.StorageBuffer) != exec.Strict {
		t.Error("the default is not strict")
	}
}
