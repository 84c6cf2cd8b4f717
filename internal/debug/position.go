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

// Bounds of the copies that a dispatch keeps, in bytes and in number. If there are too many, every second one of the older half is
// dropped: to go back by little takes little time at any position.
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

// checkpoint is a copy of the writable memory at the beginning of a group, or before a step in it.
type checkpoint struct {
	at     position
	copies [][]byte
	logged exec.LogState
	inside *inside // nil at the beginning of a group
}

// inside is the state of a group at a step.
type inside struct {
	state  exec.Snapshot
	last   []place
	judged uint32
}

// size is the memory of the state.
func (x *inside) size() int {
	if x == nil {
		return 0
	}
	return x.state.Bytes() + int(unsafe.Sizeof(place{}))*len(x.last)
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
	states   int          // bytes of the states inside of groups
	current  int          // the last checkpoint that this run has passed
	interval uint64
	passed   uint64 // operations since then
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
	stage := s.Program.Stage
	return stage == ir.Fragment || stage == ir.Compute || stage.OfRays()
}

// pass counts operations up to a position, and reports whether a checkpoint is due there.
func (h *history) pass(operations uint64, at position) bool {
	h.passed += operations
	for h.current+1 < len(h.points) && !at.before(h.points[h.current+1].at) {
		h.current++
		h.passed = 0
	}
	return h.passed >= h.interval && !h.blocked && !h.again
}

// save makes a checkpoint at the position that the run has arrived at. It drops others if there are too many.
func (h *history) save(at position, x *inside) {
	h.passed = 0
	if n := len(h.points); n >= maxCheckpoints || h.size(n+1)+x.size() > maxCopied {
		h.thin()
		h.current = h.find(at)
	}
	if n := len(h.points); n > 0 && h.size(n+1)+x.size() > maxCopied {
		return
	}
	c := checkpoint{at: at, logged: h.log.State(), inside: x}
	if n := len(h.dropped); n > 0 && len(h.dropped[n-1].copies) == len(h.ranges) {
		c.copies, h.dropped = h.dropped[n-1].copies, h.dropped[:n-1]
		for i, b := range h.ranges {
			copy(c.copies[i], b)
		}
	} else {
		for _, b := range h.ranges {
			c.copies = append(c.copies, slices.Clone(b))
		}
	}
	h.states += x.size()
	h.current = min(h.current+1, len(h.points))
	h.points = slices.Insert(h.points, h.current, c)
}

// size is the memory of n checkpoints with the states of the existing ones.
func (h *history) size(n int) int { return h.bytes*n + h.states }

// thin drops every second checkpoint of the older half, but not the first.
func (h *history) thin() {
	half := max(len(h.points)/2, 1)
	kept := h.points[:0]
	for i, p := range h.points {
		if i > half || i%2 == 0 {
			kept = append(kept, p)
			continue
		}
		h.drop(p)
	}
	clear(h.points[len(kept):])
	h.points = kept
}

// drop keeps the copies of a checkpoint for another one.
func (h *history) drop(p checkpoint) {
	h.states -= p.inside.size()
	h.dropped = append(h.dropped, checkpoint{copies: p.copies})
}

// forget drops the checkpoints after a position: they do not have the changes that the controller makes there.
func (h *history) forget(after position) {
	kept := h.find(after) + 1
	for _, p := range h.points[kept:] {
		h.drop(p)
	}
	clear(h.points[kept:])
	h.points = h.points[:kept]
}

// find returns the index of the last checkpoint at or before a position; −1 if there is none.
func (h *history) find(at position) int {
	n := -1
	for i := range h.points {
		if !at.before(h.points[i].at) {
			n = i
		}
	}
	return n
}

// restore restores the memory and the log of checkpoint n. Of overlapping ranges the first one met has the older memory. A range that a
// later program may write is as it was at the beginning.
func (h *history) restore(n int) {
	copies := h.points[n].copies
	for i, b := range slices.Backward(h.ranges) {
		if i < len(copies) {
			copy(b, copies[i])
		} else {
			copy(b, h.points[0].copies[i])
		}
	}
	h.log.Restore(h.points[n].logged)
	h.current, h.passed = n, 0
}
