package amber

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/format"
)

// buffer reads a BUFFER or an IMAGE: its element type, its size, and last its initial
// contents.
func (p *parser) buffer(at diag.Pos, isImage bool) {
	b := &Buffer{At: at}
	kind := "buffer"
	if isImage {
		b.Image = &Image{Dimensions: 2, Width: 1, Height: 1, Depth: 1, MipLevels: 1, Samples: 1}
		kind = "image"
	}
	b.Name = p.declare(kind).text
	r := bufferReader{parser: p, b: b, typed: -1}
	r.read()
	p.buffers[b.Name] = b
	p.script.Buffers = append(p.script.Buffers, b)
}

// bufferReader reads one buffer.
type bufferReader struct {
	*parser
	b                    *Buffer
	layout               Layout
	typed                int // 0: DATA_TYPE was read, 1: FORMAT, -1: neither
	elements             int // 0 if no size was read
	width, height, depth int
	mips, layers         int
	filled               bool
}

func (r *bufferReader) read() {
	for r.err == nil {
		w := r.lex.next()
		if w.eol {
			break
		}
		if r.property(w) {
			continue
		}
		if !r.initializer(w) {
			r.fail(CodeWord, w.pos, "%s is nothing that a buffer has", w)
		}
		break // contents are the last that a buffer has
	}
	switch {
	case r.err != nil || r.filled:
	case r.typed < 0:
		r.fail(CodeEnd, r.b.At, "buffer %s has neither DATA_TYPE nor FORMAT", r.b.Name)
	case r.b.Image != nil:
		r.allot(r.b.At)
	case r.typed == 1:
		r.shape(r.b.At)
		r.b.Lazy = true
		r.b.Image = &Image{Dimensions: 2, Depth: 1, MipLevels: max(r.mips, 1), Samples: 1, Layers: r.layers}
		r.checkLayers(r.b.At)
	default:
		r.fail(CodeEnd, r.b.At, "buffer %s has no contents: DATA, FILL, SERIES_FROM or FILE must follow", r.b.Name)
	}
}

// property reads one property before the contents.
func (r *bufferReader) property(w word) bool {
	switch w.text {
	case "DATA_TYPE":
		r.b.Type, r.typed = r.typeOf(r.word("a type")), 0
		if r.b.Type.Format != nil {
			r.b.Texel = r.b.Type.Format
		}
	case "FORMAT":
		r.format()
	case "STD140":
		r.layout = Std140
	case "STD430":
		r.layout = Std430
	case "SCALAR":
		r.layout = ScalarLayout
	case "SIZE":
		r.elements = r.count("a size in elements")
	case "WIDTH":
		r.width = r.count("a width")
	case "HEIGHT":
		r.height = r.count("a height")
	case "DEPTH":
		r.depth = r.count("a depth")
	case "MIP_LEVELS":
		r.mips = r.count("a number of levels")
	case "LAYERS":
		r.layers = r.count("a number of layers")
	case "SAMPLES":
		n := r.count("a number of samples")
		if r.b.Image != nil {
			r.b.Image.Samples = n
		}
	case "DIM_1D", "DIM_2D", "DIM_3D":
		if r.b.Image == nil {
			return false
		}
		r.b.Image.Dimensions = int(w.text[4] - '0')
	default:
		return false
	}
	return true
}

func (r *bufferReader) format() {
	w := r.word("a format")
	f, ok := format.ByName(w.text)
	if !ok && !w.eol {
		r.fail(CodeType, w.pos, "%s is no known format", w)
		return
	}
	r.b.Texel, r.b.Type, r.typed = &f, Type{Format: &f, Columns: 1, Rows: 1}, 1
}

// initializer reads the contents.
func (r *bufferReader) initializer(w word) bool {
	switch w.text {
	case "DATA":
		r.data(w.pos)
	case "FILL":
		r.allot(w.pos)
		n := r.number("a value", r.scalar(w.pos, 0))
		if r.err == nil {
			r.b.fill(n)
		}
		r.endLine()
	case "SERIES_FROM":
		r.allot(w.pos)
		start := r.number("a value", r.scalar(w.pos, 0))
		r.keyword("INC_BY")
		step := r.number("a step", r.scalar(w.pos, 0))
		if r.err == nil {
			r.b.series(start, step)
		}
		r.endLine()
	case "FILE":
		r.fromFile(w.pos)
		r.endLine()
	default:
		return false
	}
	r.filled = true
	return true
}

// maxAllFields bounds the numbers of one element of each buffer together.
const maxAllFields = 1 << 20

