package texture_test

import (
	"encoding/binary"
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// colorBlocks are the formats with decoded texels in multiples of fractions.
var colorBlocks = []string{"BC1_RGB_UNORM_BLOCK", "BC1_RGBA_UNORM_BLOCK", "BC2_UNORM_BLOCK", "BC3_UNORM_BLOCK"}

// TestFractions reads each color that endpoints of five or six bits can have, and each alpha of BC3: programs, in which the texels are
// multiples of fractions, read the floats that the formulas of the blocks give.
func TestFractions(t *testing.T) {
	const side = 64 // blocks, one for each pair of endpoints of six bits
	for _, name := range colorBlocks {
		m, _ := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 4 * side, Height: 4 * side, Packed: true})
		var data []byte
		for i := range side * side {
			x, y := uint16(i%side), uint16(i/side)
			if name[2] != '1' { // alpha of BC3: neighbours in both orders have all multiples between them
				n := uint64(i / 2 % 256)
				n |= min(n+1, 255) << 8
				if i%2 != 0 {
					n = n>>8 | n&255<<8
				}
				data = binary.LittleEndian.AppendUint64(data, n|0xfac688fac688<<16)
			}
			color := func(n uint16) uint16 { return n&31<<11 | n<<5 | n&31 }
			data = binary.LittleEndian.AppendUint16(data, color(x))
			data = binary.LittleEndian.AppendUint16(data, color(y))
			data = binary.LittleEndian.AppendUint32(data, 0xe4e4e41b)
		}
		if err := m.WriteBlocks(0, 0, 0, 0, side, data); err != nil {
			t.Fatal(err)
		}
		d := texture.ViewDesc{Dim: ir.Dim2D}
		v, err := texture.NewView(m, d)
		if err != nil {
			t.Fatal(err)
		}
		shows(t, m, d, v)
	}
}

// TestFractionsFilter samples blocks and an image of floats with the same texels by random samplers: the results have the same bits.
func TestFractionsFilter(t *testing.T) {
	r := rand.New(rand.NewSource(25))
	for round := range 12 {
		name := colorBlocks[round%len(colorBlocks)]
		desc := texture.Desc{Format: name, Dim: ir.Dim2D, Width: 20, Height: 12, Levels: 3, Packed: true}
		m, _ := texture.NewImage(desc)
		desc.Format = "R32G32B32A32_SFLOAT"
		floats, _ := texture.NewImage(desc)
		writeBlocks(t, m, r)
		for level := range m.Levels {
			w, h, _ := m.LevelExtent(level)
			for i := range w * h {
				at := texture.Coord{X: i % w, Y: i / w, Level: level}
				floats.Store(at, m.Load(at))
			}
		}
		var views [2]*texture.View
		for i, m := range []*texture.Image{m, floats} {
			var err error
			if views[i], err = texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D}); err != nil {
				t.Fatal(err)
			}
		}
		mode := func() enum.AddressMode { return enum.AddressMode(r.Intn(int(enum.AddressModeMirrorClampToEdge) + 1)) }
		s, err := texture.NewSampler(texture.SamplerDesc{Mag: enum.Filter(r.Intn(2)), Min: enum.FilterLinear, MipLinear: r.Intn(2) > 0,
			Address: [3]enum.AddressMode{mode(), mode(), mode()}, Reduction: enum.Reduction(max(0, round-9)), MaxLod: 2, Border: [4]uint32{0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000}})
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod}
		if round%3 == 2 {
			x = ir.Texture{Op: ir.TextureGather, Dim: ir.Dim2D, Type: ir.F32, Component: uint8(round % 4)}
		}
		args := make([][]uint64, 200)
		for i := range args {
			for range 3 {
				args[i] = append(args[i], uint64(math.Float32bits(3*r.Float32()-1)))
			}
			if x.Op == ir.TextureSample {
				args[i] = append([]uint64{0, 0}, args[i]...)
			} else {
				args[i] = append([]uint64{0, 0}, args[i][:2]...)
			}
		}
		want := call(t, x, views[1], s, args)
		for i, got := range call(t, x, views[0], s, args) {
			if [4]uint64(got) != [4]uint64(want[i]) {
				t.Fatalf("%s: sample %x is %x; must be %x", name, args[i], got, want[i])
			}
		}
	}
}
