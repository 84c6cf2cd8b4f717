package texture_test

import (
	"errors"
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// processModel computes image processing in float64 by the formulas of Vulkan's
// chapter "Image Operations".
type processModel struct {
	target, other model
	weights       texture.Weights
	squared       bool
}

// at reads a texel, wrapped by the sampler of the target.
func (o *processModel) at(m *model, i, j int) [4]float64 {
	w, h, _ := m.m.LevelExtent(0)
	return m.texel(0, 0, [3]int{wrap(o.target.s.Address[0], i, w), wrap(o.target.s.Address[1], j, h)})
}

// reduction reduces values as a sampler specifies.
type reduction struct {
	kind enum.Reduction
	sum  [4]float64
	any  bool
}

func (r *reduction) add(n [4]float64, weight float64) {
	for k := range n {
		switch {
		case r.kind == enum.ReductionWeightedAverage:
			r.sum[k] += weight * n[k]
		case !r.any, r.kind == enum.ReductionMin && n[k] < r.sum[k], r.kind == enum.ReductionMax && n[k] > r.sum[k]:
			r.sum[k] = n[k]
		}
	}
	r.any = true
}

// texels are unnormalized coordinates.
func (o *processModel) texels(u, v float64) [2]float64 {
	if o.target.s.Unnormalized {
		return [2]float64{u, v}
	}
	w, h, _ := o.target.m.LevelExtent(0)
	return [2]float64{u * float64(w), v * float64(h)}
}

func (o *processModel) box(u, v float64, size [2]float64) [4]float64 {
	var first, count [2]int
	var start, end [2]float64
	for i, at := range o.texels(u, v) {
		corner := math.RoundToEven((at-size[i]/2)*256) / 256
		first[i] = int(math.Floor(corner))
		start[i] = corner - math.Floor(corner)
		end[i] = math.Mod(start[i]+size[i], 1)
		count[i] = int(math.Ceil(start[i] + size[i]))
	}
	weight := func(i, n int) float64 {
		switch {
		case n == 0:
			return 1 - start[i]
		case n == count[i]-1 && end[i] != 0:
			return end[i]
		}
		return 1
	}
	r := reduction{kind: o.target.s.Reduction}
	for j := range count[1] {
		for i := range count[0] {
			r.add(o.at(&o.target, first[0]+i, first[1]+j), weight(0, i)*weight(1, j)/(size[0]*size[1]))
		}
	}
	return r.sum
}

func (o *processModel) weighted(u, v float64) [4]float64 {
	at := o.texels(u, v)
	along := int(math.Sqrt(float64(o.weights.Phases)))
	var first, phase [2]int
	for i := range at {
		first[i] = int(math.Floor(at[i] - float64(o.weights.Center[i])))
		phase[i] = int(math.Floor((at[i] - math.Floor(at[i])) * float64(along)))
	}
	weight := func(k, l int) float64 {
		if o.other.d.Dim == ir.Dim2D {
			return o.other.texel(0, phase[1]*along+phase[0], [3]int{k, l})[0]
		}
		packed := func(n, phase int) int { return along*4*(n/4) + phase*4 + n%4 }
		return o.other.texel(0, 0, [3]int{packed(k, phase[0])})[0] * o.other.texel(0, 1, [3]int{packed(l, phase[1])})[0]
	}
	r := reduction{kind: o.target.s.Reduction}
	for l := range o.weights.Size[1] {
		for k := range o.weights.Size[0] {
			if w := weight(k, l); w != 0 || r.kind == enum.ReductionWeightedAverage {
				r.add(o.at(&o.target, first[0]+k, first[1]+l), w)
			}
		}
	}
	return r.sum
}

func (o *processModel) match(at, ref, size [2]int) [4]float64 {
	r := reduction{kind: o.target.s.Reduction}
	for j := range size[1] {
		for i := range size[0] {
			t, u := o.at(&o.target, at[0]+i, at[1]+j), o.at(&o.other, ref[0]+i, ref[1]+j)
			var d [4]float64
			for k := range d {
				if d[k] = math.Abs(u[k] - t[k]); o.squared && r.kind == enum.ReductionWeightedAverage {
					d[k] *= d[k]
				}
			}
			r.add(d, 1)
		}
	}
	if o.squared && r.kind != enum.ReductionWeightedAverage {
		for k, x := range r.sum {
			r.sum[k] = x * x
		}
	}
	return r.sum
}

// window searches in the order of the specification's program.
func (o *processModel) window(at, ref, size [2]int) [4]float64 {
	best := [4]float64{math.Inf(1)}
	for x := range int(o.target.s.Window[0]) {
		for y := range int(o.target.s.Window[1]) {
			d := o.match([2]int{at[0] + x, at[1] + y}, ref, size)[0]
			if better := d < best[0]; better != o.target.s.WindowMost && (better || d > best[0]) || math.IsInf(best[0], 1) {
				best = [4]float64{d, float64(x), float64(y)}
			}
		}
	}
	return best
}

// drawProcess draws an image, another one and a sampler.
func drawProcess(t *testing.T, r *rand.Rand, format string) (o processModel, v *texture.View, s *texture.Sampler) {
	t.Helper()
	m, err := texture.NewImage(texture.Desc{Format: format, Dim: ir.Dim2D, Width: 1 + r.Intn(20), Height: 1 + r.Intn(20), Layers: 1, Levels: 1})
	if err != nil {
		t.Fatal(err)
	}
	fill(m, r)
	o.target = model{m: m, d: texture.ViewDesc{Dim: ir.Dim2D}}
	d := &o.target.s
	modes := []enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToBorder, enum.AddressModeRepeat, enum.AddressModeMirroredRepeat, enum.AddressModeMirrorClampToEdge}
	d.Address = [3]enum.AddressMode{modes[r.Intn(5)], modes[r.Intn(5)]}
	d.Reduction, d.Unnormalized = enum.Reduction(max(r.Intn(5)-2, 0)), r.Intn(2) == 0
	d.Window, d.WindowMost = [2]uint32{uint32(1 + r.Intn(4)), uint32(1 + r.Intn(4))}, r.Intn(2) == 0
	if v, err = texture.NewView(m, o.target.d); err != nil {
		t.Fatal(err)
	}
	if s, err = texture.NewSampler(*d); err != nil {
		t.Fatal(err)
	}
	return o, v, s
}

