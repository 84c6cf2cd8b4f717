package frontend

import (
	"cmp"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// captureLayout is the layout of captured outputs. For transform feedback the last stage before the
// rasterizer stores a captured record for each vertex, with the captured outputs of its stream. It has the
// captured outputs of all buffers of a stream, aligned to their sizes. Example: buffer 0 captures
// Position (16 bytes), buffer 1 a double:
//
//	record   0…15 Position   16…23 the double
//	runs     buffer 0: {0, 0, 16}   buffer 1: {16, 0, 8}
type captureLayout struct {
	stride  uint32 // bytes of a captured record
	offsets []int  // by output: byte offset in the captured record; −1 if not captured
	streams [state.MaxStreams][]captureBuffer
}

// captureBuffer is a feedback buffer of a stream.
type captureBuffer struct {
	buffer, stride uint32
	runs           []captureRun
}

// captureRun is a byte range that is contiguous in the captured record and in the buffer.
type captureRun struct{ from, to, size uint32 }

// newCaptures lays out the captured records of a program's vertices.
func newCaptures(p *ir.Program) (*captureLayout, error) {
	c := &captureLayout{offsets: make([]int, len(p.Out))}
	for k := range c.offsets {
		c.offsets[k] = -1
	}
	var ends [state.MaxStreams]uint32 // sizes of the captured records so far
	for i, x := range p.Captures {
		b := captureBuffer{buffer: x.Buffer, stride: x.Stride}
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
			c.offsets[k] = int(at)
			b.add(captureRun{at, o.Offset, size})
			ends[x.Stream] = at + size
		}
		c.streams[x.Stream] = append(c.streams[x.Stream], b)
		// Captured records are multiples of 8 bytes, for the alignment of 64-bit components.
		c.stride = max(c.stride, (ends[x.Stream]+7)&^7)
	}
	if c.stride > state.MaxCapturedBytes {
		return nil, &exec.LimitError{Quantity: "bytes of a vertex that are captured", Value: uint64(c.stride), Max: state.MaxCapturedBytes}
	}
	return c, nil
}

// add appends a run, or extends the last one if it is adjacent.
func (b *captureBuffer) add(r captureRun) {
	if n := len(b.runs); n > 0 {
		if l := &b.runs[n-1]; l.from+l.size == r.from && l.to+l.size == r.to {
			l.size += r.size
			return
		}
	}
	b.runs = append(b.runs, r)
}

// capture emits the stores of vertex n's captured record.
func capture(w *compose.Builder, c *captureLayout, n ir.V, stream uint32) {
	if c == nil {
		return
	}
	at := w.At(w.B.I32(0), n, uint64(c.stride))
	for k, o := range w.From.Out {
		if c.offsets[k] >= 0 && o.Stream == stream {
			h := w.Handle(ir.StorageBuffer, layout.BindCaptures, true)
			w.B.Emit(ir.Val{Op: ir.St, Type: o.Type, Args: [4]ir.V{h, at, w.Output(k)}, Aux: uint64(c.offsets[k])})
		}
	}
}

// bindCaptures provides the captured records of a job.
func (d *Binner) bindCaptures(vertices uint32) {
	if d.Args.Feedback != nil {
		size := int(vertices) * int(d.Pipeline.captures.stride)
		d.captured.Grow(size)
		d.Own.Buffers[layout.BindCaptures] = compose.Shared(d.captured.Bytes(size))
	}
}

// writeFeedback appends primitives of a stream to the feedback buffers, in order, as long as they
// fit. A primitive is written to all buffers of its stream or to none, if one of them is full. The two
// counts are the results of VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT. One worker runs such a draw,
// so that the order is the order of primitives.
func (d *Binner) writeFeedback(stream uint32, f *primitiveList) {
	x := d.Args.Feedback
	if x == nil {
		return
	}
	c := d.Pipeline.captures
	vertices := state.Corners(f.topology)
	fit, bound := uint64(math.MaxUint64), false
	for _, b := range c.streams[stream] {
		to := &x.Buffers[b.buffer]
		if to.Bytes == nil {
			continue
		}
		bound = true
		if size := uint64(b.stride) * uint64(vertices); size > 0 {
			// A buffer with Next beyond its end has room for nothing.
			fit = min(fit, (max(uint64(len(to.Bytes)), to.Next)-to.Next)/size)
		}
	}
	if !bound {
		return
	}
	n := min(fit, uint64(len(f.primitives)))
	records := d.captured.Bytes(int(f.vertices) * int(c.stride))
	for _, b := range c.streams[stream] {
		if to := &x.Buffers[b.buffer]; to.Bytes != nil && b.stride > 0 {
			for i := range f.primitives[:n] {
				for _, v := range f.primitives[i].v[:vertices] {
					b.write(to.Bytes[to.Next:], records[int(v)*int(c.stride):])
					to.Next += uint64(b.stride)
				}
			}
		}
	}
	x.Streams[stream].Needed += uint64(len(f.primitives))
	x.Streams[stream].Written += n
}

// write copies the captured bytes of one vertex.
func (b *captureBuffer) write(to, record []byte) {
	for _, r := range b.runs {
		copy(to[r.to:r.to+r.size], record[r.from:])
	}
}
