package raster

import (
	"math/rand/v2"
	"testing"
)

// TestBlockMask compares the pixels of blocks inside three or four edges with the sign of the edge functions at each sample: edges of
// all lengths up to the guard band's width, in blocks on, near and far from them.
func TestBlockMask(t *testing.T) {
	if !hasBlockMask {
		t.Skip("this test covers only the AVX2 code path, which this processor cannot run")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		size := int32(1) << (3 + r.IntN(22))
		near := func(n int32) int32 { return n + r.Int32N(size) - size/2 }
		const half = guardBand << SubPixelBits
		clamp := func(n int32) int32 { return min(max(n, -half), half) }
		x, y := r.Int32N(2*half)-half, r.Int32N(2*half)-half
		var p [3]point
		for i := range p {
			p[i] = point{clamp(near(x)), clamp(near(y))}
		}
		edges := []edge{edgeOf(p[0], p[1]), edgeOf(p[1], p[2]), edgeOf(p[2], p[0])}
		if r.IntN(2) == 0 {
			edges = append(edges, edgeOf(p[0], point{clamp(near(x)), clamp(near(y))}))
		}
		s := point{r.Int32N(one), r.Int32N(one)}
		at := p[r.IntN(3)]
		if r.IntN(4) == 0 {
			at = point{clamp(near(near(x))), clamp(near(near(y)))}
		}
		bx, by := at.x>>SubPixelBits-r.Int32N(Block), at.y>>SubPixelBits-r.Int32N(Block)
		var want uint64
		for n := range int64(Block * Block) {
			sx, sy := (int64(bx)+n%Block)*one+int64(s.x), (int64(by)+n/Block)*one+int64(s.y)
			inside := true
			for _, e := range edges {
				inside = inside && e.a*sx+e.b*sy+e.d >= 0
			}
			if inside {
				want |= 1 << n
			}
		}
		var steps quadEdges
		var offsets [maxEdges]int64
		for i := range edges {
			steps.a[i], steps.b[i], offsets[i] = int32(edges[i].a), int32(edges[i].b), edges[i].at(s)
		}
		if got := steps.mask(edges, &offsets, bx, by); got != want {
			t.Fatalf("block (%d, %d) of triangle %v: %016x, want %016x", bx, by, p, got, want)
		}
		// The masks of several samples: this one and others.
		list := make([][maxEdges]int64, 1+r.IntN(8))
		for k := range list {
			for i := range list[k] {
				list[k][i] = offsets[i] + r.Int64N(1<<20) - 1<<19
			}
		}
		list[0] = offsets
		masks := make([]uint64, len(list))
		steps.masks(edges, list, bx, by, masks)
		for k, got := range masks {
			if want := steps.mask(edges, &list[k], bx, by); got != want {
				t.Fatalf("block (%d, %d), sample %d of %d, of triangle %v: %016x, want %016x", bx, by, k, len(list), p, got, want)
			}
		}
	}
}

// TestBlockMasks compares the masks of blocks beside each other with the masks of each. Masks of other blocks stay as they are.
func TestBlockMasks(t *testing.T) {
	if !hasBlockMask {
		t.Skip("this test covers only the AVX2 code path, which this processor cannot run")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var e blockEdges
		for i := range e.c {
			e.c[i], e.a[i], e.b[i] = r.Int32N(1<<18)-1<<17, r.Int32N(1<<13)-1<<12, r.Int32N(1<<13)-1<<12
		}
		across, down := 1+r.IntN(smallBlocks), 1+r.IntN(smallBlocks)
		var got, want [smallBlocks][smallBlocks]uint64
		for x := range want {
			for y := range want[x] {
				want[x][y] = r.Uint64()
				if got[x][y] = want[x][y]; x < across && y < down {
					var at blockEdges
					e.move(&at, int32(Block*x), int32(Block*y))
					quad := quadEdges{}
					copy(quad.c[:], at.c[:])
					copy(quad.a[:], at.a[:])
					copy(quad.b[:], at.b[:])
					want[x][y] = quadMask(&quad)
				}
			}
		}
		if blockMasks(&e, across, down, &got); got != want {
			t.Fatalf("%d×%d blocks of %v: %x, want %x", across, down, e, got, want)
		}
	}
}
