package vcode

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// Arena is a bump allocator for the instructions and register lists of functions. All memory is freed at
// once, by Release, when no function in it is needed any more. The methods of a nil Arena allocate with make
// instead. An Arena is for one goroutine.
//
// An Arena belongs to one compilation, and so does its stop function: see Poll.
type Arena struct {
	insts scratch.Slab[Inst]
	regs  scratch.Slab[Reg]

	stop  func() error
	polls uint32
}

// Stopped is the panic of Poll.
type Stopped struct{ Err error }

// pollInterval is the number of calls of Poll for each call of the stop function.
const pollInterval = 1 << 10

// StopWith sets the function that Poll calls; nil is none.
func (a *Arena) StopWith(stop func() error) { a.stop = stop }

// Poll panics with a *Stopped if the stop function returns an error. Every loop over instructions may call
// it; most calls only count. The engine's Compile recovers.
func (a *Arena) Poll() {
	if a == nil || a.stop == nil {
		return
	}
	if a.polls++; a.polls%pollInterval != 0 {
		return
	}
	if err := a.stop(); err != nil {
		panic(&Stopped{err})
	}
}

// arenas holds idle arenas.
var arenas = sync.Pool{New: func() any { return new(Arena) }}

// AcquireArena returns an arena, idle or new; the caller must call its Release.
func AcquireArena() *Arena { return arenas.Get().(*Arena) }

// Release frees the memory of all functions in the arena and returns it to the idle ones.
func (a *Arena) Release() {
	a.insts.Reset()
	a.regs.Reset()
	a.stop, a.polls = nil, 0
	arenas.Put(a)
}

// Insts returns an empty slice with capacity for n instructions.
func (a *Arena) Insts(n int) []Inst {
	if a == nil {
		return make([]Inst, 0, n)
	}
	return a.insts.Alloc(n)[:0]
}

// Regs returns a slice of n registers, all 0 (none).
func (a *Arena) Regs(n int) []Reg {
	if a == nil {
		return make([]Reg, n)
	}
	return a.regs.Alloc(n)
}
