package draw_test

import (
	"bytes"
	"math/bits"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestPacks draws many triangles with packs and with strips: the pictures and the counts are the same.
func TestPacks(t *testing.T) {
	const n = 200
	places, colors := littered(n)
	over := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorZero, WriteMask: 15}
	for _, compare := range []enum.CompareOp{enum.CompareOpLess, enum.CompareOpGreaterOrEqual, enum.CompareOpNotEqual} {
		f := &fuzzed{formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, tests: "D32_SFLOAT_S8_UINT", counted: true,
			state: state.State{DepthStencil: state.DepthStencil{Test: true, Write: true, Compare: compare}, Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}}
		f.complete(strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText))
		f.args.VertexBuffers, f.args.Count = []exec.Buffer{{Bytes: places}, {Bytes: colors}}, 3*n
		all := engines()
		h := how{all[len(all)-1], 16, 1}
		back := draw.Packs(false)
		want, passed, err := f.run(t, h)
		back()
		must(t, err)
		for n, least := range []uint64{1, 1 << 20, 1, 1 << 20} { // with the set-up program, in place, and without
			for _, clockwise := range []bool{false, true} {
				f.state.Rasterization.Cull, f.state.Rasterization.Clockwise = enum.CullModeNone, clockwise
				back, restore := draw.Packs(true), draw.SetLeast(least, 1)
				if n >= 2 {
					back()
					back = draw.PackPixels()
				}
				got, packed, err := f.run(t, h)
				back()
				restore()
				must(t, err)
				if !bytes.Equal(got, want) || packed != passed || passed == 0 {
					t.Errorf("compare %d, set-up from %d, pixels %v: another picture with packs, or %d samples passed; want %d", compare, least, n >= 2, packed, passed)
				}
			}
		}
	}
}

// TestInPlace draws many small draws in one pass, of two pipelines with records of different sizes, with the triangles of the
// set-up program in place and without packs, by one worker and several: the pictures and the statistics are the same, also if bins are
// full after a part of a draw. Some draws
// have indices and instances, a scissor of their own or statistics, and those of one pipeline the last vertex as the provoking one.
func TestInPlace(t *testing.T) {
	const n, draws = 40, 50
	places, colors := littered(n * draws)
	all := engines()
	e := all[len(all)-1]
	flat := strings.NewReplacer("in location f32 5", "in location f32 5 flat", "in location f32 6", "in location f32 6 linear").Replace(shownText)
	vertex := strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText)
	indices := make([]byte, 0, 6*n)
	for i := range 3 * n {
		indices = append(indices, byte(i*7%(3*n)), byte(i*7%(3*n)>>8))
	}
	picture := func(packs, pixels bool, workers int) (_ []byte, counts state.Statistics) {
		defer draw.Packs(packs)()
		if pixels {
			defer draw.PackPixels()()
		}
		defer draw.SetLeast(1, 1)()
		c := blank(t, 90, 70, "R8G8B8A8_UNORM")
		var p [2]*draw.Pipeline
		var small [2]state.State
		for i, fragment := range []string{shownText, flat} {
			s := full(c)
			s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 16}, {Binding: 1, Stride: 4}},
				Attributes: []state.VertexAttribute{{Format: "R32G32B32A32_SFLOAT"}, {Location: 1, Binding: 1, Format: "R8G8B8A8_UNORM"}}}
			s.Rasterization.LastVertex = i == 1
			var err error
			if p[i], err = draw.New(draw.Stages{Vertex: parse(t, vertex, 16), Fragment: parse(t, fragment, 16)}, s, e, exec.Options{}); err != nil {
				t.Fatal(err)
			}
			defer p[i].Close()
			small[i] = s
			small[i].Scissors = []state.Rect{{X: 20, Y: 10, Width: 40, Height: 50}}
		}
		var pass draw.Pass
		for range 2 {
			must(t, pass.Begin(&c.Target, nil, workers))
			for i := range draws {
				a := state.Args{VertexBuffers: []exec.Buffer{{Bytes: places[48*n*i:][:48*n]}, {Bytes: colors[12*n*i:][:12*n]}}, Count: 3 * n, Instances: 1}
				if i%5 == 3 {
					a.Index, a.IndexBytes, a.Instances = indices, 2, 2
				}
				if i%7 == 5 {
					a.Statistics = &counts
				}
				if i%11 == 5 { // the last one too
					a.State = &small[i/17%2]
				}
				must(t, pass.Draw(t.Context(), p[i/17%2], &a))
			}
			must(t, pass.End(t.Context()))
		}
		return c.bytes(0), counts
	}
	want, counts := picture(false, false, 1)
	check := func(workers int, pixels bool) {
		t.Helper()
		if got, counted := picture(true, pixels, workers); !bytes.Equal(got, want) || counted != counts || counts.ClippingInvocations == 0 {
			t.Errorf("%d workers, pixels %v: another picture in place, or the statistics %v; want %v", workers, pixels, counted, counts)
		}
	}
	for _, workers := range []int{1, 3} {
		for _, pixels := range []bool{false, true} {
			check(workers, pixels)
		}
	}
	defer draw.SmallBins()()
	check(1, false)
	check(3, false)
}

