//go:build amd64 || arm64

package jit_test

import (
	"bytes"
	"context"
	"math/rand"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// far are the offsets in a buffer of 4 GiB that programs of Workgroup access, by their constants: its
// start and end, and the limits of signed numbers.
var far = []int{0, 1<<30 - 4096, 1<<31 - 4096, 1<<32 - 8192}

// TestFarOffsets runs programs on a buffer of the maximum length, or nearly so, before foreign memory.
func TestFarOffsets(t *testing.T) {
	needMachine(t)
	const size = 1<<32 + 1<<16
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		t.Skip("the system does not map 4 GiB:", err)
	}
	defer unix.Munmap(memory)
	if err := unix.Mprotect(memory[1<<32:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	windows := make([]byte, 0, 8192*len(far))
	run := func(e exec.Engine, seed int64) []byte {
		if err := unix.Madvise(memory[:1<<32], unix.MADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
		for _, at := range far {
			rand.New(rand.NewSource(seed)).Read(memory[at:][:8192])
		}
		prog, err := e.Compile(irgen.Workgroup(seed), exec.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		defer prog.Close()
		job, _ := irgen.WorkgroupJob(seed)
		n := []int{1 << 32, 1<<32 - 1, 1<<32 - 2, 1<<32 - 64, 1<<32 - 1000, 1<<31 + 3, 1 << 31}[seed%7]
		whole := exec.Buffer{Bytes: memory[:n:n]}
		job.Resources = [][]exec.Buffer{{whole}, {whole, {Bytes: memory[1<<31 : 1<<32]}}, {whole}, {whole}}
		if err := prog.Run(context.Background(), job); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		windows = windows[:0]
		for _, at := range far {
			windows = append(windows, memory[at:][:8192]...)
		}
		return slices.Clone(windows)
	}
	from, to := irgen.Seeds(t, 200, 20)
	for seed := from; seed < to; seed++ {
		want := run(interp.Engine{}, seed)
		for _, level := range jit.Levels() {
			if got := run(jit.Engine{Level: level}, seed); !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s: other bytes", seed, level)
			}
		}
	}
}
