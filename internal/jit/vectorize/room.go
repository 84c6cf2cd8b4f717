package vectorize

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// room is memory that is needed while a function is widened, or while one pass looks
// at what has become of it, and not behind that.
type room struct {
	labels  scratch.Slab[ir.V]
	numbers scratch.Slab[int32]
	flags   scratch.Slab[bool]
	sets    scratch.Slab[uint64]
	homes   scratch.Slab[home]
	shapes  scratch.Slab[shape]
	places  scratch.Slab[place]
	open    scratch.Slab[*place]
	values  scratch.Slab[value]
	known   scratch.Slab[*value]
	regions scratch.Slab[*region]
	makers  scratch.Slab[maker]
	spots   scratch.Slab[spot]
	lists   scratch.Slab[[]spot]
	regs    scratch.Slab[vcode.Reg]
}

// rooms are those that nobody is in.
var rooms = sync.Pool{New: func() any { return new(room) }}

// enter returns a room, until leave.
func enter() *room { return rooms.Get().(*room) }

// leave gives it back, and all that was taken in it.
func (r *room) leave() {
	r.labels.Reset()
	r.numbers.Reset()
	r.flags.Reset()
	r.sets.Reset()
	r.homes.Reset()
	r.shapes.Reset()
	r.places.Reset()
	r.open.Reset()
	r.values.Reset()
	r.known.Reset()
	r.regions.Reset()
	r.makers.Reset()
	r.spots.Reset()
	r.lists.Reset()
	r.regs.Reset()
	rooms.Put(r)
}
