package texture_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// faceOf is "Cube Map Face Selection".
func faceOf(x, y, z float64) (face int, s, t float64) {
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	var sc, tc, ma float64
	switch {
	case az >= ax && az >= ay:
		face, sc, tc, ma = 4, x, -y, az
		if z < 0 {
			face, sc = 5, -x
		}
	case ay >= ax:
		face, sc, tc, ma = 2, x, z, ay
		if y < 0 {
			face, tc = 3, -z
		}
	default:
		face, sc, tc, ma = 0, -z, -y, ax
		if x < 0 {
			face, sc = 1, z
		}
	}
	return face, (sc/ma + 1) / 2, (tc/ma + 1) / 2
}

// direction is the direction of a place on a face's plane, s and t from −1 to 1,
// or beyond.
func direction(face int, s, t float64) (x, y, z float64) {
	switch face {
	case 0:
		return 1, -t, -s
	case 1:
		return -1, -t, s
	case 2:
		return s, 1, t
	case 3:
		return s, -1, -t
	case 4:
		return s, -t, 1
	}
	return -s, -t, -1
}

// cubeTexel returns the texel at (i,j) of a face; beyond one edge it is the one
// that the extended plane's direction meets, and beyond two there is none.
func cubeTexel(m *texture.Image, cube, face, i, j int) (float64, bool) {
	w := m.Width
	outX, outY := i < 0 || i >= w, j < 0 || j >= w
	if outX && outY {
		return 0, false
	}
	if outX || outY {
		f, s, t := faceOf(direction(face, (2*float64(i)+1)/float64(w)-1, (2*float64(j)+1)/float64(w)-1))
		face, i, j = f, int(math.Floor(s*float64(w))), int(math.Floor(t*float64(w)))
	}
	v := m.Load(texture.Coord{X: i, Y: j, Layer: cube*6 + face})
	return float64(math.Float32frombits(uint32(v[0]))), true
}

// TestCube samples cubes in random directions, many of them near edges and
// corners, with seamless linear filtering, and gathers from them.
func TestCube(t *testing.T) {
	for seed := range 80 {
		r := rand.New(rand.NewSource(int64(seed)))
		w, cubes := 1+r.Intn(9), 1+r.Intn(2)
		m, err := texture.NewImage(texture.Desc{Format: []string{"R16_UNORM", "R8G8B8A8_UNORM", "R8_UNORM", "B8G8R8A8_UNORM"}[seed%4], Dim: ir.Dim2D, Width: w, Height: w, Layers: 6 * cubes})
		if err != nil {
			t.Fatal(err)
		}
		fill(m, r)
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.DimCube, Arrayed: cubes > 1})
		if err != nil {
			t.Fatal(err)
		}
		linear := r.Intn(3) > 0
		d := texture.SamplerDesc{MaxLod: 1, Address: [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeRepeat, 0}}
		if linear {
			d.Mag, d.Min = enum.FilterLinear, enum.FilterLinear
		}
		s, _ := texture.NewSampler(d)
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.DimCube, Arrayed: cubes > 1, Type: ir.F32}
		var args [][]uint64
		var want []float64
		for range 64 {
			// a place in 256ths of a texel, a little off so that no rounding is near
			n := r.Intn(w*256 - 1)
			if r.Intn(2) == 0 {
				n = r.Intn(2) * (w*256 - 1 - r.Intn(100))
			}
			k := r.Intn(w * 256)
			face := r.Intn(6)
			dx, dy, dz := direction(face, (2*(float64(n)+0.3)/256)/float64(w)-1, (2*(float64(k)+0.3)/256)/float64(w)-1)
			scale := math.Exp2(float64(r.Intn(8) - 4))
			list := []uint64{0, 0}
			f32 := func(x float64) float64 {
				list = append(list, uint64(math.Float32bits(float32(x))))
				return float64(float32(x))
			}
			gx, gy, gz := f32(dx*scale), f32(dy*scale), f32(dz*scale)
			cube := 0
			if x.Arrayed {
				cube = r.Intn(2)
				f32(float64(cube) + 0.25)
			}
			f, u, q := faceOf(gx, gy, gz)
			if !linear {
				c, _ := cubeTexel(m, cube, f, min(int(u*float64(w)), w-1), min(int(q*float64(w)), w-1))
				want = append(want, c)
			} else {
				want = append(want, seamless(m, cube, f, u*float64(w), q*float64(w)))
			}
			args = append(args, list)
		}
		for i, got := range call(t, x, v, s, args) {
			if g := float64(math.Float32frombits(uint32(got[0]))); math.Abs(g-want[i]) > 1e-5 {
				t.Fatalf("seed %d, %d texels, linear %t: call %d gives %v; must be %v", seed, w, linear, i, g, want[i])
			}
		}
	}
}

// seamless weights the four texels around a place.
func seamless(m *texture.Image, cube, face int, x, y float64) float64 {
	x, y = math.RoundToEven(x*256-128)/256, math.RoundToEven(y*256-128)/256
	i, j := int(math.Floor(x)), int(math.Floor(y))
	var n [4]float64
	sum, corner := 0.0, -1
	for k := range n {
		c, ok := cubeTexel(m, cube, face, i+k&1, j+k>>1)
		if n[k] = c; !ok {
			corner = k
		}
		sum += c
	}
	if corner >= 0 {
		n[corner] = sum / 3
	}
	a, b := x-math.Floor(x), y-math.Floor(y)
	return (n[0]*(1-a)+n[1]*a)*(1-b) + (n[2]*(1-a)+n[3]*a)*b
}
