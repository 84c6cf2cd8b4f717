package texture

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestZeroAlpha checks which views have another result outside of the image: those of formats without alpha that are
// no texel buffers, whose robustness is a buffer's.
func TestZeroAlpha(t *testing.T) {
	for name, differs := range map[string]bool{"R32_UINT": true, "R8G8_UNORM": true, "B10G11R11_UFLOAT_PACK32": true, "D32_SFLOAT": true, "R8G8B8A8_UNORM": false, "R16G16B16A16_SFLOAT": false} {
		m, err := NewImage(Desc{Format: name, Dim: ir.Dim2D, Width: 2, Height: 2})
		if err != nil {
			t.Fatal(err)
		}
		v, err := NewView(m, ViewDesc{Dim: ir.Dim2D})
		if err != nil {
			t.Fatal(err)
		}
		w := v.ZeroAlpha()
		if (w != v) != differs || w != v.ZeroAlpha() || w != w.ZeroAlpha() || (w.key.word() != v.key.word()) != differs {
			t.Errorf("%s: another view %t, key %#x and %#x; want %t", name, w != v, v.key.word(), w.key.word(), differs)
		}
	}
	v, err := NewBufferView(make([]byte, 16), "R32_UINT")
	if err != nil {
		t.Fatal(err)
	}
	if v.ZeroAlpha() != v || (*View)(nil).ZeroAlpha() != nil {
		t.Error("a texel buffer or the null descriptor has another view")
	}
}
