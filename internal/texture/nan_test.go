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

// TestNaNTexels samples texels of which many are NaNs with signs and payloads, signaling ones too, by every filter and reduction: a result
// that is a NaN is the canonical one, in all engines.
func TestNaNTexels(t *testing.T) {
	f32 := func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	for seed := range 120 {
		r := rand.New(rand.NewSource(int64(seed)))
		name := []string{"R16_SFLOAT", "R16G16B16A16_SFLOAT", "B10G11R11_UFLOAT_PACK32", "R32G32_SFLOAT"}[seed%4]
		m, err := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 8, Height: 8, Levels: 3, Layers: 6})
		if err != nil {
			t.Fatal(err)
		}
		fill(m, r)
		for n := range 6 * 3 {
			for y := 0; ; y++ {
				row := m.TexelRow(texture.Coord{Y: y, Layer: n % 6, Level: n / 6})
				if row == nil {
					break
				}
				for ; len(row) >= 4; row = row[4:] {
					if r.Intn(4) == 0 {
						binary.LittleEndian.PutUint32(row, binary.LittleEndian.Uint32(row)|0x7f807c00)
					}
				}
			}
		}
		dim := []ir.Dim{ir.Dim2D, ir.DimCube}[r.Intn(2)]
		v, err := texture.NewView(m, texture.ViewDesc{Dim: dim, Layers: map[ir.Dim]int{ir.Dim2D: 1, ir.DimCube: 6}[dim]})
		if err != nil {
			t.Fatal(err)
		}
		d := texture.SamplerDesc{MaxLod: 2, MipLinear: r.Intn(2) > 0, Reduction: []enum.Reduction{enum.ReductionWeightedAverage, enum.ReductionMin, enum.ReductionMax}[r.Intn(3)],
			Address: [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeRepeat, 0}}
		if linear := r.Intn(3) > 0; linear {
			d.Mag, d.Min = enum.FilterLinear, enum.FilterLinear
		}
		s, err := texture.NewSampler(d)
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureSample, Dim: dim, Type: ir.F32, Operands: ir.TextureLod}
		var args [][]uint64
		for range 64 {
			list := []uint64{0, 0, f32(r.Float64()*2 - 1), f32(r.Float64()*2 - 1)}
			if dim == ir.DimCube {
				list = append(list, f32(r.Float64()*2-1))
			}
			args = append(args, append(list, f32(float64(r.Intn(9))/4)))
		}
		for i, got := range call(t, x, v, s, args) {
			for k, bits := range got[:4] {
				if n := math.Float32frombits(uint32(bits)); n != n && bits != 0x7fc00000 {
					t.Fatalf("seed %d, %s: component %d of call %d is %#x; must be the canonical NaN", seed, name, k, i, bits)
				}
			}
		}
	}
}
