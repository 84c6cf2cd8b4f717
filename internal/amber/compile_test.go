package amber

import (
	"path/filepath"
	"testing"
)

// TestBelow mixes absolute and relative paths.
func TestBelow(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join("b", "c.amber")
	for _, c := range [][2]string{
		{"a", filepath.Join("a", want)},
		{filepath.Join(here, "a"), filepath.Join("a", want)},
		{"a", filepath.Join(here, "a", want)},
	} {
		if got, err := below(c[0], c[1]); err != nil || got != want {
			t.Errorf("below(%q, %q) = %q, %v; want %q", c[0], c[1], got, err, want)
		}
	}
}
