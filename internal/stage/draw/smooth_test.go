package draw_test

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestSmoothLines draws a level line that covers pixels of three rows by a quarter,
// wholly, and by a half: alpha at location 0 is multiplied by that, and nothing else is;
// of triangles nothing is (Vulkan §"Smooth Lines").
func TestSmoothLines(t *testing.T) {
	text := with(shownText, "out location f32 7", "out.f32 1.0:f32, #4")
	rows := map[int]float64{7: 0.25, 8: 1, 9: 0.5}
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, side, side, "R32G32B32A32_SFLOAT", "R32G32B32A32_SFLOAT")
		s := full(c)
		s.Assembly.Topology = enum.TopologyLineList
		s.Rasterization.LineMode, s.Rasterization.LineWidth = enum.LineModeRectangularSmooth, 1.75
		const y = float32(7.75+1.75/2)/8 - 1
		stages := draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, text, subgroup)}
		paint(t, e, stages, s, c, state.Args{Count: 2, Shader: compute.Args{Workers: workers, Push: append(floats(-1, y, 0, 1, 1, y, 0, 1), make([]byte, 16)...)}})
		for i := range side * side {
			want, there := rows[i/side]
			red, other := (float64(side-i%side)-0.5)/side, 1.0
			if !there {
				red, other = 0, 0
			}
			b, second := c.bytes(0)[16*i:], c.bytes(1)[16*i:]
			if math.Abs(number(b, 3)-want) > 0.51/raster.SmoothLevels || math.Abs(number(b, 0)-red) > 1e-6 || number(second, 3) != other {
				t.Fatalf("texel (%d, %d): red %v, alpha %v, and %v; want %v, %v, and %v", i%side, i/side, number(b, 0), number(b, 3), number(second, 3), red, want, other)
			}
		}
		out := append([]byte{}, c.bytes(0)...)
		s.Assembly.Topology = enum.TopologyTriangleList
		paint(t, e, stages, s, c, state.Args{Count: 3, Shader: compute.Args{Workers: workers, Push: cover}})
		if a := number(c.bytes(0), 3); a != 1 {
			t.Errorf("a triangle has alpha %v", a)
		}
		return out
	})
}
