package amber

import (
	"github.com/chiaro-gpu/chiaro/vk"
)

// FeedbackBuffer is a buffer that receives vertices of transform feedback, in bytes.
type FeedbackBuffer struct {
	Binding       int
	Buffer        *Buffer
	Offset, Size  int // a size of WholeBuffer reaches to the end
	Counter       *Buffer
	CounterOffset int
}

// RateAttachment is a shading rate attachment. A texel applies to some pixels along each axis.
type RateAttachment struct {
	Buffer        *Buffer
	Width, Height int // pixels
}

// feedbackBuffer reads TRANSFORM_FEEDBACK.
func (p *parser) feedbackBuffer(g *Graphics) {
	p.keyword("BUFFER")
	x := FeedbackBuffer{Buffer: known(p, "buffer", p.buffers), Size: WholeBuffer}
	p.keyword("BINDING")
	x.Binding = int(p.integer("a binding", vk.MaxTransformFeedbackBuffers-1))
	at := p.lex.peek().pos
	for !p.lex.peek().eol {
		switch p.oneOf("a parameter of transform feedback", "OFFSET", "SIZE", "COUNTER", "COUNTER_OFFSET") {
		case 0:
			x.Offset = p.words("an offset")
		case 1:
			x.Size = p.size("a size")
		case 2:
			x.Counter = known(p, "buffer", p.buffers)
		case 3:
			x.CounterOffset = p.words("an offset")
		}
	}
	switch {
	case p.err != nil:
		return
	case x.Buffer.Image != nil || x.Counter != nil && x.Counter.Image != nil:
		p.fail(CodeType, at, "an image for transform feedback; must be a buffer")
	case x.Offset >= len(x.Buffer.Data): // VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02358
		p.fail(CodeSize, at, "an offset of %d bytes in buffer %s; it must be below %d", x.Offset, x.Buffer.Name, len(x.Buffer.Data))
	case x.Size > len(x.Buffer.Data)-x.Offset: // VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02362
		p.fail(CodeSize, at, "%d bytes from byte %d on of buffer %s; it has %d bytes", x.Size, x.Offset, x.Buffer.Name, len(x.Buffer.Data))
	case x.Counter != nil && x.CounterOffset > len(x.Counter.Data)-4: // VUID-vkCmdBeginTransformFeedbackEXT-pCounterBufferOffsets-02370
		p.fail(CodeSize, at, "a counter at byte %d of buffer %s, which has %d bytes; 4 bytes from there on must exist", x.CounterOffset, x.Counter.Name, len(x.Counter.Data))
	}
	for i := range g.Feedback {
		if g.Feedback[i].Binding == x.Binding {
			g.Feedback[i] = x // in a derived pipeline
			return
		}
	}
	g.Feedback = append(g.Feedback, x)
}

// rateAttachment reads SHADING_RATE_ATTACHMENT.
func (p *parser) rateAttachment(g *Graphics) {
	at := p.lex.peek().pos
	x := &RateAttachment{Buffer: known(p, "buffer", p.buffers)}
	p.keyword("TEXEL")
	side := func() int { return 8 << p.oneOf("a size in pixels", "8", "16", "32", "64") }
	x.Width, x.Height = side(), side()
	if b := x.Buffer; p.err == nil && (b.Image == nil || b.Texel == nil || b.Texel.Name != "R8_UINT") {
		p.fail(CodeType, at, "buffer %s as a shading rate attachment; must be an image of format R8_UINT", b.Name)
	}
	g.Rates = x
}

// rectangle reads the position and the size of a rectangle.
func (p *parser) rectangle() vk.Rect {
	side := func(what string) uint32 { return uint32(p.integer(what, maxSide)) }
	r := vk.Rect{X: int32(side("a position in pixels")), Y: int32(side("a position in pixels"))}
	p.keyword("SIZE")
	r.Width, r.Height = side("a width"), side("a height")
	return r
}

// attachmentNumbers reads a list of numbers up to a bound, or unused, up to the end of the line.
func (p *parser) attachmentNumbers(what string, most uint64) []uint32 {
	var list []uint32
	for {
		list = append(list, p.attachmentNumber(what, most))
		if p.err != nil || p.lex.peek().eol {
			return list
		}
	}
}

// attachmentNumber reads a number up to a bound, or unused.
func (p *parser) attachmentNumber(what string, most uint64) uint32 {
	if p.optional("unused") {
		return vk.Unused
	}
	return uint32(p.integer(what, most))
}

// unique fails at a position if a number is twice in a list.
func (p *parser) unique(w word, what string, list []uint32) {
	seen := map[uint32]bool{}
	for _, n := range list {
		if n != vk.Unused && seen[n] {
			p.fail(CodeNumber, w.pos, "%s %d for two color attachments; must be for one", what, n)
		}
		seen[n] = true
	}
}