// shape works out how elements lie.
func (r *bufferReader) shape(at diag.Pos) {
	if r.b.Shape.Stride != 0 {
		return
	}
	if r.typed < 0 {
		r.fail(CodeEnd, at, "buffer %s has contents but neither DATA_TYPE nor FORMAT before them", r.b.Name)
		return
	}
	s, err := r.layout.Shape(r.b.Type)
	switch {
	case err != nil && r.typed == 1: // its numbers cannot be named, but it can be
		s = Shape{Stride: r.b.Texel.Bytes}
	case err != nil:
		r.fail(CodeType, at, "type %s: %v", r.b.Type, err)
	case r.fields+len(s.Fields) > maxAllFields:
		r.fail(CodeSize, at, "the elements of all buffers have more than %d values", maxAllFields)
	case s.Stride > MaxBytes:
		r.fail(CodeSize, at, "an element of type %s has %d bytes; a script may hold %d", r.b.Type, s.Stride, MaxBytes)
	}
	r.fields += len(s.Fields)
	r.b.Shape = s
	if r.b.Image != nil && r.b.Texel == nil {
		r.b.Texel = texelOf(r.b.Type)
		if r.b.Texel == nil {
			r.fail(CodeType, at, "images cannot have texels of type %s", r.b.Type)
			return
		}
		r.b.Shape, _ = r.layout.Shape(Type{Format: r.b.Texel, Columns: 1, Rows: 1}) // whole bytes, hence no error
	}
}

// texelOf returns the texel format for numbers of type t.
func texelOf(t Type) *format.Format {
	if t.Struct != nil || t.Columns != 1 || t.Array != 0 {
		return nil
	}
	name := ""
	for _, c := range "RGBA"[:t.Rows] {
		name += string(c) + Number{Bits: uint64(t.Scalar.Bits), Integer: true}.String()
	}
	f, ok := format.ByName(name + [...]string{Int: "_SINT", Uint: "_UINT", Float: "_SFLOAT"}[t.Scalar.Kind])
	if !ok {
		return nil
	}
	return &f
}

// scalar returns the type of the k-th number.
func (r *bufferReader) scalar(at diag.Pos, k int) Scalar {
	if len(r.b.Shape.Fields) == 0 {
		if r.err == nil {
			r.fail(CodeType, at, "values of type %s cannot be written one by one", r.b.Type)
		}
		return Scalar{Float, 64}
	}
	return r.b.Shape.Fields[k%len(r.b.Shape.Fields)].Scalar
}

// allot makes the memory for the size that was read.
func (r *bufferReader) allot(at diag.Pos) {
	r.shape(at)
	n := r.elements
	if r.b.Image != nil || r.width > 0 {
		n = r.texels(at)
	}
	if n == 0 && r.err == nil {
		r.fail(CodeSize, at, "buffer %s has no size; must have SIZE, or WIDTH and HEIGHT, before its contents", r.b.Name)
	}
	if r.err != nil {
		return
	}
	if err := r.b.allot(n, &r.budget); err != nil {
		r.fail(CodeSize, at, "buffer %s: %v", r.b.Name, err)
	}
}

// texels returns the number of texels (with all samples) of an image or of a buffer that
// has a width, and stores the size.
func (r *bufferReader) texels(at diag.Pos) int {
	im := r.b.Image
	if im == nil {
		im = &Image{Dimensions: 2, MipLevels: 1, Samples: 1}
		r.b.Image = im
	}
	im.Width, im.Height, im.Depth = max(r.width, 1), max(r.height, 1), max(r.depth, 1)
	im.MipLevels, im.Layers = max(r.mips, 1), r.layers
	r.checkLayers(at)
	if r.width == 0 || im.Dimensions > 1 && r.height == 0 || im.Dimensions > 2 && r.depth == 0 {
		r.fail(CodeSize, at, "an image of %d dimensions must have as many of WIDTH, HEIGHT and DEPTH", im.Dimensions)
	}
	n := 1
	for _, k := range []int{im.Width, im.Height, im.Depth, im.Samples, im.layers()} {
		if n > MaxBytes/k {
			r.fail(CodeSize, at, "an image of %d×%d×%d texels with %d samples and %d layers is more than a script may hold (%d bytes in all)",
				im.Width, im.Height, im.Depth, im.Samples, im.layers(), MaxBytes)
			return 0
		}
		n *= k
	}
	return n
}

// checkLayers fails if an image with layers has levels too, which its contents have no place for, or is no array.
func (r *bufferReader) checkLayers(at diag.Pos) {
	if im := r.b.Image; im.layers() > 1 && (im.MipLevels > 1 || im.Dimensions > 2) {
		r.fail(CodeSize, at, "image %s has %d layers, %d levels and %d dimensions; an image with layers must have one level and at most two dimensions", r.b.Name, im.layers(), im.MipLevels, im.Dimensions)
	}
}

