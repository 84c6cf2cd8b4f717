package format

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// float32Bits is the number v as a codec has it.
func float32Bits(v float64) uint64 {
	if v != v {
		return 0x7fc00000
	}
	return uint64(math.Float32bits(float32(v)))
}

// codecs calls f for each aspect of each format.
func codecs(t *testing.T, f func(name string, c Codec, comps []Component)) {
	for _, name := range names {
		k, _ := ByName(name)
		found := 0
		for _, a := range []Aspect{Color, Depth, Stencil} {
			c, ok := k.Codec(a)
			if !ok {
				continue
			}
			found++
			var comps []Component
			for _, m := range k.Components() {
				if of := map[Channel]Aspect{D: Depth, S: Stencil, X: 0, E: 0}; m.Channel <= A && a == Color || m.Channel > A && of[m.Channel] == a {
					comps = append(comps, m)
				}
			}
			f(name, c, comps)
		}
		if found == 0 {
			t.Errorf("%s has no codec", name)
		}
	}
}

// patterns lists all patterns of b bits where there are few, else those at the
// boundaries: of the range, the sign, and of each power of two.
func patterns(b int) []uint64 {
	var out []uint64
	if b <= 16 {
		for c := range uint64(1) << b {
			out = append(out, c)
		}
		return out
	}
	mask := ^uint64(0) >> (64 - b)
	for i := range b {
		p := uint64(1) << i
		out = append(out, p-1, p, p+1, mask-p, mask&^(p-1), (p|mask>>1)&mask)
	}
	return append(out, mask, mask-1, 0x7f800000&mask, 0x7ff0000000000000&mask)
}

// TestEveryPattern loads each component's patterns from every format, compares
// with the model, and stores them again.
func TestEveryPattern(t *testing.T) {
	loads := 0
	codecs(t, func(name string, c Codec, comps []Component) {
		if c.shared {
			return
		}
		texel, again := make([]byte, c.Bytes), make([]byte, c.Bytes)
		for _, k := range comps {
			place := int(k.Channel)
			if k.Channel > A {
				place = 0
			}
			for _, raw := range patterns(k.Bits) {
				clear(texel)
				k.SetRaw(texel, raw)
				v := c.Load(texel)
				loads++
				exact := decodes[k.Numeric](raw, k.Bits)
				want := float32Bits(exact)
				if c.Sampled != Float || k.Bits >= 32 {
					want = raw
					if c.Sampled == Int && !c.Wide {
						want = uint64(uint32(int32(exact)))
					}
				}
				if v[place] != want {
					t.Fatalf("%s: %#x of %d bits is %#x; want %#x", name, raw, k.Bits, v[place], want)
				}
				c.Store(again, v)
				back := k.Raw(again)
				switch {
				case exact != exact && k.Bits < 32:
					m, _ := k.smallFloat()
					raw = m.nan()
				case k.Numeric == SNorm && raw == 1<<(k.Bits-1):
					raw++ // −1 has two patterns
				}
				if back != raw {
					t.Fatalf("%s: %#x comes back as %#x", name, raw, back)
				}
			}
		}
	})
	t.Logf("%d texels", loads)
}

// TestRounding stores numbers at, next to and between those that a component
// has, beyond them and at random, and compares with the nearest of the model.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[Component]bool{}
	codecs(t, func(name string, c Codec, comps []Component) {
		if c.shared || c.Sampled != Float {
			return
		}
		for _, k := range comps {
			key := Component{Numeric: k.Numeric, Bits: k.Bits}
			if k.Bits > 16 || k.Numeric == SRGB || seen[key] {
				continue
			}
			seen[key] = true
			s := scaleOf(k.Numeric, k.Bits)
			texel := make([]byte, c.Bytes)
			for _, v := range between(s, r) {
				var in [4]uint64
				in[k.Channel%D] = uint64(math.Float32bits(v))
				c.Store(texel, in)
				if got, want := k.Raw(texel), expected(s, k, float64(v)); got != want {
					t.Fatalf("%s: %v becomes %#x; want %#x", name, v, got, want)
				}
			}
		}
	})
	if len(seen) < 25 {
		t.Errorf("%d sorts of components; there are more", len(seen))
	}
}

