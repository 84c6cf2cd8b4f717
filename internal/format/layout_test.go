package format

import "testing"

// TestLayout checks sizes of levels, rows and slices by hand.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name                 string
		width, height, depth int
		row, slice, size     uint64
	}{
		{"R8G8B8A8_UNORM", 5, 3, 2, 20, 60, 120},
		{"R8G8B8_UNORM", 5, 3, 1, 15, 45, 45},
		{"BC1_RGB_UNORM_BLOCK", 5, 3, 2, 16, 16, 32},
		{"BC7_UNORM_BLOCK", 1, 1, 1, 16, 16, 16},
		{"BC7_UNORM_BLOCK", 16, 17, 1, 64, 320, 320},
		{"ASTC_12x10_SRGB_BLOCK", 25, 21, 1, 48, 144, 144},
		{"ASTC_6x5x5_SFLOAT_BLOCK_EXT", 13, 6, 6, 48, 96, 192},
		{"G8B8G8R8_422_UNORM", 6, 2, 1, 12, 24, 24},
		{"PVRTC1_2BPP_UNORM_BLOCK_IMG", 16, 8, 1, 16, 32, 32},
		{"R64G64B64A64_SFLOAT", 65536, 65536, 1, 2097152, 137438953472, 137438953472},
		{"R8_UNORM", 0, 3, 1, 0, 0, 0},
	} {
		l := InfoByName(c.name).Layout()
		row, slice := l.Pitches(c.width, c.height)
		if size := l.Size(c.width, c.height, c.depth); row != c.row || slice != c.slice || size != c.size {
			t.Errorf("%s %d by %d by %d: row %d, slice %d, size %d; want %d, %d, %d", c.name, c.width, c.height, c.depth, row, slice, size, c.row, c.slice, c.size)
		}
	}
}

func TestLevels(t *testing.T) {
	for n, want := range map[[3]int]int{{1, 1, 1}: 1, {2, 1, 1}: 2, {3, 3, 1}: 2, {4, 1, 1}: 3, {1, 1, 255}: 8, {256, 7, 1}: 9, {65536, 1, 1}: 17} {
		if got := Levels(n[0], n[1], n[2]); got != want {
			t.Errorf("%v has %d levels; want %d", n, got, want)
		}
	}
	for _, c := range [][3]int{{5, 0, 5}, {5, 1, 2}, {5, 2, 1}, {5, 3, 1}, {5, 1000, 1}, {65536, 16, 1}, {65536, 4, 4096}} {
		if got := LevelExtent(c[0], c[1]); got != c[2] {
			t.Errorf("level %d of %d has %d texels; want %d", c[1], c[0], got, c[2])
		}
	}
	p := InfoByName("G8_B8R8_2PLANE_420_UNORM").PlaneList()[1]
	if x, y := p.Extent(6, 4); x != 3 || y != 2 {
		t.Errorf("chroma of 6 by 4 has %d by %d", x, y)
	}
	if x, y := p.Extent(5, 3); x != 3 || y != 2 {
		t.Errorf("chroma of 5 by 3 has %d by %d", x, y)
	}
}

// TestBufferCopy has copies with and without lengths of their own; the last byte
// is that of the last block, not of the last row.
func TestBufferCopy(t *testing.T) {
	for _, c := range []struct {
		name            string
		copy            BufferCopy
		row, slice, end uint64
	}{
		{"R8G8B8A8_UNORM", BufferCopy{0, 0, 0, 4, 3, 2}, 16, 48, 96},
		{"R8G8B8A8_UNORM", BufferCopy{100, 8, 5, 4, 3, 2}, 32, 160, 100 + 160 + 64 + 16},
		{"BC1_RGBA_UNORM_BLOCK", BufferCopy{8, 16, 8, 5, 6, 1}, 32, 64, 8 + 32 + 16},
		{"ASTC_4x4x4_UNORM_BLOCK_EXT", BufferCopy{0, 0, 0, 8, 8, 5}, 32, 64, 128},
		{"R8_UNORM", BufferCopy{7, 9, 9, 0, 3, 1}, 9, 81, 7},
	} {
		l := InfoByName(c.name).Layout()
		row, slice := c.copy.Pitches(l)
		if end := c.copy.End(l); row != c.row || slice != c.slice || end != c.end {
			t.Errorf("%s %+v: row %d, slice %d, end %d; want %d, %d, %d", c.name, c.copy, row, slice, end, c.row, c.slice, c.end)
		}
	}
	for name, want := range map[string][2]string{"D24_UNORM_S8_UINT": {"X8_D24_UNORM_PACK32", "S8_UINT"}, "D32_SFLOAT_S8_UINT": {"D32_SFLOAT", "S8_UINT"},
		"D16_UNORM_S8_UINT": {"D16_UNORM", "S8_UINT"}, "D16_UNORM": {"D16_UNORM", "D16_UNORM"}, "S8_UINT": {"S8_UINT", "S8_UINT"}} {
		i := InfoByName(name)
		if got := [2]string{i.CopyFormat(Depth), i.CopyFormat(Stencil)}; got != want {
			t.Errorf("%s is copied as %v; want %v", name, got, want)
		}
	}
}
