package oracle

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Target is an attachment with the permitted values of its components: of normalized ones their integers, of floats the numbers, of
// integers their bits. A component of another kind has any value.
type Target struct {
	Width, Height int
	Format        *format.Format
	Cells         []Number // of the components of texel after texel
	// Samples are the targets of the samples 1, 2, … of a multisampled attachment, or of one of its layers; the target itself is sample 0.
	Samples []*Target
	// Layers are the layers 1, 2, … of an attachment with one sample and several layers; the target itself is layer 0.
	Layers []*Target

	components []format.Component
	choices    map[int]*choices // by the number of the texel; none for a texel with one content
}

// NewTarget returns an attachment with contents: texels row by row.
func NewTarget(f *format.Format, width, height int, texels []byte) *Target {
	t := &Target{Width: width, Height: height, Format: f}
	for _, k := range f.Components() {
		if k.Channel != format.X {
			t.components = append(t.components, k)
		}
	}
	t.Cells = make([]Number, width*height*len(t.components))
	for i := range width * height {
		for k, c := range t.components {
			t.Cells[i*len(t.components)+k] = cellOf(c, c.Raw(texels[i*f.Bytes:]))
		}
	}
	return t
}

// NewMultisampled returns an attachment with several samples for each pixel and any content.
func NewMultisampled(f *format.Format, width, height, layers, samples int) *Target {
	blank := make([]byte, width*height*layers*f.Bytes)
	t := NewLayered(f, width, height, layers, blank)
	for n := range layers {
		l := t.Layer(n)
		for range samples - 1 {
			l.Samples = append(l.Samples, NewTarget(f, width, height, blank))
		}
	}
	t.Lose()
	return t
}

// NewLayered returns an attachment with the contents of several layers, one after the other.
func NewLayered(f *format.Format, width, height, layers int, texels []byte) *Target {
	t := NewTarget(f, width, height, texels)
	for n := 1; n < layers; n++ {
		t.Layers = append(t.Layers, NewTarget(f, width, height, texels[n*width*height*f.Bytes:]))
	}
	return t
}

// Layer returns a layer; nil if the attachment has fewer of them.
func (t *Target) Layer(n int) *Target {
	switch {
	case n == 0:
		return t
	case n > len(t.Layers):
		return nil
	}
	return t.Layers[n-1]
}

// parts returns the other samples and layers.
func (t *Target) parts() []*Target { return slices.Concat(t.Samples, t.Layers) }

// LoseLayer permits any content of one layer, in all of its samples.
func (t *Target) LoseLayer() {
	for _, s := range append([]*Target{t}, t.Samples...) {
		s.choices = nil
		for i := range s.Cells {
			s.Cells[i] = Number{Any: true}
		}
	}
}

// Lose permits any content.
func (t *Target) Lose() {
	for n := range len(t.Layers) + 1 {
		t.Layer(n).LoseLayer()
	}
}

// Fill stores a color, or a depth and a stencil value, in all texels of all layers.
func (t *Target) Fill(color [4]Number) {
	t.choices = nil
	for i := range t.Cells {
		c := t.components[i%len(t.components)]
		n := color[0]
		switch c.Channel {
		case format.S:
			n = color[1]
		case format.D:
		default:
			n = color[c.Channel]
		}
		t.Cells[i] = stored(c, n)
	}
	for _, s := range t.parts() {
		s.Fill(color)
	}
}

// fixed reports whether a component is a normalized integer, and returns its greatest one.
func fixed(c format.Component) (most float64, ok bool) {
	switch c.Numeric {
	case format.UNorm, format.SRGB:
		return float64(uint64(1)<<c.Bits - 1), c.Bits <= 32
	case format.SNorm:
		return float64(uint64(1)<<(c.Bits-1) - 1), c.Bits <= 32
	}
	return 0, false
}

func isInteger(c format.Component) bool { return c.Numeric == format.UInt || c.Numeric == format.SInt }

func isFloat(c format.Component) bool {
	return c.Numeric == format.SFloat && (c.Bits == 32 || c.Bits == 16)
}

