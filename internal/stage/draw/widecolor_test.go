package draw_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestWideColors draws with outputs of 64 bits: the conversion of a color to the format of its attachment begins with the type
// of the output (Vulkan §"Fragment Output Interface": the width may exceed the attachment's).
func TestWideColors(t *testing.T) {
	for _, x := range []struct {
		format, typ, value string
		want               []byte
	}{
		{"R64_SFLOAT", "f64", "-0.5:f64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(-0.5))},
		{"R32_SFLOAT", "f64", "0.75:f64", binary.LittleEndian.AppendUint32(nil, math.Float32bits(0.75))},
		{"R8_UNORM", "f64", "1.0:f64", []byte{255}},
		{"R64_UINT", "i64", "1311768467463790320:i64", binary.LittleEndian.AppendUint64(nil, 0x123456789abcdef0)},
		{"R64_SINT", "i64", "1311768467463790320:i64", binary.LittleEndian.AppendUint64(nil, 0x123456789abcdef0)},
	} {
		text := "program \"wide\" fragment\nsubgroup 16\nlocal 1 1 1\nout location " + x.typ + " 0\nfunc \"main\"() L1 {\nout." + x.typ + " " + x.value + ", #0\n}"
		corners := clip([]corner{{0, 0, 1}, {512 * side, 0, 1}, {0, 512 * side, 1}})
		for _, e := range engines() {
			c := blank(t, side, side, x.format)
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, full(c), c, state.Args{Count: 3, Shader: compute.Args{Push: corners}})
			if got := c.bytes(0)[:len(x.want)]; string(got) != string(x.want) {
				t.Errorf("%s, %s to %s: %x; want %x", e.Name(), x.value, x.format, got, x.want)
			}
		}
	}
}