// near compares an engine's results with the model's: sums of many products of floats.
func near(t *testing.T, o *processModel, x ir.Texture, arg, got []uint64, want [4]float64) {
	t.Helper()
	for k := range want {
		if g := float64(math.Float32frombits(uint32(got[k]))); !(math.Abs(g-want[k]) <= 4e-6*(1+math.Abs(want[k]))) {
			t.Errorf("%s %+v %+v of %x: component %d is %g; must be %g", &x, o.target.m.Desc, o.target.s, arg, k, g, want[k])
			return
		}
	}
}

// TestBox filters boxes of all places and extents.
func TestBox(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 24 {
		o, v, s := drawProcess(t, r, "R8G8B8A8_UNORM")
		w, h, _ := o.target.m.LevelExtent(0)
		var args [][]uint64
		var want [][4]float64
		for range 16 {
			u, y := float64(r.Intn(64*w)-16*w)/32, float64(r.Intn(64*h)-16*h)/32
			size := [2]float64{1 + float64(r.Intn(500))/128, 1 + float64(r.Intn(500))/128}
			if !o.target.s.Unnormalized {
				u, y = float64(float32(u/float64(w))), float64(float32(y/float64(h)))
			}
			args = append(args, []uint64{0, 0, f32(u), f32(y), f32(size[0]), f32(size[1])})
			want = append(want, o.box(u, y, size))
		}
		x := ir.Texture{Op: ir.TextureBox, Dim: ir.Dim2D, Type: ir.F32}
		for i, got := range call(t, x, v, s, args) {
			near(t, &o, x, args[i], got, want[i])
		}
	}
}

// TestBoxBounds draws boxes and coordinates that are none: a box is at least 1 and
// at most 64 texels wide.
func TestBoxBounds(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 4, Height: 4, Layers: 1, Levels: 1})
	copy(m.LevelBytes(0, 0), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	s, _ := texture.NewSampler(texture.SamplerDesc{Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToBorder}, Unnormalized: true})
	nan, inf := math.NaN(), math.Inf(1)
	x := ir.Texture{Op: ir.TextureBox, Dim: ir.Dim2D, Type: ir.F32}
	args := [][]uint64{
		{0, 0, f32(2), f32(2), f32(nan), f32(0)},
		{0, 0, f32(2), f32(2), f32(1), f32(inf)},
		{0, 0, f32(nan), f32(nan), f32(2), f32(2)},
		{0, 0, f32(inf), f32(-inf), f32(inf), f32(64)},
	}
	for i, got := range call(t, x, v, s, args) {
		want := []float64{1, 4.0 / 64, 0, 0}[i]
		if g := float64(math.Float32frombits(uint32(got[0]))); g != want {
			t.Errorf("%x: %g; must be %g", args[i], g, want)
		}
	}
}

