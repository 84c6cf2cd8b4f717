package format

import (
	"os"
	"strings"
	"testing"
)

// TestOfShader compares with the table of the specification.
func TestOfShader(t *testing.T) {
	text, err := os.ReadFile("../../../shared/spec/image_formats.tsv")
	if err != nil {
		t.Skip("the specification's table of image formats is not part of this repository: ", err)
	}
	n := 0
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		x := strings.Split(line, "\t")
		if i == 0 || x[0] == "Unknown" {
			continue
		}
		n++
		if got, want := OfShader(x[0]), strings.TrimPrefix(x[6], "VK_FORMAT_"); got != want {
			t.Errorf("%s: %q; must be %q", x[0], got, want)
		}
	}
	if n < 40 {
		t.Errorf("%d formats; the table has more", n)
	}
}

// TestOfShaderNone has names that are no formats.
func TestOfShaderNone(t *testing.T) {
	for _, name := range []string{"", "Unknown", "Rgba", "Rgba7", "Rgba8x", "8", "f", "Rgba99999999999999999999f", "ImageFormat(77)"} {
		if got := OfShader(name); got != "" {
			t.Errorf("%q: %q; must be none", name, got)
		}
	}
}
