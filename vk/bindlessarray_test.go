package vk

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
)

// newArrayGallery makes a gallery with an array of count descriptors of a few textures.
func newArrayGallery(t testing.TB, size, count int) (*gallery, []*ImageView, *Sampler) {
	t.Helper()
	g := newGalleryOf(t, size, 1, 2, count)
	views := make([]*ImageView, 2*len(bindlessFormats))
	for i := range views {
		views[i] = g.texture(t, i, 2)
	}
	sampler := must(g.dev.NewSampler(SamplerInfo{}))(t)
	w := Write{Images: make([]ImageDescriptor, count)}
	for i := range w.Images {
		w.Images[i] = ImageDescriptor{View: views[i%len(views)], Sampler: sampler}
	}
	if err := g.sets[0].Update(w); err != nil {
		t.Fatal(err)
	}
	return g, views, sampler
}

// TestArray changes textures of a long array between frames and while a frame waits, and closes one that is in no descriptor
// any more: each patch has the texture of its descriptor.
func TestArray(t *testing.T) {
	const size, count, draws = 100, 200, 40
	g, views, sampler := newArrayGallery(t, size, count)
	c := must(g.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	set := func(element int, v *ImageView) {
		t.Helper()
		if err := g.sets[0].Update(Write{Element: uint32(element), Images: []ImageDescriptor{{View: v, Sampler: sampler}}}); err != nil {
			t.Fatal(err)
		}
	}
	bound := map[int]int{} // the changed elements
	check := func(what string) {
		t.Helper()
		pixels := g.picture(t)
		for n := range draws {
			element := n * 7 % count
			texture, ok := bound[element]
			if !ok {
				texture = element % len(views)
			}
			x, y := n%5*20+10, n/5*10+5
			if got, want := pixels[4*(size*y+x)], byte(255*(texture/len(bindlessFormats)&1)); got != want {
				t.Errorf("%s: patch %d with texture %d has %d, want %d", what, n, texture, got, want)
			}
		}
	}
	g.one(t, c, draws, count)
	check("first")
	for n := range 20 { // the other color
		element := n * 7 % count
		bound[element] = (element + len(bindlessFormats)) % len(views)
		set(element, views[bound[element]])
	}
	g.one(t, c, draws, count)
	check("changed")
	waits := must(g.dev.NewSemaphore(0))(t)
	f := must(g.dev.NewFence(false))(t)
	if err := g.dev.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{waits, 1}}, Commands: []*CommandBuffer{c}, Fence: f}); err != nil {
		t.Fatal(err)
	}
	bound[0] = 0
	set(0, views[0])
	bound[7] = 1
	set(7, views[1])
	if err := waits.Signal(1); err != nil {
		t.Fatal(err)
	}
	if err := f.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("changed while a frame waits")
	for element := range count {
		if texture, ok := bound[element]; texture == 5 || !ok && element%len(views) == 5 {
			bound[element] = 6
			set(element, views[6])
		}
	}
	if err := views[5].Close(); err != nil {
		t.Fatal(err)
	}
	g.one(t, c, draws, count)
	check("closed")
	if n := len(g.sets[0].many[0]); n != len(views)-1+1 {
		t.Errorf("the set has %d objects, want %d views and a sampler", n, len(views)-1)
	}
}

// BenchmarkArray draws frames of 1,000 draws of 100 triangles with textures of an array, and reports the processor time of a
// draw by the length of the array: without updates, with an update of one descriptor before each frame, and of one before
// each draw, each in a submission of its own.
func BenchmarkArray(b *testing.B) {
	for _, count := range []int{500, 5_000, 50_000, 500_000} {
		g, views, sampler := newArrayGallery(b, 100, count)
		c := must(g.dev.NewCommandBuffer(CommandBufferInfo{}))(b)
		update := func(n int) {
			if err := g.sets[0].Update(Write{Element: uint32(n % count), Images: []ImageDescriptor{{View: views[n%len(views)], Sampler: sampler}}}); err != nil {
				b.Fatal(err)
			}
		}
		for _, x := range []struct {
			name          string
			frames, draws int
			updates       bool
		}{{"draws", 1, 1000, false}, {"frames", 10, 100, true}, {"submissions", 100, 1, true}} {
			b.Run(fmt.Sprintf("%d/%s", count, x.name), func(b *testing.B) {
				g.one(b, c, x.draws, count)
				before, n := cputime.Now(), 0
				for b.Loop() {
					for range x.frames {
						if n++; x.updates {
							update(n)
						}
						g.one(b, c, x.draws, count)
					}
				}
				b.ReportMetric(float64((cputime.Now()-before).Nanoseconds())/float64(b.N*x.frames*x.draws), "cpu-ns/draw")
			})
		}
	}
}
