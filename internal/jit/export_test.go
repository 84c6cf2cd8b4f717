package jit

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// Poll makes the code of p give its processor back by polling, which it
// otherwise does only where Go's runtime leaves no other way.
func Poll(p exec.Program) { p.(*program).polling = true }

// Pass makes the code of p store past the cache wherever it is fit for that,
// which it otherwise does only where much is stored.
func Pass(p exec.Program) { p.(*program).passing = true }

// Without returns the engine of a machine that lacks some instructions.
func Without(e Engine, lacks amd64.Extra) Engine {
	e.without = lacks
	return e
}

// Rooms returns what counts the rooms that are kept for p's next run.
func Rooms(p exec.Program) func() int {
	v := p.(*program).first
	return func() int {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.rooms)
	}
}

// MaxKeptRooms is how many bytes all rooms have at most that are kept.
const MaxKeptRooms = maxKeptRooms

// KeptRooms returns how many bytes they have.
func KeptRooms() int64 { return keptRooms.Load() }
