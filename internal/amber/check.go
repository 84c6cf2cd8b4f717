package amber

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// checkValues returns the first mismatch, or "".
func checkValues(e *ExpectValues, data []byte) string {
	first, err := e.Shape.field(e.Offset)
	if err != nil {
		return fmt.Sprintf("buffer %s, index %d: %v", e.Buffer.Name, e.Offset, err)
	}
	base := e.Offset / e.Shape.Stride * e.Shape.Stride
	for i, want := range e.Values {
		at, s := e.Shape.scalarOffset(first, i)
		at += base
		if at+s.Bytes() > len(data) {
			return fmt.Sprintf("buffer %s: value %d is at byte %d; the buffer ends at byte %d", e.Buffer.Name, i, at, len(data))
		}
		got := Field{at, s}.load(data)
		if !e.holds(s, got, want) {
			return fmt.Sprintf("buffer %s, index %d (value %d): got %s, expected %s %s", e.Buffer.Name, at, i, s.text(got), e.Compare, s.text(s.expected(want)))
		}
	}
	return ""
}

// holds compares one number.
func (e *ExpectValues) holds(s Scalar, got, want Number) bool {
	switch e.Compare {
	case Equal:
		return s.equals(got, want)
	case NotEqual:
		return !s.equals(got, want)
	}
	want = s.expected(want)
	switch e.Compare {
	case Less:
		return less(got, want)
	case LessEqual:
		return less(got, want) || got.same(want)
	case Greater:
		return less(want, got)
	case GreaterEqual:
		return less(want, got) || got.same(want)
	}
	t := Tolerance{DefaultPercent, true}
	if len(e.Tolerances) > 0 {
		t = e.Tolerances[0]
	}
	return t.holds(got.Float, want.Float)
}

// equal compares integers by their bits and floating-point numbers within
// DefaultPercent.
func equal(a, b Number) bool {
	return a.same(b) || !a.Integer && Tolerance{DefaultPercent, true}.holds(a.Float, b.Float)
}

// same compares exactly. NaN is the same as nothing.
func (n Number) same(o Number) bool {
	if n.Integer && o.Integer {
		return n.Bits == o.Bits
	}
	return n.Float == o.Float
}

// less compares integers of one type by their bits, for their value as a
// float may be rounded.
func less(a, b Number) bool {
	switch {
	case !a.Integer || !b.Integer:
		return a.Float < b.Float
	case a.Float < 0 || b.Float < 0:
		return int64(a.Bits) < int64(b.Bits)
	}
	return a.Bits < b.Bits
}

// holds reports whether got is near enough. NaN is near to nothing.
func (t Tolerance) holds(got, want float64) bool {
	most := t.Value
	if t.Percent {
		most *= math.Abs(want) / 100
	}
	return got == want || math.Abs(got-want) <= most
}

// checkTexels returns the first mismatch, or "".
func checkTexels(e *ExpectTexels, data []byte) string {
	b := e.Buffer
	if b == nil || b.Texel == nil || b.Image == nil || b.Image.Width == 0 {
		return "the buffer has no texels in rows"
	}
	if b.Texel.IsDepthStencil() {
		return fmt.Sprintf("buffer %s has format %s, which has no color", b.Name, b.Texel.Name)
	}
	x, y, w, h := e.rectangle(b.Image)
	if x < 0 || y < 0 || x+w > b.Image.Width || y+h > b.Image.Height {
		return fmt.Sprintf("buffer %s: the rectangle from %d, %d of %d×%d texels is outside of %d×%d", b.Name, x, y, w, h, b.Image.Width, b.Image.Height)
	}
	bad, where := 0, ""
	for j := y; j < y+h; j++ {
		for i := x; i < x+w; i++ {
			texel := data[(j*b.Image.Width+i)*b.Shape.Stride:]
			if e.texelHolds(b.Texel, texel) {
				continue
			}
			if bad++; bad == 1 {
				where = fmt.Sprintf("buffer %s, texel %d, %d: got %s, expected %s", b.Name, i, j, channels(b.Texel.Texel(texel), e.Alpha), channels(e.Color, e.Alpha))
			}
		}
	}
	if bad > 1 {
		where += fmt.Sprintf("; %d of %d texels differ", bad, w*h)
	}
	return where
}

// rectangle returns the texels meant.
func (e *ExpectTexels) rectangle(im *Image) (x, y, w, h int) {
	if e.Whole {
		return 0, 0, im.Width, im.Height
	}
	sx, sy, sw, sh := 1.0, 1.0, 1.0, 1.0
	if e.Relative {
		sx, sy = float64(im.Width), float64(im.Height)
		if e.Rect {
			sw, sh = sx, sy
		}
	}
	whole := func(v float64) int { return int(min(max(v, -1), MaxBytes)) }
	return whole(e.X * sx), whole(e.Y * sy), whole(e.Width * sw), whole(e.Height * sh)
}

// rounding is the tolerated floating-point error of a color, a tolerance and a texel after
// division by 255: a difference of one step is within a tolerance of one.
const rounding = 1e-9

