package vk

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Fixed functions read memory, too: the stage DRAW_INDIRECT the arguments of indirect draws, INDEX_INPUT the indices.

// fixed adds a read of a fixed function.
func (o *commandOrder) fixed(p *printer, name string, spans []exec.Span, stage, access uint64) {
	if len(spans) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, []*commandAccess{{Access: exec.Access{Spans: spans}, name: name, stage: stage, access: access}}, o.now())
}

// indices adds the read of the indices of a draw.
func (o *commandOrder) indices(p *printer, a *state.Args) {
	from := min(uint64(a.First)*uint64(a.IndexBytes), uint64(len(a.Index)))
	n := min(uint64(a.Count)*uint64(a.IndexBytes), uint64(len(a.Index))-from)
	if a.Instances > 0 {
		o.fixed(p, "draw of its indices", spanOf(a.Index[from:][:n]), stageIndexInput, accessIndexRead)
	}
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