// data reads numbers up to END; if no size was read, their count is the size.
func (r *bufferReader) data(at diag.Pos) {
	r.shape(at)
	var ns []Number
	for {
		w, ok := r.blockWord("DATA")
		if !ok {
			break
		}
		if len(ns) >= MaxBytes/32 {
			r.fail(CodeSize, w.pos, "more than %d values", MaxBytes/32)
		}
		ns = append(ns, r.numberOf(w, "a value", r.scalar(at, len(ns))))
	}
	if r.elements > 0 && r.err == nil && len(ns) != r.elements*len(r.b.Shape.Fields) {
		r.fail(CodeSize, at, "%d values; buffer %s holds %d", len(ns), r.b.Name, r.elements*len(r.b.Shape.Fields))
	}
	r.setNumbers(at, ns)
	r.endLine()
}

// setNumbers stores numbers of whole elements. More than the size that was
// read make the buffer larger, as scripts with data in files rely on.
func (r *bufferReader) setNumbers(at diag.Pos, ns []Number) {
	if r.err != nil {
		return
	}
	per := max(len(r.b.Shape.Fields), 1)
	if len(ns) == 0 || len(ns)%per != 0 {
		r.fail(CodeSize, at, "%d values; elements of type %s take %d each", len(ns), r.b.Type, per)
		return
	}
	r.elements = max(r.elements, len(ns)/per)
	r.allot(at)
	if r.err != nil {
		return
	}
	if len(ns) > r.b.values() {
		r.fail(CodeSize, at, "%d values; image %s holds %d", len(ns), r.b.Name, r.b.values())
		return
	}
	r.b.set(ns)
}

// fromFile reads FILE: a picture, bytes, or numbers in a text.
func (r *bufferReader) fromFile(at diag.Pos) {
	kind := "PNG"
	switch w := r.lex.peek(); w.text {
	case "PNG", "BINARY", "TEXT":
		kind = r.lex.next().text
	}
	data := r.file()
	if r.err != nil {
		return
	}
	switch kind {
	case "PNG":
		r.picture(at, data)
	case "BINARY":
		r.allot(at)
		if r.err == nil && len(data) != len(r.b.Data) {
			r.fail(CodeSize, at, "the file has %d bytes; buffer %s holds %d", len(data), r.b.Name, len(r.b.Data))
		}
		copy(r.b.Data, data)
	case "TEXT":
		r.shape(at)
		var ns []Number
		for lex := newLexer(string(data), 1, ""); r.err == nil; {
			w := lex.next()
			if w.eof {
				break
			}
			if w.eol {
				continue
			}
			n, ok := parseNumber(w.text)
			if s := r.scalar(at, len(ns)); !ok || !s.accepts(n) {
				r.fail(CodeNumber, at, "line %d of the file: %s; must be a number of type %s", w.pos.Line, w, s)
			}
			ns = append(ns, n)
		}
		r.setNumbers(at, ns)
	}
}

// picture fills the buffer with a PNG and sets its size to the size of the picture.
func (r *bufferReader) picture(at diag.Pos, data []byte) {
	r.shape(at)
	if r.err != nil {
		return
	}
	if r.b.Texel == nil {
		r.fail(CodeType, at, "a picture needs a buffer with a FORMAT")
		return
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err == nil && (cfg.Width <= 0 || cfg.Height > MaxBytes/16/cfg.Width) {
		r.fail(CodeSize, at, "a picture of %d×%d pixels is too large", cfg.Width, cfg.Height)
		return
	}
	var m image.Image
	if err == nil {
		m, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		r.fail(CodeFile, at, "the picture cannot be read: %v", err)
		return
	}
	r.width, r.height = m.Bounds().Dx(), m.Bounds().Dy()
	r.allot(at)
	for i := 0; r.err == nil && i < r.width*r.height; i++ {
		c := color.NRGBAModel.Convert(m.At(m.Bounds().Min.X+i%r.width, m.Bounds().Min.Y+i/r.width)).(color.NRGBA)
		setPixel(r.b.Texel, r.b.Data[i*r.b.Shape.Stride:], [4]uint8{c.R, c.G, c.B, c.A})
	}
}

// setPixel stores 8-bit channels: unchanged if the format has 8 normalized bits, otherwise
// as numbers from 0 to 1.
func setPixel(f *format.Format, texel []byte, c [4]uint8) {
	for _, k := range f.Components() {
		switch {
		case k.Channel > format.A:
		case k.Bits == 8 && (k.Numeric == format.UNorm || k.Numeric == format.SRGB):
			k.SetRaw(texel, uint64(c[k.Channel]))
		default:
			k.SetRaw(texel, k.Convert(float64(c[k.Channel])/255))
		}
	}
}
