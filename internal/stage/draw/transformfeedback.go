package draw

import (
	"cmp"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Limits of transform feedback.
const (
	MaxStreams         = ir.MaxStreams
	MaxFeedbackBuffers = ir.MaxCaptures
	MaxCapturedBytes   = 1024 // of a vertex, in all buffers of its stream (maxTransformFeedbackStreamDataSize)
)

// Feedback is transform feedback while it is active (VK_EXT_transform_feedback). It is
// kept from draw to draw; only one draw at a time may have it.
type Feedback struct {
	Buffers [MaxFeedbackBuffers]FeedbackBuffer
	Streams [MaxStreams]FeedbackCount
}

// FeedbackBuffer is a buffer that vertices are written to.
type FeedbackBuffer struct {
	Bytes []byte // the range that is bound; nil: nothing is

	// Next is where the next vertex goes, in bytes: what a counter buffer holds. 0
	// begins, what a draw left resumes.
	Next uint64
}

// FeedbackCount counts primitives of a stream (Vulkan §"Transform Feedback Queries").
type FeedbackCount struct {
	Written uint64
	Needed  uint64 // what would have been written if there were room
}

// captures is what the stage before the rasterizer leaves of its vertices for transform
// feedback: a row for each vertex, in which stands what its stream captures.
type captures struct {
	row     uint32 // bytes
	places  []int  // by output: where in the row, in bytes; −1: nowhere
	streams [MaxStreams][]captured
}

// captured is a buffer that a stream is captured to.
type captured struct {
	buffer, stride uint32
	runs           []captureRun
}

// captureRun is bytes that follow each other in the row and in the buffer.
type captureRun struct{ from, to, size uint32 }

// newCaptures lays out the rows of a program's vertices.
func newCaptures(p *ir.Program) (*captures, error) {
	c := &captures{places: make([]int, len(p.Out))}
	for k := range c.places {
		c.places[k] = -1
	}
	var ends [MaxStreams]uint32 // of the rows, so far
	for i, x := range p.Captures {
		b := captured{buffer: x.Buffer, stride: x.Stride}
		var outs []int
		for k, o := range p.Out {
			if o.Capture == uint32(i+1) {
				outs = append(outs, k)
			}
		}
		slices.SortStableFunc(outs, func(k, l int) int { return cmp.Compare(p.Out[k].Offset, p.Out[l].Offset) })
		for _, k := range outs {
			o := p.Out[k]
			size := uint32(o.Type.Bits() / 8)
			at := (ends[x.Stream] + size - 1) / size * size
			c.places[k] = int(at)
			b.add(captureRun{at, o.Offset, size})
			ends[x.Stream] = at + size
		}
		c.streams[x.Stream] = append(c.streams[x.Stream], b)
		c.row = max(c.row, (ends[x.Stream]+7)&^7)
	}
	if c.row > MaxCapturedBytes {
		return nil, &exec.LimitError{Quantity: "bytes of a vertex that are captured", Value: uint64(c.row), Max: MaxCapturedBytes}
	}
	return c, nil
}

// add adds a run, to the last one where it goes on there.
func (b *captured) add(r captureRun) {
	if n := len(b.runs); n > 0 {
		if l := &b.runs[n-1]; l.from+l.size == r.from && l.to+l.size == r.to {
			l.size += r.size
			return
		}
	}
	b.runs = append(b.runs, r)
}

// last is the program of the stage before the rasterizer.
func (s *Stages) last() *ir.Program {
	switch {
	case s.Geometry != nil:
		return s.Geometry
	case s.TessEval != nil:
		return s.TessEval
	}
	return s.Vertex
}

// captured is what a stage's program leaves for transform feedback; nil where that is
// not active, or another stage comes behind it.
func (p *Pipeline) captured(stage *ir.Program, active bool) *captures {
	if !active || stage != p.stages.last() {
		return nil
	}
	return p.captures
}

// capture writes what stores the row of vertex n, of a stream.
func (w *weaver) capture(c *captures, n ir.V, stream uint32) {
	if c == nil {
		return
	}
	at := w.at(w.b.I32(0), n, uint64(c.row))
	for k, o := range w.from.Out {
		if c.places[k] >= 0 && o.Stream == stream {
			h := w.handle(ir.StorageBuffer, bindCaptured, true)
			w.b.Emit(ir.Val{Op: ir.St, Type: o.Type, Args: [4]ir.V{h, at, w.output(k)}, Aux: uint64(c.places[k])})
		}
	}
}

// checkFeedback returns an error where transform feedback is active and cannot be.
func (p *Pipeline) checkFeedback(a *Args, s *State) error {
	switch {
	case a.Feedback == nil:
	case !p.stages.last().Modes.Has(ir.Xfb): // VUID-vkCmdBeginTransformFeedbackEXT-None-04128
		return wrong("transform feedback of a %s program without the mode Xfb", p.stages.last().Stage)
	case s.ViewMask != 0: // VUID-vkCmdBeginTransformFeedbackEXT-None-02373
		return wrong("transform feedback with views; must be without")
	}
	return nil
}

// room makes room for the rows of so many vertices.
func (d *drawing) captureRoom(vertices uint32) {
	if d.args.Feedback != nil {
		size := int(vertices) * int(d.pipeline.captures.row)
		d.captured.size(size)
		d.own.buffers[bindCaptured] = shared(d.captured.bytes(size))
	}
}

// feedback takes primitives of a stream through transform feedback, in order: of each
// its vertices as the topology winds them, from the provoking one on, or up to it where
// that is the last one (Vulkan §"Transform Feedback").
func (d *drawing) feedback(stream uint32, f *flow) {
	x := d.args.Feedback
	if x == nil {
		return
	}
	c := d.pipeline.captures
	vertices := f.topology.corners()
	fit, bound := uint64(math.MaxUint64), false
	for _, b := range c.streams[stream] {
		to := &x.Buffers[b.buffer]
		if to.Bytes == nil {
			continue
		}
		bound = true
		if size := uint64(b.stride) * uint64(vertices); size > 0 {
			fit = min(fit, (max(uint64(len(to.Bytes)), to.Next)-to.Next)/size)
		}
	}
	if !bound {
		return
	}
	n := min(fit, uint64(len(f.primitives)))
	rows := d.captured.bytes(int(f.vertices) * int(c.row))
	for _, b := range c.streams[stream] {
		if to := &x.Buffers[b.buffer]; to.Bytes != nil && b.stride > 0 {
			for i := range f.primitives[:n] {
				p := &f.primitives[i]
				first := p.first(vertices, d.state.Rasterization.LastVertex)
				for k := range vertices {
					v := p.v[(first+k)%vertices]
					b.write(to.Bytes[to.Next:], rows[int(v)*int(c.row):])
					to.Next += uint64(b.stride)
				}
			}
		}
	}
	x.Streams[stream].Needed += uint64(len(f.primitives))
	x.Streams[stream].Written += n
}

// first returns which of the vertices comes first so that the provoking one does, or
// comes last.
func (p *primitive) first(vertices uint32, last bool) uint32 {
	if last && vertices == 3 && p.v[2] != p.provoking {
		for k := range uint32(2) {
			if p.v[k] == p.provoking {
				return k + 1
			}
		}
	}
	return 0
}

// write writes what is captured of a vertex.
func (b *captured) write(to, row []byte) {
	for _, r := range b.runs {
		copy(to[r.to:r.to+r.size], row[r.from:])
	}
}

// corners returns how many vertices the primitives have, without adjacent ones.
func (t Topology) corners() uint32 {
	switch t {
	case PointList:
		return 1
	case LineList, LineStrip, LineListAdjacency, LineStripAdjacency:
		return 2
	}
	return 3
}
