package amd64

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// fuseScratch is the temporary memory of fuse, for one function.
type fuseScratch struct {
	numbers scratch.Slab[int32]
	makers  scratch.Slab[*vcode.Inst]
}

// fuseScratchPool holds idle scratch memory.
var fuseScratchPool = sync.Pool{New: func() any { return new(fuseScratch) }}

// acquireFuseScratch returns scratch memory; the caller must call its release.
func acquireFuseScratch() *fuseScratch { return fuseScratchPool.Get().(*fuseScratch) }

// release frees all slices and returns the memory to the pool.
func (r *fuseScratch) release() {
	r.numbers.Reset()
	r.makers.Reset()
	fuseScratchPool.Put(r)
}
