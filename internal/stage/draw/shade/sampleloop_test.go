package shade

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// TestSampleLoops: the loops over few samples are unrolled, so that the optimized program has the loop over strips alone.
func TestSampleLoops(t *testing.T) {
	from, err := ir.Parse("program \"constant\" fragment\nsubgroup 16\nlocal 1 1 1\nin samplemask i32 0\nout samplemask i32 0\nfunc \"main\"() L1 {\n\tv1 = in.i32 #0\n\tout.i32 v1, #0\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	loops := func(samples uint32) (n int) {
		p, err := Program(from, &Key{Samples: samples, MaxPixels: 1, CountSamples: true}, &layout.Record{})
		if err != nil {
			t.Fatal(err)
		}
		pass.Run(p)
		for _, f := range p.Funcs {
			for _, v := range f.Code {
				if f.Val(v).Op == ir.Loop {
					n++
				}
			}
		}
		return n
	}
	one := loops(1)
	for _, samples := range []uint32{2, 4, 8} {
		if n := loops(samples); n != one {
			t.Errorf("%d samples: %d loops, want %d as with one sample", samples, n, one)
		}
	}
}

// TestSeparateSamples: the colors of few samples are packed once, their positions are constants, and the depth test has a branch for
// each sample only before its store.
func TestSeparateSamples(t *testing.T) {
	from, err := ir.Parse("program \"place\" fragment\nsubgroup 16\nlocal 1 1 1\nin fragcoord f32 0\nout location f32 0\nfunc \"main\"() L1 {\n\tv1 = in.f32 #0\n\tout.f32 v1, #0\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	count := func(samples uint32, op ir.Op) (n int) {
		k := &Key{Samples: samples, MaxPixels: 1}
		k.Test = testKey{Depth: format.InfoByName("D32_SFLOAT"), Compare: enum.CompareOpLess, Write: true}
		k.Colors[0].Format, k.Colors[0].Blend.WriteMask = format.InfoByName("R8G8B8A8_UNORM"), 15
		p, err := Program(from, k, &layout.Record{})
		if err != nil {
			t.Fatal(err)
		}
		pass.Run(p)
		for _, f := range p.Funcs {
			for _, v := range f.Code {
				if f.Val(v).Op == op {
					n++
				}
			}
		}
		return n
	}
	one, four := count(1, ir.If), count(4, ir.If)
	// With one sample, the store of the depth and the body for the covered pixels have a branch. With four, each has a branch
	// for each sample, and both are within a branch for the pixel.
	if more := four - one; more > 7 {
		t.Errorf("four samples have %d branches more than one sample; want at most 7", more)
	}
	if n := count(4, ir.FCanon); n != 0 {
		t.Errorf("%d tests for NaN; want none, for a depth from 0 to 1", n)
	}
	tables := count(4, ir.Table)
	if tables != 0 {
		t.Errorf("%d tables; want none, for constant positions", tables)
	}
	for _, op := range []ir.Op{ir.FMin, ir.FMax, ir.NMin, ir.NMax} {
		depths := count(4, op) - count(1, op)
		if depths > 3 {
			t.Errorf("%d times %v more than with one sample; want one for each further depth", depths, op)
		}
	}
}
