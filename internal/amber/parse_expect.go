package amber

import (
	"slices"
	"strings"
)

// expect reads EXPECT in all its forms.
func (p *parser) expect(step Step) Command {
	b := known(p, "buffer", p.buffers)
	if p.err != nil {
		return nil
	}
	w := p.word("a comparison or IDX")
	if i := slices.Index(bufferComparisons[:], w.text); i >= 0 {
		return p.expectBuffers(step, b, BufferComparison(i))
	}
	if w.text != "IDX" {
		p.fail(CodeWord, w.pos, "%s; must be IDX or one of %s", w, strings.Join(bufferComparisons[:], ", "))
		return nil
	}
	x := p.integer("an index", MaxBytes)
	next := p.lex.peek()
	if n, ok := parseNumber(next.text); ok && n.Integer {
		return p.expectTexels(step, b, float64(x))
	}
	return p.expectValues(step, b, int(x))
}

func (p *parser) expectBuffers(step Step, b *Buffer, how BufferComparison) Command {
	e := &ExpectBuffers{Step: step, Buffer: b, How: how, Other: known(p, "buffer", p.buffers)}
	if how != SameBytes {
		p.keyword("TOLERANCE")
		e.Tolerance = p.float("a tolerance")
	}
	p.endLine()
	return e
}

// tolerances reads 1 to 4 numbers, each perhaps with a percent sign.
func (p *parser) tolerances() []Tolerance {
	var ts []Tolerance
	for {
		w := p.lex.peek()
		text, percent := strings.CutSuffix(w.text, "%")
		n, ok := parseNumber(text)
		if w.eol || !ok {
			break
		}
		p.lex.next()
		if !percent {
			percent = p.optional("%")
		}
		ts = append(ts, Tolerance{n.Float, percent})
		if n.Float < 0 || len(ts) > 4 {
			p.fail(CodeNumber, w.pos, "a tolerance is from 1 to 4 numbers of at least 0")
		}
	}
	if len(ts) == 0 {
		w := p.lex.peek()
		p.fail(CodeNumber, w.pos, "%s; must be a tolerance", w)
	}
	return ts
}

// expectTexels reads on after the x of a rectangle of texels.
func (p *parser) expectTexels(step Step, b *Buffer, x float64) Command {
	e := &ExpectTexels{Step: step, Buffer: b, Rect: true, X: x}
	e.Y = float64(p.integer("a place", MaxBytes))
	p.keyword("SIZE")
	e.Width, e.Height = float64(p.integer("a width", MaxBytes)), float64(p.integer("a height", MaxBytes))
	e.Alpha = p.oneOf("a comparison of texels", "EQ_RGB", "EQ_RGBA") == 1
	channels := e.Color[:3]
	if e.Alpha {
		channels = e.Color[:]
	}
	for i := range channels {
		channels[i] = p.float("a channel from 0 to 255") / 255
	}
	if p.optional("TOLERANCE") {
		w := p.lex.peek()
		e.Tolerances = p.tolerances()
		if n := len(e.Tolerances); n != 1 && n != 4 {
			p.fail(CodeNumber, w.pos, "%d tolerances; there must be 1 or 4", n)
		}
		for i := range e.Tolerances {
			if !e.Tolerances[i].Percent {
				e.Tolerances[i].Value /= 255
			}
		}
	}
	if b.Texel == nil {
		p.fail(CodeType, step.At, "buffer %s has no texels", b.Name)
	}
	p.endLine()
	return e
}

// expectValues reads on after the index of a number.
func (p *parser) expectValues(step Step, b *Buffer, offset int) Command {
	e := &ExpectValues{Step: step, Buffer: b, Shape: b.Shape, Offset: offset}
	fuzzy := p.optional("TOLERANCE")
	if fuzzy {
		e.Tolerances = p.tolerances()
	}
	var words []string
	for _, c := range comparisons[:Fuzzy] {
		words = append(words, c.word)
	}
	w := p.lex.peek()
	e.Compare = Comparison(p.oneOf("a comparison", words...))
	if fuzzy {
		if e.Compare != Equal {
			p.fail(CodeWord, w.pos, "TOLERANCE goes with EQ alone")
		}
		e.Compare = Fuzzy
	}
	first, err := e.Shape.field(offset)
	if err != nil && p.err == nil {
		p.fail(CodeSize, step.At, "buffer %s, index %d: %v", b.Name, offset, err)
	}
	if p.err != nil {
		return nil
	}
	e.Values = p.numbers("a value", func(k int) Scalar { return e.Shape.Fields[(first+k)%len(e.Shape.Fields)].Scalar })
	p.endLine()
	return e
}
