package amber

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// attachment returns the view of one level of a buffer as an attachment, with all aspects.
func (m *machine) attachment(b *Buffer, level int) (*vk.ImageView, error) {
	aspects := vk.Aspect(0)
	if b.Texel != nil {
		aspects = aspectsOf(b.Texel)
	}
	return m.levelView(b, level, aspects)
}

// levelView returns the view of one level and some aspects of an attachment.
func (m *machine) levelView(b *Buffer, level int, aspects vk.Aspect) (*vk.ImageView, error) {
	key := shownAs{buffer: b, baseMip: level, attachment: true, aspects: aspects}
	if v, ok := m.views[key]; ok {
		return v, nil
	}
	x, err := m.pixels[b], m.faults[b]
	if err != nil {
		return nil, err
	}
	m.split(b)
	shape := enum.ViewType2d
	if b.Image.layers() > 1 {
		shape = enum.ViewType2dArray
	}
	v, err := m.device.NewImageView(vk.ImageViewInfo{Image: x, Type: shape, Aspect: aspects, BaseLevel: level, Levels: 1})
	if err != nil {
		return nil, host.Cause(err)
	}
	m.views[key] = v
	return v, nil
}

// aspectsOf returns the aspects of a format.
func aspectsOf(f *format.Format) (a vk.Aspect) {
	if f.Has(format.D) {
		a |= vk.Depth
	}
	if f.Has(format.S) {
		a |= vk.Stencil
	}
	if a == 0 {
		a = vk.Color
	}
	return a
}

// rendering returns the attachments of a pipeline, and sets the number of samples of the state to theirs. A pipeline
// without an attachment for a test has none of it.
func (m *machine) rendering(p *Pipeline, s *drawState) (info vk.RenderingInfo, err error) {
	g := &p.Graphics
	info.Area = vk.Rect{Width: uint32(g.Width), Height: uint32(g.Height)}
	info.ViewMask = s.Rendering.ViewMask
	if s.dither {
		info.Flags |= vk.LegacyDithering
	}
	if x := g.Rates; x != nil {
		v, err := m.attachment(x.Buffer, 0)
		if err != nil {
			return info, m.fault(CodeSize, p.At, "buffer %s as shading rates: %v", x.Buffer.Name, err)
		}
		info.ShadingRate = &vk.ShadingRateAttachment{View: v, Texel: [2]uint32{uint32(x.Width), uint32(x.Height)}}
	}
	layers := func(b *Buffer) {
		if n := uint32(b.Image.layers()); info.Layers == 0 || n < info.Layers {
			info.Layers = n
		}
	}
	for _, c := range g.Colors {
		v, err := m.attachment(c.Buffer, c.BaseMip)
		if err != nil {
			return info, m.fault(CodeSize, p.At, "buffer %s as color: %v", c.Buffer.Name, err)
		}
		for len(info.Colors) <= c.Location {
			info.Colors = append(info.Colors, vk.AttachmentInfo{})
		}
		info.Colors[c.Location].View = v
		layers(c.Buffer)
		s.Multisample.Samples = uint32(max(c.Buffer.Image.Samples, 1))
	}
	if b := g.DepthStencil; b != nil {
		if b.Texel == nil || b.Image == nil {
			return info, m.fault(CodeSize, p.At, "buffer %s as depth_stencil: it is no image", b.Name)
		}
		v, err := m.attachment(b, 0)
		if err != nil {
			return info, m.fault(CodeSize, p.At, "buffer %s as depth_stencil: %v", b.Name, err)
		}
		layers(b)
		if b.Texel.Has(format.D) {
			info.Depth = &vk.AttachmentInfo{View: v}
		}
		if b.Texel.Has(format.S) {
			info.Stencil = &vk.AttachmentInfo{View: v}
		}
	}
	d := s.DepthStencil
	d.DepthTest = d.DepthTest && info.Depth != nil
	d.DepthWrite = d.DepthWrite && d.DepthTest
	d.BoundsTest = d.BoundsTest && info.Depth != nil
	d.StencilTest = d.StencilTest && info.Stencil != nil
	return info, nil
}

// clear fills the attachments of a pipeline.
func (m *machine) clear(c *Clear) error {
	v, g := m.clearsOf(c.Pipeline), &c.Pipeline.Graphics
	if err := m.commands.Begin(vk.BeginInfo{OneTime: true}); err != nil {
		return err
	}
	for _, a := range g.Colors {
		if err := m.faults[a.Buffer]; err != nil {
			return m.fault(CodeSize, c.At, "buffer %s: %v", a.Buffer.Name, err)
		}
		m.commands.ClearColorImage(m.pixels[a.Buffer], clearColor(a.Buffer.Texel, v.color), []vk.ImageRange{{BaseLevel: a.BaseMip, Levels: 1}})
	}
	if b := g.DepthStencil; b != nil {
		if err := m.faults[b]; err != nil {
			return m.fault(CodeSize, c.At, "buffer %s: %v", b.Name, err)
		}
		m.split(b)
		m.commands.ClearDepthStencilImage(m.pixels[b], float32(v.depth), uint32(v.stencil), []vk.ImageRange{{Levels: 1}})
	}
	err := host.Cause(m.submit())
	m.joinAll()
	return err
}

