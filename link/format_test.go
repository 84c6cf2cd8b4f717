package link

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// TestFormatNames reads the name of each format, with and without its prefix.
func TestFormatNames(t *testing.T) {
	for _, name := range []string{"R8G8B8A8_UNORM", "ASTC_4x4_UNORM_BLOCK", "ASTC_6x5x5_SFLOAT_BLOCK_EXT", "G8_B8R8_2PLANE_420_UNORM"} {
		for _, prefix := range []string{"", "VK_FORMAT_"} {
			var f Format
			if err := f.UnmarshalText([]byte(prefix + name)); err != nil || format.ByID(uint32(f)).Name != name {
				t.Errorf("%s%s is %s, %v", prefix, name, f, err)
			}
		}
	}
}
