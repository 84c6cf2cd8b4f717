package jit

import (
	"context"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ForcePolling makes the code of p poll for preemption, which it otherwise does only if the Go runtime
// permits no other way.
func ForcePolling(p exec.Program) { p.(*program).forcePolling = true }

// BriefGroups returns how many workgroups of p are a brief batch; 0 for no number.
func BriefGroups(p exec.Program) uint64 {
	v := p.(*program).main
	if v.groupBytes == 0 {
		return 0
	}
	return maxBriefBytes / v.groupBytes
}

// PollsBatch runs the first groups of a job, and reports whether the code polled for preemption.
func PollsBatch(ctx context.Context, p exec.Program, job *exec.Job, groups uint64) (bool, error) {
	x, err := p.Prepare(job)
	if err != nil {
		return false, err
	}
	defer x.Release()
	w, err := p.AcquireWorker(ctx, new(atomic.Bool))
	if err != nil {
		return false, err
	}
	defer w.Release()
	err = w.Run(x, exec.Batch{Count: groups})
	return w.(*worker).ctx.Polling, err
}

// ForceNonTemporal makes eligible stores of p bypass the cache, which they otherwise do only for large
// outputs.
func ForceNonTemporal(p exec.Program) { p.(*program).forceNonTemporal = true }

// Without returns the engine of a machine that lacks some instructions.
func Without(e Engine, lacks target.Feature) Engine {
	e.disabled = lacks
	return e
}

// IdleStates returns the number of idle group states of p.
func IdleStates(p exec.Program) func() int {
	v := p.(*program).main
	return func() int {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.idleStates)
	}
}

// MaxIdleStateBytes is the largest size of all idle states together.
const MaxIdleStateBytes = maxIdleStateBytes

// IdleStateBytes returns how many bytes they have.
func IdleStateBytes() int64 { return idleStateBytes.Load() }

// StripLanes returns the lanes of the strips that p usually runs.
func StripLanes(p exec.Program) uint32 { return p.(*program).main.source.SubgroupSize }

// FormOf returns the register model of a level.
func FormOf(l target.Level) vcode.Form { return targetOf(l).Form(l) }

// Native reports whether an operation has machine code.
func Native(l target.Level, k ir.Key, op ir.Op) bool { return targetOf(l).Native(l, k, op) }

// MergedGroups returns how many workgroups of p its code for merged ones runs as one; 0 if there is no such code yet.
func MergedGroups(p exec.Program) uint32 {
	if m := &p.(*program).merge; m.variant != nil {
		return m.factor
	}
	return 0
}

// Tests merge workgroups from the first job on.
func init() { mergeAfter = 0 }

// MergeAfter sets how many workgroups a program runs before they are merged, and returns the former number.
func MergeAfter(n uint64) uint64 {
	old := mergeAfter
	mergeAfter = n
	return old
}
