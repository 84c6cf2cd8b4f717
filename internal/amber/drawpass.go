package amber

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// drawPass is a pass of draws and clears on the attachments of a pipeline. Its draws are complete after end.
type drawPass struct {
	*runner
	pass  draw.Pass
	owner *Pipeline // of the attachments
	begun bool
	draws []passDraw
}

// passDraw is a recorded draw.
type passDraw struct {
	command *Draw
	program *graphicsProgram
	log     *exec.Log
}

// drawAlone runs a draw in a pass of its own.
func (r *runner) drawAlone(ctx context.Context, c *Draw) error {
	p := drawPass{runner: r, owner: c.Pipeline}
	return p.end(ctx, p.draw(ctx, c))
}

// renderPass runs the draws and clears of a pass together.
func (r *runner) renderPass(ctx context.Context, c *RenderPass) error {
	p := drawPass{runner: r}
	for _, x := range c.Commands {
		var err error
		switch x := x.(type) {
		case *Draw:
			p.own(x.Pipeline)
			err = p.draw(ctx, x)
		case *Clear:
			p.own(x.Pipeline)
			err = p.clear(ctx, x)
		case *SetClear:
			r.setClear(x)
		}
		if err = errors.Join(ctx.Err(), err); err != nil {
			return p.end(ctx, err)
		}
	}
	return p.end(ctx, nil)
}

func (p *drawPass) own(q *Pipeline) {
	if p.owner == nil {
		p.owner = q
	}
}

// begin begins the pass.
func (p *drawPass) begin(t *state.Target) error {
	if p.begun {
		return nil
	}
	p.begun = true
	return p.pass.Begin(t, nil, max(p.options.Workers, 1))
}

// draw records a draw.
func (p *drawPass) draw(ctx context.Context, c *Draw) error {
	prog, err := p.graphicsProgram(ctx, c.Pipeline)
	if err != nil {
		return err
	}
	shader, err := p.arguments(c.Pipeline)
	if err != nil {
		return err
	}
	for i := range prog.stages {
		shader.Map(prog.stages[i].ir, c.Pipeline.Mappings)
	}
	a := state.Args{Shader: shader}
	s, err := p.fixedState(c)
	if err != nil {
		return err
	}
	if err := p.vertices(c, &s.State, &a); err != nil {
		return err
	}
	target, err := p.target(c.Pipeline, &s.State)
	if err != nil {
		return err
	}
	if err := p.inputAttachments(c, prog.inputs, &s.inputs, target, &a); err != nil {
		return err
	}
	if err := p.begin(target); err != nil {
		return p.located(ctx, c, prog, err)
	}
	a.State = &s.State
	p.draws = append(p.draws, passDraw{c, prog, shader.Log})
	if a.Feedback, err = p.beginFeedback(c); err != nil {
		return err
	}
	if c.Indirect != nil {
		err = p.drawIndirect(ctx, c, prog, &a)
	} else {
		err = p.pass.Draw(ctx, prog.Pipeline, &a)
	}
	if err != nil {
		return p.located(ctx, c, prog, err)
	}
	p.endFeedback(c, a.Feedback)
	return nil
}

// drawIndirect records the draws of an indirect draw.
func (p *drawPass) drawIndirect(ctx context.Context, c *Draw, prog *graphicsProgram, a *state.Args) error {
	from := func(b *Buffer, offset int) []byte {
		data := p.memory[b]
		return data[min(offset, len(data)):]
	}
	x := c.Indirect
	in := state.Indirect{Buffer: from(x.Buffer, x.Offset), Stride: uint32(x.Stride), Count: x.Count}
	if x.Counter != nil {
		if in.CountBuffer = from(x.Counter, x.CounterOffset); in.CountBuffer == nil {
			in.CountBuffer = []byte{}
		}
	}
	return p.pass.DrawIndirect(ctx, prog.Pipeline, a, &in)
}

// beginFeedback returns the transform feedback of a draw: a buffer with a counter resumes at its value, another one
// begins.
func (p *drawPass) beginFeedback(c *Draw) (*state.Feedback, error) {
	list := c.Pipeline.Graphics.Feedback
	if len(list) == 0 {
		return nil, nil
	}
	f := &state.Feedback{}
	for _, x := range list {
		data := p.memory[x.Buffer][x.Offset:]
		if x.Size != WholeBuffer {
			data = data[:x.Size]
		}
		b := state.FeedbackBuffer{Bytes: data}
		if x.Counter != nil {
			n := binary.LittleEndian.Uint32(p.memory[x.Counter][x.CounterOffset:])
			if n%4 != 0 {
				return nil, p.fault(CodeRun, c.At, "the counter of transform feedback binding %d is %d bytes; must be a multiple of 4", x.Binding, n)
			}
			b.Next = uint64(n)
		}
		f.Buffers[x.Binding] = b
	}
	return f, nil
}

// endFeedback stores the counters of transform feedback.
func (p *drawPass) endFeedback(c *Draw, f *state.Feedback) {
	for _, x := range c.Pipeline.Graphics.Feedback {
		if x.Counter != nil {
			binary.LittleEndian.PutUint32(p.memory[x.Counter][x.CounterOffset:], uint32(f.Buffers[x.Binding].Next))
		}
	}
}

// clear records a clear of all attachments, with views of their layers alone (vkCmdClearAttachments).
func (p *drawPass) clear(ctx context.Context, c *Clear) error {
	var s state.State
	target, err := p.target(c.Pipeline, &s)
	if err != nil {
		return err
	}
	if err := p.begin(target); err != nil {
		return fmt.Errorf("%s:%s: %w", p.script.File, c.At, err)
	}
	v, g := p.clearsOf(c.Pipeline), &c.Pipeline.Graphics
	x := draw.Clears{Colors: make([]draw.Clear, len(target.Colors)), ViewMask: g.settings().ViewMask}
	for _, a := range g.Colors {
		for i := range 4 {
			x.Colors[a.Location].Value[i] = clearWord(a.Buffer.Texel, 0, v.color, i)
		}
		x.Colors[a.Location].Do = true
	}
	if b := g.DepthStencil; b != nil {
		x.Depth = draw.Clear{Do: true, Value: [4]uint64{clearWord(b.Texel, format.Depth, [4]float64{v.depth}, 0)}}
		x.Stencil = draw.Clear{Do: true, Value: [4]uint64{uint64(uint32(v.stencil))}}
	}
	return p.pass.Clear(ctx, &x)
}

// end executes the pass and returns its first error. The printed output and the resolved attachments follow.
func (p *drawPass) end(ctx context.Context, err error) error {
	if p.begun {
		if e := p.pass.End(ctx); err == nil && e != nil {
			err = e
			if n := len(p.draws); n > 0 {
				err = p.located(ctx, p.draws[n-1].command, p.draws[n-1].program, e)
			}
		}
	}
	p.joinAll()
	for _, d := range p.draws {
		p.hear(d.log)
	}
	if err != nil || p.owner == nil {
		return err
	}
	return p.resolve(p.owner)
}

// located adds the position of a draw to an error.
func (p *drawPass) located(ctx context.Context, c *Draw, prog *graphicsProgram, err error) error {
	if ctx.Err() != nil {
		return err
	}
	location := ""
	for i := range prog.stages {
		if location == "" {
			location = prog.stages[i].location(p.script.File, err)
		}
	}
	return fmt.Errorf("%s:%s: pipeline %s: %w%s", p.script.File, c.At, c.Pipeline.Name, err, location)
}
