package texture_test

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// groupSizes are the sizes of groups by granularity (Vulkan §"Texel Footprint
// Evaluation", table "Texel footprint granularity values"); reserved ones are absent.
var groupSizes = map[int]map[int][3]int{
	2: {1: {2, 2}, 2: {4, 2}, 3: {4, 4}, 4: {8, 4}, 5: {8, 8}, 6: {16, 8}, 7: {16, 16}, 11: {64, 64}, 12: {128, 64}, 13: {128, 128}, 14: {256, 128}, 15: {256, 256}},
	3: {1: {2, 2, 2}, 3: {4, 4, 2}, 10: {16, 16, 16}, 11: {32, 16, 16}, 12: {32, 32, 16}, 13: {32, 32, 32}, 14: {64, 32, 32}},
}

// decodeFootprint returns the groups that a footprint covers, by the specification's
// two formulas.
func decodeFootprint(axes int, got []uint64) map[[3]int]bool {
	anchor, offset := got[1:][:axes], got[1+axes:][:axes]
	mask := got[1+2*axes] | got[2+2*axes]<<32
	side := 8
	if axes == 3 {
		side = 4
	}
	covered := map[[3]int]bool{}
	for bit := range 64 {
		if mask>>bit&1 == 0 {
			continue
		}
		var group [3]int
		for i, n := 0, bit; i < axes; i, n = i+1, n/side {
			lg := n % side
			if group[i] = side*int(anchor[i]) + lg; lg+int(offset[i]) >= side {
				group[i] -= side
			}
		}
		covered[group] = true
	}
	return covered
}

// TestFootprint compares the footprints of samples of 2D and 3D images with the texels that the filters read.
func TestFootprint(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewSource(int64(seed)))
		axes, dim, size := 2, ir.Dim2D, [3]int{1 + r.Intn(300), 1 + r.Intn(300), 1}
		if seed%3 == 0 {
			axes, dim, size = 3, ir.Dim3D, [3]int{1 + r.Intn(64), 1 + r.Intn(64), 1 + r.Intn(20)}
		}
		m, err := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: dim, Width: size[0], Height: size[1], Depth: size[2], Levels: 1})
		if err == nil && max(size[0], size[1], size[2]) >= 4 {
			m, err = texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: dim, Width: size[0], Height: size[1], Depth: size[2], Levels: 3})
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: dim})
		if err != nil {
			t.Fatal(err)
		}
		d := texture.SamplerDesc{Mag: enum.Filter(r.Intn(2)), Min: enum.Filter(r.Intn(2)), MipLinear: r.Intn(2) == 0, MaxLod: 9}
		for i := range d.Address { // only the edge is allowed, and others count as that
			d.Address[i] = []enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressMode(r.Intn(5))}[r.Intn(2)]
		}
		x := ir.Texture{Op: ir.TextureFootprint, Dim: dim, Type: ir.F32, Operands: ir.TextureLod, Coarse: r.Intn(2) == 0}
		s, err := texture.NewSampler(d)
		if err != nil {
			t.Fatal(err)
		}
		var args [][]uint64
		var want []string
		for range 32 {
			list, at := []uint64{0, 0}, make([]float64, axes)
			for i := range at {
				at[i] = (float64(r.Intn(size[i]*256)) + 0.3) / 256 / float64(size[i])
				list = append(list, f32(at[i]))
			}
			lod, granularity := float64(r.Intn(14)-3)/4+1.0/512, 1+r.Intn(15)
			if groupSizes[axes][granularity] == [3]int{} {
				granularity = 1
			}
			args = append(args, append(list, f32(lod), uint64(granularity)))
			want = append(want, wantFootprint(m, d, x.Coarse, at, lod, granularity))
		}
		for i, got := range call(t, x, v, s, args) {
			if text := fmt.Sprintf("%d, level %d, granularity %d: %v", got[0], got[3+2*axes], got[4+2*axes], decodeFootprint(axes, got)); text != want[i] {
				t.Fatalf("seed %d, %v, %+v, %s: %x gives\n%s; must be\n%s", seed, size, d, &x, args[i], text, want[i])
			}
		}
	}
}

