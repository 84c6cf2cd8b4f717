package amd64

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// room is memory that is needed while one function is looked at.
type fuseScratch struct {
	numbers scratch.Slab[int32]
	makers  scratch.Slab[*vcode.Inst]
}

// rooms are those that nobody is in.
var fuseScratchPool = sync.Pool{New: func() any { return new(fuseScratch) }}

// newRoom returns a room, until leave.
func acquireFuseScratch() *fuseScratch { return fuseScratchPool.Get().(*fuseScratch) }

// leave gives it back, and all that was taken in it.
func (r *fuseScratch) release() {
	r.numbers.Reset()
	r.makers.Reset()
	fuseScratchPool.Put(r)
}
