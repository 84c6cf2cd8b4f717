package texture_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// wild are numbers that no coordinate, level or layer should be.
var wild = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1 << 31, -1 << 31, 1 << 32, 3e38, -3e38, 1e-40, -1e-40, 0, -1, 1, 0.5, 1e6, -1e6, 65536, 16777217, 0.99999994, 1.0000001, -1e-9}

// TestWildCoordinates samples and fetches the middle layer of an image at wild coordinates: all values read are
// of that layer, or 0.
func TestWildCoordinates(t *testing.T) {
	for _, dim := range []ir.Dim{ir.Dim2D, ir.DimCube} {
		m, err := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 7, Height: 7, Layers: 18, Levels: 3})
		if err != nil {
			t.Fatal(err)
		}
		first, count := 7, 1
		if dim == ir.DimCube {
			first, count = 6, 6
		}
		for l := range 3 {
			for n := range 18 {
				rows := m.LayerBytes(0, l, n)
				for i := range rows {
					if rows[i] = 255; n >= first && n < first+count {
						rows[i] = 51
					}
				}
			}
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: dim, BaseLayer: first, Layers: count})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 60 {
			r := rand.New(rand.NewSource(int64(seed)))
			filters := []enum.Filter{enum.FilterNearest, enum.FilterLinear, enum.FilterCubic}
			d := texture.SamplerDesc{MaxLod: 9, Mag: filters[r.Intn(3)], Min: filters[r.Intn(3)], MipLinear: r.Intn(2) == 0, Anisotropy: float32(r.Intn(3) * 8)}
			for i := range d.Address {
				d.Address[i] = enum.AddressMode(r.Intn(5))
			}
			s, _ := texture.NewSampler(d)
			x := ir.Texture{Op: ir.TextureSample, Dim: dim, Type: ir.F32, Operands: []ir.TextureOperands{0, ir.TextureLod, ir.TextureGrad, ir.TextureGrad | ir.TextureBias, ir.TextureLod | ir.TextureMinLod}[r.Intn(5)]}
			switch {
			case r.Intn(4) == 0:
				x.Op = ir.TextureGather
			case dim == ir.Dim2D && r.Intn(3) == 0:
				x.Operands |= ir.TextureOffset
			}
			types, _ := x.Signature()
			var args [][]uint64
			for range 32 {
				list := []uint64{0, 0}
				for _, at := range types[2:] {
					switch {
					case at == ir.I32:
						list = append(list, uint64(uint32(r.Intn(64)-32)))
					case r.Intn(3) == 0:
						list = append(list, uint64(r.Uint32()))
					default:
						list = append(list, f32(wild[r.Intn(len(wild))]))
					}
				}
				args = append(args, list)
			}
			for i, got := range call(t, x, v, s, args) {
				if g := number(got[0]); !(g >= -0.2 && g < 0.3) { // a cubic filter overshoots at the border
					t.Fatalf("seed %d, %s: %+v reads %g at %x", seed, &x, d, g, args[i])
				}
			}
		}
		fetch := ir.Texture{Op: ir.TextureFetch, Dim: dim, Type: ir.F32, Operands: ir.TextureLod, Sampler: -1}
		if dim == ir.DimCube {
			continue
		}
		r := rand.New(rand.NewSource(9))
		var args [][]uint64
		for range 400 {
			pick := func() uint64 { return uint64([]uint32{0, 1, 6, 7, 1 << 31, 1<<32 - 1, 1<<31 - 1, 255, 3}[r.Intn(9)]) }
			args = append(args, []uint64{0, pick(), pick(), pick()})
		}
		for i, got := range call(t, fetch, v, nil, args) {
			in := args[i][3] < 3 && args[i][1] < 7>>args[i][3] && args[i][2] < 7>>args[i][3]
			want := 0.0
			if in {
				want = 0.2
			}
			if g := number(got[0]); math.Abs(g-want) > 1e-6 || got[3] != f32(1) {
				t.Errorf("fetch of %d gives %g, %x; must be %g and 1", args[i], g, got[3], want)
			}
		}
	}
}

// TestDescriptors binds an array of views that differ in format, are null or have another dimension: each is read
// by its own format, and the others as zeros.
func TestDescriptors(t *testing.T) {
	view := func(name string, d ir.Dim, value uint64) *texture.View {
		m, err := texture.NewImage(texture.Desc{Format: name, Dim: d, Width: 1})
		if err != nil {
			t.Fatal(err)
		}
		m.Store(texture.Coord{}, [4]uint64{value, value, value, value})
		v, err := texture.NewView(m, texture.ViewDesc{Dim: d})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	views := []*texture.View{view("R32_UINT", ir.Dim2D, 7), nil, view("R16G16_UINT", ir.Dim2D, 8), view("R32_UINT", ir.Dim1D, 9), view("R32_UINT", ir.Dim2D, 10)}
	p := program(ir.Texture{Op: ir.TextureRead, Dim: ir.Dim2D, Type: ir.I32, Sampler: -1}, 7)
	p.Res[2].Count, p.Res[3].Count = 0, 0
	bound := []texture.Bound{{}, {}, {Views: views}}
	q, err := texture.Bind(p, bound)
	if err != nil {
		t.Fatal(err)
	}
	want := [][4]uint64{{7, 0, 0, 1}, {}, {8, 8, 0, 1}, {}, {10, 0, 0, 1}, {}, {}}
	for _, e := range engines() {
		in, out := make([]uint64, 7*3), make([]uint64, 7*4)
		var memory, shape []exec.Buffer
		for _, v := range views {
			memory, shape = append(memory, v.Memory()), append(shape, v.Shape())
		}
		for i := range 7 {
			in[3*i] = uint64(i)
		}
		in[3*6] = 1<<32 - 1
		run, err := e.Compile(q, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = run.Run(t.Context(), &exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: raw(in)}}, {{Bytes: raw(out)}}, memory, shape}})
		if err != nil {
			t.Fatal(err)
		}
		run.Close()
		for i, w := range want {
			if got := [4]uint64(out[4*i:]); got != w {
				t.Errorf("%s: descriptor %d reads %d; must be %d", e.Name(), i, got, w)
			}
		}
	}
	if len(texture.Key(p, bound)) == 0 || len(texture.Key(p, bound)) == len(texture.Key(p, nil)) {
		t.Error("the key does not tell what is bound from nothing")
	}
	p.Res[2].Count = 1
	var mismatch *texture.DescError
	if err := texture.Mismatch(p, []texture.Bound{{}, {}, {Views: views[3:4]}}); !errors.As(err, &mismatch) {
		t.Errorf("a view of another dimension alone: %v; must be a *DescError", err)
	}
	// Another variable of the binding that declares the view's shape: the view may be accessed by way of it.
	alias := *p
	for _, f := range p.Funcs {
		if f.Texture != nil {
			g, x := *f, *f.Texture
			x.Dim = ir.Dim1D
			g.Texture = &x
			alias.Funcs = append(slices.Clone(alias.Funcs), &g)
		}
	}
	if err := texture.Mismatch(&alias, []texture.Bound{{}, {}, {Views: views[3:4]}}); err != nil {
		t.Errorf("a view of the shape that another variable of the binding declares: %v", err)
	}
	q, err = texture.Bind(&alias, []texture.Bound{{}, {}, {Views: views[3:4]}})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Verify(); err != nil {
		t.Fatal(err)
	}
}