// between lists floats at, next to and halfway between the numbers of s, and
// others far from them.
func between(s *scale, r *rand.Rand) []float32 {
	inf := float32(math.Inf(1))
	out := []float32{float32(math.Copysign(0, -1)), float32(math.NaN()), inf, -inf, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 65519, 65520, 1e9}
	for i, v := range s.numbers {
		out = append(out, float32(v))
		if i > 0 {
			h := float32((v + s.numbers[i-1]) / 2)
			out = append(out, h, math.Nextafter32(h, inf), math.Nextafter32(h, -inf))
		}
	}
	for range 2000 {
		out = append(out, math.Float32frombits(r.Uint32()), 3*r.Float32()-1.5)
	}
	return out
}

// expected is what the model says that v becomes.
func expected(s *scale, k Component, v float64) uint64 {
	m, float := k.smallFloat()
	if v != v {
		if float {
			return m.nan()
		}
		return 0
	}
	if !float {
		steps := map[Numeric]float64{UNorm: float64(k.mask()), SNorm: float64(k.mask() >> 1), SFixed5: 32}[k.Numeric]
		return s.nearest(v, max(steps, 1))
	}
	last := len(s.numbers) - 1
	limit := s.numbers[last] + (s.numbers[last]-s.numbers[last-1])/2
	switch {
	case m.unsigned && math.IsInf(v, 1):
		return m.infinity()
	case m.unsigned || math.Abs(v) < limit:
	case m.finite && math.Abs(v) == limit: // the even one of two as near
		return s.bits[last] | map[bool]uint64{true: 0x80}[v < 0]
	case m.finite:
		return m.nan()
	default:
		return m.infinity() | map[bool]uint64{true: 1 << (k.Bits - 1)}[v < 0]
	}
	got := s.nearest(v, 0)
	if got == 0 && math.Signbit(v) && !m.unsigned {
		return 1 << (k.Bits - 1)
	}
	return got
}

// TestSRGB checks the tables of sRGB by exact fractions: u is the code's number
// after the shift, and the linear one is u^(12/5).
func TestSRGB(t *testing.T) {
	compare := func(linear float64, code, of int64) int {
		l, e := new(big.Rat).SetFloat64(linear), big.NewRat(code, of)
		if e.Cmp(big.NewRat(4045, 100000)) <= 0 {
			return l.Cmp(e.Quo(e, big.NewRat(1292, 100)))
		}
		u := e.Quo(e.Add(e, big.NewRat(55, 1000)), big.NewRat(1055, 1000))
		return power5(l).Cmp(new(big.Rat).Mul(power5(u), new(big.Rat).Mul(power5(u), new(big.Rat).Mul(u, u))))
	}
	for _, table := range [][]float32{srgbLinear[:], srgbOf186[:], srgbOf378[:]} {
		last := len(table) - 1
		if table[0] != 0 || table[last] != 1 {
			t.Errorf("the ends of %d codes are %v and %v", last+1, table[0], table[last])
		}
		for k, v := range table[1:last] {
			above := (float64(v) + float64(math.Nextafter32(v, 2))) / 2
			below := (float64(v) + float64(math.Nextafter32(v, -1))) / 2
			if compare(above, int64(k+1), int64(last)) < 0 || compare(below, int64(k+1), int64(last)) > 0 {
				t.Errorf("code %d of %d: %v is not the nearest", k+1, last+1, v)
			}
		}
	}
	for k, v := range srgbBounds {
		if compare(float64(v), int64(2*k+1), 510) < 0 || compare(float64(math.Nextafter32(v, 0)), int64(2*k+1), 510) >= 0 {
			t.Errorf("bound %d: %v is not the least", k, v)
		}
		if srgbCode(v) != uint64(k+1) || srgbCode(math.Nextafter32(v, 0)) != uint64(k) {
			t.Errorf("bound %d: %v parts %d and %d", k, v, srgbCode(math.Nextafter32(v, 0)), srgbCode(v))
		}
	}
	for _, v := range []float64{math.NaN(), -1, math.Inf(-1), 0} {
		if got := srgbCode(float32(v)); got != 0 {
			t.Errorf("%v becomes %d", v, got)
		}
	}
	if srgbCode(1e30) != 255 || srgbCode(float32(math.Inf(1))) != 255 {
		t.Error("what is too great is not the greatest")
	}
}

func power5(x *big.Rat) *big.Rat {
	y := new(big.Rat).Mul(x, x)
	y.Mul(y, y)
	return y.Mul(y, x)
}