// cellOf returns the permitted values for bits.
func cellOf(c format.Component, raw uint64) Number {
	if most, ok := fixed(c); ok {
		v := float64(raw)
		if c.Numeric == format.SNorm {
			// The least integer is -1, too: f = max(c / (2^(b-1) - 1), -1.0).
			v = max(float64(int64(raw<<(64-c.Bits))>>(64-c.Bits)), -most)
		}
		return point(v)
	}
	switch {
	case isInteger(c):
		return Number{Bits: raw}
	case isFloat(c):
		if v := c.Value(raw); !math.IsNaN(v) {
			return point(v)
		}
	}
	return Number{Any: true}
}

// has reports whether bits of a component are permitted.
func (n *Number) has(c format.Component, raw uint64) bool {
	if n.Any {
		return true
	}
	if isInteger(c) {
		return raw == n.Bits
	}
	got := cellOf(c, raw)
	if got.Any { // a NaN, or a component without a verdict
		return !isFloat(c)
	}
	return n.Low <= got.Low && got.Low <= n.High
}

// stored returns the permitted values of a component after a store. A normalized integer is one of the two that are closest, and the
// number itself if it is an integer (Vulkan, "Conversion From Floating-Point to Normalized Fixed-Point"). An integer out of range is any.
func stored(c format.Component, n Number) Number {
	if n.Any || isInteger(c) {
		if c.Bits < 32 {
			over := n.Bits >> c.Bits
			if c.Numeric == format.SInt {
				over = uint64(uint32(int32(n.Bits)>>(c.Bits-1)+1)) >> 1 // 0 for −1 and 0
			}
			n.Any = n.Any || over != 0
		}
		n.Bits &= ^uint64(0) >> (64 - min(c.Bits, 64))
		return n
	}
	if most, ok := fixed(c); ok {
		least := 0.0
		if c.Numeric == format.SNorm {
			least = -1
		}
		low, high := min(max(n.Low, least), 1), min(max(n.High, least), 1)
		if c.Numeric == format.SRGB {
			n.Low, n.High = float64(encodedSRGB(low)*most), float64(encodedSRGB(high)*most)
			const e = 0.5 // of the function, for which Vulkan has no bound; 0 and 1 are exact
			if low > 0 && low < 1 {
				n.Low -= e
			}
			if high < 1 && high > 0 {
				n.High += e
			}
		} else {
			n.Low, n.High = float64(low*most), float64(high*most)
		}
		// A float that is close to the quotient of an integer is this one.
		near := func(v float64) float64 {
			if r := math.Round(v); math.Abs(v-r) <= float64(most*0x1p-24) {
				return r
			}
			return v
		}
		if n.Low == n.High {
			n.Low, n.High = near(n.Low), near(n.High)
		}
		n.Low, n.High = max(math.Floor(n.Low), least*most), min(math.Ceil(n.High), most)
		return n
	}
	if !isFloat(c) || n.infinite() {
		return Number{Any: true, At: n.At}
	}
	least, digits, most := 0x1p-126, 23, float64(math.MaxFloat32)
	if c.Bits == 16 {
		least, digits, most = 0x1p-14, 10, 65504
	}
	if n.Low < -most || n.High > most {
		return Number{Any: true, At: n.At}
	}
	round := func(v float64, to func(float64) float64) float64 {
		_, e := math.Frexp(v)
		unit := math.Ldexp(1, max(e-1, int(math.Log2(least)))-digits)
		return to(v/unit) * unit
	}
	n.Low, n.High = round(n.Low, math.Floor), round(n.High, math.Ceil)
	if n.Low < least && n.High > -least && !(n.Low == 0 && n.High == 0) { // a denormal one may be flushed
		n.Low, n.High = min(n.Low, 0), max(n.High, 0)
	}
	return n
}

// encodedSRGB is the sRGB transfer function (Khronos Data Format Specification).
func encodedSRGB(v float64) float64 {
	switch {
	case v >= 1:
		return 1
	case v <= 0.0031308:
		return float64(12.92 * v)
	}
	return float64(1.055*math.Pow(v, 1/2.4)) - 0.055
}

// loaded returns the values of a stored component.
func loaded(c format.Component, n Number) Number {
	most, ok := fixed(c)
	if n.Any || !ok {
		return n
	}
	value := func(v float64) float64 {
		if c.Numeric == format.SRGB {
			return c.Value(uint64(v))
		}
		return max(v/most, -1)
	}
	n.Low, n.High = value(n.Low), value(n.High)
	if c.Numeric == format.SRGB {
		n.Low, n.High = n.Low-0x1p-14, n.High+0x1p-14
	}
	return n
}

