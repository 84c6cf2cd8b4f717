package debug

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
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

// history has the checkpoints of a command, ascending. The first is at its beginning.
type history struct {
	log      *exec.Log
	ranges   [][]byte
	seen     map[*byte]int // the lengths of the ranges
	met      map[*ir.Program]bool
	bytes    int
	points   []checkpoint
	dropped  []checkpoint // whose copies are used again
	interval uint64
	passed   uint64 // operations since the last checkpoint
	blocked  bool   // the memory is too large to be copied
	shading  bool   // fragments run
	again    bool   // vertices run after fragments: checkpoints there would need the memory of both
}

// meet finds the memory that a group may write, before it runs, and completes the first checkpoint. Only the groups of a program
// write the memory of its resources: what a new program may write is as it was at the beginning, unless ranges overlap.
func (h *history) meet(of *hook, g *exec.Group) {
	fragments := of.stage.Program.Stage == ir.Fragment
	h.again = h.again || h.shading && !fragments
	h.shading = h.shading || fragments
	if h.met[g.Program] {
		return
	}
	if h.met == nil {
		h.met, h.seen = map[*ir.Program]bool{}, map[*byte]int{}
		h.points, h.log = []checkpoint{{logged: g.Job.Log.State()}}, g.Job.Log
		for _, b := range of.command.Memory {
			h.add(b)
		}
	}
	h.met[g.Program] = true
	for r, list := range g.Job.Resources {
		if x := &g.Program.Res[r]; x.NonWritable || x.Kind == ir.UniformBuffer || x.Set == compute.OwnSet {
			continue
		}
		for _, b := range list {
			h.add(b.Bytes)
		}
	}
	for _, r := range g.Job.Regions {
		h.add(r.Bytes)
	}
	h.interval = max(h.interval, minInterval, uint64(h.bytes)/bytesOperation)
}

// add adds a range to the memory of the first checkpoint.
func (h *history) add(b []byte) {
	if len(b) == 0 || h.seen[unsafe.SliceData(b)] >= len(b) {
		return
	}
	h.seen[unsafe.SliceData(b)] = len(b)
	h.ranges = append(h.ranges, b)
	if h.bytes += len(b); h.bytes > maxCopied {
		h.blocked, h.points = true, nil
	}
	if !h.blocked {
		h.points[0].copies = append(h.points[0].copies, slices.Clone(b))
	}
}

// independent reports whether groups of a stage can be skipped on the way to a checkpoint: they write nothing but the memory that the
// checkpoint has.
func (h *history) independent(s *shader.Stage) bool {
	return s.Program.Stage == ir.Fragment || s.Program.Stage == ir.Compute
}

// pass counts the operations of a group, and makes a checkpoint before the next group after an interval.
func (h *history) pass(operations, next uint64) {
	if h.passed += operations; h.passed >= h.interval && !h.blocked && !h.again && next > h.points[len(h.points)-1].group {
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

// restore restores the memory and the log of checkpoint n. Of overlapping ranges the first one met has the older memory.
func (h *history) restore(n int) {
	for i, copied := range slices.Backward(h.points[n].copies) {
		copy(h.ranges[i], copied)
	}
	h.log.Restore(h.points[n].logged)
	h.passed = 0
}
