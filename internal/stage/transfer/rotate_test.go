package transfer

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// numbered is an image of 32-bit texels that hold their number.
func numbered(t *testing.T, format string, w, h, layers int) *texture.Image {
	m := image(t, texture.Desc{Format: format, Dim: ir.Dim2D, Width: w, Height: h, Layers: layers})
	for i := range w * h * layers {
		v := uint64(i + 1)
		if format == "R32_SFLOAT" {
			v = uint64(math.Float32bits(float32(i + 1)))
		}
		m.Store(texture.Coord{X: i % w, Y: i / w % h, Layer: i / w / h}, [4]uint64{v})
	}
	return m
}

// TestRotatedCopy copies rotated regions in and out. A clockwise quarter turn around the offset moves the texel in column x and
// row y to x' = −1−y, y' = x, two of them to −1−x, −1−y, three to y, −1−x: the ranges of Image Rotation Addressing.
func TestRotatedCopy(t *testing.T) {
	const w, h, row = 5, 3, 6 // of the region, and texels of a row of the buffer
	for q := range Rotation(4) {
		m := numbered(t, "R32_UINT", 16, 14, 2)
		r := BufferImage{BufferOffset: 8, RowLength: row, Image: Subresource{Layers: 2}, Offset: [3]int{8, 7}, Extent: [3]int{w, h, 1}, Rotation: q}
		buffer := make([]byte, 8+4*(row*h*2))
		if err := ImageToBuffer(buffer, m, &r); err != nil {
			t.Fatal(err)
		}
		to := image(t, texture.Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 16, Height: 14, Layers: 2})
		if err := BufferToImage(to, buffer, &r); err != nil {
			t.Fatal(err)
		}
		moved := map[[3]int]bool{}
		for z := range 2 {
			for y := range h {
				for x := range w {
					at := [...][2]int{{8 + x, 7 + y}, {8 - 1 - y, 7 + x}, {8 - 1 - x, 7 - 1 - y}, {8 + y, 7 - 1 - x}}[q]
					want := uint32(at[0] + 16*at[1] + 16*14*z + 1)
					if got := binary.LittleEndian.Uint32(buffer[8+4*((z*h+y)*row+x):]); got != want {
						t.Fatalf("%d turns, texel %d, %d, %d: %d, want %d", q, x, y, z, got, want)
					}
					moved[[3]int{at[0], at[1], z}] = true
				}
			}
		}
		for i := range 16 * 14 * 2 {
			x, y, z := i%16, i/16%14, i/16/14
			want := uint64(0)
			if moved[[3]int{x, y, z}] {
				want = uint64(i + 1)
			}
			if got := to.Load(texture.Coord{X: x, Y: y, Layer: z})[0]; got != want {
				t.Fatalf("%d turns, texel %d, %d, %d of the image: %d, want %d", q, x, y, z, got, want)
			}
		}
	}
}

// TestRotatedBlit compares with the coordinates that RotateNormUV has (Vulkan, Image Blits With Scaling and Rotation).
func TestRotatedBlit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 60 {
		q := Rotation(n % 4)
		from := numbered(t, "R32_SFLOAT", 9, 7, 1)
		to := image(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 12, Height: 11})
		side := func(n int) (int, int) {
			a := random.IntN(n + 1)
			b := random.IntN(n + 1)
			for b == a {
				b = random.IntN(n + 1)
			}
			return a, b
		}
		r := Blit{Rotation: q}
		r.FromBox[0][0], r.FromBox[1][0] = side(9)
		r.FromBox[0][1], r.FromBox[1][1] = side(7)
		r.ToBox[0][0], r.ToBox[1][0] = side(12)
		r.ToBox[0][1], r.ToBox[1][1] = side(11)
		r.FromBox[1][2], r.ToBox[1][2] = 1, 1
		filter := Filter{Kind: enum.Filter(n / 4 % 2)} // nearest, linear
		if err := BlitImage(to, from, &r, filter); err != nil {
			t.Fatal(err)
		}
		s, d := r.FromBox, r.ToBox
		for i := range 12 * 11 {
			x, y := i%12, i/12
			got := float64(math.Float32frombits(uint32(to.Load(texture.Coord{X: x, Y: y})[0])))
			if x < min(d[0][0], d[1][0]) || x >= max(d[0][0], d[1][0]) || y < min(d[0][1], d[1][1]) || y >= max(d[0][1], d[1][1]) {
				if got != 0 {
					t.Fatalf("%+v: texel %d, %d outside is %v", r, x, y, got)
				}
				continue
			}
			a := (float64(x) + 0.5 - float64(d[0][0])) / float64(d[1][0]-d[0][0])
			b := (float64(y) + 0.5 - float64(d[0][1])) / float64(d[1][1]-d[0][1])
			in := [...][2]float64{{a, b}, {b, 1 - a}, {1 - a, 1 - b}, {1 - b, a}}[q]
			u := in[0]*float64(s[1][0]-s[0][0]) + float64(s[0][0])
			v := in[1]*float64(s[1][1]-s[0][1]) + float64(s[0][1])
			if !near(got, u, v, filter.Kind == enum.FilterLinear) {
				t.Fatalf("%+v, filter %v: texel %d, %d is %v, of the source's %v, %v", r, filter.Kind, x, y, got, u, v)
			}
		}
	}
}