// TestRefused makes images, views and samplers that there cannot be.
func TestRefused(t *testing.T) {
	ok := texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 8, Height: 4, Layers: 6}
	for _, change := range []func(d *texture.Desc){
		func(d *texture.Desc) { d.Format = "R9_UNORM" },
		func(d *texture.Desc) { d.Width = -1 },
		func(d *texture.Desc) { d.Width = 1 << 20 },
		func(d *texture.Desc) { d.Depth = 2 },
		func(d *texture.Desc) { d.Levels = 5 },
		func(d *texture.Desc) { d.Samples = 3 },
		func(d *texture.Desc) { d.Samples, d.Levels = 4, 2 },
		func(d *texture.Desc) { d.Layers = 1 << 20 },
		func(d *texture.Desc) { d.Dim, d.Layers = ir.Dim3D, 2 },
		func(d *texture.Desc) { d.Dim = ir.DimCube },
		func(d *texture.Desc) { d.Width, d.Height, d.Layers = 1<<16, 1<<16, 1 },
	} {
		d := ok
		if change(&d); true {
			if _, err := texture.NewImage(d); err == nil {
				t.Errorf("an image of %+v is made", d)
			}
		}
	}
	m, err := texture.NewImage(ok)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []texture.ViewDesc{
		{Dim: ir.Dim2D}, // six layers, and no array
		{Dim: ir.DimCube},
		{Dim: ir.Dim3D},
		{Dim: ir.Dim2D, Layers: 1, BaseLayer: 6},
		{Dim: ir.Dim2D, Layers: 1, BaseLayer: -1},
		{Dim: ir.Dim2D, Layers: 1, BaseLevel: 1},
		{Dim: ir.Dim2D, Layers: 1, Format: "R16_UNORM"},
		{Dim: ir.Dim2D, Layers: 1, Aspect: 2},
		{Dim: ir.Dim2D, Layers: 1, Swizzle: [4]enum.Swizzle{9}},
	} {
		if _, err := texture.NewView(m, d); err == nil {
			t.Errorf("a view %+v is made", d)
		}
	}
	nan := float32(math.NaN())
	for _, d := range []texture.SamplerDesc{{Mag: 9}, {MinLod: 2, MaxLod: 1}, {MaxLod: nan}, {LodBias: nan}, {Address: [3]enum.AddressMode{0, 9}}, {Compare: true, Reduction: enum.ReductionMin}, {Compare: true, CompareOp: 8}} {
		if _, err := texture.NewSampler(d); err == nil {
			t.Errorf("a sampler %+v is made", d)
		}
	}
	if _, err := texture.NewSampler(texture.SamplerDesc{CompareOp: 8}); err != nil { // ignored: VUID-VkSamplerCreateInfo-compareEnable-01080
		t.Error(err)
	}
}

// TestKeyOfOne computes the key of a program with one view and one sampler: it allocates the key alone, and
// changes with either.
func TestKeyOfOne(t *testing.T) {
	bind := func(name string, d texture.SamplerDesc) []texture.Bound {
		m, err := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 4})
		if err != nil {
			t.Fatal(err)
		}
		v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		s, err := texture.NewSampler(d)
		if err != nil {
			t.Fatal(err)
		}
		return []texture.Bound{{}, {}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}}
	}
	p := program(ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod}, 1)
	one := bind("R8_UNORM", texture.SamplerDesc{})
	seen := map[string]bool{}
	for _, b := range [][]texture.Bound{one, bind("R8_UNORM", texture.SamplerDesc{}), bind("R8_SNORM", texture.SamplerDesc{}), bind("R8_UNORM", texture.SamplerDesc{Mag: enum.FilterLinear}), one[:3], nil} {
		seen[fmt.Sprint(texture.Key(p, b))] = true
	}
	if len(seen) != 4 { // the first two are alike, and so are those without a sampler
		t.Errorf("%d keys of four ways to bind: %v", len(seen), seen)
	}
	if n := testing.AllocsPerRun(100, func() { texture.Key(p, one) }); n > 1 {
		t.Errorf("%g allocations of a key; must be 1", n)
	}
}
