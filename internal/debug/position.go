package debug

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// position is a point in the time of a dispatch: step is the number of operations that the subgroups of the group had begun,
// the one at the position included. lane is 0 before what concerns the whole subgroup, and n+1 when lane n meets the condition of a
// breakpoint.
type position struct {
	group, step uint64
	lane        uint32
}

func (p position) before(q position) bool {
	return cmp.Or(cmp.Compare(p.group, q.group), cmp.Compare(p.step, q.step), cmp.Compare(p.lane, q.lane)) < 0
}

// Bounds of the copies that a dispatch keeps, in bytes and in number. If there are too many, every second one is dropped, and the
// interval doubles.
const (
	maxCopied      = 1 << 28
	maxCheckpoints = 256
)

// The interval between two checkpoints: at least minInterval operations of subgroups, some milliseconds of the interpreter, and so many
// that they take much longer than the copy. It does not depend on the time of day: the same run has the same checkpoints.
const (
	minInterval    = 1 << 17
	bytesOperation = 16
)

// checkpoint is a copy of the writable memory at the beginning of a group.
type checkpoint struct {
	group  uint64
	copies [][]byte
	logged exec.LogState
}

// history has the checkpoints of a dispatch, ascending. The first is at its beginning.
type history struct {
	log      *exec.Log
	ranges   [][]byte
	bytes    int
	points   []checkpoint
	dropped  []checkpoint // whose copies are used again
	interval uint64
	passed   uint64 // operations since the last checkpoint
	blocked  bool   // the memory is too large to be copied
}

// begin finds the memory that a job may write, and makes the first checkpoint.
func (h *history) begin(p *ir.Program, job *exec.Job) {
	*h = history{log: job.Log}
	seen := map[*byte]int{}
	add := func(b []byte) {
		if len(b) == 0 || seen[unsafe.SliceData(b)] >= len(b) {
			return
		}
		seen[unsafe.SliceData(b)] = len(b)
		h.ranges = append(h.ranges, b)
		h.bytes += len(b)
	}
	for r, list := range job.Resources {
		if p.Res[r].NonWritable || p.Res[r].Kind == ir.UniformBuffer {
			continue
		}
		for _, b := range list {
			add(b.Bytes)
		}
	}
	for _, r := range job.Regions {
		add(r.Bytes)
	}
	h.interval = max(minInterval, uint64(h.bytes)/bytesOperation)
	if h.blocked = h.bytes > maxCopied; !h.blocked {
		h.save(0)
	}
}

// pass counts the operations of a group, and makes a checkpoint before the next group after an interval.
func (h *history) pass(operations, next uint64) {
	if h.passed += operations; h.passed >= h.interval && !h.blocked && next > h.points[len(h.points)-1].group {
		h.save(next)
		h.passed = 0
	}
}

// save makes a checkpoint before a group. It drops others if there are too many.
func (h *history) save(group uint64) {
	if n := len(h.points); n > 1 && (n >= maxCheckpoints || h.bytes*(n+1) > maxCopied) {
		kept := h.points[:0]
		for i, p := range h.points {
			if i%2 == 0 {
				kept = append(kept, p)
			} else {
				h.dropped = append(h.dropped, p)
			}
		}
		h.points = kept
		h.interval *= 2
	}
	if n := len(h.points); n > 0 && h.bytes*(n+1) > maxCopied {
		return
	}
	c := checkpoint{group: group, logged: h.log.State()}
	if n := len(h.dropped); n > 0 {
		c.copies, h.dropped = h.dropped[n-1].copies, h.dropped[:n-1]
		for i, b := range h.ranges {
			copy(c.copies[i], b)
		}
	} else {
		for _, b := range h.ranges {
			c.copies = append(c.copies, slices.Clone(b))
		}
	}
	h.points = append(h.points, c)
}

// find returns the index of the last checkpoint at or before a group; −1 if there is none.
func (h *history) find(group uint64) int {
	n := -1
	for i := range h.points {
		if h.points[i].group <= group {
			n = i
		}
	}
	return n
}

// restore restores the memory and the log of checkpoint n.
func (h *history) restore(n int) {
	for i, b := range h.ranges {
		copy(b, h.points[n].copies[i])
	}
	h.log.Restore(h.points[n].logged)
	h.passed = 0
}