// merge stores a fragment, or its absence, in a texel of all targets. m is its invocation, nil if it is undecided.
func (d *drawing) merge(s *surface, x, y int, cover coverage, edge int, m *machine) {
	d.touch(x, y)
	before := d.contents(x, y)
	if s.patch != nil {
		d.keep(x, y, s.patch.merged(d, s, x, y, cover, m, before))
		return
	}
	after := d.storeEach(s, x, y, m, before)
	at := [4]int{x, y, d.sample, d.layer}
	known := d.edges[at]
	delete(d.edges, at)
	if cover == open1 {
		own, side := s.edge(edge)
		switch {
		case edge >= 0 && known != nil && known.edge == own && known.side != side:
			// One of two polygons on either side of a common edge has the sample ("Basic Polygon Rasterization").
			after = slices.Concat(d.storeEach(s, x, y, m, known.before), known.after)
		default:
			if edge >= 0 {
				d.edges[at] = &openEdge{edge: own, side: side, before: before, after: after}
			}
			after = slices.Concat(before, after)
		}
	}
	d.keep(x, y, after)
}

// openEdge is a texel that a triangle may have, if it is on its side of an edge.
type openEdge struct {
	edge          [2]screenPoint
	side          bool         // of the triangle
	before, after [][][]Number // choices
}

// edge returns the ends of an edge, in one order for both sides, and the side of the triangle.
func (s *surface) edge(k int) (e [2]screenPoint, side bool) {
	if k < 0 {
		return e, false
	}
	e[0], e[1] = s.points[(k+1)%3], s.points[(k+2)%3]
	if a, b := &e[0], &e[1]; a.x.Low > b.x.Low || a.x.Low == b.x.Low && a.y.Low > b.y.Low {
		e[0], e[1] = e[1], e[0]
		return e, !s.counter
	}
	return e, s.counter
}

// targets are the color attachments, and the one of depth and stencil, of the current sample.
func (d *drawing) targets() []*Target { return d.samples[d.sample] }

// sampleTargets returns the targets of each sample of a layer.
func (d *drawing) sampleTargets(layer int) [][]*Target {
	list := make([][]*Target, max(d.State.Multisample.Samples, 1))
	for _, t := range append(d.Colors[:len(d.Colors):len(d.Colors)], d.Depth) {
		if t != nil {
			if t = t.Layer(layer); t == nil {
				panic(stop{why: "attachments with fewer layers than the rendering"})
			}
		}
		if t != nil && len(t.Samples) != len(list)-1 {
			panic(stop{why: "attachments with another number of samples"})
		}
		for n := range list {
			of := t
			if n > 0 && t != nil {
				of = t.Samples[n-1]
			}
			list[n] = append(list[n], of)
		}
	}
	return list
}

// texel returns the cells of a texel; nil out of the target.
func (t *Target) texel(x, y int) []Number {
	if x >= t.Width || y >= t.Height {
		return nil
	}
	n := len(t.components)
	i := (y*t.Width + x) * n
	return t.Cells[i : i+n : i+n]
}

func (d *drawing) texel(x, y int) [][]Number {
	var list [][]Number
	for _, t := range d.targets() {
		if t == nil {
			list = append(list, nil)
		} else {
			list = append(list, clone(t.texel(x, y)))
		}
	}
	return list
}

func clonesOf(list [][]Number) [][]Number {
	out := make([][]Number, len(list))
	for i := range list {
		out[i] = clone(list[i])
	}
	return out
}

// hulls returns the cells that permit the values of both.
func hulls(d *drawing, a, b [][]Number) [][]Number {
	out := clonesOf(a)
	for i, t := range d.targets() {
		for k := range out[i] {
			out[i][k] = hullIn(t.components[k], a[i][k], b[i][k])
		}
	}
	return out
}

func hullIn(c format.Component, a, b Number) Number {
	at := b.At
	if at == 0 {
		at = a.At
	}
	if isInteger(c) {
		if a.Any || b.Any || a.Bits != b.Bits {
			return Number{Any: true, At: at}
		}
		return a
	}
	blended := a.Blended || b.Blended
	a = hullOf(a, b)
	a.At, a.Blended = at, blended
	return a
}

