package draw_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// numbersText writes 1, 2, 3 and 4 to location 0 and 5, 6, 7 and 8 to location 1.
const numbersText = `
program "numbers" fragment
subgroup 16
local 1 1 1
out location f32 0
out location f32 1
out location f32 2
out location f32 3
out location f32 4
out location f32 5
out location f32 6
out location f32 7
func "main"() L1 {
	out.f32 1.0:f32, #0
	out.f32 2.0:f32, #1
	out.f32 3.0:f32, #2
	out.f32 4.0:f32, #3
	out.f32 5.0:f32, #4
	out.f32 6.0:f32, #5
	out.f32 7.0:f32, #6
	out.f32 8.0:f32, #7
}`

// TestLocations draws over whole tiles of cleared attachments. An attachment has the location of the list, with its own
// write mask; an attachment without a location has the clear value (Vulkan §"Fragment Output Interface").
func TestLocations(t *testing.T) {
	const none = state.Unused
	for _, x := range []struct {
		locations []uint32
		want      [3]float64 // first component of each attachment
	}{
		{nil, [3]float64{1, 5, 9}},
		{[]uint32{0, 1, 2}, [3]float64{1, 5, 9}},
		{[]uint32{1, 0, none}, [3]float64{5, 1, 9}},
		{[]uint32{none, none, 0}, [3]float64{9, 9, 1}},
		{[]uint32{none, none, none}, [3]float64{9, 9, 9}},
		{[]uint32{7, none, 1}, [3]float64{9, 9, 5}},
	} {
		for _, e := range engines() {
			f := "R32G32B32A32_SFLOAT"
			c := blank(t, 128, 64, f, f, f)
			s := full(c)
			s.Locations = x.locations
			masks := []uint8{15, 15, 1}
			for _, m := range masks {
				s.Blend.Attachments = append(s.Blend.Attachments, state.BlendAttachment{WriteMask: m})
			}
			p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, numbersText, 0)}, s, e, exec.Options{})
			must(t, err)
			defer p.Close()
			nine := draw.Clear{Do: true}
			for i := range nine.Value {
				nine.Value[i] = uint64(floatBits(9))
			}
			var pass draw.Pass
			must(t, pass.Begin(&c.Target, &draw.Clears{Colors: []draw.Clear{nine, nine, nine}}, 1))
			must(t, pass.Draw(context.Background(), p, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}}))
			must(t, pass.End(context.Background()))
			for i, want := range x.want {
				for k, most := range [2]float64{want, want + 3} { // components 0 and 3
					if masks[i] == 1 && k == 1 || want == 9 {
						most = 9
					}
					for _, pixel := range []int{0, 128*64 - 1} {
						if got := number(c.bytes(i), 4*pixel+3*k); got != most {
							t.Errorf("%s, locations %v: component %d of attachment %d is %g; want %g", e.Name(), x.locations, 3*k, i, got, most)
						}
					}
				}
			}
		}
	}
}

// TestLocationsInvalid: there are as many locations as color attachments, each below the maximum and once.
func TestLocationsInvalid(t *testing.T) {
	for _, list := range [][]uint32{{}, {0}, {0, 1, 2}, {0, 8}, {1, 1}, {0, 1 << 31}, make([]uint32, 9)} {
		c := blank(t, 8, 8, "R32_SFLOAT", "R32_SFLOAT")
		s := full(c)
		s.Locations = list
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, numbersText, 0)}, s, engines()[0], exec.Options{})
		must(t, err)
		defer p.Close()
		err = p.Draw(context.Background(), &c.Target, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}})
		if want := (*state.StateError)(nil); !errors.As(err, &want) || !strings.Contains(err.Error(), "location") {
			t.Errorf("locations %v: %v; want an error", list, err)
		}
	}
}

// TestLocationsTile: a tile image with location 0 reads the color attachment that has location 0 (Vulkan §"Fragment Tile
// Image Interface").
func TestLocationsTile(t *testing.T) {
	const n = 5
	want := uint32(7)
	for i := range uint32(n) {
		want = 3*want + i + 1
	}
	for _, e := range engines() {
		c := blank(t, 70, 66, "R32_UINT", "R32_UINT")
		for i := range 70 * 66 {
			c.images[0].Store(texture.Coord{X: i % 70, Y: i / 70}, [4]uint64{3})
			c.images[1].Store(texture.Coord{X: i % 70, Y: i / 70}, [4]uint64{7})
		}
		s := full(c)
		s.Locations = []uint32{state.Unused, 0}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, afterText, 0)}, s, c,
			state.Args{Count: 3 * n, Index: manyTriangles(n), IndexBytes: 1, Shader: compute.Args{Push: cover}})
		for i := range 70 * 66 {
			at := texture.Coord{X: i % 70, Y: i / 70}
			if a, b := c.images[0].Load(at)[0], c.images[1].Load(at)[0]; a != 3 || uint32(b) != want {
				t.Fatalf("%s: pixel %d is %d and %d; want 3 and %d", e.Name(), i, a, b, want)
			}
		}
	}
}