// TestSharedExponent compares with the specification's formulas, both ways.
func TestSharedExponent(t *testing.T) {
	f, _ := ByName("E5B9G9R9_UFLOAT_PACK32")
	c, _ := f.Codec(Color)
	var texel [4]byte
	r := rand.New(rand.NewPCG(3, 4))
	words := []uint32{0, math.MaxUint32, 1, 511, 511 << 9, 511 << 18, 31 << 27, 1 << 27}
	for range 20000 {
		words = append(words, r.Uint32())
	}
	for _, w := range words {
		binary.LittleEndian.PutUint32(texel[:], w)
		v := c.Load(texel[:])
		unit := math.Pow(2, float64(w>>27)-15-9)
		want := [4]uint64{float32Bits(float64(w&511) * unit), float32Bits(float64(w>>9&511) * unit), float32Bits(float64(w>>18&511) * unit), float32Bits(1)}
		if v != want {
			t.Fatalf("%#x: %#x; want %#x", w, v, want)
		}
		c.Store(texel[:], v)
		if again := c.Load(texel[:]); again != v {
			t.Fatalf("%#x: %#x becomes %#x", w, v, again)
		}
	}
	floats := []float32{0, -1, 1, 65408, 65407.9, 65408.1, 1e30, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0x1p-25, 0x1p-24, 0x1p-150, 511.5, 255.75, 0x1.ffp-1, 0x1.ff8p-1, 0x1.ffap-1}
	for range 20000 {
		floats = append(floats, math.Float32frombits(r.Uint32()), r.Float32(), r.Float32()*float32(math.Ldexp(1, r.IntN(40)-22)))
	}
	for i := range floats {
		x, y, z := floats[i], floats[(i*7+1)%len(floats)], floats[(i*13+2)%len(floats)]
		c.Store(texel[:], [4]uint64{uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z))})
		if got, want := binary.LittleEndian.Uint32(texel[:]), packShared(float64(x), float64(y), float64(z)); got != want {
			t.Fatalf("%v %v %v: %#x; want %#x", x, y, z, got, want)
		}
	}
}

// TestTotality demands that each format of one texel and one plane has a codec
// for each of its aspects, of the size and the numbers that the table has; what
// has none is named here.
func TestTotality(t *testing.T) {
	blocks, without := 0, 0
	for i := range infos {
		info := &infos[i]
		f, ok := ByName(info.Name)
		switch {
		case info.Compressed || info.Planes > 0:
			if _, known := info.Blocks(); known {
				blocks++
			}
			fallthrough
		case strings.Contains(info.Name, "_422_"), info.Numeric == "BOOL":
			without++
			if ok {
				t.Errorf("%s is known as %+v", info.Name, f)
			}
			continue
		case !ok:
			t.Errorf("%s is not known", info.Name)
			continue
		}
		for _, a := range []Aspect{Color, Depth, Stencil} {
			c, ok := f.Codec(a)
			if ok != (info.Aspects&a != 0) {
				t.Errorf("%s: aspect %d: %t", info.Name, a, ok)
			}
			first := a != Stencil || info.Aspects == Stencil
			if ok && (c.Bytes != info.Bytes || c.Wide != info.Wide || first && c.Sampled != info.Sampled) {
				t.Errorf("%s: %d bytes, sampled %d; want %d, %d", info.Name, c.Bytes, c.Sampled, info.Bytes, info.Sampled)
			}
		}
	}
	if blocks != 106 || len(infos)-without != len(names) {
		t.Errorf("%d formats in blocks, %d formats without codec of %d", blocks, without, len(infos))
	}
}

