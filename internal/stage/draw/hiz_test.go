package draw

import (
	"math"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// depthAt is the depth of a primitive in the middle of a pixel, as a program computes it.
func depthAt(p *raster.Primitive, x, y int) float32 {
	dx, dy := float32(x)+0.5-p.X, float32(y)+0.5-p.Y
	z := float32(math.FMA(float64(p.Z.Y), float64(dy), float64(float32(math.FMA(float64(p.Z.X), float64(dx), float64(p.Z.C))))))
	return min(max(z, 0), 1)
}

// randomItems are items of random planes in a tile: blocks whole or in part, columns, and
// some that stand across blocks.
func randomItems(r *rand.Rand, n int) (s *binList) {
	s = &binList{layout: itemLayout{words: 2, samples: 1, shaded: 1, runs: true}}
	for i := range n {
		slope := func() float32 { return (r.Float32() - 0.5) / 256 * float32(r.Intn(3)) }
		p := raster.Primitive{X: r.Float32() * 64, Y: r.Float32() * 64, Z: raster.Plane{C: r.Float32(), X: slope(), Y: slope()}}
		if r.Intn(4) == 0 { // depths that are equal
			p.Z = raster.Plane{C: float32(r.Intn(5)) / 4}
		}
		s.primitives = append(s.primitives, p)
		x, y, below, mask := r.Intn(8)*8, r.Intn(8)*8, 0, ^uint64(0)
		switch r.Intn(4) {
		case 0:
			mask = r.Uint64()
		case 1:
			x, y = r.Intn(29)*2, r.Intn(29)*2
		case 2:
			below = r.Intn(min(raster.MaxRun, 7-y/8) + 1)
		}
		s.items = append(s.items, uint64(i)|uint64(x)<<32|uint64(below&3)<<(32+raster.RunShift)|uint64(y)<<48|uint64(below>>2)<<(48+raster.RunShift), mask)
	}
	s.bins = []bin{{tile: 0, count: uint32(n)}}
	return s
}

// each calls f for each pixel of an item.
func (s *binList) each(n int, mask uint64, f func(p *raster.Primitive, x, y int)) {
	head := [1]uint64{s.items[2*n]}
	below := raster.Item(head[:]).TakeRun()
	x, y := raster.Item(head[:]).At()
	for block := range below + 1 {
		for m := mask; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			f(&s.primitives[uint32(head[0])], x+k%8, y+8*block+k/8)
		}
	}
}

// TestHidden: an item is emptied only where the depth test fails at all its pixels, and
// that is found where it is plain.
func TestHidden(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	emptied := 0
	for range 200 {
		for _, toward := range []float32{1, -1} {
			var h [1]coarseDepth
			depths := [64 * 64]float32{}
			from := toward * float32(math.Inf(1)) // what is not known may be the farthest
			if r.Intn(2) == 0 {
				from = 0.5 + toward/2
				h[0].clear(from)
			}
			for i := range depths {
				depths[i] = from
			}
			s := randomItems(r, 60)
			s.coarse, s.hiz = h[:], hizMode{active: true, writes: true, direction: toward}
			masks := make([]uint64, 60)
			for n := range masks {
				masks[n] = s.items[2*n+1]
			}
			s.beforeFragments(0)
			for n, mask := range masks {
				passes := false
				s.each(n, mask, func(p *raster.Primitive, x, y int) {
					if z := depthAt(p, x, y); toward*z <= toward*depths[y*64+x] {
						passes = true
						depths[y*64+x] = z
					}
				})
				if s.items[2*n+1] == 0 && mask != 0 {
					if emptied++; passes {
						t.Fatalf("toward %g: item %d passes at a pixel and is emptied", toward, n)
					}
				} else if s.items[2*n+1] != mask {
					t.Fatalf("toward %g: item %d has another mask", toward, n)
				}
			}
		}
	}
	if emptied < 2000 {
		t.Errorf("%d items of 24000 are emptied", emptied)
	}
}

// TestHiddenForgets: what a draw writes in another direction, or at depths that are not
// known, ends what was known.
func TestHiddenForgets(t *testing.T) {
	for name, x := range map[string]struct {
		between hizMode
		known   bool
	}{
		"the same direction":      {hizMode{active: true, direction: 1, quantum: unknownQuantum}, true},
		"the other direction":     {hizMode{active: true, direction: -1}, false},
		"any depth":               {hizMode{active: true}, false},
		"the same, and is tested": {hizMode{active: true, direction: 1}, true},
	} {
		var h [1]coarseDepth
		step := func(z float32, see hizMode) uint64 {
			s := &binList{layout: itemLayout{words: 2, samples: 1, shaded: 1}, coarse: h[:], hiz: see, bins: []bin{{count: 1}}}
			s.primitives = []raster.Primitive{{Z: raster.Plane{C: z}}}
			s.items = []uint64{0, ^uint64(0)}
			s.beforeFragments(0)
			return s.items[1]
		}
		hides := hizMode{active: true, writes: true, direction: 1}
		step(0.25, hides)
		step(0.125, x.between)
		if got := step(0.5, hides) == 0; got != x.known {
			t.Errorf("%s: hidden %t; want %t", name, got, x.known)
		}
	}
}

// TestHiddenQuantum: depths that are one in the attachment hide nothing.
func TestHiddenQuantum(t *testing.T) {
	for name, quantum := range map[string]float64{"D16_UNORM": 1. / 65535, "X8_D24_UNORM_PACK32": 1. / (1<<24 - 1), "D32_SFLOAT": 0} {
		if got := depthQuantum(format.InfoByName(name)); got < 2*quantum || got > 2.01*quantum {
			t.Errorf("%s: %g; want twice %g", name, got, quantum)
		}
	}
}
