package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
)

// twoTextured writes the first components of the textures of set 0 and of set 1 as red and green.
func twoTextured() string {
	second := strings.NewReplacer("%s ", "%s1 ", "%ps ", "%ps1 ", "%ps\n", "%ps1\n", "%si ", "%si1 ", "%c ", "%c1 ", "DescriptorSet 0", "DescriptorSet 1")
	text := texturedWith(1)
	var lines []string
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "OpEntryPoint"):
			line = strings.Replace(line, "%s", "%s %s1", 1)
		case strings.HasPrefix(line, "OpStore"):
			line = "%red = OpCompositeExtract %float %c 0\n%green = OpCompositeExtract %float %c1 0\n%both = OpCompositeConstruct %v4 %red %green %red %green\nOpStore %out %both\n"
		}
		lines = append(lines, line)
		switch other := second.Replace(line); {
		case strings.HasPrefix(line, "OpDecorate %s "), strings.HasPrefix(line, "%s "), strings.HasPrefix(line, "%ps "), strings.HasPrefix(line, "%si "), strings.HasPrefix(line, "%c "):
			lines = append(lines, other)
		}
	}
	return strings.Join(lines, "")
}

// TestSwappedSets draws patches with the textures of two sets in all pairs of formats, and swaps the sets for every second
// patch: by a bind of both sets, or of the second set after the first one. A bind replaces the sets that it names and no others
// (Vulkan, Descriptor Set Binding). Further frames swap the sets of all patches, and update each set with a texture of another format.
func TestSwappedSets(t *testing.T) {
	const size, textures, side = 100, 20, 2
	const draws = size / 20 * size / 10
	g := newGallery(t, size, textures, side, false)
	l := g.layout.sets[0]
	g.layout = must(g.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l, l}, Push: []link.Range{{Size: 12, Stages: link.AllStages}}}))(t)
	g.pipeline = g.newPipeline(t, g.layout, twoTextured())
	sampler := must(g.dev.NewSampler(SamplerInfo{}))(t)
	views := make([]*ImageView, textures)
	for i := range views {
		views[i] = g.texture(t, i, side)
	}
	texture := make([]int, textures) // of each set
	for i := range texture {
		texture[i] = i
	}
	red := func(set int) byte { return byte(255 * (texture[set] / len(bindlessFormats) & 1)) }
	for frame := range 8 {
		if frame >= 4 {
			for i, s := range g.sets {
				texture[i] = (texture[i] + 7) % textures
				if err := s.Update(Write{Images: []ImageDescriptor{{View: views[texture[i]], Sampler: sampler}}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		pair := func(n int) (a, b int) { // each pair of formats in two of the eight frames
			a = (n/2 + 25*(frame/2)) % len(bindlessFormats)
			b = len(bindlessFormats) + (n/2+25*(frame/2))/len(bindlessFormats)%len(bindlessFormats)
			if (n+frame)%2 == 1 {
				a, b = b, a
			}
			return a, b
		}
		c := g.record(t, func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: g.view, Load: ClearOnLoad}}})
			c.BindGraphicsPipeline(g.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: g.vertices}})
			for n := range draws {
				a, b := pair(n)
				if n%4 < 2 {
					c.BindSets(Graphics, g.layout, 0, []*Set{g.sets[a], g.sets[b]}, nil)
				} else {
					c.BindSets(Graphics, g.layout, 0, g.sets[a:a+1], nil)
					c.BindSets(Graphics, g.layout, 1, g.sets[b:b+1], nil)
				}
				g.place(c, n, 0)
				c.Draw(300, 1, 0, 0)
			}
			c.EndRendering()
		})
		if err := g.submit(t, c); err != nil {
			t.Fatal(err)
		}
		pixels := g.picture(t)
		for n := range draws {
			a, b := pair(n)
			want := [4]byte{red(a), red(b), red(a), red(b)}
			for at := range 200 {
				x, y := n%5*20+at%20, n/5*10+at/20
				if got := [4]byte(pixels[4*(size*y+x):]); got != want {
					t.Fatalf("frame %d: pixel (%d, %d) of patch %d with the sets %d and %d has %v, want %v", frame, x, y, n, a, b, got, want)
				}
			}
		}
	}
}
