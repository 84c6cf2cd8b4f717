package vk

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Fixed functions read memory, too: the stage DRAW_INDIRECT the arguments of indirect draws, INDEX_INPUT the indices,
// VERTEX_ATTRIBUTE_INPUT the vertex attributes that the vertex shader has as inputs.

// fixed adds a read of a fixed function.
func (o *commandOrder) fixed(p *printer, name string, spans []exec.Span, stage, access uint64) {
	if len(spans) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, []*commandAccess{{Access: exec.Access{Spans: spans}, name: name, stage: stage, access: access}}, o.now())
}

// maxElements bounds the elements of a vertex buffer that are compared for a draw: the first ones.
const maxElements = 1 << 18

// draw adds the reads of the indices and of the vertex attributes of a draw with a state. The arguments of an indirect draw are a copy.
func (o *commandOrder) draw(p *printer, d *drawable, s *state.State, a *state.Args, indirect *state.Indirect) {
	if o == nil || a.Mesh {
		return
	}
	at := slices.IndexFunc(d.stages, func(s *shader.Stage) bool { return s.Program.Stage == ir.Vertex })
	if at < 0 {
		return
	}
	vertex := d.stages[at].Program
	if indirect == nil {
		o.vertices(p, vertex, s, a)
		return
	}
	one := *a
	n, err := indirect.Draws(&one)
	for i := uint32(0); err == nil && i < min(n, maxCompared); i++ { // the draw reports the error
		indirect.Set(&one, i)
		o.vertices(p, vertex, s, &one)
	}
}

// drawsSome reports whether a draw, or one of an indirect draw, has vertices or workgroups. After the first maxCompared draws
// the next one counts as one with vertices.
func drawsSome(a *state.Args, indirect *state.Indirect) bool {
	switch {
	case indirect != nil:
	case a.Mesh:
		return a.Tasks[0] > 0 && a.Tasks[1] > 0 && a.Tasks[2] > 0
	default:
		return a.Count > 0 && a.Instances > 0
	}
	one := *a
	n, err := indirect.Draws(&one)
	for i := uint32(0); err == nil && i < n; i++ { // the draw reports the error
		if indirect.Set(&one, i); i == maxCompared || drawsSome(&one, nil) {
			return true
		}
	}
	return false
}

// vertices adds the reads of a draw that is not indirect.
func (o *commandOrder) vertices(p *printer, vertex *ir.Program, s *state.State, a *state.Args) {
	if a.Count == 0 || a.Instances == 0 {
		return
	}
	if a.Index != nil {
		from := min(uint64(a.First)*uint64(a.IndexBytes), uint64(len(a.Index)))
		n := min(uint64(a.Count)*uint64(a.IndexBytes), uint64(len(a.Index))-from)
		o.fixed(p, "draw of its indices", spanOf(a.Index[from:][:n]), stageIndexInput, accessIndexRead)
	}
	locations := map[uint32]bool{}
	for i := range vertex.In {
		if in := &vertex.In[i]; in.Semantic == ir.Location {
			locations[in.Index/4] = true
		}
	}
	for _, b := range s.Vertex.Bindings {
		if b.Binding >= state.MaxBindings || int(b.Binding) >= len(a.VertexBuffers) {
			continue
		}
		bytes := a.VertexBuffers[b.Binding].Bytes
		var ranges []exec.Span // of the attributes, in an element
		for _, x := range s.Vertex.Attributes {
			if f := format.InfoByName(x.Format); x.Binding == b.Binding && locations[x.Location] && f != nil {
				ranges = append(ranges, exec.Span{Start: uint64(x.Offset), End: uint64(x.Offset) + uint64(f.Bytes)})
			}
		}
		if len(ranges) == 0 || len(bytes) == 0 {
			continue
		}
		e := accessedElements(&b, a, a.Index, uint64(a.IndexBytes), s.Assembly.Restart, maxElements)
		o.fixed(p, "draw of its vertex attributes", e.spans(bytes, ranges, uint64(b.Stride)), stageVertexAttributeInput, accessVertexAttributeRead)
	}
}

// spans returns the addresses of the attributes of elements of a vertex buffer. Elements beyond its bytes have none.
func (e *elements) spans(bytes []byte, ranges []exec.Span, stride uint64) (list []exec.Span) {
	start, end := uint64(address(bytes)), uint64(len(bytes))
	add := func(n uint64) bool {
		in := n == 0 || stride == 0 || n <= end/stride
		for _, r := range ranges {
			if in && n*stride+r.End <= end {
				list = append(list, exec.Span{Start: start + n*stride + r.Start, End: start + n*stride + r.End})
			}
		}
		return in
	}
	for _, n := range e.indices {
		add(n)
	}
	if e.known {
		for i := range min(e.count, maxElements) {
			if !add(e.first+i) || stride == 0 {
				break
			}
		}
	}
	return joined(list)
}

// joined sorts spans and joins those that overlap or touch.
func joined(list []exec.Span) []exec.Span {
	slices.SortFunc(list, func(a, b exec.Span) int { return cmp.Compare(a.Start, b.Start) })
	n := 0
	for _, s := range list {
		if n > 0 && list[n-1].End >= s.Start {
			list[n-1].End = max(list[n-1].End, s.End)
			continue
		}
		list[n] = s
		n++
	}
	return slices.Clip(list[:n])
}

// arguments adds the reads of the arguments of indirect draws, of size bytes each, and of their number.
func (o *commandOrder) arguments(p *printer, info *IndirectInfo, size uint64) {
	if o == nil {
		return
	}
	draws := info.Draws
	if info.Count != nil {
		count, ok := info.Count.part(info.CountOffset, 4)
		if !ok {
			return
		}
		o.fixed(p, "draw of their number", spanOf(count), stageDrawIndirect, accessIndirectCommandRead)
		draws = min(draws, binary.LittleEndian.Uint32(count))
	}
	var spans []exec.Span
	for i := range uint64(min(draws, maxCompared)) {
		part, ok := info.Buffer.part(info.Offset+i*uint64(info.Stride), size)
		if !ok {
			break
		}
		if s := spanOf(part); len(spans) == 0 || spans[len(spans)-1].End <= s[0].Start {
			spans = append(spans, s...)
		}
	}
	o.fixed(p, "draw of its arguments", spans, stageDrawIndirect, accessIndirectCommandRead)
}
