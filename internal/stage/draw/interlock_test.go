package draw_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// lockedText has a critical section that makes of the number in a slot three times
// that, and the primitive's number and 1 more: no two primitives may change places, and
// none may come between. The slot is that of the pixel, in a buffer.
const lockedText = `
program "locked" fragment
subgroup 16
local 1 1 1
modes MODES
in fragcoord f32 0
in fragcoord f32 1
in primitiveid i32 0
in sampleid i32 0
in shadingrate i32 0
out location f32 0
res storage 0 0 count 1
func "main"() L1 {
	v1 = in.f32 #0
	v2 = ftou.i32.f32 v1
	v3 = in.f32 #1
	v4 = ftou.i32.f32 v3
	v5 = in.i32 #2
	v6 = add.i32 v5, 1:i32
	out.f32 1.0:f32, #0
	PLACE
	v40 = res 0:i32, #0
	v41 = ld.i32 v40, v30, #0
	v42 = mul.i32 v41, 3:i32
	v43 = add.i32 v42, v6
	st.i32 v40, v30, v43, #0
}`

// The places of slots: of the pixel, of its sample, and of the square of two by two
// pixels, which fragments of one pixel have only where they are its first.
const (
	pixelSlot  = "v29 = mul.i32 v4, 80:i32\n v28 = add.i32 v29, v2\n v30 = at 0:i32, v28, #4"
	sampleSlot = "v20 = in.i32 #3\n v29 = mul.i32 v4, 80:i32\n v28 = add.i32 v29, v2\n v27 = at v20, v28, #4\n v30 = at 0:i32, v27, #4"
	squareSlot = `v20 = in.i32 #4
	v21 = or.i32 v2, v4
	v22 = and.i32 v21, 1:i32
	v23 = eq.i32 v20, 0:i32
	v24 = select.i32 v23, v22, 0:i32
	v25 = eq.i32 v24, 0:i32
	v26 = lshr.i32 v2, 1:i32
	v27 = lshr.i32 v4, 1:i32
	v28 = mul.i32 v27, 40:i32
	v29 = add.i32 v28, v26
	v31 = at 0:i32, v29, #4
	v30 = select.i32 v25, v31, 4294967295:i32`
)

// behindAll is what is in a slot behind so many primitives.
func behindAll(n uint32) (v uint32) {
	for i := range n {
		v = 3*v + i + 1
	}
	return v
}

// TestInterlock draws triangles over each other whose fragments read and write memory in
// a critical section: of a pixel, of a sample, or of an area that shares its shading rate
// (Vulkan §"Fragment Shader Interlock"). Ordered and unordered sections are alike.
func TestInterlock(t *testing.T) {
	const n = 10
	for _, x := range []struct {
		name, modes, place string
		samples, slots     int
		rates              bool
	}{
		{"pixel", "interlockpixel", pixelSlot, 1, 80 * 24, false},
		{"samples of a pixel", "interlockpixel", pixelSlot, 4, 80 * 24, false},
		{"sample", "persample interlocksample", sampleSlot, 4, 80 * 24 * 4, false},
		{"shading rate", "interlockrate", squareSlot, 1, 40 * 12, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			text := strings.NewReplacer("MODES", x.modes, "PLACE", x.place).Replace(lockedText)
			everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
				m, v := image(t, texture.Desc{Format: "R8_UNORM", Width: 80, Height: 24, Samples: x.samples}, texture.ViewDesc{})
				c := &canvas{images: []*texture.Image{m}}
				c.Colors = []*texture.View{v}
				s := full(c)
				s.Multisample.Samples = uint32(x.samples)
				slots := make([]byte, 4*x.slots)
				a := state.Args{Count: 3 * n, Index: manyTriangles(n), IndexBytes: 1,
					Shader: compute.Args{Push: cover, Workers: workers, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: slots}}}}}
				vertex := cornersText
				if x.rates {
					vertex = ratedText
					s.Rate.Combiners[0] = enum.RateCombinerReplace
					a.Shader.Push = nil
					for i := range 6 {
						a.Shader.Push = append(a.Shader.Push, cover[16*(i%3):16*(i%3)+16]...)
						a.Shader.Push = binary.LittleEndian.AppendUint32(a.Shader.Push, uint32(5*(i/3)))
					}
					for i := range a.Index {
						a.Index[i] += byte(i / 3 % 2 * 3)
					}
				}
				paint(t, e, draw.Stages{Vertex: parse(t, vertex, subgroup), Fragment: parse(t, text, subgroup)}, s, c, a)
				for i := range x.slots {
					if got := binary.LittleEndian.Uint32(slots[4*i:]); got != behindAll(n) {
						t.Fatalf("slot %d has %d; want %d", i, got, behindAll(n))
					}
				}
				return slots
			})
		})
	}
}

// TestInterlockImage does the same in an image that is read and written, beside quads
// whose helpers write nothing.
func TestInterlockImage(t *testing.T) {
	const n = 10
	text := strings.NewReplacer("MODES", "interlockpixel", "PLACE", "v20 = quadswap.i32 v2, #1\n v21 = ult.i32 v20, 4096:i32\n v22 = select.i32 v21, 3:i32, 4:i32",
		"res storage 0 0 count 1", "res texels 0 0 count 1\nres view 0 0 count 1 nonwritable",
		"in sampleid i32 0\n", "", "in shadingrate i32 0\n", "").Replace(lockedText)
	text = text[:strings.Index(text, "	v40 = res")] + `	v41 i32, v42 i32, v43 i32, v44 i32 = call 1(0:i32, v2, v4)
	v45 = mul.i32 v41, v22
	v46 = add.i32 v45, v6
	call 2(0:i32, v2, v4, v46, 0:i32, 0:i32, 0:i32)
}
texture read 2d i32 image 0
func "read"(v1 i32, v2 i32, v3 i32) L1(v4 i32, v5 i32, v6 i32, v7 i32) {
	br L1(0:i32, 0:i32, 0:i32, 0:i32)
}
texture write 2d i32 image 0
func "write"(v1 i32, v2 i32, v3 i32, v4 i32, v5 i32, v6 i32, v7 i32) L1 {
}`
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		m, v := image(t, texture.Desc{Format: "R32_UINT", Width: 80, Height: 24}, texture.ViewDesc{})
		c := blank(t, 80, 24, "R8_UNORM")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, text, subgroup)}, full(c), c,
			state.Args{Count: 3 * n, Index: manyTriangles(n), IndexBytes: 1, Shader: compute.Args{Push: cover, Workers: workers, Images: map[compute.Binding][]*texture.View{{}: {v}}}})
		for i := range 80 * 24 {
			if got := m.Load(place(i%80, i/80))[0]; uint32(got) != behindAll(n) {
				t.Fatalf("texel %d is %d; want %d", i, got, behindAll(n))
			}
		}
		return m.LayerBytes(0, 0, 0)
	})
}
