package amber

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// target returns the attachments of a pipeline and sets the number of samples of the state
// to theirs.
func (r *runner) target(p *Pipeline, s *state.State) (*state.Target, error) {
	g := &p.Graphics
	t := &state.Target{Width: uint32(g.Width), Height: uint32(g.Height)}
	for _, c := range g.Colors {
		v, err := r.attachmentView(c.Buffer, c.BaseMip, format.Color)
		if err != nil {
			return nil, r.fault(CodeSize, p.At, "buffer %s as color: %v", c.Buffer.Name, err)
		}
		for len(t.Colors) <= c.Location {
			t.Colors = append(t.Colors, nil)
		}
		t.Colors[c.Location] = v
		s.Multisample.Samples = uint32(max(c.Buffer.Image.Samples, 1))
	}
	if b := g.DepthStencil; b != nil {
		if b.Texel == nil || b.Image == nil {
			return nil, r.fault(CodeSize, p.At, "buffer %s as depth_stencil: it is no image", b.Name)
		}
		for _, x := range []struct {
			channel format.Channel
			aspect  format.Aspect
			view    **texture.View
		}{{format.D, format.Depth, &t.Depth}, {format.S, format.Stencil, &t.Stencil}} {
			if !b.Texel.Has(x.channel) {
				continue
			}
			v, err := r.attachmentView(b, 0, x.aspect)
			if err != nil {
				return nil, r.fault(CodeSize, p.At, "buffer %s as depth_stencil: %v", b.Name, err)
			}
			*x.view = v
		}
	}
	if x := g.Rates; x != nil {
		v, err := r.attachmentView(x.Buffer, 0, format.Color)
		if err != nil {
			return nil, r.fault(CodeSize, p.At, "buffer %s as shading rates: %v", x.Buffer.Name, err)
		}
		t.Rates, t.RateTexel = v, [2]uint32{uint32(x.Width), uint32(x.Height)}
	}
	// A pipeline without an attachment for a test has none of it.
	s.DepthStencil.Test = s.DepthStencil.Test && t.Depth != nil
	s.DepthStencil.Write = s.DepthStencil.Write && s.DepthStencil.Test
	s.DepthStencil.Bounds = s.DepthStencil.Bounds && t.Depth != nil
	s.DepthStencil.Stencil = s.DepthStencil.Stencil && t.Stencil != nil
	return t, nil
}

// attachmentView returns one level of a buffer as an attachment shows it.
func (r *runner) attachmentView(b *Buffer, level int, a format.Aspect) (*texture.View, error) {
	key := shownAs{buffer: b, baseMip: level, attached: a, attachment: true}
	if v, ok := r.images.views[key]; ok {
		return v, nil
	}
	m, err := r.image(b)
	if err != nil {
		return nil, err
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Aspect: a, BaseLevel: level, Levels: 1, Arrayed: m.Layers > 1})
	if err != nil {
		return nil, err
	}
	r.images.views[key] = v
	return v, nil
}

// clears are the values that Clear writes.
type clears struct {
	color   [4]float64
	depth   float64
	stencil float64
}

// setClear stores the value for later Clear commands.
func (r *runner) setClear(c *SetClear) {
	v := r.clearsOf(c.Pipeline)
	switch c.What {
	case ClearColor:
		v.color = c.Value
	case ClearDepth:
		v.depth = c.Value[0]
	default:
		v.stencil = c.Value[0]
	}
}

// clearsOf returns the values for a pipeline: at first black that is nothing, the
// farthest depth, and no stencil.
func (r *runner) clearsOf(p *Pipeline) *clears {
	v, ok := r.clears[p]
	if !ok {
		v = &clears{depth: 1}
		r.clears[p] = v
	}
	return v
}

// clear fills the attachments of a pipeline.
func (r *runner) clear(c *Clear) error {
	v := r.clearsOf(c.Pipeline)
	g := &c.Pipeline.Graphics
	for _, a := range g.Colors {
		if err := r.fillAttachment(c, a.Buffer, a.BaseMip, v.color); err != nil {
			return err
		}
	}
	if b := g.DepthStencil; b != nil {
		if err := r.fillAttachment(c, b, 0, [4]float64{v.depth, v.stencil}); err != nil {
			return err
		}
	}
	r.joinAll()
	return nil
}

// fillAttachment sets all texels of a level to one value: for integer formats the channels
// are the whole numbers, for depth and stencil the first two values are the aspects in this
// order.
func (r *runner) fillAttachment(c *Clear, b *Buffer, level int, v [4]float64) error {
	m, err := r.image(b)
	if err != nil {
		return r.fault(CodeSize, c.At, "buffer %s: %v", b.Name, err)
	}
	for _, a := range m.Aspects() {
		var words [4]uint64
		for i := range words {
			words[i] = clearWord(b.Texel, a, v, i)
		}
		for layer := range m.Layers {
			m.Clear(texture.Coord{Aspect: a, Level: level, Layer: layer}, words)
		}
	}
	return nil
}

// clearWord returns channel i of a value as images take it: the bits of a float, or
// of an integer.
func clearWord(f *format.Format, a format.Aspect, v [4]float64, i int) uint64 {
	if a == format.Stencil {
		return uint64(uint32(v[1]))
	}
	for _, k := range f.Components() {
		if int(k.Channel) == i || a == format.Depth && k.Channel == format.D {
			switch k.Numeric {
			case format.UInt:
				return uint64(v[i])
			case format.SInt:
				return uint64(int64(v[i]))
			}
		}
	}
	return uint64(math.Float32bits(float32(v[i])))
}

// resolve averages the samples of each color attachment that has a resolve attachment, in the
// rectangle that both levels have (Vulkan, Multisample Resolve).
func (r *runner) resolve(p *Pipeline) error {
	g := &p.Graphics
	for i := range min(len(g.Resolves), len(g.Colors)) {
		from, to := g.Colors[i], g.Resolves[i]
		source, err := r.image(from.Buffer)
		if err != nil {
			return err
		}
		into, err := r.image(to.Buffer)
		if err != nil {
			return err
		}
		w, h, _ := into.LevelExtent(to.BaseMip)
		for layer := range min(source.Layers, into.Layers) {
			at, target := texture.Coord{Level: from.BaseMip, Layer: layer}, texture.Coord{Level: to.BaseMip, Layer: layer}
			draw.Resolve(into, target, source, at, w, h, draw.ResolveAverage)
		}
	}
	return nil
}
