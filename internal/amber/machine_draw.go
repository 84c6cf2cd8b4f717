package amber

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// devicePass is a recording of draws and clears on the attachments of a pipeline. Its draws run at its end.
type devicePass struct {
	*machine
	owner  *Pipeline // of the attachments
	begun  bool
	mapped bool // the device has mapped attachments
	info   vk.RenderingInfo
	draws  []recordedDraw
}

// recordedDraw is a draw and the index of its first command.
type recordedDraw struct {
	command *Draw
	first   int
}

// drawAlone runs a draw in a rendering of its own.
func (m *machine) drawAlone(ctx context.Context, c *Draw) error {
	p := devicePass{machine: m, owner: c.Pipeline}
	return p.end(ctx, p.draw(ctx, c))
}

// renderPass runs the draws and clears of a pass together.
func (m *machine) renderPass(ctx context.Context, c *RenderPass) error {
	p := devicePass{machine: m}
	for _, x := range c.Commands {
		var err error
		switch x := x.(type) {
		case *Draw:
			p.own(x.Pipeline)
			err = p.draw(ctx, x)
		case *Clear:
			p.own(x.Pipeline)
			err = p.clear(x)
		case *SetClear:
			m.setClear(x)
		}
		if err = errors.Join(ctx.Err(), err); err != nil {
			return p.end(ctx, err)
		}
	}
	return p.end(ctx, nil)
}

func (p *devicePass) own(q *Pipeline) {
	if p.owner == nil {
		p.owner = q
	}
}

// begin begins the rendering.
func (p *devicePass) begin(info vk.RenderingInfo) error {
	if p.begun {
		return nil
	}
	if err := p.commands.Begin(vk.BeginInfo{OneTime: true}); err != nil {
		return err
	}
	p.begun, p.info = true, info
	p.commands.BeginRendering(info)
	return nil
}

// draw records a draw.
func (p *devicePass) draw(ctx context.Context, c *Draw) error {
	s, err := p.fixedState(c)
	if err != nil {
		return err
	}
	var a drawArgs
	if err := p.vertices(c, s, &a); err != nil {
		return err
	}
	info, err := p.machine.rendering(c.Pipeline, s)
	if err != nil {
		return err
	}
	program, err := p.drawProgram(ctx, c.Pipeline, s)
	if err != nil {
		return err
	}
	b, err := p.bind(ctx, c.Pipeline)
	if err != nil {
		return err
	}
	if c.DrawIndex >= vk.MaxMultiDraws {
		return p.unsupported(c.At, fmt.Sprintf("a draw index beyond %d", vk.MaxMultiDraws-1))
	}
	if err := p.inputAttachments(c, b, &s.inputs); err != nil {
		return err
	}
	counters, err := p.counters(c)
	if err != nil {
		return err
	}
	if err := p.begin(info); err != nil {
		return err
	}
	p.draws = append(p.draws, recordedDraw{c, p.commands.Count()})
	program.bind(p.commands)
	b.record(p.machine, c.Pipeline, vk.Graphics)
	p.recordMapping(s)
	if err := p.bindVertices(c, &a); err != nil {
		return err
	}
	if len(counters) > 0 {
		p.bindFeedback(&c.Pipeline.Graphics)
		p.commands.BeginTransformFeedback(0, counters)
	}
	p.recordDraw(c, &a)
	if len(counters) > 0 {
		p.commands.EndTransformFeedback(0, counters)
	}
	if err := p.commands.Err(); err != nil {
		return p.located(ctx, c, err)
	}
	return nil
}

// bindVertices binds the vertices of the pipeline, and the corners of a rectangle or a grid.
func (p *devicePass) bindVertices(c *Draw, a *drawArgs) error {
	var list []vk.VertexBuffer
	for _, v := range c.Pipeline.Graphics.Vertices {
		list = append(list, vk.VertexBuffer{Buffer: p.buffers[v.Buffer], Size: uint64(v.Range)})
	}
	if a.Corners != nil {
		b, err := p.temporary(a.Corners)
		if err != nil {
			return err
		}
		list = append(list, vk.VertexBuffer{Buffer: b})
	}
	if len(list) > 0 {
		p.commands.BindVertexBuffers(0, list)
	}
	return nil
}

// temporary returns a buffer with data, which lives as long as the recorded commands use it.
func (m *machine) temporary(data []byte) (*vk.Buffer, error) {
	b, memory, err := host.NewBuffer(m.device, uint64(len(data)), bufferUsage)
	if err != nil {
		return nil, err
	}
	copy(memory.Bytes(), data)
	m.temporaries = append(m.temporaries, b, memory)
	return b, nil
}

