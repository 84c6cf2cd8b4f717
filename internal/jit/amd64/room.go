package amd64

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// room is memory that is needed while one function is looked at.
type room struct {
	numbers scratch.Slab[int32]
	makers  scratch.Slab[*vcode.Inst]
}

// rooms are those that nobody is in.
var rooms = sync.Pool{New: func() any { return new(room) }}

// newRoom returns a room, until leave.
func newRoom() *room { return rooms.Get().(*room) }

// leave gives it back, and all that was taken in it.
func (r *room) leave() {
	r.numbers.Reset()
	r.makers.Reset()
	rooms.Put(r)
}