// near reports whether a value is that of a numbered image of 9×7 texels at (u, v), or next to it by rounding.
func near(got, u, v float64, linear bool) bool {
	at := func(x, y float64) float64 {
		return 1 + min(max(math.Floor(x), 0), 8) + 9*min(max(math.Floor(y), 0), 6)
	}
	for _, e := range [...][2]float64{{0, 0}, {1e-9, 1e-9}, {-1e-9, 1e-9}, {1e-9, -1e-9}, {-1e-9, -1e-9}} {
		x, y := u+e[0], v+e[1]
		want := at(x, y)
		if linear {
			x, y = x-0.5, y-0.5
			f, g := x-math.Floor(x), y-math.Floor(y)
			want = (at(x, y)*(1-f)+at(x+1, y)*f)*(1-g) + (at(x, y+1)*(1-f)+at(x+1, y+1)*f)*g
		}
		if math.Abs(want-got) < 1e-5 {
			return true
		}
	}
	return false
}

// TestRotationErrors has images that cannot be rotated, and regions outside of the image after the rotation.
func TestRotationErrors(t *testing.T) {
	flat := image(t, texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 8, Height: 4})
	for name, x := range map[string]struct {
		m *texture.Image
		r BufferImage
	}{
		"turns":      {flat, BufferImage{Offset: [3]int{4, 4}, Extent: [3]int{1, 1, 1}, Rotation: 4}},
		"volume":     {image(t, texture.Desc{Format: "R8_UNORM", Dim: ir.Dim3D, Width: 8, Height: 8, Depth: 8}), BufferImage{Offset: [3]int{4, 4}, Extent: [3]int{1, 1, 1}, Rotation: 1}},
		"compressed": {image(t, texture.Desc{Format: "BC1_RGB_UNORM_BLOCK", Dim: ir.Dim2D, Width: 8, Height: 8}), BufferImage{Offset: [3]int{4, 4}, Extent: [3]int{4, 4, 1}, Rotation: 2}},
		"planes":     {image(t, texture.Desc{Format: "G8_B8R8_2PLANE_420_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8}), BufferImage{Offset: [3]int{4, 4}, Extent: [3]int{1, 1, 1}, Rotation: 1}},
		"left":       {flat, BufferImage{Offset: [3]int{1, 0}, Extent: [3]int{2, 2, 1}, Rotation: 1}},
		"above":      {flat, BufferImage{Offset: [3]int{0, 1}, Extent: [3]int{2, 2, 1}, Rotation: 3}},
		"below":      {flat, BufferImage{Offset: [3]int{4, 0}, Extent: [3]int{5, 1, 1}, Rotation: 1}},
		"far":        {flat, BufferImage{Offset: [3]int{math.MinInt, math.MinInt}, Extent: [3]int{math.MaxInt, math.MaxInt, 1}, Rotation: 2}},
	} {
		var outside *RangeError
		if err := BufferToImage(x.m, make([]byte, 4096), &x.r); !errors.As(err, &outside) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	r := Blit{FromBox: [2][3]int{{}, {8, 4, 1}}, ToBox: [2][3]int{{}, {8, 4, 1}}, Rotation: 5}
	if err := BlitImage(flat, flat, &r, Filter{}); err == nil {
		t.Error("a blit with 5 turns has no error")
	}
}