// TestPlaces checks by hand where components stand, and what is absent.
func TestPlaces(t *testing.T) {
	const one = 0x3f800000
	for _, c := range []struct {
		name   string
		aspect Aspect
		texel  []byte
		want   [4]uint64
	}{
		{"R10X6_UNORM_PACK16", Color, []byte{0xc0, 0xff}, [4]uint64{one, 0, 0, one}},
		{"R10X6G10X6_UNORM_2PACK16", Color, []byte{0, 0, 0xc0, 0xff}, [4]uint64{0, one, 0, one}},
		{"R10X6G10X6B10X6A10X6_UNORM_4PACK16", Color, []byte{0, 0, 0xc0, 0xff, 0, 0, 0, 0}, [4]uint64{0, one, 0, 0}},
		{"R12X4G12X4B12X4A12X4_UNORM_4PACK16", Color, []byte{0, 0, 0, 0, 0xf0, 0xff, 0xf0, 0xff}, [4]uint64{0, 0, one, one}},
		{"R12X4_UINT_PACK16_ARM", Color, []byte{0x10, 0x80}, [4]uint64{0x801, 0, 0, 1}},
		{"R14X2_UINT_PACK16_ARM", Color, []byte{0x04, 0x80}, [4]uint64{0x2001, 0, 0, 1}},
		{"A4R4G4B4_UNORM_PACK16", Color, []byte{0x00, 0xf0}, [4]uint64{0, 0, 0, one}},
		{"A4R4G4B4_UNORM_PACK16", Color, []byte{0xf0, 0x0f}, [4]uint64{one, one, 0, 0}},
		{"A1B5G5R5_UNORM_PACK16", Color, []byte{0x1f, 0x80}, [4]uint64{one, 0, 0, one}},
		{"A8_UNORM", Color, []byte{0xff}, [4]uint64{0, 0, 0, one}},
		{"R16G16_SFIXED5_NV", Color, []byte{0x20, 0, 0xd0, 0xff}, [4]uint64{one, 0xbfc00000, 0, one}},
		{"R4G4_UNORM_PACK8", Color, []byte{0xf0}, [4]uint64{one, 0, 0, one}},
		{"D16_UNORM_S8_UINT", Depth, []byte{0xff, 0xff, 7}, [4]uint64{one, 0, 0, one}},
		{"D16_UNORM_S8_UINT", Stencil, []byte{0xff, 0xff, 7}, [4]uint64{7, 0, 0, 1}},
		{"D24_UNORM_S8_UINT", Depth, []byte{0xff, 0xff, 0xff, 7}, [4]uint64{one, 0, 0, one}},
		{"D24_UNORM_S8_UINT", Stencil, []byte{0xff, 0xff, 0xff, 7}, [4]uint64{7, 0, 0, 1}},
		{"X8_D24_UNORM_PACK32", Depth, []byte{0xff, 0xff, 0xff, 0}, [4]uint64{one, 0, 0, one}},
		{"D32_SFLOAT_S8_UINT", Depth, []byte{0, 0, 0x80, 0x3f, 9}, [4]uint64{one, 0, 0, one}},
		{"D32_SFLOAT_S8_UINT", Stencil, []byte{0, 0, 0x80, 0x3f, 9}, [4]uint64{9, 0, 0, 1}},
		{"R8G8_SINT", Color, []byte{0xff, 0x80}, [4]uint64{0xffffffff, 0xffffff80, 0, 1}},
		{"R64_SINT", Color, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, [4]uint64{1<<63 + 1, 0, 0, 1}},
		{"R64G64_SFLOAT", Color, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, [4]uint64{0, math.Float64bits(1), 0, math.Float64bits(1)}},
		{"R16_SFLOAT_FPENCODING_BFLOAT16_ARM", Color, []byte{0x80, 0x3f}, [4]uint64{one, 0, 0, one}},
		{"R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM", Color, []byte{0x38}, [4]uint64{one, 0, 0, one}},
		{"R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", Color, []byte{0x3c}, [4]uint64{one, 0, 0, one}},
	} {
		f, known := ByName(c.name)
		k, ok := f.Codec(c.aspect)
		if !known || !ok {
			t.Errorf("%s has no codec", c.name)
			continue
		}
		if got := k.Load(c.texel); got != c.want {
			t.Errorf("%s % x: %#x; want %#x", c.name, c.texel, got, c.want)
		}
		full := make([]byte, f.Bytes)
		for i := range full {
			full[i] = 0xa5
		}
		k.Store(full, c.want)
		if again := k.Load(full); again != c.want {
			t.Errorf("%s: %#x becomes %#x", c.name, c.want, again)
		}
	}
	d, _ := ByName("D32_SFLOAT_S8_UINT")
	if _, ok := d.Codec(Color); ok {
		t.Error("depth and stencil have a color")
	}
}

