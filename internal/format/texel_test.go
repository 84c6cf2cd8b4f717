package format

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// same reports whether two texels of a format agree but for padding and for what
// has two patterns: the least number of signed fixed point is the one above it,
// and any NaN the canonical one.
func same(f *Format, a, b []byte) bool {
	for _, k := range f.Components() {
		x, y := k.Raw(a), k.Raw(b)
		if k.Numeric == SNorm && x == 1<<(k.Bits-1) {
			x++
		}
		if m, small := k.smallFloat(); small && m.toFloat32(x) != m.toFloat32(x) {
			x = m.nan()
		}
		if k.Channel != X && x != y {
			return false
		}
	}
	return true
}

// TestEveryTexel loads each texel of 8 and 16 bits whole and stores it, aspect by
// aspect, in every format that has such; of wider ones those whose bytes are
// boundaries, and some at random. Each number is the model's.
func TestEveryTexel(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	model := numberModel{}
	for _, name := range names {
		f, _ := ByName(name)
		if f.Has(E) {
			continue // its patterns are not unique: TestSharedExponent
		}
		texel, again := make([]byte, f.Bytes), make([]byte, f.Bytes)
		count := 1 << (8 * min(f.Bytes, 2))
		if f.Bytes > 2 {
			count = 3000
		}
		for n := range count {
			for i := range texel {
				switch {
				case f.Bytes <= 2:
					texel[i] = byte(n >> (8 * i))
				case n&1 == 0:
					texel[i] = []byte{0, 0xff, 0x80, 0x7f, 1, 0xfe}[r.IntN(6)]
				default:
					texel[i] = byte(r.Uint32())
				}
			}
			clear(again)
			for _, a := range []Aspect{Color, Depth, Stencil} {
				c, ok := f.Codec(a)
				if !ok {
					continue
				}
				v := c.Load(texel)
				checkNumbers(t, model, &f, a, texel, v)
				c.Store(again, v)
			}
			if !same(&f, texel, again) {
				t.Fatalf("%s: % x comes back as % x", name, texel, again)
			}
		}
	}
}

// numberModel has by sort of component the numbers of its patterns, once they
// were asked for.
type numberModel map[Component]map[uint64]uint64

func (m numberModel) number(k Component, raw uint64) uint64 {
	sort := Component{Numeric: k.Numeric, Bits: k.Bits}
	if m[sort] == nil {
		m[sort] = map[uint64]uint64{}
	}
	n, ok := m[sort][raw]
	if ok {
		return n
	}
	switch {
	case k.Numeric == SInt && k.Bits < 64:
		n = uint64(uint32(int32(signedOf(raw, k.Bits))))
	case k.Numeric == UInt || k.Numeric == SInt || k.Bits >= 32:
		n = raw
	default:
		n = float32Bits(decodes[k.Numeric](raw, k.Bits))
	}
	m[sort][raw] = n
	return n
}

// checkNumbers compares the numbers of an aspect with the model's.
func checkNumbers(t *testing.T, model numberModel, f *Format, a Aspect, texel []byte, v [4]uint64) {
	for _, k := range f.Components() {
		place, of := int(k.Channel), Color
		switch k.Channel {
		case D:
			place, of = 0, Depth
		case S:
			place, of = 0, Stencil
		case X:
			continue
		}
		if of != a {
			continue
		}
		raw := k.Raw(texel)
		if want := model.number(k, raw); v[place] != want {
			t.Fatalf("%s % x: number %d is %#x; want %#x", f.Name, texel, place, v[place], want)
		}
	}
}

// TestRoundingOfDepth stores depths at, between and next to those of 24 bits and
// compares with the nearest, worked out in fractions; ties go to even.
func TestRoundingOfDepth(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, name := range []string{"D24_UNORM_S8_UINT", "X8_D24_UNORM_PACK32"} {
		f, _ := ByName(name)
		c, _ := f.Codec(Depth)
		top := new(big.Rat).SetInt64(1<<24 - 1)
		for range 20000 {
			v := r.Float32() * math.Float32frombits(uint32(100+r.IntN(28))<<23)
			if v > 1 {
				continue
			}
			var texel [4]byte
			c.Store(texel[:], [4]uint64{uint64(math.Float32bits(v))})
			exact := new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(v)), top)
			twice := new(big.Int).Quo(new(big.Int).Mul(exact.Num(), big.NewInt(2)), exact.Denom()).Int64()
			want := twice / 2
			if twice&1 == 1 { // half or more
				half := new(big.Rat).SetFrac64(twice, 2)
				if exact.Cmp(half) > 0 || want&1 == 1 {
					want++
				}
			}
			if got := f.Components()[0].Raw(texel[:]); f.Components()[0].Channel == D && int64(got) != want {
				t.Fatalf("%s: %v becomes %d; want %d", name, v, got, want)
			}
		}
		for v, want := range map[float32][]byte{1: {0xff, 0xff, 0xff, 0}, 2: {0xff, 0xff, 0xff, 0}, -1: {0, 0, 0, 0}} {
			var texel [4]byte
			c.Store(texel[:], [4]uint64{uint64(math.Float32bits(v))})
			if !bytes.Equal(texel[:], want) {
				t.Errorf("%s: %v becomes % x", name, v, texel)
			}
		}
	}
}
