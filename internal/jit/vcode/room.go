package vcode

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// Room is memory that functions are made in, and that others are made in when nobody
// needs those any more. Of a nil Room there is as much as is wanted, once.
type Room struct {
	insts scratch.Slab[Inst]
	regs  scratch.Slab[Reg]
}

// rooms are those in which no function is made.
var rooms = sync.Pool{New: func() any { return new(Room) }}

// Enter returns a Room for a Form, until Leave.
func Enter() *Room { return rooms.Get().(*Room) }

// Leave gives the memory back of all functions that were made in it.
func (r *Room) Leave() {
	r.insts.Reset()
	r.regs.Reset()
	rooms.Put(r)
}

// Insts returns an empty list for so many instructions.
func (r *Room) Insts(n int) []Inst {
	if r == nil {
		return make([]Inst, 0, n)
	}
	return r.insts.Take(n)[:0]
}

// Regs returns a list of n registers, all none.
func (r *Room) Regs(n int) []Reg {
	if r == nil {
		return make([]Reg, n)
	}
	return r.regs.Take(n)
}
