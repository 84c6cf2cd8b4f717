package draw_test

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestSparse draws triangles of about a pixel, some at the same pixels, with a short program, several times with one pipeline: it begins to
// shade packs of pixels, and each picture and count is as without packs. Then it draws triangles of hundreds of pixels, and ends the packs.
func TestSparse(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewSource(7))
	triangles := func(size float32) (places, colors []byte) {
		var list []float32
		for range n {
			x, y, z := r.Float32()*2-1, r.Float32()*2-1, r.Float32()
			for _, at := range [][2]float32{{0, 0}, {size, 0}, {0, size}} {
				list = append(list, x+at[0], y+at[1], z, 1)
				colors = append(colors, byte(r.Int()), byte(r.Int()), byte(r.Int()), 255)
			}
		}
		return floats(list...), colors
	}
	over := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorZero, WriteMask: 15}
	f := &fuzzed{formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, tests: "D32_SFLOAT_S8_UINT",
		state: state.State{DepthStencil: state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLess}, Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}}
	f.complete(strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText))
	f.width, f.height = 128, 128
	f.state.Viewports, f.state.Scissors = []state.Viewport{{Width: 128, Height: 128, MaxDepth: 1}}, []state.Rect{{Width: 128, Height: 128}}
	f.state.Rasterization.Cull = enum.CullModeNone
	f.args.Count = 3 * n
	tiny, colors := triangles(0.02)
	large, others := triangles(0.5)
	for _, e := range engines() {
		p, err := draw.New(f.stages(t, 16), f.state, e, exec.Options{})
		must(t, err)
		for i := range 14 {
			workers := 1 + i%2
			f.args.VertexBuffers = []exec.Buffer{{Bytes: tiny}, {Bytes: colors}}
			if i >= 3 {
				workers = 1 // each worker looks at every eighth of its bin lists
				f.args.VertexBuffers = []exec.Buffer{{Bytes: large}, {Bytes: others}}
			}
			back := draw.Packs(false)
			want, passed, err := f.run(t, how{e, 16, 1})
			back()
			must(t, err)
			got, count, err := f.draw(t, p, workers)
			must(t, err)
			if !bytes.Equal(got, want) || count != passed || passed == 0 {
				t.Errorf("%s: draw %d: another picture with packs, or %d samples passed; want %d", e.Name(), i, count, passed)
			}
			if has := draw.HasTiny(p); i > 0 && i < 3 && !has || i == 13 && has {
				t.Errorf("%s: draw %d: packs of pixels %t", e.Name(), i, has)
			}
		}
		p.Close()
	}
}
