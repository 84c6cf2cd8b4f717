package jit_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// left runs a program of Workgroup and returns all memory that it could reach.
func left(e exec.Engine, seed int64, optimised bool) ([]byte, error) {
	p := irgen.Workgroup(seed)
	if optimised {
		pass.Run(p)
	}
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer prog.Close()
	if e, ok := e.(jit.Engine); ok && (seed+int64(e.Level))%2 == 0 {
		jit.ForceNonTemporal(prog)
	}
	job, memory := irgen.WorkgroupJob(seed)
	return memory, prog.Run(context.Background(), job)
}

// TestWorkgroups compares the engines on programs whose invocations cooperate, on buffers that may
// share bytes and are surrounded by foreign bytes. CHIARO_SEEDS=from-to selects other seeds.
func TestWorkgroups(t *testing.T) {
	from, to := irgen.Seeds(t, 400, 60)
	for seed := from; seed < to; seed++ {
		if seed%1000 == 999 {
			t.Logf("%d programs", seed-from)
		}
		if err := irgen.Workgroup(seed).Verify(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, err := left(interp.Engine{}, seed, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		optimised := seed%2 == 0
		for _, level := range jit.Levels() {
			got, err := left(jit.Engine{Level: level}, seed, optimised)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, level, err)
			}
			if !bytes.Equal(got, want) {
				at := 0
				for got[at] == want[at] {
					at++
				}
				t.Errorf("seed %d, %s, passes %v: byte %d is %x; must be %x", seed, level, optimised, at, got[at], want[at])
			}
		}
	}
}
