package shade

import (
	"testing"

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
