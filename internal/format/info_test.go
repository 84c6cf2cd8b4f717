package format

import "testing"

// TestInfo checks what the table says of formats of each sort (Vulkan, Formats).
func TestInfo(t *testing.T) {
	for _, c := range []struct {
		id   uint32
		want Info
	}{
		{37, Info{37, "R8G8B8A8_UNORM", "RGBA", "UNORM", Color, Float, 4, false, false, 0, "32-bit"}},
		{98, Info{98, "R32_UINT", "R", "UINT", Color, Uint, 4, false, false, 0, "32-bit"}},
		{120, Info{120, "R64G64B64A64_SINT", "RGBA", "SINT", Color, Int, 32, true, false, 0, "256-bit"}},
		{129, Info{129, "D24_UNORM_S8_UINT", "DS", "UNORM", Depth | Stencil, Float, 4, false, false, 0, "D24S8"}},
		{1000156003, Info{1000156003, "G8_B8R8_2PLANE_420_UNORM", "GBR", "UNORM", Color, Float, 3, false, false, 2, "8-bit 2-plane 420"}},
	} {
		if got := ByID(c.id); got == nil || *got != c.want {
			t.Errorf("%d: %+v; want %+v", c.id, got, c.want)
		}
		if InfoByName(c.want.Name) != ByID(c.id) {
			t.Errorf("%s is not found", c.want.Name)
		}
	}
	if ByID(0) != nil || ByID(1<<31) != nil || InfoByName("UNDEFINED") != nil {
		t.Error("a format that there is not is found")
	}
	if (*Info)(nil).Texel() != nil || (*Info)(nil).String() != "none" {
		t.Error("no format has a texel or a name")
	}
	for i := range infos {
		x := &infos[i]
		f, ok := ByName(x.Name)
		if got := x.Texel(); ByID(x.ID) != x || (got != nil) != ok || ok && (*got != f || f.Bytes != x.Bytes || f.Name != x.Name) {
			t.Errorf("%v: %+v; want %+v of %d bytes", x, got, f, x.Bytes)
		}
	}
	for i := 1; i < len(infos); i++ {
		if infos[i-1].ID >= infos[i].ID {
			t.Errorf("%s is not in order", infos[i].Name)
		}
	}
}