// result is an outcome of a test.
type result uint8

const (
	fails result = iota
	either
	passes
)

// storeEach returns the choices of a texel after a covered sample, for all choices before it.
func (d *drawing) storeEach(s *surface, x, y int, m *machine, list [][][]Number) (out [][][]Number) {
	for _, texel := range list {
		out = append(out, d.store(s, x, y, m, texel)...)
	}
	return out
}

// store applies the fragment operations of a covered sample to a texel, and returns its choices after them.
func (d *drawing) store(s *surface, x, y int, m *machine, texel [][]Number) [][][]Number {
	if m == nil {
		open := clonesOf(texel)
		for i := range open {
			for k := range open[i] {
				open[i][k] = Number{Any: true}
			}
		}
		return [][][]Number{open}
	}
	if m.shading.discarded && !d.early {
		return [][][]Number{texel}
	}
	outputs, depth, ok := d.outputs(m)
	if !ok {
		return d.store(s, x, y, nil, texel)
	}
	z := d.depthAt(s, x, y)
	if depth != nil && !d.early {
		z = *depth
	}
	last := len(texel) - 1
	var list [][][]Number
	for _, o := range d.tests(s, d.limited(z), texel[last]) {
		next := clonesOf(texel)
		next[last] = o.cells
		if list = append(list, next); !o.pass || m.shading.discarded {
			continue
		}
		for i, t := range d.Colors {
			switch {
			case t == nil || next[i] == nil || i >= len(d.State.Blend.Attachments):
			case d.State.Blend.Logic:
				mixed(d.State.Blend.LogicOp, &d.State.Blend.Attachments[i], d.targets()[i], outputs, uint32(i), next[i])
			default:
				blended(&d.State.Blend.Attachments[i], d.State.BlendConstants, d.targets()[i], outputs, uint32(i), next[i])
			}
		}
	}
	return list
}

// outputs returns the outputs of a fragment shader, and its depth; false if they leave the coverage open.
func (d *drawing) outputs(m *machine) (map[slot]Number, *Number, bool) {
	out := map[slot]Number{}
	var depth *Number
	ok := true
	f := d.fragment.m
	for _, id := range d.Fragment.Entry.Interface {
		v := f.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassOutput {
			continue
		}
		l := m.locals[id]
		eachSlot(f, v, func(at slot, b spirv.BuiltIn, builtIn bool, leaf int, _ *facts.Type, _ interpolation) {
			n := Number{Any: true}
			if l != nil {
				n = l.leaves[leaf]
			}
			switch {
			case !builtIn && !f.Has(id, spirv.DecorationIndex):
				out[at] = n
			case builtIn && b == spirv.BuiltInFragDepth:
				depth = &n
			default:
				ok = false
			}
		})
	}
	return out, depth, ok
}

// depthComponent returns the depth component of the attachment.
func (d *drawing) depthComponent() (format.Component, bool) {
	if d.Depth != nil {
		for _, c := range d.Depth.components {
			if c.Channel == format.D {
				return c, true
			}
		}
	}
	return format.Component{}, false
}

// compare compares a depth with the stored one.
func compare(op enum.CompareOp, a, b Number) result {
	known := func(yes, no bool) result {
		switch {
		case yes:
			return passes
		case no:
			return fails
		}
		return either
	}
	open := a.Any || b.Any
	equal, apart := a.isPoint() && b.isPoint() && a.Low == b.Low, a.High < b.Low || b.High < a.Low
	switch {
	case op == enum.CompareOpAlways:
		return passes
	case op == enum.CompareOpNever:
		return fails
	case open:
		return either
	case op == enum.CompareOpLess:
		return known(a.High < b.Low, a.Low >= b.High)
	case op == enum.CompareOpLessOrEqual:
		return known(a.High <= b.Low, a.Low > b.High)
	case op == enum.CompareOpGreater:
		return known(a.Low > b.High, a.High <= b.Low)
	case op == enum.CompareOpGreaterOrEqual:
		return known(a.Low >= b.High, a.High < b.Low)
	case op == enum.CompareOpEqual:
		return known(equal, apart)
	}
	return known(apart, equal)
}

