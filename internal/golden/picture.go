package golden

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
)

// PictureTolerance is the permitted difference of a picture from the expected one.
type PictureTolerance struct {
	Levels int // of a channel with 8 bits
	Pixels int // that may differ by more
}

// Difference is how a picture differs from the expected one.
type Difference struct {
	Got, Want image.Point // sizes
	Pixels    int         // that differ by more than the permitted levels
	Worst     int         // greatest difference of a channel, in levels
	At        image.Point // of the first of Pixels

	allowed     int
	left, right image.Image
}

// Compare compares two pictures: red, green, blue and alpha with 8 bits, not premultiplied.
func Compare(got, want image.Image, t PictureTolerance) *Difference {
	d := &Difference{Got: got.Bounds().Size(), Want: want.Bounds().Size(), allowed: t.Pixels, left: want, right: got}
	if d.Got != d.Want {
		return d
	}
	for y := range d.Got.Y {
		for x := range d.Got.X {
			n := levels(at(got, x, y), at(want, x, y))
			if d.Worst = max(d.Worst, n); n > t.Levels {
				if d.Pixels++; d.Pixels == 1 {
					d.At = image.Pt(x, y)
				}
			}
		}
	}
	return d
}

// Equal reports whether the difference is permitted.
func (d *Difference) Equal() bool { return d.Got == d.Want && d.Pixels <= d.allowed }

// String describes a difference that is not permitted.
func (d *Difference) String() string {
	if d.Got != d.Want {
		return fmt.Sprintf("a picture of %d×%d pixels; must be %d×%d", d.Got.X, d.Got.Y, d.Want.X, d.Want.Y)
	}
	got, want := at(d.right, d.At.X, d.At.Y), at(d.left, d.At.X, d.At.Y)
	return fmt.Sprintf("%d of %d pixels differ, by at most %d levels; the first is (%d, %d): (%d, %d, %d, %d); must be (%d, %d, %d, %d)",
		d.Pixels, d.Got.X*d.Got.Y, d.Worst, d.At.X, d.At.Y, got.R, got.G, got.B, got.A, want.R, want.G, want.B, want.A)
}

// gap is the distance between the parts of a difference picture, in pixels.
const gap = 8

// Picture returns the expected picture, the result, and between them black pixels where they are equal; a pixel that differs is as
// bright as its greatest difference of a channel, and at least half as bright as white.
func (d *Difference) Picture() image.Image {
	w, h := max(d.Got.X, d.Want.X), max(d.Got.Y, d.Want.Y)
	m := image.NewNRGBA(image.Rect(0, 0, 3*w+2*gap, h))
	put := func(p image.Image, x int) {
		draw.Draw(m, image.Rect(x, 0, x+w, h), p, p.Bounds().Min, draw.Src)
	}
	put(d.left, 0)
	put(d.right, 2*(w+gap))
	for y := range h {
		for x := range w {
			c := color.NRGBA{A: 255}
			if x >= d.Got.X || y >= d.Got.Y || x >= d.Want.X || y >= d.Want.Y {
				c.R = 255 // in one of them only
			} else if n := levels(at(d.right, x, y), at(d.left, x, y)); n > 0 {
				v := uint8(max(n, 128))
				c = color.NRGBA{v, v, v, 255}
			}
			m.SetNRGBA(w+gap+x, y, c)
		}
	}
	return m
}

// at returns a pixel, counted from the upper left corner.
func at(m image.Image, x, y int) color.NRGBA {
	b := m.Bounds().Min
	return color.NRGBAModel.Convert(m.At(b.X+x, b.Y+y)).(color.NRGBA)
}

// levels returns the greatest difference of a channel.
func levels(a, b color.NRGBA) int {
	n := 0
	for _, c := range [...][2]uint8{{a.R, b.R}, {a.G, b.G}, {a.B, b.B}, {a.A, b.A}} {
		n = max(n, max(int(c[0]), int(c[1]))-min(int(c[0]), int(c[1])))
	}
	return n
}