// wantFootprint returns the texels of one level that a sample without anisotropy reads.
func wantFootprint(m *texture.Image, d texture.SamplerDesc, coarse bool, at []float64, lod float64, granularity int) string {
	l := min(max(lod, 0), float64(m.Levels-1))
	l = math.RoundToEven(l*256) / 256
	level, single := int(math.Ceil(l+0.5)-1), true
	if d.MipLinear {
		level, single = int(l), l == math.Floor(l)
		if coarse {
			level++
		}
	}
	one := map[bool]int{true: 1}[single]
	if coarse && single {
		return fmt.Sprintf("%d, level 0, granularity 0: map[]", one)
	}
	filter := d.Min
	if lod <= 0 {
		filter = d.Mag
	}
	w, h, depth := m.LevelExtent(level)
	covered := map[[3]int]bool{}
	for corner := range 1 << len(at) {
		var group [3]int
		for i, u := range at {
			size := [3]int{w, h, depth}[i]
			n := int(math.Floor(u * float64(size)))
			if filter == enum.FilterLinear {
				n = int(math.Floor(math.RoundToEven(u*float64(size)*256-128)/256)) + corner>>i&1
			}
			group[i] = min(max(n, 0), size-1) / groupSizes[len(at)][granularity][i]
		}
		covered[group] = true
	}
	return fmt.Sprintf("%d, level %d, granularity 0: %v", one, level, covered)
}

// TestFootprintOfAnisotropy queries the footprint of a line: if the mask is too small for it, groups become
// larger, and their granularity is returned.
func TestFootprintOfAnisotropy(t *testing.T) {
	m, err := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 256, Height: 64})
	if err != nil {
		t.Fatal(err)
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		t.Fatal(err)
	}
	edge := enum.AddressModeClampToEdge
	s, err := texture.NewSampler(texture.SamplerDesc{MaxLod: 9, Anisotropy: 16, Address: [3]enum.AddressMode{edge, edge, edge}})
	if err != nil {
		t.Fatal(err)
	}
	x := ir.Texture{Op: ir.TextureFootprint, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureGrad}
	for _, c := range []struct {
		length float64 // texels along x; 1 along y
		asked  int     // 0 and 8 to 10 are reserved: as 1, and as 11
	}{{1, 1}, {8, 1}, {16, 1}, {16, 0}, {40, 0}, {64, 1}, {64, 3}, {200, 1}, {200, 9}, {200, 15}} {
		const u = 0.5
		got := call(t, x, v, s, [][]uint64{{0, 0, f32(u), f32(0.51), f32(c.length / 256), 0, 0, f32(1.0 / 64), uint64(c.asked)}})[0]
		n := math.Ceil(min(c.length, 16))
		first := c.asked
		for groupSizes[2][first] == [3]int{} {
			first++
		}
		used := first
		covered := map[[3]int]bool{}
		for {
			size, ok := groupSizes[2][used]
			clear(covered)
			least, most := 1<<30, 0
			for i := 1.0; i <= n && ok; i++ {
				p := min(max(int(math.Floor((u+c.length/256*(i/(n+1)-0.5))*256)), 0), 255) / size[0]
				covered[[3]int{p, 32 / size[1]}], least, most = true, min(least, p), max(most, p)
			}
			if ok && most-least < 8 {
				break
			}
			used++
		}
		larger := 0
		if used != first {
			larger = used
		}
		text, want := fmt.Sprint(got[8], decodeFootprint(2, got)), fmt.Sprint(larger, covered)
		if text != want || got[0] != 1 {
			t.Errorf("%+v: %s; must be %s", c, text, want)
		}
	}
}