// TestWeighted draws weights of both layouts and all numbers of phases.
func TestWeighted(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for n := range 24 {
		o, v, s := drawProcess(t, r, "R8G8B8A8_UNORM")
		along := 1 << r.Intn(3)
		o.weights = texture.Weights{Phases: along * along, Size: [2]int{1 + r.Intn(6), 1 + r.Intn(6)}}
		o.weights.Center = [2]int{r.Intn(o.weights.Size[0]), r.Intn(o.weights.Size[1])}
		d := texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 6, Height: 7, Layers: along * along, Levels: 1}
		if n%2 == 0 {
			d.Dim, d.Width, d.Height, d.Layers = ir.Dim1D, 8*along, 1, 2
		}
		m, err := texture.NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for l := range m.Layers {
			row := m.LayerBytes(m.Aspects()[0], 0, l)
			for i := 0; i < len(row); i += 4 {
				weight := float32(r.Intn(64)-16) / 64
				if o.target.s.Reduction != enum.ReductionWeightedAverage {
					weight = float32(min(r.Intn(3), 1))
				}
				bits := math.Float32bits(weight)
				row[i], row[i+1], row[i+2], row[i+3] = byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24)
			}
		}
		o.other = model{m: m, d: texture.ViewDesc{Dim: d.Dim, Arrayed: true, Weights: &o.weights}}
		other, err := texture.NewView(m, o.other.d)
		if err != nil {
			t.Fatal(err)
		}
		w, h, _ := o.target.m.LevelExtent(0)
		var args [][]uint64
		var want [][4]float64
		for range 16 {
			u, y := (float64(r.Intn(64*w)-16*w)+0.5)/32, (float64(r.Intn(64*h)-16*h)+0.5)/32
			if !o.target.s.Unnormalized {
				u, y = float64(float32(u/float64(w))), float64(float32(y/float64(h)))
			}
			x := o.weighted(u, y)
			args, want = append(args, []uint64{0, 0, f32(u), f32(y), 0}), append(want, x)
		}
		x := ir.Texture{Op: ir.TextureWeighted, Dim: ir.Dim2D, Type: ir.F32}
		for i, got := range callWith(t, x, v, other, s, args) {
			if o.target.s.Reduction != enum.ReductionWeightedAverage && math.IsInf(float64(math.Float32frombits(uint32(got[0]))), 0) {
				continue // TestNoWeights
			}
			near(t, &o, x, args[i], got, want[i])
		}
	}
}

// TestNoWeights reduces with all weights 0 to the minimum and the maximum of no texel.
func TestNoWeights(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 4, Height: 4, Layers: 1, Levels: 1})
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	other, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, Weights: &texture.Weights{Size: [2]int{4, 4}, Phases: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for reduction, want := range map[enum.Reduction]float64{enum.ReductionWeightedAverage: 0, enum.ReductionMin: math.Inf(1), enum.ReductionMax: math.Inf(-1)} {
		s, _ := texture.NewSampler(texture.SamplerDesc{Reduction: reduction})
		got := callWith(t, ir.Texture{Op: ir.TextureWeighted, Dim: ir.Dim2D, Type: ir.F32}, v, other, s, [][]uint64{{0, 0, 0, 0, 0}})
		if g := float64(math.Float32frombits(uint32(got[0][0]))); g != want {
			t.Errorf("reduction %d: %g; must be %g", reduction, g, want)
		}
	}
}