// blended stores the color of a fragment in a texel.
func blended(a *link.Blend, constants [4]float32, t *Target, outputs map[slot]Number, location uint32, cells []Number) {
	source := func(c format.Channel) Number {
		if n, ok := outputs[slot{location, uint32(c)}]; ok {
			return n
		}
		return Number{Any: true} // undefined
	}
	old := clone(cells)
	stored2 := func(c format.Channel) Number {
		for k, own := range t.components {
			if own.Channel == c {
				return loaded(own, old[k])
			}
		}
		if c == format.A {
			return point(1)
		}
		return point(0)
	}
	for k, c := range t.components {
		if a.Writes()>>c.Channel&1 == 0 {
			continue
		}
		n := source(c.Channel)
		if a.Enable && !isInteger(c) {
			n = blend(a, constants, c, source, stored2)
		}
		cells[k] = stored(c, n)
	}
}

// blend is a blend operation of one component. Its steps are as precise as the component ("Blending": "a precision and dynamic range no
// lower than that used to represent destination components").
func blend(a *link.Blend, constants [4]float32, c format.Component, source, stored func(format.Channel) Number) Number {
	most, ok := fixed(c)
	low, high := math.Inf(-1), math.Inf(1)
	unit := func(n Number) float64 { return float64(max(math.Abs(n.Low), math.Abs(n.High)) * 0x1p-10) }
	switch {
	case ok:
		unit = func(Number) float64 { return 1 / most }
		if low, high = 0, 1; c.Numeric == format.SNorm {
			low = -1
		}
	case c.Bits == 32:
		unit = func(n Number) float64 { return float64(max(math.Abs(n.Low), math.Abs(n.High)) * 0x1p-22) }
	}
	if c.Numeric == format.SRGB {
		unit = func(Number) float64 { return 2 / most }
	}
	clamp := func(n Number) Number {
		if !n.Any {
			n.Low, n.High = min(max(n.Low, low), high), min(max(n.High, low), high)
		}
		return n
	}
	src := func(k format.Channel) Number { return clamp(source(k)) }
	dst := stored
	op, sf, df := a.ColorOp, a.SrcColor, a.DstColor
	if c.Channel == format.A {
		op, sf, df = a.AlphaOp, a.SrcAlpha, a.DstAlpha
	}
	s, d := src(c.Channel), dst(c.Channel)
	at := s.At
	any := Number{Any: true, Blended: true, At: at}
	term := func(n Number, f enum.BlendFactor) Number {
		if f == enum.BlendFactorZero {
			return point(0)
		}
		v, exact := factor(f, c.Channel, src, dst, constants)
		v = clamp(v)
		if exact {
			return n
		}
		return rounded(times(n, v), unit)
	}
	var out Number
	switch op {
	case enum.BlendOpMin, enum.BlendOpMax:
		if s.Any || d.Any {
			return any
		}
		pick := math.Min
		if op == enum.BlendOpMax {
			pick = math.Max
		}
		out = Number{Low: pick(s.Low, d.Low), High: pick(s.High, d.High)}
		out = rounded(out, unit)
	case enum.BlendOpAdd, enum.BlendOpSubtract, enum.BlendOpReverseSubtract:
		x, y := term(s, sf), term(d, df)
		if x.Any || y.Any {
			return any
		}
		switch op {
		case enum.BlendOpSubtract:
			y.Low, y.High = -y.High, -y.Low
		case enum.BlendOpReverseSubtract:
			x.Low, x.High = -x.High, -x.Low
		}
		if out = (Number{Low: x.Low + y.Low, High: x.High + y.High}); x != point(0) && y != point(0) {
			out = rounded(out, unit)
		}
	default:
		return any
	}
	out.At, out.Blended = at, true
	return clamp(out)
}

// times is the product of two ranges.
func times(a, b Number) Number {
	if a.Any || b.Any {
		return Number{Any: true, At: a.At}
	}
	n := Number{Low: math.Inf(1), High: math.Inf(-1), At: a.At}
	for _, x := range [...]float64{a.Low, a.High} {
		for _, y := range [...]float64{b.Low, b.High} {
			n.Low, n.High = min(n.Low, x*y), max(n.High, x*y)
		}
	}
	return n
}