// recordDraw records the draw itself.
func (p *devicePass) recordDraw(c *Draw, a *drawArgs) {
	if c.Indexed {
		b := c.Pipeline.Graphics.Indices
		p.commands.BindIndexBuffer(p.buffers[b], 0, b.Shape.Stride)
	}
	switch x := c.Indirect; {
	case x != nil:
		info := vk.IndirectInfo{Buffer: p.buffers[x.Buffer], Offset: uint64(x.Offset), Draws: x.Count, Stride: uint32(x.Stride), Indexed: c.Indexed}
		if x.Counter != nil {
			info.Count, info.CountOffset = p.buffers[x.Counter], uint64(x.CounterOffset)
		}
		switch {
		case c.Kind == DrawCluster:
			p.commands.DrawClusterIndirect(info.Buffer, info.Offset)
		case c.Ranged:
			p.commands.DrawTaskRangeIndirect(info)
		case c.Kind == DrawMesh:
			p.commands.DrawMeshTasksIndirect(info)
		default:
			p.commands.DrawIndirect(info)
		}
	case c.Kind == DrawCluster:
		p.commands.DrawCluster(c.Workgroups[0], c.Workgroups[1], c.Workgroups[2])
	case c.Ranged:
		p.commands.DrawTaskRange(c.Workgroups[0], c.Start)
	case c.Kind == DrawMesh:
		p.commands.DrawMeshTasks(c.Workgroups[0], c.Workgroups[1], c.Workgroups[2])
	case c.ByteCount != nil:
		n := c.ByteCount
		p.commands.DrawByteCount(a.Instances, a.FirstInstance, vk.CounterBuffer{Buffer: p.buffers[n.Counter], Offset: uint64(n.CounterOffset)}, uint32(n.Offset), uint32(n.Stride))
	case a.DrawIndex > 0: // the draws before it have no vertices
		list := make([]vk.MultiDraw, a.DrawIndex+1)
		list[a.DrawIndex] = vk.MultiDraw{First: a.First, Count: a.Count, Base: a.BaseVertex}
		if c.Indexed {
			p.commands.DrawMultiIndexed(list, a.Instances, a.FirstInstance, nil)
		} else {
			p.commands.DrawMulti(list, a.Instances, a.FirstInstance)
		}
	case c.Indexed:
		p.commands.DrawIndexed(a.Count, a.Instances, a.First, a.BaseVertex, a.FirstInstance)
	default:
		p.commands.Draw(a.Count, a.Instances, a.First, a.FirstInstance)
	}
}

// counters returns the counters of transform feedback by binding: a buffer with a counter resumes
// at its value, another one begins.
func (p *devicePass) counters(c *Draw) ([]vk.CounterBuffer, error) {
	var counters []vk.CounterBuffer
	for _, x := range c.Pipeline.Graphics.Feedback {
		for len(counters) <= x.Binding {
			counters = append(counters, vk.CounterBuffer{})
		}
		if x.Counter == nil {
			continue
		}
		if n := binary.LittleEndian.Uint32(p.memory[x.Counter][x.CounterOffset:]); n%4 != 0 {
			return nil, p.fault(CodeRun, c.At, "the counter of transform feedback binding %d is %d bytes; must be a multiple of 4", x.Binding, n)
		}
		counters[x.Binding] = vk.CounterBuffer{Buffer: p.buffers[x.Counter], Offset: uint64(x.CounterOffset)}
	}
	return counters, nil
}

// bindFeedback binds the buffers of transform feedback.
func (p *devicePass) bindFeedback(g *Graphics) {
	for _, x := range g.Feedback {
		v := vk.VertexBuffer{Buffer: p.buffers[x.Buffer], Offset: uint64(x.Offset)}
		if x.Size != WholeBuffer {
			v.Size = uint64(x.Size)
		}
		p.commands.BindTransformFeedbackBuffers(x.Binding, []vk.VertexBuffer{v})
	}
}

// clear records a clear of all attachments (vkCmdClearAttachments).
func (p *devicePass) clear(c *Clear) error {
	s := newDrawState()
	s.Rendering.ViewMask = c.Pipeline.Graphics.settings().Rendering.ViewMask
	info, err := p.machine.rendering(c.Pipeline, s)
	if err != nil {
		return err
	}
	if err := p.begin(info); err != nil {
		return err
	}
	v, g := p.clearsOf(c.Pipeline), &c.Pipeline.Graphics
	x := vk.Clears{Colors: map[int][4]uint32{}, Layers: max(p.info.Layers, 1)}
	for _, a := range g.Colors {
		x.Colors[a.Location] = clearColor(a.Buffer.Texel, v.color)
	}
	if b := g.DepthStencil; b != nil {
		depth, stencil := uint32(clearWord(b.Texel, 0, [4]float64{v.depth}, 0)), uint32(v.stencil)
		x.Depth, x.Stencil = &depth, &stencil
	}
	p.commands.ClearAttachments(x)
	if err := p.commands.Err(); err != nil {
		return fmt.Errorf("%s:%s: %w", p.script.File, c.At, host.Cause(err))
	}
	return nil
}

// end runs the rendering and returns its first error. The resolved attachments follow.
func (p *devicePass) end(ctx context.Context, err error) error {
	if p.begun {
		p.commands.EndRendering()
		if err == nil {
			err = p.recordResolves(p.owner)
		}
		if e := p.submit(); err == nil && e != nil {
			err = host.Cause(e)
			if c := p.failed(e); c != nil {
				err = p.located(ctx, c, e)
			}
		}
	}
	p.joinAll()
	for _, x := range p.temporaries {
		x.Close()
	}
	p.temporaries = p.temporaries[:0]
	return err
}

// failed returns the draw that lost the device: the last one that begins before the failed command.
func (p *devicePass) failed(err error) *Draw {
	var lost *vk.LostError
	if len(p.draws) == 0 {
		return nil
	}
	found := p.draws[0].command
	if errors.As(err, &lost) {
		for _, d := range p.draws {
			if d.first <= lost.Index {
				found = d.command
			}
		}
	}
	return found
}

// located adds the position of a draw to an error.
func (p *devicePass) located(ctx context.Context, c *Draw, err error) error {
	if ctx.Err() != nil {
		return host.Cause(err)
	}
	return fmt.Errorf("%s:%s: pipeline %s: %w%s", p.script.File, c.At, c.Pipeline.Name, host.Cause(err), p.location(c.Pipeline, err))
}
