package draw_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestSeriesBound bins many small draws by three workers, each of which takes a series of them: the bin lists of a pass have no more
// bytes than the bound and a list of each worker.
func TestSeriesBound(t *testing.T) {
	const n, draws, workers, most = 40, 90, 3, 1 << 16
	places, colors := littered(n * draws)
	defer draw.Packs(true)()
	defer draw.SetLeast(1, 1)()
	defer draw.SmallBins()()
	c := blank(t, 90, 70, "R8G8B8A8_UNORM")
	s := full(c)
	s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 16}, {Binding: 1, Stride: 4}},
		Attributes: []state.VertexAttribute{{Format: "R32G32B32A32_SFLOAT"}, {Location: 1, Binding: 1, Format: "R8G8B8A8_UNORM"}}}
	vertex := strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText)
	p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 16), Fragment: parse(t, shownText, 16)}, s, machine(), exec.Options{})
	must(t, err)
	defer p.Close()
	var pass draw.Pass
	must(t, pass.Begin(&c.Target, nil, workers))
	for i := range draws {
		a := state.Args{VertexBuffers: []exec.Buffer{{Bytes: places[48*n*i:][:48*n]}, {Bytes: colors[12*n*i:][:12*n]}}, Count: 3 * n, Instances: 1}
		must(t, pass.Draw(t.Context(), p, &a))
	}
	must(t, pass.End(t.Context()))
	if got := draw.Kept(&pass); got == 0 || got > most {
		t.Errorf("%d bytes of bin lists; must be at most %d", got, most)
	}
}
