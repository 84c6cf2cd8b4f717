package jit

import (
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// room is the memory that a worker runs its groups in: what depends on the code
// alone and no run leaves anything in that the next one could see, since the code
// itself sets what it reads. Machine code knows the addresses of the slices, which
// are never moved or grown.
type room struct {
	variant   *variant
	stacks    *amd64.Stacks
	shared    []uint64
	subgroups []uint64 // amd64.SubgroupBytes each
	records   []uint32 // amd64.Record.Size bytes each
}

// Bounds in bytes: of a room that a variant keeps for its next run, and of all
// those that are kept in the process. Each stack of a room is two of the mappings
// that Linux lets a process have, 65,530, and 12 KiB at least.
const (
	maxKeptRoom  = 1 << 20
	maxKeptRooms = 64 << 20
)

// keptRooms is how many bytes all rooms have that variants keep. There is one
// number for the process, as there is one bound of its mappings.
var keptRooms atomic.Int64

// enter returns a room for a worker: one of an earlier run, or a new one.
func (v *variant) enter() (*room, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.rooms); n > 0 {
		r := v.rooms[n-1]
		v.rooms = v.rooms[:n-1]
		keptRooms.Add(-int64(r.bytes()))
		return r, nil
	}
	return newRoom(v)
}

// leave keeps a room for the next run, or gives it back where it is large or there
// are enough. The caller holds a reference to the variant.
func (v *variant) leave(r *room) {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := int64(r.bytes())
	if n > maxKeptRoom || len(v.rooms) >= exec.MaxIdleWorkers() {
		r.close()
		return
	}
	if keptRooms.Add(n) > maxKeptRooms {
		keptRooms.Add(-n)
		r.close()
		return
	}
	v.rooms = append(v.rooms, r)
}

// clear gives all rooms back.
func (v *variant) clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.rooms {
		keptRooms.Add(-int64(r.bytes()))
		r.close()
	}
	v.rooms = nil
}

func newRoom(v *variant) (*room, error) {
	n := int(v.p.Subgroups())
	stacks, err := amd64.NewStacks(n, v.code.StackBytes)
	if err != nil {
		return nil, err
	}
	r := &room{
		variant: v, stacks: stacks,
		shared:    make([]uint64, (v.p.SharedBytes+63)/64*8+1),
		subgroups: make([]uint64, n*amd64.SubgroupBytes/8),
		records:   make([]uint32, n*int(v.code.Record.Size)/4),
	}
	for i := range n {
		r.subgroup(i)
	}
	return r, nil
}

// bytes is how much memory the room takes.
func (r *room) bytes() int {
	return r.stacks.Size() + 8*len(r.shared) + 4*len(r.records)
}

// close unmaps the stacks, which fails only where they are none of ours.
func (r *room) close() { _ = r.stacks.Close() }

// workgroup is the workgroup memory as Go sees it.
func (r *room) workgroup() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&r.shared[0])), r.variant.p.SharedBytes)
}

// record returns the memory of the i-th subgroup's record.
func (r *room) record(i int) []uint32 {
	size := int(r.variant.code.Record.Size) / 4
	return r.records[i*size:][:size:size]
}

// subgroup prepares the i-th subgroup: its stack, and in its record who its
// lanes are.
func (r *room) subgroup(i int) {
	p, to := r.variant.p, r.record(i)
	top := r.stacks.Top(i)
	words := amd64.SubgroupBytes / 8
	copy(r.subgroups[i*words:], []uint64{0, uint64(top), uint64(addressOf(to))})
	to[amd64.RecordID/4] = uint32(i)
	record := r.variant.code.Record
	lanes := int(record.Lanes)
	local, part := to[record.Local/4:], r.variant.code.Level.Form().Lanes
	for lane := range int(p.SubgroupSize) {
		index := uint32(i)*p.SubgroupSize + uint32(lane)
		if index < p.Invocations() {
			to[amd64.RecordInitial/4+2*(lane/part)] |= 1 << (lane % part)
		}
		at := r.local(index)
		for row, v := range []uint32{index, at[0], at[1], at[2]} {
			local[row*lanes+lane] = v
		}
	}
}

// local returns the LocalInvocationId of an invocation: x is fastest.
func (r *room) local(index uint32) [3]uint32 {
	x, y := r.variant.p.LocalSize[0], r.variant.p.LocalSize[1]
	return [3]uint32{index % x, index / x % y, index / x / y}
}