// TestMatch matches blocks, also beyond the edges.
func TestMatch(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for n := range 48 {
		format := []string{"R8G8B8A8_UNORM", "R8_UNORM"}[n%2]
		o, v, s := drawProcess(t, r, format)
		o.squared = r.Intn(2) == 0
		other, reference, _ := drawProcess(t, r, format)
		o.other = other.target
		w, h, _ := o.target.m.LevelExtent(0)
		x := ir.Texture{Op: ir.TextureMatch + ir.TextureOp(n%3), Dim: ir.Dim2D, Type: ir.F32, Squared: o.squared}
		if x.Op == ir.TextureMatchWindow && n%2 == 0 {
			continue // of one component
		}
		var args [][]uint64
		var want [][4]float64
		for range 16 {
			at, ref, size := [2]int{r.Intn(w + 2), r.Intn(h + 2)}, [2]int{r.Intn(8), r.Intn(8)}, [2]int{1 + r.Intn(5), 1 + r.Intn(5)}
			list := []uint64{0, 0}
			for _, p := range [][2]int{at, {0, ref[0]}, {ref[1], size[0]}} {
				list = append(list, uint64(p[0]), uint64(p[1]))
			}
			args = append(args, append(list, uint64(size[1])))
			switch x.Op {
			case ir.TextureMatch:
				want = append(want, o.match(at, ref, size))
			case ir.TextureMatchWindow:
				want = append(want, o.window(at, ref, size))
			default:
				var out [4]float64
				for i := range out {
					out[i] = o.match([2]int{at[0] + i, at[1]}, ref, size)[0]
				}
				want = append(want, out)
			}
		}
		for i, got := range callWith(t, x, v, reference, s, args) {
			if format == "R8_UNORM" && x.Op == ir.TextureMatch {
				want[i][3] = 1 // conversion to RGBA is last
			}
			near(t, &o, x, args[i], got, want[i])
		}
	}
}

// TestMatchBounds draws blocks without an extent, or beyond all bounds.
func TestMatchBounds(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	_, v, _ := drawProcess(t, r, "R8_UNORM")
	s, _ := texture.NewSampler(texture.SamplerDesc{Address: [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeClampToBorder}})
	x := ir.Texture{Op: ir.TextureMatch, Dim: ir.Dim2D, Type: ir.F32}
	for i, got := range callWith(t, x, v, v, s, [][]uint64{
		{0, 0, 0, 0, 0, 0, 0, 0, 0},
		{0, 0, 1 << 31, 1<<32 - 1, 0, 1 << 30, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1},
	}) {
		if got[0] != 0 {
			t.Errorf("block %d: %x; a block matches itself, and nothing nothing", i, got)
		}
	}
	x.Op = ir.TextureMatchWindow // of one texel
	if got := callWith(t, x, v, v, s, [][]uint64{{0, 0, 0, 0, 0, 0, 0, 1, 1}})[0]; got[0] != 0 || got[1] != 0 || got[2] != 0 {
		t.Errorf("without a window: %x; must be 0", got)
	}
	if got := callWith(t, x, v, nil, s, [][]uint64{{0, 0, 0, 0, 0, 0, 0, 1, 1}}); got[0][0] != 0 || got[0][3] != 0 {
		t.Errorf("without a reference: %x; must be 0", got)
	}
}

// TestProcessErrors creates invalid views and samplers.
func TestProcessErrors(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 4, Height: 4, Layers: 4, Levels: 1})
	for _, w := range []texture.Weights{{Size: [2]int{1, 1}}, {Size: [2]int{1, 1}, Phases: 2}, {Size: [2]int{1, 1}, Phases: 16}, {Size: [2]int{5, 1}, Phases: 1},
		{Size: [2]int{1, 0}, Phases: 1}, {Size: [2]int{2, 2}, Center: [2]int{2, 0}, Phases: 4}, {Size: [2]int{1, 1}, Phases: -4}} {
		if _, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, Weights: &w}); !errors.As(err, new(*texture.DescError)) {
			t.Errorf("%+v: %v", w, err)
		}
	}
	if _, err := texture.NewSampler(texture.SamplerDesc{Window: [2]uint32{1, 65}}); !errors.As(err, new(*texture.DescError)) {
		t.Errorf("a window of 65: %v", err)
	}
	n, _ := texture.NewImage(texture.Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 4, Height: 4, Layers: 1, Levels: 1})
	v, _ := texture.NewView(n, texture.ViewDesc{Dim: ir.Dim2D})
	s, _ := texture.NewSampler(texture.SamplerDesc{})
	p := program(ir.Texture{Op: ir.TextureBox, Dim: ir.Dim2D, Type: ir.F32}, 1)
	if _, err := texture.Bind(p, []texture.Bound{{}, {}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}}); !errors.As(err, new(*texture.UnsupportedError)) {
		t.Errorf("a box of integers: %v", err)
	}
}
