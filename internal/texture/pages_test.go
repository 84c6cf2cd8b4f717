package texture_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestBufferResidency accesses texels of a buffer with memory for two of its pages, in every engine: the code tells whether all bytes of a
// texel have memory, and a store to one without memory is discarded.
func TestBufferResidency(t *testing.T) {
	const page = texture.SparseBytes
	pages := texture.NewPages(70)
	pages.Set(1, 1, true)
	pages.Set(64, 2, true)
	pages.Set(65, 1, false)
	memory := make([]byte, 70*page)
	for _, test := range []struct {
		format string
		bytes  int
		offset int
		codes  map[int]uint64 // by the texel
	}{
		{"R32_UINT", 4, 0, map[int]uint64{0: 1, page/4 - 1: 1, page / 4: 0, page/2 - 1: 0, page / 2: 1, 16*page - 1: 1, 16 * page: 0, 16*page + page/4: 1}},
		{"R8_UINT", 1, page - 16, map[int]uint64{15: 1, 16: 0, page + 15: 0, page + 16: 1}},
		{"R32G32B32_UINT", 12, 0, map[int]uint64{5460: 1, 5461: 1, 5462: 0, 10921: 0, 10922: 1}}, // the texel 5461 is in pages 0 and 1
		{"R32G32B32A32_UINT", 16, 63*page + 8, map[int]uint64{4094: 1, 4095: 1, 4096: 0, 8190: 0, 8191: 1}},
	} {
		v, err := texture.NewSparseBufferView(memory[test.offset:], test.format, pages, test.offset)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []ir.TextureOp{ir.TextureRead, ir.TextureFetch} {
			x := ir.Texture{Op: op, Dim: ir.DimBuffer, Type: ir.I32, Sampler: -1, Operands: ir.TextureSparse}
			for at, want := range test.codes {
				if got := call(t, x, v, nil, [][]uint64{{0, uint64(at)}})[0][0]; got != want {
					t.Errorf("%s from byte %d on: the residency code of texel %d is %d; must be %d", test.format, test.offset, at, got, want)
				}
			}
			if got := call(t, x, v, nil, [][]uint64{{0, 1 << 30}})[0][0]; got != 0 {
				t.Errorf("%s: the residency code outside of the view is %d; must be 0", test.format, got)
			}
		}
		x := ir.Texture{Op: ir.TextureWrite, Dim: ir.DimBuffer, Type: ir.I32, Sampler: -1}
		for at, code := range test.codes {
			first := memory[test.offset+at*test.bytes:]
			first[0] = 0
			call(t, x, v, nil, [][]uint64{{0, uint64(at), 7, 7, 7, 7}})
			if got, want := first[0], byte(7-7*code); got != want {
				t.Errorf("%s from byte %d on: texel %d is %d after a store; must be %d", test.format, test.offset, at, got, want)
			}
		}
	}
	v, _ := texture.NewSparseBufferView(memory, "R8_UINT", pages, 0)
	x := ir.Texture{Op: ir.TextureRead, Dim: ir.DimBuffer, Type: ir.I32, Sampler: -1, Operands: ir.TextureSparse}
	for _, on := range []bool{true, false} {
		pages.Set(2, 1, on)
		if got, want := call(t, x, v, nil, [][]uint64{{0, 2 * page}})[0][0], map[bool]uint64{false: 1}[on]; got != want {
			t.Errorf("the residency code is %d after a change; must be %d", got, want)
		}
	}
	if v, err := texture.NewSparseBufferView(memory[:2], "R32_UINT", pages, 0); err != nil || v.Shape().Bytes == nil {
		t.Errorf("a view of no texels: %v", err)
	}
}
