package amber

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/oracle"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Permitted is the contents that Vulkan permits for the attachments of a script after its last command.
type Permitted struct {
	Pictures []*PermittedPicture // in the order of the declarations

	draws []*facts.Module // of the fragment shaders, by the number of the draw
}

// PermittedPicture is the permitted contents of an attachment.
type PermittedPicture struct {
	Buffer    *Buffer
	Undecided string // why every content is permitted; "" if the contents are decided
	Pixels    int    // fragments with an undecided shader
	Why       string // of the first of them

	target *oracle.Target
}

// drawUnit is the number of Number.At from one draw to the next; instructions beyond it have no name.
const drawUnit = 1 << 20

// maxPermittedDraws bounds the draws that are judged.
const maxPermittedDraws = 1 << 10

// maxPermittedTexels bounds the texels of all pictures that are judged. A component takes 40 bytes.
const maxPermittedTexels = 1 << 21

// Permit determines the permitted contents of the attachments of a script. It runs no shader on an engine. The error is of a script
// that cannot run, or of a context that ends.
func Permit(ctx context.Context, s *Script, o Options) (*Permitted, error) {
	r := &runner{script: s, options: o, entryPoints: map[entryKey]string{}, states: map[*Pipeline]map[string][]string{}, clears: map[*Pipeline]*clears{}}
	r.memory = newMemory(s)
	p := &permitting{runner: r, pictures: map[*Buffer]*PermittedPicture{}, lost: map[*Buffer]string{}, samples: map[*Buffer]*oracle.Target{}, levels: map[levelOf]*oracle.Target{}}
	if err := p.commands(ctx, s.Commands); err != nil {
		return nil, err
	}
	out := &Permitted{draws: p.draws}
	for _, b := range s.Buffers {
		if x := p.pictures[b]; x != nil {
			if x.Undecided = p.lost[b]; x.Undecided == "" && p.samples[b] != nil {
				x.Undecided = "several samples: the resolved attachment has a verdict"
			}
			out.Pictures = append(out.Pictures, x)
		}
	}
	return out, nil
}

// permitting determines the permitted contents of a script.
type permitting struct {
	*runner
	pictures map[*Buffer]*PermittedPicture
	lost     map[*Buffer]string         // buffers with any content, and why
	samples  map[*Buffer]*oracle.Target // the attachments with several samples
	levels   map[levelOf]*oracle.Target // the attachments that are other levels than the first
	draws    []*facts.Module
	texels   int // of the targets
}