// texelHolds compares the channels that the format has.
func (e *ExpectTexels) texelHolds(f *format.Format, texel []byte) bool {
	got := f.Texel(texel)
	for _, c := range f.Components() {
		if c.Channel > format.A || c.Channel == format.A && !e.Alpha {
			continue
		}
		t := Tolerance{Value: DefaultTexel}
		switch len(e.Tolerances) {
		case 0:
		case 4:
			t = e.Tolerances[c.Channel]
		default:
			t = e.Tolerances[0]
		}
		t.Value += rounding
		if !t.holds(e.Color[c.Channel], got[c.Channel]) {
			return false
		}
	}
	return true
}

func channels(v [4]float64, alpha bool) string {
	n := 3
	if alpha {
		n = 4
	}
	var s []string
	for _, c := range v[:n] {
		s = append(s, fmt.Sprintf("%.4g", c))
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// checkBuffers returns the first mismatch, or "".
func checkBuffers(e *ExpectBuffers, a, b []byte) string {
	x, y := e.Buffer, e.Other
	switch {
	case !x.alike(y):
		return fmt.Sprintf("buffer %s has elements of type %s, buffer %s of %s", x.Name, x.Type, y.Name, y.Type)
	case len(a) != len(b):
		return fmt.Sprintf("buffer %s has %d bytes, buffer %s %d", x.Name, len(a), y.Name, len(b))
	}
	switch e.How {
	case RMSE:
		return checkRMSE(e, a, b)
	case HistogramEMD:
		return checkHistograms(e, a, b)
	}
	if bytes.Equal(a, b) {
		return ""
	}
	differ, first := 0, -1
	for i := range a {
		if a[i] != b[i] {
			if differ++; first < 0 {
				first = i
			}
		}
	}
	return fmt.Sprintf("buffer %s, index %d: got %s, buffer %s has %s; %d bytes differ", x.Name, first, x.at(a, first), y.Name, y.at(b, first), differ)
}

// alike reports whether elements of both lie in memory in one way.
func (b *Buffer) alike(o *Buffer) bool {
	if b.Shape.Stride != o.Shape.Stride || len(b.Shape.Fields) != len(o.Shape.Fields) {
		return false
	}
	for i, f := range b.Shape.Fields {
		if f != o.Shape.Fields[i] {
			return false
		}
	}
	return (b.Texel == nil) == (o.Texel == nil) && (b.Texel == nil || *b.Texel == *o.Texel)
}

// at returns the number that a byte belongs to, or the byte.
func (b *Buffer) at(data []byte, i int) string {
	if b.Shape.Stride > 0 {
		base := i / b.Shape.Stride * b.Shape.Stride
		for _, f := range b.Shape.Fields {
			if at := base + f.Offset; at <= i && i < at+f.Scalar.Bytes() {
				return f.Scalar.text(Field{at, f.Scalar}.load(data))
			}
		}
	}
	return fmt.Sprintf("byte %#02x", data[i])
}

// checkRMSE compares the root of the mean of squared differences, of numbers
// as they are stored.
func checkRMSE(e *ExpectBuffers, a, b []byte) string {
	s := e.Buffer.Shape
	if len(s.Fields) == 0 {
		return fmt.Sprintf("numbers of type %s cannot be compared one by one", e.Buffer.Type)
	}
	sum, n := 0.0, 0
	for base := 0; base+s.Stride <= len(a); base += s.Stride {
		for _, f := range s.Fields {
			d := f.load(a[base:]).Float - f.load(b[base:]).Float
			sum += d * d
			n++
		}
	}
	if n == 0 {
		return ""
	}
	if got := math.Sqrt(sum / float64(n)); !(got <= e.Tolerance) {
		return fmt.Sprintf("buffers %s and %s: the root mean square error is %g, expected at most %g", e.Buffer.Name, e.Other.Name, got, e.Tolerance)
	}
	return ""
}

// histogramBins is the number of values of a channel.
const histogramBins = 256

// checkHistograms compares the earth mover's distance of each channel's
// histogram: the sum of the absolute cumulated differences between the shares
// of the bins, divided by the number of bins.
func checkHistograms(e *ExpectBuffers, a, b []byte) string {
	f := e.Buffer.Texel
	if f == nil {
		return fmt.Sprintf("buffer %s has no texels", e.Buffer.Name)
	}
	texels := len(a) / f.Bytes
	if texels == 0 {
		return ""
	}
	most := 0.0
	for _, c := range f.Components() {
		if c.Bits != 8 || c.Numeric != format.UNorm {
			return fmt.Sprintf("histograms need 8-bit UNORM channels; format %s has others", f.Name)
		}
		var diff [histogramBins]int
		for i := range texels {
			diff[c.Raw(a[i*f.Bytes:])]++
			diff[c.Raw(b[i*f.Bytes:])]--
		}
		moved, total := 0, 0.0
		for _, d := range diff {
			moved += d
			total += math.Abs(float64(moved)) / float64(texels)
		}
		most = max(most, total/histogramBins)
	}
	if most > e.Tolerance {
		return fmt.Sprintf("buffers %s and %s: the distance of their histograms is %g, expected at most %g", e.Buffer.Name, e.Other.Name, most, e.Tolerance)
	}
	return ""
}
