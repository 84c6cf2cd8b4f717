package amber

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/format"
)

// MaxBytes bounds the data of all buffers and images of one script together.
const MaxBytes = 1 << 30

// Buffer is a declared buffer or image with its first contents.
type Buffer struct {
	Name  string
	At    diag.Pos
	Image *Image         // nil for buffers that are no images
	Type  Type           // of the elements
	Shape Shape          // of one element; without fields if its numbers cannot be named
	Data  []byte         // first contents, tightly packed; images: the base level, row by row
	Texel *format.Format // of images, and of buffers with texel elements
	// Lazy reports that the size comes from a pipeline's framebuffer: Data is allocated
	// when the script is complete, or stays empty if no pipeline draws into the buffer.
	Lazy bool

	// Addressed reports that a command writes an address of the buffer to memory.
	Addressed bool

	// Whole reports that the buffer combines the declarations of several lines, each of
	// which has a buffer of its own; the script cannot name it.
	Whole bool
}

// Image is the additional properties of an image. Sizes are in texels.
type Image struct {
	Dimensions           int // 1, 2 or 3
	Width, Height, Depth int
	MipLevels, Samples   int // at least 1
	Layers               int // array layers, one after the other; 0 is 1
}

// layers returns the number of array layers.
func (m *Image) layers() int { return max(m.Layers, 1) }

// Elements returns the number of elements.
func (b *Buffer) Elements() int {
	if b.Shape.Stride == 0 {
		return 0
	}
	return len(b.Data) / b.Shape.Stride
}

// values returns how many numbers the buffer holds.
func (b *Buffer) values() int { return b.Elements() * len(b.Shape.Fields) }

// Count returns how many numbers some contents of the buffer hold; 0 if the numbers of its type cannot be named.
func (b *Buffer) Count(contents []byte) int {
	if b.Shape.Stride == 0 {
		return 0
	}
	return len(contents) / b.Shape.Stride * len(b.Shape.Fields)
}

// Value returns the k-th number of contents of the buffer, with its type.
func (b *Buffer) Value(contents []byte, k int) (Number, Scalar) {
	per := len(b.Shape.Fields)
	f := b.Shape.Fields[k%per]
	return f.load(contents[k/per*b.Shape.Stride:]), f.Scalar
}

// With returns a copy of contents of the buffer with its first n numbers replaced by numbers of texts.
func (b *Buffer) With(contents []byte, n int, text func(k int) string) ([]byte, error) {
	if have := b.Count(contents); n > have {
		return nil, fmt.Errorf("%d values are expected; the buffer holds %d", n, have)
	}
	out := slices.Clone(contents)
	per := len(b.Shape.Fields)
	for k := range n {
		f := b.Shape.Fields[k%per]
		v, err := f.Scalar.Parse(text(k))
		if err != nil {
			return nil, err
		}
		f.store(out[k/per*b.Shape.Stride:], v)
	}
	return out, nil
}

// allot allocates n zeroed elements, within the remaining memory budget of the script.
func (b *Buffer) allot(n int, budget *int) error {
	stride := max(b.Shape.Stride, 1)
	if n > *budget/stride {
		return fmt.Errorf("%d elements of %d bytes are more than a script may hold (%d bytes in all)", n, stride, MaxBytes)
	}
	*budget -= n * stride
	b.Data = make([]byte, n*stride)
	return nil
}

// set stores numbers from the first element on. Their count must be a
// multiple of an element's and fit.
func (b *Buffer) set(numbers []Number) {
	per := len(b.Shape.Fields)
	for i, n := range numbers {
		b.Shape.Fields[i%per].store(b.Data[i/per*b.Shape.Stride:], n)
	}
}

// fill stores one number in every field of a buffer that was just made.
func (b *Buffer) fill(n Number) {
	if !slices.ContainsFunc(b.Shape.Fields, func(f Field) bool { return f.Scalar.bits(n) != 0 }) {
		return
	}
	for e := 0; e+b.Shape.Stride <= len(b.Data); e += b.Shape.Stride {
		for _, f := range b.Shape.Fields {
			f.store(b.Data[e:], n)
		}
	}
}

// series stores start, start+step, … in the fields in order. Floating-point
// numbers are added in double precision, integers wrap.
func (b *Buffer) series(start, step Number) {
	for e := 0; e+b.Shape.Stride <= len(b.Data); e += b.Shape.Stride {
		for _, f := range b.Shape.Fields {
			f.store(b.Data[e:], start)
			start = Number{Float: start.Float + step.Float, Bits: start.Bits + step.Bits, Integer: start.Integer && step.Integer}
		}
	}
}