// rounded widens a range by the unit of a rounding.
func rounded(n Number, unit func(Number) float64) Number {
	if n.Any || n.Low == 0 && n.High == 0 {
		return n
	}
	u := unit(n)
	n.Low, n.High = n.Low-u, n.High+u
	return n
}

// factor returns a blend factor; exact if it is 1.
func factor(f enum.BlendFactor, c format.Channel, src, dst func(format.Channel) Number, constants [4]float32) (n Number, exact bool) {
	less := func(n Number) Number {
		n.Low, n.High = 1-n.High, 1-n.Low
		return n
	}
	switch f {
	case enum.BlendFactorOne:
		return point(1), true
	case enum.BlendFactorSrcColor:
		return src(c), false
	case enum.BlendFactorOneMinusSrcColor:
		return less(src(c)), false
	case enum.BlendFactorDstColor:
		return dst(c), false
	case enum.BlendFactorOneMinusDstColor:
		return less(dst(c)), false
	case enum.BlendFactorSrcAlpha:
		return src(format.A), false
	case enum.BlendFactorOneMinusSrcAlpha:
		return less(src(format.A)), false
	case enum.BlendFactorDstAlpha:
		return dst(format.A), false
	case enum.BlendFactorOneMinusDstAlpha:
		return less(dst(format.A)), false
	case enum.BlendFactorConstantColor:
		return point(float64(constants[c])), false
	case enum.BlendFactorOneMinusConstantColor:
		return less(point(float64(constants[c]))), false
	case enum.BlendFactorConstantAlpha:
		return point(float64(constants[3])), false
	case enum.BlendFactorOneMinusConstantAlpha:
		return less(point(float64(constants[3]))), false
	case enum.BlendFactorSrcAlphaSaturate:
		if c == format.A {
			return point(1), true
		}
		s, d := src(format.A), less(dst(format.A))
		if s.Any || d.Any {
			return Number{Any: true}, false
		}
		return Number{Low: min(s.Low, d.Low), High: min(s.High, d.High)}, false
	}
	return Number{Any: true}, false
}

// TexelViolation is a component of a texel that is not permitted.
type TexelViolation struct {
	X, Y      int
	Layer     int
	Component string // R, G, B, A, D or S
	Value     string
	Permitted string
	Blended   bool
	At        int // of Number
}

// Judge returns the components of contents that are not permitted, layer by layer and row by row, and counts the components with any value.
func (t *Target) Judge(texels []byte) (list []TexelViolation, any int) {
	for n := range len(t.Layers) + 1 {
		own, open := t.Layer(n).judgeLayer(texels[n*t.Width*t.Height*t.Format.Bytes:])
		for i := range own {
			own[i].Layer = n
		}
		list, any = append(list, own...), any+open
	}
	return list, any
}

// judgeLayer judges the contents of one layer.
func (t *Target) judgeLayer(texels []byte) (list []TexelViolation, any int) {
	for i := range t.Width * t.Height {
		raw := func(c format.Component) uint64 { return c.Raw(texels[i*t.Format.Bytes:]) }
		bad, open := t.fails(i, raw)
		any += open
		for _, k := range bad {
			c, n := t.components[k], &t.Cells[i*len(t.components)+k]
			list = append(list, TexelViolation{X: i % t.Width, Y: i / t.Width, Component: string("RGBADS"[c.Channel]), Value: textOf(c, raw(c)), Permitted: t.permitted(i, k), Blended: n.Blended, At: n.At})
		}
	}
	return list, any
}

func textOf(c format.Component, raw uint64) string {
	n := cellOf(c, raw)
	switch {
	case n.Any:
		return fmt.Sprintf("0x%x", raw)
	case isInteger(c):
		return fmt.Sprint(raw)
	}
	return n.textOf(c)
}

// textOf returns the values in words: of a normalized component with its greatest integer.
func (n *Number) textOf(c format.Component) string {
	if isInteger(c) {
		return fmt.Sprint(n.Bits)
	}
	most, ok := fixed(c)
	suffix := ""
	if ok {
		suffix = fmt.Sprintf("/%.0f", most)
	}
	digits := func(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.9g", v), ".0") + suffix }
	if n.Low == n.High {
		return digits(n.Low)
	}
	return digits(n.Low) + " to " + digits(n.High)
}
