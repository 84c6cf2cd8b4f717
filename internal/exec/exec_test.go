package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

func TestMemory(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 4097, 2<<20 - 1, 2 << 20, 5<<20 + 3} {
		m, err := exec.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		b := m.Bytes()
		if len(b) != n || cap(b) != n {
			t.Errorf("%d bytes, capacity %d; want %d", len(b), cap(b), n)
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if want := uintptr(map[bool]int{true: 2 << 20, false: 4096}[n >= 2<<20]); runtime.GOOS == "linux" && at%want != 0 {
			t.Errorf("%d bytes begin at %#x; want a multiple of %#x", n, at, want)
		}
		for _, x := range b {
			if x != 0 {
				t.Fatal("memory is not zero at first")
			}
		}
		if n > 0 {
			b[0], b[n-1] = 1, 2
		}
		if err := errors.Join(m.Free(), m.Free()); err != nil || m.Bytes() != nil {
			t.Errorf("freed twice: %v, %d bytes are left", err, len(m.Bytes()))
		}
	}
	for _, n := range []int{-1, math.MaxInt} {
		if _, err := exec.Alloc(n); err == nil {
			t.Errorf("%d bytes are no error", n)
		}
	}
}

func TestLanes(t *testing.T) {
	for _, n := range []uint32{0, 1, 4, 63, 64, 65, 127, 128} {
		s := exec.FirstLanes(n)
		if s.Len() != int(n) || s.Empty() != (n == 0) || s.Has(n) || n > 0 && !s.Has(n-1) {
			t.Errorf("the first %d lanes are %x", n, s)
		}
		var all []int
		for lane := range s.All {
			all = append(all, lane)
		}
		if len(all) != int(n) || n > 0 && (all[0] != 0 || all[n-1] != int(n-1)) {
			t.Errorf("of the first %d lanes All yields %d", n, all)
		}
	}
	s := exec.FirstLanes(100).Without(exec.FirstLanes(70))
	if s.First() != 70 || s.And(exec.FirstLanes(80)).Len() != 10 || s.Or(exec.FirstLanes(1)).First() != 0 || s.Has(128) {
		t.Errorf("lanes 70 to 99 are %x", s)
	}
	if (exec.Lanes{}).First() != 128 {
		t.Error("the first lane of none must be 128")
	}
}

