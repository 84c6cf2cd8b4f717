package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/vk"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// IndirectDraw is the parameters of an indirect draw, in bytes.
type IndirectDraw struct {
	Buffer         *Buffer
	Offset, Stride int
	Count          uint32  // draws; their maximum with Counter
	Counter        *Buffer // has the number of draws; nil: Count
	CounterOffset  int
}

// ByteCount is the number of vertices of a draw as a number of bytes: the value of a transform feedback counter.
type ByteCount struct {
	Counter       *Buffer
	CounterOffset int // of the value in Counter
	Offset        int // subtracted from the value
	Stride        int // of a vertex
}

// RenderPass runs draws and clears on the same attachments together.
type RenderPass struct {
	Step
	Commands []Command
}

// drawIndirect reads DRAW_INDIRECT.
func (p *parser) drawIndirect(d *Draw) Command {
	d.Kind, d.NumInstance = DrawArray, 1
	p.assembly(d)
	stride := vk.DrawIndirectBytes
	if d.Indexed {
		stride = vk.DrawIndexedIndirectBytes
	}
	return p.indirectParameters(d, stride)
}

// assembly reads the topology of a draw, and whether it has indices.
func (p *parser) assembly(d *Draw) {
	p.keyword("AS")
	d.Topology = topologies[p.oneOf("a topology", topologies...)]
	if d.Indexed = p.optional("INDEXED"); d.Indexed && d.Pipeline.Graphics.Indices == nil {
		p.fail(CodeRun, d.At, "an indexed draw needs INDEX_DATA in pipeline %s", d.Pipeline.Name)
	}
}

// drawCluster reads what draws of clusters have before their workgroups.
func (p *parser) drawCluster(d *Draw) {
	d.Kind = DrawCluster
	p.assembly(d)
}

// drawClusterIndirect reads DRAW_CLUSTER_INDIRECT.
func (p *parser) drawClusterIndirect(d *Draw) Command {
	p.drawCluster(d)
	p.keyword("BUFFER")
	d.Indirect = &IndirectDraw{Buffer: known(p, "buffer", p.buffers)}
	if p.optional("OFFSET") {
		d.Indirect.Offset = p.words("an offset")
	}
	return d
}

// indirectParameters reads the operands of an indirect draw. The stride is that of a draw without STRIDE.
func (p *parser) indirectParameters(d *Draw, stride int) Command {
	p.keyword("BUFFER")
	x := &IndirectDraw{Buffer: known(p, "buffer", p.buffers), Count: 1, Stride: stride}
	d.Indirect = x
	for !p.lex.peek().eol {
		switch p.oneOf("a parameter of an indirect draw", "OFFSET", "STRIDE", "COUNT", "COUNT_BUFFER", "COUNT_OFFSET") {
		case 0:
			x.Offset = p.words("an offset")
		case 1:
			x.Stride = p.words("a stride")
		case 2:
			x.Count = p.uint32("a number of draws")
		case 3:
			x.Counter = known(p, "buffer", p.buffers)
		case 4:
			x.CounterOffset = p.words("an offset")
		}
	}
	return d
}

// drawByteCount reads DRAW_BYTE_COUNT.
func (p *parser) drawByteCount(d *Draw) Command {
	d.Kind, d.NumInstance = DrawArray, 1
	p.keyword("AS")
	d.Topology = topologies[p.oneOf("a topology", topologies...)]
	p.keyword("COUNTER")
	x := &ByteCount{Counter: known(p, "buffer", p.buffers)}
	d.ByteCount = x
	for !p.lex.peek().eol {
		switch p.oneOf("a parameter of a draw by bytes", "COUNTER_OFFSET", "OFFSET", "STRIDE", "START_INSTANCE", "INSTANCE_COUNT") {
		case 0:
			x.CounterOffset = p.words("an offset")
		case 1:
			x.Offset = p.words("an offset")
		case 2:
			at := p.lex.peek()
			if x.Stride = p.words("a stride"); x.Stride == 0 || x.Stride > vk.MaxTransformFeedbackStride {
				p.fail(CodeNumber, at.pos, "a stride is %s; it must be from 4 to %d", at, vk.MaxTransformFeedbackStride)
			}
		case 3:
			d.StartInstance = p.uint32("a start")
		case 4:
			d.NumInstance = uint32(p.count("a count"))
		}
	}
	if x.Stride == 0 {
		p.fail(CodeEnd, d.At, "a draw by bytes without a STRIDE")
	}
	return d
}

// words reads a number of bytes that is a multiple of 4.
func (p *parser) words(what string) int {
	at := p.lex.peek()
	n := p.size(what)
	if n%4 != 0 {
		p.fail(CodeNumber, at.pos, "%s is %s; it must be a multiple of 4", what, at)
	}
	return n
}

// renderPass reads RENDER_PASS up to END.
func (p *parser) renderPass(step Step) Command {
	c := &RenderPass{Step: step}
	p.endLine()
	var first *Pipeline
	for {
		w, ok := p.blockWord("RENDER_PASS")
		if !ok {
			break
		}
		switch w.text {
		case "CLEAR", "CLEAR_COLOR", "CLEAR_DEPTH", "CLEAR_STENCIL", "RUN":
		default:
			p.fail(CodeWord, w.pos, "%s cannot be in RENDER_PASS", w)
			return c
		}
		x := p.command(w)
		var q *Pipeline
		switch x := x.(type) {
		case *Draw:
			q = x.Pipeline
		case *Clear:
			q = x.Pipeline
		case *SetClear:
		case nil:
			return c
		default:
			p.fail(CodeRun, w.pos, "RENDER_PASS contains a run of a pipeline that is not for graphics")
			return c
		}
		if q != nil && first == nil {
			first = q
		}
		if q != nil {
			p.samePass(w, first, q)
		}
		c.Commands = append(c.Commands, x)
	}
	p.endLine()
	return c
}

// samePass fails if two pipelines cannot be in one pass.
func (p *parser) samePass(w word, a, b *Pipeline) {
	x, y := a.Graphics.settings(), b.Graphics.settings()
	switch {
	case a == b:
	case !a.Graphics.sameTarget(&b.Graphics):
		p.fail(CodeRun, w.pos, "pipelines %s and %s have different attachments; they must be the same in RENDER_PASS", a.Name, b.Name)
	case x.Rendering.ViewMask != y.Rendering.ViewMask:
		p.fail(CodeRun, w.pos, "pipelines %s and %s have the view masks %#x and %#x; they must be the same in RENDER_PASS", a.Name, b.Name, x.Rendering.ViewMask, y.Rendering.ViewMask)
	case x.dither != y.dither:
		p.fail(vuid.VkCmdDraw_None_09643, w.pos, "one of the pipelines %s and %s has legacy dithering; all or none must have it in RENDER_PASS", a.Name, b.Name)
	}
}

// sameTarget reports whether two pipelines have the same attachments.
func (g *Graphics) sameTarget(o *Graphics) bool {
	rates := func(a, b *RateAttachment) bool { return a == b || a != nil && b != nil && *a == *b }
	return g.Width == o.Width && g.Height == o.Height && g.DepthStencil == o.DepthStencil &&
		slices.Equal(g.Colors, o.Colors) && slices.Equal(g.Resolves, o.Resolves) && rates(g.Rates, o.Rates)
}
