package draw_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// stripText is a geometry program that makes of each line two strips: one that is the
// line, and one that is turned by half a turn.
var stripText = strings.NewReplacer("inputtriangles outputtrianglestrip", "inputlines outputlinestrip", "v13 = ult.i32 v12, 6:i32", "v13 = ult.i32 v12, 2:i32").Replace(doubledText)

// TestStipple draws a level line of two parts, of 5 and of 11 pixels, of which a stipple
// leaves two pixels of four: in a strip it is counted on, in a list each part begins
// anew, as it does behind an index that restarts, and in another instance (Vulkan §"Line
// Stipple").
func TestStipple(t *testing.T) {
	const y = 0.5 / side
	at := func(x float32) float32 { return x/(side/2) - 1 }
	push := floats(at(0), y, 0, 1, at(5), y, 0, 1, at(16), y, 0, 1)
	counted, anew := "##..##..##..##..", "##..###..##..##."
	for name, x := range map[string]struct {
		topology enum.Topology
		index    []byte
		geometry string
		row      int
		want     string
	}{
		"strip":            {enum.TopologyLineStrip, nil, "", side / 2, counted},
		"list":             {enum.TopologyLineList, []byte{0, 1, 1, 2}, "", side / 2, anew},
		"restart":          {enum.TopologyLineStrip, []byte{0, 1, 255, 1, 2}, "", side / 2, anew},
		"no restart":       {enum.TopologyLineStrip, []byte{0, 1, 1, 2}, "", side / 2, counted},
		"adjacency":        {enum.TopologyLineStripWithAdjacency, []byte{0, 0, 1, 2, 2}, "", side / 2, counted},
		"geometry":         {enum.TopologyLineList, []byte{0, 1}, stripText, side / 2, "##..#..........."},
		"second strip":     {enum.TopologyLineList, []byte{0, 1}, stripText, side/2 - 1, "...........#..##"},
		"list of adjacent": {enum.TopologyLineListWithAdjacency, []byte{0, 0, 1, 1, 1, 1, 2, 2}, "", side / 2, anew},
	} {
		for _, mode := range []enum.LineMode{enum.LineModeDefault, enum.LineModeRectangular, enum.LineModeBresenham} {
			for _, e := range engines() {
				for _, workers := range []int{1, 3} {
					c := blank(t, side, side, "R8_UNORM")
					s := full(c)
					s.Assembly = state.Assembly{Topology: x.topology, Restart: name == "restart"}
					s.Rasterization.LineMode, s.Rasterization.Stipple = mode, state.LineStipple{Factor: 2, Pattern: 0x5555}
					stages := draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}
					if x.geometry != "" {
						stages.Geometry = parse(t, x.geometry, 0)
					}
					a := state.Args{Count: 3, Index: x.index, Instances: 2, Shader: compute.Args{Push: push, Workers: workers}}
					if x.index != nil {
						a.Count, a.IndexBytes = uint32(len(x.index)), 1
					}
					paint(t, e, stages, s, c, a)
					row := ""
					for _, b := range c.bytes(0)[side*x.row:][:side] {
						row += map[bool]string{true: "#", false: "."}[b != 0]
					}
					if row != x.want {
						t.Errorf("%s, %s, mode %d: %s; want %s", name, e.Name(), mode, row, x.want)
					}
				}
			}
		}
	}
}

// TestStippleLong has a strip of more lines than are set up at once: it is counted on with
// any number of workers.
func TestStippleLong(t *testing.T) {
	index := make([]byte, 40000)
	for i := range index {
		index[i] = byte(i * 7 % 3)
	}
	var first []byte
	for _, e := range engines() {
		s := full(blank(t, side, side, "R32_SFLOAT"))
		s.Assembly.Topology, s.Blend.Attachments = enum.TopologyLineStrip, sums
		s.Rasterization.Stipple = state.LineStipple{Factor: 3, Pattern: 0x1357}
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, e, exec.Options{})
		must(t, err)
		defer p.Close()
		for _, workers := range []int{1, 2, 4} {
			c := blank(t, side, side, "R32_SFLOAT")
			must(t, p.Draw(t.Context(), &c.Target, &state.Args{Count: uint32(len(index)), Instances: 1, Index: index, IndexBytes: 1,
				Shader: compute.Args{Workers: workers, Push: floats(-0.9, -0.7, 0, 1, 0.8, -0.4, 0, 1, 0.1, 0.9, 0, 1)}}))
			if first == nil {
				first = append(first, c.bytes(0)...)
			}
			if string(first) != string(c.bytes(0)) {
				t.Errorf("%s, %d workers: another picture than with one", e.Name(), workers)
			}
		}
	}
}

// TestStippleRefused has a factor that there is not.
func TestStippleRefused(t *testing.T) {
	c := blank(t, side, side, "R8_UNORM")
	s := full(c)
	s.Rasterization.Stipple.Factor = state.MaxStipple + 1
	p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0)}, s, engines()[0], exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Draw(t.Context(), &c.Target, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}}); err == nil || !strings.Contains(err.Error(), "factor 257") {
		t.Errorf("%v; want the factor", err)
	}
}
