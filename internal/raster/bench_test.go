package raster

import (
	"math/rand"
	"testing"
)

// BenchmarkTriangles covers many small triangles, and one that covers the whole picture.
func BenchmarkTriangles(b *testing.B) {
	const width, height, n = 1920, 1080, 1 << 14
	random := rand.New(rand.NewSource(1))
	small := Records{Layout: positionOnly}
	for range n {
		x, y := random.Float64()*width, random.Float64()*height
		for range 3 {
			small.Words = append(small.Words, records(inPixels(x+random.Float64()*9, y+random.Float64()*9, width, height)).Words...)
		}
	}
	r := &Rasterizer{}
	s := state(1, width, height)
	b.Run("small", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			r.Begin(s)
			r.Vertices(small)
			for i := range uint32(n) {
				r.Triangle([3]uint32{3 * i, 3*i + 1, 3*i + 2}, 3*i, i)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/triangle")
	})
	b.Run("full", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			r.Begin(s)
			r.Vertices(records([4]float32{-1, -1, 0, 1}, [4]float32{3, -1, 0, 1}, [4]float32{-1, 3, 0, 1}))
			r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		}
	})
}

// BenchmarkLines covers many lines of at most four pixels.
func BenchmarkLines(b *testing.B) {
	const width, height, n = 1920, 1080, 1 << 14
	random := rand.New(rand.NewSource(1))
	ends := Records{Layout: positionOnly}
	for range n {
		x, y := random.Float64()*width, random.Float64()*height
		for range 2 {
			ends.Words = append(ends.Words, records(inPixels(x+random.Float64()*4, y+random.Float64()*4, width, height)).Words...)
		}
	}
	r, s := &Rasterizer{}, state(1, width, height)
	for range b.N {
		r.Begin(s)
		r.Vertices(ends)
		for i := range uint32(n) {
			r.Line([2]uint32{2 * i, 2*i + 1}, 2*i, i)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/line")
}
