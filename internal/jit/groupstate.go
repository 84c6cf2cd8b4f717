package jit

import (
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/trampoline"
)

// groupState is the memory in which a worker runs workgroups. It depends on the code alone, and the
// code initializes all that it reads, so that a run cannot observe an earlier one. Machine code has
// the addresses of the slices, so that they must not move or grow. There is one for each running
// worker, since a worker runs one workgroup at a time: workgroup memory, and for each subgroup a
// stack, an entry of the subgroup table and a record (target.Record).
type groupState struct {
	variant *variant
	stacks  *trampoline.Stacks
	// Words of 64 bits, so that the memory is 8-byte aligned for 64-bit atomics. Two more words than needed: an empty slice has no address,
	// and the load of the last record of the workgroup memory may read 12 bytes after it.
	shared    []uint64
	subgroups []uint64 // target.SubgroupBytes each
	records   []uint32 // target.Record.Size bytes each
}

// Bounds in bytes of one idle state, and of all idle states of the process. Each stack takes two of
// the 65,530 memory mappings that Linux grants a process, and at least 12 KiB.
const (
	maxIdleState      = 1 << 20
	maxIdleStateBytes = 64 << 20
)

// idleStateBytes is the size of all idle states of the process. It is global because the limit of
// mappings is.
var idleStateBytes atomic.Int64

// acquireState returns a state for a worker, idle or new. The latest state comes first, because its
// stacks are the most likely to be in the caches.
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

// releaseState adds a state to the free list, or frees it if it is large or the list is full. The
// caller holds a reference to the variant.
func (v *variant) releaseState(s *groupState) {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := int64(s.size())
	// More workers than processors cannot run in parallel, so more idle states are seldom useful.
	if n > maxIdleState || len(v.idleStates) >= exec.MaxIdleWorkers() {
		s.close()
		return
	}
	// Add before the comparison: two workers that release at the same time cannot both use the last
	// free bytes.
	if idleStateBytes.Add(n) > maxIdleStateBytes {
		idleStateBytes.Add(-n)
		s.close()
		return
	}
	v.idleStates = append(v.idleStates, s)
}

// freeStates frees all idle states.
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
	stacks, err := trampoline.NewStacks(n, v.code.StackBytes)
	if err != nil {
		return nil, err
	}
	// Workgroup memory is a multiple of 64 bytes, so that the code can clear it by full vectors. The
	// records need no such rule: Record.Size is one already.
	s := &groupState{
		variant: v, stacks: stacks,
		shared:    make([]uint64, (v.source.SharedBytes+63)/64*8+2),
		subgroups: make([]uint64, n*target.SubgroupBytes/8),
		records:   make([]uint32, n*int(v.code.Record.Size)/4),
	}
	for i := range n {
		s.initSubgroup(i)
	}
	return s, nil
}

// size returns the size of the state in bytes.
func (s *groupState) size() int {
	return s.stacks.Size() + 8*len(s.shared) + 4*len(s.records)
}

// close unmaps the stacks; that fails only for foreign memory.
func (s *groupState) close() { _ = s.stacks.Close() }

// workgroup returns the workgroup memory as bytes.
func (s *groupState) workgroup() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.shared[0])), s.variant.source.SharedBytes)
}

// recordOf returns the memory of the i-th subgroup's record.
func (s *groupState) recordOf(i int) []uint32 {
	size := int(s.variant.code.Record.Size) / 4
	return s.records[i*size:][:size:size]
}

// initSubgroup initializes the i-th subgroup: its stack, and in its record the IDs of its lanes. It
// runs once per state, not per workgroup: local IDs and initial lanes are the same in all
// workgroups. The last subgroup can be partial (Vulkan requires full ones only with
// REQUIRE_FULL_SUBGROUPS). With 40 invocations in subgroups of 16:
//
//	subgroup     0        1        2
//	lanes        0…15     0…15     0…7
//	index        0…15     16…31    32…39
func (s *groupState) initSubgroup(i int) {
	p, record := s.variant.source, s.recordOf(i)
	top := s.stacks.Top(i)
	words := target.SubgroupBytes / 8
	// Of the three words the first, the waiting stack pointer, belongs to the code.
	copy(s.subgroups[i*words:], []uint64{0, uint64(top), uint64(addressOf(record))})
	record[target.RecordID/4] = uint32(i)
	layout := s.variant.code.Record
	lanes := int(layout.Lanes)
	local, part := record[layout.Local/4:], s.variant.form.Lanes
	for lane := range int(p.SubgroupSize) {
		index := uint32(i)*p.SubgroupSize + uint32(lane)
		if index < p.Invocations() {
			record[target.RecordInitial/4+2*(lane/part)] |= 1 << (lane % part)
		}
		id := s.localID(index)
		// One row per component: a load of LocalInvocationId.x is one vector.
		for row, x := range []uint32{index, id[0], id[1], id[2]} {
			local[row*lanes+lane] = x
		}
	}
}

// localID returns the LocalInvocationId of an invocation; x is the fastest coordinate. It is the
// inverse of LocalInvocationIndex = z·x·y + y·x + x of the Vulkan specification (§"Built-In
// Variables"), with the sizes of the axes.
func (s *groupState) localID(index uint32) [3]uint32 {
	x, y := s.variant.source.LocalSize[0], s.variant.source.LocalSize[1]
	return [3]uint32{index % x, index / x % y, index / x / y}
}
