package vk

// maxSparseRuns bounds the runs of memory that the sparse resources of a device show together, since the system limits the
// mappings of a process: 65,530 on Linux. A run and the scratch after it are two mappings.
const maxSparseRuns = 1 << 14

// A bind adds at most this many runs: its own, and the second part of a run that it cuts.
const runsOfBind = 2

// sparseRuns are the blocks of a space that show memory, and the runs of adjacent bytes among them. heap.mu guards them.
type sparseRuns struct {
	shown  []uint64           // bits of the blocks that show memory
	starts []uint64           // of those that begin a run
	next   map[uint64]backing // by the block after a bind: the memory that would continue it
	count  uint64
}

// pageTables returns the bytes of the system's page tables for a range whose pages are all in use, 8 for each page of 4 KiB.
func pageTables(n uint64) uint64 { return n / 512 }

// expectRuns counts binds that a submission will carry out. It returns an *OutOfMemoryError if there may be too many runs.
func (h *heap) expectRuns(binds uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if left := maxSparseRuns - min(h.runs+h.expected, maxSparseRuns); binds > left/runsOfBind {
		return &OutOfMemoryError{Bytes: binds * SparseBlock, Left: left / runsOfBind * SparseBlock}
	}
	h.expected += binds * runsOfBind
	return nil
}

// forgetRuns is the inverse of expectRuns, for binds that are carried out or will not be.
func (h *heap) forgetRuns(binds uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expected -= binds * runsOfBind
}

// show records that n bytes of a space show memory, or none if it is nil.
func (h *heap) show(space *Memory, at, n uint64, memory *Memory, offset uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &space.runs
	if r.shown == nil {
		words := uint64(len(space.bytes))/SparseBlock/64 + 1
		r.shown, r.starts, r.next = make([]uint64, words), make([]uint64, words), map[uint64]backing{}
	}
	if space.pages != nil {
		space.pages.Set(int(at/SparseBlock), int(n/SparseBlock), memory != nil)
	}
	h.runs -= r.count
	r.change(at/SparseBlock, (at+n)/SparseBlock, memory, offset)
	h.runs += r.count
}

// change changes the blocks from begin to end.
func (r *sparseRuns) change(begin, end uint64, memory *Memory, offset uint64) {
	if has(r.shown, end) && !has(r.starts, end) { // the rest of a run that is cut
		r.start(end, true)
	}
	continues := memory != nil && begin > 0 && has(r.shown, begin-1) && r.next[begin] == backing{memory, offset}
	for k := begin; k < end; k++ {
		delete(r.next, k+1)
		r.start(k, false)
		put(r.shown, k, memory != nil)
	}
	delete(r.next, begin)
	if memory != nil {
		r.start(begin, !continues)
		r.next[end] = backing{memory, offset + (end-begin)*SparseBlock}
	}
}

// start sets whether a block begins a run.
func (r *sparseRuns) start(k uint64, on bool) {
	switch was := has(r.starts, k); {
	case on && !was:
		r.count++
	case was && !on:
		r.count--
	}
	put(r.starts, k, on)
}

func has(list []uint64, k uint64) bool { return k/64 < uint64(len(list)) && list[k/64]>>(k%64)&1 != 0 }

func put(list []uint64, k uint64, on bool) {
	list[k/64] &^= 1 << (k % 64)
	if on {
		list[k/64] |= 1 << (k % 64)
	}
}