// TestPackOrder packs random items: each covered quad is in one pack, no pack has two quads of one place, and the quads of
// a place are in the order of their items.
func TestPackOrder(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	for range 200 {
		size, across := 1<<random.Intn(7), 1+random.Intn(28)
		var items []uint64
		covered := 0
		for n := range random.Intn(300) {
			m := uint64(1) << random.Intn(64)
			if random.Intn(4) == 0 {
				m = random.Uint64() & random.Uint64()
			}
			covered += bits.OnesCount64(m)
			items = append(items, uint64(n)|uint64(64+2*random.Intn(across))<<32|uint64(128+2*random.Intn(across))<<48, m)
		}
		last, pack := map[[2]int]uint32{}, map[[2]int]int{}
		packs := draw.Pack(items, size, false)
		if len(packs)%size != 0 {
			t.Fatalf("%d quads in packs of %d", len(packs), size)
		}
		for i, w := range packs {
			q := layout.Quad(w)
			if !q.Covered() {
				continue
			}
			x, y := q.At()
			at := [2]int{x, y}
			if before, ok := last[at]; ok && (q.Primitive() <= before || pack[at] == i/size) {
				t.Fatalf("the quad %v of primitive %d in pack %d follows the one of %d in pack %d", at, q.Primitive(), i/size, before, pack[at])
			}
			last[at], pack[at] = q.Primitive(), i/size
			m := items[2*q.Primitive()+1]
			bx, by := x-int(uint16(items[2*q.Primitive()]>>32)), y-int(items[2*q.Primitive()]>>48)
			bit := 8*by + bx
			if got, want := w>>60, m>>bit&3|m>>(bit+8)&3<<2; got != want {
				t.Fatalf("quad %v of primitive %d covers %x; want %x", at, q.Primitive(), got, want)
			}
			covered -= bits.OnesCount64(w >> 60)
		}
		if covered != 0 {
			t.Fatalf("%d pixels are missing", covered)
		}
	}
}

// TestPixelPackOrder packs random items by pixels: each covered pixel is in one pack, no pack has two fragments of one pixel, and
// the fragments of a pixel are in the order of their items. In every other list no pixel is covered twice.
func TestPixelPackOrder(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	for round := range 200 {
		size, across := 4<<random.Intn(7), 1+random.Intn(28)
		var items []uint64
		missing := map[[3]int]bool{} // primitive, x and y
		covered := map[[2]int]bool{}
		for n := range random.Intn(300) {
			m := random.Uint64() & random.Uint64() & random.Uint64()
			x, y := 64+2*random.Intn(across), 128+2*random.Intn(across)
			for bit := range 64 {
				at := [2]int{x + bit%8, y + bit/8}
				if round%2 == 1 && covered[at] {
					m &^= 1 << bit
				}
				if m>>bit&1 != 0 {
					covered[at] = true
					missing[[3]int{n, x + bit%8, y + bit/8}] = true
				}
			}
			items = append(items, uint64(n)|uint64(x)<<32|uint64(y)<<48, m)
		}
		type place struct{ primitive, pack int }
		last := map[[2]int]place{}
		packs := draw.Pack(items, size, true)
		if len(packs)%size != 0 {
			t.Fatalf("%d pixels in packs of %d", len(packs), size)
		}
		for i, w := range packs {
			q := layout.Quad(w)
			if !q.Covered() {
				continue
			}
			if bits.OnesCount64(w>>60) != 1 {
				t.Fatalf("pixels %x in a lane", w>>60)
			}
			x, y := q.At()
			bit := bits.TrailingZeros64(w >> 60)
			at, n := [2]int{x + bit&1, y + bit>>1}, int(q.Primitive())
			if before, ok := last[at]; ok && (n <= before.primitive || before.pack >= i/size) {
				t.Fatalf("pixel %v of primitive %d in pack %d follows %+v", at, n, i/size, before)
			}
			last[at] = place{n, i / size}
			key := [3]int{n, at[0], at[1]}
			if !missing[key] {
				t.Fatalf("pixel %v of primitive %d is there twice, or is not covered", at, n)
			}
			delete(missing, key)
		}
		if len(missing) > 0 {
			t.Fatalf("%d pixels are missing", len(missing))
		}
	}
}
