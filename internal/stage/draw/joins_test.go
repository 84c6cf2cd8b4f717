package draw_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// placeText is a fragment program that shows the place of the first corner, of the push constants.
const placeText = `
program "place" fragment
subgroup 16
local 1 1 1
push 48
out location f32 0
out location f32 1
out location f32 2
out location f32 3
func "main"() L1 {
	v1 = push
	v2 = ld.f32 v1, 0:i32, #0
	out.f32 v2, #0
	v3 = ld.f32 v1, 0:i32, #4
	out.f32 v3, #1
	out.f32 1.0:f32, #2
	out.f32 1.0:f32, #3
}`

// TestJoins: draws that repeat the one before and lie over each other, with clears between them, give the picture of draws without the
// promise: with programs that read the push constants in the vertex stage alone, and in both.
func TestJoins(t *testing.T) {
	e := engines()[len(engines())-1]
	picture := func(fragment string, promise bool, workers int) []byte {
		c := blank(t, 70, 40, "R8G8B8A8_UNORM")
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 16), Fragment: parse(t, fragment, 16)}, full(c), e, exec.Options{})
		must(t, err)
		defer p.Close()
		random := rand.New(rand.NewPCG(3, 4))
		var pass draw.Pass
		must(t, pass.Begin(&c.Target, nil, workers))
		for i := range 300 {
			if i%23 == 11 {
				area := state.Rect{X: random.Int32N(40), Y: random.Int32N(20), Width: 20, Height: 20}
				color := uint64(math.Float32bits(random.Float32()))
				must(t, pass.Clear(context.Background(), &draw.Clears{Area: area, Colors: []draw.Clear{{Do: true, Value: [4]uint64{color, color, color, color}}}}))
			}
			x, y := 2*random.Float32()-1, 2*random.Float32()-1
			a := state.Args{Count: 3, Instances: 1, Shader: compute.Args{Workers: workers, Push: floats(x, y, 0, 1, x+0.5, y, 0, 1, x, y+0.6, 0, 1)}}
			if promise && i > 0 {
				a.Repeats = []state.Repeats{state.RepeatsDescriptors, state.RepeatsState}[i/5%2]
			}
			must(t, pass.Draw(t.Context(), p, &a))
			clear(a.Shader.Push)
		}
		must(t, pass.End(t.Context()))
		return c.bytes(0)
	}
	for name, fragment := range map[string]string{"corners": shownText, "place": placeText} {
		want := picture(fragment, false, 1)
		if bytes.Equal(want, blank(t, 70, 40, "R8G8B8A8_UNORM").bytes(0)) {
			t.Errorf("%s: nothing is drawn", name)
		}
		for _, workers := range []int{1, 2, 5} {
			if !bytes.Equal(picture(fragment, true, workers), want) {
				t.Errorf("%s, %d workers: another picture", name, workers)
			}
		}
	}
}