// TestRun checks that every group runs once, that each worker receives ascending groups, and that a single
// worker runs all groups in order.
func TestRun(t *testing.T) {
	for _, workers := range []int{1, 3, 100} {
		job := &exec.Job{Groups: [3]uint32{7, 11, 13}, Base: [3]uint32{5, 0, math.MaxUint32 - 12}, Workers: workers}
		if err := job.Check(&ir.Program{}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		seen := map[[3]uint32]int{}
		freed := 0
		err := exec.Run(context.Background(), inGo(func() (func(exec.Batch) error, func()) {
			next := uint64(0)
			return func(b exec.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				if b.First < next || workers == 1 && b.First != next {
					t.Errorf("a batch from %d on after %d", b.First, next)
				}
				for next = b.First; next < b.First+b.Count; next++ {
					seen[job.GroupID(next)]++
				}
				return nil
			}, func() { mu.Lock(); freed++; mu.Unlock() }
		}), job)
		if err != nil || freed != workers {
			t.Errorf("%v, %d workers freed; want %d", err, freed, workers)
		}
		for z := range uint32(13) {
			for y := range uint32(11) {
				for x := range uint32(7) {
					if g := [3]uint32{5 + x, y, math.MaxUint32 - 12 + z}; seen[g] != 1 {
						t.Errorf("group %d ran %d times", g, seen[g])
					}
				}
			}
		}
	}
}

// TestRunFails checks that Run returns the lowest batch's error and propagates a panic.
func TestRunFails(t *testing.T) {
	job := &exec.Job{Groups: [3]uint32{1000, 1, 1}, Workers: 4}
	run := func(f func(exec.Batch) error) error {
		return exec.Run(context.Background(), inGo(func() (func(exec.Batch) error, func()) { return f, nil }), job)
	}
	if err := run(func(b exec.Batch) error { return fmt.Errorf("batch %d", b.First) }); err == nil || err.Error() != "batch 0" {
		// The first batch is always taken, and always fails.
		t.Errorf("%v; want the error of the lowest batch", err)
	}
	defer func() {
		if r := recover(); !strings.Contains(fmt.Sprint(r), "by design") {
			t.Errorf("recovered %v; want the worker's panic", r)
		}
	}()
	run(func(exec.Batch) error { panic("by design") })
}

func TestWorkerCount(t *testing.T) {
	tests := []struct {
		job  exec.Job
		p    ir.Program
		want int
	}{
		{exec.Job{Workers: 5}, ir.Program{}, 5},
		{exec.Job{}, ir.Program{}, runtime.GOMAXPROCS(0)},
		{exec.Job{Workers: 5}, ir.Program{Effects: ir.Effects{Ordered: true}}, 1},
		{exec.Job{Workers: 5, Hook: exec.NoHook{}}, ir.Program{}, 1},
		{exec.Job{Workers: 5000}, ir.Program{}, 1000},
	}
	for _, c := range tests {
		c.job.Groups = [3]uint32{1000, 1, 1}
		if got := c.job.WorkerCount(&c.p); got != c.want {
			t.Errorf("%d workers; want %d", got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	memory := make([]byte, 64)
	if uintptr(unsafe.Pointer(&memory[0]))%8 != 0 {
		t.Fatal("64 bytes of Go's heap are not 8-byte aligned")
	}
	p := &ir.Program{Res: []ir.Resource{{Set: 3, Binding: 4}}}
	one := [3]uint32{1, 1, 1}
	buffer := func(b []byte) [][]exec.Buffer { return [][]exec.Buffer{{{}, {Bytes: b}}} }
	tests := []struct {
		job  exec.Job
		want string // part of the message; empty for a valid job
	}{
		{exec.Job{Groups: one}, ""},
		{exec.Job{Groups: [3]uint32{}}, ""},
		{exec.Job{Groups: one, Base: [3]uint32{math.MaxUint32, 0, 0}}, ""},
		{exec.Job{Groups: [3]uint32{2, 1, 1}, Base: [3]uint32{math.MaxUint32, 0, 0}}, "WorkgroupId must be at most 2³²−1"},
		{exec.Job{Groups: [3]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32}}, "at most 2⁶²"},
		{exec.Job{Groups: [3]uint32{math.MaxUint32, 1 << 31, 2}}, "at most 2⁶²"},
		{exec.Job{Groups: one, Resources: make([][]exec.Buffer, 2)}, "the program has 1"},
		{exec.Job{Groups: one, Resources: buffer(memory[8:])}, ""},
		{exec.Job{Groups: one, Resources: buffer(memory[4:16])}, ""},
		{exec.Job{Groups: one, Resources: buffer(memory[4:])}, "descriptor 1 of set 3, binding 4"},
		{exec.Job{Groups: one, Resources: buffer(memory[2:10])}, "not 8-byte aligned"},
		{exec.Job{Groups: one, Regions: []exec.Region{{Address: 8, Bytes: memory}, {Address: 72, Bytes: memory}}}, ""},
		{exec.Job{Groups: one, Regions: []exec.Region{{Address: 8, Bytes: memory}, {Address: 71, Bytes: memory}}}, "region 1"},
		{exec.Job{Groups: one, Regions: []exec.Region{{Address: math.MaxUint64 - 62, Bytes: memory}}}, "region 0"},
	}
	for i, c := range tests {
		err := c.job.Check(p)
		var j *exec.JobError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &j) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d: %v; want %q", i, err, c.want)
		}
	}
}

// TestLogState: a restored log has the messages and the reports of the state alone.
func TestLogState(t *testing.T) {
	p := &ir.Program{LocalSize: [3]uint32{4, 1, 1}, Messages: []ir.Message{{Kind: ir.Print}, {Kind: ir.Undefined}}}
	l := &exec.Log{}
	l.Begin(p, [3]uint32{}, 0, 0)
	l.Begin(p, [3]uint32{}, 1, 1)
	s := l.State()
	for range 2 {
		l.Begin(p, [3]uint32{1}, 0, 0)
		l.Begin(p, [3]uint32{1}, 1, 1)
		l.AddArg([3]uint32{1}, 0, 7)
		l.Restore(s)
	}
	l.AddArg([3]uint32{1}, 0, 7)
	if list := l.Messages(); len(list) != 1 || list[0].Group != [3]uint32{} || len(list[0].Args) != 0 {
		t.Errorf("the messages are %+v; want the first alone", list)
	}
	if list := l.Reports(); len(list) != 1 || list[0].Times != 1 {
		t.Errorf("the reports are %+v; want one, once", list)
	}
	var none *exec.Log
	none.Restore(none.State())
}