// clearColor returns a color as commands have it: 64-bit channels are two words each.
func clearColor(f *format.Format, color [4]float64) (words [4]uint32) {
	wide := false
	for _, k := range f.Components() {
		wide = wide || k.Bits > 32
	}
	for i := range 4 {
		w := clearWord(f, 0, color, i)
		switch {
		case !wide:
			words[i] = uint32(w)
		case i < 2:
			words[2*i], words[2*i+1] = uint32(w), uint32(w>>32)
		}
	}
	return words
}

// recordResolves records the resolves of color attachments, in the rectangle that both levels have (Vulkan, Multisample
// Resolve).
func (m *machine) recordResolves(p *Pipeline) error {
	g := &p.Graphics
	for i := range min(len(g.Resolves), len(g.Colors)) {
		from, to := g.Colors[i], g.Resolves[i]
		for _, b := range []*Buffer{from.Buffer, to.Buffer} {
			if err := m.faults[b]; err != nil {
				return err
			}
		}
		layers := min(from.Buffer.Image.layers(), to.Buffer.Image.layers())
		size := func(n func(*Image) int) int {
			return min(max(n(from.Buffer.Image)>>from.BaseMip, 1), max(n(to.Buffer.Image)>>to.BaseMip, 1))
		}
		region := vk.ImageCopy{
			Source: vk.Layers{Level: from.BaseMip, Count: layers}, Target: vk.Layers{Level: to.BaseMip, Count: layers},
			Extent: [3]int{size(func(x *Image) int { return x.Width }), size(func(x *Image) int { return x.Height }), 1},
		}
		if from.Buffer.Image.Samples > 1 {
			m.commands.ResolveImage(m.pixels[from.Buffer], m.pixels[to.Buffer], []vk.ImageCopy{region})
		} else {
			m.commands.CopyImage(m.pixels[from.Buffer], m.pixels[to.Buffer], []vk.ImageCopy{region})
		}
	}
	return nil
}

// apart is the memory of an image with depth and stencil. A buffer of the script has both in one texel if the texel is
// one word; otherwise all depths come before all stencil values, as copies of the two aspects leave them.
type apart struct {
	image  *vk.Image
	memory []byte
	filled bool // with the contents of the buffer
}

// split copies the contents of the buffer into the two aspects of its image, once.
func (m *machine) split(b *Buffer) {
	if a := m.apart[b]; a != nil && !a.filled {
		a.filled = true
		a.move(b, m.memory[b], false)
	}
}

// joinAll copies the two aspects of all such images into their buffers.
func (m *machine) joinAll() {
	for b, a := range m.apart {
		if a.filled {
			a.move(b, m.memory[b], true)
		}
	}
}

// move copies the components of all texels of the base level: from the image if join, else into it. Of several samples it
// copies the first.
func (a *apart) move(b *Buffer, data []byte, join bool) {
	w, h := b.Image.Width, b.Image.Height
	for _, c := range b.Texel.Components() {
		aspect, size := vk.Depth, (c.Bits+7)/8
		if c.Bits == 24 {
			size = 4 // of X8_D24_UNORM_PACK32
		}
		switch c.Channel {
		case format.D:
		case format.S:
			aspect = vk.Stencil
		default:
			continue
		}
		for i := range min(w*h*b.Image.layers(), b.Elements()) {
			l, ok := a.image.Subresource(aspect, 0, i/(w*h))
			if !ok {
				return
			}
			at := l.Offset + uint64(i/w%h)*l.RowPitch + uint64(i%w*size)
			raw := a.memory[at:][:size]
			texel, k := b.aspects(data, i, c)
			if join {
				k.SetRaw(texel, loadWord(raw)&(1<<c.Bits-1))
			} else {
				storeWord(raw, k.Raw(texel))
			}
		}
	}
}

// loadWord returns a little-endian number of up to 4 bytes.
func loadWord(b []byte) uint64 {
	var w [4]byte
	copy(w[:], b)
	return uint64(binary.LittleEndian.Uint32(w[:]))
}

// storeWord stores a little-endian number of up to 4 bytes.
func storeWord(b []byte, n uint64) {
	var w [4]byte
	binary.LittleEndian.PutUint32(w[:], uint32(n))
	copy(b, w[:])
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

// aspects returns the position of a component of the i-th texel in a buffer.
func (b *Buffer) aspects(data []byte, i int, c format.Component) (texel []byte, at format.Component) {
	if whole := b.Texel.Bytes; whole == 4 {
		return data[i*whole:], c
	}
	depth := b.Texel.Bytes - 1
	if c.Channel == format.S {
		c.Shift = 0
		return data[b.Elements()*depth+i:], c
	}
	return data[i*depth:], c
}
