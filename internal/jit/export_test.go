package jit

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// ForcePolling makes the code of p poll for preemption, which it otherwise does only if the Go runtime
// permits no other way.
func ForcePolling(p exec.Program) { p.(*program).forcePolling = true }

// ForceNonTemporal makes eligible stores of p bypass the cache, which they otherwise do only for large
// outputs.
func ForceNonTemporal(p exec.Program) { p.(*program).forceNonTemporal = true }

// Without returns the engine of a machine that lacks some instructions.
func Without(e Engine, lacks amd64.Feature) Engine {
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

// MergedGroups returns how many workgroups of p its code for merged ones runs as one; 0 if there is no such code yet.
func MergedGroups(p exec.Program) uint32 {
	if m := p.(*program).merge; m.variant != nil {
		return m.factor
	}
	return 0
}
