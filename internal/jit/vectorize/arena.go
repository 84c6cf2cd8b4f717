package vectorize

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// arena is the scratch memory of one vectorization, or of one pass over vcode: slabs of zeroed slices,
// which are valid until release. It is reused, so that compiling a program allocates little.
type arena struct {
	labels          scratch.Slab[ir.V]
	numbers         scratch.Slab[int32]
	flags           scratch.Slab[bool]
	sets            scratch.Slab[uint64]
	liveOuts        scratch.Slab[liveOut]
	shapes          scratch.Slab[shape]
	openRegions     scratch.Slab[openRegion]
	regionsByOpener scratch.Slab[*openRegion]
	values          scratch.Slab[value]
	valuesByV       scratch.Slab[*value]
	regionsByV      scratch.Slab[*region]
	definitions     scratch.Slab[definition]
	mentions        scratch.Slab[mention]
	mentionLists    scratch.Slab[[]mention]
	regs            scratch.Slab[vcode.Reg]
}

// arenas are the free arenas.
var arenas = sync.Pool{New: func() any { return new(arena) }}

// acquireArena returns an empty arena. The caller must release it.
func acquireArena() *arena { return arenas.Get().(*arena) }

// release frees all allocations of the arena and returns it to the pool.
func (r *arena) release() {
	r.labels.Reset()
	r.numbers.Reset()
	r.flags.Reset()
	r.sets.Reset()
	r.liveOuts.Reset()
	r.shapes.Reset()
	r.openRegions.Reset()
	r.regionsByOpener.Reset()
	r.values.Reset()
	r.valuesByV.Reset()
	r.regionsByV.Reset()
	r.definitions.Reset()
	r.mentions.Reset()
	r.mentionLists.Reset()
	r.regs.Reset()
	arenas.Put(r)
}
