package jit

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// ForcePolling makes the code of p give its processor back by polling, which it
// otherwise does only where Go's runtime leaves no other way.
func ForcePolling(p exec.Program) { p.(*program).forcePolling = true }

// ForceNonTemporal makes the code of p store past the cache wherever it is fit for that,
// which it otherwise does only where much is stored.
func ForceNonTemporal(p exec.Program) { p.(*program).forceNonTemporal = true }

// Without returns the engine of a machine that lacks some instructions.
func Without(e Engine, lacks amd64.Feature) Engine {
	e.disabled = lacks
	return e
}

// IdleStates returns what counts the rooms that are kept for p's next run.
func IdleStates(p exec.Program) func() int {
	v := p.(*program).main
	return func() int {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.idleStates)
	}
}

// MaxIdleStateBytes is how many bytes all rooms have at most that are kept.
const MaxIdleStateBytes = maxIdleStates

// IdleStateBytes returns how many bytes they have.
func IdleStateBytes() int64 { return idleStateBytes.Load() }
