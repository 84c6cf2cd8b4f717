package jit

import (
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// groupState is the memory that a worker runs its groups in: what depends on the code
// alone and no run leaves anything in that the next one could see, since the code
// itself sets what it reads. Machine code knows the addresses of the slices, which
// are never moved or grown.
type groupState struct {
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
	maxIdleState  = 1 << 20
	maxIdleStates = 64 << 20
)

// idleStateBytes is how many bytes all rooms have that variants keep. There is one
// number for the process, as there is one bound of its mappings.
var idleStateBytes atomic.Int64

// acquireState returns a room for a worker: one of an earlier run, or a new one.
func (v *variant) acquireState() (*groupState, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.idleStates); n > 0 {
		s := v.idleStates[n-1]
		v.idleStates = v.idleStates[:n-1]
		idleStateBytes.Add(-int64(s.size()))
		return s, nil
	}
	return newGroupState(v)
}

// releaseState keeps a room for the next run, or gives it back where it is large or there
// are enough. The caller holds a reference to the variant.
func (v *variant) releaseState(s *groupState) {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := int64(s.size())
	if n > maxIdleState || len(v.idleStates) >= exec.MaxIdleWorkers() {
		s.close()
		return
	}
	if idleStateBytes.Add(n) > maxIdleStates {
		idleStateBytes.Add(-n)
		s.close()
		return
	}
	v.idleStates = append(v.idleStates, s)
}

// freeStates gives all rooms back.
func (v *variant) freeStates() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.idleStates {
		idleStateBytes.Add(-int64(s.size()))
		s.close()
	}
	v.idleStates = nil
}

func newGroupState(v *variant) (*groupState, error) {
	n := int(v.source.Subgroups())
	stacks, err := amd64.NewStacks(n, v.code.StackBytes)
	if err != nil {
		return nil, err
	}
	s := &groupState{
		variant: v, stacks: stacks,
		shared:    make([]uint64, (v.source.SharedBytes+63)/64*8+1),
		subgroups: make([]uint64, n*amd64.SubgroupBytes/8),
		records:   make([]uint32, n*int(v.code.Record.Size)/4),
	}
	for i := range n {
		s.initSubgroup(i)
	}
	return s, nil
}

// size is how much memory the room takes.
func (s *groupState) size() int {
	return s.stacks.Size() + 8*len(s.shared) + 4*len(s.records)
}

// close unmaps the stacks, which fails only where they are none of ours.
func (s *groupState) close() { _ = s.stacks.Close() }

// workgroup is the workgroup memory as Go sees it.
func (s *groupState) workgroup() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.shared[0])), s.variant.source.SharedBytes)
}

// recordOf returns the memory of the i-th subgroup's record.
func (s *groupState) recordOf(i int) []uint32 {
	size := int(s.variant.code.Record.Size) / 4
	return s.records[i*size:][:size:size]
}

// initSubgroup prepares the i-th subgroup: its stack, and in its record who its
// lanes are.
func (s *groupState) initSubgroup(i int) {
	p, record := s.variant.source, s.recordOf(i)
	top := s.stacks.Top(i)
	words := amd64.SubgroupBytes / 8
	copy(s.subgroups[i*words:], []uint64{0, uint64(top), uint64(addressOf(record))})
	record[amd64.RecordID/4] = uint32(i)
	layout := s.variant.code.Record
	lanes := int(layout.Lanes)
	local, part := record[layout.Local/4:], s.variant.code.Level.Form().Lanes
	for lane := range int(p.SubgroupSize) {
		index := uint32(i)*p.SubgroupSize + uint32(lane)
		if index < p.Invocations() {
			record[amd64.RecordInitial/4+2*(lane/part)] |= 1 << (lane % part)
		}
		id := s.localID(index)
		for row, x := range []uint32{index, id[0], id[1], id[2]} {
			local[row*lanes+lane] = x
		}
	}
}

// localID returns the LocalInvocationId of an invocation: x is fastest.
func (s *groupState) localID(index uint32) [3]uint32 {
	x, y := s.variant.source.LocalSize[0], s.variant.source.LocalSize[1]
	return [3]uint32{index % x, index / x % y, index / x / y}
}