// TestStoreLeavesTheOtherAspect stores depth and stencil one after the other,
// and padding.
func TestStoreLeavesTheOtherAspect(t *testing.T) {
	for _, name := range []string{"D16_UNORM_S8_UINT", "D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT"} {
		f, _ := ByName(name)
		depth, _ := f.Codec(Depth)
		stencil, _ := f.Codec(Stencil)
		texel := make([]byte, f.Bytes)
		stencil.Store(texel, [4]uint64{0xa5})
		depth.Store(texel, [4]uint64{0x3f800000})
		if stencil.Load(texel)[0] != 0xa5 {
			t.Errorf("%s: depth writes the stencil: % x", name, texel)
		}
		stencil.Store(texel, [4]uint64{0x5a})
		if depth.Load(texel)[0] != 0x3f800000 {
			t.Errorf("%s: stencil writes the depth: % x", name, texel)
		}
	}
	for _, name := range []string{"R10X6_UNORM_PACK16", "X8_D24_UNORM_PACK32"} {
		f, _ := ByName(name)
		a := Color
		if f.Has(D) {
			a = Depth
		}
		c, _ := f.Codec(a)
		texel := []byte{0xff, 0xff, 0xff, 0xff}
		c.Store(texel, [4]uint64{})
		if binary.LittleEndian.Uint16(texel) != 0 || f.Bytes == 4 && texel[3] != 0 {
			t.Errorf("%s: padding stays: % x", name, texel)
		}
	}
}

// TestIntegersAreClamped stores integers that the component cannot hold: the nearest that it can hold, and the low bits in stencil.
func TestIntegersAreClamped(t *testing.T) {
	for name, want := range map[string][2]uint64{
		"R8_UINT": {0xff, 0xff}, "R8_SINT": {0x7f, 0xffffff80}, "A2B10G10R10_UINT_PACK32": {0x3ff, 0x3ff}, "A2R10G10B10_SINT_PACK32": {0x1ff, 0xfffffe00},
		"R16_SINT": {0x7fff, 0xffff8000}, "R32_SINT": {0x5671a234, 0x80000001}, "R32_UINT": {0x5671a234, 0x80000001}, "S8_UINT": {0x34, 1},
	} {
		f, _ := ByName(name)
		a := Color
		if f.Has(S) {
			a = Stencil
		}
		c, _ := f.Codec(a)
		texel := make([]byte, f.Bytes)
		for i, n := range [2]uint64{0x5671a234, 0x80000001} {
			c.Store(texel, [4]uint64{n})
			if got := c.Load(texel)[0]; got != want[i] {
				t.Errorf("%s: %#x is %#x; want %#x", name, n, got, want[i])
			}
		}
	}
}

func TestCodecAllocatesNothing(t *testing.T) {
	for _, name := range []string{"R8G8B8A8_SRGB", "R16G16B16A16_SFLOAT", "E5B9G9R9_UFLOAT_PACK32", "R64G64B64A64_SFLOAT"} {
		f, _ := ByName(name)
		c, _ := f.Codec(Color)
		texel := make([]byte, f.Bytes)
		if n := testing.AllocsPerRun(100, func() { c.Store(texel, c.Load(texel)) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkCodec(b *testing.B) {
	for _, name := range []string{"R8G8B8A8_UNORM", "R8G8B8A8_SRGB", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT", "R5G6B5_UNORM_PACK16", "B10G11R11_UFLOAT_PACK32", "E5B9G9R9_UFLOAT_PACK32", "R32_UINT", "D24_UNORM_S8_UINT"} {
		f, _ := ByName(name)
		a := Color
		if f.Has(D) {
			a = Depth
		}
		c, _ := f.Codec(a)
		texels := make([]byte, f.Bytes*1024)
		r := rand.New(rand.NewPCG(5, 6))
		for i := range texels {
			texels[i] = byte(r.Uint32()) & 0x3f
		}
		b.Run("Load/"+name, func(b *testing.B) {
			b.ReportAllocs()
			var sum uint64
			for i := range b.N {
				at := i & 1023 * f.Bytes
				v := c.Load(texels[at : at+f.Bytes])
				sum += v[0]
			}
			_ = sum
		})
		b.Run("Store/"+name, func(b *testing.B) {
			b.ReportAllocs()
			v := c.Load(texels)
			for i := range b.N {
				at := i & 1023 * f.Bytes
				c.Store(texels[at:at+f.Bytes], v)
			}
		})
	}
}