func (p *permitting) commands(ctx context.Context, list []Command) error {
	for _, c := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.command(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (p *permitting) command(ctx context.Context, c Command) error {
	switch c := c.(type) {
	case *Draw:
		return p.draw(ctx, c)
	case *RenderPass:
		return p.commands(ctx, c.Commands)
	case *Repeat:
		for range c.Count {
			if err := p.commands(ctx, c.Commands); err != nil {
				return err
			}
		}
	case *Clear:
		p.clear(c)
	case *SetClear:
		p.setClear(c)
	case *SetState:
		p.setState(c)
	case *SetEntryPoint:
		p.entryPoints[entryKey{c.Pipeline, c.Stage}] = c.Name
	case *Write:
		if p.memory.write(c); p.pictures[c.Buffer] != nil {
			p.lost[c.Buffer] = "a write to a picture"
		}
	case *Copy:
		p.copied(c)
	case *Dispatch:
		p.lose(c.Pipeline, "a dispatch may write to it")
	case *Trace:
		p.lose(c.Pipeline, "rays may write to it")
	case *Shade:
		p.lose(c.Pipeline, "a shader of a subpass may write to it")
	case *DispatchGraph:
		p.lose(c.Pipeline, "an execution graph may write to it")
		for _, n := range c.Pipeline.MeshNodes {
			p.lose(n.Pipeline, "an execution graph may write to it")
		}
	case *WriteReference:
		for _, b := range p.script.Buffers {
			p.lost[b] = "a shader may reach it by an address"
		}
	}
	return nil
}

// copied is a copy of a buffer, or of the texels of a picture.
func (p *permitting) copied(c *Copy) {
	if why, ok := p.lost[c.From]; ok {
		p.lost[c.To] = why
		return
	}
	if p.pictures[c.From] != nil || p.pictures[c.To] != nil {
		p.lost[c.To] = "a copy of a picture"
		return
	}
	copy(p.memory[c.To], p.memory[c.From])
}

// lose permits any content of all that a pipeline may write.
func (p *permitting) lose(q *Pipeline, why string) {
	for i := range q.Bindings {
		switch x := &q.Bindings[i]; x.Kind {
		case Uniform, UniformDynamic, InlineUniform, UniformTexelBuffer, SampledImage, InputAttachment, CombinedImageSampler, SamplerOnly:
		default:
			for _, b := range x.Buffers {
				p.lost[b] = why
			}
		}
	}
	if q.heaped() {
		for _, b := range p.script.Buffers {
			p.lost[b] = why
		}
	}
	g := &q.Graphics
	for _, c := range append(slices.Clone(g.Colors), g.Resolves...) {
		p.lost[c.Buffer] = why
	}
	for _, x := range g.Feedback {
		p.lost[x.Buffer] = why
		p.lost[x.Counter] = why
	}
	if g.DepthStencil != nil {
		p.lost[g.DepthStencil] = why
	}
	for _, b := range append([]*Buffer{g.DepthStencil}, p.attached(g)...) { // with a picture, so that the verdict tells it
		if b != nil && p.pictures[b] == nil {
			p.pictures[b] = &PermittedPicture{Buffer: b}
		}
	}
}

func (p *permitting) attached(g *Graphics) (list []*Buffer) {
	for _, c := range g.Colors {
		list = append(list, c.Buffer)
	}
	return list
}

// picture returns the contents of an attachment; nil if they are any.
func (p *permitting) picture(b *Buffer) *oracle.Target {
	x := p.pictures[b]
	if x == nil {
		x = &PermittedPicture{Buffer: b}
		p.pictures[b] = x
	}
	if p.lost[b] != "" {
		return nil
	}
	if m := b.Image; m != nil && m.Samples > 1 {
		return p.multisampled(b)
	}
	if x.target == nil {
		m := b.Image
		switch {
		case m == nil || b.Texel == nil || m.Dimensions != 2 || m.Samples > 1 || len(p.memory[b]) != m.Width*m.Height*m.layers()*b.Texel.Bytes:
			p.lost[b] = "an attachment that is no image of two dimensions with one sample"
			return nil
		}
		if p.texels += m.Width * m.Height * m.layers(); p.texels > maxPermittedTexels {
			p.lost[b] = fmt.Sprintf("attachments with more than %d texels", maxPermittedTexels)
			return nil
		}
		x.target = oracle.NewLayered(b.Texel, m.Width, m.Height, m.layers(), b.texels(p.memory[b]))
	}
	return x.target
}

// levelOf is a level of a picture.
type levelOf struct {
	buffer *Buffer
	level  int
}

// level returns the contents of a level of an attachment; nil if they are any.
func (p *permitting) level(b *Buffer, level int) *oracle.Target {
	if level == 0 {
		return p.picture(b)
	}
	if p.lost[b] != "" {
		return nil
	}
	t := p.levels[levelOf{b, level}]
	if t == nil {
		m := b.Image
		if m == nil || b.Texel == nil || m.Dimensions != 2 || m.layers() > 1 || m.Samples > 1 {
			return nil
		}
		width, height := max(m.Width>>level, 1), max(m.Height>>level, 1)
		if p.texels += width * height; p.texels > maxPermittedTexels {
			p.lost[b] = fmt.Sprintf("attachments with more than %d texels", maxPermittedTexels)
			return nil
		}
		t = oracle.NewTarget(b.Texel, width, height, make([]byte, width*height*b.Texel.Bytes))
		t.Lose()
		p.levels[levelOf{b, level}] = t
	}
	return t
}

// multisampled returns the contents of an attachment with several samples; nil if they are any.
func (p *permitting) multisampled(b *Buffer) *oracle.Target {
	if p.samples[b] == nil {
		m := b.Image
		if b.Texel == nil || m.Dimensions != 2 {
			p.lost[b] = "an attachment with several samples that is no image of two dimensions"
			return nil
		}
		if p.texels += m.Width * m.Height * m.layers() * m.Samples; p.texels > maxPermittedTexels {
			p.lost[b] = fmt.Sprintf("attachments with more than %d texels", maxPermittedTexels)
			return nil
		}
		p.samples[b] = oracle.NewMultisampled(b.Texel, m.Width, m.Height, m.layers(), m.Samples)
	}
	return p.samples[b]
}

// resolve resolves the layers of the attachments of a pipeline, after a draw.
func (p *permitting) resolve(g *Graphics) {
	for i, x := range g.Resolves {
		if i >= len(g.Colors) {
			break
		}
		from, to := g.Colors[i], p.picture(x.Buffer)
		of := p.picture(from.Buffer)
		if of == nil || to == nil || p.samples[from.Buffer] == nil || from.BaseMip > 0 || x.BaseMip > 0 || from.Buffer.Texel.Name != x.Buffer.Texel.Name {
			p.lost[x.Buffer] = "a resolved attachment of another kind"
			continue
		}
		for n := range min(len(to.Layers), len(of.Layers)) + 1 {
			to.Layer(n).Resolve(of.Layer(n))
		}
	}
}

// layersOf returns the layers of a rendering to the attachments of a pipeline: the least number of them all.
func layersOf(g *Graphics) (least int) {
	add := func(b *Buffer) {
		if b != nil && b.Image != nil && (least == 0 || b.Image.layers() < least) {
			least = b.Image.layers()
		}
	}
	for _, c := range g.Colors {
		add(c.Buffer)
	}
	add(g.DepthStencil)
	return max(least, 1)
}

// clear fills the attachments of a pipeline. Of layers beyond the rendering, and of those without a view, any content is permitted.
func (p *permitting) clear(c *Clear) {
	v, g := p.clearsOf(c.Pipeline), &c.Pipeline.Graphics
	layers, views := layersOf(g), g.settings().Rendering.ViewMask
	fill := func(t *oracle.Target, color [4]oracle.Number) {
		t.Fill(color)
		for n := range len(t.Layers) + 1 {
			if n >= layers || views != 0 && views>>n&1 == 0 {
				t.Layer(n).LoseLayer()
			}
		}
	}
	for _, a := range g.Colors {
		if why := p.lost[a.Buffer]; why != "" {
			continue
		}
		if t := p.level(a.Buffer, a.BaseMip); t != nil {
			var color [4]oracle.Number
			for i := range color {
				color[i] = numberOf(float64(float32(v.color[i])), clearWord(a.Buffer.Texel, 0, v.color, i))
			}
			fill(t, color)
		}
	}
	if b := g.DepthStencil; b != nil {
		if t := p.picture(b); t != nil {
			fill(t, [4]oracle.Number{numberOf(float64(float32(v.depth)), 0), {Bits: uint64(uint32(v.stencil))}})
		}
	}
}

func numberOf(v float64, bits uint64) oracle.Number {
	return oracle.Number{Low: v, High: v, Bits: bits, Any: math.IsNaN(v)}
}

// draw applies a draw to its attachments.
func (p *permitting) draw(ctx context.Context, c *Draw) error {
	q := c.Pipeline
	why, err := p.drawn(ctx, c)
	if err != nil {
		return err
	}
	if why != "" {
		p.lose(q, fmt.Sprintf("line %d: %s", c.At.Line, why))
	}
	p.resolve(&q.Graphics)
	return nil
}

// drawn applies a draw, or says why it cannot.
func (p *permitting) drawn(ctx context.Context, c *Draw) (why string, err error) {
	q, g := c.Pipeline, &c.Pipeline.Graphics
	control, evaluation := q.stageOf(TessellationControl), q.stageOf(TessellationEvaluation)
	vertex, geometry, task, mesh, fragment := q.stageOf(Vertex), q.stageOf(Geometry), q.stageOf(Task), q.stageOf(Mesh), q.stageOf(Fragment)
	judged := 0
	for _, a := range []*Attachment{vertex, control, evaluation, geometry, task, mesh, fragment} {
		if a != nil {
			judged++
		}
	}
	switch {
	case (vertex == nil) == (mesh == nil) || fragment == nil || judged != len(q.Stages) || task != nil && mesh == nil:
		return "a draw without a vertex or a fragment shader", nil
	case (c.Kind == DrawMesh) != (mesh != nil) || c.Ranged || c.Kind == DrawCluster || c.Indirect != nil || c.ByteCount != nil || c.DrawIndex > 0:
		return "a draw with indirect or other arguments", nil
	case g.Rates != nil || q.heaped():
		return "shading rates or descriptor heaps", nil
	case len(p.draws) >= maxPermittedDraws:
		return "more draws than are judged", nil
	}
	s, err := p.fixedState(c)
	if err != nil {
		return "", err
	}
	if s.locations != nil || s.dither {
		return "mapped locations or dithering", nil
	}
	var a drawArgs
	if err := p.vertices(c, s, &a); err != nil {
		return "", err
	}
	d := &oracle.Draw{State: &s.FixedState, Width: g.Width, Height: g.Height, Layers: layersOf(g), First: a.FirstInstance, Instances: a.Instances}
	if control != nil && evaluation != nil {
		d.Control, d.Evaluation = new(oracle.Job), new(oracle.Job)
	} else if control != nil || evaluation != nil {
		return "a draw with one of the tessellation shaders", nil
	}
	if geometry != nil {
		d.Geometry = new(oracle.Job)
	}
	if mesh != nil {
		d.Mesh = &oracle.Job{Groups: c.Workgroups}
	}
	if task != nil {
		d.Task = &oracle.Job{Groups: c.Workgroups}
	}
	for _, x := range []struct {
		into *oracle.Job
		a    *Attachment
	}{{&d.Vertex, vertex}, {d.Control, control}, {d.Evaluation, evaluation}, {d.Geometry, geometry}, {d.Task, task}, {d.Mesh, mesh}, {&d.Fragment, fragment}} {
		if x.a == nil {
			continue
		}
		code, err := p.stageModule(ctx, q, x.a)
		if err != nil {
			return "", err
		}
		if x.into.Module, x.into.Entry, err = p.stageFacts(code, x.a, p.entryPoint(q, x.a), models[x.a.Stage]); err != nil {
			if x.a == mesh || x.a == task {
				return "a mesh or a task shader of another execution model than MeshEXT and TaskEXT", nil
			}
			return "", err
		}
	}
	if err := p.resources(q, d); err != nil {
		return "", err
	}
	if why := p.attributes(g, s, &a, d); why != "" {
		return why, nil
	}
	if why := p.elements(c, &a, s.Assembly.PrimitiveRestart, d); why != "" {
		return why, nil
	}
	for _, x := range g.Colors {
		for len(d.Colors) <= x.Location {
			d.Colors = append(d.Colors, nil)
		}
		d.Colors[x.Location] = p.level(x.Buffer, x.BaseMip)
		if x.Buffer.Image != nil {
			s.Multisample.Samples = uint32(max(x.Buffer.Image.Samples, 1))
		}
	}
	if g.DepthStencil != nil {
		if d.Depth = p.picture(g.DepthStencil); d.Depth == nil && (s.DepthStencil.DepthTest || s.DepthStencil.StencilTest || s.DepthStencil.BoundsTest) {
			return "a test with a depth and stencil attachment that has any content", nil
		}
	}
	for _, x := range g.Feedback { // buffers have no permitted results
		p.lost[x.Buffer] = "transform feedback writes it"
		if x.Counter != nil {
			p.lost[x.Counter] = "transform feedback writes it"
		}
	}
	out, err := d.Run(ctx)
	if err != nil || out.Undecided != "" {
		return out.Undecided, err
	}
	p.count(d, &out)
	return "", nil
}

// count adds a draw to the verdicts on its attachments: the instructions that computed numbers get its number.
func (p *permitting) count(d *oracle.Draw, out *oracle.Outcome) {
	n := len(p.draws)
	p.draws = append(p.draws, d.Fragment.Module)
	for _, x := range p.pictures {
		if x.target == nil || x.target != d.Depth && !slices.Contains(d.Colors, x.target) {
			continue
		}
		if x.Pixels += out.Pixels; x.Why == "" {
			x.Why = out.Why
		}
		numberDraw(x.target, n)
	}
	for _, t := range p.levels {
		if slices.Contains(d.Colors, t) {
			numberDraw(t, n)
		}
	}
	for _, t := range p.samples {
		if t == d.Depth || slices.Contains(d.Colors, t) {
			numberDraw(t, n)
		}
	}
}

// numberDraw gives the instructions that computed numbers in the last draw its number.
func numberDraw(t *oracle.Target, n int) {
	t.Numbers(func(c *oracle.Number) {
		if c.At > 0 && c.At < drawUnit {
			c.At += (n + 1) * drawUnit
		}
	})
}

// elements sets the vertices of a draw in order. The greatest index of its size, before the offset of vertices, begins the topology again with
// primitive restart.
func (p *permitting) elements(c *Draw, a *drawArgs, restarts bool, d *oracle.Draw) (why string) {
	if a.Count > 1<<16 || a.Instances > 1<<12 {
		return "more vertices or instances than are judged"
	}
	if !c.Indexed {
		for i := range a.Count {
			d.Vertices = append(d.Vertices, a.First+i)
		}
		return ""
	}
	b := c.Pipeline.Graphics.Indices
	if p.lost[b] != "" {
		return "indices with any content"
	}
	data, size := p.memory[b], b.Shape.Stride
	for i := range int(a.Count) {
		at := (int(a.First) + i) * size
		if at+size > len(data) {
			return "indices outside of their buffer"
		}
		var n uint32
		switch size {
		case 1:
			n = uint32(data[at])
		case 2:
			n = uint32(binary.LittleEndian.Uint16(data[at:]))
		case 4:
			n = binary.LittleEndian.Uint32(data[at:])
		default:
			return "indices of another size"
		}
		if restarts && n == uint32(uint64(1)<<(8*size)-1) {
			d.Restarts = append(d.Restarts, len(d.Vertices))
			continue
		}
		d.Vertices = append(d.Vertices, n+uint32(a.BaseVertex))
	}
	return ""
}

// attributes sets the input of vertices.
func (p *permitting) attributes(g *Graphics, s *drawState, a *drawArgs, d *oracle.Draw) (why string) {
	type source struct {
		data    []byte
		any     bool
		binding link.VertexBinding
		at      link.Attribute
		format  format.Format
	}
	sources := map[uint32]*source{}
	for _, x := range s.Vertex.Attributes {
		f, ok := format.ByName(x.Format.String())
		if !ok {
			return "a vertex attribute of a format without texels"
		}
		i := slices.IndexFunc(s.Vertex.Bindings, func(b link.VertexBinding) bool { return b.Binding == x.Binding })
		if i < 0 {
			return "a vertex attribute without a binding"
		}
		y := &source{binding: s.Vertex.Bindings[i], at: x, format: f}
		if y.binding.Divisor != nil || len(s.Vertex.Divisors) > 0 {
			return "divisors of vertex bindings"
		}
		switch n := int(x.Binding); {
		case n < len(g.Vertices):
			v := &g.Vertices[n]
			y.data, y.any = p.memory[v.Buffer], p.lost[v.Buffer] != ""
			if v.Range > 0 {
				y.data = y.data[:v.Range]
			}
		case n == len(g.Vertices):
			y.data = a.Corners
		default:
			return "a vertex binding without a buffer"
		}
		sources[x.Location] = y
	}
	d.Input = func(location, vertex, instance uint32) []oracle.Number {
		x := sources[location]
		any := []oracle.Number{{Any: true}, {Any: true}, {Any: true}, {Any: true}}
		if x == nil || x.any {
			return any
		}
		n := uint64(vertex)
		if x.binding.Rate != 0 {
			n = uint64(instance)
		}
		at := n*uint64(x.binding.Stride) + uint64(x.at.Offset)
		if at+uint64(x.format.Bytes) > uint64(len(x.data)) {
			return any
		}
		return numbersOf(&x.format, x.data[at:])
	}
	return ""
}

// conversionError is the relative error of the quotient of a normalized integer: "individual results of floating-point operations are
// accurate to about 1 part in 10⁵" (Vulkan, "Floating-Point Computation").
const conversionError = 1e-5

// numbersOf returns the components of a texel. A quotient may be rounded.
func numbersOf(f *format.Format, texel []byte) []oracle.Number {
	out := []oracle.Number{{}, {}, {}, {Low: 1, High: 1, Bits: 1}}
	for _, c := range f.Components() {
		raw := c.Raw(texel)
		if c.Channel == format.D { // the first component of a texel
			c.Channel = format.R
		}
		if c.Channel > format.A {
			continue
		}
		switch c.Numeric {
		case format.UInt, format.SInt:
			if c.Numeric == format.SInt {
				raw = uint64(uint32(int64(raw<<(64-c.Bits)) >> (64 - c.Bits)))
			}
			out[c.Channel] = oracle.Number{Bits: raw, Any: c.Bits > 32}
		case format.SFloat, format.UFloat, format.UScaled, format.SScaled:
			out[c.Channel] = numberOf(c.Value(raw), 0)
			out[c.Channel].Any = out[c.Channel].Any || c.Bits > 32
		default:
			v := c.Value(raw)
			e := float64(math.Abs(v) * conversionError)
			if c.Numeric == format.SRGB {
				e = 0x1p-12 // Vulkan has no bound
			}
			if v == 0 || v == 1 || v == -1 {
				e = 0
			}
			out[c.Channel] = oracle.Number{Low: v - e, High: v + e}
		}
	}
	return out
}

// resources sets the buffers and the textures of both shaders.
func (p *permitting) resources(q *Pipeline, d *oracle.Draw) error {
	buffers, textures, samplers := map[oracle.Place][]byte{}, map[oracle.Place]*oracle.Texture{}, map[oracle.Place]*oracle.Sampler{}
	for i := range q.Bindings {
		x := &q.Bindings[i]
		at := oracle.Place{Set: x.Set, Binding: x.Binding}
		if x.count() != 1 || x.Placed && x.Element > 0 {
			continue
		}
		switch x.Kind {
		case Uniform, UniformDynamic, Storage, StorageDynamic, InlineUniform:
			b := x.Buffers[0]
			if b == nil || p.lost[b] != "" {
				continue
			}
			from, n, err := p.slice(x, 0, p.memory[b])
			if err != nil {
				return err
			}
			buffers[at] = p.memory[b][from : from+n]
		case SampledImage, CombinedImageSampler:
			textures[at] = p.texture(q, x)
		}
		if len(x.Samplers) == 1 {
			samplers[at] = samplerOf(x.Samplers[0])
		}
	}
	push := []byte(nil)
	if q.Push != nil {
		push = p.memory[q.Push]
	}
	for _, j := range []*oracle.Job{&d.Vertex, &d.Fragment, d.Control, d.Evaluation, d.Geometry, d.Task, d.Mesh} {
		if j == nil {
			continue
		}
		j.Buffers, j.Textures, j.Samplers, j.Push = buffers, textures, samplers, push
	}
	d.Fragment.SubgroupSize = 4 // a quad
	return nil
}

// texture returns the texels of a binding of a pipeline; without a level they are any. So they are of an image with more levels than its
// size has, which the machine refuses.
func (p *permitting) texture(q *Pipeline, x *Binding) *oracle.Texture {
	b := x.Buffers[0]
	if b == nil || b.Image == nil || b.Texel == nil || p.lost[b] != "" {
		return &oracle.Texture{}
	}
	m, f := b.Image, b.Texel
	if m.Dimensions != 2 || m.layers() > 1 || m.Samples > 1 || f.Has(format.S) || m.Width*m.Height > 1<<20 || m.MipLevels > bits.Len(uint(max(m.Width, m.Height))) {
		return &oracle.Texture{}
	}
	out := &oracle.Texture{Unit: unitOf(f)}
	for level := x.BaseMip; level < m.MipLevels; level++ {
		out.Levels = append(out.Levels, p.texels2D(q, b, level))
	}
	return out
}

// texels2D returns the texels of a level of an image: those of an attachment before the pipeline draws, or those of the script. Any are
// permitted of a level that the pipeline draws to, and of one without contents.
func (p *permitting) texels2D(q *Pipeline, b *Buffer, level int) oracle.Level {
	m, f := b.Image, b.Texel
	t := p.levels[levelOf{b, level}]
	if x := p.pictures[b]; level == 0 && x != nil {
		t = x.target
	}
	written := slices.ContainsFunc(append(slices.Clone(q.Graphics.Colors), q.Graphics.Resolves...), func(a ColorAttachment) bool { return a.Buffer == b && a.BaseMip == level }) || q.Graphics.DepthStencil == b
	switch {
	case written:
	case t != nil:
		return t.Level()
	case level == 0 && p.pictures[b] == nil && len(p.memory[b]) == m.Width*m.Height*f.Bytes:
		l := oracle.Level{Width: m.Width, Height: m.Height, Texels: make([][4]oracle.Number, m.Width*m.Height)}
		for i := range l.Texels {
			copy(l.Texels[i][:], numbersOf(f, p.memory[b][i*f.Bytes:]))
		}
		return l
	}
	return oracle.OpenLevel(max(m.Width>>level, 1), max(m.Height>>level, 1))
}

// unitOf returns the distance of two texels of a format: of a float of fewer bits than 32 one above the distance at 1.
func unitOf(f *format.Format) (unit float64) {
	for _, c := range f.Components() {
		switch c.Numeric {
		case format.UNorm, format.SRGB:
			unit = max(unit, 1/float64(uint64(1)<<c.Bits-1))
		case format.SNorm:
			unit = max(unit, 1/float64(uint64(1)<<(c.Bits-1)-1))
		default:
			if c.Bits < 32 {
				unit = max(unit, math.Ldexp(1, -int(c.Bits)/2))
			}
		}
	}
	return unit
}

// samplerOf returns a sampler as the verdict needs it.
func samplerOf(s *Sampler) *oracle.Sampler {
	address := func(w string) oracle.Address { return oracle.Address(slices.Index(addressModes, w)) }
	x := &oracle.Sampler{LinearMag: s.MagFilter == "linear", LinearMin: s.MinFilter == "linear", Address: [2]oracle.Address{address(s.AddressU), address(s.V)},
		MinLod: s.MinLOD, MaxLod: s.MaxLOD, Unnormalized: s.Unnormalized, Compare: s.Compares}
	for i, w := range borders[s.BorderColor] {
		x.Border[i] = float64(math.Float32frombits(w))
	}
	return x
}

// texels returns the contents of an image texel by texel: a buffer with depth and stencil of more than a word has all depths before all stencil values.
func (b *Buffer) texels(data []byte) []byte {
	f := b.Texel
	if !f.Has(format.D) || !f.Has(format.S) || f.Bytes == 4 {
		return data
	}
	out := make([]byte, len(data))
	for _, c := range f.Components() {
		for i := range b.Elements() {
			texel, at := b.aspects(data, i, c)
			c.SetRaw(out[i*f.Bytes:], at.Raw(texel))
		}
	}
	return out
}

// Judge judges contents of a picture, and counts its components with any value.
func (x *PermittedPicture) Judge(contents []byte) (list []oracle.TexelViolation, any int) {
	if x.Undecided != "" || x.target == nil || len(contents) != len(x.Buffer.Data) {
		return nil, x.Buffer.Count(contents)
	}
	return x.target.Judge(x.Buffer.texels(contents))
}

// Operation names the operation that computed a number that is not permitted, and the blending if it changed the number: either one may be
// wrong.
func (p *Permitted) Operation(v *oracle.TexelViolation) string {
	switch name := p.operation(v.At); {
	case v.Blended && name == "":
		return "the blending"
	case v.Blended:
		return name + ", or the blending"
	default:
		return name
	}
}

// operation names the operation of a Number.At.
func (p *Permitted) operation(at int) string {
	switch {
	case at < 0:
		return oracle.FixedFunction(at)
	case at == 0:
		return ""
	}
	n := at/drawUnit - 1
	if n < 0 || n >= len(p.draws) {
		return ""
	}
	m := p.draws[n]
	in := m.Code.Inst(at%drawUnit - 1)
	text := in.Op().String()
	if in.Op() == spirv.OpExtInst {
		if row := m.ExtSet(spirv.ID(in[3])).Inst(in[4]); row != nil {
			text = row.Name()
		}
	}
	if line, ok := m.Line(at%drawUnit - 1); ok {
		return fmt.Sprintf("%s of the fragment shader, line %d", text, line.Line)
	}
	return fmt.Sprintf("%s, instruction %d of the fragment shader", text, at%drawUnit)
}
